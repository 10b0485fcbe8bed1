"""Every back end passes the tests of this folder; nothing in them names one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcp_memory_server.bootstrap import embedded_backend
from mcp_memory_server.memory.ports import Backend, Tenancy
from tests.fakes import MemoryBackend

# Later back ends are added here; one whose server is absent skips with the reason.
BACKENDS: dict[str, Callable[[Path], Backend]] = {
    "in-memory": lambda _folder: MemoryBackend(),
    "embedded": lambda folder: embedded_backend(folder / "data"),
}


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    made = BACKENDS[request.param](tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def ann() -> Tenancy:
    return Tenancy("ann")


@pytest.fixture
def ben() -> Tenancy:
    """Another user, whose name begins like the first one's in `ann2`."""
    return Tenancy("ben")
