"""Patterns compiled once and kept: the cache of `re` is too small for the rules of two languages.

Most rules find nothing in most texts, and two things say so sooner than the pattern does: what a text must hold for it
(see `needs`), and, where it ignores case, its twin in lower case, of which `re` sees where it could begin without
trying it at every character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from mcp_memory_server.memory.perceive.alternatives import alternatives
from mcp_memory_server.memory.perceive.needs import (
    DIGIT,
    LETTER,
    Need,
    by_character,
    characters,
    folded,
    needs,
    weight,
)

# What must stay as it is in a pattern, or one character of it.
_TOKEN = re.compile(r"\\.|\(\?P<\w+>|\(\?P=\w+\)|\(\?\(\w+\)|\(\?[a-zA-Z\-]+[:)]|.", re.DOTALL)
_RECENT_TEXTS = 64  # texts whose lower case is kept: one utterance is searched some hundred times


_HEAVIEST = 400  # words with more weight than this are in nearly every text
_FEW = 24  # words that are looked for one by one; of more, single characters are
_LONG = 120  # characters of a pattern that is taken apart
_MOST_NEEDS = 2  # sets of words that are looked for: the rarest say nearly all


class Rx:
    """A compiled pattern with the methods of `re.Pattern` that rules use."""

    __slots__ = (
        "_of_ascii",
        "_of_no_letter",
        "_parts",
        "_whole",
        "findall",
        "finditer",
        "fullmatch",
        "match",
        "search",
        "split",
    )

    search: Callable[[str], re.Match[str] | None]
    finditer: Callable[[str], Iterator[re.Match[str]]]

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._whole = whole = re.compile(pattern, flags)
        self._parts: tuple[_Part, ...] = ()
        self._of_ascii: tuple[_Part, ...] = ()  # those that may find something in such a text
        self._of_no_letter: tuple[_Part, ...] = ()
        self.match, self.fullmatch, self.findall, self.split = whole.match, whole.fullmatch, whole.findall, whole.split
        self.search, self.finditer = whole.search, whole.finditer
        # The engine is quick where case counts: to ask anything first would take longer.
        if whole.flags & re.IGNORECASE or len(pattern) > _LONG:
            parts = tuple(_Part(piece, flags) for piece in self._pieces(pattern))
            self._parts, self._of_ascii = parts, tuple(part for part in parts if not part.foreign)
            self._of_no_letter = tuple(part for part in parts if not part.letters)
            self.search, self.finditer = (parts[0].search if len(parts) == 1 else self._search), self._finditer

    def _pieces(self, pattern: str) -> list[str]:
        """The parts that are looked for one by one: where case counts, the engine is the quicker way."""
        apart = self._whole.flags & re.IGNORECASE and len(pattern) > _LONG
        return alternatives(pattern) if apart else [pattern]

    def _parts_for(self, text: str) -> tuple[_Part, ...]:
        if text.isascii():
            return self._of_ascii
        return self._parts if LETTER in characters(text) else self._of_no_letter

    def _search(self, text: str) -> re.Match[str] | None:
        """What begins first, and of what begins there what the first alternative finds: as `re` has it."""
        first = None
        for part in self._parts_for(text):
            found = part.search(text)
            if found is not None and (first is None or found.start() < first.start()):
                first = found
        return first

    def _finditer(self, text: str) -> Iterator[re.Match[str]]:
        return iter(()) if self.search(text) is None else self._whole.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As `re.Pattern.sub`."""
        if self.search(text) is None:
            return text  # sooner said than to read the replacement, which `re` does at each call
        return self._whole.sub(replacement, text, count=count)


class _Part:
    """A pattern, or one of its alternatives, that is asked only where it may find something."""

    __slots__ = ("_chars", "_twin", "_whole", "_words", "foreign", "letters")

    def __init__(self, pattern: str, flags: int) -> None:
        whole = re.compile(pattern, flags)
        twin = _twin(pattern, whole)
        self._whole, self._twin = whole.search, twin and twin.search
        known = needs(pattern, flags)
        self._words, self._chars = _filters(known)
        self.foreign = any(not any(map(str.isascii, need)) for need in known)  # finds nothing in ASCII
        self.letters = any(all(_lettered(word) for word in need) for need in known)  # nor without its letters

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        if self._chars is not None and self._chars.isdisjoint(characters(text)):
            return None
        for words in self._words:
            low = folded(text)
            for word in words:
                if word in low:
                    break
            else:
                return None
        if self._twin is not None and self._twin(_lowered(text)) is None:
            return None
        return self._whole(text)


def _lettered(word: str) -> bool:
    return word == LETTER or any("a" <= char <= "z" for char in word if word != DIGIT)


def _filters(known: Iterable[Need]) -> tuple[tuple[tuple[str, ...], ...], frozenset[str] | None]:
    """Sets of words of each of which a text must hold one, and a set of characters likewise; as far as known."""
    words: list[tuple[str, ...]] = []
    chars: list[frozenset[str]] = []
    for need in known:
        if weight(need) > _HEAVIEST:
            break
        if need.isdisjoint((DIGIT, LETTER)) and len(need) <= _FEW and all(len(word) > 1 for word in need):
            words.append(tuple(need))
        elif all(word in (DIGIT, LETTER) or not word.isascii() or len(word) == 1 for word in need):
            chars.append(by_character(need))
    return tuple(words[:_MOST_NEEDS]), chars[0] if chars else None


def _twin(pattern: str, whole: re.Pattern[str]) -> re.Pattern[str] | None:
    """The pattern for texts in lower case; None where case matters in any part of it."""
    if not whole.flags & re.IGNORECASE or "(?-i:" in pattern:
        return None
    return re.compile(lowered(pattern.removeprefix("(?i)")), whole.flags & ~re.IGNORECASE & ~re.UNICODE)


def lowered(pattern: str) -> str:
    """A pattern in lower case; escapes and the names of groups stay as they are."""
    return "".join(piece if len(piece) > 1 else piece.lower() for piece in _TOKEN.findall(pattern))


@lru_cache(maxsize=_RECENT_TEXTS)
def _lowered(text: str) -> str:
    return text.lower()


def drop_texts() -> None:
    """Let go of the recent texts, for one that held a secret must not stay in memory."""
    for kept in (_lowered, folded, characters):
        kept.cache_clear()


@cache  # bounded by the rules and word tables; no pattern is made from a user's text
def rx(pattern: str, flags: int = 0) -> Rx:
    """The compiled pattern."""
    return Rx(pattern, flags)


def match(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """`re.match` with the pattern kept."""
    return rx(pattern, flags).match(text)


def search(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """`re.search` with the pattern kept."""
    return rx(pattern, flags).search(text)


def fullmatch(pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
    """`re.fullmatch` with the pattern kept."""
    return rx(pattern, flags).fullmatch(text)


def finditer(pattern: str, text: str, flags: int = 0) -> Iterator[re.Match[str]]:
    """`re.finditer` with the pattern kept."""
    return rx(pattern, flags).finditer(text)


def findall(pattern: str, text: str, flags: int = 0) -> list[str]:
    """`re.findall` with the pattern kept."""
    return rx(pattern, flags).findall(text)


def sub(
    pattern: str, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0, flags: int = 0
) -> str:
    """`re.sub` with the pattern kept."""
    return rx(pattern, flags).sub(replacement, text, count=count)


def split(pattern: str, text: str, maxsplit: int = 0, flags: int = 0) -> list[str]:
    """`re.split` with the pattern kept."""
    return rx(pattern, flags).split(text, maxsplit=maxsplit)
