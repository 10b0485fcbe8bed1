"""When a memory was last shown, and the working memory of sessions with its versions."""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect

from mcp_memory_server.storage.sql.tables import memory, working_item, working_version

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make what is missing: a new store has it already."""
    connection = op.get_bind()
    columns = {column["name"] for column in inspect(connection).get_columns(memory.name)}
    if memory.c.read_at.name not in columns:
        connection.exec_driver_sql("ALTER TABLE memory ADD COLUMN read_at BIGINT")
    for table in (working_version, working_item):
        table.create(connection, checkfirst=True)
