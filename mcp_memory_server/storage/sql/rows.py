"""Rows of the ledger to values of the domain and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping

from mcp_memory_server.memory.micros import from_micros, to_micros
from mcp_memory_server.memory.model import (
    Category,
    EventType,
    Evidence,
    Kind,
    Layer,
    Memory,
    Polarity,
    Sentiment,
    Source,
    Speaker,
    Status,
    Validity,
    Value,
    ValueType,
)
from mcp_memory_server.memory.ports import Erasure, Question, Token
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.at_rest import AS_IS, AtRest

_KINDS = {item.value: item for item in Kind}
_CATEGORIES = {item.value: item for item in Category}
_STATUSES = {item.value: item for item in Status}
_COLUMNS = [column.name for column in t.memory.columns]


def _optional(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _optional_micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def memory_row(memory: Memory) -> dict[str, Any]:
    """The columns of a memory, without its evidence."""
    value = memory.object
    return {
        "id": memory.id,
        "user": memory.user,
        "kind": memory.kind.value,
        "statement": memory.statement,
        "key": memory.key,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "object_type": value.type.value if value else None,
        "object_value": value.value if value else None,
        "object_unit": value.unit if value else None,
        "object_scope": value.scope if value else None,
        "object_approx": bool(value and value.approx),
        "polarity": memory.polarity.value,
        "category": memory.category.value,
        "status": memory.status.value,
        "layer": memory.layer.value,
        "source": memory.source.value,
        "confidence": memory.confidence,
        "grounded": memory.grounded,
        "reason": memory.reason,
        "hidden": memory.hidden,
        "valid_from": memory.validity.valid_from,
        "valid_to": memory.validity.valid_to,
        "at": memory.validity.at,
        "event_type": memory.event_type.value if memory.event_type else None,
        "count": memory.count,
        "confirmations": memory.confirmations,
        "lang": memory.lang,
        "session": memory.session,
        "position": memory.position,
        "channel": memory.channel,
        "agent": memory.agent,
        "origin": memory.origin,
        "speaker": memory.speaker.value,
        "speaker_name": memory.speaker_name,
        "sentiment": memory.sentiment.label if memory.sentiment else None,
        "intensity": memory.sentiment.intensity if memory.sentiment else None,
        "said_at": to_micros(memory.said_at),
        "said_offset": memory.said_offset,
        "recorded_at": to_micros(memory.recorded_at),
        "supported_at": _optional_micros(memory.supported_at),
        "read_at": _optional_micros(memory.read_at),
        "superseded_at": _optional_micros(memory.superseded_at),
        "superseded_by": memory.superseded_by,
        "version": memory.version,
    }


def memory_of(columns: Sequence[Any], evidence: Sequence[Evidence] = (), rest: AtRest = AS_IS) -> Memory:
    """A memory from a row of its table, as it stands there, and its evidence."""
    row = dict(zip(_COLUMNS, columns, strict=True))
    if not rest.plain:
        row = rest.read("memory", row)
    value = None
    if row["object_type"] is not None:
        value = Value(
            ValueType(row["object_type"]),
            row["object_value"],
            row["object_unit"],
            row["object_scope"],
            bool(row["object_approx"]),
        )
    return Memory(
        id=row["id"],
        user=row["user"],
        kind=_KINDS[row["kind"]],
        statement=row["statement"],
        key=row["key"],
        subject=row["subject"],
        predicate=row["predicate"],
        object=value,
        polarity=Polarity(row["polarity"]),
        category=_CATEGORIES[row["category"]],
        status=_STATUSES[row["status"]],
        layer=Layer(row["layer"]),
        source=Source(row["source"]),
        confidence=row["confidence"],
        grounded=bool(row["grounded"]),
        reason=row["reason"],
        hidden=bool(row["hidden"]),
        validity=Validity(row["valid_from"], row["valid_to"], row["at"]),
        event_type=EventType(row["event_type"]) if row["event_type"] else None,
        count=row["count"],
        confirmations=row["confirmations"],
        lang=row["lang"],
        session=row["session"],
        position=row["position"],
        channel=row["channel"],
        agent=row["agent"],
        origin=row["origin"],
        speaker=Speaker(row["speaker"]),
        speaker_name=row["speaker_name"],
        sentiment=Sentiment(row["sentiment"], row["intensity"]) if row["sentiment"] else None,
        said_at=from_micros(row["said_at"]),
        said_offset=row["said_offset"],
        recorded_at=from_micros(row["recorded_at"]),
        supported_at=_optional(row["supported_at"]),
        read_at=_optional(row["read_at"]),
        superseded_at=_optional(row["superseded_at"]),
        superseded_by=row["superseded_by"],
        version=row["version"],
        evidence=tuple(evidence),
    )


def question_of(row: Mapping[Any, Any]) -> Question:
    """An open question from its columns."""
    return Question(
        row["id"],
        row["text"],
        tuple(json.loads(row["memory_ids"])),
        tuple(json.loads(row["answers"])),
        from_micros(row["asked_at"]),
    )


def erasure_row(erasure: Erasure) -> dict[str, Any]:
    """The columns of a receipt."""
    return {
        "id": erasure.id,
        "user": erasure.user,
        "state": erasure.state,
        "memory_ids": json.dumps(erasure.memory_ids),
        "requested_at": to_micros(erasure.requested_at),
        "finished_at": _optional_micros(erasure.finished_at),
        "places": json.dumps(erasure.places),
        "pending": json.dumps(erasure.pending),
    }


def erasure_of(row: RowMapping) -> Erasure:
    """A receipt from its columns."""
    return Erasure(
        row["id"],
        row["user"],
        row["state"],
        tuple(json.loads(row["memory_ids"])),
        from_micros(row["requested_at"]),
        _optional(row["finished_at"]),
        tuple(json.loads(row["places"])),
        tuple(json.loads(row["pending"])),
    )


def token_row(token: Token) -> dict[str, Any]:
    """The columns of an access token."""
    return {
        "id": token.id,
        "name": token.name,
        "user": token.user,
        "digest": token.digest,
        "created_at": to_micros(token.created_at),
        "expires_at": _optional_micros(token.expires_at),
        "revoked_at": _optional_micros(token.revoked_at),
    }


def token_of(row: RowMapping) -> Token:
    """An access token from its columns."""
    return Token(
        row["id"],
        row["name"],
        row["user"],
        row["digest"],
        from_micros(row["created_at"]),
        _optional(row["expires_at"]),
        _optional(row["revoked_at"]),
    )
