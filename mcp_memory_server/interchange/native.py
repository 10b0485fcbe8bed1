"""The native format: everything of a user in one file, without loss, and back again.

A round trip keeps ids, statuses, history, evidence, entities, questions, open or answered, and the triggers that
have fired; feedback on memories only where it is asked for. Vectors and full text are not in the file: they are
made anew from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from mcp_memory_server.errors import ConflictError, MemoryServerError
from mcp_memory_server.interchange import lines
from mcp_memory_server.interchange.records import (
    Entity,
    RecordError,
    memory_of,
    memory_record,
    question_of,
    question_record,
)
from mcp_memory_server.interchange.signal_records import firing_of, firing_record, vote_of, vote_record
from mcp_memory_server.memory.indexing import is_indexed
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import Backend, LedgerUnit, MemoryFilter, Tenancy
from mcp_memory_server.memory.projecting import project, unproject
from mcp_memory_server.memory.signals import Firing, Vote
from mcp_memory_server.memory.view import iso_utc

_PAGE = 500  # memories read at a time
_ALL = 2**31 - 1  # memories; only their ids are held at once
_BATCH = 200  # lines written in one transaction
_REASONS = 1_000  # skipped lines that are named; all are counted

Progress = Callable[[int], None]


@dataclass(slots=True)
class Report:
    """What an import did, with the line numbers and reasons of what it left out."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    reasons: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = False

    def skip(self, number: int, reason: str) -> None:
        """Count a line that was left out."""
        self.skipped += 1
        if len(self.reasons) < _REASONS:
            self.reasons.append({"line": number, "reason": reason})

    def count(self, outcome: str) -> None:
        """Count a line that was taken in."""
        setattr(self, outcome, getattr(self, outcome) + 1)


# ---------------------------------------------------------------- export


def export(
    backend: Backend,
    tenancy: Tenancy,
    file: BinaryIO,
    now: datetime,
    progress: Progress = lambda _done: None,
    *,
    feedback: bool = False,
) -> dict[str, int]:
    """Write everything of a user, from one snapshot; answers how much. The memory it needs does not grow."""
    memories = questions = 0
    firings: list[Firing] = []
    votes: list[Vote] = []
    file.write(lines.encoded(lines.header(iso_utc(now))))
    with backend.store.read(tenancy) as unit:
        for record in _everything(unit):
            file.write(lines.encoded(record))
            memories += 1
            if memories % _PAGE == 0:
                progress(memories)
        for question in unit.questions():
            file.write(lines.encoded(question_record(question, None, None)))
            questions += 1
        for question, answer, at in unit.answered():
            file.write(lines.encoded(question_record(question, answer, at)))
            questions += 1
        firings = unit.firings(_ALL)[::-1]
        votes = unit.votes() if feedback else []
        for record in (*map(firing_record, firings), *map(vote_record, votes)):
            file.write(lines.encoded(record))
    counts = {"memories": memories, "questions": questions, "triggers": len(firings), "feedback": len(votes)}
    file.write(lines.encoded({"type": "end", **counts}))
    progress(memories)
    return counts


def _everything(unit: LedgerUnit) -> Iterator[dict[str, Any]]:
    """Oldest first: read back in this order, memories of one moment keep their order too."""
    ids = unit.ids(MemoryFilter(), _ALL)
    ids.reverse()
    for start in range(0, len(ids), _PAGE):
        part = ids[start : start + _PAGE]
        found, mentions = unit.get(part), unit.mentions(part)
        names = unit.entities([key for named in mentions.values() for key, _ in named])
        for one in part:
            entities = [(key, names[key], role) for key, role in mentions.get(one, ())]
            yield memory_record(found[one], unit.history(one), entities)


# ---------------------------------------------------------------- import


def load(
    backend: Backend,
    model: str | None,
    tenancy: Tenancy,
    file: BinaryIO,
    now: datetime,
    progress: Progress = lambda _done: None,
    agent: str = "import",
) -> Report:
    """Bring a native file in for a user. A second time changes nothing.

    A memory that is here already is updated only when the file continues its history; what was
    forgotten here stays forgotten. A line that cannot be taken in is reported and harms no other.
    Raises InvalidArgumentError, UnsupportedError for a file that is not of this format.
    """
    lines.read_header(file)
    report = Report()
    taken, found = 0, lines.read_lines(file)
    while batch := list(islice(found, _BATCH)):
        with backend.store.write(tenancy) as unit:
            ids = _write(backend, model, unit, batch, report)
            if ids:
                unit.audit(now, "import", agent, ids)
        taken += len(batch)
        progress(taken)
    return report


@dataclass(slots=True)
class _Batch:
    """Some lines in one transaction: what is known of their ids, and what has changed."""

    backend: Backend
    unit: LedgerUnit
    report: Report
    gone: set[str]
    known: dict[str, Memory]
    changed: dict[str, Memory] = field(default_factory=dict)


def _write(backend: Backend, model: str | None, unit: LedgerUnit, found: list[lines.Line], report: Report) -> list[str]:
    """Take in some lines; answers the ids that changed."""
    ids = [one for line in found if isinstance(one := (line.record or {}).get("id"), str)]
    batch = _Batch(backend, unit, report, unit.forgotten(ids), unit.get(ids))
    for line in found:
        _take(batch, line)
    changed = list(batch.changed)
    project(backend, unit, model, list(batch.changed.values()), unit.mentions(changed), {})
    unproject(backend, unit, [one for one, memory in batch.changed.items() if not is_indexed(memory)])
    return changed


def _take(batch: _Batch, line: lines.Line) -> None:
    """One line in its own savepoint; what is wrong with it goes into the report."""
    report = batch.report
    try:
        if line.record is None:
            raise RecordError(line.fault)
        if report.complete:
            raise RecordError("it stands behind the end of the file")
        kind = line.record.get("type")
        if kind == "end":
            report.complete = True
        elif kind == "memory":
            report.count(_memory(batch, line.record))
        elif kind == "question":
            report.count(_question(batch.unit, line.record))
        elif kind == "firing":
            report.count(_firing(batch.unit, line.record))
        elif kind == "feedback":
            report.count(_vote(batch.unit, line.record))
        else:
            raise RecordError("type: memory, question, firing, feedback or end")
    except RecordError as error:
        report.skip(line.number, str(error) if line.fault else f"invalid_argument: {error}")
    except MemoryServerError as error:
        report.skip(line.number, str(error))


def _memory(batch: _Batch, record: dict[str, Any]) -> str:
    unit = batch.unit
    memory, history, entities = memory_of(record, unit.user)
    if memory.id in batch.gone:
        raise ConflictError(f"{memory.id} was forgotten here")
    known = batch.known.get(memory.id)
    there = unit.history(memory.id) if known else []
    if known is not None:
        if history == there and _same(memory, known):
            return "unchanged"
        if len(history) <= len(there) or history[: len(there)] != there:
            raise ConflictError(f"{memory.id} has a history of its own here")
    with unit.savepoint():
        if known is None:
            unit.add(memory)
        else:
            unit.update(replace(memory, version=known.version))
            memory = replace(memory, version=known.version + 1)
        for entry in history[len(there) :]:
            unit.record(entry)
        _mention(unit, memory.id, entities, new=known is None)
    batch.known[memory.id] = batch.changed[memory.id] = memory
    return "created" if known is None else "updated"


def _same(memory: Memory, known: Memory) -> bool:
    """Equal but for the version, which counts the changes in one store, and for when it was read here."""
    return replace(memory, version=known.version, read_at=known.read_at) == known


def _mention(unit: LedgerUnit, memory_id: str, entities: list[Entity], *, new: bool) -> None:
    named = set() if new else {key for key, _ in unit.mentions([memory_id]).get(memory_id, ())}
    missing = [entity for entity in entities if entity[0] not in named]
    if missing:
        unit.mention(memory_id, missing)


def _question(unit: LedgerUnit, record: dict[str, Any]) -> str:
    question, answer, at = question_of(record)
    closed = {one.id: (one, given, when) for one, given, when in unit.answered()}
    if question.id in closed:
        if closed[question.id] != (question, answer, at):
            raise ConflictError(f"{question.id} was answered otherwise here")
        return "unchanged"
    here = {one.id: one for one in unit.questions()}.get(question.id)
    if here is not None and here != question:
        raise ConflictError(f"{question.id} is another question here")
    if here is not None and answer is None:
        return "unchanged"
    if len(unit.get(question.memory_ids)) != len(set(question.memory_ids)):
        raise ConflictError(f"{question.id} is about memories that are not here")
    with unit.savepoint():
        if here is None:
            unit.ask(question)
        if answer is not None and at is not None:
            unit.answer(question.id, answer, at)
    return "created" if here is None else "updated"


def _there(unit: LedgerUnit, memory_id: str) -> None:
    if memory_id not in unit.get([memory_id]):
        raise ConflictError(f"{memory_id} is not here")


def _firing(unit: LedgerUnit, record: dict[str, Any]) -> str:
    firing = firing_of(record)
    _there(unit, firing.memory_id)
    if unit.firing(firing.id) is None:
        if not unit.fire(firing):
            raise ConflictError(f"{firing.trigger} has fired for this here")
        return "created"
    return "unchanged"  # what has become of it here is later than the file


def _vote(unit: LedgerUnit, record: dict[str, Any]) -> str:
    vote = vote_of(record)
    _there(unit, vote.memory_id)
    if any(known.memory_id == vote.memory_id for known in unit.votes(vote.recall_id)):
        return "unchanged"
    unit.vote(vote)
    return "created"
