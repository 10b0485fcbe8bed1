"""What one English clause says beside its main verb, as frames of its own: lists, company, clauses inside."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from dataclasses import replace

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.english import Frame, Reader
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.vocabulary import Vocabulary

_WITH_WHAT = re.compile(
    r"(?:be an? |live )[^,;]*? with (?P<w>(?:an?|one|two|three|four|five|six|\d+|my|several) [^,;]*)", re.IGNORECASE
)


def _felt_that(vocabulary: Vocabulary) -> re.Pattern[str]:
    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        return re.compile(
            rf"(?:(?:I am|I'm|we're|we are|so|really|very|just|absolutely|quite|still|pretty) )*(?:{alternation(vocabulary.words('en', 'feelings'))}) that (?=(?:my|our|I|we)\b)",
            re.IGNORECASE,
        )

    return once(vocabulary, "felt that", make)


def complements(frame: Frame) -> list[Frame]:
    """ "I'm 52, divorced and vegan": a frame for each complement of a list after the first."""
    if frame.verb != "be" or ("," not in frame.rest and " and " not in frame.rest):
        return []
    parts = patterns.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", frame.rest[3:])[1:5]
    return [
        replace(frame, rest=f"be {part}")
        for part in parts
        if 0 < len(part.split()) <= 6
        and not patterns.match(r"(?:\w+ly$|not|by the way|though|but|so|which|who|I|my)\b", part)
    ]


def beside(frame: Frame) -> list[Frame]:
    """ "I'm a nurse with two cats", "living in Bath with a bad hip": a frame for each thing one is or lives with."""
    if frame.verb not in ("be", "live") or frame.negative or " with " not in frame.rest:
        return []
    found = _WITH_WHAT.match(frame.rest)
    parts = patterns.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", found["w"])[:4] if found else ()
    return [
        replace(frame, verb="have", rest=f"have {part}")
        for part in parts
        if patterns.match(r"(?:an?|one|two|three|four|five|six|\d+|my|several) ", part) and len(part.split()) <= 5
    ]


def embedded(reader: Reader, frame: Frame) -> Frame | None:
    """ "I'm thrilled that my daughter got in": what one feels something about is told as well."""
    clause = frame.clause
    found = _felt_that(reader.vocabulary).match(clause.text) if "that " in clause.text else None
    if not found or clause.blocked:
        return None
    start = found.end()
    inner = replace(clause, start=clause.start + start, text=clause.text[start:], amounts=None)
    inner.body = clause.body[len(clause.body) - len(inner.text) :] if not clause.times else inner.text
    return reader.read(inner)
