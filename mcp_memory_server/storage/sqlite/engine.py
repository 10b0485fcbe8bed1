"""Connections to the one SQLite file, and the lock that lets several processes share it.

The driver is `sqlcipher3`: a current SQLite (3.53) on every platform. The SQLite inside many Pythons
has a bug before 3.51.3 by which a commit can be lost when two processes share a write-ahead log, and
cannot erase full-text rows (https://sqlite.org/wal.html, https://sqlite.org/fts5.html#the_secure_delete_configuration_option).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import QueuePool
from sqlcipher3 import dbapi2

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import BUSY_SECONDS
from mcp_memory_server.storage.sql.errors import translated

_POLL_SECONDS = 0.002  # between two tries for the lock of another process
_CONNECTIONS = 16  # at most open at once in one process


def private_folder(path: Path) -> None:
    """Make a folder that only its owner can enter (0700); one that exists keeps its mode. Raises UnavailableError."""
    with _refusals(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def private_file(path: Path) -> None:
    """Make a file that only its owner can read (0600), if it is not there. Raises UnavailableError."""
    with _refusals(path):
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """What the system refuses - no right, a read-only or full disk - is the user's to know, and no fault of ours."""
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be written ({error.strerror})", next_step="Check its permissions and the space on the disk"
        ) from error


def open_connection(path: Path) -> Any:
    """A DB-API connection in autocommit mode; transactions are begun by hand."""
    connection = dbapi2.connect(str(path), timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "secure_delete=ON",
        "foreign_keys=ON",
        "temp_store=MEMORY",  # a temporary file would keep text outside the store
        "wal_autocheckpoint=0",  # checkpoints are ours: they take the lock
        "cache_size=-16000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
    return connection


class SqliteEngine:
    """The file, its connections and its lock."""

    def __init__(self, path: Path) -> None:
        private_folder(path.parent)
        private_file(path)
        self.path = path
        self._thread_lock = threading.Lock()
        lock_path = path.with_name(path.name + ".lock")
        private_file(lock_path)
        self._file_lock = FileLock(lock_path, timeout=BUSY_SECONDS, thread_local=False, mode=0o600)
        self._engine: Engine = create_engine(
            "sqlite://",
            module=dbapi2,
            creator=lambda: open_connection(path),
            poolclass=QueuePool,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=BUSY_SECONDS,
            pool_reset_on_return=None,
            skip_autocommit_rollback=True,
            isolation_level="AUTOCOMMIT",
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone among all threads and processes. Raises UnavailableError after BUSY_SECONDS."""
        if not self._thread_lock.acquire(timeout=BUSY_SECONDS):
            raise UnavailableError("the store is busy", next_step="Try again")
        try:
            try:
                self._file_lock.acquire(poll_interval=_POLL_SECONDS)
            except Timeout as error:
                raise UnavailableError("another process holds the store", next_step="Try again") from error
            try:
                yield
            finally:
                self._file_lock.release()
        finally:
            self._thread_lock.release()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection without a transaction; foreign errors become ours."""
        with translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Connection]:
        """A transaction: a snapshot for reading, or the one writer among all processes."""
        if not write:
            with self.connect() as connection, _begun(connection, "BEGIN"):
                yield connection
            return
        with self.locked(), self.connect() as connection, _begun(connection, "BEGIN IMMEDIATE"):
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


@contextmanager
def _begun(connection: Connection, statement: str) -> Iterator[None]:
    connection.exec_driver_sql(statement)
    try:
        yield
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")
