"""Guards: what is the ledger's own stays as it is, every call of the rest goes through its breaker."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.ports import GraphIndex, Tenancy, TextIndex, VectorIndex
from mcp_memory_server.storage import breaker as b
from mcp_memory_server.storage.archive.objects import ObjectArchive
from mcp_memory_server.storage.breaker import Breaker, Circuit
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.guarded import Guards
from tests.fakes import MemoryBackend
from tests.fakes.archive import FaultyArchive, MemoryObjects
from tests.fakes.beside import beside

ANN = Tenancy("ann")
PARTS = {
    "text": ("text_index", TextIndex),
    "vectors": ("vector_index", VectorIndex),
    "graph": ("graph_index", GraphIndex),
}


class Away:
    """Counts what it is asked, and answers nothing."""

    transactional = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0

    def __getattr__(self, method: str) -> Any:
        def call(*_given: Any) -> Any:
            self.asked += 1
            raise UnavailableError("away")

        return call


def methods(port: type) -> list[str]:
    return [name for name, found in inspect.getmembers(port, inspect.isfunction) if not name.startswith("_")]


def arguments(port: type, method: str) -> dict[str, Any]:
    """Something for each argument but the unit."""
    given = {
        "tenancy": ANN, "documents": ["x"], "memory_ids": ["m"], "tokens": ["a"], "limit": 1, "model": "x",
        "lang": "en", "vector": np.zeros(2, np.float32), "entities": ["a"], "hops": 1, "memories": ["x"],
        "memory_id": "m", "digest": "d",
    }  # fmt: skip
    names = list(inspect.signature(getattr(port, method)).parameters)[1:]
    return {name: given[name] for name in names if name != "unit"}


def test_what_shares_the_transaction_is_left_as_it_is() -> None:
    backend, guards = MemoryBackend(), Guards()
    assert guards.backend(backend) is backend
    assert guards.views() == {}


@pytest.mark.parametrize(
    ("part", "method"), [(part, name) for part, (_, port) in PARTS.items() for name in methods(port)]
)
def test_every_method_of_an_index_goes_through_its_breaker(part: str, method: str) -> None:
    attribute, port = PARTS[part]
    indexes: dict[str, Any] = dict(zip(("text", "vectors", "graph"), beside(MemoryBackend().store), strict=True))
    away = indexes[part] = Away(part)
    guards = Guards()
    backend = guards.backend(Composed(MemoryBackend().store, indexes["text"], indexes["vectors"], indexes["graph"]))
    call = getattr(getattr(backend, attribute), method)
    for _ in range(b.FAILURES + 5):
        with pytest.raises(UnavailableError):
            call(**arguments(port, method))
    assert away.asked == b.FAILURES, "it is left alone after that"
    open_ones = [name for name, view in guards.views().items() if view.circuit is Circuit.OPEN]
    assert open_ones == [part]
    assert [guards.refuses(name) for name in ("text", "vectors", "graph", "unknown")] == [
        part == "text", part == "vectors", part == "graph", False,
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["upsert", "delete", "search"])
def test_a_call_with_nothing_in_it_says_nothing_of_the_server(method: str) -> None:
    away: Any = Away("text")
    guards = Guards()
    _, vectors, graph = beside(MemoryBackend().store)
    index: Any = guards.backend(Composed(MemoryBackend().store, away, vectors, graph)).text_index
    for _ in range(b.FAILURES):
        with pytest.raises(UnavailableError):
            index.digests(ANN)
        assert not getattr(index, method)(ANN, [], *([1] if method == "search" else []))
    assert guards.views()["text"].circuit is Circuit.OPEN
    assert away.asked == b.FAILURES


@pytest.mark.parametrize("method", methods(Archive))
def test_every_method_of_the_archive_goes_through_its_breaker(method: str) -> None:
    away: Any = Away("archive")
    guarded = Guards().archive(away)
    for _ in range(b.FAILURES + 5):
        with pytest.raises(UnavailableError):
            getattr(guarded, method)(**arguments(Archive, method))
    assert away.asked == b.FAILURES


def test_probing_closes_what_is_back_and_asks_nothing_of_the_rest() -> None:
    time = [0.0]
    archive = FaultyArchive(ObjectArchive(MemoryObjects()))
    asked: list[str] = []
    archive.before = asked.append
    guards = Guards(lambda name: Breaker(name, lambda: time[0], lambda: 0.5))
    guarded = guards.archive(archive)
    archive.away = {"digests"}
    for _ in range(b.FAILURES):
        with pytest.raises(UnavailableError):
            guarded.digests(ANN)
    guards.probe()
    assert len(asked) == b.FAILURES, "it is too early to try"
    time[0] += b.FIRST_PAUSE_SECONDS
    guards.probe()
    assert guards.views()["archive"].circuit is Circuit.OPEN
    archive.away = set()
    time[0] += 2 * b.FIRST_PAUSE_SECONDS
    guards.probe()
    assert guards.views()["archive"].circuit is Circuit.CLOSED
    before = len(asked)
    guards.probe()
    assert len(asked) == before, "what is closed needs no probe"
