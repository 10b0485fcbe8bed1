"""Candidates by time and kind: what was said when the question says, and what the user asked before."""

from __future__ import annotations

from mcp_memory_server.memory.asking import Asked
from mcp_memory_server.memory.micros import from_micros
from mcp_memory_server.memory.model import EventType, Kind, Status
from mcp_memory_server.memory.ports import LedgerUnit, MemoryFilter

_IN_WINDOW = 40  # newest utterances of the time that a question names
_QUESTIONS = 20  # newest questions of the user, when the question is about them


def in_window(unit: LedgerUnit, asked: Asked) -> list[str]:
    """Ids of utterances of the time that a question names, newest first."""
    if asked.window is None:
        return []
    since, until = map(from_micros, asked.window)
    return unit.ids(
        MemoryFilter(kinds=(Kind.UTTERANCE,), statuses=(Status.CURRENT,), since=since, until=until), _IN_WINDOW
    )


def asked_before(unit: LedgerUnit, asked: Asked) -> list[str]:
    """Ids of the user's questions, and of the utterances that asked them, when the question is about those."""
    if not asked.of_questions:
        return []
    wanted = MemoryFilter(kinds=(Kind.EVENT,), statuses=(Status.CURRENT,), event_type=EventType.QUESTION.value)
    events = unit.get(unit.ids(wanted, _QUESTIONS))
    spoken = [item.utterance_id for event in events.values() for item in event.evidence]
    return list(dict.fromkeys([*events, *spoken]))
