"""A real web server for webhooks, and real commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.delivery.message import Message
from tests.fakes.local_server import LocalServer, send

Answer = Callable[[], tuple[int, dict[str, str], bytes]]


class Receiver(LocalServer):
    """A web server that keeps what was posted to it and answers what the test says."""

    path = "/fired"

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.answer: Answer = lambda: (200, {}, b"")
        super().__init__()

    def posted(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.posts.append({"path": handler.path, "headers": headers, "raw": body, "body": json.loads(body)})
        status, more, data = self.answer()
        send(handler, status, data, **more)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], list[str]]:
    """A command line that runs a few lines of Python."""

    def made(source: str) -> list[str]:
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        return [sys.executable, str(path)]

    return made


@pytest.fixture
def message() -> Message:
    return Message("f_1", "thrice", b'{"id":"f_1"}')
