"""What readiness and metrics say when back ends are away, late or off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.records import SET_ASIDE_AT
from mcp_memory_server.settings import Settings
from mcp_memory_server.storage import breaker
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.web import health
from mcp_memory_server.web.health import Look
from mcp_memory_server.web.metrics import Metrics
from tests.fakes import HashEmbedder
from tests.unit.web.test_http import ask, running

pytestmark = pytest.mark.anyio


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    monkeypatch.setattr(health, "HTTP_LOOK_SECONDS", -1.0)
    found = Runtime(Settings(data_dir=tmp_path / "data"), Overrides(embedder=HashEmbedder()))
    yield found
    found.close()


async def ready(runtime: Runtime) -> tuple[int, dict[str, Any]]:
    async with running(runtime) as app:
        status, body = await ask(app, "GET", "/readyz")
        return status, json.loads(body)


def away(*_: Any) -> Any:
    raise UnavailableError("it does not answer")


@pytest.mark.parametrize("name", ["text", "graph", "vectors"])
async def test_a_projection_that_is_away_is_named_and_the_server_stays_ready(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    index: Any = getattr(runtime.application().backend, "vector_index" if name == "vectors" else f"{name}_index")
    monkeypatch.setattr(index, "models" if name == "vectors" else "digests", away)
    status, answer = await ready(runtime)
    assert (status, answer["degraded"], answer["back_ends"][name]) == (200, [name], {"state": "unavailable"})
    assert answer["back_ends"]["ledger"] == {"state": "ok"}
    async with running(runtime) as app:
        text = (await ask(app, "GET", "/metrics"))[1].decode()
    assert f'consented_memory_back_end_up{{back_end="{name}"}} 0' in text


async def test_an_open_circuit_and_what_is_set_aside_are_shown(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = runtime.application()
    inside: Any = app.archive._archive  # type: ignore[attr-defined]  # behind its circuit breaker
    monkeypatch.setattr(inside, "digests", away)
    for _ in range(breaker.FAILURES):
        status, answer = await ready(runtime)
        assert (status, answer["degraded"]) == (200, []), "recall does not need the archive"
    assert answer["back_ends"]["archive"] == {"state": "unavailable", "circuit": "open"}
    with app.backend.store.write(Tenancy("ann")) as unit:
        unit.defer(["m_1"], "archive")
    with app.backend.store.system(write=True) as system:
        (row,) = system.due("archive", datetime.now(UTC), 1)
        system.retry(row.seq, SET_ASIDE_AT, "internal")
    async with running(runtime) as web:
        text = (await ask(web, "GET", "/metrics"))[1].decode()
    for line in (
        'back_end_up{back_end="archive"} 0', 'circuit_open{back_end="archive"} 1',
        'circuit_opened_total{back_end="archive"} 1', 'outbox_set_aside_rows{for="archive"} 1',
    ):  # fmt: skip
        assert f"consented_memory_{line}" in text


async def test_a_model_that_loads_and_one_that_is_off(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    app = runtime.application()
    monkeypatch.setattr(app.embedder, "ready", lambda: False)
    assert (await ready(runtime))[1]["degraded"] == ["vectors"]
    monkeypatch.setattr(app, "embedder", None)
    status, answer = await ready(runtime)
    assert (status, answer["degraded"], answer["back_ends"]["model"]) == (200, [], {"state": "off"})


async def test_a_ledger_that_is_away_makes_the_server_not_ready(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime.application().backend.store, "system", away)
    async with running(runtime) as app:
        inner: Any = app._open  # type: ignore[attr-defined]  # behind the gate, which asks the store too
        status, body = await ask(inner, "GET", "/readyz")
        assert (status, json.loads(body)["error"]["code"]) == (503, "unavailable")
        assert json.loads(body)["back_ends"] == {"ledger": {"state": "unavailable"}}
        status, body = await ask(inner, "GET", "/metrics")
        assert status == 200
        assert b'consented_memory_back_end_up{back_end="ledger"} 0' in body


async def test_probes_do_not_ask_the_store_more_than_once_a_second(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HTTP_LOOK_SECONDS", 60.0)
    index = runtime.application().backend.text_index
    asked: list[Any] = []
    digests = index.digests
    monkeypatch.setattr(index, "digests", lambda *given: (asked.append(given), digests(*given))[1])
    async with running(runtime) as app:
        for _ in range(5):
            assert (await ask(app, "GET", "/readyz"))[0] == 200
    assert len(asked) == 1


def test_metrics_are_families_of_named_rows() -> None:
    metrics = Metrics()
    metrics.count("GET", "/api/profile", 200, 0.25)
    metrics.count("GET", "/api/profile", 200, 0.5)
    metrics.count("GET", "/api/profile", 403, 0.25)
    text = metrics.text(Look({"ledger": "ok", "model": "loading"}, {'a"b\\c\nd': 3}, 2), 4)
    assert text.endswith("\n")
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert 'consented_memory_outbox_rows{for="a\\"b\\\\c\\nd"} 3' in rows
    assert "consented_memory_erasures_pending 2" in rows
    assert "consented_memory_http_requests_in_progress 4" in rows
    assert 'consented_memory_http_requests_total{method="GET",path="/api/profile",status="200"} 2' in rows
    assert 'consented_memory_http_request_seconds_sum{method="GET",path="/api/profile"} 1.0' in rows
    assert 'consented_memory_http_request_seconds_count{method="GET",path="/api/profile"} 3' in rows
    named = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(set(named)) == len(named)
    for row in rows:
        name = row.partition("{")[0].split()[0]
        assert any(name.startswith(one) for one in named)
