"""Summaries of events and of the last sessions: slots of what is stored, through templates."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.ports import LedgerUnit, MemoryFilter, Session
from mcp_memory_server.memory.service.context import Context, newest, utterances_of
from mcp_memory_server.memory.summaries import event_slots, session_slots
from mcp_memory_server.memory.view import JsonObject, iso_utc

SESSIONS = 3  # sessions that are summed up
_LOOKED_AT = 50  # facts and events of a session that its summary is made from
_EVENTS_SHOWN = 3  # events of a session with a line of their own


def spoken_words(unit: LedgerUnit, events: Sequence[Memory]) -> dict[str, str]:
    """Event id to the words of its latest utterance that make it the event."""
    utterances = utterances_of(unit, events)
    out = {}
    for event in events:
        known = [item for item in event.evidence if item.utterance_id in utterances]
        latest = max(known, key=lambda item: utterances[item.utterance_id].said_at, default=None)
        words = utterances[latest.utterance_id].statement[latest.start : latest.end] if latest else ""
        out[event.id] = words or event.statement
    return out


def event_summary(context: Context, unit: LedgerUnit, event: Memory) -> str:
    """An event as three keywords and 50 characters; empty where nothing renders."""
    words = spoken_words(unit, [event])[event.id]
    return _rendered(context, "event", event.lang, event_slots(event, words))


def recent_sessions(context: Context, unit: LedgerUnit, lang: str) -> list[JsonObject]:
    """The last three sessions, newest first, each with its summary and a few of its events."""
    return [_session(context, unit, session, lang) for session in unit.sessions(SESSIONS)]


def _session(context: Context, unit: LedgerUnit, session: Session, lang: str) -> JsonObject:
    wanted = MemoryFilter(kinds=(Kind.FACT, Kind.EVENT), statuses=(Status.CURRENT,), session=session.id)
    found = _mentionable(unit, newest(unit, wanted, _LOOKED_AT))[::-1]
    events = [memory for memory in found if memory.kind is Kind.EVENT]
    words = spoken_words(unit, events)
    out: JsonObject = {
        "session": session.id,
        "first_at": iso_utc(session.first_at),
        "last_at": iso_utc(session.last_at),
        "utterances": session.utterances,
        "summary": _rendered(context, "session", lang, session_slots(session, found, words.values())),
        "events": [
            {
                "id": event.id,
                "summary": _rendered(context, "event", event.lang, event_slots(event, words[event.id])),
            }
            for event in events[::-1][:_EVENTS_SHOWN]
        ],
    }
    return out


def _mentionable(unit: LedgerUnit, memories: Sequence[Memory]) -> list[Memory]:
    """Without what the user asked not to have brought up, and what rests on words that say it."""
    spoken = utterances_of(unit, memories)
    return [
        memory
        for memory in memories
        if not memory.hidden
        and not any(spoken[e.utterance_id].hidden for e in memory.evidence if e.utterance_id in spoken)
    ]


def _rendered(context: Context, name: str, lang: str, slots: JsonObject) -> str:
    return context.renderer.render(name, lang, slots) if context.renderer is not None else ""
