"""Slots of summaries: what they are taken from, and that nothing is cut in two."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.memory.model import EventType, Kind, Value, ValueType
from mcp_memory_server.memory.records import Session
from mcp_memory_server.memory.summaries import event_slots, keywords, opening, session_slots
from tests.fakes import NOON
from tests.support import memory


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I cancel order 4711 with Lufthansa?", ["cancel", "4711", "Lufthansa"]),
        ("The refund of the ticket has not arrived", ["refund", "ticket", "arrived"]),
        ("请问怎么申请退票？", ["申请退票"]),
        ("Call me at [phone 1] about the delivery", ["Call", "delivery"]),
        ("", []),
        ("?!", []),
        ("the of and", []),
    ],
)
def test_keywords_are_three_words_of_the_text_in_its_order(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


def test_a_long_piece_of_chinese_is_taken_apart() -> None:
    assert keywords("下周五北京南到上海虹桥的高铁票") == ["下周五北京南", "上海虹桥", "高铁票"]


@given(st.text())
def test_keywords_come_from_the_text(text: str) -> None:
    found = keywords(text)
    assert len(found) <= 3
    assert len(set(found)) == len(found)


@given(st.text())
def test_an_opening_is_short_and_begins_the_text(text: str) -> None:
    made = opening(text)
    line = " ".join(text.split())
    assert len(made) <= 50
    assert line.startswith(made.removesuffix("…").rstrip()) or made == line


def test_an_opening_ends_at_a_word_and_keeps_placeholders_whole() -> None:
    assert opening("short words") == "short words"
    long = "I would like to know why the parcel was sent to the wrong address"
    assert opening(long) == "I would like to know why the parcel was sent to…"
    assert opening("x" * 44 + " [phone 1] and more") == "x" * 44 + "…"
    assert opening("我" * 60) == "我" * 49 + "…"


def test_an_event_has_a_type_a_count_keywords_and_words() -> None:
    event = memory("m_1", kind=Kind.EVENT, event_type=EventType.QUESTION, count=3)
    assert event_slots(event, "How do I cancel my order?") == {
        "type": "question",
        "count": 3,
        "keywords": ["cancel", "order"],
        "words": "How do I cancel my order?",
    }


def test_a_session_counts_what_it_holds() -> None:
    session = Session("s", NOON - timedelta(days=1), NOON, 7)
    likes = replace(memory("m_1"), object=Value(ValueType.TEXT, "green tea"))
    spent = replace(memory("m_2"), object=Value(ValueType.MONEY, "80", "EUR", "train tickets"))
    masked = replace(memory("m_3"), object=Value(ValueType.TEXT, "[phone]"))
    asked = memory("m_4", kind=Kind.EVENT, event_type=EventType.QUESTION)
    found = session_slots(session, [likes, spent, masked, asked], ["Where is the green tea?"])
    assert found == {
        "date": "2026-11-30",
        "first_date": "2026-11-29",
        "utterances": 7,
        "facts": 3,
        "events": {"question": 1},
        "keywords": ["green tea", "train tickets", "green"],
    }
