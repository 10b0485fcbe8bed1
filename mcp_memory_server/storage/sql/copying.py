"""All rows of one ledger into another, as they stand: what is sealed stays sealed."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from mcp_memory_server.storage.sql.tables import metadata

_BATCH = 500  # rows read and written at a time


def copy_rows(source: Connection, target: Connection) -> int:
    """Copy every table into empty ones; answers how many rows. Both are in transactions of their own."""
    count = 0
    for table in metadata.sorted_tables:
        query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_BATCH)
        for rows in source.execute(query).mappings().partitions():
            target.execute(insert(table), [dict(row) for row in rows])
            count += len(rows)
    return count
