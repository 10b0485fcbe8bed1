"""Verdicts on what a recall showed: what they move, what they cannot, and when a recall is too old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, NotFoundError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.service import FeedbackRequest
from mcp_memory_server.memory.signals import Task, Verdict
from tests.unit.service.conftest import Desk


def judge(desk: Desk, recall: dict[str, Any], **given: Any) -> dict[str, Any]:
    return desk.service.give_feedback(desk.me, FeedbackRequest(recall["recall_id"], **given))


def strengths(desk: Desk) -> dict[str, float]:
    return {one["id"]: one["strength"] for one in desk.list(detail="full")}


def two_facts(desk: Desk) -> tuple[str, str]:
    """Two statements that answer one question alike."""
    answer = desk.remember("The blue folder holds the lease.", "The green folder holds the lease.")
    first, second = (result["memory"]["id"] for result in answer["results"])
    return first, second


def test_a_verdict_moves_strength_and_rank(desk: Desk) -> None:
    first, second = two_facts(desk)
    before, found = strengths(desk), desk.recall("Which folder holds the lease?")
    answer = judge(desk, found, used=(second,), wrong=(first,), task=Task.DONE)
    after = strengths(desk)
    assert {one["id"]: one["verdict"] for one in answer["changed"]} == {first: "wrong", second: "used"}
    assert answer["task"] == "done"
    assert answer["unchanged"] == []
    assert after[second] > before[second]
    assert after[first] < before[first]
    again = desk.recall("Which folder holds the lease?")
    was, now = ({one["id"]: one["score"] for one in shown["memories"]} for shown in (found, again))
    assert now[second] > was[second]
    assert 0.9 * was[first] <= now[first] < was[first]


def test_of_two_that_answer_alike_the_useful_one_comes_first(desk_with: Callable[..., Desk]) -> None:
    desk = desk_with(embedder=None)
    first, second = two_facts(desk)
    ranked = [one["id"] for one in desk.recall("Which folder holds the lease?")["memories"]]
    judge(desk, desk.recall("Which folder holds the lease?"), used=(ranked[1],), not_needed=(ranked[0],))
    assert [one["id"] for one in desk.recall("Which folder holds the lease?")["memories"]] == ranked[::-1]
    assert set(ranked) == {first, second}


def test_the_same_verdict_again_changes_nothing(desk: Desk) -> None:
    first, _ = two_facts(desk)
    found = desk.recall("Which folder holds the lease?")
    judge(desk, found, used=(first,))
    once = strengths(desk)
    answer = judge(desk, found, used=(first,))
    assert answer["changed"] == []
    assert answer["unchanged"] == [first]
    assert strengths(desk) == once


def test_another_verdict_of_the_same_recall_takes_the_place_of_the_first(desk: Desk) -> None:
    first, _ = two_facts(desk)
    before, found = strengths(desk), desk.recall("Which folder holds the lease?")
    judge(desk, found, used=(first,))
    judge(desk, found, not_needed=(first,))
    assert strengths(desk)[first] < before[first]
    with desk.backend.store.read(desk.me.tenancy) as unit:
        assert [vote.verdict for vote in unit.votes()] == [Verdict.NOT_NEEDED]


def test_however_often_it_is_said_the_effect_is_bounded(desk: Desk) -> None:
    first, second = two_facts(desk)
    before = strengths(desk)
    for _ in range(60):
        judge(desk, desk.recall("Which folder holds the lease?"), used=(second,), wrong=(first,))
    after = strengths(desk)
    assert 0.5 * before[first] < after[first] < 0.52 * before[first]
    assert 1.47 * before[second] < after[second] < 1.5 * before[second]


def test_feedback_changes_neither_confidence_nor_status_nor_count(desk: Desk) -> None:
    first, _ = two_facts(desk)
    kept = ("confidence", "status", "confirmations", "version", "statement")
    before = {one["id"]: {name: one[name] for name in kept} for one in desk.list(detail="full")}
    judge(desk, desk.recall("Which folder holds the lease?"), wrong=(first,))
    assert {one["id"]: {name: one[name] for name in kept} for one in desk.list(detail="full")} == before


def test_a_recall_expires(desk: Desk) -> None:
    first, _ = two_facts(desk)
    found = desk.recall("Which folder holds the lease?")
    desk.clock.advance(timedelta(seconds=limits.RECALL_SECONDS + 1))
    with pytest.raises(NotFoundError):
        judge(desk, found, used=(first,))


def test_only_the_newest_recalls_are_known(desk: Desk) -> None:
    first, _ = two_facts(desk)
    oldest = desk.recall("Which folder holds the lease?")
    for _ in range(limits.RECALLS_KEPT):
        desk.clock.advance(timedelta(seconds=1))
        desk.recall("lease")
    with pytest.raises(NotFoundError):
        judge(desk, oldest, used=(first,))


def test_a_recall_of_another_user_is_not_known(desk: Desk) -> None:
    first, _ = two_facts(desk)
    found = desk.recall("Which folder holds the lease?")
    ben = Principal("ben", "tests", "tests")
    with pytest.raises(NotFoundError):
        desk.service.give_feedback(ben, FeedbackRequest(found["recall_id"], used=(first,)))


@pytest.mark.parametrize(
    "given",
    [{}, {"used": ("m_other",)}, {"used": ("m_1",), "wrong": ("m_1",)}],
    ids=["nothing", "not-shown", "two-verdicts"],
)
def test_what_makes_no_sense_is_refused_as_a_whole(desk: Desk, given: dict[str, Any]) -> None:
    two_facts(desk)
    before, found = strengths(desk), desk.recall("Which folder holds the lease?")
    with pytest.raises(InvalidArgumentError):
        judge(desk, found, **given)
    assert strengths(desk) == before


def test_one_unknown_memory_keeps_the_others_from_counting(desk: Desk) -> None:
    first, _ = two_facts(desk)
    before, found = strengths(desk), desk.recall("Which folder holds the lease?")
    with pytest.raises(InvalidArgumentError, match="m_other"):
        judge(desk, found, used=(first, "m_other"))
    assert strengths(desk) == before


@pytest.mark.parametrize("words", ["That's not what I meant.", "不是这个意思。"])
def test_not_what_i_meant_counts_for_what_the_recall_before_showed(desk: Desk, words: str) -> None:
    first, second = two_facts(desk)
    before, found = strengths(desk), desk.recall("Which folder holds the lease?")
    answer = desk.say(words)
    assert answer["feedback"]["recall_id"] == found["recall_id"]
    assert {one["id"]: one["verdict"] for one in answer["feedback"]["changed"]} == dict.fromkeys(
        (first, second), "not_needed"
    )
    after = strengths(desk)
    assert after[first] < before[first]
    assert after[second] < before[second]
    assert "feedback" not in desk.say(words + " ")


def test_what_the_model_has_judged_stays_when_the_user_complains(desk: Desk) -> None:
    first, second = two_facts(desk)
    found = desk.recall("Which folder holds the lease?")
    judge(desk, found, used=(first,))
    answer = desk.say("That's not what I meant.")
    assert [one["id"] for one in answer["feedback"]["changed"]] == [second]


def test_not_what_i_meant_is_about_nothing_long_after_or_in_another_conversation(desk: Desk) -> None:
    two_facts(desk)
    desk.recall("Which folder holds the lease?", session="a")
    assert "feedback" not in desk.say("That's not what I meant.", session="b")
    desk.clock.advance(timedelta(seconds=limits.REJECTION_SECONDS + 1))
    assert "feedback" not in desk.say("That's not what I meant.", session="a")


@pytest.mark.parametrize("given", [{"said_by": "assistant"}, {"said_by": "other"}, {"origin": "tool:web"}])
def test_only_the_users_own_words_count(desk: Desk, given: dict[str, Any]) -> None:
    from mcp_memory_server.memory.model import Speaker

    two_facts(desk)
    before = strengths(desk)
    desk.recall("Which folder holds the lease?")
    values = {name: Speaker(value) if name == "said_by" else value for name, value in given.items()}
    assert "feedback" not in desk.say("That's not what I meant.", **values)
    assert {one: value for one, value in strengths(desk).items() if one in before} == before


def test_a_forgotten_memory_leaves_no_verdict(desk: Desk) -> None:
    first, _ = two_facts(desk)
    judge(desk, desk.recall("Which folder holds the lease?"), used=(first,))
    desk.forget(first)
    with desk.backend.store.read(desk.me.tenancy) as unit:
        assert unit.votes() == []
        assert all(first not in one.memory_ids for one in unit.recalls(10))


def test_of_a_user_who_is_erased_no_recall_is_left(desk: Desk) -> None:
    two_facts(desk)
    desk.recall("Which folder holds the lease?", session="a private name")
    desk.service.erase_user(desk.me)
    desk.context.recalls.settle(desk.backend.store, desk.clock.now())
    with desk.backend.store.read(desk.me.tenancy) as unit:
        assert unit.recalls(10) == []


def test_words_are_stored_also_where_recalls_cannot_be_written(desk_with: Callable[..., Desk]) -> None:
    from mcp_memory_server.memory.service.recalls import PendingRecalls

    class Stuck(PendingRecalls):
        def settle(self, store: Any, now: Any) -> int:
            raise UnavailableError("the store is busy")

    desk = desk_with(recalls=Stuck())
    answer = desk.say("That's not what I meant.")
    assert answer["utterance"]
    assert "feedback" not in answer
