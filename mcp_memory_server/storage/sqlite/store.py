"""The embedded store: ledger and projections in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection
from sqlcipher3 import dbapi2

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.storage.sql.at_rest import AS_IS, AtRest
from mcp_memory_server.storage.sql.copying import copy_rows
from mcp_memory_server.storage.sql.errors import translated
from mcp_memory_server.storage.sql.migrate import HEAD, check_version, migrate, version_of
from mcp_memory_server.storage.sql.system import SqlSystemUnit
from mcp_memory_server.storage.sql.unit import SqlUnit
from mcp_memory_server.storage.sqlite.engine import SqliteEngine, private_file
from mcp_memory_server.storage.sqlite.graph_index import SqliteGraphIndex
from mcp_memory_server.storage.sqlite.text_index import SqliteTextIndex
from mcp_memory_server.storage.sqlite.units import UnitSource
from mcp_memory_server.storage.sqlite.vector_index import SqliteVectorIndex

FILE_NAME = "memory.db"
_CHECKPOINT_PAGES = 1_000  # pages of 4 KiB in the log after which a writer empties it


RestOf = Callable[[str, Connection, bool], AtRest]


def _as_is(_user: str, _connection: Connection, _write: bool) -> AtRest:
    return AS_IS


class SqliteStore:
    """The Store port on one file; the file is made and brought up to date when it is opened.

    `rest` says how the values of a user stand in the tables, given (user, connection, whether it writes).
    """

    def __init__(self, path: Path, rest: RestOf = _as_is) -> None:
        self.path = path
        self._rest = rest
        self._engine = SqliteEngine(self.path)
        units = UnitSource(self._engine, self._checkpoint_if_long)
        self.text_index = SqliteTextIndex(units)
        self.vector_index = SqliteVectorIndex(units)
        self.graph_index = SqliteGraphIndex(units)
        self._prepare()

    @property
    def store(self) -> SqliteStore:
        """The ledger; with the indexes beside it the whole back end."""
        return self

    def _prepare(self) -> None:
        with self._engine.connect() as connection:
            version = version_of(connection)
        if version == HEAD:
            self._drop_safety_copies()
            return
        # Another process may start at the same moment: look again under the lock.
        with self._engine.locked(), self._engine.connect() as connection:
            version = version_of(connection)
            if version is not None and version >= HEAD:
                check_version(connection)
                return
            self._make_safety_copy(version)
            migrate(connection, "BEGIN IMMEDIATE")
            self._drop_safety_copies()

    def _make_safety_copy(self, version: str | None) -> None:
        """A copy beside the store while a migration of existing data runs."""
        if version is None:
            return
        copy = self.path.with_name(f"{self.path.name}.before-{HEAD}")
        copy.unlink(missing_ok=True)
        self._copy_to(copy)

    def _drop_safety_copies(self) -> None:
        """Remove the copies of migrations that are done; also one that a crash right after a migration left behind.

        It holds everything, and no forgetting would reach it. One of a later version belongs to its program.
        """
        for copy in self.path.parent.glob(f"{self.path.name}.before-*"):
            if copy.name.rpartition("-")[2] <= HEAD:
                copy.unlink(missing_ok=True)

    @contextmanager
    def read(self, tenancy: Tenancy) -> Iterator[SqlUnit]:
        """A consistent snapshot of one user's memories."""
        with translated(), self._engine.transaction(write=False) as connection:
            check_version(connection)
            yield SqlUnit(connection, tenancy.user, self._rest(tenancy.user, connection, False))

    @contextmanager
    def write(self, tenancy: Tenancy) -> Iterator[SqlUnit]:
        """The one write transaction; commits at the end of the block."""
        with translated(), self._engine.transaction(write=True) as connection:
            check_version(connection)
            unit = SqlUnit(connection, tenancy.user, self._rest(tenancy.user, connection, True))
            yield unit
            unit.touch()
        self._checkpoint_if_long()

    @contextmanager
    def system(self, *, write: bool = False) -> Iterator[SqlSystemUnit]:
        """Bookkeeping across users."""
        with translated(), self._engine.transaction(write=write) as connection:
            check_version(connection)
            yield SqlSystemUnit(connection)

    def _checkpoint_if_long(self) -> None:
        log = self.path.with_name(self.path.name + "-wal")
        try:
            if log.stat().st_size < _CHECKPOINT_PAGES * 4096:
                return
        except FileNotFoundError:
            return
        with self._engine.locked(), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def about(self) -> dict[str, str]:
        """The version of the SQLite in use, of the schema, and the file."""
        return {"engine": f"SQLite {dbapi2.sqlite_version}", "schema": HEAD, "file": str(self.path)}

    @contextmanager
    def alone(self, name: str) -> Iterator[bool]:
        """Whether this is the only holder of the name in all processes; the lock ends with the process."""
        lock = FileLock(self.path.with_name(f"{name}.lock"), timeout=0, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def shred(self, tenancy: Tenancy) -> bool:
        """False: nothing here is sealed under a key of its own; `scrub` clears the file itself."""
        return False

    def scrub(self) -> bool:
        """Rewrite the file and empty the write-ahead log; False while another process still reads from it.

        `secure_delete` clears rows that go, not the copies that balancing leaves in the gaps between
        cells: only a rewrite drops those (seen with pages of the full-text index).
        """
        with self._engine.locked(), self._engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
        return not busy

    def check(self) -> list[str]:
        """Faults that SQLite's own check finds; empty when sound."""
        with self._engine.connect() as connection:
            rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            faults = [row for row in rows if row != "ok"]
            with translated():
                connection.exec_driver_sql("INSERT INTO text_posting (text_posting) VALUES ('integrity-check')")
        return faults

    def backup(self, path: str) -> None:
        """Write a consistent copy that only its owner can read; never over an existing file."""
        target = Path(path)
        if not target.parent.is_dir():
            raise InvalidArgumentError(f"the folder {target.parent} does not exist", next_step="Make it first")
        if target.exists():
            raise InvalidArgumentError(f"{target} exists already", next_step="Choose another name")
        self._copy_to(target)

    def _copy_to(self, target: Path) -> None:
        private_file(target)
        with translated(), self._engine.connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(target),))
        target.chmod(0o600)

    @contextmanager
    def copy(self, path: str) -> Iterator[SqliteStore]:
        """Open a copy of this store as a store of its own; nothing stays beside it afterwards.

        Raises UnavailableError when it is not there or cannot be opened.
        """
        target = Path(path)
        if not target.is_file():
            raise UnavailableError(f"{target} is not there")
        with single_file(target, self._rest) as store:
            yield store

    def fill(self, source: Connection) -> None:
        """Take in all rows of another ledger's open snapshot; nothing may be here yet."""
        with translated(), self._engine.transaction(write=True) as connection:
            copy_rows(source, connection)

    def fold(self) -> None:
        """Put everything into the one file, without a log beside it."""
        with translated(), self._engine.locked(), self._engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE")

    def close(self) -> None:
        """Close every connection."""
        self._engine.close()


@contextmanager
def single_file(path: Path, rest: RestOf = _as_is) -> Iterator[SqliteStore]:
    """A store that is one file again at the end, with nothing beside it; made when it is not there."""
    store = SqliteStore(path, rest)
    try:
        yield store
        store.fold()
    finally:
        store.close()
        path.with_name(path.name + ".lock").unlink(missing_ok=True)
