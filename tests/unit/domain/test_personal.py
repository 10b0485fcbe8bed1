"""Values that fill parameters, and rules for the prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_memory_server.memory.model import Kind, Sentiment, Status, Value, ValueType
from mcp_memory_server.memory.personal import PromptRule, applied, told, values
from tests.fakes import NOON
from tests.support import memory

TEXTS = {"en": "Say sorry.", "zh": "先道歉。"}
MOOD = PromptRule("frustrated", "sentiment", labels=("angry",), intensity=0.7, days=1, texts=TEXTS)
LOW = PromptRule("basics_first", "predicate", predicate="mastery_level", below=0.5, texts=TEXTS)
HIDDEN = PromptRule("do_not_mention", "hidden", texts=TEXTS)


def fact(name: str, predicate: str, value: str, **more: object):
    typed = Value(ValueType.NUMBER, value, "CNY" if predicate == "spending_limit" else None)
    return replace(memory(name), subject="user", predicate=predicate, object=typed, **more)


def spoken(name: str, label: str, intensity: float, **more: object):
    return replace(memory(name, kind=Kind.UTTERANCE), sentiment=Sentiment(label, intensity), said_at=NOON, **more)


def test_the_newest_current_fact_fills_a_parameter() -> None:
    old = fact("m_1", "spending_limit", "3000", said_at=NOON - timedelta(days=9))
    new = fact("m_2", "spending_limit", "5000", said_at=NOON)
    found = values([new, old], {"limit": "spending_limit", "seat": "seat_class"})
    assert found == {"limit": {"value": "5000", "unit": "CNY", "memory_id": "m_2"}}


def test_what_is_not_to_be_mentioned_or_of_somebody_else_fills_nothing() -> None:
    hidden = fact("m_1", "spending_limit", "3000", hidden=True)
    other = replace(fact("m_2", "spending_limit", "9"), subject="user.mother")
    assert values([hidden, other], {"limit": "spending_limit"}) == {}


def test_a_strong_recent_mood_holds_and_names_its_memory() -> None:
    said = [spoken("u_1", "angry", 0.9), spoken("u_2", "angry", 0.5), spoken("u_3", "happy", 0.9)]
    found = applied([MOOD], [], said, NOON + timedelta(hours=1))
    assert [item.memory_ids for item in found] == [("u_1",)]
    assert told(found, "zh") == ["先道歉。"]


def test_a_mood_passes() -> None:
    assert applied([MOOD], [], [spoken("u_1", "angry", 0.9)], NOON + timedelta(days=2)) == []


@pytest.mark.parametrize(("value", "holds"), [("0.4", True), ("0.5", False), ("much", False)])
def test_a_number_below_its_bound_holds(value: str, holds: bool) -> None:
    found = applied([LOW], [fact("m_1", "mastery_level", value)], [], NOON)
    assert bool(found) is holds


def test_only_current_facts_count() -> None:
    superseded = fact("m_1", "mastery_level", "0.1", status=Status.SUPERSEDED)
    assert applied([LOW], [superseded], [], NOON) == []


def test_hidden_memories_are_named_but_not_told() -> None:
    found = applied([HIDDEN], [fact("m_1", "spending_limit", "1", hidden=True)], [], NOON)
    assert [item.memory_ids for item in found] == [("m_1",)]
    assert told(found, "fr") == ["Say sorry."]


@pytest.mark.parametrize(
    "table", [{"rule": "x", "when": "never", "en": "a", "zh": "b"}, {"rule": "x", "when": "hidden", "en": "a"}]
)
def test_a_rule_that_says_too_little_is_refused_by_name(table: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"prompt_rules\.x"):
        PromptRule.parse(table)
