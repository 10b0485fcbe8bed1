"""Reading one user's memories in SQL."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Executable, and_, func, or_, select

from mcp_memory_server.memory.micros import from_micros, to_micros
from mcp_memory_server.memory.model import Evidence, Kind, Memory
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
from mcp_memory_server.storage.sql import statements as s
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.at_rest import AS_IS, AtRest
from mcp_memory_server.storage.sql.filters import conditions, decode_cursor, encode_cursor
from mcp_memory_server.storage.sql.idlist import among, id_list
from mcp_memory_server.storage.sql.rows import memory_of, question_of

_NO_SEQ = 2**63 - 1  # above every `seq`


class SqlReading:
    """One user's open transaction on a connection, as far as it reads."""

    def __init__(self, connection: Connection, user: str, rest: AtRest = AS_IS) -> None:
        self.connection = connection
        self._user = user
        self._rest = rest
        self.vectors_written = False  # by this unit: what it finds must not be cached
        self._epoch: tuple[int, int] | None = None

    @property
    def user(self) -> str:
        """The user whose unit it is."""
        return self._user

    def _run(self, statement: Executable, **values: Any) -> Any:
        return self.connection.execute(statement, {"user": self._user, **values})

    def _memories(self, rows: Sequence[Any]) -> list[Memory]:
        if not rows:
            return []
        found: dict[str, list[Evidence]] = defaultdict(list)
        resting = [row.id for row in rows if row.kind != Kind.UTTERANCE]  # an utterance rests on nothing
        if resting:
            for _, _, memory_id, utterance_id, start, end in self._run(s.EVIDENCE, ids=id_list(resting)).all():
                found[memory_id].append(Evidence(utterance_id, start, end))
        return [memory_of(row, found.get(row.id, ()), self._rest) for row in rows]

    def _outline(self, columns: Sequence[Any]) -> Outline:
        if self._rest.plain:
            return Outline(*columns)
        return Outline(**self._rest.read("memory", dict(zip(Outline._fields, columns, strict=True))))

    def _questions(self, rows: Iterable[Mapping[Any, Any]]) -> list[dict[str, Any]]:
        return [self._rest.read("question", {str(name): value for name, value in row.items()}) for row in rows]

    def get(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, with evidence; unknown ids are absent."""
        if not memory_ids:
            return {}
        rows = self._run(s.GET, ids=id_list(memory_ids)).all()
        return {memory.id: memory for memory in self._memories(rows)}

    def outlines(self, memory_ids: Sequence[str]) -> dict[str, Outline]:
        """The outlines of memories; unknown ids are absent."""
        if not memory_ids:
            return {}
        rows = self._run(s.OUTLINES, ids=id_list(memory_ids)).all()
        make = Outline._make if self._rest.plain else self._outline
        return {row[0]: make(row) for row in rows}

    def resting(self, utterance_ids: Sequence[str]) -> list[tuple[str, Outline]]:
        """(utterance id, outline) of every fact and event that rests on one of the utterances."""
        if not utterance_ids:
            return []
        rows = self._run(s.RESTING_OUTLINES, ids=id_list(utterance_ids)).all()
        return [(row[0], self._outline(row[1:])) for row in rows]

    def by_key(self, key: str, kind: Kind) -> list[Memory]:
        """Memories of a kind with this equality key that still stand in some way."""
        return self._memories(self._run(s.BY_KEY, key=self._rest.compared("memory", "key", key), kind=kind.value).all())

    def by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        """Facts about a subject that can agree or disagree with a new one, newest first."""
        about = self._rest.compared("memory", "subject", subject)
        found = self._run(s.BY_SUBJECT, subject=about, predicates=id_list(predicates), limit=limit)
        return self._memories(found.all())

    def archived_by_key(self, key: str, kind: Kind) -> list[Memory]:
        """Archived memories of a kind with this equality key, oldest first."""
        return self._memories(
            self._run(s.ARCHIVED_BY_KEY, key=self._rest.compared("memory", "key", key), kind=kind.value).all()
        )

    def archived_by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        """Archived facts about a subject with one of the predicates, newest first."""
        about = self._rest.compared("memory", "subject", subject)
        values = {"subject": about, "predicates": id_list(predicates), "limit": limit}
        return self._memories(self._run(s.ARCHIVED_BY_SUBJECT, **values).all())

    def facts_of(self, utterance_ids: Sequence[str]) -> dict[str, list[Memory]]:
        """Facts and events that rest on each utterance."""
        links = [(row[0], row[1]) for row in self._run(s.RESTING, ids=id_list(utterance_ids))]
        memories = self.get([memory_id for _, memory_id in links])
        out: dict[str, list[Memory]] = defaultdict(list)
        for utterance_id, memory_id in dict.fromkeys(links):
            if memory_id in memories:
                out[utterance_id].append(memories[memory_id])
        return dict(out)

    def around(self, utterance_ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        """The utterance before and after each one in its session."""
        out: dict[str, tuple[str | None, str | None]] = {}
        if not utterance_ids:
            return out
        for own, position, other, other_position in self._run(s.AROUND, ids=id_list(utterance_ids)).all():
            before, after = out.get(own, (None, None))
            if other_position < position:
                before = other
            elif other_position > position:
                after = other
            out[own] = (before, after)
        return out

    def page(self, wanted: MemoryFilter, limit: int, cursor: str | None = None) -> Page:
        """Newest first. Raises InvalidArgumentError for a cursor that is not ours."""
        where = conditions(self._user, wanted, self._rest)
        total = self.connection.execute(select(func.count()).select_from(t.memory).where(*where)).scalar_one()
        query = select(t.memory).where(*where)
        if cursor is not None:
            said_at, seq = decode_cursor(cursor)
            query = query.where(
                or_(t.memory.c.said_at < said_at, and_(t.memory.c.said_at == said_at, t.memory.c.seq < seq))
            )
        query = query.order_by(t.memory.c.said_at.desc(), t.memory.c.seq.desc()).limit(limit + 1)
        rows = self.connection.execute(query).all()
        shown = rows[:limit]
        more = encode_cursor(shown[-1].said_at, shown[-1].seq) if len(rows) > limit and shown else None
        return Page(tuple(self._memories(shown)), more, total)

    def cursor_after(self, memory: Memory) -> str:
        """The cursor that continues a listing behind `memory`."""
        query = select(t.memory.c.seq).where(t.memory.c.user == self._user, t.memory.c.id == memory.id)
        return encode_cursor(to_micros(memory.said_at), self.connection.execute(query).scalar_one())

    def ids(self, wanted: MemoryFilter, limit: int) -> list[str]:
        """Ids that match, newest first."""
        query = (
            select(t.memory.c.id)
            .where(*conditions(self._user, wanted, self._rest))
            .order_by(t.memory.c.said_at.desc(), t.memory.c.seq.desc())
            .limit(limit)
        )
        return list(self.connection.execute(query).scalars())

    def questions(self, memory_ids: Sequence[str] | None = None) -> list[Question]:
        """Open questions, oldest first; with ids only those about one of them."""
        found = [question_of(row) for row in self._questions(self._run(s.QUESTIONS).mappings())]
        if memory_ids is None:
            return found
        wanted = set(memory_ids)
        return [question for question in found if wanted & set(question.memory_ids)]

    def answered(self) -> list[tuple[Question, str, datetime]]:
        """The questions that are closed, oldest first, with the answer and its time."""
        closed = (t.question.c.user == self._user, t.question.c.answered_at.is_not(None))
        query = select(t.question).where(*closed).order_by(t.question.c.asked_at, t.question.c.id)
        rows = self._questions(self.connection.execute(query).mappings())
        return [(question_of(row), row["answer"], from_micros(row["answered_at"])) for row in rows]

    def forgotten(self, memory_ids: Sequence[str]) -> set[str]:
        """Which of these ids belonged to memories that were forgotten."""
        mine = (t.tombstone.c.user == self._user, among(t.tombstone.c.memory_id))
        query = select(t.tombstone.c.memory_id).where(*mine)
        return set(self.connection.execute(query, {"ids": id_list(memory_ids)}).scalars())

    def history(self, memory_id: str) -> list[HistoryEntry]:
        """What happened to a memory, oldest first."""
        return [
            HistoryEntry(
                row["memory_id"],
                from_micros(row["at"]),
                row["action"],
                row["actor"],
                row["other_id"],
                json.loads(row["details"]) if row["details"] else None,
            )
            for row in (self._rest.read("history", row) for row in self._run(s.HISTORY, memory_id=memory_id).mappings())
        ]

    def audited(self, limit: int, before_seq: int | None = None) -> list[AuditEntry]:
        """The audit log, newest first; with `before_seq` only lines with a smaller `seq`."""
        return [
            AuditEntry(
                row["seq"],
                from_micros(row["at"]),
                row["action"],
                row["agent"],
                tuple(json.loads(row["memory_ids"])),
                row["previous"],
                row["hash"],
            )
            for row in self._run(
                s.AUDITED, limit=limit, before=_NO_SEQ if before_seq is None else before_seq
            ).mappings()
        ]

    def entities(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these entity keys the known ones, with their names."""
        known = [self._rest.compared("entity", "key", key) for key in keys]
        return self._named(self._run(s.ENTITIES, ids=id_list(known)))

    def _named(self, rows: Iterable[Sequence[Any]]) -> dict[str, str]:
        found = (self._rest.read("entity", {"key": key, "name": name}) for key, name in rows)
        return {row["key"]: row["name"] for row in found}

    def _mentioned(self, rows: Iterable[Sequence[Any]]) -> list[tuple[str, str, str]]:
        return [(one, self._rest.read("mention", {"entity_key": key})["entity_key"], role) for one, key, role in rows]

    def graph(self) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
        """All entities and mentions of the user."""
        names = self.connection.execute(select(t.entity.c.key, t.entity.c.name).where(t.entity.c.user == self._user))
        links = self.connection.execute(
            select(t.mention.c.memory_id, t.mention.c.entity_key, t.mention.c.role)
            .where(t.mention.c.user == self._user)
            .order_by(t.mention.c.memory_id, t.mention.c.role.desc(), t.mention.c.entity_key)
        )
        return self._named(names), self._mentioned(links)

    def mentions(self, memory_ids: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Entity keys with roles that each memory names."""
        out: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for memory_id, key, role in self._mentioned(self._run(s.MENTIONS, ids=id_list(memory_ids)).all()):
            out[memory_id].append((key, role))
        # Sealed keys come in an order of their own.
        return {memory_id: tuple(found if self._rest.plain else sorted(found)) for memory_id, found in out.items()}

    def sessions(self, limit: int) -> list[Session]:
        """The newest sessions first."""
        rows = self._run(s.SESSIONS, limit=limit)
        found = [(self._rest.read("memory", {"session": name})["session"], *others) for name, *others in rows]
        return [Session(name, from_micros(first), from_micros(last), count) for name, first, last, count in found]

    def working(self, session: str, version: int | None = None) -> WorkingVersion | None:
        """The newest version of a session's working memory, or the one with this number."""
        named = self._rest.compared("working_item", "session", session)
        if version is None:
            row = self._run(s.WORKING_VERSION, session=named).first()
            rows = self._run(s.WORKING_ITEMS, session=named) if row else ()
        else:
            kept = {one.version: one for one in self._run(s.WORKING_VERSIONS, session=named).all()}
            row = kept.get(version)
            rows = self._run(s.WORKING_ITEMS_AT, session=named, version=version) if row else ()
        if row is None:
            return None
        return WorkingVersion(session, row.version, from_micros(row.at), row.action, tuple(one for _, one in rows))

    def working_versions(self, session: str) -> list[WorkingVersion]:
        """The versions that are kept, oldest first, without their memories."""
        named = self._rest.compared("working_version", "session", session)
        rows = self._run(s.WORKING_VERSIONS, session=named).all()
        return [WorkingVersion(session, row.version, from_micros(row.at), row.action) for row in rows]

    def working_ids(self) -> list[str]:
        """Ids of every memory that some session's working memory names."""
        return list(self._run(s.WORKING_IDS).scalars())

    def idle_sessions(self, before: datetime) -> list[str]:
        """Sessions whose working memory was last changed before a moment."""
        names = self._run(s.IDLE_SESSIONS, before=to_micros(before)).scalars()
        return [self._rest.read("working_version", {"session": name})["session"] for name in names]

    def epoch(self) -> tuple[int, int]:
        """(revision, purge) of the user."""
        if self._epoch is None:
            row = self._run(s.EPOCH).first()
            self._epoch = (row[0], row[1]) if row else (0, 0)
        return self._epoch

    def containing(self, words: str, limit: int) -> list[Memory]:
        """Utterances whose text contains `words` exactly."""
        if self._rest.plain:
            return self._memories(self._run(s.CONTAINING, words=words, limit=limit).all())
        found: list[str] = []
        for row in self._run(s.UTTERED).mappings():
            if len(found) == limit:
                break
            if words in self._rest.read("memory", row)["statement"]:
                found.append(row["id"])
        memories = self.get(found)
        return [memories[one] for one in found]

    def superseded_by(self, memory_ids: Sequence[str]) -> list[str]:
        """Ids of what these memories replaced, one step back."""
        return list(self._run(s.SUPERSEDED_BY, ids=id_list(memory_ids)).scalars())

    def evidence_on(self, utterance_id: str) -> list[tuple[str, Evidence]]:
        """(memory id, evidence) of everything that rests on an utterance."""
        query = select(t.evidence).where(t.evidence.c.user == self._user, t.evidence.c.utterance_id == utterance_id)
        return [
            (row["memory_id"], Evidence(row["utterance_id"], row["start"], row["end"]))
            for row in self.connection.execute(query.order_by(t.evidence.c.seq)).mappings()
        ]

    def deferred(self, projection: str) -> list[str]:
        """Ids whose work on a projection still waits."""
        return list(self._run(s.DEFERRED, projection=projection).scalars())

    def indexed_ids(self) -> list[str]:
        """Ids of everything that projections hold: all but archived memories."""
        return list(self._run(s.INDEXED).scalars())
