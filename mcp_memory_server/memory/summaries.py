"""Slots of summaries: counts, dates, keywords and the first words. Taken from what is there, never made up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from mcp_memory_server.limits import SUMMARY_CHARS, SUMMARY_KEYWORDS
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.records import Session
from mcp_memory_server.memory.text import content_words

_PLACEHOLDER = re.compile(r"\[[a-z ]{2,30}(?: \d+)?\]")
_LONGEST = 20  # characters of a value that is a keyword as a whole
_WORD_FROM = SUMMARY_CHARS * 3 // 5  # characters after which a text is cut at a space rather than inside a word


def keywords(text: str, most: int = SUMMARY_KEYWORDS) -> list[str]:
    """The words that say most about a text, in its order: names and numbers first, then long ones."""
    found = content_words(_PLACEHOLDER.sub(" ", text))
    best = sorted(range(len(found)), key=lambda at: (not _names(found[at], at), -min(len(found[at]), 12), at))
    return [found[at] for at in sorted(best[:most])]


def _names(word: str, position: int) -> bool:
    return any(char.isdigit() for char in word) or (position > 0 and word[:1].isupper())


def opening(text: str, most: int = SUMMARY_CHARS) -> str:
    """The first words on one line, in at most `most` characters; a placeholder is never cut in two."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    if cut.rfind("[") > cut.rfind("]") and _PLACEHOLDER.match(line, cut.rfind("[")):
        cut = cut[: cut.rfind("[")]
    elif " " in cut[_WORD_FROM:] and line[most - 1 : most] != " ":
        cut = cut[: cut.rfind(" ")]
    return cut.rstrip() + "…"


def event_slots(event: Memory, words: str) -> dict[str, Any]:
    """`type`, `count`, `keywords` (three) and `words` (50 characters) of an event."""
    return {
        "type": event.event_type.value if event.event_type else "other",
        "count": event.count,
        "keywords": keywords(words),
        "words": opening(words),
    }


def session_slots(session: Session, memories: Sequence[Memory], said: Iterable[str]) -> dict[str, Any]:
    """`date` (of its last words), `first_date`, `utterances`, `facts`, `events` (type to number) and `keywords`.

    `memories` are its facts and events, `said` the words of the events, both in the order in which they came.
    """
    facts = [memory for memory in memories if memory.kind is Kind.FACT]
    events = [memory for memory in memories if memory.kind is Kind.EVENT]
    values = [memory.object.scope or memory.object.value for memory in facts if memory.object]
    named = [value for value in values if len(value) <= _LONGEST and not _PLACEHOLDER.search(value)]
    spoken = [word for words in said for word in keywords(words)]
    counted = Counter(word for word in (*named, *spoken) if not word.replace(".", "").isdigit())
    return {
        "date": session.last_at.date().isoformat(),
        "first_date": session.first_at.date().isoformat(),
        "utterances": session.utterances,
        "facts": len(facts),
        "events": dict(sorted(Counter(e.event_type.value for e in events if e.event_type).items())),
        "keywords": [word for word, _ in counted.most_common(SUMMARY_KEYWORDS)],
    }
