"""The ledger, and on SQLite the projections in the same file.

A new store gets the tables as they are defined today, so every later migration has to pass over what is there.
"""

from __future__ import annotations

from alembic import op

from mcp_memory_server.storage.sql.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    connection = op.get_bind()
    metadata.create_all(connection)
    if connection.dialect.name == "sqlite":
        from mcp_memory_server.storage.sqlite import graph_index, text_index, vector_index

        for statement in (*text_index.SCHEMA, *vector_index.SCHEMA, *graph_index.SCHEMA):
            connection.exec_driver_sql(statement)
