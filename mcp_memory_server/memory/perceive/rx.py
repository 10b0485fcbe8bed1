"""Patterns compiled once and kept: the cache of `re` is too small for the rules of two languages.

Most rules find nothing in most texts, and two things say so sooner than the pattern does: what a text must hold for it
(see `needs`), and, where it ignores case, its twin in lower case, of which `re` sees where it could begin without
trying it at every character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from mcp_memory_server.memory.perceive.needs import DIGIT, LETTER, by_character, characters, folded, needs, weight

# What must stay as it is in a pattern, or one character of it.
_TOKEN = re.compile(r"\\.|\(\?P<\w+>|\(\?P=\w+\)|\(\?\(\w+\)|\(\?[a-zA-Z\-]+[:)]|.", re.DOTALL)
_RECENT_TEXTS = 64  # texts whose lower case is kept: one utterance is searched some hundred times


_HEAVIEST = 400  # words with more weight than this are in nearly every text
_FEW = 24  # words that are looked for one by one; of more, single characters are


class Rx:
    """A compiled pattern with the methods of `re.Pattern` that rules use."""

    __slots__ = ("_chars", "_twin", "_whole", "_words", "findall", "finditer", "fullmatch", "match", "search", "split")

    search: Callable[[str], re.Match[str] | None]
    finditer: Callable[[str], Iterator[re.Match[str]]]

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._whole = whole = re.compile(pattern, flags)
        self._twin = _twin(pattern, whole)
        self._words = self._chars = None
        self.match, self.fullmatch, self.findall, self.split = whole.match, whole.fullmatch, whole.findall, whole.split
        if self._twin is None:
            # The engine is quick where case counts: to ask anything first would take longer.
            self.search, self.finditer = whole.search, whole.finditer
        else:
            self._words, self._chars = _filters(pattern, flags)
            self.search, self.finditer = self._search, self._finditer

    def _absent(self, text: str) -> bool:
        """True where the pattern finds nothing, said without asking it; False where that is not known."""
        if self._chars is not None and self._chars.isdisjoint(characters(text)):
            return True
        if self._words is not None:
            low = folded(text)
            for word in self._words:
                if word in low:
                    break
            else:
                return True
        return self._twin is not None and self._twin.search(_lowered(text)) is None

    def _search(self, text: str) -> re.Match[str] | None:
        return None if self._absent(text) else self._whole.search(text)

    def _finditer(self, text: str) -> Iterator[re.Match[str]]:
        return iter(()) if self._absent(text) else self._whole.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As `re.Pattern.sub`."""
        if self.search(text) is None:
            return text  # sooner said than to read the replacement, which `re` does at each call
        return self._whole.sub(replacement, text, count=count)


def _filters(pattern: str, flags: int) -> tuple[tuple[str, ...] | None, frozenset[str] | None]:
    """Words, or else single characters, of which a text must hold one; None and None where neither is known."""
    known = needs(pattern, flags)
    if not known or weight(known[0]) > _HEAVIEST:
        return None, None
    best = known[0]
    if best.isdisjoint((DIGIT, LETTER)) and len(best) <= _FEW and all(len(word) > 1 for word in best):
        return tuple(best), None
    if all(word in (DIGIT, LETTER) or not word.isascii() or len(word) == 1 for word in best):
        return None, by_character(best)
    return None, None


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
