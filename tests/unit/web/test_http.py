from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_memory_server.bootstrap import Overrides, build
from mcp_memory_server.errors import NotAllowedError, UnavailableError
from mcp_memory_server.identity import bearer
from mcp_memory_server.settings import ServerSettings, Settings
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.web import http
from tests.fakes import NOON, HashEmbedder, MemoryBackend, seeded_ids

_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
_HEADERS = {
    "host": "127.0.0.1:8765",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(bearer, "_CACHE_SECONDS", -1.0)
    settings = Settings(data_dir=tmp_path / "data", language="en", time_zone="UTC")
    found = Runtime(settings, Overrides(embedder=HashEmbedder()))
    yield found
    found.close()


async def ask(app: http.Asgi, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
    """One request to an ASGI application."""
    given = {**_HEADERS, **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
    }
    sent: list[dict[str, Any]] = []
    data = json.dumps(body).encode() if body is not None else b""

    given_body = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not given_body:
            await anyio.sleep_forever()
        return given_body.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    status = next(message["status"] for message in sent if message["type"] == "http.response.start")
    return status, b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")


@asynccontextmanager
async def running(runtime: Runtime) -> AsyncIterator[http.Asgi]:
    """The application with its lifespan."""
    app = http.build_http(runtime)
    inner: Any = app._open  # type: ignore[attr-defined]
    async with inner.router.lifespan_context(inner):
        yield app


@pytest.mark.anyio
async def test_health_and_readiness_need_no_token(runtime: Runtime) -> None:
    make_token(runtime)
    async with running(runtime) as app:
        assert await ask(app, "GET", "/healthz") == (200, b'{"status":"ok"}')
        status, body = await ask(app, "GET", "/readyz")
        answer = json.loads(body)
        assert (status, answer["status"], answer["degraded"]) == (200, "ready", [])
        inside = {name: {"state": "ok"} for name in ("ledger", "text", "graph", "vectors", "model")}
        assert answer["back_ends"] == {**inside, "archive": {"state": "ok", "circuit": "closed"}}


@pytest.mark.anyio
async def test_a_call_needs_a_token_from_the_first_one_on(runtime: Runtime) -> None:
    async with running(runtime) as app:
        assert (await ask(app, "POST", "/mcp", _CALL))[0] == 200
        secret = make_token(runtime)
        assert (await ask(app, "POST", "/mcp", _CALL))[0] == 401
        assert (await ask(app, "POST", "/mcp", _CALL, authorization="Bearer wrong"))[0] == 401
        assert (await ask(app, "POST", "/mcp", _CALL, authorization=f"Basic {secret}"))[0] == 401
        assert (await ask(app, "POST", "/mcp", _CALL, authorization=f"Bearer {secret}"))[0] == 200
        application = runtime.application()
        bearer.revoke(application.backend.store, NOON, "laptop")
        assert (await ask(app, "POST", "/mcp", _CALL, authorization=f"Bearer {secret}"))[0] == 401
        for path in ("/mcp/", "//mcp", "/MCP", "/other"):
            assert (await ask(app, "POST", path, _CALL))[0] == 401


def make_token(runtime: Runtime) -> str:
    store = runtime.application().backend.store
    return bearer.create(store, seeded_ids(), NOON, name="laptop", user="ann")[1]


@pytest.mark.anyio
async def test_other_hosts_and_origins_are_refused(runtime: Runtime) -> None:
    async with running(runtime) as app:
        assert (await ask(app, "POST", "/mcp", _CALL, host="evil.example"))[0] == 421
        assert (await ask(app, "POST", "/mcp", _CALL, origin="http://evil.example"))[0] == 403
        assert (await ask(app, "POST", "/mcp", _CALL, origin="http://localhost:3000"))[0] == 200


@pytest.mark.anyio
async def test_a_store_that_cannot_be_read_lets_nobody_in(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(runtime) as app:

        def broken() -> Any:
            raise UnavailableError("the store is away")

        monkeypatch.setattr(runtime, "application", broken)
        status, body = await ask(app, "POST", "/mcp", _CALL)
        assert (status, json.loads(body)["error"]["code"]) == (503, "unavailable")
        assert (await ask(app, "GET", "/readyz"))[0] == 503

        def torn() -> Any:
            raise ZeroDivisionError

        monkeypatch.setattr(runtime, "application", torn)
        assert (await ask(app, "GET", "/readyz"))[0] == 503
        assert (await ask(app, "GET", "/healthz"))[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]"])
def test_loopback_needs_no_token(host: str) -> None:
    http.check_host(host, MemoryBackend().store, NOON)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "memory.example", ""])
def test_any_other_host_needs_a_valid_token(host: str) -> None:
    store = MemoryBackend().store
    with pytest.raises(NotAllowedError):
        http.check_host(host, store, NOON)
    bearer.create(store, seeded_ids(), NOON, name="laptop", user="ann")
    http.check_host(host, store, NOON)
    bearer.revoke(store, NOON, "laptop")
    with pytest.raises(NotAllowedError):
        http.check_host(host, store, NOON)


def test_the_host_list_holds_the_address_bound_and_the_settings() -> None:
    found = http.transport_security("192.168.1.4", ["memory.example"], ["https://memory.example"])
    assert {"192.168.1.4:*", "memory.example", "localhost:*", "[::1]:*"} <= set(found.allowed_hosts)
    assert "https://memory.example" in found.allowed_origins
    assert found.enable_dns_rebinding_protection
    assert "0.0.0.0:*" not in http.transport_security("0.0.0.0", [], []).allowed_hosts
    assert "[fd00::1]:*" in http.transport_security("fd00::1", [], []).allowed_hosts


def test_the_settings_reach_the_server(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, server=ServerSettings(allowed_hosts=["memory.example"]))
    application = build(settings, Overrides(embedder=None))
    assert application.settings.server.allowed_hosts == ["memory.example"]
    application.close()
