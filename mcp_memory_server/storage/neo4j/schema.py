"""Constraints and indexes of the graph, made by numbered migrations."""

from __future__ import annotations

from functools import partial
from typing import Final

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.storage.neo4j.connection import Connection, Transaction

# Each statement may run again and beside itself in another process: that is what IF NOT EXISTS is for. A uniqueness
# constraint brings the index by which statements find a node, and without it two writers would make two nodes of one.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "CREATE CONSTRAINT memory_migration IF NOT EXISTS FOR (m:Migration) REQUIRE m.number IS UNIQUE",
        "CREATE CONSTRAINT memory_user IF NOT EXISTS FOR (u:User) REQUIRE u.user IS UNIQUE",
        "CREATE CONSTRAINT memory_fact IF NOT EXISTS FOR (f:Fact) REQUIRE (f.user, f.id) IS UNIQUE",
        "CREATE CONSTRAINT memory_entity IF NOT EXISTS FOR (e:Entity) REQUIRE (e.user, e.id) IS UNIQUE",
    ),
)
_APPLIED = "MATCH (m:Migration) RETURN coalesce(max(m.number), 0) AS number"
_NOTE = "MERGE (m:Migration {number: $number}) ON CREATE SET m.at = datetime()"
_AWAIT = "CALL db.awaitIndexes($seconds)"
_INDEX_SECONDS = 30  # how long a starting process waits for indexes to be filled


def prepare(connection: Connection) -> None:
    """Bring the graph up to date. Raises UnavailableError, also for a graph that a newer version has made."""
    number = connection.read(_applied)
    if number > len(MIGRATIONS):
        raise UnavailableError("the graph was made by a newer version", next_step="Update this process")
    for later, statements in enumerate(MIGRATIONS[number:], number + 1):
        for statement in statements:  # a change of the schema stands alone in its transaction
            connection.write(partial(_done, statement))
        connection.write(partial(_done, _NOTE, number=later))
    if number < len(MIGRATIONS):
        connection.write(partial(_done, _AWAIT, seconds=_INDEX_SECONDS))


async def _applied(tx: Transaction) -> int:
    return int((await (await tx.run(_APPLIED)).single(strict=True))["number"])


async def _done(statement: str, tx: Transaction, **values: int) -> None:
    await (await tx.run(statement, values)).consume()
