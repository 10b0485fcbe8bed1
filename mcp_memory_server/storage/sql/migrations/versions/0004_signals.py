"""Recalls that feedback can name, the verdicts given on memories, and the firings of triggers."""

from __future__ import annotations

from alembic import op

from mcp_memory_server.storage.sql.tables import feedback, firing, recall

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make what is missing."""
    connection = op.get_bind()
    for table in (recall, feedback, firing):
        table.create(connection, checkfirst=True)
        for index in table.indexes:
            index.create(connection, checkfirst=True)
