"""Word tables of the vocabulary as compiled patterns, made once for each vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from mcp_memory_server.memory.vocabulary import Vocabulary

T = TypeVar("T")


def once(vocabulary: Vocabulary, name: object, make: Callable[[Vocabulary], T]) -> T:
    """What `make` builds from a vocabulary, built at the first use and kept with it."""
    made = vocabulary.made
    if name not in made:
        made[name] = make(vocabulary)
    return made[name]  # type: ignore[return-value]  # a name always holds what its own `make` built


def alternation(words: Iterable[str]) -> str:
    """A pattern for any of the words, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word))) or r"(?!)"


def english(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words as whole words."""
    return re.compile(rf"(?<![A-Za-z'])(?:{alternation(words)})(?![A-Za-z])", re.IGNORECASE)


def chinese(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words anywhere."""
    return re.compile(alternation(words), re.IGNORECASE)
