"""What a text must hold for a pattern to find anything in it, read off the pattern itself.

A rule of one language finds nothing in most clauses, and `re` takes long to say so: it tries a pattern that begins with
a boundary or an alternation at every character. `needs` gives sets of words of which a text must hold at least one;
where it holds none, the engine is not asked. What is not understood about a pattern is left out: then less is known,
never too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

Need: TypeAlias = frozenset[str]

_RECENT_TEXTS = 128  # texts whose characters are kept: a clause, its parts and its sentence are searched many times
_MOST_RANGE = 16  # characters of a range that are told apart

# What stands for kinds of characters among the characters of a text: no text is folded to two of them.
DIGIT = "\0d"
LETTER = "\0a"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_digit = re.compile(r"\d").search
# Letters that ASCII letters match without regard to case although `str.lower` does not lead there.
_FOLDED = {0x131: "i", 0x17F: "s", 0x307: ""}
_COMMON = frozenset(" etaoinshr")
_COMMON_HAN = frozenset("的了是不一我有在个这那人他她你就都也很好到")


@lru_cache(maxsize=_RECENT_TEXTS)
def folded(text: str) -> str:
    """`text` in lower case, so that it holds every ASCII word that a pattern would find without regard to case."""
    low = text.lower()
    return low if low.isascii() else low.translate(_FOLDED)


@lru_cache(maxsize=_RECENT_TEXTS)
def characters(text: str) -> Need:
    """The characters of a text in lower case, with `LETTER` and `DIGIT` where it has any of these."""
    found = set(folded(text))
    if not found.isdisjoint(_LETTERS):
        found.add(LETTER)
    if _digit(text):
        found.add(DIGIT)
    return frozenset(found)


def needs(pattern: str, flags: int = 0) -> list[Need]:
    """Sets of words in lower case, of each of which a text must hold one; the rarest first, empty if none is known.

    `DIGIT` and `LETTER` stand for any digit and any ASCII letter.
    """
    parser = _parser()
    if parser is None:
        return []
    parsed = parser.parse(pattern, flags)
    known = _of_sequence(parsed, bool(parsed.state.flags & re.IGNORECASE))
    return sorted(set(known), key=lambda need: (weight(need), sorted(need)))


def by_character(need: Need) -> Need:
    """The same in single characters: one of each word, the rarest. Only kinds and characters as they are."""
    return frozenset(
        word if word in (DIGIT, LETTER) else min(word, key=lambda char: (_weight_of(char), char)) for word in need
    )


@lru_cache(maxsize=1)
def _parser() -> Any:
    """The parser of `re`, which has no public name; without it no pattern is passed over."""
    try:
        return import_module("re._parser")
    except ImportError:  # pragma: no cover - every supported Python has it
        return None


def weight(need: Iterable[str]) -> int:
    """How often texts hold one of the pieces, in a rough measure: rare pieces weigh little."""
    return sum(_weight_of(piece) for piece in need)


def _weight_of(word: str) -> int:
    if word in (DIGIT, LETTER):
        return 20 if word == DIGIT else 200
    if len(word) == 1:
        if word.isascii():
            return 200 if word in _LETTERS or word == " " else 20
        return 12 if word in _COMMON_HAN else 4
    if word.isascii():
        return max(1, 12 - 2 * len(word) - sum(char not in _COMMON for char in word))
    return 1


def _of_sequence(items: Iterable[tuple[Any, Any]], fold: bool) -> list[Need]:
    """What all of these parts need, one after the other."""
    found: list[Need] = []
    run: list[str] = []

    def close() -> None:
        if run:
            found.append(frozenset(("".join(run),)))
            run.clear()

    for op, value in items:
        kind = str(op)
        if kind == "LITERAL" and (char := _plain(value)):
            run.append(char)
        elif kind in ("AT", "ASSERT_NOT"):
            continue  # of no width: what stands on its two sides stands together
        elif kind == "ASSERT":
            found += _of_sequence(value[1], fold)
        else:
            close()
            found += _of_part(kind, value, fold)
    close()
    return found


def _of_part(kind: str, value: Any, fold: bool) -> list[Need]:
    if kind == "SUBPATTERN":
        _, added, removed, inner = value
        return _of_sequence(inner, (fold or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_sequence(value[2], fold) if value[0] else []
    if kind == "ATOMIC_GROUP":
        return _of_sequence(value, fold)
    if kind == "BRANCH":
        return _of_branches([_of_sequence(branch, fold) for branch in value[1]])
    if kind == "IN":
        chars = _of_set(value)
        return [chars] if chars else []
    return []


def _of_branches(branches: Sequence[list[Need]]) -> list[Need]:
    """One of the branches must be there, so a piece of one of them."""
    if not all(branches):
        return []
    return [frozenset().union(*(min(branch, key=lambda need: (weight(need), sorted(need))) for branch in branches))]


def _of_set(members: Iterable[tuple[Any, Any]]) -> Need | None:
    """The characters of a class; None where it has too many, or is of those that are not meant."""
    found: set[str] = set()
    for op, value in members:
        kind = str(op)
        if kind == "LITERAL" and (char := _plain(value)):
            found.add(char)
        elif kind == "RANGE":
            first, last = value
            if last - first >= _MOST_RANGE and _of_letters(chr(first), chr(last)):
                found.add(LETTER)
            elif last - first < _MOST_RANGE and all(chars := [_plain(code) for code in range(first, last + 1)]):
                found.update(chars)
            else:
                return None
        elif kind == "CATEGORY" and str(value) == "CATEGORY_DIGIT":
            found.add(DIGIT)
        else:
            return None
    return frozenset(found)


def _of_letters(first: str, last: str) -> bool:
    """A range of small or of capital ASCII letters; A-z is none."""
    return (first + last).isascii() and (first + last).isalpha() and first.islower() == last.islower()


def _plain(code: int) -> str:
    """The character in lower case where one character of a folded text stands for it; empty for other letters."""
    char = chr(code)
    if char.isascii():
        return char.lower()
    return char if char.lower() == char.upper() and code not in _FOLDED else ""
