"""Bringing a ledger up to date. Alembic is imported only when there is something to do."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError

from mcp_memory_server.errors import StoreNewerError

HEAD = "0004"  # the newest schema this program knows; versions compare as text


def version_of(connection: Connection) -> str | None:
    """The schema version of the store, None for an empty one."""
    # This runs in every transaction: one plain look, and an inspection only where that fails.
    try:
        version: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one_or_none()
    except DBAPIError:
        if inspect(connection).has_table("alembic_version"):
            raise
        return None
    return version


def check_version(connection: Connection) -> None:
    """Raises StoreNewerError when a newer program has brought the store up to date."""
    version = version_of(connection)
    if version is not None and version > HEAD:
        raise StoreNewerError(
            f"the store has schema {version}, this program knows {HEAD}",
            next_step="Update consented-memory",
        )


def migrate(connection: Connection, begin: str) -> None:
    """Apply all migrations that are missing, in one transaction: all or nothing.

    The connection commits by itself; `begin` is the statement that opens a transaction of its engine.
    """
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(Path(__file__).with_name("migrations")))

    def upgrade(current: tuple[str, ...], _context: MigrationContext) -> list[object]:
        return list(scripts._upgrade_revs("head", current))  # type: ignore[arg-type]  # what `alembic upgrade` itself calls

    connection.exec_driver_sql(begin)
    try:
        context = MigrationContext.configure(connection=connection, opts={"fn": upgrade, "transactional_ddl": False})
        with Operations.context(context):
            context.run_migrations()
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")
