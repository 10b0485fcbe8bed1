"""The working memory of a session: bounded, versioned, rolled back, cleared when the session is over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mcp_memory_server import limits
from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.memory.model import Speaker
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.working import session as domain
from tests.unit.service.conftest import Desk


def held(desk: Desk, session: str = "s") -> list[str]:
    return [item.get("statement", "") for item in desk.service.working(desk.me, session)["items"]]


def test_what_was_used_last_stands_last_and_there_is_room_for_fifty() -> None:
    assert domain.used(("a", "b", "c"), ("b", "d", "b")) == ("a", "c", "b", "d")
    many = tuple(str(number) for number in range(limits.WORKING_ITEMS))
    assert domain.used(many, ("new",)) == (*many[1:], "new")
    assert len(domain.used(many, [f"n{number}" for number in range(80)])) == limits.WORKING_ITEMS


def test_each_call_with_a_session_is_a_version(desk: Desk) -> None:
    desk.say("I live in Porto.", session="s")
    desk.say("I like oolong tea.", session="s")
    desk.say("I own a boat.")
    found = desk.service.working(desk.me, "s")
    assert [one["version"] for one in found["versions"]] == [1, 2]
    assert held(desk) == ["I live in Porto.", "I live in Porto", "I like oolong tea.", "I like oolong tea"]
    assert desk.service.working(desk.me, "t") == {"version": 0, "items": [], "versions": []}


def test_a_rollback_is_a_new_version_and_keeps_every_memory(desk: Desk) -> None:
    desk.say("I live in Porto.", session="s")
    first = held(desk)
    desk.say("I like oolong tea.", session="s")
    found = desk.service.rollback(desk.me, "s", 1)
    assert (found["version"], held(desk)) == (3, first)
    assert found["versions"][-1]["action"] == "rollback to 1"
    assert desk.recall("oolong tea")["memories"]
    desk.service.rollback(desk.me, "s", 2)
    assert len(held(desk)) == 4
    for session, version in (("s", 9), ("nobody", 1)):
        with pytest.raises(NotFoundError):
            desk.service.rollback(desk.me, session, version)


def test_a_session_ends_when_it_is_idle(desk: Desk) -> None:
    desk.say("I live in Porto.", session="s")
    desk.clock.advance(timedelta(hours=limits.SESSION_IDLE_HOURS, seconds=1))
    assert held(desk) == []
    with pytest.raises(NotFoundError):
        desk.service.rollback(desk.me, "s", 1)
    assert desk.service.keep_up(Tenancy("ann")).sessions == 1
    assert desk.service.keep_up(Tenancy("ann")).sessions == 0
    desk.say("I like oolong tea.", session="s")
    assert desk.service.working(desk.me, "s")["version"] == 1
    assert desk.recall("Where do I live?")["memories"]  # never the only copy


def test_a_mood_that_was_inferred_is_not_held_and_long_words_of_the_assistant_are_a_reference(desk: Desk) -> None:
    desk.say("I feel sad today.", session="s")
    desk.say("A long answer. " * 40, session="s", said_by=Speaker.ASSISTANT)
    items = desk.service.working(desk.me, "s")["items"]
    assert [item["kind"] for item in items] == ["utterance", "utterance"]
    assert "statement" not in items[-1]
    assert items[-1]["reference"] == f"memory://memories/{items[-1]['id']}"


def test_what_is_forgotten_is_in_no_version(desk: Desk) -> None:
    said = desk.say("I live in Porto.", session="s")
    desk.say("I like oolong tea.", session="s")
    desk.forget(said["utterance"])
    desk.service.rollback(desk.me, "s", 1)
    assert held(desk) == []
    assert desk.service.working(desk.me, "s")["versions"][-1]["version"] == 3
