"""What a question asks for besides its words: a time, the newest of its kind, what the assistant said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from mcp_memory_server.memory import periods
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.vocabulary import Vocabulary

_NEWEST = {
    "en": re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?)\b", re.IGNORECASE),
    "zh": re.compile("上一?次|上一?回|最近一?次|最新|最后一?次|最近"),
}
_OF_ASSISTANT = {
    "en": re.compile(
        r"\byou(?:'ve| have| had)?\b[^.?!]{0,20}\b"
        r"(?:recommend|suggest|sa(?:id|y)|t(?:old|ell)|mention|advise|explain|propose|gave|give)",
        re.IGNORECASE,
    ),
    "zh": re.compile("你[^，。？！]{0,8}(?:推荐|建议|说过|说的|提到|提过|讲过|讲的|举的|举过|告诉|解释|给过|给我)"),
}


_OF_QUESTIONS = {
    "en": re.compile(
        r"\b(?:did i|i(?:'ve| have| had)?|i was) (?:just |already |last |ever )?ask(?:ed|ing)?\b"
        r"|\bmy (?:last |latest )?question",
        re.IGNORECASE,
    ),
    "zh": re.compile("我[^，。？！]{0,8}(?:问|咨询|请教)"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """`window` is a half-open range in microseconds UTC; `of_questions`: what the user asked before."""

    window: tuple[int, int] | None = None
    newest: bool = False
    of_assistant: bool = False
    of_questions: bool = False


def understand(query: str, now: datetime, time_zone: str, vocabulary: Vocabulary) -> Asked:
    """Read a question asked at `now`; relative times count from the local day in `time_zone`."""
    from mcp_memory_server.memory.perceive import times_en, when_zh
    from mcp_memory_server.memory.perceive.calendar import Calendar
    from mcp_memory_server.memory.perceive.source import prepare

    lang = language(query)
    calendar = Calendar.at(now, time_zone, vocabulary.holidays)
    text = prepare(query)
    found = when_zh.find(text, calendar) if lang == "zh" else times_en.find(text, calendar)
    window = None
    for when in found:
        window = window or _bounds(when.value(past=True), when.until, calendar.zone)
    # "last" in "last week" is a part of a time, and asks for nothing else.
    newest = any(
        all(match.end() <= when.start or when.end <= match.start() for when in found)
        for match in _NEWEST[lang].finditer(text)
    )
    return Asked(window, newest, bool(_OF_ASSISTANT[lang].search(text)), bool(_OF_QUESTIONS[lang].search(text)))


def relatives(query: str, vocabulary: Vocabulary) -> frozenset[str]:
    """The roles of the persons whom a question calls by them: mother for 我母亲, "my mom"."""
    text = query.casefold()
    english = {word: role for word, role in vocabulary.mapping("en", "roles").items() if word in text}
    found = {role for word, role in english.items() if re.search(rf"\b{re.escape(word)}\b", text)}
    for word, role in vocabulary.mapping("zh", "roles").items():
        if word in text and (len(word) > 1 or f"我{word}" in text):
            found.add(role)
    return frozenset(found)


def _bounds(value: str, until: str, zone: tzinfo) -> tuple[int, int] | None:
    if not value:
        return None
    try:
        edges = periods.bounds(f"{value}/{until}" if until and "/" not in value else value, zone)
    except ValueError:
        return None
    if edges is None:
        return None
    first, last = to_micros(edges[0]), to_micros(edges[1])
    return (first, max(last, first + 1))
