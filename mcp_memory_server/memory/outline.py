"""A whole memory as an outline."""

from __future__ import annotations

from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import Outline


def outline_of(memory: Memory) -> Outline:
    """The plain values of a memory that ranking and upkeep work on; equal to what a store reads as its outline."""
    return Outline(
        memory.id,
        memory.kind.value,
        memory.status.value,
        memory.category.value,
        memory.event_type.value if memory.event_type else None,
        memory.session,
        to_micros(memory.said_at),
        to_micros(memory.recorded_at),
        to_micros(memory.supported_at) if memory.supported_at else None,
        to_micros(memory.superseded_at) if memory.superseded_at else None,
        memory.confidence,
        memory.hidden,
        memory.validity.valid_from,
        memory.validity.valid_to,
        memory.validity.at,
        memory.speaker.value,
        " ".join(item.utterance_id for item in memory.evidence),
        memory.layer.value,
        memory.predicate,
        memory.said_offset,
        to_micros(memory.read_at) if memory.read_at else None,
    )
