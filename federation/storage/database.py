"""Connections to the gateway's database: a file of SQLite, or PostgreSQL. The same statements run on both."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, create_engine, insert, inspect, literal, make_url, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from federation.errors import ConfigurationError, StoreError
from federation.limits import STORE_SECONDS
from federation.storage import tables

_CONNECTIONS: Final = 8  # at most open at once in one process
_SCHEMA_LOCK: Final = 0x66_65_64_65_72_61_74_65  # of PostgreSQL: one process at a time makes the tables


def micros(seconds: float) -> int:
    """Seconds since the epoch as the tables keep times."""
    return round(seconds * 1_000_000)


def insert_absent(connection: Connection, table: Table, values: dict[str, Any]) -> bool:
    """Insert a row unless one with its key is there; answers whether it was inserted. Atomic on both dialects."""
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    # What was inserted is asked back: the count of rows is not the same thing with every driver.
    statement = make(table).values(values).on_conflict_do_nothing().returning(literal(1))
    return connection.execute(statement).first() is not None


def _sqlite(path: Path) -> Engine:
    # The driver of the ledger: the SQLite in many Pythons can lose commits of two processes (docs/adr/0002).
    from sqlcipher3 import dbapi2

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))

    def connect() -> Any:
        connection = dbapi2.connect(
            str(path), timeout=STORE_SECONDS, check_same_thread=False, isolation_level=None
        )  # transactions are begun by hand
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "temp_store=MEMORY"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        return connection

    return create_engine(
        "sqlite://",
        module=dbapi2,
        creator=connect,
        poolclass=QueuePool,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=STORE_SECONDS,
        pool_reset_on_return=None,
        skip_autocommit_rollback=True,
        isolation_level="AUTOCOMMIT",
    )


def _postgres(url: str) -> Engine:
    try:
        address = make_url(url)
    except ArgumentError:
        raise ConfigurationError("config_invalid", "not the address of a database") from None  # it may hold a password
    if address.get_backend_name() not in ("postgresql", "postgres"):
        raise ConfigurationError("config_invalid", "not the address of a PostgreSQL database")
    milliseconds = int(STORE_SECONDS * 1_000)
    return create_engine(
        address.set(drivername="postgresql+psycopg"),
        connect_args={"connect_timeout": 5, "options": f"-c lock_timeout={milliseconds} -c timezone=UTC"},
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=STORE_SECONDS,
        pool_pre_ping=True,
        skip_autocommit_rollback=True,
        isolation_level="AUTOCOMMIT",
    )


def _undo(connection: Connection) -> None:
    """Roll back; a connection that cannot even do that is thrown away, so that nobody gets it in mid-transaction."""
    try:
        connection.exec_driver_sql("ROLLBACK")
    except SQLAlchemyError:
        connection.invalidate()


class Database:
    """A file (``Path``) or the address of a PostgreSQL database; its tables are made when they are not there.

    Raises StoreError (``store_unavailable``, ``store_newer``), ConfigurationError.
    """

    def __init__(self, place: Path | str) -> None:
        self._is_file = isinstance(place, Path)
        self._begin = "BEGIN IMMEDIATE" if self._is_file else "BEGIN ISOLATION LEVEL READ COMMITTED"
        try:
            self._engine = _sqlite(place) if isinstance(place, Path) else _postgres(place)
        except OSError as error:
            raise StoreError("store_unavailable", "the file cannot be written") from error
        try:
            with self.writing() as connection:
                self._prepare(connection)
        except BaseException:
            self.close()
            raise

    def _prepare(self, connection: Connection) -> None:
        if not self._is_file:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))
        if inspect(connection).has_table(tables.version.name):
            found = connection.execute(select(tables.version.c.number)).scalar_one()
            if found > tables.VERSION:
                raise StoreError("store_newer")
            return
        tables.metadata.create_all(connection)
        connection.execute(insert(tables.version).values(number=tables.VERSION))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection on which each statement sees what is committed. Raises StoreError."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreError("store_unavailable") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction: all of it or nothing. On SQLite one writer among all processes. Raises StoreError."""
        with self.reading() as connection:
            connection.exec_driver_sql(self._begin)
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")  # may fail too: on a full disk it does
            except BaseException:
                _undo(connection)
                raise

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
