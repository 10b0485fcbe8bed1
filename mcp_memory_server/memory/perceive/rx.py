"""Patterns compiled once and kept: the cache of `re` is too small for the rules of two languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache


@cache  # bounded by the rules and word tables; no pattern is made from a user's text
def rx(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled pattern."""
    return re.compile(pattern, flags)


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
