"""`restore`: bring back from the archive what faded; what was erased has no row and cannot come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from mcp_memory_server.errors import DamagedError, NotFoundError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.archiving import fingerprint, is_archived
from mcp_memory_server.memory.model import CandidateFact, Kind, Memory, Span, Status
from mcp_memory_server.memory.ports import LedgerUnit, MemoryFilter, Question
from mcp_memory_server.memory.reconcile import Outcome, question_text, reconcile, related
from mcp_memory_server.memory.service.changes import Changes
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.view import JsonObject

_KNOWN = 200  # facts of one subject that a restored one is compared with
_ALL = 2**31 - 1


def archived(context: Context, principal: Principal) -> list[str]:
    """Ids of everything that a user has in the archive, newest first."""
    with context.backend.store.read(principal.tenancy) as unit:
        return unit.ids(MemoryFilter(statuses=(Status.ARCHIVED,)), _ALL)


def restore(context: Context, principal: Principal, memory_ids: Sequence[str]) -> JsonObject:
    """Bring archived memories back, their age counted anew; answers what came back and what did not, and why.

    A fact that is known again meanwhile stays where it is; one that something current speaks against comes back
    as disputed, with a question. Raises NotFoundError for an id that is not there, UnavailableError.
    """
    copies = _copies(context, principal, memory_ids)
    with context.backend.store.write(principal.tenancy) as unit:
        changes = Changes(context, principal, unit)
        found = unit.get(memory_ids)
        missing = [one for one in memory_ids if one not in found]
        if missing:
            gone = " (it was forgotten)" if unit.forgotten(missing[:1]) else ""
            raise NotFoundError(f"no memory {missing[0]}{gone}", next_step="See `list --status archived`")
        answer: JsonObject = {"restored": [], "disputed": [], "kept": []}
        for memory in found.values():
            _restore(changes, memory, copies, answer)
        changes.finish({}, "restore")
    if changes.late:
        context.deferred()
    return answer


def _restore(changes: Changes, memory: Memory, copies: Mapping[tuple[str, str], Memory], answer: JsonObject) -> None:
    if memory.status is not Status.ARCHIVED:
        answer["kept"].append({"id": memory.id, "reason": f"not archived: {memory.status.value}"})
        return
    sound = _sound(changes, memory, copies)
    if sound is None:
        answer["kept"].append({"id": memory.id, "reason": "damaged: it is not what was archived"})
        return
    kept, memory, now = memory, sound, changes.context.clock.now()
    outcome, against = _compared(changes, memory)
    if outcome is Outcome.RESTATED:
        answer["kept"].append({"id": memory.id, "reason": f"known again: {against[0].id}"})
        return
    if outcome is not Outcome.DISPUTED:
        status = _before(changes.unit, memory)
        changes.change(kept, replace(memory, status=status, supported_at=now), "restored")
        answer["restored"].append(memory.id)
        return
    changes.change(kept, replace(memory, status=Status.DISPUTED, supported_at=now), "restored", against[0].id)
    for other in against:
        if other.status is not Status.DISPUTED:
            changes.change(other, replace(other, status=Status.DISPUTED), "disputed", memory.id)
    text = question_text(memory.statement, against[0].statement, memory.lang)
    answers = ("keep_first", "keep_second", "keep_both")
    asked = Question(changes.context.ids.new("q", now), text, (against[0].id, memory.id), answers, now)
    changes.unit.ask(asked)
    answer["disputed"].append({"id": memory.id, "question": asked.id, "text": text})


def _copies(context: Context, principal: Principal, memory_ids: Sequence[str]) -> dict[tuple[str, str], Memory]:
    """The archive's copies of those memories whose row is not what was sealed, by id and seal; without a lock.

    A copy that is damaged too is left out. Raises UnavailableError where the archive does not answer: then they stay
    as they are, for another time.
    """
    if context.archive is None:
        return {}
    with context.backend.store.read(principal.tenancy) as unit:
        broken = [
            (one.id, seal) for one in unit.get(memory_ids).values() if (seal := _broken(unit, one)) and is_archived(one)
        ]
    found = {}
    for memory_id, seal in broken:
        with suppress(DamagedError):
            if (copy := context.archive.get(principal.tenancy, memory_id, seal)) is not None:
                found[memory_id, seal] = copy
    return found


def _broken(unit: LedgerUnit, memory: Memory) -> str:
    """The seal that an archived memory does not agree with; empty: it is as it was sealed."""
    details = _entry(unit, memory)
    seal = str(details.get("sha256"))
    # A forgetting may have taken words out of it since: then it is another version, and no seal is on it.
    return "" if details.get("version") != memory.version or seal == fingerprint(memory) else seal


def _sound(changes: Changes, memory: Memory, copies: Mapping[tuple[str, str], Memory]) -> Memory | None:
    """An archived memory as it was sealed: from the ledger, else the copy; None where both are damaged."""
    seal = _broken(changes.unit, memory)
    if not seal:
        return memory
    copy = copies.get((memory.id, seal))
    return None if copy is None else replace(copy, version=memory.version, superseded_by=memory.superseded_by)


def _entry(unit: LedgerUnit, memory: Memory) -> dict[str, object]:
    """What history tells of the archiving."""
    entries = [entry for entry in unit.history(memory.id) if entry.action == "archived"]
    return dict(entries[-1].details or {}) if entries else {}


def _before(unit: LedgerUnit, memory: Memory) -> Status:
    """The status that it had when it was archived."""
    return Status(str(_entry(unit, memory).get("from", Status.CURRENT.value)))


def _compared(changes: Changes, memory: Memory) -> tuple[Outcome, list[Memory]]:
    """What the fact would do to what is known now, if it were said again."""
    if memory.kind is not Kind.FACT:
        return Outcome.STORED, []
    known = changes.unit.by_key(memory.key, Kind.FACT)
    candidate = None
    if memory.subject and memory.predicate and memory.object:
        candidate = CandidateFact(
            memory.subject, memory.predicate, memory.object, Span(0, len(memory.statement)),
            memory.polarity, memory.category, memory.validity,
        )  # fmt: skip
        predicates = related(memory.predicate, changes.context.vocabulary)
        ids = {one.id for one in known}
        known += [m for m in changes.unit.by_subject(memory.subject, predicates, _KNOWN) if m.id not in ids]
    decision = reconcile(candidate, memory.statement, known, changes.context.vocabulary)
    by_id = {one.id: one for one in known}
    return decision.outcome, [by_id[one] for one in decision.targets]
