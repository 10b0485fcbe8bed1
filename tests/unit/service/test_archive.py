"""The archive beside the ledger: a copy of exactly what is archived, through crashes, damage and forgetting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.archiving import fingerprint
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service.erase import finish
from mcp_memory_server.storage.archive.objects import ObjectArchive
from mcp_memory_server.storage.projector import Projector
from mcp_memory_server.storage.verify import rebuild, verify
from tests.fakes.archive import FaultyArchive, MemoryObjects
from tests.support import memory
from tests.unit.service.conftest import Desk

ANN = Tenancy("ann")
SAID = "I like oolong tea. My sister Anna works at Acme."


class Shelf(Desk):
    """A desk with an archive, and the projector that feeds it."""

    def __init__(self) -> None:
        self.objects = MemoryObjects()
        self.archive = FaultyArchive(ObjectArchive(self.objects))
        super().__init__(archive=self.archive)
        self.projector = Projector(self.backend, self.context.embedder, self.clock, self.archive, jitter=lambda: 0.5)

    def fade(self, days: int = 900) -> list[str]:
        """Let time pass, and do what it has made due; answers what is archived."""
        self.clock.advance(timedelta(days=days))
        self.service.keep_up(ANN)
        return self.service.archived(self.me)

    def kept(self) -> dict[str, str]:
        return dict(self.archive.inside.digests(ANN))

    def wanted(self) -> dict[str, str]:
        with self.backend.store.read(ANN) as unit:
            found = unit.get(self.service.archived(self.me))
        return {one: fingerprint(memory) for one, memory in found.items()}

    def drift(self) -> list[Any]:
        rows = verify(self.backend, self.context.embedder, archive=self.archive)
        return [row for row in rows if not row.clean or row.waiting]

    def words(self) -> bytes:
        return b"\n".join(self.objects.held.values())


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_what_is_archived_is_copied_and_what_returns_is_not_kept(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.projector.drain()
    assert shelf.kept() == {}
    gone = shelf.fade()
    assert gone
    shelf.projector.drain()
    assert shelf.kept() == shelf.wanted()
    assert shelf.drift() == []
    back = shelf.service.restore(shelf.me, gone[:1])["restored"]
    assert back == gone[:1]
    shelf.projector.drain()
    assert set(shelf.kept()) == set(gone) - set(back)
    assert shelf.drift() == []


def test_a_restated_memory_leaves_the_archive(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.fade()
    shelf.projector.drain()
    before = set(shelf.kept())
    shelf.say("I like oolong tea.")
    shelf.projector.drain()
    assert set(shelf.kept()) < before
    assert shelf.drift() == []


def test_an_archive_that_is_away_delays_nothing_and_catches_up(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.archive.away = {"put", "delete", "digests", "get", "purge"}
    assert shelf.fade()
    shelf.projector.drain()
    assert shelf.kept() == {}
    assert shelf.recall("oolong tea", include="history")["memories"], "the ledger still has it"
    shelf.archive.away = set()
    shelf.clock.advance(timedelta(minutes=2))
    shelf.projector.drain()
    assert shelf.kept() == shelf.wanted()


def test_a_full_archive_loses_nothing(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.archive.away = {"put"}
    gone = shelf.fade()
    for _ in range(20):
        shelf.projector.drain()
        shelf.clock.advance(timedelta(minutes=2))
    assert shelf.service.restore(shelf.me, gone[:1])["restored"] == gone[:1]
    shelf.archive.away = set()
    shelf.projector.drain()
    assert shelf.kept() == shelf.wanted()
    assert shelf.drift() == []


def damage(shelf: Shelf, memory_id: str, words: str) -> None:
    """Change what the ledger holds without anybody noticing."""
    mine = shelf.backend.store.state.users["ann"]
    from dataclasses import replace

    mine.memories[memory_id] = replace(mine.memories[memory_id], statement=words)


def test_what_the_ledger_has_lost_comes_back_from_the_copy(shelf: Shelf) -> None:
    shelf.say(SAID)
    gone = shelf.fade()
    shelf.projector.drain()
    one = next(one for one, memory in _memories(shelf, gone).items() if "oolong" in memory.statement)
    whole = _memories(shelf, [one])[one].statement
    damage(shelf, one, "I like xxxxxx xxx.")
    assert [(row.projection, row.stale) for row in shelf.drift()] == [("archive", (one,))]
    assert shelf.service.restore(shelf.me, [one])["restored"] == [one]
    assert _memories(shelf, [one])[one].statement == whole
    shelf.projector.drain()
    assert shelf.drift() == []


@pytest.mark.parametrize("lost", ["damaged", "missing"])
def test_where_both_are_damaged_nothing_is_changed_and_it_says_so(shelf: Shelf, lost: str) -> None:
    shelf.say(SAID)
    one = shelf.fade()[0]
    shelf.projector.drain()
    damage(shelf, one, "something else")
    (key,) = [key for key in shelf.objects.held if f"/{one}/" in key]
    if lost == "damaged":
        shelf.objects.held[key] = shelf.objects.held[key].replace(b"m", b"n")
    else:
        del shelf.objects.held[key]
    (kept,) = shelf.service.restore(shelf.me, [one])["kept"]
    assert kept["reason"].startswith("damaged")
    assert one in shelf.service.archived(shelf.me)


def test_where_the_copy_cannot_be_reached_now_it_stays_for_later(shelf: Shelf) -> None:
    shelf.say(SAID)
    one = shelf.fade()[0]
    shelf.projector.drain()
    damage(shelf, one, "something else")
    shelf.archive.away = {"get"}
    with pytest.raises(UnavailableError):
        shelf.service.restore(shelf.me, [one])
    shelf.archive.away = set()
    assert shelf.service.restore(shelf.me, [one])["restored"] == [one]


def _memories(shelf: Shelf, ids: list[str]) -> dict[str, Any]:
    with shelf.backend.store.read(ANN) as unit:
        return dict(unit.get(ids))


def test_forgetting_reaches_copies_and_the_words_in_other_copies(shelf: Shelf) -> None:
    shelf.say(SAID)
    gone = shelf.fade()
    shelf.projector.drain()
    tea = next(one for one, m in _memories(shelf, gone).items() if m.kind == "fact" and "oolong" in m.statement)
    assert shelf.words().count(b"oolong") > 1, "the utterance holds the words too"
    receipt = shelf.forget(tea)["receipt"]
    assert (receipt["state"], "archive" in receipt["places"]) == ("done", True)
    assert b"oolong" not in shelf.words()
    shelf.projector.drain()
    assert b"oolong" not in shelf.words()
    assert shelf.kept() == shelf.wanted()
    assert shelf.drift() == []


def test_forgetting_with_an_archive_that_is_away_is_pending_and_finished_later(shelf: Shelf) -> None:
    shelf.say(SAID)
    gone = shelf.fade()
    shelf.projector.drain()
    tea = next(one for one, m in _memories(shelf, gone).items() if m.kind == "fact" and "oolong" in m.statement)
    shelf.archive.away = {"delete", "purge", "put"}
    receipt = shelf.forget(tea)["receipt"]
    assert [place.partition(":")[0] for place in receipt["pending"]] == ["archive"]
    assert b"oolong" in shelf.words()
    shelf.archive.away = set()
    with shelf.backend.store.system() as system:
        (waiting,) = system.erasures(finished=False)
    assert finish(shelf.context, waiting).pending == ()
    assert b"oolong" not in shelf.words(), "also where words were only taken out"
    shelf.projector.drain()
    assert shelf.drift() == []


def test_an_erased_user_leaves_nothing_not_even_what_nobody_knows_of(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.fade()
    shelf.projector.drain()
    key = next(iter(shelf.objects.held))
    orphan = key.replace(key.split("/")[-2], "m_orphan")
    shelf.objects.held[orphan] = b"left by a crash"
    shelf.service.erase_user(shelf.me)
    assert shelf.objects.held == {}


def crashing(shelf: Shelf, method: str, when: Callable[[], None]) -> None:
    def before(called: str) -> None:
        if called == method:
            shelf.archive.before = lambda _method: None
            when()

    shelf.archive.before = before


def test_a_crash_between_copy_and_ledger_is_made_good_by_the_next_process(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.fade()
    write = shelf.backend.store.write

    class Killed(BaseException):
        pass

    def killed(_tenancy: Tenancy) -> Any:
        raise Killed

    crashing(shelf, "put", lambda: setattr(shelf.backend.store, "write", killed))
    with pytest.raises(Killed):
        shelf.projector.drain()
    assert shelf.kept() == shelf.wanted(), "the copies are there, and the outbox does not know"
    shelf.backend.store.write = write  # type: ignore[method-assign]
    shelf.clock.advance(timedelta(minutes=2))
    Projector(shelf.backend, shelf.context.embedder, shelf.clock, shelf.archive).drain()
    assert shelf.kept() == shelf.wanted()
    assert shelf.drift() == []


def test_a_copy_that_comes_after_its_memory_was_forgotten_does_not_stay(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.fade()
    ids = shelf.service.forget  # what another process does while a copy is on its way
    crashing(shelf, "put", lambda: ids(shelf.me, tuple(shelf.service.archived(shelf.me))))
    shelf.projector.drain()
    assert shelf.objects.held == {}
    assert shelf.drift() == []


def test_what_a_killed_process_brought_back_is_swept_by_the_daily_run(shelf: Shelf) -> None:
    shelf.say(SAID)
    gone = shelf.fade()
    shelf.projector.drain()
    copies = dict(shelf.objects.held)
    shelf.forget(*gone)
    shelf.projector.drain()
    shelf.say("I live in Porto.")
    shelf.objects.held |= copies  # written by one that was killed right after, and whose outbox row another had done
    assert shelf.projector.tidy_archive() == len(gone)
    assert shelf.projector.tidy_archive() == 0, "it waits already"
    shelf.projector.drain()
    assert shelf.objects.held == {}


def test_a_lost_archive_is_made_anew_by_the_daily_run_and_by_rebuild(shelf: Shelf) -> None:
    shelf.say(SAID)
    shelf.fade()
    shelf.projector.drain()
    for mend in (
        lambda: shelf.projector.tidy_archive(),
        lambda: rebuild(shelf.backend, None, ("archive",), archive=shelf.archive),
    ):
        shelf.objects.held.clear()
        mend()
        shelf.projector.drain()
        assert shelf.kept() == shelf.wanted() != {}


def test_rebuild_removes_copies_that_are_not_to_be_there(shelf: Shelf) -> None:
    shelf.say(SAID)
    gone = shelf.fade()
    shelf.projector.drain()
    copies = dict(shelf.objects.held)
    shelf.service.restore(shelf.me, gone)
    shelf.projector.drain()
    shelf.objects.held |= copies
    (drift,) = shelf.drift()
    assert set(drift.surplus) == set(gone)
    rebuild(shelf.backend, None, ("archive",), archive=shelf.archive)
    shelf.projector.drain()
    assert shelf.objects.held == {}
    assert shelf.drift() == []


def test_no_lock_is_held_while_the_archive_is_asked(shelf: Shelf) -> None:
    """Another user writes while a restore or a rebuild waits for the archive."""
    shelf.say(SAID)
    one = shelf.fade()[0]
    shelf.projector.drain()
    damage(shelf, one, "something else")
    writes: list[str] = []

    def write(method: str) -> None:
        with shelf.backend.store.write(Tenancy("ben")) as unit:
            unit.add(memory(f"b_{len(writes)}", user="ben"))
        writes.append(method)

    shelf.archive.before = write
    assert shelf.service.restore(shelf.me, [one])["restored"] == [one]
    rebuild(shelf.backend, None, ("archive",), archive=shelf.archive)
    shelf.projector.drain()
    assert {"get", "digests", "delete", "put"} <= set(writes)
