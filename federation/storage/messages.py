"""Inbox and outbox in SQL."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.sql import and_, exists, insert

from federation.errors import MessageError
from federation.messaging.envelope import Envelope, Kind, parse
from federation.messaging.ports import Outcome, Outgoing, Received, State
from federation.storage.database import Database, insert_absent, micros
from federation.storage.tables import applied, inbox, numbered, outbox

_MICROS = 1_000_000  # in a second


class SqlInboxStore:
    """An ``InboxStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def accept(self, agent: str, peer: str, envelope: Envelope, data: bytes, *, now: float) -> Outcome:
        """Take a message once, in one transaction, among all processes."""
        with self._database.writing() as connection:
            newest = _locked(connection, agent, peer, envelope)
            values = {
                "agent": agent,
                "peer": peer,
                "message": envelope.id,
                "digest": hashlib.sha256(data).hexdigest(),
                "kind": envelope.kind.value,
                "credential": envelope.credential,
                "sequence": envelope.sequence,
                "body": data if newest else None,
                "received_at": micros(now),
            }
            if not insert_absent(connection, inbox, values):
                key = {name: values[name] for name in ("agent", "peer", "message")}
                if connection.execute(select(inbox.c.digest).filter_by(**key)).scalar_one() != values["digest"]:
                    raise MessageError("message_conflict")
                return Outcome.DUPLICATE
            if not newest:
                return Outcome.STALE
            if envelope.credential is not None:
                connection.execute(
                    update(applied)
                    .filter_by(agent=agent, peer=peer, credential=envelope.credential)
                    .values(sequence=envelope.sequence, ended=int(envelope.kind is Kind.REVOCATION))
                )
            return Outcome.ACCEPTED

    def waiting(self, agent: str, limit: int) -> list[Received]:
        """Accepted messages in the order of acceptance."""
        wanted = (
            select(inbox).where(inbox.c.agent == agent, inbox.c.body.is_not(None)).order_by(inbox.c.seq).limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(wanted).all()
        return [Received(row.seq, row.agent, row.peer, parse(bytes(row.body))) for row in rows]

    def taken(self, seq: int) -> None:
        """A message has had its effect: its content is forgotten, its id is not."""
        with self._database.writing() as connection:
            connection.execute(update(inbox).filter_by(seq=seq).values(body=None))

    def sweep(self, *, before: float) -> int:
        """Forget the ids of messages taken and received before a time; answers how many."""
        old = delete(inbox).where(inbox.c.body.is_(None), inbox.c.received_at < micros(before))
        with self._database.writing() as connection:
            return connection.execute(old).rowcount


def _locked(connection: Connection, agent: str, peer: str, envelope: Envelope) -> bool:
    """Whether a message is newer than all before it; nobody else decides that for its credential meanwhile."""
    if envelope.credential is None or envelope.sequence is None:
        return True
    key = {"agent": agent, "peer": peer, "credential": envelope.credential}
    insert_absent(connection, applied, key | {"sequence": 0, "ended": 0})
    row = connection.execute(select(applied).filter_by(**key).with_for_update()).one()
    return not row.ended and envelope.sequence > row.sequence


class SqlOutboxStore:
    """An ``OutboxStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        agent: str,
        sender: str,
        peer: str,
        message: str,
        kind: Kind,
        body: Mapping[str, Any],
        *,
        credential: str | None,
        now: float,
    ) -> Envelope:
        """Write a message down; what is about a credential gets its next number."""
        with self._database.writing() as connection:
            sequence = None if credential is None else _next(connection, agent, peer, credential)
            envelope = Envelope(message, kind, sender, peer, body, credential, sequence)
            if kind is Kind.REVOCATION and credential is not None:
                # What was withdrawn must not be shown any more, not even in order.
                connection.execute(
                    delete(outbox).filter_by(agent=agent, peer=peer, credential=credential, state=State.WAITING.value)
                )
            connection.execute(
                insert(outbox).values(
                    agent=agent,
                    peer=peer,
                    message=message,
                    credential=credential,
                    body=envelope.to_bytes(),
                    state=State.WAITING.value,
                    attempts=0,
                    due_at=micros(now),
                    written_at=micros(now),
                )
            )
        return envelope

    def claim(self, limit: int, *, now: float, until: float) -> list[Outgoing]:
        """Messages that are due, each given to one process until ``until``; of one credential only the first."""
        before = outbox.alias()
        blocked = exists().where(
            and_(
                before.c.agent == outbox.c.agent,
                before.c.peer == outbox.c.peer,
                before.c.credential == outbox.c.credential,  # never true for NULL: without a credential no order
                before.c.state == State.WAITING.value,
                before.c.seq < outbox.c.seq,
            )
        )
        due = (
            select(outbox)
            .where(outbox.c.state == State.WAITING.value, outbox.c.due_at <= micros(now), ~blocked)
            .order_by(outbox.c.due_at, outbox.c.seq)
            .limit(limit)
            .with_for_update(skip_locked=True, of=outbox)
        )
        if not self._any_due(now):  # asked often, and then nobody's transaction is held up
            return []
        with self._database.writing() as connection:
            rows = connection.execute(due).all()
            if rows:
                taken = update(outbox).where(outbox.c.seq.in_([row.seq for row in rows]))
                connection.execute(taken.values(due_at=micros(until), attempts=outbox.c.attempts + 1))
        return [
            Outgoing(
                row.seq, row.agent, row.peer, row.message, bytes(row.body), row.attempts + 1, row.written_at / _MICROS
            )
            for row in rows
        ]

    def _any_due(self, now: float) -> bool:
        wanted = (
            select(outbox.c.seq).where(outbox.c.state == State.WAITING.value, outbox.c.due_at <= micros(now)).limit(1)
        )
        with self._database.reading() as connection:
            return connection.execute(wanted).first() is not None

    def delivered(self, seq: int) -> None:
        """The receiver has it: the row goes."""
        with self._database.writing() as connection:
            connection.execute(delete(outbox).filter_by(seq=seq))

    def retry(self, seq: int, error: str, *, due: float) -> None:
        """Try again at a time."""
        with self._database.writing() as connection:
            connection.execute(
                update(outbox).filter_by(seq=seq, state=State.WAITING.value).values(error=error, due_at=micros(due))
            )

    def ended(self, seq: int, state: State, error: str) -> None:
        """No more tries: the row stays without content."""
        with self._database.writing() as connection:
            connection.execute(update(outbox).filter_by(seq=seq).values(state=state.value, error=error, body=b""))

    def counts(self) -> dict[State, int]:
        """How many there are in each state."""
        wanted = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        with self._database.reading() as connection:
            return {State(state): count for state, count in connection.execute(wanted)}


def _next(connection: Connection, agent: str, peer: str, credential: str) -> int:
    key = {"agent": agent, "peer": peer, "credential": credential}
    insert_absent(connection, numbered, key | {"sequence": 0})
    step = update(numbered).filter_by(**key).values(sequence=numbered.c.sequence + 1)
    return int(connection.execute(step.returning(numbered.c.sequence)).scalar_one())
