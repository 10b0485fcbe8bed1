"""The graph in the ledger's file: which memory names which entity, walked by self-joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, text

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.limits import GRAPH_HOPS
from mcp_memory_server.memory.ports import GraphDocument, GraphHit, Tenancy, Unit
from mcp_memory_server.storage.sqlite.units import UnitSource

SCHEMA = (
    """CREATE TABLE graph_document (
         user TEXT NOT NULL, memory_id TEXT NOT NULL, predicate TEXT NOT NULL, digest TEXT NOT NULL,
         PRIMARY KEY (user, memory_id)) WITHOUT ROWID""",
    """CREATE TABLE graph_mention (
         user TEXT NOT NULL, entity TEXT NOT NULL, memory_id TEXT NOT NULL, role TEXT NOT NULL,
         PRIMARY KEY (user, entity, memory_id)) WITHOUT ROWID""",
    """CREATE INDEX graph_mention_by_memory ON graph_mention (user, memory_id)""",
)
_HUB = 50  # an entity that more memories name says nothing about how two of them belong together

_FIRST = text(
    "SELECT memory_id, MIN(entity) FROM graph_mention WHERE user = :user AND entity IN :entities"
    " GROUP BY memory_id ORDER BY COUNT(*) DESC, memory_id DESC LIMIT :limit"
).bindparams(bindparam("entities", expanding=True))
_SECOND = text(
    "SELECT far.memory_id, MIN(near.entity), MIN(far.entity)"
    " FROM graph_mention near"
    " JOIN graph_mention bridge ON bridge.user = near.user AND bridge.memory_id = near.memory_id"
    "   AND bridge.entity <> near.entity"
    " JOIN graph_mention far ON far.user = bridge.user AND far.entity = bridge.entity"
    "   AND far.memory_id <> near.memory_id"
    " WHERE near.user = :user AND near.entity IN :entities"
    "   AND (SELECT COUNT(*) FROM (SELECT 1 FROM graph_mention h WHERE h.user = :user AND h.entity = bridge.entity"
    "        LIMIT :hub)) < :hub"
    " GROUP BY far.memory_id ORDER BY COUNT(*) DESC, far.memory_id DESC LIMIT :limit"
).bindparams(bindparam("entities", expanding=True))

_ADD_DOCUMENT = text("INSERT INTO graph_document VALUES (:user, :memory_id, :predicate, :digest)")
_ADD_MENTION = text("INSERT INTO graph_mention VALUES (:user, :entity, :memory_id, :role)")
_DROP_DOCUMENT = text("DELETE FROM graph_document WHERE user = :user AND memory_id = :id")
_DROP_MENTION = text("DELETE FROM graph_mention WHERE user = :user AND memory_id = :id")
_DIGESTS = text("SELECT memory_id, digest FROM graph_document WHERE user = :user")


class SqliteGraphIndex:
    """The GraphIndex port on two tables."""

    name = "graph"
    transactional = True

    def __init__(self, units: UnitSource) -> None:
        self._units = units

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        """Add or replace the mentions of memories."""
        if not documents:
            return
        with self._units.writing(tenancy, unit) as connection:
            self._remove(connection, tenancy.user, [document.memory_id for document in documents])
            connection.execute(
                _ADD_DOCUMENT,
                [
                    {
                        "user": tenancy.user,
                        "memory_id": d.memory_id,
                        "predicate": d.predicate,
                        "digest": d.digest,
                    }
                    for d in documents
                ],
            )
            mentions = [
                {"user": tenancy.user, "entity": entity, "memory_id": d.memory_id, "role": role}
                for d in documents
                for entity, role in d.mentions
            ]
            if mentions:
                connection.execute(_ADD_MENTION, mentions)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove memories with their mentions."""
        with self._units.writing(tenancy, unit) as connection:
            self._remove(connection, tenancy.user, memory_ids)

    def _remove(self, connection: Connection, user: str, memory_ids: Sequence[str]) -> None:
        rows = [{"user": user, "id": one} for one in memory_ids]
        if rows:
            connection.execute(_DROP_DOCUMENT, rows)
            connection.execute(_DROP_MENTION, rows)

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        """Memories within `hops` of the entity keys, nearest first. Raises InvalidArgumentError."""
        if not 1 <= hops <= GRAPH_HOPS:
            raise InvalidArgumentError(f"hops: from 1 to {GRAPH_HOPS}")
        if not entities:
            return ()
        with self._units.reading(tenancy, unit) as connection:
            values = {"user": tenancy.user, "entities": list(entities), "limit": limit, "hub": _HUB}
            near = {"user": tenancy.user, "entities": list(entities), "limit": limit}
            found = {memory_id: GraphHit(memory_id, 1, (via,)) for memory_id, via in connection.execute(_FIRST, near)}
            if hops == GRAPH_HOPS and len(found) < limit:
                for memory_id, first, second in connection.execute(_SECOND, values):
                    found.setdefault(memory_id, GraphHit(memory_id, 2, (first, second)))
            return tuple(found.values())[:limit]

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user."""
        with self._units.reading(tenancy, unit) as connection:
            rows = connection.execute(_DIGESTS, {"user": tenancy.user})
            return {memory_id: digest for memory_id, digest in rows}
