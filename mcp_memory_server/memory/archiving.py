"""What is in the archive, and the seal on it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from mcp_memory_server.memory.model import Memory, Status
from mcp_memory_server.memory.ports import LedgerUnit, MemoryFilter

ARCHIVE = "archive"  # under this name work for it waits in the outbox
_READ = 500  # memories read at a time
_ALL = 2**31 - 1


def is_archived(memory: Memory) -> bool:
    """Whether the archive holds the memory: exactly the archived ones."""
    return memory.status is Status.ARCHIVED


def archived_in(unit: LedgerUnit) -> Iterator[Memory]:
    """Every archived memory of a user, newest first."""
    ids = unit.ids(MemoryFilter(statuses=(Status.ARCHIVED,)), _ALL)
    for start in range(0, len(ids), _READ):
        yield from unit.get(ids[start : start + _READ]).values()


def fingerprint(memory: Memory) -> str:
    """The SHA-256 of what an archived memory says and rests on, in hexadecimal digits; `restore` checks it."""
    value = memory.object
    parts = [
        memory.id, memory.kind.value, memory.statement, memory.subject, memory.predicate, memory.polarity.value,
        [value.type.value, value.value, value.unit, value.scope, value.approx] if value else None,
        [memory.validity.valid_from, memory.validity.valid_to, memory.validity.at], memory.said_at.isoformat(),
        [[item.utterance_id, item.start, item.end] for item in memory.evidence],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()
