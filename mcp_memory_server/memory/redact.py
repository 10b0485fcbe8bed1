"""Taking spans out of an utterance: what is left reads `[forgotten]` where they were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcp_memory_server.memory.model import Span

MARK = "[forgotten]"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without the spans taken out, and where its other spans are now."""

    text: str
    cuts: tuple[Span, ...]

    def moved(self, span: Span) -> Span | None:
        """Where a span of the old text stands in the new one; None if a cut reaches into it."""
        if any(cut.start < span.end and span.start < cut.end for cut in self.cuts):
            return None
        shift = sum(len(MARK) - (cut.end - cut.start) for cut in self.cuts if cut.end <= span.start)
        return Span(span.start + shift, span.end + shift)

    @property
    def is_empty(self) -> bool:
        """True when no word is left."""
        return not any(char.isalnum() for char in self.text.replace(MARK, ""))


def redact(text: str, spans: Iterable[Span]) -> Redacted:
    """`text` with every span replaced by the mark; spans that touch become one."""
    cuts: list[Span] = []
    for span in sorted(spans, key=lambda item: (item.start, item.end)):
        if span.end <= span.start:
            continue
        if cuts and span.start <= cuts[-1].end:
            cuts[-1] = Span(cuts[-1].start, max(cuts[-1].end, span.end))
        else:
            cuts.append(span)
    out, last = [], 0
    for cut in cuts:
        out += [text[last : cut.start], MARK]
        last = cut.end
    return Redacted("".join([*out, text[last:]]), tuple(cuts))


def occurrences(text: str, words: str) -> list[Span]:
    """Every place where `words` stand in `text`."""
    found, start = [], text.find(words) if words else -1
    while start >= 0:
        found.append(Span(start, start + len(words)))
        start = text.find(words, start + len(words))
    return found
