"""How the embedded indexes get at a connection: the ledger's open unit, or a transaction of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from mcp_memory_server.errors import InternalError
from mcp_memory_server.memory.ports import Tenancy, Unit
from mcp_memory_server.storage.sql.unit import SqlUnit
from mcp_memory_server.storage.sqlite.engine import SqliteEngine


class UnitSource:
    """Gives the connection of a unit, and refuses a unit of another user."""

    def __init__(self, engine: SqliteEngine, written: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._written = written  # called after a transaction of an index's own

    @contextmanager
    def reading(self, tenancy: Tenancy, unit: Unit | None) -> Iterator[Connection]:
        """A connection to read with."""
        if unit is not None:
            yield _connection(tenancy, unit)
            return
        with self._engine.transaction(write=False) as connection:
            yield connection

    @contextmanager
    def writing(self, tenancy: Tenancy, unit: Unit | None) -> Iterator[Connection]:
        """A connection to write with."""
        if unit is not None:
            yield _connection(tenancy, unit)
            return
        with self._engine.transaction(write=True) as connection:
            yield connection
            SqlUnit(connection, tenancy.user).touch(purged=True)
        self._written()


def _connection(tenancy: Tenancy, unit: Unit) -> Connection:
    if not isinstance(unit, SqlUnit) or unit.user != tenancy.user:
        raise InternalError("a unit of work of another store or user")
    return unit.connection
