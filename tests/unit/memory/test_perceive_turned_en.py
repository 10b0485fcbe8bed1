"""English clauses that put the thing, the topic or an opening first, and what is taken back or asked of answers."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.model import SpeechAct
from tests.unit.memory.understanding import facts, read, said, times, vocabulary


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gerunds keep tripping me up.", ["user struggles_with Gerunds"]),
        ("Clowns give me the creeps.", ["user dislikes Clowns"]),
        ("Harbours at dusk never get old.", ["user likes Harbours at dusk"]),
        ("Hazelnuts bring my son out in hives.", ["user.son allergic_to Hazelnuts"]),
        ("Aubergine? Can't stand it.", ["user dislikes Aubergine"]),
        ("Born and raised in Ypres, my aunt speaks Flemish.", ["user.aunt hometown Ypres", "user.aunt speaks Flemish"]),
        ("For a living I tune harps.", ["user job_title tune harps"]),
        ("Could you stick to tables and leave out the emojis in future?", ["user prefers_format tables", "user prefers_format no emojis"]),
        ("I never said I liked fencing.", ["user -likes fencing"]),
        ("Ignore that bit about my allergy to mustard.", ["user -allergic_to mustard"]),
        ("The toaster you sold me smells of burning plastic.", ["user complains_about toaster"]),
        ("The oboe should cost no less than $300 and no more than $550.", ["user budget_min 300 USD (oboe)", "user budget_max 550 USD (oboe)"]),
        ("Would a 500 euro budget be enough for a decent saddle?", []),
        ("Suppose my rent were 700 a month, could I afford a car?", []),
        ("Turn this into a haiku: I live alone and own nine cats.", []),
    ],
)  # fmt: skip
def test_what_stands_first_is_read(text: str, expected: list[str]) -> None:
    assert sorted(facts(text)) == sorted(expected)


def test_a_short_topic_that_is_answered_is_no_question() -> None:
    assert read("Aubergine? Can't stand it.").speech_act is SpeechAct.ASSERT
    assert read("Aubergine or courgette?").speech_act is SpeechAct.ASK


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("I have a recital on the last Friday in June.", "2025-06-27"),
        ("I have an exam a week on Monday.", "2025-06-16"),
        ("There's a parade the first week of August.", "2025-08-01/2025-08-07"),
    ],
)  # fmt: skip
def test_times_are_counted_in_weeks_and_weekdays(text: str, at: str) -> None:
    assert times(text, "has_event")[2] == at


@pytest.mark.parametrize(
    ("words", "statement", "supported"),
    [
        ("The rent is 720 a month.", "The rent is 720 a week.", False),
        ("My brother's wedding is on 5 July.", "The user's wedding is on 5 July.", False),
        ("My daughter is in sixth form.", "The user's son is in sixth form.", False),
        ("We can't go over 900 for the bed.", "The budget for the bed is 900.", True),
        ("My niece Zofia collects stamps.", "Zofia, the user's niece, collects stamps.", True),
    ],
)  # fmt: skip
def test_statements_keep_period_owner_child_and_limit(words: str, statement: str, supported: bool) -> None:
    assert ground(statement, said(words), vocabulary()).grounded is supported
