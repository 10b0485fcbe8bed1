"""The ledger in SQL: tables, migrations and queries shared by SQLite and PostgreSQL."""
