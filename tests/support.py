"""Short ways to make the values that many tests need."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from mcp_memory_server.memory.indexing import equality_key
from mcp_memory_server.memory.model import Category, Kind, Memory, Source, Status
from tests.fakes import NOON


def memory(name: str, statement: str = "", /, **changes: Any) -> Memory:
    """A current fact of `ann`, said at noon of the fixed day; `minutes` moves when it was said."""
    words = statement or f"statement of {name}"
    minutes = changes.pop("minutes", 0)
    made = Memory(
        id=name,
        user="ann",
        kind=Kind.FACT,
        statement=words,
        key=equality_key(words),
        category=Category.OTHER,
        status=Status.CURRENT,
        source=Source.USER,
        said_at=NOON + timedelta(minutes=minutes),
        recorded_at=NOON,
        confidence=0.9,
    )
    return replace(made, **changes)


def utterance(name: str, statement: str = "", /, **changes: Any) -> Memory:
    """An utterance of `ann`."""
    return memory(name, statement, **{"kind": Kind.UTTERANCE, "grounded": True, **changes})
