"""A real HTTP server on loopback, for adapters that call one."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar


class LocalServer:
    """Hands every POST to `posted` and every GET to `got`, each on a thread of its own, until it is closed."""

    path: ClassVar[str] = ""  # what its address ends in

    def __init__(self) -> None:
        self.release = threading.Event()  # set at the end, so that no handler waits longer than its test
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.posted(self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                outer.got(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def posted(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer a POST."""
        send(handler, 405, b"")

    def got(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer a GET."""
        send(handler, 405, b"")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}{self.path}"

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Answer with a status, a body and headers (`_` for `-`)."""
    handler.send_response(status)
    for name, value in ({"Content-Length": str(len(body))} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)
