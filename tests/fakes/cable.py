"""A way to a server that a test can cut, stop and open again."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class Cable:
    """Forwards connections on a port of its own. `cut`: refuses and breaks them; `hang`: takes them, and is silent."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.hang = False
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._accept, args=(self._listening,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Stop listening and break every connection."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept
        self._listening.close()
        self._thread.join(5)
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            self._open.clear()

    def mend(self) -> None:
        """Listen on the same port again."""
        self.hang = False
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self._thread = threading.Thread(target=self._accept, args=(self._listening,), daemon=True)
        self._thread.start()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            self._keep(near)
            if not self.hang:
                threading.Thread(target=self._forward, args=(near,), daemon=True).start()

    def _keep(self, one: socket.socket) -> None:
        with self._lock:
            self._open.add(one)

    def _forward(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(self._to)
        except OSError:
            near.close()
            return
        self._keep(far)
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65_536):
                if self.hang:
                    return
                other.sendall(data)
        except OSError:
            return
        finally:
            if not self.hang:
                for end in (one, other):
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def cable(url: str) -> Iterator[Cable]:
    """A way to the server at an address."""
    parts = urlsplit(url)
    made = Cable(str(parts.hostname), int(parts.port or 80))
    try:
        yield made
    finally:
        made.cut()
