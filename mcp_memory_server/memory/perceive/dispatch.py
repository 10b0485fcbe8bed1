"""Which of many rules can find anything in a text, by one pass over its characters and a few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from mcp_memory_server.memory.perceive.needs import DIGIT, LETTER, by_character, characters, folded, needs
from mcp_memory_server.memory.perceive.rx import rx

R = TypeVar("R")
Words: TypeAlias = Sequence[tuple[str, int]]
Search: TypeAlias = Callable[[str], re.Match[str] | None]

_BEGINNING = 3  # letters of a word by which it is looked up


class Dispatch(Generic[R]):
    """Rules in their order, each with a pattern of what a text must hold for it.

    A rule without a trigger always fits, or never where `others` is False. A set of rules is a number with a bit for
    each. Case does not count.
    """

    def __init__(self, rules: Sequence[R], triggers: Mapping[Any, str], *, others: bool = True) -> None:
        self._rules = tuple(rules)
        self._bits = [(1 << place, rule) for place, rule in enumerate(rules)]
        self._always = 0
        self._by_char: dict[str, int] = {}
        by_word: dict[str, int] = {}
        self._exactly: list[tuple[int, Search, bool]] = []
        for bit, rule in self._bits:
            trigger = triggers.get(rule)
            if trigger is None:
                self._always |= bit * others
                continue
            known = needs(trigger, re.IGNORECASE)
            if not (known and _says_all(trigger, known[0])):
                # A trigger without capitals is looked for in the text without capitals: the engine is faster then.
                plain = trigger.islower()
                self._exactly.append((bit, (rx(trigger) if plain else rx(trigger, re.IGNORECASE)).search, plain))
            if not known:
                self._always |= bit
                continue
            for word in known[0]:
                if word in (DIGIT, LETTER) or len(word) == 1 or not word.isascii():
                    (char,) = by_character(frozenset((word,)))
                    self._by_char[char] = self._by_char.get(char, 0) | bit
                else:
                    word = max(word.split(), key=len)  # a text may have more than one space between two words
                    by_word[word] = by_word.get(word, 0) | bit
        self._chars = frozenset(self._by_char)
        self._by_beginning: dict[str, list[tuple[str, int]]] = {}
        self._no_letters = [item for item in by_word.items() if not any(map(str.isalpha, item[0]))]
        self._short = [item for item in by_word.items() if len(item[0]) < _BEGINNING]
        for item in by_word.items():
            if len(item[0]) >= _BEGINNING:
                self._by_beginning.setdefault(item[0][:_BEGINNING], []).append(item)
        self._inexact = sum(bit for bit, _, _ in self._exactly)

    def said_in(self, whole: str) -> Words:
        """The words of triggers that are anywhere in a text: in no part of it are others."""
        low = folded(whole)
        if LETTER not in characters(whole):
            return [item for item in self._no_letters if item[0] in low]
        begun = self._by_beginning.keys() & {low[place : place + _BEGINNING] for place in range(len(low))}
        may = [self._short, *map(self._by_beginning.__getitem__, begun)]
        return [item for items in may for item in items if item[0] in low]

    def likely(self, text: str, words: Words | None = None) -> int:
        """The rules for which some character or word of their triggers is there: never too few.

        `words` are those said in the whole of which this is a part.
        """
        by_char = self._by_char
        mask = self._always
        for char in characters(text) & self._chars:
            mask |= by_char[char]
        if words is None:
            words = self.said_in(text)
        if words:
            low = folded(text)
            for word, bits in words:
                if bits & ~mask and word in low:
                    mask |= bits
        return mask

    def fitting(self, text: str, mask: int | None = None) -> int:
        """Those of the likely rules, or of these, whose trigger is there."""
        mask, low = self.likely(text) if mask is None else mask, text.lower()
        if mask & self._inexact:
            for bit, trigger, plain in self._exactly:
                if mask & bit and trigger(low if plain else text) is None:
                    mask ^= bit
        return mask

    def of(self, rules: Sequence[R] | frozenset[R]) -> int:
        """These rules as a set."""
        return sum(bit for bit, rule in self._bits if rule in rules)

    def rules(self, mask: int) -> list[R]:
        """The rules of a set, in order."""
        found = []
        while mask:
            last = mask & -mask
            found.append(self._rules[last.bit_length() - 1])
            mask ^= last
        return found


def _says_all(trigger: str, need: frozenset[str]) -> bool:
    """True where the trigger is nothing but these words, so that finding one is finding it."""
    words = set(trigger.lower().split("|"))
    return words == need and all((word.isascii() and " " not in word) or len(word) == 1 for word in words)
