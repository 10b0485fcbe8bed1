"""The values that cross a port: tenancy, hits, documents, filters, pages, and the ledger's records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcp_memory_server.memory.model import Kind, Memory, Status

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tenancy:
    """Whose memory a call may touch."""

    user: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory found by an index; a higher score is better, scales differ between indexes."""

    memory_id: str
    score: float


@dataclass(frozen=True, slots=True)
class VectorHits:
    """Hits of one language with the mean and deviation of all that user's scores (None: unknown)."""

    hits: tuple[Hit, ...]
    mean: float | None = None
    deviation: float | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class GraphHit:
    """A memory reached from an entity, `hops` away (1: it names the entity itself), by way of `via`."""

    memory_id: str
    hops: int
    via: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextDocument:
    """The index tokens of one memory; `digest` says what they were made from."""

    memory_id: str
    tokens: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class VectorDocument:
    """One part of a memory's text as a unit vector of shape (dimension,)."""

    memory_id: str
    part: int
    lang: str
    vector: Vector
    digest: str


@dataclass(frozen=True, slots=True)
class GraphLife:
    """How sure a fact is, who stated it, and when it is true (as `Validity` writes it): for people who read a graph."""

    confidence: float
    source: str
    valid_from: str | None = None
    valid_to: str | None = None


@dataclass(frozen=True, slots=True)
class GraphDocument:
    """The entities that one memory names, as (entity key, role). No question is answered by its `life`.

    `digest` does not cover the life: an index that hides names leaves it out.
    """

    memory_id: str
    predicate: str
    mentions: tuple[tuple[str, str], ...]
    digest: str
    life: GraphLife | None = None


class Outline(NamedTuple):
    """What ranking needs of a memory: plain values, since hundreds are read for one question.

    `kind`, `status` and `category` are the values of their enums; moments are microseconds UTC;
    `utterances` are the ids that it rests on, one after another, separated by spaces; `said_offset` is in minutes.
    """

    id: str
    kind: str
    status: str
    category: str
    event_type: str | None
    session: str | None
    said_at: int
    recorded_at: int
    supported_at: int | None
    superseded_at: int | None
    confidence: float
    hidden: bool
    valid_from: str | None
    valid_to: str | None
    at: str | None
    speaker: str
    utterances: str
    layer: str = "episodic"
    predicate: str | None = None
    said_offset: int = 0
    read_at: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories: every field that is set must hold. Times are aware; `until` is exclusive."""

    ids: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    statuses: tuple[Status, ...] | None = None
    category: str | None = None
    event_type: str | None = None
    source: str | None = None
    session: str | None = None
    channel: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing; `cursor` continues it; `total` counts all that match."""

    memories: tuple[Memory, ...]
    cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user about memories that cannot all be true."""

    id: str
    text: str
    memory_ids: tuple[str, ...]
    answers: tuple[str, ...]
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened to a memory; no text in it."""

    memory_id: str
    at: datetime
    action: str
    actor: str
    other_id: str | None = None
    details: Mapping[str, str | int | float | bool | None] | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of a user's audit log: what was done to which memories, by which program; ids only.

    `digest` is the SHA-256 of the line and of `previous`, the digest of the line before it.
    """

    seq: int
    at: datetime
    action: str
    agent: str
    memory_ids: tuple[str, ...]
    previous: str
    digest: str


SET_ASIDE_AT = datetime(9999, 1, 1, tzinfo=UTC)  # when an outbox row that is set aside is due: never


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """Deferred work on one projection of one memory."""

    seq: int
    user: str
    memory_id: str
    projection: str
    attempts: int
    error: str = ""  # the code of the last failure


@dataclass(frozen=True, slots=True)
class Erasure:
    """A forgetting under way or done: ids only, never content."""

    id: str
    user: str
    state: str
    memory_ids: tuple[str, ...]
    requested_at: datetime
    finished_at: datetime | None = None
    places: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as far as it is remembered."""

    id: str
    first_at: datetime
    last_at: datetime
    utterances: int


@dataclass(frozen=True, slots=True)
class WorkingVersion:
    """One state of a session's working memory: which memories it held, least recently used first."""

    session: str
    version: int
    at: datetime
    action: str
    memory_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """An access token for small installations; only its SHA-256 is kept."""

    id: str
    name: str
    user: str
    digest: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
