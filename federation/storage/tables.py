"""The gateway's tables, one definition for SQLite and PostgreSQL.

They stand beside the ledger's or in a database of their own; every name begins with `federation_`. Times are
integers: microseconds since the epoch, but `until` of the replay memory, which is in seconds as the protocols
have it. Lists are JSON texts.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()
VERSION: Final = 1  # of these tables

_Serial = BigInteger().with_variant(Integer(), "sqlite")

version = Table("federation_version", metadata, Column("number", Integer, primary_key=True))

replay = Table(
    "federation_replay",
    metadata,
    Column("key", String(64), primary_key=True),  # SHA-256 of audience and nonce
    Column("until", BigInteger, nullable=False),
    Index("federation_replay_by_time", "until"),
)

peer = Table(
    "federation_peer",
    metadata,
    Column("agent", String, primary_key=True),  # our agent that trusts
    Column("did", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("state", String, nullable=False),
    Column("types", Text, nullable=False),
    Column("purposes", Text, nullable=False),
    Column("tenants", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
)

pairing = Table(
    "federation_pairing",
    metadata,
    Column("agent", String, primary_key=True),
    Column("invitation", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("state", String, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
)

inbox = Table(
    "federation_inbox",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("agent", String, nullable=False),
    Column("peer", String, nullable=False),
    Column("message", String, nullable=False),
    Column("digest", String(64), nullable=False),  # SHA-256 of the body: the same id with another body is a conflict
    Column("kind", String, nullable=False),
    Column("credential", String),
    Column("sequence", BigInteger),
    Column("body", LargeBinary),  # NULL once it was taken, or where it had no effect
    Column("received_at", BigInteger, nullable=False),
    Index("federation_inbox_by_id", "agent", "peer", "message", unique=True),
)

applied = Table(
    "federation_applied",
    metadata,
    Column("agent", String, primary_key=True),
    Column("peer", String, primary_key=True),
    Column("credential", String, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("ended", Integer, nullable=False),  # 1 once a revocation was received: nothing comes after it
)

outbox = Table(
    "federation_outbox",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("agent", String, nullable=False),
    Column("peer", String, nullable=False),
    Column("message", String, nullable=False, unique=True),
    Column("credential", String),
    Column("body", LargeBinary, nullable=False),
    Column("state", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", String),
    Column("due_at", BigInteger, nullable=False),
    Column("written_at", BigInteger, nullable=False),
    Index("federation_outbox_by_time", "state", "due_at"),
    Index("federation_outbox_by_credential", "agent", "peer", "credential", "seq"),
)

numbered = Table(
    "federation_numbered",
    metadata,
    Column("agent", String, primary_key=True),
    Column("peer", String, primary_key=True),
    Column("credential", String, primary_key=True),
    Column("sequence", BigInteger, nullable=False),  # the last one that was given
)
