"""Connections to PostgreSQL, and the locks by which several processes share one ledger.

A write transaction holds an advisory lock of its user, so that writers of one user come one after another,
as with the embedded store's one writer, and writers of different users side by side. Under that lock a
statement may see what was committed before it (read committed): nobody else can change what it reads. With
repeatable read the snapshot would be older than the lock, and every second writer would have to be repeated,
which the caller's block cannot be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.limits import BUSY_SECONDS
from mcp_memory_server.storage.sql.errors import translated

_CONNECTIONS = 20  # at most open at once in one process
_CONNECT_SECONDS = 5  # how long a connection may take to come about
_IDLE_SECONDS = 60  # a write transaction in which nothing happens for so long is ended: its lock holds up others
_MIGRATION_SECONDS = 600  # how long a starting process waits for another one's migration

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'"


def lock_number(*names: str) -> int:
    """The number of an advisory lock: 64 bits, signed, from names."""
    text = "\0".join(("consented-memory", *names)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)


_SCHEMA = lock_number("schema")  # every write shares it, a migration has it alone


class PostgresEngine:
    """A database and its pool. Raises InvalidArgumentError for an address that is none."""

    def __init__(self, url: str) -> None:
        try:
            address = make_url(url)
        except ArgumentError:
            raise _no_address() from None  # the error quotes the address, and the password with it
        if address.get_backend_name() not in ("postgresql", "postgres") or not address.host:
            raise _no_address()
        self._engine: Engine = create_engine(
            address.set(drivername="postgresql+psycopg"),
            connect_args={
                "connect_timeout": _CONNECT_SECONDS,
                "application_name": "consented-memory",
                "options": f"-c lock_timeout={int(BUSY_SECONDS * 1000)} -c timezone=UTC",
            },
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=BUSY_SECONDS,
            pool_pre_ping=True,  # a server that was restarted costs no call
            skip_autocommit_rollback=True,
            isolation_level="AUTOCOMMIT",  # transactions are begun by hand
        )

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection without a transaction; foreign errors become ours."""
        with translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A snapshot."""
        with self.connect() as connection, _begun(connection, _READ):
            yield connection

    @contextmanager
    def writing(self, user: str | None) -> Iterator[Connection]:
        """A write transaction; with a user, alone among all writers of that user.

        Raises UnavailableError when the lock is not to be had within BUSY_SECONDS.
        """
        locks = f"; SELECT pg_advisory_xact_lock_shared({_SCHEMA})"
        if user is not None:
            locks += f"; SELECT pg_advisory_xact_lock({lock_number('user', user)})"
        with self.connect() as connection, _begun(connection, _WRITE + locks):
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A connection without a transaction while no other process writes or migrates."""
        with self.connect() as connection:
            connection.exec_driver_sql(f"SET lock_timeout = '{_MIGRATION_SECONDS}s'")
            connection.exec_driver_sql(f"SELECT pg_advisory_lock({_SCHEMA})")
            connection.exec_driver_sql("RESET lock_timeout")  # to what the connection was opened with
            try:
                yield connection
            finally:
                _unlocked(connection, _SCHEMA)

    @contextmanager
    def alone(self, name: str) -> Iterator[bool]:
        """Whether nobody else on this database holds the lock of this name. It ends with the connection."""
        number = lock_number("alone", name)
        with self.connect() as connection:
            free = bool(connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({number})").scalar_one())
            try:
                yield free
            finally:
                if free:
                    _unlocked(connection, number)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _no_address() -> InvalidArgumentError:
    return InvalidArgumentError(
        "store.url: not an address of a PostgreSQL database",
        next_step="Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
    )


def _unlocked(connection: Connection, number: int) -> None:
    """Give a lock of the session back; where the server is gone, the lock went with it."""
    try:
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({number})")
    except DBAPIError:
        connection.invalidate()


@contextmanager
def _begun(connection: Connection, statement: str) -> Iterator[None]:
    try:
        connection.exec_driver_sql(statement)
        yield
    except BaseException:
        try:
            connection.exec_driver_sql("ROLLBACK")
        except DBAPIError:
            connection.invalidate()  # the server is gone; what failed first is what the caller has to hear
        raise
    connection.exec_driver_sql("COMMIT")
