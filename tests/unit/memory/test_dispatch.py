"""What patterns need, and which rules a text can concern: both may only leave out what finds nothing anyway."""

from __future__ import annotations

import gc
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import facts, perceive, rules_en, rules_zh, rx
from mcp_memory_server.memory.perceive.alternatives import alternatives
from mcp_memory_server.memory.perceive.dispatch import Dispatch
from mcp_memory_server.memory.perceive.needs import DIGIT, LETTER, by_character, characters, folded, needs
from mcp_memory_server.memory.perceive.rules_zh.triggers import clause_triggers
from tests.unit.memory.test_own_corpora import rows
from tests.unit.memory.understanding import vocabulary

TURKISH = re.compile("[İſı]").search  # letters that no rule hangs on, and whose small form is another for `re`
MOMENT = datetime(2026, 11, 30, tzinfo=UTC)
ALPHABET = "abksİıſKA1٣ 的一不药'-."


def held(need: frozenset[str], text: str) -> bool:
    """One of the words is there, by the letter and by its rarest character."""
    low, chars = folded(text), characters(text)
    whole = any(word in chars if word in (DIGIT, LETTER) else word in low for word in need)
    assert not whole or not by_character(need).isdisjoint(chars)
    return whole


ATOMS = st.one_of(
    st.text(ALPHABET, min_size=1, max_size=3).map(re.escape),
    st.sampled_from([r"\d", r"[a-z]", "[ab1]", "[^a]", "[的一]", r"\w", ".", r"\b", "^", "$", r"[\u4e00-\u9fff]"]),
    st.sampled_from(["(?!的)", "(?=a)", "(?<=k)"]),
)  # fmt: skip
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}?"])).map(lambda both: f"(?:{both[0]}){both[1]}"),
        inner.map(lambda part: f"(?i:{part})"),
        inner.map(lambda part: f"(?>{part})"),
    ),
    max_leaves=6,
)


@settings(max_examples=500, deadline=None)
@given(PATTERNS, st.sampled_from([0, re.IGNORECASE]), st.lists(st.text(ALPHABET, max_size=12), min_size=1, max_size=8))
def test_a_text_without_what_a_pattern_needs_has_nothing_for_it(pattern: str, flags: int, texts: list[str]) -> None:
    known = needs(pattern, flags)
    for text in texts:
        if re.search(pattern, text, flags):
            assert all(held(need, text) for need in known), (pattern, text, known)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\byears\b", {"years"}),
        (r"(?i)\b(?:Fed up|tired)\b", {"fed up", "tired"}),
        ("用|卸|[A-Za-z]", {"用", "卸", LETTER}),
        (r"\d+(?:号|日)", {"号", "日"}),
        (r"(?:day)?x", {"x"}),
        (r"的(?!确)药", {"的药"}),
        (r"[A-z]b", {"b"}),
    ],
)
def test_the_rarest_need_comes_first(pattern: str, expected: set[str]) -> None:
    assert needs(pattern)[0] == expected


@pytest.mark.parametrize("pattern", [r"\w+", "a*", "[^a]", "(?:a|)", r"(a)?\1", "É"])
def test_where_nothing_is_sure_nothing_is_needed(pattern: str) -> None:
    assert needs(pattern) == []


def test_every_letter_that_ignores_case_is_folded_alike() -> None:
    for letter in "abcdefghijklmnopqrstuvwxyz":
        pattern = re.compile(letter, re.IGNORECASE)
        for char in map(chr, range(0x2C00)):
            if pattern.match(char):
                assert letter in folded(char), hex(ord(char))


def test_a_pattern_that_looks_first_finds_what_it_finds_without() -> None:
    messages = list(spoken(60))
    for said in messages:
        perceive(said, vocabulary())
    made = [
        one for one in gc.get_objects() if isinstance(one, rx.Rx) and one._parts and not TURKISH(one._whole.pattern)
    ]
    assert len(made) > 300
    for text in (said.text for said in messages[:40]):
        for one in made:
            found, plain = one.search(text), one._whole.search(text)
            assert (found and (found.span(), found.groups())) == (plain and (plain.span(), plain.groups())), (
                one._whole.pattern,
                text,
            )


@settings(max_examples=500, deadline=None)
@given(
    st.lists(PATTERNS, min_size=1, max_size=5).map("|".join),
    st.sampled_from([0, re.IGNORECASE]),
    st.lists(st.text(ALPHABET, max_size=12), min_size=1, max_size=8),
)
def test_a_pattern_taken_apart_finds_what_it_finds_in_one_piece(pattern: str, flags: int, texts: list[str]) -> None:
    assume(not TURKISH(pattern + "".join(texts)))
    apart = alternatives(pattern)
    assert re.compile("|".join(apart), flags).pattern == pattern
    parts = rx.Rx(pattern + "|" + "(?!)" * rx._LONG, flags)
    for text in texts:
        found, plain = parts.search(text), re.search(pattern, text, flags)
        assert (found and found.span()) == (plain and plain.span()), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "apart"),
    [
        (r"(?i)a|b[|)]|\\|(?:c|d)", ["(?i)a", "(?i)b[|)]", r"(?i)\\", "(?i)(?:c|d)"]),
        (r"[]|]|[^]|]x", ["[]|]", "[^]|]x"]),
        (r"(a)|b", ["(a)|b"]),
        (r"\||x", [r"\|", "x"]),
    ],
)
def test_alternatives_end_at_the_outermost_bars(pattern: str, apart: list[str]) -> None:
    assert alternatives(pattern) == apart


def spoken(count: int) -> Iterator[Said]:
    """Messages of our own corpora, and clauses of them put together anew."""
    chance = random.Random(7)
    texts = [item["said"] for lang in ("en", "zh") for item in rows(f"perception_{lang}")]
    parts = {True: [], False: []}  # type: ignore[var-annotated]  # of Chinese, of English
    for text in texts:
        parts[bool(re.search("[\u4e00-\u9fff]", text))] += re.findall(r"[^,，.。!！?？]+", text)
    for place in range(count):
        some = chance.sample(parts[place % 2 == 0], 4)
        yield Said(("，" if place % 2 == 0 else ", ").join(some), MOMENT, "Asia/Shanghai")
        yield Said(chance.choice(texts), MOMENT, "Europe/London")


def test_rules_that_are_passed_over_for_a_clause_would_have_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = list(spoken(400))
    dispatched = [perceive(said, vocabulary()).facts for said in messages]
    every = Dispatch(rules_zh.RULES, {})
    monkeypatch.setattr(facts, "_clause_triggers", lambda _: every)
    vocabulary().made.pop("zh clause triggers", None)
    try:
        assert [perceive(said, vocabulary()).facts for said in messages] == dispatched
    finally:
        vocabulary().made.pop("zh clause triggers", None)
    assert sum(map(len, dispatched)) > 400


def test_a_dispatch_says_which_triggers_are_there_as_a_search_for_each_does() -> None:
    for module in (rules_en, rules_zh):
        dispatch = Dispatch(module.RULES, module.TRIGGERS)
        for said in spoken(60):
            text = said.text
            found = dispatch.rules(dispatch.fitting(text))
            plain = [
                rule
                for rule in module.RULES
                if rule not in module.TRIGGERS or re.search(module.TRIGGERS[rule], text, re.IGNORECASE)
            ]
            assert found == plain
            words = dispatch.said_in(f"{text} and more")
            assert dispatch.likely(text, words) == dispatch.likely(text)


def test_few_rules_read_a_clause() -> None:
    triggers = clause_triggers(vocabulary())
    dispatch = Dispatch(tuple(triggers), triggers)
    asked = [len(dispatch.rules(dispatch.likely(said.text))) for said in spoken(200) if len(said.text) < 12]
    assert sum(asked) / len(asked) < 0.6 * len(triggers)
