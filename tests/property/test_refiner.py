"""Whatever a refiner answers, every fact that is stored stands in the words that were said."""

from __future__ import annotations

import functools
import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.model import CandidateFact, Polarity, Said, ValueType
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.outline import outline
from mcp_memory_server.memory.refining.check import check
from mcp_memory_server.memory.refining.port import Proposal, RefinerError, choices_of
from mcp_memory_server.memory.refining.signs import signs_of
from mcp_memory_server.memory.refining.values import spans_of
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.policy import load_policy
from mcp_memory_server.refiner.answer import proposals_of

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TEXTS = (
    "I call Galway home, and my sister Odile calls Oslo home.",
    "My weakness for olive oil is well known. I used to adore tea.",
    "If I could, I would call Lisbon home; they say Porto is my home.",
    "My nest egg comes to 14,000 euros, not 41,000.",
    "I never treated myself to a canoe, but my boss bought a yacht.",
    "Do I like jazz? He loves it. I cannot bear lilies.",
    "Call [phone 1], the fee is 12 pounds a month.",
    "我家安在成都，我弟弟把家安在了大理。",
    "我对火锅情有独钟，以前我最爱面条。",
    "如果可以，我就把厦门当家。他们说我讨厌香菜。",
    "我手头的积蓄有十四万，不是四十一万。",
    "我从来没买过独木舟，老板倒是入手了一条。",
    "我喜欢爵士吗？她热爱爵士。百合我实在受不了。",
)


@functools.cache
def vocabulary() -> Vocabulary:
    return load_policy().vocabulary


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[Proposal]]:
    """A text, and proposals that quote it, miss it, or mix it."""
    text = draw(st.sampled_from(TEXTS))
    choices = choices_of(vocabulary())
    pieces = st.tuples(st.integers(0, len(text)), st.integers(1, 24)).map(lambda at: text[at[0] : at[0] + at[1]])
    words = st.sampled_from([part.strip(",.;?") for part in text.split()] or [text])
    values = st.one_of(pieces, words, st.text(max_size=8), st.sampled_from(["true", "Paris", "巴黎", "7", "1", "x"]))
    quotes = st.one_of(
        st.just(text), st.sampled_from([*text.split("，"), *text.split(",")]), pieces, st.text(max_size=9)
    )
    one = st.builds(
        Proposal,
        quote=quotes,
        subject=st.sampled_from(["user", "user.sister", "user.brother", "user.boss", *choices.subjects[:3], "root"]),
        predicate=st.sampled_from([*(item.name for item in choices.predicates), "is_admin"]),
        value_type=st.sampled_from(list(ValueType)),
        value=values,
        polarity=st.sampled_from(list(Polarity)),
    )
    return text, draw(st.lists(one, max_size=10))


def stands(fact: CandidateFact, text: str) -> None:
    """The clause, the value and the sign of a fact are in the words; its subject is one that they name."""
    said = Said(text, NOON, "UTC")
    clause = fact.span.of(text)
    assert clause
    assert clause in text
    home = next(unit for unit in outline(text, NOON, "UTC", vocabulary()) if unit.start == fact.span.start)
    assert not home.blocked
    assert ground(clause, said, vocabulary()).grounded
    assert fact.predicate in vocabulary().signs
    if fact.object.type in (ValueType.TEXT, ValueType.ENTITY):
        places = spans_of(fact.object.value, home)
        assert any(signs_of(fact.predicate, home, place, vocabulary()) for place in places)
    elif fact.object.type in (ValueType.NUMBER, ValueType.MONEY):
        assert fact.object.value in {format(one.value.normalize(), "f") for one in quantity.find(clause, home.lang)}
    if fact.subject != "user":
        assert home.subject == fact.subject


@settings(max_examples=400, deadline=None)
@given(cases())
def test_every_fact_stands_in_the_words(case: tuple[str, list[Proposal]]) -> None:
    text, proposals = case
    said = Said(text, NOON, "UTC")
    found = check(proposals, said, outline(text, NOON, "UTC", vocabulary()), (), vocabulary())
    assert len(found.facts) + sum(found.dropped.values()) == len(proposals)
    for fact in found.facts:
        stands(fact, text)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["facts", "quote", "value", "choices", "message", "content"]), inner, max_size=3
        ),
    ),
    max_leaves=12,
)
BODIES = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda value: json.dumps(value).encode()),
    JSON.map(lambda value: json.dumps({"choices": [{"message": {"content": json.dumps(value)}}]}).encode()),
    JSON.map(lambda value: json.dumps({"choices": [{"message": {"content": json.dumps({"facts": value})}}]}).encode()),
)


@settings(max_examples=400, deadline=None)
@given(BODIES)
def test_any_body_is_either_of_the_schema_or_an_error_of_ours(body: bytes) -> None:
    choices = choices_of(vocabulary())
    try:
        found: Any = proposals_of(body, choices)
    except RefinerError:
        return
    for one in found:
        assert one.subject in choices.subjects
        assert one.predicate in {item.name for item in choices.predicates}
