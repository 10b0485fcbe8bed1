"""Every statement that looks up ids finds them by an index instead of walking through all of a user's rows."""

from __future__ import annotations

from alembic import op

from mcp_memory_server.storage.sql.tables import memory, question, tombstone

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_CHANGED = ("tombstone_by_user",)  # of other columns than before


def upgrade() -> None:
    """Make what is missing."""
    connection = op.get_bind()
    for name in _CHANGED:
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {name}")
    for table in (memory, question, tombstone):
        for index in table.indexes:
            index.create(connection, checkfirst=True)
