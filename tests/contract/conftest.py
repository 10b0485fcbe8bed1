"""Every back end passes the tests of this folder; nothing in them names one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from mcp_memory_server.bootstrap import embedded_backend, postgres_ledger
from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.hashed import HashedGraphIndex, HashedTextIndex, HashedVectorIndex
from mcp_memory_server.storage.sql.sealing import Sealed
from mcp_memory_server.storage.sqlite.store import SqliteStore
from tests import services
from tests.fakes import MemoryBackend
from tests.fakes.beside import beside


@contextmanager
def _in_memory(_folder: Path) -> Iterator[Backend]:
    yield MemoryBackend()


@contextmanager
def _embedded(folder: Path) -> Iterator[Backend]:
    made = embedded_backend(folder / "data")
    yield made
    made.store.close()


@contextmanager
def _sealed(folder: Path) -> Iterator[Backend]:
    """Rows sealed as on a server, and projections that see keyed hashes, without a server."""
    keys = FolderUserKeys(folder / "data" / "keys", LocalMasterKey(bytes(32)))

    def rest(user: str, _connection: Connection, write: bool) -> Sealed:
        return Sealed(lambda make: keys.of(user) or (keys.make(user) if make else None), write=write)

    ledger, beside = SqliteStore(folder / "data" / "ledger.db", rest), SqliteStore(folder / "data" / "beside.db")
    # An index is asked alone here, of users who have written nothing into the ledger.
    yield Composed(
        ledger,
        HashedTextIndex(beside.text_index, keys.make),
        HashedVectorIndex(beside.vector_index, keys.make),
        HashedGraphIndex(beside.graph_index, keys.make),
    )
    ledger.close()
    beside.close()


@contextmanager
def _postgres(folder: Path) -> Iterator[Backend]:
    """The ledger on a real server; projections beside it, as on servers."""
    keys = FolderUserKeys(folder / "keys", LocalMasterKey(bytes(32)))
    store = postgres_ledger(services.emptied().url, keys)
    yield Composed(store, *beside(MemoryBackend().store))
    store.close()


@contextmanager
def _neo4j(_folder: Path) -> Iterator[Backend]:
    """The graph on a real server, beside a ledger in memory."""
    text, vectors, _ = beside(MemoryBackend().store)
    with services.emptied_graph() as graph:
        yield Composed(MemoryBackend().store, text, vectors, graph)


@contextmanager
def _weaviate(folder: Path) -> Iterator[Backend]:
    """Full text and vectors on a real server; the keys, and so the tenants, are a test's own."""
    keys = FolderUserKeys(folder / "keys", LocalMasterKey(bytes(32)))
    others = MemoryBackend()
    with services.weaviate(keys) as part:
        text, vectors = HashedTextIndex(part.text, keys.make), HashedVectorIndex(part.vectors, keys.make)
        yield Composed(others.store, text, vectors, HashedGraphIndex(beside(others.store)[2], keys.make))


# Later back ends are added here; one whose server is absent skips with the reason.
BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Backend]]] = {
    "in-memory": _in_memory,
    "embedded": _embedded,
    "sealed": _sealed,
    "postgres": _postgres,
    "neo4j": _neo4j,
    "weaviate": _weaviate,
}


_MARKS = dict.fromkeys(("postgres", "neo4j", "weaviate"), pytest.mark.service)
WITH_THE_LEDGER = ("in-memory", "embedded")  # whose indexes share the ledger's transaction; an outbox feeds the others
with_the_ledger = pytest.mark.parametrize("backend", WITH_THE_LEDGER, indirect=True)


@pytest.fixture(params=[pytest.param(name, marks=_MARKS.get(name, ())) for name in BACKENDS])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    with BACKENDS[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def ann() -> Tenancy:
    return Tenancy("ann")


@pytest.fixture
def ben() -> Tenancy:
    """Another user, whose name begins like the first one's in `ann2`."""
    return Tenancy("ben")
