"""The write path: retries, support, contradictions, faults, and what is switched off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcp_memory_server.errors import InvalidArgumentError, NotFoundError, TooLargeError, TooManyError, UnavailableError
from mcp_memory_server.memory.model import Category, Speaker
from tests.fakes import FailingEmbedder
from tests.fakes.faults import Faults, FaultyBackend
from tests.unit.service.conftest import Desk


def outcomes(answer: dict[str, Any]) -> list[str]:
    return [one["outcome"] for one in answer["results"]]


def full(desk: Desk, **given: Any) -> list[dict[str, Any]]:
    return desk.list(**({"kind": "fact", "status": "any", "detail": "full"} | given))


def test_a_retry_of_the_same_call_adds_nothing(desk: Desk) -> None:
    given = {"occurred_at": "2026-11-01T10:00:00Z", "session": "a"}
    first = desk.say("I live in Graz.", **given)
    again = desk.say("I live in Graz.", **given)
    assert again["utterance"] == first["utterance"]
    assert outcomes(again) == ["restated"]
    assert full(desk)[0]["confirmations"] == 1
    assert full(desk)[0]["confidence"] == full(desk)[0]["confidence"]


def test_support_grows_once_a_session_and_by_the_users_words_only(desk: Desk) -> None:
    for session, day in (("a", 1), ("a", 2), ("b", 3)):
        desk.say("I live in Graz.", session=session, occurred_at=f"2026-11-0{day}T10:00:00Z")
    assert full(desk)[0]["confirmations"] == 2
    desk.remember("The user lives in Graz.")
    desk.say("You live in Graz.", said_by=Speaker.ASSISTANT, session="c")
    assert [one["confirmations"] for one in full(desk, status="current")] == [2]


def test_without_a_session_a_day_counts_as_one(desk: Desk) -> None:
    for moment in ("2026-11-01T10:00:00Z", "2026-11-01T18:00:00Z", "2026-11-02T09:00:00Z"):
        desk.say("I live in Graz.", occurred_at=moment)
    assert full(desk)[0]["confirmations"] == 2


def test_the_users_words_raise_what_only_the_model_had_stated(desk: Desk) -> None:
    desk.remember("The user lives in Graz.")
    before = full(desk)[0]
    assert (before["grounding"], before["confidence"]) == ("unverified", 0.6)
    assert outcomes(desk.say("I live in Graz.")) == ["restated"]
    after = full(desk)[0]
    assert after["id"] == before["id"]
    assert after["grounding"] == "grounded"
    assert after["confidence"] > 0.8


def test_a_model_cannot_touch_what_the_user_said(desk: Desk) -> None:
    desk.say("I live in Graz.", occurred_at="2026-11-01T10:00:00Z")
    answer = desk.remember("The user moved to Lyon.")
    assert outcomes(answer)[0] in ("disputed", "pending")
    home = next(one for one in full(desk) if one["object"]["value"] == "Graz")
    assert home["status"] in ("disputed", "current")


def test_the_users_own_retraction_ends_a_fact(desk: Desk) -> None:
    desk.say("I like tea.", occurred_at="2026-11-01T10:00:00Z")
    desk.say("I no longer like tea.", occurred_at="2026-11-02T10:00:00Z")
    assert [one["predicate"] for one in full(desk, status="current")] in ([], ["dislikes"])
    assert len(full(desk, status="superseded")) == 1


def test_statements_in_one_call_share_the_evidence(desk: Desk) -> None:
    answer = desk.remember(
        "The user lives in Graz.",
        "The user is allergic to peanuts.",
        "The user owns a yacht.",
        said="I live in Graz and I am allergic to peanuts.",
    )
    by_index = {one["statement_index"]: one for one in answer["results"] if "statement_index" in one}
    assert by_index[0]["memory"]["grounding"] == "grounded"
    assert by_index[1]["memory"]["grounding"] == "grounded"
    assert by_index[2]["outcome"] == "pending"
    assert by_index[2]["reason"]
    assert len(answer["results"]) == 3  # found both ways is one result


def test_a_category_that_is_given_is_kept(desk: Desk) -> None:
    answer = desk.remember("The user lives in Graz.", category=Category.TRAVEL)
    assert answer["results"][0]["memory"]["category"] == "travel"


def test_another_speaker_is_the_subject_of_what_is_said(desk: Desk) -> None:
    desk.say("I live in Graz.", said_by=Speaker.OTHER, said_by_name="Ravi")
    subjects = {one.get("subject") for one in full(desk)}
    assert "user" not in subjects
    listed = desk.list(kind="utterance")[0]
    assert listed["evidence"]["said_by_name"] == "Ravi"


def test_utterances_can_be_switched_off(desk_with: Callable[..., Desk]) -> None:
    desk = desk_with(keep_utterances=False)
    answer = desk.say("I live in Graz. How do I get a refund?")
    assert "utterance" not in answer
    assert desk.list(kind="utterance", status="any") == []
    assert desk.list(kind="event", status="any") == []
    assert all("evidence" not in one for one in full(desk))
    assert answer["events"] == []


def test_one_fact_that_fails_leaves_the_others_and_nothing_of_itself(desk_with: Callable[..., Desk]) -> None:
    from tests.fakes import MemoryBackend

    faults = Faults()
    faults.statements = {"Nora prefers coffee."}
    desk = desk_with(backend=FaultyBackend(MemoryBackend(), faults))
    answer = desk.remember("Omar prefers tea.", "Nora prefers coffee.", "Emil prefers water.")
    assert outcomes(answer) == ["stored", "failed", "stored"]
    assert answer["results"][1]["code"] == "unavailable"
    assert sorted(one["statement"] for one in full(desk)) == ["Emil prefers water.", "Omar prefers tea."]
    names = {entity["name"] for entity in desk.service.graph(desk.me)["entities"]}
    assert "Nora" not in names


def test_a_projection_that_fails_fails_the_call_and_stores_nothing(desk_with: Callable[..., Desk]) -> None:
    from tests.fakes import MemoryBackend

    faults = Faults()
    desk = desk_with(backend=FaultyBackend(MemoryBackend(), faults))
    for name in ("text", "vectors", "graph"):
        faults.next_write = {name}
        with pytest.raises(UnavailableError):
            desk.remember("Omar prefers tea.")
        assert desk.list(kind="any", status="any") == []
    assert outcomes(desk.remember("Omar prefers tea.")) == ["stored"]


def test_a_model_that_does_not_answer_puts_vectors_off(desk_with: Callable[..., Desk]) -> None:
    embedder = FailingEmbedder()
    desk = desk_with(embedder=embedder)
    assert outcomes(desk.remember("Omar prefers tea.")) == ["stored"]
    with desk.backend.store.read(desk.me.tenancy) as unit:
        assert len(unit.deferred("vectors")) == 1
    answer = desk.recall("tea")
    assert answer["degraded"] == ["vectors"]
    assert answer["memories"]


def test_events_of_one_kind_and_topic_are_one_with_a_count(desk: Desk) -> None:
    for session in ("a", "b", "c"):
        answer = desk.say("How do I get a refund?", session=session)
    assert [one["count"] for one in answer["events"]] == [3]
    assert [one["count"] for one in desk.list(kind="event")] == [3]
    assert [one["event_type"] for one in desk.list(kind="event", event_type="question")] == ["question"]
    assert desk.say("How do I get a refund?", said_by=Speaker.ASSISTANT)["events"] == []


def test_limits_are_named(desk: Desk) -> None:
    with pytest.raises(InvalidArgumentError, match="statements"):
        desk.remember()
    with pytest.raises(TooManyError, match="statements"):
        desk.remember(*["The van is red."] * 51)
    with pytest.raises(TooLargeError, match="said"):
        desk.say("x" * 20_001)
    with pytest.raises(TooLargeError, match=r"statements\[1\]"):
        desk.remember("fits", "x" * 2_001)
    with pytest.raises(InvalidArgumentError, match="said"):
        desk.say("\u200b")
    with pytest.raises(InvalidArgumentError, match="occurred_at"):
        desk.say("The van is red.", occurred_at="soon")
    with pytest.raises(InvalidArgumentError, match="time_zone"):
        desk.say("The van is red.", time_zone="Mars")


def test_times_keep_the_offset_they_were_given_with(desk: Desk) -> None:
    desk.say("I live in Graz.", occurred_at="2026-11-01T10:00:00+05:30")
    assert full(desk)[0]["said_at"] == "2026-11-01T10:00:00+05:30"
    desk.say("The van is red.", occurred_at="2026-11-02T10:00:00", time_zone="Asia/Shanghai")
    assert desk.list(kind="utterance")[0]["said_at"] == "2026-11-02T10:00:00+08:00"


def test_hidden_characters_are_told(desk: Desk) -> None:
    answer = desk.say("Team lunch\U000e0066\U000e006f on Friday")
    assert answer["hidden_characters"] == 2
    assert "hidden_characters" not in desk.say("Team lunch on Friday")


def test_a_memory_shows_its_history(desk: Desk) -> None:
    one = desk.remember("The lease ends in March.")["results"][0]["memory"]["id"]
    desk.correct(memory_id=one, verdict="confirm")
    desk.correct(memory_id=one, verdict="wrong")
    shown = desk.service.memory(desk.me, one)
    assert [entry["action"] for entry in shown["history"]] == ["stored", "confirmed", "retracted"]
    with pytest.raises(NotFoundError):
        desk.service.memory(desk.me, "m_none")


def test_sessions_and_ids_are_listed(desk: Desk) -> None:
    desk.say("First words here.", session="a")
    desk.say("Second words here.", session="b")
    assert set(desk.service.session_names(desk.me)) == {"a", "b"}
    assert [one["statement"] for one in desk.service.session(desk.me, "a")] == ["First words here."]
    some = desk.list(kind="utterance")[0]["id"]
    assert desk.service.ids_starting(desk.me, some[:-1]) == [some]


def test_the_graph_says_who_is_related_by_what(desk: Desk) -> None:
    desk.remember("Nora works with Emil.", "The user lives in Graz.")
    graph = desk.service.graph(desk.me)
    pairs = {(relation["source"], relation["target"]) for relation in graph["relations"]}
    assert ("Nora", "Emil") in pairs
    assert any(target == "Graz" for _, target in pairs)
