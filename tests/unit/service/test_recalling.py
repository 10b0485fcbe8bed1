"""The read path: times, status, kinds, filters, size, reasons."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_memory_server.errors import InvalidArgumentError, TooLargeError
from tests.fakes import GatedEmbedder, HashEmbedder
from tests.unit.service.conftest import Desk


def words(answer: dict[str, Any]) -> list[str]:
    return [one["statement"] for one in answer["memories"]]


@pytest.fixture
def moved(desk: Desk) -> Desk:
    """Graz in January, Lyon since June; both recorded when they were said."""
    for day, said in (("2026-01-10", "I live in Graz."), ("2026-06-20", "I moved to Lyon.")):
        desk.clock.set(datetime.fromisoformat(f"{day}T10:00:00+00:00"))
        desk.say(said, occurred_at=f"{day}T10:00:00Z")
    return desk


@pytest.mark.parametrize(
    ("given", "found", "missing"),
    [
        ({}, "Lyon", "Graz"),
        ({"as_of": "2026-03-01T00:00:00Z"}, "Graz", "Lyon"),
        ({"as_of": "2026-08-01T00:00:00Z"}, "Lyon", "Graz"),
        ({"known_at": "2026-03-01T00:00:00Z"}, "Graz", "Lyon"),
        ({"include": "history"}, "Graz", "nowhere"),
        ({"since": "2026-06-01T00:00:00Z"}, "Lyon", "Graz"),
        ({"until": "2026-06-01T00:00:00Z", "include": "all"}, "Graz", "Lyon"),
        ({"kind": "fact"}, "Lyon", "Graz"),
        ({"kind": "utterance"}, "Lyon", "Graz"),
    ],
    ids=str,
)
def test_times_choose_what_is_shown(moved: Desk, given: dict[str, Any], found: str, missing: str) -> None:
    text = " ".join(words(moved.recall("Do I live in Lyon or Graz?", limit=20, **given)))
    assert found in text
    assert missing not in text


def test_all_shows_both(moved: Desk) -> None:
    text = " ".join(words(moved.recall("Where do I live?", limit=20, include="all")))
    assert "Graz" in text
    assert "Lyon" in text


def test_filters_leave_out_the_rest(desk: Desk) -> None:
    from mcp_memory_server.memory.model import Category

    desk.remember("The choir sings on Monday.", category=Category.EVENT)
    desk.remember("The choir needs a tenor.", category=Category.WORK)
    assert words(desk.recall("choir", category="work")) == ["The choir needs a tenor."]
    desk.say("Why is the choir so loud?")
    assert [one["kind"] for one in desk.recall("choir", event_type="question")["memories"]] == ["event"]
    assert {one["kind"] for one in desk.recall("choir", kind="utterance")["memories"]} == {"utterance"}


def test_pending_and_disputed_come_marked_and_after(desk: Desk) -> None:
    desk.remember("The choir sings on Monday.")
    desk.remember("The choir sings in the church on Monday.", origin="tool:web")
    answer = desk.recall("When does the choir sing on Monday?")
    assert [one["status"] for one in answer["memories"]] == ["current", "pending"]


def test_an_exact_identifier_is_among_the_first_three(desk: Desk) -> None:
    for number in range(12):
        desk.remember(f"Ticket status report number {number} is ready for review.")
    desk.remember("ABC-712 waits.")
    answer = desk.recall("What is the ticket status report of ABC-712, is it ready for review?")
    assert "ABC-712 waits." in words(answer)[:3]


def test_the_conversation_is_context(desk: Desk) -> None:
    desk.say("We planned the trip to Porto.", session="a")
    desk.say("It costs 400 euros.", session="a")
    desk.say("Dinner costs 40 euros.", session="b")
    answer = desk.recall("What does the trip to Porto cost?", limit=3)
    assert words(answer)[0].startswith("We planned the trip to Porto")


@pytest.mark.parametrize("session", ["a", "b"])
def test_the_callers_conversation_is_preferred(desk_with: Callable[..., Desk], session: str) -> None:
    desk = desk_with(embedder=None)
    for name in ("a", "b"):
        desk.say(f"The ticket of group {name} costs 40 euros.", session=name)
    answer = desk.recall("How much does the ticket cost?", session=session)
    assert f"group {session}" in words(answer)[0]


def test_the_full_form_gives_reasons(desk: Desk) -> None:
    desk.remember("Nora works with Emil.", "Emil lives in Porto.")
    first = desk.recall("Where does Emil live?", detail="full")["memories"][0]
    assert first["why"]["text_rank"] >= 1
    assert first["why"]["vector_rank"] >= 1
    assert first["why"]["graph_path"]
    assert first["recorded_at"] == "2026-11-30T12:00:00Z"
    assert first["strength"] == pytest.approx(0.6)


def test_related_facts_stand_beside_the_answer(desk: Desk) -> None:
    desk.remember("Nora works with Emil.", "Emil bought a ticket to Porto.", "The van is red.")
    answer = desk.recall("Who works with Emil?", limit=1)
    shown = words(answer)
    related = [line["statement"] for line in answer["related"]]
    assert related
    assert not set(shown) & set(related)
    assert "The van is red." not in related


def test_questions_are_refused_when_empty_or_too_long(desk: Desk) -> None:
    with pytest.raises(InvalidArgumentError):
        desk.recall(" \u200b")
    with pytest.raises(TooLargeError):
        desk.recall("x" * 2_001)
    with pytest.raises(InvalidArgumentError):
        desk.recall("x", as_of="never")


def test_other_models_are_never_mixed(desk: Desk) -> None:
    desk.remember("Omar prefers tea.")
    desk.context.embedder = HashEmbedder("fake-b")
    answer = desk.recall("tea")
    assert answer["degraded"] == ["vectors"]
    assert words(answer) == ["Omar prefers tea."]


def test_before_the_model_is_there_text_answers(desk_with: Callable[..., Desk]) -> None:
    desk = desk_with(embedder=GatedEmbedder())
    desk.remember("Omar prefers tea.")
    answer = desk.recall("tea")
    assert answer["degraded"] == ["vectors"]
    assert words(answer) == ["Omar prefers tea."]


def test_a_hidden_memory_answers_only_when_it_is_named(desk: Desk) -> None:
    answer = desk.say("My brother Emil lives in Porto.")
    for result in answer["results"]:
        desk.correct(memory_id=result["memory"]["id"], verdict="do_not_mention")
    if not answer["results"]:
        desk.correct(memory_id=answer["utterance"], verdict="do_not_mention")
    assert words(desk.recall("Who lives abroad?")) == []
    assert desk.profile()["prompt"] == ""


def test_strength_breaks_ties_for_the_younger(desk: Desk) -> None:
    from mcp_memory_server.memory.model import Category

    desk.remember("Omar prefers green tea.", category=Category.PREFERENCE)
    desk.clock.advance(timedelta(days=720))
    desk.remember("Nora prefers green tea.", category=Category.PREFERENCE)
    assert words(desk.recall("Who prefers green tea?"))[0] == "Nora prefers green tea."


def test_the_profile_speaks_the_language_of_its_facts(desk: Desk) -> None:
    desk.say("我住在厦门。")
    desk.say("我对花生过敏。")
    assert desk.profile()["prompt"].startswith("以下是")
    desk.say("I like tea. I like coffee. I like water. I own a van.")
    assert desk.profile()["prompt"].startswith("What is known")


def test_a_section_that_is_none_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidArgumentError):
        desk.profile(section="nowhere")


def test_a_tiny_budget_keeps_the_best_answer_cut(desk: Desk) -> None:
    desk.say("Minutes of the garden club. " * 60)
    answer = desk.recall("garden club", max_chars=200)
    assert answer["truncated"] is True
    assert len(answer["memories"]) == 1
    assert answer["memories"][0]["truncated"] is True
    assert len(answer["memories"][0]["statement"]) <= 80
