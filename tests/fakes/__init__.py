"""Stand-ins for what is outside: a store in memory, embedders without a model, clocks and ids that repeat."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from mcp_memory_server.clock import FixedClock
from mcp_memory_server.memory.ids import Ids
from tests.fakes.backend import MemoryBackend
from tests.fakes.embedders import FailingEmbedder, GatedEmbedder, HashEmbedder

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

__all__ = ["NOON", "FailingEmbedder", "GatedEmbedder", "HashEmbedder", "MemoryBackend", "noon", "seeded_ids"]


def noon() -> FixedClock:
    """A clock that stands at noon of 2026-11-30, UTC."""
    return FixedClock(NOON)


def seeded_ids(seed: int = 7) -> Ids:
    """Ids whose random part repeats from run to run."""
    source = random.Random(seed)
    return Ids(source.getrandbits)
