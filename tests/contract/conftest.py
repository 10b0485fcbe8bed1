"""Every back end passes the tests of this folder; nothing in them names one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from mcp_memory_server.bootstrap import embedded_backend, postgres_ledger
from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.storage.composed import Composed
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
def _postgres(folder: Path) -> Iterator[Backend]:
    """The ledger on a real server; projections beside it, as on servers."""
    keys = FolderUserKeys(folder / "keys", LocalMasterKey(bytes(32)))
    store = postgres_ledger(services.emptied().url, keys)
    yield Composed(store, *beside(MemoryBackend().store))
    store.close()


# Later back ends are added here; one whose server is absent skips with the reason.
BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Backend]]] = {
    "in-memory": _in_memory,
    "embedded": _embedded,
    "postgres": _postgres,
}


_MARKS = {"postgres": pytest.mark.service}


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
