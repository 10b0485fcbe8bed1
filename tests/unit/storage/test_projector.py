"""The projector: what is away loses nothing, what is to blame is set aside, and nobody waits for another's fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from mcp_memory_server.clock import FixedClock
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import OUTBOX_ATTEMPTS, OUTBOX_BATCH
from mcp_memory_server.memory.ports import Tenancy, TextDocument, Unit
from mcp_memory_server.storage.breaker import FAILURES, Circuit
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.guarded import Guards
from mcp_memory_server.storage.projector import Projector
from mcp_memory_server.storage.verify import rebuild, verify
from tests.fakes import HashEmbedder, MemoryBackend, noon
from tests.fakes.beside import TextBeside, beside
from tests.support import memory

ANN, BEN = Tenancy("ann"), Tenancy("ben")
PROJECTIONS = ("text", "vectors", "graph")


class Text(TextBeside):
    """A text index that refuses certain memories, or everything, or every write."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.poison: dict[str, Exception] = {}
        self.away = self.full = False
        self.writes = 0

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        self.writes += 1
        self._check()
        if self.full:
            raise UnavailableError("no space left")
        for document in documents:
            if document.memory_id in self.poison:
                raise self.poison[document.memory_id]
        super().upsert(tenancy, documents)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Any:
        self._check()
        return super().digests(tenancy)

    def _check(self) -> None:
        if self.away:
            raise UnavailableError("away")


class Bench:
    """Memories in a ledger, a projector, and projections elsewhere."""

    def __init__(self, *, guarded: bool = False) -> None:
        self.elsewhere = MemoryBackend()
        _, vectors, graph = beside(self.elsewhere.store)
        self.text = Text(self.elsewhere.store)
        self.backend: Any = Composed(MemoryBackend().store, self.text, vectors, graph)
        self.guards = Guards()
        if guarded:
            self.backend = self.guards.backend(self.backend)
        self.embedder = HashEmbedder()
        self.clock: FixedClock = noon()
        self.projector = Projector(
            self.backend, self.embedder, self.clock, refuses=self.guards.refuses, jitter=lambda: 0.5
        )

    def add(self, tenancy: Tenancy, *names: str) -> None:
        with self.backend.store.write(tenancy) as unit:
            for name in names:
                unit.add(memory(name, user=tenancy.user))
            unit.defer(names, "text")

    def held(self, tenancy: Tenancy = ANN) -> set[str]:
        return set(TextBeside.digests(self.text, tenancy))

    def aside(self) -> list[tuple[str, str]]:
        with self.backend.store.system() as system:
            return [(row.memory_id, row.error) for row in system.set_aside()]

    def rows(self) -> dict[str, int]:
        """Attempts of what waits."""
        with self.backend.store.system() as system:
            return {row.memory_id: row.attempts for row in system.due("text", noon().now() + timedelta(days=9999), 999)}

    def days(self, done: Callable[[], bool], rounds: int = 200) -> None:
        for _ in range(rounds):
            self.clock.advance(timedelta(minutes=10))
            self.projector.drain()
            if done():
                return
        pytest.fail("it never came to that")


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("fault", [UnavailableError("refused"), ValueError("a fault of ours")])
def test_a_row_to_blame_is_set_aside_and_the_others_are_done_at_once(bench: Bench, fault: Exception) -> None:
    names = [f"m_{number:02}" for number in range(20)]
    bench.text.poison = {"m_07": fault}
    bench.add(ANN, *names)
    bench.add(BEN, "b_1")
    bench.projector.drain()
    assert bench.held() == set(names) - {"m_07"}
    assert bench.held(BEN) == {"b_1"}
    assert bench.rows() == {"m_07": 1}
    count = [0]

    def tried() -> bool:
        count[0] += 1
        bench.add(ANN, f"n_{count[0]}")  # others succeed meanwhile
        return bool(bench.aside())

    bench.days(tried)
    code = "unavailable" if isinstance(fault, UnavailableError) else "internal"
    assert bench.aside() == [("m_07", code)]
    assert count[0] <= 20
    writes = bench.text.writes
    bench.clock.advance(timedelta(days=30))
    bench.projector.drain()
    assert bench.text.writes <= writes + 1, "what is set aside is not tried again by itself"


def test_what_is_set_aside_is_told_as_missing_and_comes_back_by_rebuild(bench: Bench) -> None:
    bench.text.poison = {"m_1": UnavailableError("refused")}
    bench.add(ANN, "m_1", "m_2")
    bench.projector.drain()
    with bench.backend.store.system(write=True) as system:
        (row,) = system.due("text", noon().now() + timedelta(days=1), 9)
        for _ in range(OUTBOX_ATTEMPTS - 2):
            system.retry(row.seq, noon().now(), "unavailable")
    bench.add(ANN, "m_3")
    bench.projector.drain()
    assert bench.aside() == [("m_1", "unavailable")]
    (drift,) = [one for one in verify(bench.backend, None) if one.projection == "text"]
    assert (drift.missing, drift.waiting) == (("m_1",), 0)
    bench.text.poison = {}
    rebuild(bench.backend, None, ("text",))
    bench.projector.drain()
    assert bench.held() == {"m_1", "m_2", "m_3"}
    assert bench.aside() == []
    assert all(one.clean for one in verify(bench.backend, None))


def test_a_projection_that_is_away_costs_no_row_an_attempt_and_drains_when_it_is_back(bench: Bench) -> None:
    names = [f"m_{number:03}" for number in range(3 * OUTBOX_BATCH)]
    bench.add(ANN, *names)
    bench.add(BEN, "b_1")
    bench.text.away = True
    for _ in range(50):
        bench.projector.drain()
        bench.clock.advance(timedelta(minutes=5))
    assert set(bench.rows().values()) == {0}
    assert bench.aside() == []
    bench.text.away = False
    bench.projector.drain()
    assert bench.held() == set(names)
    assert bench.held(BEN) == {"b_1"}


def test_back_off_grows_to_a_bound_and_is_spread(bench: Bench) -> None:
    bench.add(ANN, "m_1")
    bench.text.away = True
    moments = []
    for _ in range(4_000):
        before = bench.text.writes
        bench.projector.drain()
        if bench.text.writes > before:
            moments.append(bench.clock.now())
        bench.clock.advance(timedelta(seconds=0.5))
    gaps = [(later - sooner).total_seconds() for sooner, later in pairwise(moments)]
    assert gaps[:6] == [5, 10, 20, 40, 60, 60]
    assert set(gaps[4:]) == {60}
    spread = Bench()
    spread.projector = Projector(spread.backend, None, spread.clock, jitter=lambda: 1.0)
    spread.add(ANN, "m_1")
    spread.text.away = True
    spread.projector.drain()
    spread.clock.advance(timedelta(seconds=6))
    before = spread.text.writes
    spread.projector.drain()
    assert spread.text.writes == before, "five seconds and a quarter of it have not passed"


def test_a_full_disk_blames_no_row(bench: Bench) -> None:
    names = [f"m_{number:02}" for number in range(40)]
    bench.add(ANN, *names)
    bench.text.full = True
    for _ in range(3 * OUTBOX_ATTEMPTS):
        bench.projector.drain()
        bench.clock.advance(timedelta(minutes=2))
    assert set(bench.rows().values()) == {0}
    bench.text.full = False
    bench.projector.drain()
    assert bench.held() == set(names)


def test_a_batch_full_of_poison_delays_another_user_for_one_round(bench: Bench) -> None:
    names = [f"m_{number:02}" for number in range(OUTBOX_BATCH)]
    bench.text.poison = dict.fromkeys(names, UnavailableError("refused"))
    bench.add(ANN, *names)
    bench.add(BEN, "b_1")
    bench.projector.drain()
    bench.projector.drain()
    assert bench.held(BEN) == {"b_1"}


def test_a_ledger_that_does_not_give_one_users_rows_delays_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.add(ANN, "m_1")
    bench.add(BEN, "b_1")
    read = bench.backend.store.read

    def closed(tenancy: Tenancy) -> Any:
        if tenancy == ANN:
            raise UnavailableError("a sealed value does not open")
        return read(tenancy)

    monkeypatch.setattr(bench.backend.store, "read", closed)
    bench.projector.drain()
    assert bench.held(BEN) == {"b_1"}
    assert bench.rows() == {"m_1": 0}
    monkeypatch.undo()
    bench.clock.advance(timedelta(seconds=10))
    bench.projector.drain()
    assert bench.held() == {"m_1"}


def test_while_a_circuit_is_open_no_row_is_taken() -> None:
    bench = Bench(guarded=True)
    bench.add(ANN, "m_1")
    bench.text.away = True
    for _ in range(FAILURES):
        bench.projector.drain()
        bench.clock.advance(timedelta(minutes=5))
    assert bench.guards.views()["text"].circuit is Circuit.OPEN
    writes = bench.text.writes
    for _ in range(20):
        bench.projector.drain()
        bench.clock.advance(timedelta(minutes=5))
    assert bench.text.writes == writes
    assert bench.rows() == {"m_1": 0}


def test_a_model_that_chokes_on_one_text_embeds_the_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded = bench.embedder.documents

    def choke(texts: Sequence[str], langs: Sequence[str]) -> Any:
        if any("m_1" in text for text in texts):
            raise RuntimeError("cannot")
        return embedded(texts, langs)

    monkeypatch.setattr(bench.embedder, "documents", choke)
    with bench.backend.store.write(ANN) as unit:
        for name in ("m_0", "m_1", "m_2"):
            unit.add(memory(name))
        unit.defer(["m_0", "m_1", "m_2"], "vectors")
    bench.projector.drain()
    assert set(bench.backend.vector_index.digests(ANN, bench.embedder.model)) == {"m_0", "m_2"}


def test_a_projection_that_does_not_answer_is_named_by_verify_and_the_others_are_compared(bench: Bench) -> None:
    bench.add(ANN, "m_1")
    bench.projector.drain()
    bench.text.away = True
    found = {row.projection: row for row in verify(bench.backend, bench.embedder)}
    assert (found["text"].fault, found["text"].clean) == ("unavailable", False)
    assert found["vectors"].missing == ("m_1",)
