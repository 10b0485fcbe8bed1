"""Patterns compiled once and kept: the cache of `re` is too small for the rules of two languages.

A search that ignores case first asks a twin of the pattern in lower case. `re` sees where a case-sensitive pattern
could begin without trying it at every character, and most rules find nothing in most texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

# What must stay as it is in a pattern, or one character of it.
_TOKEN = re.compile(r"\\.|\(\?P<\w+>|\(\?P=\w+\)|\(\?\(\w+\)|\(\?[a-zA-Z\-]+[:)]|.", re.DOTALL)
_RECENT_TEXTS = 64  # texts whose lower case is kept: one utterance is searched some hundred times


class Rx:
    """A compiled pattern with the methods of `re.Pattern` that rules use."""

    __slots__ = ("_twin", "_whole", "findall", "fullmatch", "match", "split")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._whole = whole = re.compile(pattern, flags)
        self._twin = _twin(pattern, whole)
        self.match, self.fullmatch, self.findall, self.split = whole.match, whole.fullmatch, whole.findall, whole.split

    def _absent(self, text: str) -> bool:
        return self._twin is not None and self._twin.search(_lowered(text)) is None

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        twin = self._twin
        if twin is not None and twin.search(_lowered(text)) is None:
            return None
        return self._whole.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        return iter(()) if self._absent(text) else self._whole.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As `re.Pattern.sub`."""
        return text if self._absent(text) else self._whole.sub(replacement, text, count=count)


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
