"""The ledger's tables, one definition for SQLite and PostgreSQL.

Times are integers: microseconds since the epoch, UTC. Ids are text. Every table that holds
something of a user has a `user` column, and every query filters on it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

# SQLite gives row numbers only to INTEGER keys; PostgreSQL wants them as big integers.
_Serial = BigInteger().with_variant(Integer(), "sqlite")

memory = Table(
    "memory",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("user", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("statement", Text, nullable=False),
    Column("key", String, nullable=False),
    Column("subject", String),
    Column("predicate", String),
    Column("object_type", String),
    Column("object_value", Text),
    Column("object_unit", String),
    Column("object_scope", Text),
    Column("object_approx", Boolean, nullable=False, default=False),
    Column("polarity", String, nullable=False),
    Column("category", String, nullable=False),
    Column("status", String, nullable=False),
    Column("layer", String, nullable=False),
    Column("source", String, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("grounded", Boolean, nullable=False),
    Column("reason", String, nullable=False, default=""),
    Column("hidden", Boolean, nullable=False, default=False),
    Column("valid_from", String),
    Column("valid_to", String),
    Column("at", String),
    Column("event_type", String),
    Column("count", Integer, nullable=False),
    Column("confirmations", Integer, nullable=False),
    Column("lang", String, nullable=False),
    Column("session", String),
    Column("position", Integer, nullable=False),
    Column("channel", String),
    Column("agent", String),
    Column("origin", String),
    Column("speaker", String, nullable=False),
    Column("speaker_name", String),
    Column("sentiment", String),
    Column("intensity", Float),
    Column("said_at", BigInteger, nullable=False),
    Column("said_offset", Integer, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    Column("supported_at", BigInteger),
    Column("read_at", BigInteger),
    Column("superseded_at", BigInteger),
    Column("superseded_by", String),
    Column("version", Integer, nullable=False),
    # The planner, without statistics, prefers any index that begins with the user to that of the id alone.
    Index("memory_by_id", "user", "id", unique=True),
    Index("memory_by_successor", "user", "superseded_by"),
    Index("memory_by_time", "user", "said_at", "seq"),
    Index("memory_by_kind", "user", "kind", "said_at", "seq"),
    Index("memory_by_key", "user", "key"),
    Index("memory_by_subject", "user", "subject", "status"),
    Index("memory_by_session", "user", "session", "position"),
)

evidence = Table(
    "evidence",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("utterance_id", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Index("evidence_by_memory", "user", "memory_id"),
    Index("evidence_by_utterance", "user", "utterance_id"),
)

entity = Table(
    "entity",
    metadata,
    Column("user", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("name", Text, nullable=False),
)

mention = Table(
    "mention",
    metadata,
    Column("user", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("entity_key", String, primary_key=True),
    Column("role", String, nullable=False),
    Index("mention_by_entity", "user", "entity_key"),
)

history = Table(
    "history",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("action", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("other_id", String),
    Column("details", Text),
    Index("history_by_memory", "user", "memory_id"),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("action", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("memory_ids", Text, nullable=False),
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
    Index("audit_by_user", "user", "seq"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("projection", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("error", String),
    UniqueConstraint("user", "memory_id", "projection", name="outbox_once"),
    Index("outbox_due", "projection", "next_at"),
)

question = Table(
    "question",
    metadata,
    Column("id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("memory_ids", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("answered_at", BigInteger),
    Column("answer", String),
    Index("question_by_user", "user", "answered_at"),
    Index("question_by_id", "user", "id"),
)

tombstone = Table(
    "tombstone",
    metadata,
    Column("memory_id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("forgotten_at", BigInteger, nullable=False),
    Column("erasure_id", String, nullable=False),
    Index("tombstone_by_user", "user", "memory_id"),
)

erasure = Table(
    "erasure",
    metadata,
    Column("id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("state", String, nullable=False),
    Column("memory_ids", Text, nullable=False),
    Column("requested_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger),
    Column("places", Text, nullable=False),
    Column("pending", Text, nullable=False),
)

working_version = Table(
    "working_version",
    metadata,
    Column("user", String, primary_key=True),
    Column("session", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("action", String, nullable=False),
)

# A row says that a memory was in a session's working memory from version `added` on, until before `removed`.
working_item = Table(
    "working_item",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("session", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("added", Integer, nullable=False),
    Column("removed", Integer),
    # Not by the user first: the planner would take it for a look-up of memories too.
    Index("working_item_by_session", "session", "user", "removed"),
    Index("working_item_by_memory", "user", "memory_id"),
)

confirmation = Table(
    "confirmation",
    metadata,
    Column("digest", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("memory_ids", Text, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

epoch = Table(
    "epoch",
    metadata,
    Column("user", String, primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("purge", BigInteger, nullable=False),
)

backup = Table(
    "backup",
    metadata,
    Column("path", String, primary_key=True),
    Column("made_at", BigInteger, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("user", String, nullable=False),
    Column("digest", String, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
)

meta = Table(
    "meta",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)

recall = Table(
    "recall",
    metadata,
    Column("id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("memory_ids", Text, nullable=False),
    Column("agent", String, nullable=False),
    Column("session", String),
    Column("task", String, nullable=False),
    Index("recall_by_id", "user", "id"),
    Index("recall_by_time", "user", "at", "id"),
    Index("recall_by_age", "at"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("recall_id", String, nullable=False),
    Column("verdict", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("agent", String, nullable=False),
    Column("spoken", Boolean, nullable=False, default=False),
    Index("feedback_once", "user", "recall_id", "memory_id", unique=True),
    Index("feedback_by_memory", "user", "memory_id", "verdict"),
)

firing = Table(
    "firing",
    metadata,
    Column("seq", _Serial, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("user", String, nullable=False),
    Column("trigger", String, nullable=False),
    Column("key", String, nullable=False),
    Column("memory_id", String, nullable=False),
    Column("count", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", String, nullable=False),
    Column("result", Text),
    Column("result_at", BigInteger),
    Column("shown_at", BigInteger),
    Index("firing_by_id", "user", "id"),
    Index("firing_by_age", "user", "seq"),
    Index("firing_once", "user", "trigger", "key", unique=True),
    Index("firing_by_memory", "user", "memory_id"),
    Index("firing_by_result", "user", "shown_at", "result_at"),
)
