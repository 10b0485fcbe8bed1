"""What `maintain` does to one user's memories: merge, promote, expire, ask, archive, and clear idle sessions.

What is due is found by reading, without a lock; each decision is then looked at again inside a short write
transaction, since the memory may have changed meanwhile. History tells when something fell due, the audit
log when it was done. A second run finds nothing to do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_memory_server import limits
from mcp_memory_server.memory import noise, upkeep
from mcp_memory_server.memory.archiving import fingerprint
from mcp_memory_server.memory.micros import from_micros, to_micros
from mcp_memory_server.memory.model import Kind, Layer, Memory, Status, Validity
from mcp_memory_server.memory.outline import outline_of
from mcp_memory_server.memory.ports import HistoryEntry, LedgerUnit, MemoryFilter, Outline, Question, Tenancy
from mcp_memory_server.memory.projecting import unproject
from mcp_memory_server.memory.service.context import Context

AGENT = "maintain"
STALE_ANSWERS = ("confirm", "replace", "wrong")  # a question with these is about one fact long unused
CONFIRMING = frozenset({"confirm", "confirmed", "keep_both", "keep_first", "keep_second"})
_READ = 1_000  # outlines read at a time
_BATCH = 100  # steps written in one transaction
_ALL = 2**31 - 1
_STALE = {
    "en": "This has not come up for a long time: “{statement}”. Does it still hold?",
    "zh": "这条信息很久没有提到了：“{statement}”，现在还对吗？",
}

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How many memories of one or more users each rule concerned; `sessions` of them ended."""

    promoted: int = 0
    expired: int = 0
    archived: int = 0
    merged: int = 0
    asked: int = 0
    sessions: int = 0

    def __add__(self, other: Upkeep) -> Upkeep:
        mine, theirs = (tuple(getattr(one, name) for name in Upkeep.__slots__) for one in (self, other))
        return Upkeep(*(a + b for a, b in zip(mine, theirs, strict=True)))


def keep_up(context: Context, tenancy: Tenancy, progress: Progress = lambda _done: None) -> Upkeep:
    """Do everything that is due for a user; `progress` is told how many memories have been looked at.

    Raises UnavailableError, StoreNewerError.
    """
    merged = _merge(context, tenancy)
    promoted = _promote(context, tenancy)
    steps = _due(context, tenancy, progress)
    done = {upkeep.EXPIRED: 0, upkeep.ARCHIVED: 0, upkeep.ASKED: 0, upkeep.CLOSED: 0}
    for start in range(0, len(steps), _BATCH):
        with context.backend.store.write(tenancy) as unit:
            applied = [step for step in steps[start : start + _BATCH] if _apply(context, unit, step)]
            gone = [step.outline.id for step in applied if step.action == upkeep.ARCHIVED]
            if gone:
                unproject(context.backend, unit, gone)
                if context.backend.vector_index.transactional:
                    unit.undefer(gone, context.backend.vector_index.name)
                if context.archive is not None:
                    unit.defer(gone, context.archive.name)
            _audit(context, unit, [step.outline.id for step in applied])
        for step in applied:
            done[step.action] += 1
    ended = _end_sessions(context, tenancy)
    return Upkeep(promoted, done[upkeep.EXPIRED], done[upkeep.ARCHIVED], merged, done[upkeep.ASKED], ended)


def _audit(context: Context, unit: LedgerUnit, ids: Sequence[str]) -> None:
    if ids:
        unit.audit(context.clock.now(), AGENT, AGENT, list(dict.fromkeys(ids)))


# ---------------------------------------------------------------- finding


def _outlines(unit: LedgerUnit, wanted: MemoryFilter) -> Iterator[list[Outline]]:
    ids = unit.ids(wanted, _ALL)
    for start in range(0, len(ids), _READ):
        yield list(unit.outlines(ids[start : start + _READ]).values())


def _due(context: Context, tenancy: Tenancy, progress: Progress) -> list[upkeep.Step]:
    """The agenda of a user, oldest first."""
    rules, now = context.rules, to_micros(context.clock.now())
    steps: list[upkeep.Step] = []
    facts: list[Outline] = []
    looked = 0
    with context.backend.store.read(tenancy) as unit:
        for page in _outlines(unit, MemoryFilter(statuses=(Status.CURRENT, Status.PENDING))):
            found = [upkeep.fate(one, rules) for one in page]
            steps += [step for step in found if step is not None and step.moment <= now]
            facts += [one for one in page if one.kind == Kind.FACT]
            spoken = [one for one in page if one.kind == Kind.UTTERANCE]
            steps += upkeep.idle_utterances(spoken, unit.resting([one.id for one in spoken]))
            looked += len(page)
            progress(looked)
        events = [one for page in _outlines(unit, MemoryFilter(kinds=(Kind.EVENT,))) for one in page]
        steps += upkeep.crowded_out(events)
        asked = {q.memory_ids[0]: q.id for q in unit.questions() if q.answers == STALE_ANSWERS}
    return upkeep.agenda(steps, facts, asked, now, rules)


# ---------------------------------------------------------------- doing


def _apply(context: Context, unit: LedgerUnit, step: upkeep.Step) -> bool:
    """Carry out one step, if the memory is still as it was when the step was found."""
    one = step.outline.id
    memory = unit.get([one]).get(one)
    if memory is None:
        return False
    if step.action == upkeep.CLOSED:
        return _close(unit, memory, step)
    if _compared(outline_of(memory)) != _compared(step.outline):
        return False
    if step.action == upkeep.ASKED:
        return _ask(unit, memory, step)
    if step.action == upkeep.EXPIRED:
        after = replace(memory, status=Status.EXPIRED, validity=_ended(memory.validity))
        return _change(unit, memory, after, step, {})
    seal: dict[str, str | int] = {"sha256": fingerprint(memory), "version": memory.version + 1}
    return _change(unit, memory, replace(memory, status=Status.ARCHIVED), step, seal)


def _compared(one: Outline) -> tuple[object, ...]:
    """An outline for comparing; a store may name the utterances in any order."""
    return (*one._replace(utterances=""), *sorted(one.utterances.split()))


def _ended(validity: Validity) -> Validity:
    """With an end where there was none: that of the time spoken of, in the precision said."""
    if validity.valid_to or not validity.at:
        return validity
    return replace(validity, valid_to=validity.at.rpartition("/")[2])


def _change(unit: LedgerUnit, before: Memory, after: Memory, step: upkeep.Step, more: dict[str, str | int]) -> bool:
    unit.update(after)
    details = {"from": before.status.value, "to": after.status.value, "why": step.why, **more}
    _record(unit, after.id, step.moment, step.action, details)
    return True


def _record(
    unit: LedgerUnit, memory_id: str, moment: int, action: str, details: dict[str, str | int], other: str | None = None
) -> None:
    """An entry at the moment when it fell due, but never before what the history tells already."""
    known = unit.history(memory_id)
    at = max([from_micros(moment), *(entry.at for entry in known[-1:])])
    unit.record(HistoryEntry(memory_id, at, action, AGENT, other, details))


def _ask(unit: LedgerUnit, memory: Memory, step: upkeep.Step) -> bool:
    """Ask whether a fact still holds. The question's id follows from fact and moment: hosts cannot ask twice."""
    if unit.questions([memory.id]):
        return False
    made = hashlib.blake2b(f"{memory.id} {step.moment}".encode(), digest_size=8).hexdigest()
    text = _STALE.get(memory.lang, _STALE["en"]).format(statement=memory.statement.strip().rstrip(".。"))
    unit.ask(Question(f"q_{made}", text, (memory.id,), STALE_ANSWERS, from_micros(step.moment)))
    return True


def _close(unit: LedgerUnit, memory: Memory, step: upkeep.Step) -> bool:
    """A question about a fact goes when the fact does."""
    mine = [q for q in unit.questions([memory.id]) if q.answers == STALE_ANSWERS]
    if memory.status not in (Status.ARCHIVED, Status.EXPIRED):
        return False
    for question in mine:
        unit.answer(question.id, memory.status.value, from_micros(step.moment))
    return bool(mine)


def _merge(context: Context, tenancy: Tenancy) -> int:
    """Make one event of three alike; answers how many went into another."""
    wanted = MemoryFilter(kinds=(Kind.EVENT,), statuses=(Status.CURRENT,))
    with context.backend.store.read(tenancy) as unit:
        ids = unit.ids(wanted, _ALL)
        if not noise.merges(list(unit.get(ids).values())):
            return 0
    with context.backend.store.write(tenancy) as unit:
        found = noise.merges(list(unit.get(unit.ids(wanted, _ALL)).values()))
        for one in found:
            moment = to_micros(one.after.supported_at or one.after.recorded_at)
            for event in one.absorbed:
                ended = replace(
                    event, status=Status.SUPERSEDED, superseded_at=from_micros(moment), superseded_by=one.before.id
                )
                unit.update(ended)
                details: dict[str, str | int] = {"from": event.status.value, "to": ended.status.value}
                _record(unit, event.id, moment, "merged", details, one.before.id)
            unit.update(one.after)
            _record(unit, one.before.id, moment, "merged", {"count": one.after.count})
            _reindex(context, unit, replace(one.after, version=one.after.version + 1))
        _audit(context, unit, [event.id for one in found for event in (one.before, *one.absorbed)])
    if found:
        context.deferred()
    return sum(len(one.absorbed) for one in found)


def _reindex(context: Context, unit: LedgerUnit, memory: Memory) -> None:
    """The words of a merged event are those of its newest occurrence: project them, embed them later."""
    from mcp_memory_server.memory.projecting import project

    project(context.backend, unit, context.model, [memory], unit.mentions([memory.id]), {})


def _promote(context: Context, tenancy: Tenancy) -> int:
    """Lift what was mentioned often and confirmed into the next layer, where the write path has not done so."""
    done = 0
    with context.backend.store.read(tenancy) as unit:
        wanted = MemoryFilter(kinds=(Kind.FACT,), statuses=(Status.CURRENT,))
        ids = [
            one.id
            for page in _outlines(unit, wanted)
            for one in page
            if one.layer == Layer.EPISODIC and len(one.utterances.split()) >= limits.PROMOTION_MENTIONS
        ]
        ids = [one for one in ids if is_confirmed(unit, one)]
    for start in range(0, len(ids), _BATCH):
        with context.backend.store.write(tenancy) as unit:
            lifted = []
            for memory in unit.get(ids[start : start + _BATCH]).values():
                layer = upkeep.promoted(memory.layer, len(memory.evidence), is_confirmed(unit, memory.id))
                if memory.status is Status.CURRENT and layer is not memory.layer:
                    unit.update(replace(memory, layer=layer))
                    moment = to_micros(memory.supported_at or memory.recorded_at)
                    _record(unit, memory.id, moment, "promoted", {"from": memory.layer.value, "to": layer.value})
                    lifted.append(memory.id)
            _audit(context, unit, lifted)
        done += len(lifted)
    return done


def is_confirmed(unit: LedgerUnit, memory_id: str) -> bool:
    """Whether the user has said yes to a memory, or said again what had waited for it."""
    return any(
        entry.action in CONFIRMING
        or (entry.action == "restated" and (entry.details or {}).get("from") == Status.PENDING.value)
        for entry in unit.history(memory_id)
    )


def _end_sessions(context: Context, tenancy: Tenancy) -> int:
    """Clear the working memory of sessions that have been idle for long."""
    before = context.clock.now() - timedelta(hours=limits.SESSION_IDLE_HOURS)
    with context.backend.store.read(tenancy) as unit:
        idle = unit.idle_sessions(before)
    if not idle:
        return 0
    with context.backend.store.write(tenancy) as unit:
        idle = unit.idle_sessions(before)
        for session in idle:
            unit.clear_working(session)
    return len(idle)
