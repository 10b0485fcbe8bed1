"""Firing triggers inside the transaction of the words that complete a pattern, and taking in what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server import limits
from mcp_memory_server.errors import ConflictError, InvalidArgumentError, NotAllowedError, NotFoundError, TooLargeError
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import EventType, Kind, Memory, Speaker
from mcp_memory_server.memory.ports import HistoryEntry, LedgerUnit, MemoryFilter, Tenancy
from mcp_memory_server.memory.service.changes import Changes
from mcp_memory_server.memory.service.context import Context, utterances_of
from mcp_memory_server.memory.service.summaries import event_summary
from mcp_memory_server.memory.signals import Delivery, Firing
from mcp_memory_server.memory.text import clean, is_blank
from mcp_memory_server.memory.triggers import Occurrence, TriggerRule, completed
from mcp_memory_server.memory.view import JsonObject, iso_utc

PROJECTION = "trigger/"  # begins the names under which deliveries wait in the outbox
_EVENTS = 200  # events of one type that a rule about a topic looks at
_FIRINGS = 50  # firings that are listed


def fire(changes: Changes, utterance: Memory, events: Sequence[Memory]) -> list[Firing]:
    """The triggers that the events of an utterance complete, each once."""
    if utterance.speaker is not Speaker.USER:
        return []
    fired = []
    for rule in changes.context.triggers:
        for event in events:
            kind = event.event_type
            if kind is not None and kind.value in rule.event_types and (one := _fired(changes, utterance, event, rule)):
                fired.append(one)
    return fired


def _fired(changes: Changes, utterance: Memory, event: Memory, rule: TriggerRule) -> Firing | None:
    unit, now = changes.unit, changes.context.clock.now()
    seen = _occurrences(unit, _counted(unit, rule) if rule.about else [event])
    latest = next((one for one in seen if one.utterance_id == utterance.id), None)
    count = completed(rule, seen, latest) if latest is not None else None
    if count is None:
        return None
    state = Delivery.WAITING if rule.delivers else Delivery.LOCAL
    firing = Firing(changes.context.ids.new("f", now), rule.name, rule.key_of(event.key), event.id, count, now, state)
    if not unit.fire(firing):
        return None
    unit.record(HistoryEntry(event.id, now, "triggered", changes.principal.agent, None, {"trigger": rule.name}))
    if rule.delivers:
        unit.defer([firing.id], PROJECTION + rule.name)
    return firing


def _counted(unit: LedgerUnit, rule: TriggerRule) -> list[Memory]:
    """All events of the rule's types: a topic is told in many words, and each has an event of its own."""
    ids = [
        one
        for kind in EventType
        if kind.value in rule.event_types
        for one in unit.ids(MemoryFilter(kinds=(Kind.EVENT,), event_type=kind.value), _EVENTS)
    ]
    return list(unit.get(ids).values())


def _occurrences(unit: LedgerUnit, events: Sequence[Memory]) -> list[Occurrence]:
    utterances = utterances_of(unit, events)
    return [
        Occurrence(spoken.id, spoken.said_at, spoken.statement[item.start : item.end])
        for event in events
        for item in event.evidence
        if (spoken := utterances.get(item.utterance_id)) is not None and spoken.speaker is Speaker.USER
    ]


def take_result(context: Context, tenancy: Tenancy, firing_id: str, text: str) -> JsonObject:
    """Keep what came back for a firing; the same text again changes nothing.

    Raises InvalidArgumentError, TooLargeError, NotFoundError, NotAllowedError for text that gives orders to a
    model, ConflictError where another result is there already.
    """
    if is_blank(text):
        raise InvalidArgumentError("result: is empty")
    if len(text) > limits.RESULT_CHARS:
        raise TooLargeError(f"result: at most {limits.RESULT_CHARS} characters", next_step="Shorten it")
    guarded = guard(clean(text)[0])
    if guarded.instruction:
        raise NotAllowedError("result: gives orders to a model", next_step="Send what was found, not what to do")
    with context.backend.store.write(tenancy) as unit:
        firing = unit.firing(firing_id)
        if firing is None:
            raise NotFoundError(f"no firing {firing_id}", next_step="Use the id that the delivery named")
        if firing.result is None:
            now = context.clock.now()
            firing = replace(firing, result=guarded.text, result_at=now)
            unit.change_firing(firing)
            unit.audit(now, "trigger_result", firing.trigger, [firing.memory_id])
        elif firing.result != guarded.text:
            raise ConflictError(f"{firing_id} has another result already")
    return firing_view(firing)


def firings(context: Context, tenancy: Tenancy) -> list[JsonObject]:
    """What has fired, newest first, with what it was about."""
    with context.backend.store.read(tenancy) as unit:
        found = unit.firings(_FIRINGS)
        events = unit.get([firing.memory_id for firing in found])
        return [
            firing_view(firing) | {"summary": event_summary(context, unit, events[firing.memory_id])}
            for firing in found
            if firing.memory_id in events and not events[firing.memory_id].hidden
        ]


def firing_view(firing: Firing) -> JsonObject:
    """A firing as it is shown; absent parts are left out."""
    out: JsonObject = {
        "id": firing.id,
        "trigger": firing.trigger,
        "count": firing.count,
        "at": iso_utc(firing.at),
        "memory_id": firing.memory_id,
        "state": firing.state.value,
    }
    if firing.result is not None and firing.result_at is not None:
        out |= {"result": firing.result, "result_at": iso_utc(firing.result_at)}
    return out
