"""A real web server for webhooks, and real commands."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.delivery.message import Message

Answer = Callable[[], tuple[int, dict[str, str], bytes]]


class Receiver:
    """A web server that keeps what was posted to it and answers what the test says."""

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.answer: Answer = lambda: (200, {}, b"")
        self.release = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.posts.append({"path": self.path, "headers": headers, "raw": body, "body": json.loads(body)})
                status, more, data = outer.answer()
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                if "Content-Length" not in more:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/fired"

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


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
