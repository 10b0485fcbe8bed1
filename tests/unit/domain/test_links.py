"""Which facts belong together, and what that suggests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcp_memory_server.memory.links import LinkRule, Suggestion, called_for, links, partners
from mcp_memory_server.memory.model import Evidence, Memory, Polarity, Validity, Value, ValueType
from mcp_memory_server.policy import load_policy
from tests.support import memory

VOCABULARY = load_policy().vocabulary
PAYMENT = LinkRule.parse(
    {"link": "payment", "from": ["booked"], "to": ["payment_status"], "by": ["named", "utterance"]}, VOCABULARY
)
JOURNEY = LinkRule.parse(
    {"link": "journey", "from": ["booked"], "to": ["seat_class"], "by": ["utterance", "day"]}, VOCABULARY
)
RULES = (PAYMENT, JOURNEY)
PAY = Suggestion.parse(
    {"suggestion": "pay", "link": "payment", "states": ["unpaid", "没付"], "opposites": ["paid"], "en": "?", "zh": "?"},
    RULES,
)


def fact(name: str, predicate: str, value: str, scope: str | None = None, spoken: str = "", **more: Any) -> Memory:
    made = replace(
        memory(name), subject="user", predicate=predicate, object=Value(ValueType.TEXT, value, None, scope), **more
    )
    return replace(made, evidence=(Evidence(spoken, 0, 1),)) if spoken else made


def joined(one: Memory, *others: Memory) -> list[tuple[str, str]]:
    return [(link.name, link.memory.id) for link in links(one, others, RULES, VOCABULARY)]


@pytest.mark.parametrize(
    ("thing", "scope"),
    [
        ("高铁票", "高铁票"),
        ("高铁票", "票"),
        ("the train ticket", "train tickets"),
        ("train ticket", "ticket"),
        ("hotel", "the hotel in Porto"),
    ],
)
def test_a_payment_belongs_to_what_it_names(thing: str, scope: str) -> None:
    order, payment = fact("m_1", "booked", thing), fact("m_2", "payment_status", "unpaid", scope)
    assert joined(order, payment) == [("payment", "m_2")]
    assert joined(payment, order) == [("payment", "m_1")]


def test_a_payment_that_names_another_thing_does_not_belong_even_when_said_in_one_breath() -> None:
    order = fact("m_1", "booked", "hotel", spoken="u_1")
    assert joined(order, fact("m_2", "payment_status", "unpaid", "train ticket", spoken="u_1")) == []


def test_where_no_name_is_said_the_same_words_join() -> None:
    order = fact("m_1", "booked", "hotel", spoken="u_1")
    assert joined(order, fact("m_2", "payment_status", "unpaid", spoken="u_1")) == [("payment", "m_2")]
    assert joined(order, fact("m_3", "payment_status", "unpaid", spoken="u_2")) == []


def test_a_day_joins_what_happens_on_it() -> None:
    order = fact("m_1", "booked", "train ticket", validity=Validity(at="2026-12-11T09:00"))
    assert joined(order, fact("m_2", "seat_class", "二等座", validity=Validity(at="2026-12-11"))) == [
        ("journey", "m_2")
    ]
    assert joined(order, fact("m_3", "seat_class", "二等座", validity=Validity(at="2026-12-12"))) == []
    month = fact("m_4", "booked", "train ticket", validity=Validity(at="2026-12"))
    assert joined(month, fact("m_5", "seat_class", "二等座", validity=Validity(at="2026-12"))) == []


def test_facts_of_two_persons_are_never_joined() -> None:
    order = fact("m_1", "booked", "hotel")
    assert joined(order, replace(fact("m_2", "payment_status", "unpaid", "hotel"), subject="user.mother")) == []
    nobody = replace(order, subject=None)
    assert joined(nobody, replace(fact("m_2", "payment_status", "unpaid", "hotel"), subject=None)) == []


def test_predicates_that_no_rule_names_are_joined_to_nothing() -> None:
    assert partners(fact("m_1", "likes", "tea"), RULES) == []
    assert partners(fact("m_1", "booked", "hotel"), RULES) == ["payment_status", "seat_class"]
    assert joined(fact("m_1", "likes", "hotel"), fact("m_2", "payment_status", "unpaid", "hotel")) == []


@pytest.mark.parametrize(
    ("value", "polarity", "asked"),
    [
        ("unpaid", Polarity.POSITIVE, True),
        ("还没付款", Polarity.POSITIVE, True),
        ("paid", Polarity.POSITIVE, False),
        ("paid", Polarity.NEGATIVE, True),
        ("unpaid", Polarity.NEGATIVE, False),
        ("已付款", Polarity.POSITIVE, False),
    ],
)
def test_what_is_not_paid_suggests_to_pay(value: str, polarity: Polarity, asked: bool) -> None:
    order = fact("m_1", "booked", "hotel", validity=Validity(at="2026-12-11"))
    payment = fact("m_2", "payment_status", value, "hotel", polarity=polarity)
    for one, other in ((order, payment), (payment, order)):
        found = called_for(links(one, [other], RULES, VOCABULARY), [PAY])
        assert [slots for _, slots in found] == (
            [{"thing": "hotel", "state": value, "at": "2026-12-11"}] if asked else []
        )


def test_one_thing_is_suggested_once() -> None:
    order, payment = fact("m_1", "booked", "hotel"), fact("m_2", "payment_status", "unpaid", "hotel")
    both = [*links(order, [payment], RULES, VOCABULARY), *links(payment, [order], RULES, VOCABULARY)]
    assert len(called_for(both, [PAY])) == 1


def test_what_must_not_be_mentioned_suggests_nothing() -> None:
    order, payment = fact("m_1", "booked", "hotel"), fact("m_2", "payment_status", "unpaid", "hotel")
    hidden = replace(order, hidden=True)
    assert called_for(links(hidden, [payment], RULES, VOCABULARY), [PAY]) == []
    assert called_for(links(order, [replace(payment, hidden=True)], RULES, VOCABULARY), [PAY]) == []


GOOD = {"link": "payment", "from": ["booked"], "to": ["payment_status"]}


@pytest.mark.parametrize(
    "wrong", [{"from": []}, {"from": "booked"}, {"to": ["no_such"]}, {"by": []}, {"by": ["magic"]}]
)
def test_a_wrong_rule_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"links\.payment"):
        LinkRule.parse(GOOD | wrong, VOCABULARY)


@pytest.mark.parametrize(
    "wrong", [{"link": "no_such"}, {"zh": ""}, {"states": []}, {"states": "unpaid"}, {"states": [" "]}]
)
def test_a_wrong_suggestion_is_refused_by_name(wrong: dict[str, Any]) -> None:
    good = {"suggestion": "pay", "link": "payment", "states": ["unpaid"], "en": "?", "zh": "?"}
    with pytest.raises(ValueError, match=r"suggestions\.pay"):
        Suggestion.parse(good | wrong, RULES)
