"""The graph in the ledger's file: which memory names which entity, walked by self-joins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, text

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
_HUB = 16  # an entity that so many memories name says nothing about how two of them belong together

# A value that everybody shares ("tea") must not pull in everybody: hubs are no bridge. The lists of
# bridges are small, so they are made first (MATERIALIZED) and their size is looked at once each.
# CROSS JOIN keeps the order written, and a `+` keeps an index from serving DISTINCT or GROUP BY: the planner
# would rather walk through all mentions of the user in order than sort the few that are wanted.
_WITHOUT_HUBS = (
    " (SELECT COUNT(*) FROM (SELECT 1 FROM graph_mention h WHERE h.user = :user AND h.entity = b.entity LIMIT :hub))"
    " < :hub"
)
_FIRST = text(
    "SELECT m.memory_id, MIN(m.entity) FROM json_each(:entities) wanted"
    " CROSS JOIN graph_mention m ON m.user = :user AND m.entity = wanted.value"
    " GROUP BY +m.memory_id ORDER BY COUNT(*) DESC, m.memory_id DESC LIMIT :limit"
)
_SECOND = text(
    "WITH b AS MATERIALIZED (SELECT DISTINCT near.entity AS source, bridge.entity AS entity"  # noqa: S608 - constants
    "   FROM json_each(:entities) wanted"
    "   CROSS JOIN graph_mention near ON near.user = :user AND near.entity = wanted.value"
    "   CROSS JOIN graph_mention bridge ON bridge.user = :user"
    "   AND bridge.memory_id = near.memory_id AND bridge.entity <> near.entity LIMIT :limit),"
    f" bridges AS MATERIALIZED (SELECT source, entity FROM b WHERE{_WITHOUT_HUBS})"
    " SELECT far.memory_id, MIN(bridges.source), MIN(far.entity) FROM bridges"
    " CROSS JOIN graph_mention far ON far.user = :user AND far.entity = bridges.entity"
    " GROUP BY +far.memory_id ORDER BY COUNT(*) DESC, far.memory_id DESC LIMIT :limit"
)
_LINKED = text(
    "WITH b AS MATERIALIZED (SELECT DISTINCT m.entity FROM json_each(:ids) wanted"  # noqa: S608 - constants
    "   CROSS JOIN graph_mention m ON m.user = :user AND m.memory_id = wanted.value),"
    f" bridges AS MATERIALIZED (SELECT entity FROM b WHERE{_WITHOUT_HUBS})"
    " SELECT far.memory_id FROM bridges"
    " CROSS JOIN graph_mention far ON far.user = :user AND far.entity = bridges.entity"
    " WHERE far.memory_id NOT IN (SELECT value FROM json_each(:ids))"
    " GROUP BY +far.memory_id ORDER BY COUNT(*) DESC, far.memory_id DESC LIMIT :limit"
)
_ADD_DOCUMENT = text("INSERT INTO graph_document VALUES (:user, :memory_id, :predicate, :digest)")
_ADD_MENTION = text("INSERT INTO graph_mention VALUES (:user, :entity, :memory_id, :role)")
_DROP_DOCUMENT = text("DELETE FROM graph_document WHERE user = :user AND memory_id = :id")
_DROP_MENTION = text(
    "DELETE FROM graph_mention INDEXED BY graph_mention_by_memory WHERE user = :user AND memory_id = :id"
)
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
            near = {"user": tenancy.user, "entities": json.dumps(list(dict.fromkeys(entities))), "limit": limit}
            values = near | {"hub": _HUB}
            found = {
                memory_id: GraphHit(memory_id, 1, (via,)) for memory_id, via in connection.execute(_FIRST, near).all()
            }
            if hops == GRAPH_HOPS and len(found) < limit:
                for memory_id, first, second in connection.execute(_SECOND, values).all():
                    found.setdefault(memory_id, GraphHit(memory_id, 2, (first, second)))
            return tuple(found.values())[:limit]

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        """Other memories that share an entity with one of `memory_ids`, most shared entities first."""
        if not memory_ids:
            return ()
        with self._units.reading(tenancy, unit) as connection:
            values = {
                "user": tenancy.user,
                "ids": json.dumps(list(dict.fromkeys(memory_ids))),
                "limit": limit,
                "hub": _HUB,
            }
            return tuple(connection.execute(_LINKED, values).scalars())

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user."""
        with self._units.reading(tenancy, unit) as connection:
            rows = connection.execute(_DIGESTS, {"user": tenancy.user})
            return {memory_id: digest for memory_id, digest in rows}
