"""The Store port on PostgreSQL, with every text and value sealed under a key of its user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, exists, inspect, select

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.keys.ports import UserKeys
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.storage.postgres.engine import PostgresEngine
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.at_rest import SEALED, AtRest
from mcp_memory_server.storage.sql.errors import translated
from mcp_memory_server.storage.sql.migrate import HEAD, check_version, migrate, version_of
from mcp_memory_server.storage.sql.sealing import Sealed
from mcp_memory_server.storage.sql.system import SqlSystemUnit
from mcp_memory_server.storage.sql.unit import SqlUnit

RestOf = Callable[[str, Connection, bool], AtRest]
"""(user, connection, whether it writes) to how this user's values stand in the tables."""


class CopyStore(Backend, Protocol):
    """A store in one file, as a copy of another is kept."""

    def fill(self, source: Connection) -> None:
        """Take in all rows of an open snapshot."""
        ...


class Beside(Protocol):
    """What is kept in order and closed together with the ledger."""

    def scrub(self) -> bool:
        """Drop what is still kept of deleted rows; False: try again later."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


class PostgresStore:
    """A database; it is brought up to date when it is opened.

    `copies` opens (or makes) the file of a backup as a store whose rows are sealed in the way given.
    """

    def __init__(
        self,
        url: str,
        keys: UserKeys,
        copies: Callable[[Path, RestOf], AbstractContextManager[CopyStore]],
        beside: Sequence[Beside] = (),
    ) -> None:
        self._engine = PostgresEngine(url)
        self._keys = keys
        self._copies = copies
        self._beside = beside
        try:
            self._prepare()
        except BaseException:
            self._engine.close()
            raise

    def _prepare(self) -> None:
        with self._engine.connect() as connection:
            version = version_of(connection)
        if version == HEAD:
            return
        # Another process may start at the same moment: look again under the lock.
        with self._engine.migrating() as connection:
            version = version_of(connection)
            if version is None or version < HEAD:
                migrate(connection, "BEGIN")
            else:
                check_version(connection)

    def _rest(self, user: str, connection: Connection, write: bool) -> AtRest:
        return Sealed(partial(self._key, user, connection), write=write)

    def _key(self, user: str, connection: Connection, make: bool) -> bytes | None:
        """The user's key; made under the user's lock, and never beside rows that another key sealed."""
        key = self._keys.of(user)
        if key is not None or not make:
            return key
        if _sealed_rows(connection, user):
            raise UnavailableError(
                "the key of this user is not there, and what is stored needs it",
                next_step="Check that the folder of keys belongs to this store",
            )
        return self._keys.make(user)

    @contextmanager
    def read(self, tenancy: Tenancy) -> Iterator[SqlUnit]:
        """A consistent snapshot of one user's memories."""
        with translated(), self._engine.reading() as connection:
            check_version(connection)
            yield SqlUnit(connection, tenancy.user, self._rest(tenancy.user, connection, False))

    @contextmanager
    def write(self, tenancy: Tenancy) -> Iterator[SqlUnit]:
        """A write transaction, the only one of this user; commits at the end of the block."""
        with translated(), self._engine.writing(tenancy.user) as connection:
            check_version(connection)
            unit = SqlUnit(connection, tenancy.user, self._rest(tenancy.user, connection, True))
            yield unit
            unit.touch()

    @contextmanager
    def system(self, *, write: bool = False) -> Iterator[SqlSystemUnit]:
        """Bookkeeping across users."""
        with translated(), self._engine.writing(None) if write else self._engine.reading() as connection:
            check_version(connection)
            yield SqlSystemUnit(connection)

    def alone(self, name: str) -> AbstractContextManager[bool]:
        """Whether this is the only holder of the name in all processes; held during the block."""
        return self._engine.alone(name)

    def about(self) -> dict[str, str]:
        """The version of the server and of the schema."""
        with self._engine.connect() as connection:
            version = connection.exec_driver_sql("SHOW server_version").scalar_one()
            secure = connection.exec_driver_sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").scalar()
        engine = f"PostgreSQL {str(version).split()[0]}, {'TLS' if secure else 'without TLS'}"
        return {"engine": engine, "schema": HEAD}

    def scrub(self) -> bool:
        """What the server keeps of deleted rows is sealed, and `shred` takes the key away; the rest is beside it."""
        done = [one.scrub() for one in self._beside]  # all of them, also after one that could not
        return all(done)

    def shred(self, tenancy: Tenancy) -> bool:
        """Destroy the key of a user of whom nothing sealed is left; answers whether it did."""
        with translated(), self._engine.writing(tenancy.user) as connection:
            check_version(connection)
            return not _sealed_rows(connection, tenancy.user) and self._keys.destroy(tenancy.user)

    def check(self) -> list[str]:
        """Missing tables, indexes that are not valid, and users whose key is not there."""
        with translated(), self._engine.reading() as connection:
            there = set(inspect(connection).get_table_names())
            faults = [f"the table {name} is missing" for name in sorted(set(t.metadata.tables) - there)]
            invalid = connection.exec_driver_sql(
                "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid"
            )
            faults += [f"the index {name} is not valid" for name in invalid.scalars()]
            if faults:
                return faults
            users = connection.execute(select(t.epoch.c.user).order_by(t.epoch.c.user)).scalars().all()
            return [
                f"the key of {user} is not there"
                for user in users
                if self._keys.of(user) is None and _sealed_rows(connection, user)
            ]

    def backup(self, path: str) -> None:
        """Write a consistent copy that only its owner can read, its values still sealed; never over a file.

        The keys are not in it: an erased user's part of it is unreadable at once.
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise InvalidArgumentError(f"the folder {target.parent} does not exist", next_step="Make it first")
        if target.exists():
            raise InvalidArgumentError(f"{target} exists already", next_step="Choose another name")
        try:
            with self._engine.reading() as connection, self._copies(target, self._rest) as copy:
                check_version(connection)
                copy.fill(connection)
        except OSError as error:
            target.unlink(missing_ok=True)
            raise UnavailableError(f"{target} cannot be written ({error.strerror})") from error
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    @contextmanager
    def copy(self, path: str) -> Iterator[Backend]:
        """Open a copy of this store as a store of its own. Raises UnavailableError when it is not there."""
        target = Path(path)
        if not target.is_file():
            raise UnavailableError(f"{target} is not there")
        with self._copies(target, self._rest) as copy:
            yield copy

    def close(self) -> None:
        """Close every connection."""
        for one in self._beside:
            one.close()
        self._engine.close()


def _sealed_rows(connection: Connection, user: str) -> bool:
    """Whether anything is left of a user that needs the key."""
    tables = [table for table in t.metadata.sorted_tables if table.name in SEALED]
    checks = [exists().where(table.c.user == user) for table in tables]
    return any(connection.execute(select(*checks)).one())
