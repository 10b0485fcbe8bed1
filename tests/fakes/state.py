"""What the store in memory holds. A unit of work changes a copy, which replaces the original at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import (
    Erasure,
    GraphDocument,
    HistoryEntry,
    Question,
    TextDocument,
    Token,
    VectorDocument,
    WorkingVersion,
)
from mcp_memory_server.memory.signals import Firing, Recalled, Vote


@dataclass
class Deferred:
    """One row of the outbox."""

    seq: int
    attempts: int = 0
    next_at: datetime | None = None
    error: str = ""


@dataclass
class UserState:
    """Everything of one user."""

    memories: dict[str, Memory] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    mentions: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    history: list[HistoryEntry] = field(default_factory=list)
    audit: list[tuple[datetime, str, str, tuple[str, ...]]] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    outbox: dict[tuple[str, str], Deferred] = field(default_factory=dict)
    tombstones: dict[str, str] = field(default_factory=dict)
    working: dict[str, tuple[WorkingVersion, ...]] = field(default_factory=dict)
    text: dict[str, TextDocument] = field(default_factory=dict)
    vectors: dict[tuple[str, str], tuple[VectorDocument, ...]] = field(default_factory=dict)
    graph: dict[str, GraphDocument] = field(default_factory=dict)
    recalls: dict[str, Recalled] = field(default_factory=dict)
    votes: dict[tuple[str, str], Vote] = field(default_factory=dict)
    firings: dict[str, Firing] = field(default_factory=dict)
    revision: int = 0
    purge: int = 0

    def copied(self) -> UserState:
        """A copy whose containers are its own; what they hold is immutable, but for the outbox."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name, value in values.items():
            if isinstance(value, dict | list):
                values[name] = value.copy()
        values["outbox"] = {key: Deferred(**vars(row)) for key, row in self.outbox.items()}
        return UserState(**values)


@dataclass
class State:
    """Everything in a store."""

    users: dict[str, UserState] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    erasures: dict[str, Erasure] = field(default_factory=dict)
    backups: dict[str, datetime] = field(default_factory=dict)
    confirmations: dict[str, tuple[str, tuple[str, ...], datetime]] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    counter: int = 0

    def of(self, user: str) -> UserState:
        """The state of a user, made if need be."""
        return self.users.setdefault(user, UserState())

    def next(self) -> int:
        """The next row number."""
        self.counter += 1
        return self.counter

    def copied(self) -> State:
        """A copy that shares nothing that changes."""
        return State(
            {user: state.copied() for user, state in self.users.items()},
            dict(self.meta),
            dict(self.erasures),
            dict(self.backups),
            dict(self.confirmations),
            dict(self.tokens),
            self.counter,
        )
