"""Short ways to read words in tests of understanding."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import tomllib
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from mcp_memory_server.memory.model import CandidateFact, Kind, Memory, Perception, Said, Source, Speaker, Status
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.vocabulary import Vocabulary

DEFAULTS = Path(__file__).resolve().parents[3] / "mcp_memory_server" / "defaults" / "predicates.toml"
LONDON = ("2025-06-04T10:00:00+01:00", "Europe/London")  # a Wednesday
SHANGHAI = ("2025-06-04T10:00:00+08:00", "Asia/Shanghai")


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    with DEFAULTS.open("rb") as file:
        return Vocabulary.parse(tomllib.load(file))


def said(
    text: str, at: str | None = None, zone: str | None = None, speaker: Speaker = Speaker.USER, name: str | None = None
) -> Said:
    default = SHANGHAI if any("\u4e00" <= char <= "\u9fff" for char in text) else LONDON
    return Said(text, datetime.fromisoformat(at or default[0]), zone or default[1], speaker, name)


def read(text: str, **more: str) -> Perception:
    return perceive(said(text, **more), vocabulary())


def facts(text: str, **more: str) -> list[str]:
    """Each fact as `subject predicate value unit (scope)`, a denied one with a minus before the predicate."""
    return [line(fact) for fact in read(text, **more).facts]


def line(fact: CandidateFact) -> str:
    sign = "-" if fact.polarity == "negative" else ""
    unit = f" {fact.object.unit}" if fact.object.unit else ""
    scope = f" ({fact.object.scope})" if fact.object.scope else ""
    return f"{fact.subject} {sign}{fact.predicate} {fact.object.value}{unit}{scope}"


def times(text: str, predicate: str, **more: str) -> tuple[str | None, str | None, str | None]:
    """(valid_from, valid_to, at) of the first fact of a predicate."""
    fact = next(fact for fact in read(text, **more).facts if fact.predicate == predicate)
    return fact.validity.valid_from, fact.validity.valid_to, fact.validity.at


def memories(text: str, at: str | None = None, **more: str) -> list[Memory]:
    """The facts of an utterance as the ledger would keep them."""
    words = said(text, at, **more)
    return [
        Memory(
            id=f"m{n}", user="u", kind=Kind.FACT, statement=fact.span.of(text), category=fact.category, status=Status.CURRENT,
            source=Source.USER, said_at=words.said_at, recorded_at=words.said_at, confidence=0.95, subject=fact.subject,
            predicate=fact.predicate, object=fact.object, polarity=fact.polarity, validity=fact.validity,
        )
        for n, fact in enumerate(perceive(words, vocabulary()).facts)
    ]  # fmt: skip
