"""Whatever is sent, the HTTP API answers what its OpenAPI document says, and never with a fault of ours."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mcp_memory_server.web.api import openapi
from tests.harness import House
from tests.http_support import calling, serving

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
EXAMPLES = 25  # calls of each operation in each mode

_configured = schemathesis.Config.from_dict({"generation": {"modes": [mode.value for mode in GenerationMode]}})
schema = schemathesis.openapi.from_dict(openapi.document(), config=_configured)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with something to find, to correct and to forget."""
    house = House(tmp_path_factory.mktemp("api") / "data")
    with serving(house) as address:
        with calling(address) as http:
            for said in ("My budget for trains is 500 euros.", "My budget for trains is 800 euros.", "我住在杭州。"):
                http.post("/api/memories", json={"said": said, "session": "s"}).raise_for_status()
        yield address
    house.app.close()


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=timedelta(seconds=60),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_every_answer_is_one_of_the_document(case: Any, base: str) -> None:
    response = case.call(base_url=base)
    case.validate_response(response, checks=CHECKS)
    if response.status_code >= 400:
        error = response.json()["error"]
        assert set(error) == {"code", "message", "next"}
        for inside in ("Traceback", 'File "', "sqlite", "pydantic"):
            assert inside not in str(error)
