"""Strength: how much a memory counts now. Computed when read, in closed form; nothing rewrites it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mcp_memory_server.memory.model import Kind, Memory

_DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class HalfLives:
    """Half-lives in days, by category for facts and one for everything else; None: never fades."""

    by_category: dict[str, float | None] = field(default_factory=dict)
    occasions: float | None = 30.0

    def of(self, memory: Memory) -> float | None:
        """The half-life of a memory in days."""
        if memory.kind is not Kind.FACT:
            return self.occasions
        return self.by_category.get(memory.category.value)


def strength(memory: Memory, now: datetime, half_lives: HalfLives) -> float:
    """confidence x 0.5 ** (age / half-life), from 0 to 1.

    Age counts from the later of the last support and the recording.
    """
    days = half_lives.of(memory)
    if days is None:
        return memory.confidence
    last = max(memory.recorded_at, memory.supported_at or memory.recorded_at)
    age = max(0.0, (now - last).total_seconds() / _DAY)
    return float(memory.confidence * 0.5 ** (age / days))
