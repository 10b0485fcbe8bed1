"""Recalls, votes and firings on every back end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.memory.signals import Delivery, Firing, Recalled, Tally, Task, Verdict, Vote
from tests.fakes import NOON
from tests.support import memory

MINUTE = timedelta(minutes=1)


def recalled(name: str, minutes: int = 0, user: str = "ann", ids: tuple[str, ...] = ("m_1", "m_2")) -> Recalled:
    return Recalled(name, user, NOON + minutes * MINUTE, ids, "tests", "s1")


def vote(memory_id: str, verdict: Verdict = Verdict.USED, recall_id: str = "r_1", minutes: int = 0) -> Vote:
    return Vote(memory_id, recall_id, verdict, NOON + minutes * MINUTE, "tests")


def fired(name: str, key: str = "k", memory_id: str = "m_1", trigger: str = "thrice") -> Firing:
    return Firing(name, trigger, key, memory_id, 3, NOON)


def test_recalls_are_kept_newest_first_for_their_user_only(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.system(write=True) as system:
        system.save_recalls([recalled("r_1"), recalled("r_2", 1), recalled("r_3", 2, "ben")], NOON - MINUTE, 10)
        system.save_recalls([replace(recalled("r_1"), agent="other")], NOON - MINUTE, 10)
    with backend.store.read(ann) as unit:
        assert [one.id for one in unit.recalls(10)] == ["r_2", "r_1"]
        assert [one.id for one in unit.recalls(1)] == ["r_2"]
        assert unit.recalled("r_1") == recalled("r_1")
        assert unit.recalled("r_3") is None
    with backend.store.read(ben) as unit:
        assert unit.recalled("r_3") == recalled("r_3", 2, "ben")


def test_old_recalls_and_those_over_the_bound_go(backend: Backend, ann: Tenancy) -> None:
    with backend.store.system(write=True) as system:
        system.save_recalls([recalled(f"r_{n}", n) for n in range(5)], NOON - MINUTE, 3)
    with backend.store.read(ann) as unit:
        assert [one.id for one in unit.recalls(10)] == ["r_4", "r_3", "r_2"]
    with backend.store.system(write=True) as system:
        system.save_recalls([], NOON + 4 * MINUTE, 3)
    with backend.store.read(ann) as unit:
        assert [one.id for one in unit.recalls(10)] == ["r_4"]


def test_the_end_of_a_task_is_kept(backend: Backend, ann: Tenancy) -> None:
    with backend.store.system(write=True) as system:
        system.save_recalls([recalled("r_1")], NOON - MINUTE, 10)
    with backend.store.write(ann) as unit:
        unit.end_recall("r_1", Task.FAILED)
        unit.end_recall("r_none", Task.DONE)
        found = unit.recalled("r_1")
        assert found is not None
        assert found.task is Task.FAILED


def test_a_recall_gives_one_verdict_on_a_memory(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        assert unit.vote(vote("m_1"))
        assert not unit.vote(vote("m_1", minutes=1))
        assert unit.vote(vote("m_1", Verdict.WRONG, minutes=2))
        assert unit.vote(vote("m_1", Verdict.USED, "r_2", 3))
        assert unit.vote(vote("m_2", Verdict.NOT_NEEDED, "r_2", 4))
        assert unit.tallies(["m_1", "m_2", "m_3"]) == {"m_1": Tally(1, 0, 1), "m_2": Tally(0, 1, 0)}
        assert [(one.memory_id, one.recall_id) for one in unit.votes()] == [
            ("m_1", "r_1"),
            ("m_1", "r_2"),
            ("m_2", "r_2"),
        ]
        assert [one.verdict for one in unit.votes("r_1")] == [Verdict.WRONG]
    with backend.store.read(ben) as unit:
        assert unit.tallies(["m_1"]) == {}
        assert unit.votes() == []


def test_a_trigger_fires_once_for_a_key(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        assert unit.fire(fired("f_1"))
        assert not unit.fire(fired("f_2"))
        assert unit.fire(fired("f_3", "other"))
        assert unit.fire(fired("f_4", trigger="twice"))
        assert [one.id for one in unit.firings(2)] == ["f_4", "f_3"]
        assert unit.firing("f_1") == fired("f_1")
    with backend.store.write(ben) as unit:
        assert unit.fire(fired("f_5"))
        assert unit.firing("f_1") is None
        with pytest.raises(NotFoundError):
            unit.change_firing(fired("f_1"))


def test_a_result_is_taken_once(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        for name in ("f_1", "f_2"):
            unit.fire(fired(name, name))
        assert not unit.results_waiting()
        unit.change_firing(replace(fired("f_2", "f_2"), state=Delivery.DELIVERED, result="done", result_at=NOON))
        assert unit.results_waiting()
        taken = unit.take_results(NOON + MINUTE)
        assert [(one.id, one.result, one.shown_at) for one in taken] == [("f_2", "done", NOON + MINUTE)]
        assert unit.take_results(NOON + MINUTE) == []
        assert not unit.results_waiting()


def test_what_is_forgotten_takes_its_votes_firings_and_deliveries_along(backend: Backend, ann: Tenancy) -> None:
    with backend.store.system(write=True) as system:
        system.save_recalls([recalled("r_1"), recalled("r_2", ids=("m_1",))], NOON - MINUTE, 10)
    with backend.store.write(ann) as unit:
        for name in ("m_1", "m_2"):
            unit.add(memory(name))
            unit.vote(vote(name))
            unit.fire(fired(f"f_{name}", name, name))
            unit.defer([f"f_{name}"], "trigger/thrice")
    with backend.store.write(ann) as unit:
        unit.remove(["m_1"], "e_1", NOON)
    with backend.store.read(ann) as unit:
        assert [one.memory_id for one in unit.votes()] == ["m_2"]
        assert [one.id for one in unit.firings(10)] == ["f_m_2"]
        assert unit.deferred("trigger/thrice") == ["f_m_2"]
        found = unit.recalled("r_1")
        assert found is not None
        assert found.memory_ids == ("m_2",)
        assert unit.recalled("r_2") is None


def test_votes_and_firings_on_nothing_are_found_and_dropped(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.add(memory("m_1"))
        for name in ("m_1", "m_gone"):
            unit.vote(vote(name))
            unit.fire(fired(f"f_{name}", name, name))
        assert unit.dangling() == {"feedback": ("m_gone",), "triggers": ("m_gone",)}
        assert unit.drop_dangling() == 1
        assert unit.dangling() == {"feedback": (), "triggers": ()}
        assert [one.memory_id for one in unit.votes()] == ["m_1"]


def test_work_that_is_claimed_is_nobody_elses_for_a_while(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.defer(["f_1", "f_2", "f_3"], "trigger/thrice")
        unit.defer(["f_4"], "trigger/twice")
    with backend.store.system(write=True) as system:
        assert [row.memory_id for row in system.claim("trigger/thrice", NOON, NOON + MINUTE, 2)] == ["f_1", "f_2"]
        assert [row.memory_id for row in system.claim("trigger/thrice", NOON, NOON + MINUTE, 2)] == ["f_3"]
        assert system.claim("trigger/thrice", NOON, NOON + MINUTE, 2) == []
    with backend.store.system(write=True) as system:
        again = system.claim("trigger/thrice", NOON + MINUTE, NOON + 2 * MINUTE, 5)
        assert [(row.memory_id, row.attempts) for row in again] == [("f_1", 0), ("f_2", 0), ("f_3", 0)]
