"""The lower-case twins of patterns, and word tables as patterns: both must find what the plain way finds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import perceive, rx
from mcp_memory_server.memory.perceive.lexicon import alternation
from tests.unit.memory.understanding import vocabulary

TEXTS = (
    "I live in Paris and my sister Anna works at Acme since March 2021, but I don't like oolong tea any more.",
    "No, wait, it's 1.4, not 1.2. Forget what I said about my budget of $1.2k, and remind me next Friday at 3pm.",
    "My order still hasn't shipped!! I am so fed up. Could you book me a table? If I moved, I would miss the sea.",
    "我在杭州住了三年，明天下午3点要开会，预算500以内，别再提我前任了。其实不是周五，是周六。",
    "The İstanbul trip in ſummer costs 300 K.",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("fold", [str, str.upper, str.lower, str.title])
def test_a_twin_says_no_only_where_its_pattern_finds_nothing(
    text: str, fold: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def checked(self: rx._Part, words: str) -> re.Match[str] | None:
        found = self._whole(words)
        if self._twin is not None:
            compared.append(words)
            # Two letters have a capital that Python's lower case does not lead back to: no rule hangs on them.
            if not {"ſ", "İ", "i̇"} & set(words):
                assert (self._twin(words.lower()) is None) == (found is None), self._whole
        return found

    monkeypatch.setattr(rx._Part, "search", checked)
    words = fold(text)  # type: ignore[operator]
    perceive(Said(words, datetime(2026, 11, 30, tzinfo=UTC), "Europe/Paris"), vocabulary())
    assert len(compared) > 50


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?i)\bNO\b(?P<Rest>\S+)?", "Oh No!"),
        (r"(?i)(?<=MY )(?P<Name>[A-Z]+)", "my anna"),
        (r"(?i)(?P<Q>')?x(?(Q)')", "say 'X'"),
        (r"(?i)\Aok\Z", "OK"),
    ],
)
def test_escapes_groups_and_conditions_survive_the_change_to_small_letters(pattern: str, text: str) -> None:
    found, plain = rx.Rx(pattern).search(text), re.compile(pattern).search(text)
    assert found is not None
    assert plain is not None
    assert (found.span(), found.groupdict()) == (plain.span(), plain.groupdict())


def test_a_pattern_in_which_case_matters_somewhere_has_no_twin() -> None:
    assert rx.Rx(r"my (?P<name>[A-Z]\w+)").search("my anna") is None
    assert rx.Rx(r"(?i)my (?-i:[A-Z]\w+)").search("my anna") is None


WORDS = st.lists(st.text("abAB 的's-(", min_size=1, max_size=6), max_size=12)


@given(words=WORDS, text=st.text("abAB 的's-(", max_size=30))
def test_words_that_share_beginnings_are_found_as_one_by_one(words: list[str], text: str) -> None:
    plain = "|".join(map(re.escape, sorted(set(words), key=lambda word: (-len(word), word)))) or r"(?!)"
    found = [match[0] for match in re.finditer(f"(?:{alternation(words)})", text)]
    assert found == [match[0] for match in re.finditer(f"(?:{plain})", text)]
