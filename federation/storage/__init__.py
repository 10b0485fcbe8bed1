"""Where the gateway keeps what must outlive it: one set of tables for SQLite and PostgreSQL."""
