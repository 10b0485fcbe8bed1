"""Memories, history and questions as JSON objects of the native format, and back.

Every field is written under its own name; absent ones are left out. Reading is strict: a record that
is not exactly of this form is refused with the name of the field that is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from mcp_memory_server.limits import SAID_CHARS
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
from mcp_memory_server.memory.ports import HistoryEntry, Question
from mcp_memory_server.memory.view import iso_utc

Record = dict[str, Any]
Entity = tuple[str, str, str]  # key, name, role

_TEXT_CHARS = 2 * SAID_CHARS  # masking may lengthen what was said
_SHORT_CHARS = 2_000  # of every other text
_ROLES = ("subject", "object", "mention")
_E = TypeVar("_E", bound=StrEnum)


class RecordError(ValueError):
    """A record that is not of the native form; the text names the field."""


# ---------------------------------------------------------------- writing


def memory_record(memory: Memory, history: Sequence[HistoryEntry], entities: Sequence[Entity]) -> Record:
    """One line of an export."""
    value, validity, feeling = memory.object, memory.validity, memory.sentiment
    record: Record = {
        "type": "memory",
        "id": memory.id,
        "kind": memory.kind.value,
        "statement": memory.statement,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "object": _without_none(
            type=value.type.value, value=value.value, unit=value.unit, scope=value.scope, approx=value.approx or None
        )
        if value
        else None,
        "polarity": memory.polarity.value,
        "category": memory.category.value,
        "status": memory.status.value,
        "source": memory.source.value,
        "said_at": iso_utc(memory.said_at),
        "said_offset": memory.said_offset,
        "recorded_at": iso_utc(memory.recorded_at),
        "confidence": memory.confidence,
        "valid_from": validity.valid_from,
        "valid_to": validity.valid_to,
        "at": validity.at,
        "layer": memory.layer.value,
        "event_type": memory.event_type.value if memory.event_type else None,
        "count": memory.count,
        "confirmations": memory.confirmations,
        "grounded": memory.grounded,
        "key": memory.key,
        "lang": memory.lang,
        "session": memory.session,
        "channel": memory.channel,
        "agent": memory.agent,
        "origin": memory.origin,
        "speaker": memory.speaker.value,
        "speaker_name": memory.speaker_name,
        "position": memory.position,
        "superseded_at": _time(memory.superseded_at),
        "superseded_by": memory.superseded_by,
        "supported_at": _time(memory.supported_at),
        "read_at": _time(memory.read_at),
        "sentiment": {"label": feeling.label, "intensity": feeling.intensity} if feeling else None,
        "reason": memory.reason or None,
        "hidden": memory.hidden or None,
        "version": memory.version,
        "evidence": [{"utterance": e.utterance_id, "start": e.start, "end": e.end} for e in memory.evidence],
        "entities": [{"key": key, "name": name, "role": role} for key, name, role in entities],
        "history": [_entry_record(entry) for entry in history],
    }
    return _without_none(**record)


def _entry_record(entry: HistoryEntry) -> Record:
    return _without_none(
        at=iso_utc(entry.at),
        action=entry.action,
        actor=entry.actor,
        other=entry.other_id,
        details=dict(entry.details) if entry.details else None,
    )


def question_record(question: Question, answer: str | None, answered_at: datetime | None) -> Record:
    """One line of an export."""
    return _without_none(
        type="question",
        id=question.id,
        text=question.text,
        memory_ids=list(question.memory_ids),
        answers=list(question.answers),
        asked_at=iso_utc(question.asked_at),
        answer=answer,
        answered_at=_time(answered_at),
    )


def _time(moment: datetime | None) -> str | None:
    return iso_utc(moment) if moment is not None else None


def _without_none(**fields: Any) -> Record:
    return {name: value for name, value in fields.items() if value is not None}


# ---------------------------------------------------------------- reading


class Fields:
    """The fields of one record, each taken once and checked."""

    def __init__(self, record: Mapping[str, Any], where: str = "") -> None:
        self._left = dict(record)
        self._where = where

    def take(self, name: str, kind: type | tuple[type, ...], *, optional: bool = False) -> Any:
        """A field of a kind; None when it is optional and absent. Raises RecordError."""
        value = self._left.pop(name, None)
        if value is None:
            if optional:
                return None
            raise RecordError(f"{self._where}{name}: is missing")
        # In Python a bool is an int; in this format it is not.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise RecordError(f"{self._where}{name}: has the wrong type")
        return value

    def text(self, name: str, *, optional: bool = False, most: int = _SHORT_CHARS) -> Any:
        """A text of at most so many characters."""
        value = self.take(name, str, optional=optional)
        if value is not None and len(value) > most:
            raise RecordError(f"{self._where}{name}: longer than {most} characters")
        if value is not None and any("\ud800" <= char <= "\udfff" for char in value):
            raise RecordError(f"{self._where}{name}: has half a character")
        return value

    def number(self, name: str, low: int, high: int = 2**53) -> int:
        """A whole number in a range."""
        value: int = self.take(name, int)
        if not low <= value <= high:
            raise RecordError(f"{self._where}{name}: must be from {low} to {high}")
        return value

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = float(self.take(name, (int, float)))
        if not 0.0 <= value <= 1.0:
            raise RecordError(f"{self._where}{name}: must be from 0 to 1")
        return value

    def time(self, name: str, *, optional: bool = False) -> Any:
        """An aware time."""
        value = self.text(name, optional=optional)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                raise RecordError(f"{self._where}{name}: has no offset")
            return moment.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            if isinstance(error, RecordError):
                raise
            raise RecordError(f"{self._where}{name}: no ISO 8601 time") from error

    def choice(self, name: str, kind: type[_E]) -> _E:
        """One of a closed list."""
        value = self.text(name)
        try:
            return kind(value)
        except ValueError as error:
            raise RecordError(f"{self._where}{name}: {value!r} is not known") from error

    def each(self, name: str) -> list[Fields]:
        """The objects of a list."""
        items: list[Any] = self.take(name, list)
        if not all(isinstance(item, dict) for item in items):
            raise RecordError(f"{self._where}{name}: must be a list of objects")
        return [Fields(item, f"{self._where}{name}[{index}].") for index, item in enumerate(items)]

    def inner(self, name: str) -> Fields | None:
        """An object, None when absent."""
        value = self.take(name, dict, optional=True)
        return Fields(value, f"{self._where}{name}.") if value is not None else None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of short texts."""
        items: list[Any] = self.take(name, list)
        if not all(isinstance(item, str) and len(item) <= _SHORT_CHARS for item in items):
            raise RecordError(f"{self._where}{name}: must be a list of texts")
        return tuple(items)

    def done(self) -> None:
        """Raises RecordError when a field is left that nobody knows."""
        if self._left:
            raise RecordError(f"{self._where}{min(self._left)}: unknown field")


def memory_of(record: Mapping[str, Any], user: str) -> tuple[Memory, list[HistoryEntry], list[Entity]]:
    """A memory of `user` with its history and entities. Raises RecordError."""
    f = Fields(record)
    f.text("type")
    kind = f.choice("kind", Kind)
    memory_id = f.text("id", most=100)
    feeling, value = f.inner("sentiment"), f.inner("object")
    memory = Memory(
        id=memory_id,
        user=user,
        kind=kind,
        statement=f.text("statement", most=_TEXT_CHARS),
        category=f.choice("category", Category),
        status=f.choice("status", Status),
        source=f.choice("source", Source),
        said_at=f.time("said_at"),
        recorded_at=f.time("recorded_at"),
        confidence=f.share("confidence"),
        subject=f.text("subject", optional=True),
        predicate=f.text("predicate", optional=True),
        object=_value(value) if value else None,
        polarity=f.choice("polarity", Polarity),
        validity=Validity(*(f.text(name, optional=True) for name in ("valid_from", "valid_to", "at"))),
        layer=f.choice("layer", Layer),
        event_type=f.choice("event_type", EventType) if kind is Kind.EVENT else None,
        count=f.number("count", 1),
        confirmations=f.number("confirmations", 0),
        grounded=f.take("grounded", bool),
        key=f.text("key"),
        lang=f.text("lang", most=20),
        session=f.text("session", optional=True),
        channel=f.text("channel", optional=True),
        agent=f.text("agent", optional=True),
        origin=f.text("origin", optional=True),
        speaker=f.choice("speaker", Speaker),
        speaker_name=f.text("speaker_name", optional=True),
        said_offset=f.number("said_offset", -1_440, 1_440),
        position=f.number("position", 0),
        superseded_at=f.time("superseded_at", optional=True),
        superseded_by=f.text("superseded_by", optional=True),
        supported_at=f.time("supported_at", optional=True),
        read_at=f.time("read_at", optional=True),
        sentiment=_sentiment(feeling) if feeling else None,
        reason=f.text("reason", optional=True) or "",
        hidden=bool(f.take("hidden", bool, optional=True)),
        version=f.number("version", 1),
        evidence=tuple(_evidence(item) for item in f.each("evidence")),
    )
    if memory.kind is Kind.UTTERANCE and memory.evidence:
        raise RecordError("evidence: an utterance rests on nothing")
    entities = [_entity(item) for item in f.each("entities")]
    history = [_entry(item, memory_id) for item in f.each("history")]
    f.done()
    return memory, history, entities


def _value(f: Fields) -> Value:
    value = Value(
        f.choice("type", ValueType),
        f.text("value", most=_TEXT_CHARS),
        f.text("unit", optional=True),
        f.text("scope", optional=True),
        bool(f.take("approx", bool, optional=True)),
    )
    f.done()
    return value


def _sentiment(f: Fields) -> Sentiment:
    found = Sentiment(f.text("label"), f.share("intensity"))
    f.done()
    return found


def _evidence(f: Fields) -> Evidence:
    start = f.number("start", 0)
    found = Evidence(f.text("utterance"), start, f.number("end", start))
    f.done()
    return found


def _entity(f: Fields) -> Entity:
    found = (f.text("key"), f.text("name"), f.text("role"))
    f.done()
    if found[2] not in _ROLES:
        raise RecordError(f"entities.role: {found[2]!r} is not known")
    return found


def _entry(f: Fields, memory_id: str) -> HistoryEntry:
    details = f.take("details", dict, optional=True)
    if details is not None and not all(map(_is_plain, details.values())):
        raise RecordError("history.details: must hold plain values")
    entry = HistoryEntry(
        memory_id, f.time("at"), f.text("action"), f.text("actor"), f.text("other", optional=True), details
    )
    f.done()
    return entry


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def question_of(record: Mapping[str, Any]) -> tuple[Question, str | None, datetime | None]:
    """A question, and how it was answered. Raises RecordError."""
    f = Fields(record)
    f.text("type")
    question = Question(
        f.text("id", most=100),
        f.text("text", most=_TEXT_CHARS),
        f.texts("memory_ids"),
        f.texts("answers"),
        f.time("asked_at"),
    )
    answer, at = f.text("answer", optional=True), f.time("answered_at", optional=True)
    f.done()
    if (answer is None) != (at is None):
        raise RecordError("answer: goes with answered_at")
    return question, answer, at
