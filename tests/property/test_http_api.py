"""Whatever is sent, the HTTP API answers what its OpenAPI document says, and never with a fault of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mcp_memory_server.settings import TriggerSettings
from mcp_memory_server.web.api import openapi
from tests.harness import House
from tests.http_support import calling, serving

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
EXAMPLES = 15  # calls of each operation in each mode

_configured = schemathesis.Config.from_dict({"generation": {"mode": "all"}})
schema = schemathesis.openapi.from_dict(openapi.document(), config=_configured)


@dataclass(frozen=True)
class Served:
    """A server with something to find, and by the first folder of a path the id of one thing that is there."""

    base: str
    known: dict[str, str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    once = TriggerSettings(name="once", count=1)
    house = House(tmp_path_factory.mktemp("api") / "data", triggers=[once])
    with serving(house) as base:
        with calling(base) as http:
            for said in ("My budget for trains is 500 euros.", "My budget for trains is 800 euros.", "我住在杭州。"):
                http.post("/api/memories", json={"said": said, "session": "s"}).raise_for_status()
            asked = http.post("/api/memories", json={"said": "How do I get a refund for my ticket?"}).json()
            questions = http.get("/api/questions").json()["questions"]
            memories = http.get("/api/memories").json()["memories"]
        known = {
            "memories": memories[0]["id"],
            "questions": questions[0]["id"],
            "sessions": "s",
            "triggers": asked["triggers"][0]["id"],
        }
        yield Served(base, known)
    house.app.close()


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=timedelta(seconds=60),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_every_answer_is_one_of_the_document(case: Any, served: Served) -> None:
    tried(case, served)
    if "id" in (case.path_parameters or {}) and case.method != "DELETE":  # and of something that is there
        case.path_parameters["id"] = served.known[case.path.split("/")[2]]
        tried(case, served)


def tried(case: Any, served: Served) -> None:
    response = case.call(base_url=served.base)
    case.validate_response(response, checks=CHECKS)
    if response.status_code >= 400:
        error = response.json()["error"]
        assert set(error) == {"code", "message", "next"}
        for inside in ("Traceback", 'File "', "sqlite", "pydantic"):
            assert inside not in str(error)
