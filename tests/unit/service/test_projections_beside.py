"""The use cases over projections that have no part in the ledger's transaction: late, dead, and back again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service.erase import finish
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.projector import Projector
from mcp_memory_server.storage.verify import rebuild, verify
from tests.fakes import HashEmbedder, MemoryBackend
from tests.fakes.beside import beside
from tests.unit.service.conftest import Desk

ANN = Tenancy("ann")
SAID = "My sister Anna works at Acme."


class Beside(Desk):
    """A desk whose text index, vectors and graph are elsewhere."""

    def __init__(self) -> None:
        self.elsewhere = MemoryBackend()
        self.composed = Composed(MemoryBackend().store, *beside(self.elsewhere.store))
        self.embedder = HashEmbedder()
        super().__init__(backend=self.composed, embedder=self.embedder)
        self.projector = Projector(self.composed, self.embedder, self.clock)

    def waiting(self) -> dict[str, int]:
        with self.composed.store.system() as system:
            return system.backlog()

    def drift(self) -> list[Any]:
        return [row for row in verify(self.composed, self.embedder) if not row.clean or row.waiting]


@pytest.fixture
def desk() -> Beside:
    return Beside()


def dead(monkeypatch: pytest.MonkeyPatch, desk: Beside) -> None:
    """The text index does not answer to writes."""

    def fail(*_args: object, **_more: object) -> None:
        raise UnavailableError("away")

    for name in ("upsert", "delete"):
        monkeypatch.setattr(type(desk.composed.text_index), name, fail)


def statements(answer: dict[str, Any]) -> Sequence[str]:
    return [one["statement"] for one in answer["memories"]]


def test_what_waits_is_recalled_and_comes_into_every_projection(desk: Beside) -> None:
    desk.say(SAID)
    assert set(desk.waiting()) == {"text", "vectors", "graph"}
    assert any("Anna" in one for one in statements(desk.recall("Where does Anna work?")))
    assert desk.projector.drain() > 0
    assert desk.waiting() == {}
    assert desk.drift() == []
    assert any("Anna" in one for one in statements(desk.recall("Where does Anna work?")))


def test_what_waits_is_told_as_late_and_not_as_lost(desk: Beside) -> None:
    desk.say(SAID)
    rows = verify(desk.composed, desk.embedder)
    assert all(row.clean for row in rows)
    assert {row.projection for row in rows if row.waiting} == {"text", "vectors", "graph"}


def test_a_dead_projection_delays_nothing_and_catches_up(desk: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    dead(monkeypatch, desk)
    desk.say(SAID)
    desk.projector.drain()
    assert set(desk.waiting()) == {"text"}
    assert any("Anna" in one for one in statements(desk.recall("Where does Anna work?")))
    monkeypatch.undo()
    assert desk.projector.drain() == 0, "it is tried again after a while, not at once"
    desk.clock.advance(timedelta(seconds=10))
    assert desk.projector.drain() > 0
    assert desk.drift() == []


def test_forgetting_clears_every_projection_before_it_answers(desk: Beside) -> None:
    said = desk.say(SAID)
    desk.projector.drain()
    assert desk.forget(said["utterance"])["receipt"]["state"] == "done"
    assert desk.elsewhere.text_index.digests(ANN) == {}
    assert desk.elsewhere.graph_index.digests(ANN) == {}
    assert desk.elsewhere.vector_index.models(ANN) == {}
    desk.projector.drain()
    assert desk.drift() == []


def test_forgetting_with_a_dead_projection_is_pending_and_finished_later(
    desk: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = desk.say(SAID)
    desk.projector.drain()
    dead(monkeypatch, desk)
    receipt = desk.forget(said["utterance"])["receipt"]
    assert receipt["state"] == "pending"
    assert [place.partition(":")[0] for place in receipt["pending"]] == ["text"]
    assert statements(desk.recall("Where does Anna work?")) == [], "the ledger has forgotten it"
    monkeypatch.undo()
    with desk.composed.store.system() as system:
        (waiting,) = system.erasures(finished=False)
    assert finish(desk.context, waiting).pending == ()
    assert desk.elsewhere.text_index.digests(ANN) == {}


def test_a_lost_projection_is_rebuilt_from_the_ledger(desk: Beside) -> None:
    desk.say(SAID)
    desk.projector.drain()
    desk.elsewhere.store.state.users.clear()
    assert {row.projection for row in desk.drift()} == {"text", "vectors", "graph"}
    rebuild(desk.composed, desk.embedder, ("text", "vectors", "graph"))
    desk.projector.drain()
    assert desk.drift() == []


def test_a_key_that_cannot_be_destroyed_is_named_in_the_receipt(desk: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object) -> bool:
        raise UnavailableError("the folder is read-only")

    said = desk.say(SAID)
    monkeypatch.setattr(type(desk.composed.store), "shred", fail)
    receipt = desk.forget(said["utterance"])["receipt"]
    assert [place.partition(":")[0] for place in receipt["pending"]] == ["key"]
    monkeypatch.setattr(type(desk.composed.store), "shred", lambda *_: True)
    with desk.composed.store.system() as system:
        (waiting,) = system.erasures(finished=False)
    done = finish(desk.context, waiting)
    assert done.pending == ()
    assert "key" in done.places
