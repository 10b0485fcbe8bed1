"""Verdicts and firings as JSON objects of the native format, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_memory_server.interchange.records import Fields, Record
from mcp_memory_server.limits import RESULT_CHARS
from mcp_memory_server.memory.signals import Delivery, Firing, Verdict, Vote
from mcp_memory_server.memory.view import iso_utc

_ID_CHARS = 100
_MASKED_CHARS = 2 * RESULT_CHARS  # masking may lengthen a text


def vote_record(vote: Vote) -> Record:
    """One line of an export."""
    record: Record = {
        "type": "feedback",
        "memory_id": vote.memory_id,
        "recall_id": vote.recall_id,
        "verdict": vote.verdict.value,
        "at": iso_utc(vote.at),
        "agent": vote.agent,
    }
    return record | ({"spoken": True} if vote.spoken else {})


def vote_of(record: Mapping[str, Any]) -> Vote:
    """A verdict. Raises RecordError."""
    f = Fields(record)
    f.text("type")
    vote = Vote(
        f.text("memory_id", most=_ID_CHARS),
        f.text("recall_id", most=_ID_CHARS),
        f.choice("verdict", Verdict),
        f.time("at"),
        f.text("agent"),
        bool(f.take("spoken", bool, optional=True)),
    )
    f.done()
    return vote


def firing_record(firing: Firing) -> Record:
    """One line of an export."""
    record: Record = {
        "type": "firing",
        "id": firing.id,
        "trigger": firing.trigger,
        "key": firing.key,
        "memory_id": firing.memory_id,
        "count": firing.count,
        "at": iso_utc(firing.at),
        "state": firing.state.value,
        "result": firing.result,
        "result_at": iso_utc(firing.result_at) if firing.result_at else None,
        "shown_at": iso_utc(firing.shown_at) if firing.shown_at else None,
    }
    return {name: value for name, value in record.items() if value is not None}


def firing_of(record: Mapping[str, Any]) -> Firing:
    """A firing; one that still waited to be delivered waits no more: here nobody asked for it. Raises RecordError."""
    f = Fields(record)
    f.text("type")
    state = f.choice("state", Delivery)
    firing = Firing(
        id=f.text("id", most=_ID_CHARS),
        trigger=f.text("trigger", most=_ID_CHARS),
        key=f.text("key", most=_ID_CHARS),
        memory_id=f.text("memory_id", most=_ID_CHARS),
        count=f.number("count", 1),
        at=f.time("at"),
        state=Delivery.LOCAL if state is Delivery.WAITING else state,
        result=f.text("result", optional=True, most=_MASKED_CHARS),
        result_at=f.time("result_at", optional=True),
        shown_at=f.time("shown_at", optional=True),
    )
    f.done()
    return firing
