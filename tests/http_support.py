"""The HTTP API of an application in process, behind a real server and a real client."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx2
import uvicorn
from mcp.types import CallToolResult, TextContent

from mcp_memory_server.web.http import build_http
from tests.harness import House, OpenRuntime

_START_SECONDS = 30
PATHS = {
    "remember": ("POST", "/api/memories"),
    "recall": ("POST", "/api/recall"),
    "list_memories": ("GET", "/api/memories"),
    "forget": ("POST", "/api/memory/forget"),
    "get_profile": ("GET", "/api/profile"),
    "give_feedback": ("POST", "/api/feedback"),
}


@contextmanager
def serving(house: House, user: str = "ann", **options: Any) -> Iterator[str]:
    """The address of a server on loopback that answers for `user`; gone at the end."""
    settings = house.settings.model_copy(update={"user": user})
    app: Any = build_http(OpenRuntime(settings, house.app))
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        log_config=None,
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=2,
        **options,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="http-api")
    thread.start()
    end = time.monotonic() + _START_SECONDS
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < end, "the server does not start"
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_START_SECONDS)


@contextmanager
def calling(base: str, token: str | None = None) -> Iterator[httpx2.Client]:
    """An HTTP client, with an access token if there is one."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with httpx2.Client(base_url=base, headers=headers, trust_env=False, timeout=60) as client:
        yield client


def request_of(tool: str, given: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Method, path and arguments of a tool over HTTP."""
    given = dict(given)
    if tool == "correct_memory":
        for name, folder in (("memory_id", "memories"), ("question_id", "questions")):
            if isinstance(given.get(name), str) and given[name]:
                return "PATCH", f"/api/{folder}/{quote(given.pop(name), safe='')}", given
        return "PATCH", "/api/memories/m_none", given
    return (*PATHS[tool], given)


class HttpTools:
    """Calls tools by their paths, and answers as the SDK's client does."""

    def __init__(self, client: httpx2.Client) -> None:
        self.http = client

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """What the path of a tool answers, as a result of the tool."""
        method, path, given = request_of(name, arguments)
        if method == "GET":
            query = {key: value for key, value in given.items() if value is not None}
            response = self.http.request(method, path, params=query)
        else:
            response = self.http.request(method, path, json=given)
        answer = response.json()
        if response.status_code == 200:
            return CallToolResult(content=[TextContent(type="text", text=response.text)], structured_content=answer)
        return CallToolResult(content=[TextContent(type="text", text=said(answer["error"]))], is_error=True)


def said(error: dict[str, str]) -> str:
    """An error as a tool says it."""
    text = f"{error['code']}: {error['message'].rstrip('.')}."
    return f"{text} {error['next'].rstrip('.')}." if error["next"] else text
