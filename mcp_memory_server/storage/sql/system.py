"""Bookkeeping of the whole store: outbox, receipts, confirmations, copies, tokens, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.ports import Erasure, OutboxRow, Token
from mcp_memory_server.memory.records import SET_ASIDE_AT
from mcp_memory_server.memory.signals import Recalled
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.rows import erasure_of, erasure_row, token_of, token_row
from mcp_memory_server.storage.sql.signals import recall_row


def _outbox_row(row: RowMapping) -> OutboxRow:
    return OutboxRow(row["seq"], row["user"], row["memory_id"], row["projection"], row["attempts"], row["error"] or "")


class SqlSystemUnit:
    """An open transaction on what concerns no single user's content."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def users(self) -> list[str]:
        """Every user who has something in the store."""
        return list(self.connection.execute(select(t.epoch.c.user).order_by(t.epoch.c.user)).scalars())

    def meta(self, name: str) -> str | None:
        """A setting of the store, or None."""
        return self.connection.execute(select(t.meta.c.value).where(t.meta.c.name == name)).scalar_one_or_none()

    def set_meta(self, name: str, value: str) -> None:
        """Keep a setting of the store."""
        changed = self.connection.execute(update(t.meta).where(t.meta.c.name == name).values(value=value))
        if changed.rowcount == 0:
            self.connection.execute(insert(t.meta), {"name": name, "value": value})

    def due(self, projection: str, now: datetime, limit: int) -> list[OutboxRow]:
        """Outbox rows whose time has come, oldest first."""
        query = (
            select(t.outbox)
            .where(t.outbox.c.projection == projection, t.outbox.c.next_at <= to_micros(now))
            .order_by(t.outbox.c.seq)
            .limit(limit)
        )
        return [_outbox_row(row) for row in self.connection.execute(query).mappings()]

    def take(self, projection: str, now: datetime, limit: int, until: datetime) -> list[OutboxRow]:
        """Like `due`, and nobody else is given these rows before `until`; in a unit that writes."""
        query = (
            select(t.outbox)
            .where(t.outbox.c.projection == projection, t.outbox.c.next_at <= to_micros(now))
            .order_by(t.outbox.c.seq)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = [_outbox_row(row) for row in self.connection.execute(query).mappings()]
        if rows:
            mine = t.outbox.c.seq.in_([row.seq for row in rows])
            self.connection.execute(update(t.outbox).where(mine).values(next_at=to_micros(until)))
        return rows

    def backlog(self) -> dict[str, int]:
        """Outbox rows by projection."""
        query = select(t.outbox.c.projection, func.count()).group_by(t.outbox.c.projection)
        return {projection: count for projection, count in self.connection.execute(query)}

    def done(self, seqs: Sequence[int]) -> None:
        """Remove outbox rows."""
        self.connection.execute(delete(t.outbox).where(t.outbox.c.seq.in_(list(seqs))))

    def retry(self, seq: int, next_at: datetime, error: str) -> None:
        """Put an outbox row off after a failure."""
        self.connection.execute(
            update(t.outbox)
            .where(t.outbox.c.seq == seq)
            .values(attempts=t.outbox.c.attempts + 1, next_at=to_micros(next_at), error=error)
        )

    def postpone(self, seqs: Sequence[int], next_at: datetime, error: str) -> None:
        """Put outbox rows off without counting a failure."""
        mine = t.outbox.c.seq.in_(list(seqs))
        self.connection.execute(update(t.outbox).where(mine).values(next_at=to_micros(next_at), error=error))

    def set_aside(self) -> list[OutboxRow]:
        """Outbox rows that failed too often, oldest first."""
        query = select(t.outbox).where(t.outbox.c.next_at >= to_micros(SET_ASIDE_AT)).order_by(t.outbox.c.seq)
        return [_outbox_row(row) for row in self.connection.execute(query).mappings()]

    def claim(self, projection: str, now: datetime, until: datetime, limit: int) -> list[OutboxRow]:
        """Due outbox rows, oldest first, that nobody else gets before `until`."""
        rows = self.due(projection, now, limit)
        mine = t.outbox.c.seq.in_([row.seq for row in rows])
        self.connection.execute(update(t.outbox).where(mine).values(next_at=to_micros(until)))
        return rows

    def save_recalls(self, recalls: Sequence[Recalled], since: datetime, most: int) -> None:
        """Keep recalls; drop all before `since`, and of a user all but the newest `most`."""
        column = t.recall.c
        known = set(
            self.connection.execute(select(column.id).where(column.id.in_([one.id for one in recalls]))).scalars()
        )
        fresh = [recall_row(one) for one in recalls if one.id not in known]
        if fresh:
            self.connection.execute(insert(t.recall), fresh)
        self.connection.execute(delete(t.recall).where(column.at < to_micros(since)))
        for user in sorted({one.user for one in recalls}):
            newest = select(column.id).where(column.user == user).order_by(column.at.desc(), column.id.desc())
            extra = self.connection.execute(newest.offset(most)).scalars().all()
            if extra:
                self.connection.execute(delete(t.recall).where(column.id.in_(extra)))

    def save_erasure(self, erasure: Erasure) -> None:
        """Insert or replace a receipt."""
        self.connection.execute(delete(t.erasure).where(t.erasure.c.id == erasure.id))
        self.connection.execute(insert(t.erasure), erasure_row(erasure))

    def erasures(self, *, finished: bool) -> list[Erasure]:
        """Receipts that are finished, or those that are not, oldest first."""
        done = t.erasure.c.finished_at.is_not(None) if finished else t.erasure.c.finished_at.is_(None)
        query = select(t.erasure).where(done).order_by(t.erasure.c.requested_at, t.erasure.c.id)
        return [erasure_of(row) for row in self.connection.execute(query).mappings()]

    def add_backup(self, path: str, made_at: datetime) -> None:
        """Remember that a copy of the store is at `path`."""
        self.drop_backup(path)
        self.connection.execute(insert(t.backup), {"path": path, "made_at": to_micros(made_at)})

    def backups(self) -> list[str]:
        """Paths of the copies that were made."""
        return list(self.connection.execute(select(t.backup.c.path).order_by(t.backup.c.made_at)).scalars())

    def drop_backup(self, path: str) -> None:
        """Forget about a copy that is no longer there."""
        self.connection.execute(delete(t.backup).where(t.backup.c.path == path))

    def save_confirmation(self, digest: str, user: str, memory_ids: Sequence[str], expires_at: datetime) -> None:
        """Keep a confirmation with the ids it is bound to."""
        self.connection.execute(
            insert(t.confirmation),
            {
                "digest": digest,
                "user": user,
                "memory_ids": json.dumps(list(memory_ids)),
                "expires_at": to_micros(expires_at),
            },
        )

    def take_confirmation(self, digest: str, user: str, now: datetime) -> tuple[str, ...] | None:
        """The ids of a confirmation, once."""
        self.connection.execute(delete(t.confirmation).where(t.confirmation.c.expires_at <= to_micros(now)))
        mine = (t.confirmation.c.digest == digest, t.confirmation.c.user == user)
        # In one statement: of two calls at the same moment one gets it.
        ids = self.connection.execute(delete(t.confirmation).where(*mine).returning(t.confirmation.c.memory_ids))
        found = ids.scalar_one_or_none()
        return None if found is None else tuple(json.loads(found))

    def save_token(self, token: Token) -> None:
        """Insert or replace an access token."""
        self.connection.execute(delete(t.token).where(t.token.c.id == token.id))
        self.connection.execute(insert(t.token), token_row(token))

    def tokens(self) -> list[Token]:
        """All access tokens, oldest first."""
        query = select(t.token).order_by(t.token.c.created_at, t.token.c.id)
        return [token_of(row) for row in self.connection.execute(query).mappings()]
