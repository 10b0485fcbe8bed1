"""Which words of a clause show a predicate beside a value; of two that overlap the longer one counts.

`喜欢` inside `不喜欢` is no sign of liking, and one that the value reaches into is none at all. An entry of the
vocabulary has `_` where the value stands: behind the words, before them, right between them, or (without it) on
either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from mcp_memory_server.memory.model import Span
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.vocabulary import Vocabulary

_VALUE = "_"


def signs_of(predicate: str, unit: Unit, value: Span, vocabulary: Vocabulary) -> list[Span]:
    """Where the clause shows the predicate for the value at `value` (offsets of the clause), best first."""
    found = once(vocabulary, ("signs", unit.lang), partial(_Signs, lang=unit.lang))
    return [*found.around(predicate, unit.text, value), *found.beside(predicate, unit.text, value)]


class _Signs:
    """The signs of one language, as patterns."""

    def __init__(self, vocabulary: Vocabulary, lang: str) -> None:
        self.edges = ("", "") if lang == "zh" else (r"(?<![A-Za-z'])", r"(?![A-Za-z])")
        self.sides: dict[str, dict[str, str]] = {}  # predicate: words to the side on which the value stands
        self.pairs: dict[str, list[tuple[str, str]]] = {}
        for name, signs in vocabulary.signs.items():
            for entry in signs.words.get(lang, ()):
                before, mark, after = (part.strip().casefold() for part in entry.partition(_VALUE))
                if before and after:
                    self.pairs.setdefault(name, []).append((before, after))
                else:
                    side = "" if not mark else "before" if after else "behind"
                    self.sides.setdefault(name, {})[before or after] = side
        every = alternation(word for words in self.sides.values() for word in words)
        self.pattern = re.compile(f"{self.edges[0]}(?=({every}){self.edges[1]})", re.IGNORECASE)

    def around(self, predicate: str, text: str, value: Span) -> Iterator[Span]:
        """Signs whose two parts stand right before and behind the value."""
        left, right = text[: value.start].rstrip().casefold(), text[value.end :].casefold()
        gap = len(right) - len(right.lstrip())
        for before, after in self.pairs.get(predicate, ()):
            opens = re.search(f"{self.edges[0]}{re.escape(before)}$", left)
            if opens and re.match(f"{re.escape(after)}{self.edges[1]}", right[gap:]):
                start = value.end + gap
                if not _modifies(text[start + len(after) :]):
                    yield Span(start, start + len(after))

    def beside(self, predicate: str, text: str, value: Span) -> Iterator[Span]:
        """Signs on the right side of the value that no longer sign holds."""
        found = [Span(match.start(1), match.end(1)) for match in self.pattern.finditer(text)]
        sides: Mapping[str, str] = self.sides.get(predicate, {})
        for span in found:
            words = span.of(text).casefold()
            if words not in sides or any(one != span and _holds(one, span) for one in found):
                continue
            behind, before = span.end <= value.start, value.end <= span.start
            side = sides[words]
            fits = behind if side == "behind" else before if side == "before" else behind or before
            if fits and not (before and _modifies(text[span.end :])):
                yield span


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _modifies(rest: str) -> bool:
    """把波尔图当家的人: with 的 the words only describe what comes next."""
    return re.match(r"的[\u3400-\u9fff]", rest) is not None
