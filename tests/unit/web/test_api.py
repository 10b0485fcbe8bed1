"""The HTTP API at its limits: many calls at once, bodies that do not arrive, readers that stop reading."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_memory_server import limits
from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.settings import Settings
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.web import http
from mcp_memory_server.web.api import exporting, reading, routes
from tests.fakes import HashEmbedder
from tests.unit.web.test_http import _HEADERS, ask, running

pytestmark = pytest.mark.anyio


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    settings = Settings(data_dir=tmp_path / "data", user="ann", language="en", time_zone="UTC")
    found = Runtime(settings, Overrides(embedder=HashEmbedder()))
    yield found
    found.close()


def code(body: bytes) -> str:
    return str(json.loads(body)["error"]["code"])


def scope(method: str, path: str, **headers: str) -> dict[str, Any]:
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "root_path": "", "query_string": b"", "scheme": "http",
        "headers": [(name.replace("_", "-").encode(), text.encode()) for name, text in (_HEADERS | headers).items()],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765),
    }  # fmt: skip


async def until(holds: Callable[[], Any]) -> None:
    with anyio.fail_after(20):
        while True:
            found = holds()
            if (await found) if inspect.isawaitable(found) else found:
                return
            await anyio.sleep(0.01)


async def never() -> Any:
    await anyio.sleep_forever()


async def test_one_call_more_than_fit_is_told_to_come_again(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "HTTP_CALLS", 2)
    go_on, service = threading.Event(), runtime.application().service

    def slow(*_: Any) -> list[Any]:
        go_on.wait(30)
        return []

    monkeypatch.setattr(service, "questions", slow)
    async with running(runtime) as app, anyio.create_task_group() as group:
        answers: list[int] = []

        async def one() -> None:
            answers.append((await ask(app, "GET", "/api/questions"))[0])

        for _ in range(2):
            group.start_soon(one)

        async def both_at_work() -> bool:
            return metric(await ask(app, "GET", "/metrics"), "http_requests_in_progress") == 2

        await until(both_at_work)
        status, body = await ask(app, "GET", "/api/profile")
        assert (status, code(body)) == (429, "rate_limited")
        assert (await ask(app, "GET", "/readyz"))[0] == 200  # probes always get an answer
        go_on.set()
        await until(lambda: len(answers) == 2)
        assert answers == [200, 200]
        assert (await ask(app, "GET", "/api/profile"))[0] == 200


def metric(answer: tuple[int, bytes], name: str) -> float:
    rows = dict(line.rsplit(" ", 1) for line in answer[1].decode().splitlines() if not line.startswith("#"))
    return float(rows[f"consented_memory_{name}"])


async def test_a_body_that_does_not_arrive_is_not_waited_for(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "HTTP_BODY_SECONDS", 0.05)
    async with running(runtime) as app:
        sent: list[Any] = []
        parts = [{"type": "http.request", "body": b'{"query"', "more_body": True}]

        async def receive() -> Any:
            return parts.pop() if parts else await never()

        async def send(message: Any) -> None:
            sent.append(message)

        with anyio.fail_after(20):
            await app(scope("POST", "/api/recall"), receive, send)
        assert sent[0]["status"] == 408
        assert code(sent[1]["body"]) == "invalid_argument"


async def test_a_body_that_says_that_it_is_too_long_is_not_read(runtime: Runtime) -> None:
    async with running(runtime) as app:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        for length in (str(limits.HTTP_BODY_BYTES + 1), "9" * 5_000):
            sent.clear()
            with anyio.fail_after(20):
                await app(scope("POST", "/api/recall", content_length=length), never, send)
            assert sent[0]["status"] == 413
            assert code(sent[1]["body"]) == "too_large"


async def test_an_export_whose_reader_stops_reading_ends(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "HTTP_EXPORT_STALL_SECONDS", 0.05)
    monkeypatch.setattr(exporting, "HTTP_EXPORT_PART_BYTES", 10)
    async with running(runtime) as app:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            if len(sent) == 2:
                await anyio.sleep_forever()
            sent.append(message)

        with anyio.fail_after(20), pytest.raises(TimeoutError):
            await app(scope("GET", "/api/export"), never, send)
        assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
        assert sent[1]["more_body"]  # not whole, and it does not look so
        counted = 'http_requests_total{method="GET",path="/api/export",status="500"}'
        assert metric(await ask(app, "GET", "/metrics"), counted) == 1
        assert (await ask(app, "GET", "/api/questions"))[0] == 200


async def test_an_export_whose_reader_is_slow_for_ever_ends(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "HTTP_EXPORT_SECONDS", 0.3)
    monkeypatch.setattr(exporting, "HTTP_EXPORT_PART_BYTES", 1)
    async with running(runtime) as app:
        for number in range(9):
            await ask(app, "POST", "/api/memories", {"statements": [f"Box {number} is on shelf {number}."]})

        async def send(_message: Any) -> None:
            await anyio.sleep(0.1)

        with anyio.fail_after(20), pytest.raises(TimeoutError):
            await app(scope("GET", "/api/export"), never, send)


async def test_an_export_that_breaks_off_has_no_end(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "HTTP_EXPORT_PART_BYTES", 10)
    store = runtime.application().backend.store

    def away(*_: Any) -> Any:
        raise UnavailableError("the store went away")

    async with running(runtime) as app:
        with monkeypatch.context() as patched, pytest.raises(UnavailableError):  # after the line of the header
            patched.setattr(store, "read", away)
            await ask(app, "GET", "/api/export")
        status, body = await ask(app, "GET", "/api/export")
        assert status == 200
        assert json.loads(body.splitlines()[-1])["type"] == "end"


async def test_so_many_exports_at_the_same_time(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    exported = exporting.native.export

    def slow(*given: Any, **more: Any) -> Any:
        go_on.wait(30)
        return exported(*given, **more)

    monkeypatch.setattr(exporting.native, "export", slow)
    async with running(runtime) as app, anyio.create_task_group() as group:
        answers: list[int] = []

        async def one() -> None:
            answers.append((await ask(app, "GET", "/api/export"))[0])

        for _ in range(limits.HTTP_EXPORTS + 1):
            group.start_soon(one)
        await until(lambda: bool(answers))
        assert answers == [429]
        assert (await ask(app, "GET", "/api/questions"))[0] == 200  # other calls go on
        go_on.set()
    assert sorted(answers) == [200, 200, 429]


async def test_answers_are_kept_by_no_cache(runtime: Runtime) -> None:
    seen: list[dict[bytes, bytes]] = []
    async with running(runtime) as app:

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                seen.append(dict(message["headers"]))

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        for path in ("/api/profile", "/api/memories/m_none", "/api/nothing", "/api/export"):
            await app(scope("GET", path), receive, send)
    assert len(seen) == 4
    for headers in seen:
        assert headers[b"cache-control"] == b"no-store"
        assert headers[b"x-content-type-options"] == b"nosniff"


async def test_the_agent_is_the_program_that_calls(runtime: Runtime) -> None:
    async with running(runtime) as app:
        for agent in ("importer/1.2 (x)", "/", "  ", "a" * 999):
            await ask(
                app, "POST", "/api/memories", {"statements": [f"The van of {agent[:3]} is red."]}, user_agent=agent
            )
        _, body = await ask(app, "GET", "/api/audit")
        agents = [one["agent"] for one in json.loads(body)["entries"]]
    assert agents[::-1] == ["importer", "unknown", "unknown", "a" * limits.NAME_CHARS]


def test_the_gate_is_in_front_of_everything_but_probes() -> None:
    assert {"/healthz", "/readyz"} == http._OPEN_PATHS
