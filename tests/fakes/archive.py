"""An archive in memory, and one whose calls fail as a test asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.archive_ports import Archive


class MemoryObjects:
    """Objects in a dictionary."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def put(self, key: str, body: bytes) -> None:
        self.held[key] = body

    def get(self, key: str) -> bytes | None:
        return self.held.get(key)

    def keys(self, prefix: str) -> list[str]:
        return sorted(one for one in self.held if one.startswith(prefix))

    def remove(self, prefix: str, but: str = "") -> None:
        for one in self.keys(prefix):
            if one != but:
                del self.held[one]


class FaultyArchive:
    """Does what the archive inside does, but for the methods named in `away`; `before` is called before each."""

    def __init__(self, archive: Archive) -> None:
        self.inside = archive
        self.name = archive.name
        self.away: set[str] = set()
        self.before: Callable[[str], None] = lambda _method: None

    def __getattr__(self, method: str) -> Any:
        def call(*given: Any) -> Any:
            self.before(method)
            if method in self.away:
                raise UnavailableError("away, as a test asked for")
            return getattr(self.inside, method)(*given)

        return call
