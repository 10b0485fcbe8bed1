"""A back end with faults: what it wraps does the work, unless a fault was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import Backend, Tenancy


class Faults:
    """Which calls fail next."""

    def __init__(self) -> None:
        self.next_write: set[str] = set()  # names of indexes
        self.statements: set[str] = set()  # of memories that the ledger does not take

    def check(self, name: str) -> None:
        """Fail once if this index was to fail."""
        if name in self.next_write:
            self.next_write.discard(name)
            raise UnavailableError(f"a fault of {name} that a test asked for")


class _FaultyIndex:
    def __init__(self, index: Any, faults: Faults) -> None:
        self._index = index
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def upsert(self, *args: Any, **kwargs: Any) -> None:
        self._faults.check(self._index.name)
        self._index.upsert(*args, **kwargs)


class _FaultyStore:
    def __init__(self, store: Any, faults: Faults) -> None:
        self._store = store
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def write(self, tenancy: Tenancy) -> Iterator[Any]:
        with self._store.write(tenancy) as unit:
            real = unit.add

            def add(memory: Memory) -> None:
                if memory.statement in self._faults.statements and memory.kind == "fact":
                    raise UnavailableError("a fault of the ledger that a test asked for")
                real(memory)

            unit.add = add
            yield unit


class FaultyBackend:
    """For `Overrides.backend`: `FaultyBackend(faults)` wraps the back end that it is called with."""

    def __init__(self, backend: Backend, faults: Faults) -> None:
        self.store = _FaultyStore(backend.store, faults)
        self.text_index = _FaultyIndex(backend.text_index, faults)
        self.vector_index = _FaultyIndex(backend.vector_index, faults)
        self.graph_index = _FaultyIndex(backend.graph_index, faults)
