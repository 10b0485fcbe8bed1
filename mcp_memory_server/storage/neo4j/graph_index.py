"""The graph on Neo4j: users hold facts, facts name entities."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from neo4j import Record

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.limits import GRAPH_HOPS
from mcp_memory_server.memory.ports import GraphDocument, GraphHit, GraphIndex, Tenancy, Unit
from mcp_memory_server.storage.neo4j.connection import Connection, Transaction, Work
from mcp_memory_server.storage.neo4j.schema import prepare
from mcp_memory_server.storage.neo4j.statements import OTHER_ROLE, RELATIONS, STATEMENTS

BATCH: Final = 1_000  # memories written or removed in one transaction
PAGE: Final = 5_000  # digests read at a time
PREPARE_SECONDS: Final = 5.0  # how long a call waits for another one that prepares the graph
_NOBODY: Final = ""  # no user has this name

T = TypeVar("T")


class Neo4jGraphIndex:
    """The GraphIndex port on a Neo4j database; each call is a transaction of its own.

    The server is first asked when it is first needed, and asked again what it holds each time that it was away:
    meanwhile it may have been replaced by an empty one.
    """

    name = "graph"
    transactional = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._prepared_after: int | None = None  # the number of losses at which the graph was looked at

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        """Add or replace the mentions of memories. Raises UnavailableError."""
        for part in _parts(list({document.memory_id: document for document in documents}.values())):
            self._write(partial(_replace, user=tenancy.user, documents=part))

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove memories with their mentions, and with the last memory the user. Raises UnavailableError."""
        for part in _parts(list(dict.fromkeys(memory_ids))):
            self._write(partial(_run, name="remove", user=tenancy.user, ids=part))

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        """Memories within `hops` of the entity keys, nearest first. Raises InvalidArgumentError, UnavailableError."""
        if not 1 <= hops <= GRAPH_HOPS:
            raise InvalidArgumentError(f"hops: from 1 to {GRAPH_HOPS}")
        if not entities:
            return ()
        asked = {"user": tenancy.user, "entities": list(dict.fromkeys(map(_entity_id, entities))), "limit": limit}
        return self._read(partial(_neighbours, asked=asked, hops=hops, limit=limit))

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        """Other memories that share an entity with one of `memory_ids`, most shared first. Raises UnavailableError."""
        if not memory_ids:
            return ()
        asked: dict[str, Any] = {"user": tenancy.user, "ids": list(dict.fromkeys(memory_ids)), "limit": limit}
        return tuple(row["id"] for row in self._read(partial(_run, name="linked", **asked)))

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user. Raises UnavailableError."""
        out: dict[str, str] = {}
        after = ""
        while True:  # page by page: a question has little time
            asked: dict[str, Any] = {"user": tenancy.user, "after": after, "limit": PAGE}
            (row,) = self._read(partial(_run, name="digests", **asked))
            out.update(row["pairs"])
            if len(row["pairs"]) < PAGE:
                return out
            after = row["pairs"][-1][0]

    def about(self) -> str:
        """What answers and how it is reached, for `doctor`. Raises UnavailableError."""
        self._prepare()
        return self._connection.about()

    def scrub(self) -> bool:
        """True: what the server keeps of deleted nodes is opened by no key once the user's is destroyed."""
        return True

    def close(self) -> None:
        """Close every connection."""
        self._connection.close()

    def _read(self, work: Work[T]) -> T:
        self._prepare()
        return self._connection.read(work)

    def _write(self, work: Work[object]) -> None:
        self._prepare()
        self._connection.write(work)

    def _prepare(self) -> None:
        """Make constraints that are missing, and have every question planned: the first time takes seconds."""
        if self._prepared_after == self._connection.losses:
            return
        if not self._lock.acquire(timeout=PREPARE_SECONDS):
            raise UnavailableError("the graph is being prepared", next_step="Try again")
        try:
            losses = self._connection.losses
            if self._prepared_after == losses:
                return
            prepare(self._connection)
            self._connection.write(_warm_up)  # as a change, which may take longer than a question
            self._prepared_after = losses
        finally:
            self._lock.release()


def _parts(rows: list[T]) -> Iterator[list[T]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


async def _run(tx: Transaction, name: str, **values: Any) -> list[Record]:
    """The rows of a statement of the table."""
    return [row async for row in await tx.run(STATEMENTS[name], values)]


def _entity_id(key: str) -> str:
    """What an entity is found by: keys may be longer than what an index of Neo4j takes."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


async def _replace(tx: Transaction, user: str, documents: Sequence[GraphDocument]) -> None:
    """Write memories anew, with all that they name."""
    await _run(tx, "clear", user=user, ids=[document.memory_id for document in documents])
    await _run(tx, "add", user=user, facts=[_fact(document) for document in documents])
    named: dict[str, list[dict[str, str]]] = defaultdict(list)
    for document in documents:
        for key, role in document.mentions:
            told = key.encode(
                "utf-8", "replace"
            ).decode()  # half a character finds its entity, but no way over the wire
            mention = {"fact": document.memory_id, "entity": _entity_id(key), "key": told}
            named[role if role in RELATIONS else OTHER_ROLE].append(mention)
    for role, mentions in named.items():
        await _run(tx, role, user=user, mentions=mentions)


def _fact(document: GraphDocument) -> dict[str, Any]:
    life = document.life
    return {
        "id": document.memory_id,
        "predicate": document.predicate,
        "digest": document.digest,
        "life": {}
        if life is None
        else {
            "confidence": life.confidence,
            "source": life.source,
            "valid_from": life.valid_from,
            "valid_to": life.valid_to,
        },
    }


async def _neighbours(tx: Transaction, asked: Mapping[str, Any], hops: int, limit: int) -> tuple[GraphHit, ...]:
    found = {row["id"]: GraphHit(row["id"], 1, (row["via"],)) for row in await _run(tx, "first", **asked)}
    if hops == GRAPH_HOPS and len(found) < limit:
        for row in await _run(tx, "second", **asked):
            found.setdefault(row["id"], GraphHit(row["id"], 2, tuple(row["via"])))
    return tuple(found.values())[:limit]


async def _warm_up(tx: Transaction) -> None:
    """Ask each question about nobody: that leaves its plan with the server."""
    for name in ("first", "second", "linked", "digests"):
        await _run(tx, name, user=_NOBODY, entities=[_NOBODY], ids=[_NOBODY], after=_NOBODY, limit=1)


_PORT: type[GraphIndex] = Neo4jGraphIndex  # the type checker holds the adapter to its port
