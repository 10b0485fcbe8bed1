"""The ledger's unit of work in SQL: reading and writing one user's memories in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from mcp_memory_server.errors import ConflictError, NotFoundError
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import HistoryEntry, Question, WorkingVersion
from mcp_memory_server.storage.sql import statements as s
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.errors import translated
from mcp_memory_server.storage.sql.idlist import id_list
from mcp_memory_server.storage.sql.rows import memory_row
from mcp_memory_server.storage.sql.signals import SqlSignals


class SqlUnit(SqlSignals):
    """One user's open transaction on a connection."""

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
            self.connection.execute(s.ADD, self._rest.stored("memory", memory_row(memory)))
        except IntegrityError as error:
            raise ConflictError(f"a memory {memory.id} exists already") from error
        self._write_evidence(memory)

    def update(self, memory: Memory) -> None:
        """Replace a memory and its evidence; `memory.version` is the one that was read."""
        row = self._rest.stored("memory", memory_row(memory)) | {"version": memory.version + 1}
        keys = {"b_user": self._user, "b_id": memory.id, "b_version": memory.version}
        if self.connection.execute(s.UPDATE, row | keys).rowcount != 1:
            if memory.id not in self.get([memory.id]):
                raise NotFoundError(f"no memory {memory.id}")
            raise ConflictError(f"memory {memory.id} was changed by another call", next_step="Read it again")
        self._run(s.DROP_EVIDENCE, ids=id_list([memory.id]))
        self._write_evidence(memory)

    def _write_evidence(self, memory: Memory) -> None:
        if memory.evidence:
            self.connection.execute(
                s.ADD_EVIDENCE,
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
            self.connection.execute(s.ADD_ENTITY, [self._rest.stored("entity", row) for row in fresh])
        if wanted:
            self.connection.execute(
                s.ADD_MENTION,
                [
                    self._rest.stored(
                        "mention", {"user": self._user, "memory_id": memory_id, "entity_key": key, "role": role}
                    )
                    for key, (_, role) in wanted.items()
                ],
            )

    def next_position(self, session: str) -> int:
        """The position of the next utterance in a session, from 0."""
        last = self._run(s.POSITION, session=self._rest.compared("memory", "session", session)).scalar_one_or_none()
        return 0 if last is None else last + 1

    def record(self, entry: HistoryEntry) -> None:
        """Append to history."""
        row = {
            "user": self._user,
            "memory_id": entry.memory_id,
            "at": to_micros(entry.at),
            "action": entry.action,
            "actor": entry.actor,
            "other_id": entry.other_id,
            "details": json.dumps(dict(entry.details)) if entry.details else None,
        }
        self.connection.execute(s.ADD_HISTORY, self._rest.stored("history", row))

    def audit(self, at: datetime, action: str, agent: str, memory_ids: Sequence[str]) -> None:
        """Append to the user's hash-chained audit log."""
        previous = self._run(s.LAST_AUDIT).scalar_one_or_none() or ""
        ids = json.dumps(list(memory_ids))
        line = "\n".join((previous, self._user, str(to_micros(at)), action, agent, ids))
        self.connection.execute(
            s.ADD_AUDIT,
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
        row = {
            "id": question.id,
            "user": self._user,
            "text": question.text,
            "memory_ids": json.dumps(question.memory_ids),
            "answers": json.dumps(question.answers),
            "asked_at": to_micros(question.asked_at),
        }
        self.connection.execute(s.ADD_QUESTION, self._rest.stored("question", row))

    def answer(self, question_id: str, answer: str, at: datetime) -> None:
        """Close a question. Raises NotFoundError."""
        given = self._rest.stored("question", {"id": question_id, "answer": answer})
        closed = self.connection.execute(
            update(t.question)
            .where(t.question.c.user == self._user, t.question.c.id == question_id)
            .where(t.question.c.answered_at.is_(None))
            .values(answer=given["answer"], answered_at=to_micros(at))
        )
        if closed.rowcount != 1:
            raise NotFoundError(f"no open question {question_id}")

    def defer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Put work into the outbox; what is there already stays once and is due at once."""
        ids = list(dict.fromkeys(memory_ids))
        if not ids:
            return
        self.undefer(ids, projection)
        row = {"user": self._user, "projection": projection, "attempts": 0, "next_at": 0}
        self.connection.execute(s.ADD_OUTBOX, [row | {"memory_id": one} for one in ids])

    def undefer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Take work out of the outbox."""
        self._run(s.DROP_OUTBOX, projection=projection, ids=id_list(memory_ids))

    def note_read(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Keep when memories were last shown."""
        values = {"b_user": self._user, "ids": id_list(memory_ids), "moment": to_micros(at)}
        self.connection.execute(s.NOTE_READ, values)

    def save_working(self, made: WorkingVersion, keep: int) -> None:
        """Add a version to a session's working memory: only what it adds and drops is written."""
        session = self._rest.compared("working_item", "session", made.session)
        held = [(seq, one) for seq, one in self._run(s.WORKING_ITEMS, session=session)]
        wanted = list(made.memory_ids)
        closed = []
        for seq, one in held:
            if wanted and wanted[0] == one:
                wanted.pop(0)  # it stays where it is
            else:
                closed.append({"b_user": self._user, "b_seq": seq, "version": made.version})
        row: dict[str, str | int] = {"user": self._user, "session": session}
        if closed:
            self.connection.execute(s.CLOSE_WORKING_ITEMS, closed)
        if wanted:
            added = [row | {"memory_id": one, "added": made.version} for one in wanted]
            self.connection.execute(s.ADD_WORKING_ITEM, added)
        stamp = {"version": made.version, "at": to_micros(made.at), "action": made.action}
        self.connection.execute(s.ADD_WORKING_VERSION, row | stamp)
        oldest = made.version - keep
        if oldest > 0:
            for statement in (s.DROP_OLD_WORKING_ITEMS, s.DROP_OLD_WORKING_VERSIONS):
                self._run(statement, session=session, oldest=oldest)

    def clear_working(self, session: str) -> None:
        """Drop a session's working memory with all its versions."""
        named = self._rest.compared("working_item", "session", session)
        for statement in s.CLEAR_WORKING:
            self._run(statement, session=named)

    def drop_working(self, memory_ids: Sequence[str]) -> None:
        """Take memories out of every version; a session that held nothing else is gone, with its name."""
        ids = id_list(memory_ids)
        sessions = id_list(self._run(s.WORKING_SESSIONS, ids=ids).scalars())
        self._run(s.DROP_WORKING, ids=ids)
        self._run(s.DROP_EMPTY_SESSIONS, sessions=sessions)

    def touch(self, *, purged: bool = False) -> None:
        """Move the user's epoch on, so that caches in every process notice."""
        self._epoch = None
        step = 1 if purged else 0
        moved = self.connection.execute(s.TOUCH, {"b_user": self._user, "step": step})
        if moved.rowcount == 0:
            self.connection.execute(s.ADD_EPOCH, {"user": self._user, "revision": 1, "purge": step})

    def remove(self, memory_ids: Sequence[str], erasure_id: str, at: datetime) -> None:
        """Delete memories and everything that hangs on them; leave tombstones without content."""
        present = self.get(memory_ids)
        if present:
            ids = id_list(present)
            named = {key for _, key, _ in self._run(s.MENTIONS, ids=ids)}
            self._run(s.DROP_EVIDENCE, ids=ids)
            self._run(s.DROP_EVIDENCE_ON, ids=ids)
            for statement in s.DROP_HANGING:
                self._run(statement, ids=ids)
            self.connection.execute(s.UNLINK, {"b_user": self._user, "ids": ids})
            self._run(s.DROP_MEMORIES, ids=ids)
            self._run(s.DROP_TOMBSTONES, ids=ids)
            row = {"user": self._user, "forgotten_at": to_micros(at), "erasure_id": erasure_id}
            tombstones = [row | {"memory_id": one, "kind": memory.kind.value} for one, memory in present.items()]
            self.connection.execute(s.ADD_TOMBSTONE, tombstones)
            self._drop_questions(set(present))
            self.drop_working(list(present))
            self.drop_signals(set(present))
            self._run(s.DROP_ENTITIES, ids=id_list(sorted(named)))
        self.touch(purged=True)

    def _drop_questions(self, gone: set[str]) -> None:
        """Questions quote the memories that they are about, so they go with them, answered or not."""
        query = select(t.question.c.id, t.question.c.memory_ids).where(t.question.c.user == self._user)
        doomed = [one for one, ids in self.connection.execute(query) if gone & set(json.loads(ids))]
        self._run(s.DROP_QUESTIONS, ids=id_list(doomed))
