"""How one user's values stand in the tables: as they are, or sealed (decision 0020).

Every column of every table is named here once, so that a new one cannot be forgotten: a test compares
these lists with the tables. Rows go through `stored` on their way in and `read` on their way out; a value
that a query compares goes through `compared`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

# Text and values of a person. Sealed, two equal values look different.
SEALED: Mapping[str, frozenset[str]] = {
    "memory": frozenset({
        "statement", "object_value", "object_unit", "object_scope", "reason", "valid_from", "valid_to", "at", "agent",
        "origin", "speaker_name", "sentiment",
    }),
    "entity": frozenset({"name"}),
    "history": frozenset({"actor", "details"}),
    "question": frozenset({"text", "answers", "answer"}),
    "firing": frozenset({"result"}),
}  # fmt: skip

# What queries compare, group or join by. Sealed, equal values of one user look equal.
MATCHED: Mapping[str, frozenset[str]] = {
    "memory": frozenset({"key", "subject", "session", "channel"}),
    "entity": frozenset({"key"}),
    "mention": frozenset({"entity_key"}),
    "working_version": frozenset({"session"}),
    "working_item": frozenset({"session"}),
    "firing": frozenset({"key"}),
}

# Ids, times, counts, codes of closed lists, and bookkeeping: readable to whoever runs the database.
PLAIN: Mapping[str, frozenset[str]] = {
    "memory": frozenset({
        "seq", "id", "user", "kind", "predicate", "object_type", "object_approx", "polarity", "category", "status",
        "layer", "source", "confidence", "grounded", "hidden", "event_type", "count", "confirmations", "lang",
        "position", "speaker", "intensity", "said_at", "said_offset", "recorded_at", "supported_at", "superseded_at",
        "superseded_by", "version", "read_at",
    }),
    "evidence": frozenset({"seq", "user", "memory_id", "utterance_id", "start", "end"}),
    "entity": frozenset({"user"}),
    "mention": frozenset({"user", "memory_id", "role"}),
    "history": frozenset({"seq", "user", "memory_id", "at", "action", "other_id"}),
    "audit": frozenset({"seq", "user", "at", "action", "agent", "memory_ids", "previous", "hash"}),
    "outbox": frozenset({"seq", "user", "memory_id", "projection", "attempts", "next_at", "error"}),
    "question": frozenset({"id", "user", "memory_ids", "asked_at", "answered_at"}),
    "working_version": frozenset({"user", "version", "at", "action"}),
    "working_item": frozenset({"seq", "user", "memory_id", "added", "removed"}),
    # The session of a recall is a digest; who asked is a program, as in the audit log.
    "recall": frozenset({"id", "user", "at", "memory_ids", "agent", "session", "task"}),
    "feedback": frozenset({"seq", "user", "memory_id", "recall_id", "verdict", "at", "agent", "spoken"}),
    "firing": frozenset({"seq", "id", "user", "trigger", "memory_id", "count", "at", "state", "result_at", "shown_at"}),
    "tombstone": frozenset({"memory_id", "user", "kind", "forgotten_at", "erasure_id"}),
    "erasure": frozenset({
        "id", "user", "state", "memory_ids", "requested_at", "finished_at", "places", "pending",
    }),
    "confirmation": frozenset({"digest", "user", "memory_ids", "expires_at"}),
    "epoch": frozenset({"user", "revision", "purge"}),
    "backup": frozenset({"path", "made_at"}),
    "token": frozenset({"id", "name", "user", "digest", "created_at", "expires_at", "revoked_at"}),
    "meta": frozenset({"name", "value"}),
}  # fmt: skip

# What a sealed value belongs to: moved to another row, it does not open.
BOUND_TO: Mapping[str, str] = {
    "memory": "id",
    "entity": "key",
    "history": "memory_id",
    "question": "id",
    "firing": "id",
}
# Columns that hold values of another one and have to look the same there.
SAME_AS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("mention", "entity_key"): ("entity", "key"),
    ("working_version", "session"): ("memory", "session"),
    ("working_item", "session"): ("memory", "session"),
}


class AtRest(Protocol):
    """How the values of one user stand in the tables. Raises UnavailableError where their key is not there."""

    plain: bool

    def stored(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as it is to be written; it holds the column of BOUND_TO when anything in it is sealed."""
        ...

    def read(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row, or some columns of one, as it was before it was written."""
        ...

    def compared(self, table: str, column: str, value: str) -> str:
        """The value to compare a column with."""
        ...


class AsIs:
    """Everything stands in the tables as it is: the embedded store, whose file belongs to one person."""

    plain = True

    def stored(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row."""
        return dict(row)

    def read(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row."""
        return dict(row)

    def compared(self, table: str, column: str, value: str) -> str:
        """The value."""
        return value


AS_IS: AtRest = AsIs()
