"""Recall while projections are away: it says which, finds what is committed, and waits for nobody twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service.forget import ForgetRequest
from mcp_memory_server.storage import breaker as b
from mcp_memory_server.storage.breaker import Breaker, Circuit
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.guarded import Guards
from mcp_memory_server.storage.projector import Projector
from tests.fakes import HashEmbedder, MemoryBackend
from tests.fakes.beside import beside
from tests.unit.service.conftest import Desk

PARTS = ("text", "vectors", "graph")
GROUPS = [group for size in (1, 2, 3) for group in combinations(PARTS, size)]
TIME_OUT = 5.0  # seconds that the client of a hanging back end waits


class Switch:
    """An index that can be away, at once or after a time-out."""

    transactional = False

    def __init__(self, index: Any, bench: Elsewhere) -> None:
        self._index, self._bench, self.name = index, bench, index.name

    def __getattr__(self, method: str) -> Any:
        def call(*given: Any) -> Any:
            self._bench.asked.append(self.name)
            if self.name in self._bench.away:
                self._bench.time += self._bench.delay
                raise UnavailableError("away")
            return getattr(self._index, method)(*given)

        return call


class Elsewhere(Desk):
    """A desk whose projections are elsewhere and guarded; `time` is what their answers take, in seconds."""

    def __init__(self) -> None:
        self.away: set[str] = set()
        self.asked: list[str] = []
        self.time = self.delay = 0.0
        text, vectors, graph = (Switch(index, self) for index in beside(MemoryBackend().store))
        self.guards = Guards(lambda name: Breaker(name, lambda: self.time, lambda: 0.5))
        composed: Any = Composed(MemoryBackend().store, text, vectors, graph)  # type: ignore[arg-type]
        composed = self.guards.backend(composed)
        embedder = HashEmbedder()
        super().__init__(backend=composed, embedder=embedder)
        self.projector = Projector(composed, embedder, self.clock, refuses=self.guards.refuses)


@pytest.fixture
def desk() -> Elsewhere:
    return Elsewhere()


def statements(answer: dict[str, Any]) -> str:
    return " ".join(one["statement"] for one in answer["memories"])


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_what_is_away_is_named_and_what_is_committed_is_found(desk: Elsewhere, group: tuple[str, ...]) -> None:
    desk.away = set(group)
    desk.say("My sister Anna works at Acme.")
    desk.projector.drain()
    answer = desk.recall("Where does Anna work?")
    assert "Acme" in statements(answer)
    assert answer["degraded"] == sorted(group, key=("text", "vectors", "graph").index)
    desk.say("我弟弟在腾讯上班。")
    assert "腾讯" in statements(desk.recall("弟弟在哪里上班？"))


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_it_is_whole_again_when_they_are_back(desk: Elsewhere, group: tuple[str, ...]) -> None:
    desk.away = set(group)
    desk.say("My sister Anna works at Acme.")
    for _ in range(b.FAILURES):
        desk.recall("Where does Anna work?")
    desk.away = set()
    desk.time += b.LONGEST_PAUSE_SECONDS * 2
    desk.guards.probe()
    assert {view.circuit for view in desk.guards.views().values()} == {Circuit.CLOSED}
    desk.projector.drain()
    answer = desk.recall("Where does Anna work?")
    assert ("Acme" in statements(answer), answer["degraded"]) == (True, [])
    with desk.context.backend.store.system() as system:
        assert system.backlog() == {}
    assert desk.context.backend.text_index.digests(Tenancy("ann"))


@pytest.mark.parametrize("part", PARTS)
def test_a_back_end_that_hangs_costs_one_time_out_and_then_nothing(desk: Elsewhere, part: str) -> None:
    desk.say("My sister Anna works at Acme.")
    desk.projector.drain()
    desk.away, desk.delay = {part}, TIME_OUT
    desk.recall("Where does Anna work?")
    assert desk.time == TIME_OUT
    for number in range(20):
        desk.recall("Where does Anna work?")
        desk.say(f"I own {number + 2} bicycles.")
        desk.time += 1
    assert desk.time == TIME_OUT + 20, "no recall and no write has waited for it"


class Endpoint(HashEmbedder):
    """A model behind an endpoint that may hang."""

    def __init__(self, desk: Elsewhere) -> None:
        super().__init__()
        self.desk = desk

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Any:
        self._answer()
        return super().documents(texts, langs)

    def query(self, text: str, lang: str, document_lang: str) -> Any:
        self._answer()
        return super().query(text, lang, document_lang)

    def _answer(self) -> None:
        if "model" in self.desk.away:
            self.desk.time += TIME_OUT
            raise UnavailableError("no answer in time")


@pytest.mark.parametrize("inside", [True, False], ids=["vectors in the store", "vectors elsewhere"])
def test_an_embedding_endpoint_that_hangs_costs_one_time_out_and_then_nothing(desk: Elsewhere, inside: bool) -> None:
    model = desk.guards.embedder(Endpoint(desk))
    desk.context.embedder = model
    if inside:
        desk.context.backend = MemoryBackend()
    projector = Projector(desk.context.backend, model, desk.clock, refuses=desk.guards.refuses)
    desk.say("My sister Anna works at Acme.")
    projector.drain()
    assert desk.recall("Where does Anna work?")["degraded"] == []
    desk.away = {"model"}
    asks = (
        lambda: desk.recall("Where does Anna work?"),
        lambda: desk.say("I own two bicycles."),
        lambda: desk.correct(verdict="replace", memory_id=desk.list()[0]["id"], statement="I own a bicycle."),
        lambda: desk.service.plan_forget(desk.me, ForgetRequest(query="bicycle")),
        lambda: projector.drain(),
    )
    for ask in asks:
        ask()
    assert desk.time == TIME_OUT
    assert desk.recall("Where does Anna work?")["degraded"] == ["vectors"]
    assert not model.ready()
    desk.away = set()
    desk.time += b.LONGEST_PAUSE_SECONDS
    desk.guards.probe()
    assert model.ready()
    desk.clock.advance(timedelta(minutes=2))
    projector.drain()
    assert desk.recall("Where does Anna work?")["degraded"] == []
    with desk.context.backend.store.system() as system:
        assert system.backlog() == {}


def test_many_waiting_memories_are_looked_through(desk: Elsewhere) -> None:
    desk.away = {"text", "vectors"}
    desk.say("The code of the shed is in the blue teapot.")
    for number in range(60):
        desk.say(f"On day {number} I saw a heron.", session=f"s{number}")
    assert "teapot" in statements(desk.recall("Where is the code of the shed?"))
