"""Values that fill parameters, and rules for the prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_memory_server.memory.model import EventType, Kind, Sentiment, Speaker, Status, Value, ValueType
from mcp_memory_server.memory.personal import Binding, PromptRule, applied, told, values
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
    found = values([new, old], {"limit": Binding.parse("spending_limit"), "seat": Binding.parse("seat_class")})
    assert found == {"limit": {"value": "5000", "unit": "CNY", "memory_id": "m_2"}}


def test_what_is_not_to_be_mentioned_or_of_somebody_else_fills_nothing() -> None:
    hidden = fact("m_1", "spending_limit", "3000", hidden=True)
    other = replace(fact("m_2", "spending_limit", "9"), subject="user.mother")
    assert values([hidden, other], {"limit": Binding.parse("spending_limit")}) == {}


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


ASKED = PromptRule.parse(
    {
        "rule": "python_examples", "when": "asked", "words": ["Python"], "event_types": ["question"],
        "times": 3, "share": 0.5, "en": "Python.", "zh": "用 Python。",
    }
)  # fmt: skip
NAMED = PromptRule.parse(
    {
        "rule": "default_target", "when": "named", "times": 3, "patterns": [r"deploy it to (?P<value>[\w\-]+)"],
        "en": "Target: {value}.", "zh": "目标：{value}。",
    }
)  # fmt: skip


def question(name: str, words: str, count: int = 1):
    return replace(memory(name, words, kind=Kind.EVENT), event_type=EventType.QUESTION, count=count)


def test_most_questions_about_one_thing_hold() -> None:
    asked = [question("m_1", "How do I sort in Python?", 2), question("m_2", "Python 怎么读文件")]
    assert [item.memory_ids for item in applied([ASKED], [], [], NOON, asked)] == [("m_1", "m_2")]
    others = [question("m_3", "Where is Lima?", 4)]
    assert applied([ASKED], [], [], NOON, [*asked, *others]) == []
    assert applied([ASKED], [], [], NOON, asked[1:]) == []


def test_a_value_named_often_enough_holds_and_is_told() -> None:
    said = [memory(f"u_{n}", "Deploy it to eu-1", kind=Kind.UTTERANCE) for n in range(3)]
    more = [memory("u_9", "Deploy it to us-2", kind=Kind.UTTERANCE)]
    found = applied([NAMED], [], [*said, *more], NOON)
    assert [(item.value, item.memory_ids) for item in found] == [("eu-1", ("u_0", "u_1", "u_2"))]
    assert told(found, "zh") == ["目标：eu-1。"]
    assert applied([NAMED], [], [*said[:2], *more], NOON) == []


def test_what_others_say_names_no_default() -> None:
    said = [memory(f"u_{n}", "Deploy it to eu-1", kind=Kind.UTTERANCE, speaker=Speaker.ASSISTANT) for n in range(3)]
    assert applied([NAMED], [], said, NOON) == []


def test_a_level_in_words_counts_as_low() -> None:
    low = replace(LOW, words=("beginner", "入门"))
    assert applied([low], [fact("m_1", "mastery_level", "Beginner")], [], NOON) != []
    assert applied([low], [fact("m_1", "mastery_level", "入门水平")], [], NOON) != []
    assert applied([low], [fact("m_1", "mastery_level", "expert")], [], NOON) == []


def test_a_binding_may_take_only_values_it_names() -> None:
    form = Binding.parse({"predicates": ["uses_tool", "prefers_format"], "words": {"markdown": ["md"], "latex": []}})
    used = [fact("m_1", "uses_tool", "Blender"), fact("m_2", "prefers_format", "in Markdown")]
    assert values(used, {"format": form}) == {"format": {"value": "markdown", "memory_id": "m_2"}}
    assert values(used[:1], {"format": form}) == {}


@pytest.mark.parametrize("entry", [3, {}, {"predicates": "likes"}, {"predicates": ["likes"], "words": ["x"]}])
def test_a_binding_that_cannot_be_is_refused(entry: object) -> None:
    with pytest.raises(ValueError, match=r"predicate|words"):
        Binding.parse(entry)


@pytest.mark.parametrize("pattern", ["(", "no group"])
def test_a_pattern_that_finds_nothing_is_refused(pattern: str) -> None:
    table = {"rule": "x", "when": "named", "patterns": [pattern], "en": "a", "zh": "b"}
    with pytest.raises(ValueError, match=r"prompt_rules\.x\.patterns"):
        PromptRule.parse(table)
