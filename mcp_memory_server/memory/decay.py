"""Strength: how much a memory counts now. Computed when read, in closed form; nothing rewrites it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mcp_memory_server.memory.micros import DAY, to_micros
from mcp_memory_server.memory.model import Kind, Memory
from mcp_memory_server.memory.ports import Outline


@dataclass(frozen=True, slots=True)
class HalfLives:
    """Half-lives in days, by category for facts and one for everything else; None: never fades."""

    by_category: dict[str, float | None] = field(default_factory=dict)
    occasions: float | None = 30.0

    def of(self, kind: str, category: str) -> float | None:
        """The half-life in days of a memory of this kind and category."""
        return self.by_category.get(category) if kind == Kind.FACT else self.occasions


def faded(confidence: float, days: float | None, age: int) -> float:
    """confidence x 0.5 ** (age / half-life), from 0 to 1; `age` in microseconds."""
    return confidence if days is None else float(confidence * 0.5 ** (max(0, age) / DAY / days))


def strength(memory: Memory, now: datetime, half_lives: HalfLives) -> float:
    """The strength of a memory; age counts from the later of the last support and the recording."""
    last = max(memory.recorded_at, memory.supported_at or memory.recorded_at)
    return faded(memory.confidence, half_lives.of(memory.kind, memory.category), to_micros(now) - to_micros(last))


def outline_strength(outline: Outline, now: int, half_lives: HalfLives) -> float:
    """The same from an outline; `now` in microseconds."""
    last = max(outline.recorded_at, outline.supported_at or 0)
    return faded(outline.confidence, half_lives.of(outline.kind, outline.category), now - last)
