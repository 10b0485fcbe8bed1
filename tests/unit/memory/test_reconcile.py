"""Reconciling: what a second utterance does to what the first one left."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.memory import value
from mcp_memory_server.memory.ellipsis import complete
from mcp_memory_server.memory.model import Change, Kind, Status, Value, ValueType
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.reconcile import Outcome, question_text, reconcile
from mcp_memory_server.memory.value import Match
from tests.unit.memory.understanding import memories, read, said, vocabulary

ORDER = [Outcome.RETRACTED, Outcome.SUPERSEDED, Outcome.DISPUTED, Outcome.REFINED, Outcome.RESTATED, Outcome.STORED]


def outcome(first: str, second: str, at: tuple[str, str] | None = None) -> str:
    early, late = at or (None, None)
    known = memories(first, early)
    words = said(second, late)
    perceived = perceive(words, vocabulary())
    found = complete(perceived, words, known, vocabulary())
    outcomes = [
        reconcile(fact, fact.span.of(second), [m for m in known if m.subject == fact.subject], vocabulary()).outcome
        for fact in found
    ]
    return str(min(outcomes or [reconcile(None, second, known, vocabulary()).outcome], key=ORDER.index))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("I live in Galway.", "I live in Galway.", "restated"), ("I live in Galway.", "My home is in Galway.", "restated"),
        ("I'm 5 foot 10.", "I'm 70 inches tall.", "restated"), ("我体重七十公斤。", "我体重一百四十斤。", "restated"),
        ("My budget for the laptop is $1,500.", "I can spend at most fifteen hundred dollars on the laptop.", "restated"),
        ("We have a beagle.", "I've got a dog.", "restated"), ("我不吃羊肉。", "I don't eat lamb.", "restated"), ("I like jazz.", "我喜欢爵士乐。", "restated"),
        ("I live in Scotland.", "I live in Inverness.", "refined"), ("My landlord's name is Quist.", "My landlord's full name is Henrik Quist.", "refined"),
        ("I earn about 50k.", "My salary is 52,300 a year.", "refined"), ("I'm going to Oslo in July.", "I'm flying to Oslo on 12 July.", "refined"),
        ("I live in Ghent.", "I moved to Bruges last week.", "superseded"), ("I'm a junior analyst.", "I'm a senior analyst now.", "superseded"),
        ("I like horror films.", "I no longer like horror films.", "superseded"), ("I have a cat.", "Our cat died yesterday.", "superseded"),
        ("I'm allergic to strawberries.", "I'm not allergic to strawberries after all.", "superseded"), ("我抽烟。", "烟我已经戒了。", "superseded"),
        ("I graduated in 2023.", "No, it's 2024, not 2023.", "superseded"), ("我们公司去年营收2.3亿。", "说错了，去年营收其实是2.8亿。", "superseded"),
        ("Our revenue last year was $1.2M.", "Sorry, I mean $1.4M.", "superseded"), ("I live in Porto.", "No, I meant Braga, not Porto.", "superseded"),
        ("家长会是周三。", "我记错了，家长会是周四。", "superseded"), ("My exam is on the 12th.", "They pushed my exam back to the 19th.", "superseded"),
        ("我完全不懂三角函数。", "三角函数我现在已经掌握了。", "superseded"), ("我有男朋友。", "我们上周分手了。", "superseded"),
        ("My favourite editor is Kate.", "My favourite editor is now Helix.", "superseded"), ("我考研报的是法学。", "考研方向我换成教育学了。", "superseded"),
        ("I live in Tallinn.", "I live in Riga.", "disputed"), ("I love running.", "I hate running.", "disputed"), ("I don't drink alcohol.", "I drink wine every evening.", "disputed"),
        ("我没有驾照。", "I have a driving licence.", "disputed"), ("婚礼是10月3号。", "婚礼是10月5号。", "disputed"), ("我今年二十八。", "我今年三十一。", "disputed"),
        ("装修预算最多8万。", "装修预算最多12万。", "disputed"), ("My surgery is on 4 July.", "The surgery is on 14 July.", "disputed"),
        ("I like jazz.", "I like opera too.", "stored"), ("My mother has hypertension.", "My father has diabetes.", "stored"),
        ("My gym costs $40 a month.", "My phone plan costs $40 a month.", "stored"), ("机票预算不超过2000元。", "高铁票预算500元以内。", "stored"),
        ("I dislike olives.", "I like olive oil.", "stored"), ("I lived in Osaka in 2015.", "I live in Kobe.", "stored"), ("I went to Malta in 2022.", "I went to Malta in 2024.", "stored"),
        ("My colleague Ana lives in Split.", "My friend Ana lives in Zadar.", "stored"), ("I'm not allergic to nuts.", "I'm allergic to pollen.", "stored"),
    ],
)  # fmt: skip
def test_a_second_utterance_does_to_the_first_what_its_words_say(first: str, second: str, expected: str) -> None:
    assert outcome(first, second) == expected


def test_a_retraction_takes_back_what_was_known() -> None:
    known = memories("I have a cat.")
    fact = replace(read("I don't have a cat.").facts[0], change=Change.RETRACTED)
    decision = reconcile(fact, "", known, vocabulary())
    assert decision.outcome is Outcome.RETRACTED
    assert decision.targets == ("m0",)
    assert decision.reason


def test_without_a_candidate_only_equal_words_restate() -> None:
    known = [replace(memories("I live in Galway.")[0], statement="The kiln is in the shed.")]
    assert reconcile(None, "the kiln is in the shed", known, vocabulary()).outcome is Outcome.RESTATED
    assert reconcile(None, "The kiln stands in the shed.", known, vocabulary()).outcome is Outcome.STORED


def test_history_and_other_kinds_decide_nothing() -> None:
    old = memories("I live in Tallinn.")[0]
    fact = read("I live in Riga.").facts[0]
    for changed in (
        replace(old, status=Status.SUPERSEDED),
        replace(old, kind=Kind.EVENT),
        replace(old, object=None),
        replace(old, subject="user.mother"),
    ):
        assert reconcile(fact, "", [changed], vocabulary()).outcome is Outcome.STORED


def test_a_change_that_the_whole_utterance_states_counts() -> None:
    fact = replace(read("I live in Riga.").facts[0], change=Change.NONE)
    assert (
        reconcile(fact, "", memories("I live in Tallinn."), vocabulary(), Change.CHANGED).outcome is Outcome.SUPERSEDED
    )
    assert reconcile(replace(fact, predicate="unknown"), "x", [], vocabulary()).outcome is Outcome.STORED


def test_a_correction_that_names_no_old_value_takes_the_latest_of_its_kind() -> None:
    fact = replace(read("I like opera.").facts[0], change=Change.CORRECTED)
    decision = reconcile(fact, "", memories("I like jazz."), vocabulary())
    assert decision.outcome is Outcome.SUPERSEDED
    assert reconcile(fact, "", [], vocabulary()).outcome is Outcome.STORED


def test_an_elliptical_correction_without_a_memory_is_no_fact() -> None:
    words = said("Sorry, I mean $1.4M.")
    assert complete(perceive(words, vocabulary()), words, [], vocabulary()) == ()


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "Which one is right?"), ("zh", "哪个是对的"), ("fr", "Which one is right?")]
)
def test_the_question_names_both_statements(lang: str, words: str) -> None:
    text = question_text("I live in Riga.", "I live in Tallinn.", lang)
    assert "Riga" in text
    assert "Tallinn" in text
    assert words in text


NUMBERS = [
    ("70", "in", "177.8", "cm", Match.EQUAL), ("1.5", "year", "18", "month", Match.EQUAL), ("140", "jin", "70", "kg", Match.EQUAL), ("70", "kg", "71", "kg", Match.DIFFERENT),
    ("12000", "CNY/month", "144000", "CNY/year", Match.EQUAL), ("100", "USD", "100", "EUR", Match.DIFFERENT), ("100", "USD", "100", "USD/month", Match.EQUAL),
    ("5", "kg", "5", "m", Match.DIFFERENT), ("7.5", None, "7.5", None, Match.EQUAL), ("A", None, "A", None, Match.EQUAL), ("A", None, "B", None, Match.DIFFERENT),
]  # fmt: skip


@pytest.mark.parametrize(("first", "unit", "second", "other", "match"), NUMBERS)
def test_numbers_compare_across_units(
    first: str, unit: str | None, second: str, other: str | None, match: Match
) -> None:
    assert (
        value.compare(Value(ValueType.NUMBER, first, unit), Value(ValueType.NUMBER, second, other), vocabulary())
        is match
    )


@pytest.mark.parametrize(
    ("known", "new", "match"),
    [
        ("2024", "2024", Match.EQUAL), ("2024", "2024-05", Match.CLOSER), ("2024-05-03", "2024", Match.LOOSER), ("2024", "2025", Match.DIFFERENT),
        ("--05-03", "1990-05-03", Match.CLOSER), ("1990-05-03", "--05-03", Match.LOOSER), ("--05-03", "--05-04", Match.DIFFERENT),
        ("2024-05-03", "2024-05-03T10:00:00+02:00", Match.CLOSER), ("2024-05-03T10:00:00+02:00", "2024-05-03", Match.LOOSER),
        ("2024-05-03T10:00:00+02:00", "2024-05-03T11:00:00+02:00", Match.DIFFERENT), ("2024-05-01/2024-05-03", "2024-05-02", Match.CLOSER), ("soon", "2024", Match.DIFFERENT),
    ],
)  # fmt: skip
def test_times_compare_by_what_they_cover(known: str, new: str, match: Match) -> None:
    assert value.times(known, new) is match


def test_about_leaves_a_tenth_open() -> None:
    about, exact = Value(ValueType.NUMBER, "50000", "USD", approx=True), Value(ValueType.NUMBER, "52300", "USD")
    assert value.compare(about, exact, vocabulary()) is Match.CLOSER
    assert value.compare(exact, about, vocabulary()) is Match.LOOSER


@pytest.mark.parametrize(
    ("known", "new", "match"),
    [
        ("tea", "green tea", Match.CLOSER),
        ("green tea", "tea", Match.LOOSER),
        ("olives", "olive oil", Match.DIFFERENT),
        ("the dogs", "dog", Match.EQUAL),
        ("看书", "阅读", Match.EQUAL),
    ],
)
def test_words_compare_by_what_they_name(known: str, new: str, match: Match) -> None:
    assert value.words(known, new, vocabulary()) is match


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_values_compare(first: str, second: str) -> None:
    for kind in ValueType:
        value.compare(Value(kind, first), Value(kind, second), vocabulary())
    value.overlap(first, second)
