"""A memory as the contract shows it: brief or full, with its citation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from mcp_memory_server.limits import EXCERPT_CHARS
from mcp_memory_server.memory.model import Kind, Memory, Source, Speaker, Value
from mcp_memory_server.memory.text import excerpt, visible

JsonObject = dict[str, Any]


def iso_utc(moment: datetime) -> str:
    """`2026-11-30T09:15:00Z`, with microseconds only where there are some."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def iso_local(moment: datetime, offset_minutes: int) -> str:
    """The moment with the offset it was given with."""
    zone = timezone(timedelta(minutes=offset_minutes))
    text = moment.astimezone(zone).isoformat()
    return text if offset_minutes else text.replace("+00:00", "Z")


def value_view(value: Value) -> JsonObject:
    """A typed object; absent parts are left out."""
    out: JsonObject = {"type": value.type.value, "value": value.value}
    if value.unit:
        out["unit"] = value.unit
    if value.scope:
        out["scope"] = value.scope
    if value.approx:
        out["approx"] = True
    return out


def evidence_view(memory: Memory, utterances: Mapping[str, Memory]) -> JsonObject | None:
    """The words that support a memory: of a fact those of its latest utterance, of an utterance its own."""
    if memory.kind is Kind.UTTERANCE:
        start, end, source = 0, len(memory.statement), memory
    else:
        known = [item for item in memory.evidence if item.utterance_id in utterances]
        if not known:
            return None
        latest = max(known, key=lambda item: utterances[item.utterance_id].said_at)
        start, end, source = latest.start, latest.end, utterances[latest.utterance_id]
    out: JsonObject = {
        "quote": excerpt(source.statement[start:end], (), EXCERPT_CHARS)[0],
        "said_at": iso_local(source.said_at, source.said_offset),
        "said_by": source.speaker.value,
        "start": start,
        "end": end,
        "utterance": source.id,
    }
    if source.speaker_name:
        out["said_by_name"] = source.speaker_name
    return out


def citation(memory: Memory, statement: str, evidence: JsonObject | None, lang: str) -> str:
    """One sentence in the user's language: since when, in which words; `statement` as it is shown."""
    quote = evidence["quote"] if evidence else statement
    said_at = str(evidence["said_at"])[:10] if evidence else iso_local(memory.said_at, memory.said_offset)[:10]
    who = str(evidence.get("said_by_name") or evidence["said_by"]) if evidence else ""
    if lang == "zh":
        if not evidence:
            return f"自 {said_at} 起，由助手记录：“{quote}”"
        speaker = {"user": "您", "assistant": "助手", "other": "别人"}.get(who, who)
        return f"自 {said_at} 起，{speaker}说过：“{quote}”"
    if not evidence:
        return f'Since {said_at}, noted by the assistant: "{quote}"'
    speaker = {"user": "you", "assistant": "the assistant", "other": "somebody else"}.get(who, who)
    return f'Since {said_at}, {speaker} said: "{quote}"'


def brief(
    memory: Memory, utterances: Mapping[str, Memory], *, around: tuple[int, ...] = (), whole: bool = False
) -> JsonObject:
    """The brief form; a long text is cut around the offsets given unless `whole`."""
    statement, cut = (memory.statement, False) if whole else excerpt(memory.statement, around, EXCERPT_CHARS)
    out: JsonObject = {"id": memory.id, "kind": memory.kind.value, "statement": statement}
    if memory.kind is Kind.FACT:
        out["subject"] = memory.subject
        out["predicate"] = memory.predicate
        out["object"] = value_view(memory.object) if memory.object else None
        out["polarity"] = memory.polarity.value
    out |= {
        "category": memory.category.value,
        "status": memory.status.value,
        "valid_from": memory.validity.valid_from,
        "valid_to": memory.validity.valid_to,
        "at": memory.validity.at,
    }
    if memory.kind is Kind.EVENT:
        out["event_type"] = memory.event_type.value if memory.event_type else None
        out["count"] = memory.count
    out |= {
        "said_at": iso_local(memory.said_at, memory.said_offset),
        "source": memory.source.value,
        "grounding": "grounded" if memory.grounded else "unverified",
        "evidence": evidence_view(memory, utterances),
        "truncated": True if cut else None,
    }
    return {name: value for name, value in out.items() if value is not None}


def full(memory: Memory, utterances: Mapping[str, Memory], strength: float) -> JsonObject:
    """The full form: brief, whole text, and the life of the memory."""
    out = brief(memory, utterances, whole=True)
    out |= {
        "layer": memory.layer.value,
        "confidence": round(memory.confidence, 4),
        "confirmations": memory.confirmations,
        "version": memory.version,
        "strength": round(strength, 4),
        "recorded_at": iso_utc(memory.recorded_at),
        "agent": memory.agent,
        "channel": memory.channel,
        "session": memory.session,
        "origin": memory.origin,
        "reason": memory.reason or None,
        "hidden": True if memory.hidden else None,
        "superseded_by": memory.superseded_by,
        "links": [],
    }
    if memory.sentiment:
        out["sentiment"] = {"label": memory.sentiment.label, "intensity": memory.sentiment.intensity}
    return {name: value for name, value in out.items() if value is not None}


def best_match(statement: str, terms: tuple[str, ...]) -> tuple[int, ...]:
    """Offset of the place where most of the terms stand together, for cutting a long text."""
    folded = visible(statement).casefold()
    if len(folded) != len(statement):  # folding moved the offsets: search the plain text instead
        folded = statement.casefold() if len(statement.casefold()) == len(statement) else statement
    places = sorted(place for term in terms if len(term) > 1 for place in _places(folded, term))
    if not places:
        return ()
    window = EXCERPT_CHARS // 2
    return (max(places, key=lambda place: (sum(place <= other < place + window for other in places), -place)),)


def _places(text: str, term: str, most: int = 20) -> list[int]:
    found: list[int] = []
    start = text.find(term)
    while start >= 0 and len(found) < most:
        found.append(start)
        start = text.find(term, start + 1)
    return found


def is_user_word(memory: Memory) -> bool:
    """Whether the memory stands on the user's own words."""
    return memory.speaker is Speaker.USER and memory.source in (Source.USER, Source.RULE, Source.REVIEWER)
