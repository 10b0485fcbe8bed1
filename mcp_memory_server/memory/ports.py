"""What the domain needs from the outside. Every back end of a port passes the same contract tests.

Every call takes a `Tenancy` and there is no default: nothing crosses from one user to another.
A `unit` is the ledger's open unit of work; an index whose `transactional` is true writes into it,
any other ignores it and is fed through the outbox. Adapters raise only `errors.MemoryServerError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from mcp_memory_server.memory.index_ports import Embedder, GraphIndex, TextIndex, Unit, VectorIndex
from mcp_memory_server.memory.model import Evidence, Kind, Memory
from mcp_memory_server.memory.records import (
    AuditEntry,
    Erasure,
    GraphDocument,
    GraphHit,
    GraphLife,
    HistoryEntry,
    Hit,
    MemoryFilter,
    OutboxRow,
    Outline,
    Page,
    Question,
    Session,
    Tenancy,
    TextDocument,
    Token,
    Vector,
    VectorDocument,
    VectorHits,
    WorkingVersion,
)
from mcp_memory_server.memory.signal_ports import SignalSystem, SignalUnit

__all__ = [
    "AuditEntry", "Backend", "Embedder", "Erasure", "GraphDocument", "GraphHit", "GraphIndex", "GraphLife",
    "HistoryEntry", "Hit",
    "Ledger", "LedgerUnit", "MemoryFilter", "OutboxRow", "Outline", "Page", "Question", "Session", "Store",
    "SystemUnit", "Tenancy", "TextDocument", "TextIndex", "Token", "Unit", "Vector", "VectorDocument",
    "VectorHits", "VectorIndex", "WorkingVersion",
]  # fmt: skip


class LedgerUnit(Unit, SignalUnit, Protocol):
    """Reads and writes inside one transaction, all under one user."""

    # -- reading ---------------------------------------------------------------------------------
    def get(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, with evidence; unknown ids are absent."""
        ...

    def outlines(self, memory_ids: Sequence[str]) -> dict[str, Outline]:
        """The outlines of memories; unknown ids are absent."""
        ...

    def resting(self, utterance_ids: Sequence[str]) -> list[tuple[str, Outline]]:
        """(utterance id, outline) of every fact and event that rests on one of the utterances."""
        ...

    def by_key(self, key: str, kind: Kind) -> list[Memory]:
        """Memories of a kind whose text has this equality key and that still stand in some way."""
        ...

    def by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        """Current, pending and disputed facts about a subject with one of `predicates`, newest first."""
        ...

    def archived_by_key(self, key: str, kind: Kind) -> list[Memory]:
        """Archived memories of a kind whose text has this equality key, oldest first."""
        ...

    def archived_by_subject(self, subject: str, predicates: Sequence[str], limit: int) -> list[Memory]:
        """Archived facts about a subject with one of `predicates`, newest first."""
        ...

    def facts_of(self, utterance_ids: Sequence[str]) -> dict[str, list[Memory]]:
        """Facts and events that an utterance is evidence for, by utterance id."""
        ...

    def around(self, utterance_ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        """The utterance before and after each one in its session."""
        ...

    def page(self, wanted: MemoryFilter, limit: int, cursor: str | None = None) -> Page:
        """Newest first. Raises InvalidArgumentError for a cursor that is not ours."""
        ...

    def cursor_after(self, memory: Memory) -> str:
        """The cursor that continues a listing behind `memory`."""
        ...

    def ids(self, wanted: MemoryFilter, limit: int) -> list[str]:
        """Ids that match, newest first."""
        ...

    def questions(self, memory_ids: Sequence[str] | None = None) -> list[Question]:
        """Open questions, oldest first; with ids only those about one of them."""
        ...

    def answered(self) -> list[tuple[Question, str, datetime]]:
        """The questions that are closed, oldest first, with the answer and its time."""
        ...

    def forgotten(self, memory_ids: Sequence[str]) -> set[str]:
        """Which of these ids belonged to memories that were forgotten."""
        ...

    def history(self, memory_id: str) -> list[HistoryEntry]:
        """What happened to a memory, oldest first."""
        ...

    def audited(self, limit: int, before_seq: int | None = None) -> list[AuditEntry]:
        """The audit log, newest first; with `before_seq` only lines with a smaller `seq`."""
        ...

    def entities(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these entity keys the known ones, with their names."""
        ...

    def graph(self) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
        """All entities (key to name) and mentions (memory id, entity key, role)."""
        ...

    def mentions(self, memory_ids: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Entity keys with roles that each memory names."""
        ...

    def sessions(self, limit: int) -> list[Session]:
        """The newest sessions first."""
        ...

    def working(self, session: str, version: int | None = None) -> WorkingVersion | None:
        """The newest version of a session's working memory, or the one with this number; None: there is none."""
        ...

    def working_versions(self, session: str) -> list[WorkingVersion]:
        """The versions that are kept, oldest first, without their memories."""
        ...

    def working_ids(self) -> list[str]:
        """Ids of every memory that some session's working memory names."""
        ...

    def epoch(self) -> tuple[int, int]:
        """(revision, purge): the first grows with every write, the second with every removal."""
        ...

    # -- writing ---------------------------------------------------------------------------------
    def savepoint(self) -> AbstractContextManager[None]:
        """A nested unit that rolls back alone when its block raises."""
        ...

    def add(self, memory: Memory) -> None:
        """Insert a memory with its evidence."""
        ...

    def update(self, memory: Memory) -> None:
        """Replace a memory and its evidence; raises NotFoundError, ConflictError on a stale version."""
        ...

    def mention(self, memory_id: str, entities: Iterable[tuple[str, str, str]]) -> None:
        """Record that a memory names entities, as (key, name, role)."""
        ...

    def next_position(self, session: str) -> int:
        """The position of the next utterance in a session, from 0."""
        ...

    def record(self, entry: HistoryEntry) -> None:
        """Append to history."""
        ...

    def audit(self, at: datetime, action: str, agent: str, memory_ids: Sequence[str]) -> None:
        """Append to the hash-chained audit log; ids only."""
        ...

    def ask(self, question: Question) -> None:
        """Open a question."""
        ...

    def answer(self, question_id: str, answer: str, at: datetime) -> None:
        """Close a question."""
        ...

    def defer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Put work into the outbox."""
        ...

    def undefer(self, memory_ids: Sequence[str], projection: str) -> None:
        """Take work out of the outbox."""
        ...

    def deferred(self, projection: str) -> list[str]:
        """Ids whose work on a projection still waits."""
        ...

    def indexed_ids(self) -> list[str]:
        """Ids of everything that projections hold: all but archived memories."""
        ...

    def note_read(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Keep when memories were last shown; no new version, and unknown ids are passed over."""
        ...

    def save_working(self, made: WorkingVersion, keep: int) -> None:
        """Add a version to a session's working memory; of the older ones so many are kept."""
        ...

    def clear_working(self, session: str) -> None:
        """Drop a session's working memory with all its versions."""
        ...

    def idle_sessions(self, before: datetime) -> list[str]:
        """Sessions whose working memory was last changed before a moment."""
        ...

    def drop_working(self, memory_ids: Sequence[str]) -> None:
        """Take memories out of every version of every session's working memory."""
        ...

    def remove(self, memory_ids: Sequence[str], erasure_id: str, at: datetime) -> None:
        """Delete memories with evidence, mentions, history, questions and outbox rows; leave tombstones."""
        ...

    def containing(self, words: str, limit: int) -> list[Memory]:
        """Utterances whose text contains `words` exactly."""
        ...

    def superseded_by(self, memory_ids: Sequence[str]) -> list[str]:
        """Ids of what these memories replaced, one step back."""
        ...

    def evidence_on(self, utterance_id: str) -> list[tuple[str, Evidence]]:
        """(memory id, evidence) of everything that rests on an utterance."""
        ...


class Ledger(Protocol):
    """The one transactional truth."""

    def read(self, tenancy: Tenancy) -> AbstractContextManager[LedgerUnit]:
        """A consistent snapshot. Raises StoreNewerError, UnavailableError."""
        ...

    def write(self, tenancy: Tenancy) -> AbstractContextManager[LedgerUnit]:
        """A write transaction, committed at the end of the block. Raises StoreNewerError, UnavailableError."""
        ...


class SystemUnit(SignalSystem, Protocol):
    """What concerns the whole store: bookkeeping across users, never their content."""

    def users(self) -> list[str]:
        """Every user who has something in the store."""
        ...

    def meta(self, name: str) -> str | None:
        """A setting of the store, or None."""
        ...

    def set_meta(self, name: str, value: str) -> None:
        """Keep a setting of the store."""
        ...

    def due(self, projection: str, now: datetime, limit: int) -> list[OutboxRow]:
        """Outbox rows whose time has come, oldest first."""
        ...

    def take(self, projection: str, now: datetime, limit: int, until: datetime) -> list[OutboxRow]:
        """Like `due`, and nobody else is given these rows before `until`; in a unit that writes."""
        ...

    def backlog(self) -> dict[str, int]:
        """Outbox rows by projection."""
        ...

    def done(self, seqs: Sequence[int]) -> None:
        """Remove outbox rows."""
        ...

    def retry(self, seq: int, next_at: datetime, error: str) -> None:
        """Put an outbox row off after a failure; `error` is a code, never content."""
        ...

    def postpone(self, seqs: Sequence[int], next_at: datetime, error: str) -> None:
        """Put outbox rows off without counting a failure."""
        ...

    def set_aside(self) -> list[OutboxRow]:
        """Outbox rows that failed too often: due at `SET_ASIDE_AT`, oldest first."""
        ...

    def save_erasure(self, erasure: Erasure) -> None:
        """Insert or replace a receipt."""
        ...

    def erasures(self, *, finished: bool) -> list[Erasure]:
        """Receipts that are finished, or those that are not."""
        ...

    def add_backup(self, path: str, made_at: datetime) -> None:
        """Remember that a copy of the store is at `path`."""
        ...

    def backups(self) -> list[str]:
        """Paths of the copies that were made."""
        ...

    def drop_backup(self, path: str) -> None:
        """Forget about a copy that is no longer there."""
        ...

    def save_confirmation(self, digest: str, user: str, memory_ids: Sequence[str], expires_at: datetime) -> None:
        """Keep a confirmation (by the hash of its value) with the ids it is bound to."""
        ...

    def take_confirmation(self, digest: str, user: str, now: datetime) -> tuple[str, ...] | None:
        """The ids of a confirmation, once; None when unknown, used, expired or another user's."""
        ...

    def save_token(self, token: Token) -> None:
        """Insert or replace an access token."""
        ...

    def tokens(self) -> list[Token]:
        """All access tokens."""
        ...


class Backend(Protocol):
    """A store with its projections."""

    @property
    def store(self) -> Store:
        """The ledger."""
        ...

    @property
    def text_index(self) -> TextIndex:
        """Full text."""
        ...

    @property
    def vector_index(self) -> VectorIndex:
        """Vectors."""
        ...

    @property
    def graph_index(self) -> GraphIndex:
        """Graph."""
        ...


class Store(Ledger, Protocol):
    """A ledger with its bookkeeping and the means to make an erasure physical."""

    def system(self, *, write: bool = False) -> AbstractContextManager[SystemUnit]:
        """Bookkeeping across users."""
        ...

    def about(self) -> Mapping[str, str]:
        """For `doctor`: `engine` (its name and version), `schema`, and `file` where there is one."""
        ...

    def scrub(self) -> bool:
        """Drop what the engine itself still keeps of deleted rows (logs, free pages); False: try again later."""
        ...

    def shred(self, tenancy: Tenancy) -> bool:
        """Destroy the key of a user of whom nothing is left, where there is one; answers whether it did."""
        ...

    def alone(self, name: str) -> AbstractContextManager[bool]:
        """Whether nobody else, in any process, holds this name; held during the block. Never waits."""
        ...

    def backup(self, path: str) -> None:
        """Write a consistent copy. Raises UnavailableError, InvalidArgumentError."""
        ...

    def copy(self, path: str) -> AbstractContextManager[Backend]:
        """Open such a copy as a store of its own. Raises UnavailableError."""
        ...

    def check(self) -> list[str]:
        """Faults of the engine's own consistency check; empty when sound."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...
