"""The ledger's unit of work in SQL: reading and writing one user's memories in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from mcp_memory_server.errors import ConflictError, NotFoundError
from mcp_memory_server.memory.model import Evidence, Kind, Memory, Status
from mcp_memory_server.memory.ports import HistoryEntry, MemoryFilter, Page, Question, Session
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.errors import translated
from mcp_memory_server.storage.sql.filters import conditions, decode_cursor, encode_cursor
from mcp_memory_server.storage.sql.rows import from_micros, memory_of, memory_row, question_of, to_micros

_CHUNK = 500  # ids in one IN list
_HELD = (Status.CURRENT.value, Status.PENDING.value, Status.DISPUTED.value, Status.QUARANTINED.value)
_REASONED = (Status.CURRENT.value, Status.PENDING.value, Status.DISPUTED.value)


def chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """`ids` in pieces that fit one statement."""
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]


# Statements of the hot path are built once: building them costs more than running them.
_ids: BindParameter[Any] = bindparam("ids", expanding=True)
_EVIDENCE = (
    select(t.evidence)
    .where(t.evidence.c.user == bindparam("user"), t.evidence.c.memory_id.in_(_ids))
    .order_by(t.evidence.c.seq)
)
_GET = select(t.memory).where(t.memory.c.user == bindparam("user"), t.memory.c.id.in_(_ids))
_BY_KEY = (
    select(t.memory)
    .where(t.memory.c.user == bindparam("user"), t.memory.c.key == bindparam("key"))
    .where(t.memory.c.kind == bindparam("kind"), t.memory.c.status.in_(_HELD))
    .order_by(t.memory.c.seq)
)
_BY_SUBJECT = (
    select(t.memory)
    .where(t.memory.c.user == bindparam("user"), t.memory.c.subject == bindparam("subject"))
    .where(t.memory.c.status.in_(_REASONED), t.memory.c.kind == Kind.FACT.value)
    .where(t.memory.c.predicate.in_(bindparam("predicates", expanding=True)))
    .order_by(t.memory.c.seq.desc())
    .limit(bindparam("limit"))
)
_RESTING = select(t.evidence.c.utterance_id, t.evidence.c.memory_id).where(
    t.evidence.c.user == bindparam("user"), t.evidence.c.utterance_id.in_(_ids)
)
_here, _there = t.memory.alias("here"), t.memory.alias("there")
_AROUND = select(_here.c.id, _here.c.position, _there.c.id, _there.c.position).where(
    _here.c.user == bindparam("user"),
    _here.c.id.in_(_ids),
    _here.c.kind == Kind.UTTERANCE.value,
    _there.c.user == bindparam("user"),
    _there.c.session == _here.c.session,
    _there.c.position.between(_here.c.position - 1, _here.c.position + 1),
    _there.c.kind == Kind.UTTERANCE.value,
)
_QUESTIONS = (
    select(t.question)
    .where(t.question.c.user == bindparam("user"), t.question.c.answered_at.is_(None))
    .order_by(t.question.c.asked_at, t.question.c.id)
)
_ENTITIES = select(t.entity.c.key, t.entity.c.name).where(
    t.entity.c.user == bindparam("user"), t.entity.c.key.in_(_ids)
)
_EPOCH = select(t.epoch.c.revision, t.epoch.c.purge).where(t.epoch.c.user == bindparam("user"))
_TOUCH = (
    update(t.epoch)
    .where(t.epoch.c.user == bindparam("b_user"))
    .values(revision=t.epoch.c.revision + 1, purge=t.epoch.c.purge + bindparam("step"))
)
_POSITION = select(func.max(t.memory.c.position)).where(
    t.memory.c.user == bindparam("user"),
    t.memory.c.session == bindparam("session"),
    t.memory.c.kind == Kind.UTTERANCE.value,
)
_LAST_AUDIT = select(t.audit.c.hash).where(t.audit.c.user == bindparam("user")).order_by(t.audit.c.seq.desc()).limit(1)
_UPDATE = (
    update(t.memory)
    .where(t.memory.c.user == bindparam("b_user"), t.memory.c.id == bindparam("b_id"))
    .where(t.memory.c.version == bindparam("b_version"))
)
_ADD = insert(t.memory)
_ADD_EVIDENCE = insert(t.evidence)
_ADD_ENTITY = insert(t.entity)
_ADD_MENTION = insert(t.mention)
_ADD_HISTORY = insert(t.history)
_ADD_AUDIT = insert(t.audit)


class SqlUnit:
    """One user's open transaction on a connection."""

    def __init__(self, connection: Connection, user: str) -> None:
        self.connection = connection
        self._user = user
        self.vectors_written = False  # by this unit: what it finds must not be cached

    @property
    def user(self) -> str:
        """The user whose unit it is."""
        return self._user

    # -- reading ---------------------------------------------------------------------------------

    def _memories(self, rows: Sequence[Any]) -> list[Memory]:
        ids = [row["id"] for row in rows]
        found: dict[str, list[Evidence]] = defaultdict(list)
        for part in chunks(ids):
            for row in self.connection.execute(_EVIDENCE, {"user": self._user, "ids": part}):
                found[row.memory_id].append(Evidence(row.utterance_id, row.start, row.end))
        return [memory_of(row, found.get(row["id"], ())) for row in rows]

    def get(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, with evidence; unknown ids are absent."""
        out: dict[str, Memory] = {}
        for part in chunks(list(dict.fromkeys(memory_ids))):
            for memory in self._memories(
                self.connection.execute(_GET, {"user": self._user, "ids": part}).mappings().all()
            ):
                out[memory.id] = memory
        return out

    def by_key(self, key: str, kind: Kind) -> list[Memory]:
        """Memories of a kind with this equality key that still stand in some way."""
        values = {"user": self._user, "key": key, "kind": kind.value}
        return self._memories(self.connection.execute(_BY_KEY, values).mappings().all())

    def by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        """Facts about a subject that can agree or disagree with a new one, newest first."""
        values = {"user": self._user, "subject": subject, "predicates": list(predicates), "limit": limit}
        return self._memories(self.connection.execute(_BY_SUBJECT, values).mappings().all())

    def facts_of(self, utterance_ids: Sequence[str]) -> dict[str, list[Memory]]:
        """Facts and events that rest on each utterance."""
        links: list[tuple[str, str]] = []
        for part in chunks(list(dict.fromkeys(utterance_ids))):
            values = {"user": self._user, "ids": part}
            links.extend((row[0], row[1]) for row in self.connection.execute(_RESTING, values))
        memories = self.get([memory_id for _, memory_id in links])
        out: dict[str, list[Memory]] = defaultdict(list)
        for utterance_id, memory_id in dict.fromkeys(links):
            if memory_id in memories:
                out[utterance_id].append(memories[memory_id])
        return dict(out)

    def around(self, utterance_ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        """The utterance before and after each one in its session."""
        out: dict[str, tuple[str | None, str | None]] = {}
        for part in chunks(list(dict.fromkeys(utterance_ids))):
            found = self.connection.execute(_AROUND, {"user": self._user, "ids": part})
            for own, position, other, other_position in found:
                before, after = out.get(own, (None, None))
                if other_position < position:
                    before = other
                elif other_position > position:
                    after = other
                out[own] = (before, after)
        return out

    def page(self, wanted: MemoryFilter, limit: int, cursor: str | None = None) -> Page:
        """Newest first. Raises InvalidArgumentError for a cursor that is not ours."""
        where = conditions(self._user, wanted)
        total = self.connection.execute(select(func.count()).select_from(t.memory).where(*where)).scalar_one()
        query = select(t.memory).where(*where)
        if cursor is not None:
            said_at, seq = decode_cursor(cursor)
            query = query.where(
                or_(t.memory.c.said_at < said_at, and_(t.memory.c.said_at == said_at, t.memory.c.seq < seq))
            )
        query = query.order_by(t.memory.c.said_at.desc(), t.memory.c.seq.desc()).limit(limit + 1)
        rows = self.connection.execute(query).mappings().all()
        shown = rows[:limit]
        more = encode_cursor(shown[-1]["said_at"], shown[-1]["seq"]) if len(rows) > limit and shown else None
        return Page(tuple(self._memories(shown)), more, total)

    def cursor_after(self, memory: Memory) -> str:
        """The cursor that continues a listing behind `memory`."""
        query = select(t.memory.c.seq).where(t.memory.c.user == self._user, t.memory.c.id == memory.id)
        return encode_cursor(to_micros(memory.said_at), self.connection.execute(query).scalar_one())

    def ids(self, wanted: MemoryFilter, limit: int) -> list[str]:
        """Ids that match, newest first."""
        query = (
            select(t.memory.c.id)
            .where(*conditions(self._user, wanted))
            .order_by(t.memory.c.said_at.desc(), t.memory.c.seq.desc())
            .limit(limit)
        )
        return list(self.connection.execute(query).scalars())

    def questions(self, memory_ids: Sequence[str] | None = None) -> list[Question]:
        """Open questions, oldest first; with ids only those about one of them."""
        found = [question_of(row) for row in self.connection.execute(_QUESTIONS, {"user": self._user}).mappings()]
        if memory_ids is None:
            return found
        wanted = set(memory_ids)
        return [question for question in found if wanted & set(question.memory_ids)]

    def history(self, memory_id: str) -> list[HistoryEntry]:
        """What happened to a memory, oldest first."""
        query = (
            select(t.history)
            .where(t.history.c.user == self._user, t.history.c.memory_id == memory_id)
            .order_by(t.history.c.seq)
        )
        return [
            HistoryEntry(
                row["memory_id"],
                from_micros(row["at"]),
                row["action"],
                row["actor"],
                row["other_id"],
                json.loads(row["details"]) if row["details"] else None,
            )
            for row in self.connection.execute(query).mappings()
        ]

    def entities(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these entity keys the known ones, with their names."""
        out: dict[str, str] = {}
        for part in chunks(list(dict.fromkeys(keys))):
            out.update(
                {key: name for key, name in self.connection.execute(_ENTITIES, {"user": self._user, "ids": part})}
            )
        return out

    def graph(self) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
        """All entities and mentions of the user."""
        names = self.connection.execute(select(t.entity.c.key, t.entity.c.name).where(t.entity.c.user == self._user))
        links = self.connection.execute(
            select(t.mention.c.memory_id, t.mention.c.entity_key, t.mention.c.role)
            .where(t.mention.c.user == self._user)
            .order_by(t.mention.c.memory_id, t.mention.c.role.desc(), t.mention.c.entity_key)
        )
        return {key: name for key, name in names}, [(a, b, c) for a, b, c in links]

    def mentions(self, memory_ids: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Entity keys with roles that each memory names."""
        out: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for part in chunks(list(dict.fromkeys(memory_ids))):
            query = select(t.mention.c.memory_id, t.mention.c.entity_key, t.mention.c.role).where(
                t.mention.c.user == self._user, t.mention.c.memory_id.in_(part)
            )
            for memory_id, key, role in self.connection.execute(query.order_by(t.mention.c.entity_key)):
                out[memory_id].append((key, role))
        return {memory_id: tuple(found) for memory_id, found in out.items()}

    def sessions(self, limit: int) -> list[Session]:
        """The newest sessions first."""
        last = func.max(t.memory.c.said_at)
        query = (
            select(t.memory.c.session, func.min(t.memory.c.said_at), last, func.count())
            .where(t.memory.c.user == self._user, t.memory.c.kind == Kind.UTTERANCE.value)
            .where(t.memory.c.session.is_not(None))
            .group_by(t.memory.c.session)
            .order_by(last.desc())
            .limit(limit)
        )
        return [
            Session(name, from_micros(first), from_micros(end), count)
            for name, first, end, count in self.connection.execute(query)
        ]

    def epoch(self) -> tuple[int, int]:
        """(revision, purge) of the user."""
        row = self.connection.execute(_EPOCH, {"user": self._user}).first()
        return (row[0], row[1]) if row else (0, 0)

    def containing(self, words: str, limit: int) -> list[Memory]:
        """Utterances whose text contains `words` exactly."""
        query = (
            select(t.memory)
            .where(t.memory.c.user == self._user, t.memory.c.kind == Kind.UTTERANCE.value)
            .where(func.instr(t.memory.c.statement, words) > 0)
            .order_by(t.memory.c.seq)
            .limit(limit)
        )
        return self._memories(self.connection.execute(query).mappings().all())

    def superseded_by(self, memory_ids: Sequence[str]) -> list[str]:
        """Ids of what these memories replaced, one step back."""
        out: list[str] = []
        for part in chunks(list(memory_ids)):
            query = select(t.memory.c.id).where(t.memory.c.user == self._user, t.memory.c.superseded_by.in_(part))
            out.extend(self.connection.execute(query).scalars())
        return out

    def evidence_on(self, utterance_id: str) -> list[tuple[str, Evidence]]:
        """(memory id, evidence) of everything that rests on an utterance."""
        query = select(t.evidence).where(t.evidence.c.user == self._user, t.evidence.c.utterance_id == utterance_id)
        return [
            (row["memory_id"], Evidence(row["utterance_id"], row["start"], row["end"]))
            for row in self.connection.execute(query.order_by(t.evidence.c.seq)).mappings()
        ]

    # -- writing ---------------------------------------------------------------------------------

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A nested unit that rolls back alone when its block raises."""
        self.connection.exec_driver_sql("SAVEPOINT statement")
        try:
            with translated():
                yield
        except BaseException:
            self.connection.exec_driver_sql("ROLLBACK TO statement")
            self.connection.exec_driver_sql("RELEASE statement")
            raise
        self.connection.exec_driver_sql("RELEASE statement")

    def add(self, memory: Memory) -> None:
        """Insert a memory with its evidence."""
        try:
            self.connection.execute(_ADD, memory_row(memory))
        except IntegrityError as error:
            raise ConflictError(f"a memory {memory.id} exists already") from error
        self._write_evidence(memory)

    def update(self, memory: Memory) -> None:
        """Replace a memory and its evidence; `memory.version` is the one that was read."""
        row = memory_row(memory) | {"version": memory.version + 1}
        keys = {"b_user": self._user, "b_id": memory.id, "b_version": memory.version}
        if self.connection.execute(_UPDATE, row | keys).rowcount != 1:
            if memory.id not in self.get([memory.id]):
                raise NotFoundError(f"no memory {memory.id}")
            raise ConflictError(f"memory {memory.id} was changed by another call", next_step="Read it again")
        self.connection.execute(
            delete(t.evidence).where(t.evidence.c.user == self._user, t.evidence.c.memory_id == memory.id)
        )
        self._write_evidence(memory)

    def _write_evidence(self, memory: Memory) -> None:
        if memory.evidence:
            self.connection.execute(
                _ADD_EVIDENCE,
                [
                    {
                        "user": self._user,
                        "memory_id": memory.id,
                        "utterance_id": item.utterance_id,
                        "start": item.start,
                        "end": item.end,
                    }
                    for item in memory.evidence
                ],
            )

    def mention(self, memory_id: str, entities: Iterable[tuple[str, str, str]]) -> None:
        """Record that a new memory names entities, as (key, name, role)."""
        wanted = {key: (name, role) for key, name, role in reversed(list(entities))}
        known = self.entities(list(wanted))
        fresh = [{"user": self._user, "key": key, "name": wanted[key][0]} for key in wanted if key not in known]
        if fresh:
            self.connection.execute(_ADD_ENTITY, fresh)
        if wanted:
            self.connection.execute(
                _ADD_MENTION,
                [
                    {"user": self._user, "memory_id": memory_id, "entity_key": key, "role": role}
                    for key, (_, role) in wanted.items()
                ],
            )

    def next_position(self, session: str) -> int:
        """The position of the next utterance in a session, from 0."""
        last = self.connection.execute(_POSITION, {"user": self._user, "session": session}).scalar_one_or_none()
        return 0 if last is None else last + 1

    def record(self, entry: HistoryEntry) -> None:
        """Append to history."""
        self.connection.execute(
            _ADD_HISTORY,
            {
                "user": self._user,
                "memory_id": entry.memory_id,
                "at": to_micros(entry.at),
                "action": entry.action,
                "actor": entry.actor,
                "other_id": entry.other_id,
                "details": json.dumps(dict(entry.details)) if entry.details else None,
            },
        )

    def audit(self, at: datetime, action: str, agent: str, memory_ids: Sequence[str]) -> None:
        """Append to the user's hash-chained audit log."""
        previous = self.connection.execute(_LAST_AUDIT, {"user": self._user}).scalar_one_or_none() or ""
        ids = json.dumps(list(memory_ids))
        line = "\n".join((previous, self._user, str(to_micros(at)), action, agent, ids))
        self.connection.execute(
            _ADD_AUDIT,
            {
                "user": self._user,
                "at": to_micros(at),
                "action": action,
                "agent": agent,
                "memory_ids": ids,
                "previous": previous,
                "hash": hashlib.sha256(line.encode()).hexdigest(),
            },
        )

    def ask(self, question: Question) -> None:
        """Open a question."""
        self.connection.execute(
            insert(t.question),
            {
                "id": question.id,
                "user": self._user,
                "text": question.text,
                "memory_ids": json.dumps(question.memory_ids),
                "answers": json.dumps(question.answers),
                "asked_at": to_micros(question.asked_at),
            },
        )

    def answer(self, question_id: str, answer: str, at: datetime) -> None:
        """Close a question. Raises NotFoundError."""
        closed = self.connection.execute(
            update(t.question)
            .where(t.question.c.user == self._user, t.question.c.id == question_id)
            .where(t.question.c.answered_at.is_(None))
            .values(answer=answer, answered_at=to_micros(at))
        )
        if closed.rowcount != 1:
            raise NotFoundError(f"no open question {question_id}")

    def defer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Put work into the outbox; what is there already stays once and is due at once."""
        self.undefer(memory_ids, projection)
        for part in chunks(list(dict.fromkeys(memory_ids))):
            self.connection.execute(
                insert(t.outbox),
                [
                    {
                        "user": self._user,
                        "memory_id": one,
                        "projection": projection,
                        "attempts": 0,
                        "next_at": 0,
                    }
                    for one in part
                ],
            )

    def undefer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Take work out of the outbox."""
        for part in chunks(list(dict.fromkeys(memory_ids))):
            self.connection.execute(
                delete(t.outbox).where(
                    t.outbox.c.user == self._user,
                    t.outbox.c.projection == projection,
                    t.outbox.c.memory_id.in_(part),
                )
            )

    def deferred(self, projection: str) -> list[str]:
        """Ids whose work on a projection still waits."""
        query = select(t.outbox.c.memory_id).where(t.outbox.c.user == self._user, t.outbox.c.projection == projection)
        return list(self.connection.execute(query.order_by(t.outbox.c.seq)).scalars())

    def indexed_ids(self) -> list[str]:
        """Ids of everything that projections hold."""
        query = select(t.memory.c.id).where(t.memory.c.user == self._user, t.memory.c.status != Status.ARCHIVED.value)
        return list(self.connection.execute(query.order_by(t.memory.c.seq)).scalars())

    def touch(self, *, purged: bool = False) -> None:
        """Move the user's epoch on, so that caches in every process notice."""
        step = 1 if purged else 0
        moved = self.connection.execute(_TOUCH, {"b_user": self._user, "step": step})
        if moved.rowcount == 0:
            self.connection.execute(insert(t.epoch), {"user": self._user, "revision": 1, "purge": step})

    def remove(self, memory_ids: Sequence[str], erasure_id: str, at: datetime) -> None:
        """Delete memories and everything that hangs on them; leave tombstones without content."""
        present = self.get(memory_ids)
        doomed = list(present)
        for part in chunks(doomed):
            for table in (t.evidence, t.mention, t.history, t.outbox):
                self.connection.execute(delete(table).where(table.c.user == self._user, table.c.memory_id.in_(part)))
            self.connection.execute(
                delete(t.evidence).where(t.evidence.c.user == self._user, t.evidence.c.utterance_id.in_(part))
            )
            self.connection.execute(
                update(t.memory)
                .where(t.memory.c.user == self._user, t.memory.c.superseded_by.in_(part))
                .values(superseded_by=None)
            )
            self.connection.execute(delete(t.memory).where(t.memory.c.user == self._user, t.memory.c.id.in_(part)))
            self.connection.execute(
                delete(t.tombstone).where(t.tombstone.c.user == self._user, t.tombstone.c.memory_id.in_(part))
            )
            self.connection.execute(
                insert(t.tombstone),
                [
                    {
                        "memory_id": one,
                        "user": self._user,
                        "kind": present[one].kind.value,
                        "forgotten_at": to_micros(at),
                        "erasure_id": erasure_id,
                    }
                    for one in part
                ],
            )
        self._drop_questions(set(doomed))
        self._drop_entities()
        self.touch(purged=True)

    def _drop_questions(self, gone: set[str]) -> None:
        """Questions quote the memories that they are about, so they go with them, answered or not."""
        query = select(t.question.c.id, t.question.c.memory_ids).where(t.question.c.user == self._user)
        doomed = [one for one, ids in self.connection.execute(query) if gone & set(json.loads(ids))]
        for part in chunks(doomed):
            self.connection.execute(
                delete(t.question).where(t.question.c.user == self._user, t.question.c.id.in_(part))
            )

    def _drop_entities(self) -> None:
        named = select(t.mention.c.entity_key).where(t.mention.c.user == self._user)
        self.connection.execute(delete(t.entity).where(t.entity.c.user == self._user, t.entity.c.key.not_in(named)))
