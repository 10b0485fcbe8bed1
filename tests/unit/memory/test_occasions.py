"""Several things of a kind: which journey a fact is about, and how far a payment has got."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_memory_server.memory import occasions
from mcp_memory_server.memory.ellipsis import complete
from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.perceive.events import order_free
from mcp_memory_server.memory.reconcile import Outcome, reconcile
from tests.unit.memory.understanding import facts, memories, read, said, times, vocabulary


def outcomes(first: str | list[str], second: str) -> set[tuple[str, str, str]]:
    """(predicate, outcome, values of the memories concerned) of each fact of a second utterance."""
    texts = [first] if isinstance(first, str) else first
    told = [memory for text in texts for memory in memories(text)]
    known = [replace(memory, id=f"m_{place}") for place, memory in enumerate(told)]
    words = said(second)
    out = set()
    for fact in complete(perceive(words, vocabulary()), words, known, vocabulary()):
        own = [memory for memory in known if memory.subject == fact.subject]
        found = reconcile(fact, fact.span.of(second), own, vocabulary(), Change.NONE, second)
        hit = "+".join(m.object.value for m in known if m.id in found.targets and m.object)
        out.add((fact.predicate, found.outcome.value, hit))
    return out


BONN = "I booked a train ticket from Bonn to Berlin for 5 January."
OSLO = [
    "I booked a flight from Oslo to Rome for 3 March 2026.",
    "I booked a flight from Oslo to Nice for 9 April 2026.",
]


def test_ends_and_seat_are_those_of_what_was_booked_on_its_day() -> None:
    assert {"user departs_from Bonn (train ticket)", "user arrives_at Berlin (train ticket)"} <= set(facts(BONN))
    assert times(BONN, "departs_from")[2] == "2026-01-05"
    told = facts("我订了12月11日北京南到上海虹桥的高铁票，一等座。")
    assert {
        "user departs_from 北京南 (高铁票)",
        "user arrives_at 上海虹桥 (高铁票)",
        "user seat_class 一等座 (高铁票)",
    } <= set(told)
    assert "user departs_from 成都 (机票)" in facts("帮我订下周三从成都到三亚的机票。")


def test_two_journeys_stand_beside_each_other() -> None:
    for first, second in [
        ("我订了12月11日北京南到上海虹桥的高铁票。", BONN),
        (BONN, "I booked a train ticket from Kiel to Ulm for 7 January."),
        (OSLO[0], OSLO[1]),
    ]:
        assert {found for _, found, _ in outcomes(first, second)} == {"stored"}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (BONN, "The train leaves from Siegburg, not Bonn.", ("departs_from", "superseded", "Bonn")),
        (BONN, "The train leaves from Siegburg.", ("departs_from", "disputed", "Bonn")),
        (
            "我订了12月11日北京南到上海虹桥的高铁票。",
            "那趟高铁从天津南出发，不是北京南。",
            ("departs_from", "superseded", "北京南"),
        ),
        ("我订了12月11日北京南到上海虹桥的高铁票。", "高铁的终点站是杭州东。", ("arrives_at", "disputed", "上海虹桥")),
        (OSLO, "The flight on 9 April leaves from Bergen, not Oslo.", ("departs_from", "superseded", "Oslo")),
    ],
)
def test_another_end_of_the_same_journey_is_asked_about_or_corrected(
    first: str, second: str, expected: tuple[str, str, str]
) -> None:
    assert expected in outcomes(first, second)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("高铁票还没付款。", "高铁票已付款。", "superseded"), ("机票没付款。", "机票我付了。", "superseded"), ("酒店还没付钱。", "酒店的钱已经付了。", "superseded"),
        ("The invoice is unpaid.", "The invoice is paid.", "superseded"), ("The deposit is paid.", "The deposit was refunded.", "superseded"),
        ("机票还没付款。", "I've paid for the flight.", "superseded"), ("The invoice is paid.", "The invoice is unpaid.", "disputed"), ("高铁票已付款。", "高铁票还没付款。", "disputed"),
        ("高铁票还没付款。", "高铁票没付款。", "restated"), ("高铁票还没付款。", "酒店已付款。", "stored"),
    ],
)  # fmt: skip
def test_paying_is_a_change_and_the_way_back_a_contradiction(first: str, second: str, expected: str) -> None:
    assert {found for predicate, found, _ in outcomes(first, second) if predicate == "payment_status"} == {expected}


@pytest.mark.parametrize(
    ("words", "value", "denied"),
    [("from Leeds, not York", "York", True), ("不是北京南", "北京南", True), ("not in Yorkshire", "York", False), ("from York", "York", False), ("not to be late in York", "York", False)],
)  # fmt: skip
def test_a_value_is_denied_in_so_many_words(words: str, value: str, denied: bool) -> None:
    assert occasions.denies(words, value) is denied


@pytest.mark.parametrize(
    ("words", "anew"),
    [
        ("I booked a table for Friday.", True),
        ("I booked the table for Friday.", False),
        ("我订了周五的酒店。", True),
        ("那个酒店订的是周五。", False),
    ],
)
def test_an_act_of_booking_is_another_booking(words: str, anew: bool) -> None:
    assert occasions.books_anew(words) is anew


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I have two children.", "Actually no, I have four children."), ("I live in Ghent.", "Sorry, I live in Lund."), ("我女儿今年6岁。", "不对，是7岁。"),
        ("My laptop budget is $1,500.", "I raised my laptop budget to $1,800."), ("装修预算最多8万。", "我把装修预算提高到了15万。"), ("我投资比较保守。", "我现在改变想法了，投资偏激进。"),
    ],
)  # fmt: skip
def test_words_that_object_or_tell_a_change_replace(first: str, second: str) -> None:
    assert {found for _, found, _ in outcomes(first, second)} == {str(Outcome.SUPERSEDED)}


def test_a_change_of_school_is_no_tool() -> None:
    found = outcomes("I've studied at Rowan College since March.", "I switched to Elm College in May.")
    assert found == {("studies_at", "superseded", "Rowan College")}


@pytest.mark.parametrize(
    "asked",
    [
        ["发票怎么开？", "能告诉我怎么开发票吗", "开发票要走什么流程？"],
        [
            "How do I reset my router?",
            "Could you tell me how to reset my router?",
            "What's the way to reset the router?",
        ],
        ["How can I get a refund?", "How do I request a refund?", "What is the refund process?"],
    ],
)
def test_one_question_in_other_words_is_one_event(asked: list[str]) -> None:
    events = [event for text in asked for event in read(text).events]
    assert {(event.event_type.value, order_free(event.topic)) for event in events} == {
        ("question", order_free(events[0].topic))
    }
    assert len(events) == len(asked)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("把我看心理医生的事忘掉吧。", "forget_request"), ("刚才那句忘掉吧。", "forget_request"), ("我把钥匙忘了。", "assert"),
        ("This rent is ridiculously high!", "complain"), ("The rent is high.", "small_talk"),
    ],
)  # fmt: skip
def test_the_act_is_read(text: str, act: str) -> None:
    assert read(text).speech_act.value == act


def test_names_and_bookings_read_beside() -> None:
    assert facts("你好，我是小周。") == ["user has_name 小周"]
    assert facts("我是林晓舟。") == ["user has_name 林晓舟"]
    assert "user travels_to Riga" in facts("I booked a flight to Riga for 5 May at 11 am.")
    assert facts("German cases are hard for me.") == ["user struggles_with German cases"]
