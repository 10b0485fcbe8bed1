"""The ledger's unit of work over plain dictionaries."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from mcp_memory_server.errors import ConflictError, InvalidArgumentError, NotFoundError
from mcp_memory_server.memory.model import Evidence, Kind, Memory, Status
from mcp_memory_server.memory.outline import outline_of
from mcp_memory_server.memory.ports import (
    AuditEntry,
    HistoryEntry,
    MemoryFilter,
    Outline,
    Page,
    Question,
    Session,
    WorkingVersion,
)
from tests.fakes.signals import MemorySignals
from tests.fakes.state import Deferred, State, UserState

_HELD = {Status.CURRENT, Status.PENDING, Status.DISPUTED, Status.QUARANTINED}
_REASONED = {Status.CURRENT, Status.PENDING, Status.DISPUTED}


class MemoryUnit(MemorySignals):
    """One user's view of a copy of the state."""

    def __init__(self, state: State, user: str) -> None:
        self.root = state
        self._user = user
        self._mine = state.users.get(user) or UserState()

    @property
    def user(self) -> str:
        return self._user

    @property
    def mine(self) -> UserState:
        """The user's part; made when something is written to it."""
        return self._mine

    def _own(self) -> UserState:
        self.root.users.setdefault(self._user, self._mine)
        return self._mine

    # -- reading ---------------------------------------------------------------------------------

    def _sorted(self) -> list[Memory]:
        order = self.mine.order
        return sorted(self.mine.memories.values(), key=lambda m: (m.said_at, order[m.id]), reverse=True)

    def _matching(self, wanted: MemoryFilter) -> list[Memory]:
        return [memory for memory in self._sorted() if _matches(memory, wanted)]

    def get(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        return {one: self.mine.memories[one] for one in memory_ids if one in self.mine.memories}

    def outlines(self, memory_ids: Sequence[str]) -> dict[str, Outline]:
        return {one: outline_of(memory) for one, memory in self.get(memory_ids).items()}

    def resting(self, utterance_ids: Sequence[str]) -> list[tuple[str, Outline]]:
        found = self.mine.memories.values()
        links = [(item.utterance_id, m) for m in found for item in m.evidence if item.utterance_id in utterance_ids]
        return [(one, outline_of(memory)) for one, memory in links]

    def by_key(self, key: str, kind: Kind) -> list[Memory]:
        return [m for m in self.mine.memories.values() if (m.key, m.kind) == (key, kind) and m.status in _HELD]

    def by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        found = [
            m
            for m in self.mine.memories.values()
            if m.subject == subject and m.predicate in predicates and m.kind is Kind.FACT and m.status in _REASONED
        ]
        return sorted(found, key=lambda m: -self.mine.order[m.id])[:limit]

    def archived_by_key(self, key: str, kind: Kind) -> list[Memory]:
        found = self.mine.memories.values()
        return [m for m in found if (m.key, m.kind, m.status) == (key, kind, Status.ARCHIVED)]

    def archived_by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        found = [
            m
            for m in self.mine.memories.values()
            if m.subject == subject
            and m.predicate in predicates
            and m.kind is Kind.FACT
            and m.status is Status.ARCHIVED
        ]
        return sorted(found, key=lambda m: -self.mine.order[m.id])[:limit]

    def facts_of(self, utterance_ids: Sequence[str]) -> dict[str, list[Memory]]:
        out: dict[str, list[Memory]] = defaultdict(list)
        for memory in self.mine.memories.values():
            for one in dict.fromkeys(item.utterance_id for item in memory.evidence):
                if one in utterance_ids:
                    out[one].append(memory)
        return dict(out)

    def around(self, utterance_ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        places = {
            (m.session, m.position): m.id
            for m in self.mine.memories.values()
            if m.kind is Kind.UTTERANCE and m.session is not None
        }
        out = {}
        for one in utterance_ids:
            memory = self.mine.memories.get(one)
            if memory is not None and memory.kind is Kind.UTTERANCE and memory.session is not None:
                before = places.get((memory.session, memory.position - 1))
                out[one] = (before, places.get((memory.session, memory.position + 1)))
        return out

    def page(self, wanted: MemoryFilter, limit: int, cursor: str | None = None) -> Page:
        found = self._matching(wanted)
        total = len(found)
        if cursor is not None:
            after = _decoded(cursor)
            found = [m for m in found if (m.said_at.timestamp(), self.mine.order[m.id]) < after]
        shown = found[:limit]
        more = self.cursor_after(shown[-1]) if len(found) > limit and shown else None
        return Page(tuple(shown), more, total)

    def cursor_after(self, memory: Memory) -> str:
        raw = f"{memory.said_at.timestamp()!r}|{self.mine.order[memory.id]}"
        return base64.urlsafe_b64encode(raw.encode()).decode()

    def ids(self, wanted: MemoryFilter, limit: int) -> list[str]:
        return [memory.id for memory in self._matching(wanted)][:limit]

    def questions(self, memory_ids: Sequence[str] | None = None) -> list[Question]:
        found = [q for q in self.mine.questions.values() if q.id not in self.mine.answers]
        found.sort(key=lambda question: (question.asked_at, question.id))
        return [q for q in found if memory_ids is None or set(memory_ids) & set(q.memory_ids)]

    def answered(self) -> list[tuple[Question, str, datetime]]:
        closed = [self.mine.questions[one] for one in self.mine.answers if one in self.mine.questions]
        closed.sort(key=lambda question: (question.asked_at, question.id))
        return [(question, *self.mine.answers[question.id]) for question in closed]

    def forgotten(self, memory_ids: Sequence[str]) -> set[str]:
        return {one for one in memory_ids if one in self.mine.tombstones}

    def history(self, memory_id: str) -> list[HistoryEntry]:
        return [entry for entry in self.mine.history if entry.memory_id == memory_id]

    def entities(self, keys: Sequence[str]) -> dict[str, str]:
        return {key: self.mine.entities[key] for key in keys if key in self.mine.entities}

    def graph(self) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
        links = [(one, key, role) for one, found in self.mine.mentions.items() for key, role in found]
        return dict(self.mine.entities), links

    def mentions(self, memory_ids: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        return {one: self.mine.mentions[one] for one in memory_ids if self.mine.mentions.get(one)}

    def sessions(self, limit: int) -> list[Session]:
        by_name: dict[str, list[datetime]] = defaultdict(list)
        for memory in self.mine.memories.values():
            if memory.kind is Kind.UTTERANCE and memory.session is not None:
                by_name[memory.session].append(memory.said_at)
        found = [Session(name, min(times), max(times), len(times)) for name, times in by_name.items()]
        return sorted(found, key=lambda session: session.last_at, reverse=True)[:limit]

    def working(self, session: str, version: int | None = None) -> WorkingVersion | None:
        found = self.mine.working.get(session, ())
        if version is None:
            return found[-1] if found else None
        return next((one for one in found if one.version == version), None)

    def working_versions(self, session: str) -> list[WorkingVersion]:
        return [replace(one, memory_ids=()) for one in self.mine.working.get(session, ())]

    def working_ids(self) -> list[str]:
        return sorted({one for found in self.mine.working.values() for version in found for one in version.memory_ids})

    def idle_sessions(self, before: datetime) -> list[str]:
        return sorted(name for name, found in self.mine.working.items() if found[-1].at < before)

    def epoch(self) -> tuple[int, int]:
        return self.mine.revision, self.mine.purge

    def deferred(self, projection: str) -> list[str]:
        rows = [(row.seq, one) for (one, name), row in self.mine.outbox.items() if name == projection]
        return [one for _, one in sorted(rows)]

    def indexed_ids(self) -> list[str]:
        return [m.id for m in self.mine.memories.values() if m.status is not Status.ARCHIVED]

    def containing(self, words: str, limit: int) -> list[Memory]:
        found = [m for m in self.mine.memories.values() if m.kind is Kind.UTTERANCE and words in m.statement]
        return found[:limit]

    def superseded_by(self, memory_ids: Sequence[str]) -> list[str]:
        return [m.id for m in self.mine.memories.values() if m.superseded_by in memory_ids]

    def evidence_on(self, utterance_id: str) -> list[tuple[str, Evidence]]:
        found = self.mine.memories.values()
        return [(m.id, item) for m in found for item in m.evidence if item.utterance_id == utterance_id]

    # -- writing ---------------------------------------------------------------------------------

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        kept, counter = self._own().copied(), self.root.counter
        try:
            yield
        except BaseException:
            self._mine = self.root.users[self._user] = kept
            self.root.counter = counter
            raise

    def add(self, memory: Memory) -> None:
        if any(memory.id in state.memories for state in self.root.users.values()):
            raise ConflictError(f"a memory {memory.id} exists already")
        self._own().memories[memory.id] = memory
        self.mine.order[memory.id] = self.root.next()

    def update(self, memory: Memory) -> None:
        known = self.mine.memories.get(memory.id)
        if known is None:
            raise NotFoundError(f"no memory {memory.id}")
        if known.version != memory.version:
            raise ConflictError(f"memory {memory.id} was changed by another call")
        self._own().memories[memory.id] = replace(memory, version=memory.version + 1)

    def mention(self, memory_id: str, entities: Iterable[tuple[str, str, str]]) -> None:
        found: dict[str, str] = {}
        for key, name, role in entities:
            self._own().entities.setdefault(key, name)
            found.setdefault(key, role)
        self.mine.mentions[memory_id] = tuple(sorted(found.items()))

    def next_position(self, session: str) -> int:
        taken = [m.position for m in self.mine.memories.values() if m.kind is Kind.UTTERANCE and m.session == session]
        return max(taken, default=-1) + 1

    def record(self, entry: HistoryEntry) -> None:
        self._own().history.append(entry)

    def audit(self, at: datetime, action: str, agent: str, memory_ids: Sequence[str]) -> None:
        self._own().audit.append((at, action, agent, tuple(memory_ids)))

    def audited(self, limit: int, before_seq: int | None = None) -> list[AuditEntry]:
        entries, previous = [], ""
        for seq, (at, action, agent, ids) in enumerate(self.mine.audit, 1):
            digest = hashlib.sha256(repr((previous, at, action, agent, ids)).encode()).hexdigest()
            entries.append(AuditEntry(seq, at, action, agent, ids, previous, digest))
            previous = digest
        return [one for one in reversed(entries) if before_seq is None or one.seq < before_seq][:limit]

    def ask(self, question: Question) -> None:
        self._own().questions[question.id] = question

    def answer(self, question_id: str, answer: str, at: datetime) -> None:
        if question_id not in self.mine.questions or question_id in self.mine.answers:
            raise NotFoundError(f"no open question {question_id}")
        self._own().answers[question_id] = (answer, at)

    def defer(self, memory_ids: Sequence[str], projection: str) -> None:
        self.undefer(memory_ids, projection)
        for one in dict.fromkeys(memory_ids):
            self._own().outbox[one, projection] = Deferred(self.root.next())

    def undefer(self, memory_ids: Sequence[str], projection: str) -> None:
        for one in memory_ids:
            self._own().outbox.pop((one, projection), None)

    def note_read(self, memory_ids: Sequence[str], at: datetime) -> None:
        for one in memory_ids:
            if one in self.mine.memories:
                self._own().memories[one] = replace(self.mine.memories[one], read_at=at)

    def save_working(self, made: WorkingVersion, keep: int) -> None:
        found = (*self.mine.working.get(made.session, ()), made)
        kept = tuple(one for one in found if one.version >= made.version - keep)
        self._own().working[made.session] = kept

    def clear_working(self, session: str) -> None:
        self._own().working.pop(session, None)

    def drop_working(self, memory_ids: Sequence[str]) -> None:
        gone = set(memory_ids)
        for name, found in list(self._own().working.items()):
            left = [replace(v, memory_ids=tuple(one for one in v.memory_ids if one not in gone)) for v in found]
            self.mine.working[name] = tuple(left)
            if not any(version.memory_ids for version in left):
                del self.mine.working[name]

    def touch(self, *, purged: bool = False) -> None:
        """Move the epoch on."""
        self._own().revision += 1
        self.mine.purge += purged

    def remove(self, memory_ids: Sequence[str], erasure_id: str, at: datetime) -> None:
        mine, gone = self._own(), {one for one in memory_ids if one in self.mine.memories}
        for one in gone:
            del mine.memories[one], mine.order[one]
            mine.mentions.pop(one, None)
            mine.tombstones[one] = erasure_id
        for memory in list(mine.memories.values()):
            evidence = tuple(item for item in memory.evidence if item.utterance_id not in gone)
            by = None if memory.superseded_by in gone else memory.superseded_by
            mine.memories[memory.id] = replace(memory, evidence=evidence, superseded_by=by)
        mine.history = [entry for entry in mine.history if entry.memory_id not in gone]
        mine.outbox = {key: row for key, row in mine.outbox.items() if key[0] not in gone}
        mine.questions = {q.id: q for q in mine.questions.values() if not gone & set(q.memory_ids)}
        self.drop_signals(gone)
        named = Counter(key for found in mine.mentions.values() for key, _ in found)
        mine.entities = {key: name for key, name in mine.entities.items() if named[key]}
        self.drop_working(sorted(gone))
        self.touch(purged=True)


def _matches(memory: Memory, wanted: MemoryFilter) -> bool:
    if wanted.ids is not None and memory.id not in wanted.ids:
        return False
    if wanted.kinds is not None and memory.kind not in wanted.kinds:
        return False
    if wanted.statuses is not None and memory.status not in wanted.statuses:
        return False
    for name in ("category", "event_type", "source", "session", "channel", "subject"):
        value = getattr(wanted, name)
        if value is not None and getattr(memory, name) != value:
            return False
    if wanted.since is not None and memory.said_at < wanted.since:
        return False
    return wanted.until is None or memory.said_at < wanted.until


def _decoded(cursor: str) -> tuple[float, int]:
    try:
        moment, _, seq = base64.b64decode(cursor, altchars=b"-_", validate=True).decode("ascii").partition("|")
        return float(moment), int(seq)
    except ValueError as error:
        raise InvalidArgumentError("cursor: not a cursor of this server") from error
