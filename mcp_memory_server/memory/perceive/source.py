"""The text as the rules read it: folded, without what is quoted, cut into sentences and clauses.

Every piece keeps its offsets in the text as given: folding replaces characters one by one.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from mcp_memory_server.memory.guarding.spans import fold
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.when import When
from mcp_memory_server.memory.text import language, simplified

BLOCK = "\ufffc"  # stands for each character of words that are not the speaker's own


@dataclass(slots=True)
class Clause:
    """A clause of a sentence; `body` is its text without the time phrases."""

    start: int
    end: int
    text: str
    body: str = ""
    times: list[When] = field(default_factory=list)
    blocked: str = ""  # why nothing in it is a statement of fact
    first: bool = True  # the first of its sentence
    whose: str = ""  # of whom an opening without subject speaks: the words after it ("born in Cork, my aunt …")
    sentence_times: tuple[When, ...] = ()  # those of the whole sentence
    inherited: tuple[When, ...] = ()  # of the clause before, where it has none of its own: only for what occurs
    sentence_start: int = 0
    today: str = ""  # the local day on which it was said
    numeric: bool = False  # it has a number
    amounts: list[object] | None = None  # the quantities of its body, once they were asked for


@dataclass(slots=True)
class Sentence:
    """A sentence with its closing mark."""

    start: int
    end: int
    text: str
    lang: str
    mark: str = ""
    clauses: list[Clause] = field(default_factory=list)
    times: list[When] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        """True when it ends with a question mark."""
        return "?" in self.mark


@lru_cache(maxsize=1)
def _quoted() -> re.Pattern[str]:
    return re.compile(
        r"```.*?(?:```|\Z)|(?m:^[ \t]*>[^\n]*)|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|\"[^\"\n]*\"|(?<![A-Za-z])'[^'\n]{12,}'(?![A-Za-z])",
        re.DOTALL,
    )


_MAY_QUOTE = re.compile(r"[`>“「『\"]|(?<![A-Za-z])'").search  # how everything quoted begins


@lru_cache(maxsize=1)
def _spoken() -> re.Pattern[str]:
    """Words in quotes that are speech, not a name or title: a pronoun, a verb form, or many words."""
    return re.compile(
        r"(?i)\b(?:i|i'm|we|you|he|she|my|is|are|am|was|have|will)\b|[我你他她您].|(?:\S+\s+){4,}\S|[\u4e00-\u9fff]{7,}|[。，,.!?！？]\s*\S"
    )


def prepare(text: str) -> str:
    """`text` folded character by character, with the speech of others blocked out; of equal length."""
    folded = fold(text)
    if not folded.isascii():
        folded = _one_by_one(folded)
    out = folded
    for match in _quoted().finditer(text) if _MAY_QUOTE(text) else ():
        inner = match[0]
        if inner.startswith("```") or inner.lstrip().startswith(">") or _spoken().search(inner[1:-1]):
            out = out[: match.start()] + BLOCK * len(inner) + out[match.end() :]
    return out


def _one_by_one(text: str) -> str:
    changed = simplified(text)
    return changed if len(changed) == len(text) else text


def as_written(text: str) -> dict[int, str]:
    """For `str.translate`: each simplified character that the rules read, to the traditional one that was written.

    A character that was written in both ways stays as it was read.
    """
    folded = fold(text)
    read = _one_by_one(folded)
    if read == folded:
        return {}
    found: dict[str, str] = {}
    for short, full in zip(read, folded, strict=True):
        found[short] = full if found.setdefault(short, full) == full else short
    return {ord(short): full for short, full in found.items() if short != full}


@lru_cache(maxsize=1)
def _ends() -> re.Pattern[str]:
    return re.compile(
        r"(?P<m>[.!?…]+[\"')\]]*(?=\s|$|[\u4e00-\u9fff\ufffc])|[。！？!?…]+[”』」\"')）]*|\n+|(?<=[\U0001f300-\U0001faff\u2600-\u27bf])\s+)"
    )


LONGEST_SENTENCE = 400  # characters that rules read at once
LONGEST_TEXT = 8_000  # characters of one text that rules read; what comes after is remembered as it was said
MOST_SENTENCES = 150  # of one text that rules read

_ABBREVIATIONS = re.compile(
    r"(?i)(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|no|inc|ltd|jr|sr|dept|est|[ap]\.m)|(?<![A-Za-z])[A-Z])$"
)


def sentences(text: str) -> list[Sentence]:
    """The sentences of a prepared text, as far as rules read it."""
    text = text[:LONGEST_TEXT]
    found: list[Sentence] = []
    start = 0
    for match in _ends().finditer(text):
        if (
            match[0].startswith(".")
            and len(match[0]) == 1
            and _ABBREVIATIONS.search(text[max(0, start, match.start() - 8) : match.start()])
        ) and (
            not patterns.match(r"\s+[A-Z][a-z]+ ", text[match.end() :])
            or not patterns.search(r"(?i)[ap]\.m$", text[: match.start()])
        ):
            continue
        _add(found, text, start, match.end(), match["m"])
        start = match.end()
    _add(found, text, start, len(text), "")
    return found


def _add(found: list[Sentence], text: str, start: int, end: int, mark: str) -> None:
    if len(found) >= MOST_SENTENCES:
        return
    while end - start > LONGEST_SENTENCE:
        # Rules look back and ahead within a sentence: one without end is cut where a word ends.
        space = max(text.rfind(mark, start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE) for mark in " ,，、")
        cut = space + 1 if space > start else start + LONGEST_SENTENCE
        _add(found, text, start, cut, "")
        start = cut
        if len(found) >= MOST_SENTENCES:
            return
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    body_end = end - len(mark)
    if text[start + lead : body_end].strip():
        own = text[start + lead : body_end]
        found.append(Sentence(start + lead, body_end, own, language(own), mark.strip()))
    elif found and mark.strip():
        found[-1].mark += mark.strip()
