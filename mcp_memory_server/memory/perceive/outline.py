"""A text as an outline: each clause with who it is about, when, and in what mood. Grounding reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mcp_memory_server.memory.perceive.chinese import ReaderZh
from mcp_memory_server.memory.perceive.english import Reader
from mcp_memory_server.memory.perceive.facts import read_text
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import prepare
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Unit:
    """One clause. `subject` is a path, a name, or empty for things and for nobody known."""

    start: int
    end: int
    text: str
    body: str
    lang: str
    subject: str
    explicit: bool
    times: tuple[When, ...]
    blocked: str
    past: bool  # over: used to, 以前, 过
    plans: bool  # ahead: will, want to, 打算
    done: bool  # told in a past tense
    sentence: int

    @property
    def repeats(self) -> bool:
        """True when it tells of a habit by its time."""
        return any(when.bind is Bind.REPEAT for when in self.times)


def outline(
    text: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary, *, statement: bool = False
) -> list[Unit]:
    """The clauses of a text in order."""
    units: list[Unit] = []
    english, chinese = Reader(vocabulary, statement=statement), ReaderZh(vocabulary, statement=statement)
    for number, sentence in enumerate(read_text(prepare(text), said_at, time_zone, vocabulary)):
        for clause in sentence.clauses:
            if sentence.lang == "zh":
                frame = chinese.read(clause, first=clause.first)
                raw = clause.text
                past = bool(
                    rx(r"以前|之前(?!$)|从前|曾经|曾|过去|[待住做当学去在用养干]过|退休前|原来(?!是)").search(raw)
                )
                plans = bool(
                    rx(
                        r"打算|准备|计划|想(?:要|去|学|做|买|换|当)|希望|将(?!军|就)|会(?=去|搬|换|买)|能升|要(?:去|搬|换|买|考|当|做)|下半年|即将"
                    ).search(raw)
                )
                units.append(
                    Unit(
                        clause.start,
                        clause.end,
                        raw,
                        clause.body,
                        "zh",
                        frame.path,
                        frame.explicit,
                        tuple(clause.times),
                        clause.blocked,
                        past,
                        plans,
                        bool(rx(r"[了过]").search(raw)),
                        number,
                    )
                )
            else:
                read = english.read(clause)
                path = read.path if not read.thing else ""
                units.append(
                    Unit(
                        clause.start,
                        clause.end,
                        clause.text,
                        clause.body,
                        "en",
                        path,
                        read.explicit,
                        tuple(clause.times),
                        clause.blocked,
                        read.used_to or (read.ended and read.negative),
                        read.intends or read.tense == "future",
                        read.past,
                        number,
                    )
                )
    return units
