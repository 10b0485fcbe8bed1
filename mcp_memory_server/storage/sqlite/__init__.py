"""The embedded store: one SQLite file with ledger and projections."""
