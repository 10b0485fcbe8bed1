"""Which words of a clause show a predicate; of two that overlap the longer one counts (不喜欢 is no 喜欢)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_memory_server.memory.model import Span
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import stem
from mcp_memory_server.memory.vocabulary import Vocabulary


def signs_in(unit: Unit, value: Span, vocabulary: Vocabulary) -> dict[str, list[Span]]:
    """Predicates with the places (offsets of the clause) that show them, outside of `value` and of the times."""
    text = unit.text
    for start, end in [(value.start, value.end), *((w.start - unit.start, w.end - unit.start) for w in unit.times)]:
        start, end = max(0, start), max(0, end)
        text = text[:start] + "\n" * len(text[start:end]) + text[end:]
    found: list[tuple[str, Span]] = []
    stems, patterns = once(vocabulary, ("signs", unit.lang), lambda v: _table(v, unit.lang))
    if stems:
        for word in rx(r"[A-Za-z]+(?:['’][a-z]+)?").finditer(text):
            found += [(name, Span(*word.span())) for name in stems.get(stem(word[0].lower()), ())]
    for name, pattern in patterns.items():
        found += [(name, Span(*match.span())) for match in pattern.finditer(text)]
    kept: dict[str, list[Span]] = {}
    for name, span in found:
        if not any(_holds(other, span) for _, other in found):
            kept.setdefault(name, []).append(span)
    return kept


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and outer != inner


def _table(vocabulary: Vocabulary, lang: str) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, re.Pattern[str]]]:
    """English single words by their stem, and one pattern for each predicate's phrases and Chinese words."""
    stems: dict[str, tuple[str, ...]] = {}
    patterns = {}
    for name, signs in vocabulary.signs.items():
        words = signs.words.get(lang, ())
        phrases = [word for word in words if lang == "zh" or " " in word or "'" in word]
        for word in words:
            if word not in phrases:
                stems[stem(word.lower())] = (*stems.get(stem(word.lower()), ()), name)
        if phrases:
            edges = ("", "") if lang == "zh" else (r"(?<![A-Za-z])", r"(?![A-Za-z])")
            patterns[name] = re.compile(f"{edges[0]}(?:{alternation(phrases)}){edges[1]}", re.IGNORECASE)
    return stems, patterns
