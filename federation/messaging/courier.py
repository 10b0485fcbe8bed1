"""Brings what is in the outbox: at least once, with back-off, in order for each credential.

The receiver knows a message by its id, so that a second delivery has no second effect. A message is given up only
after ``DELIVERY_DAYS``, or when the receiver says that it will never take it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import anyio
from anyio import to_thread

from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.ports import Rng
from federation.errors import FederationError
from federation.identity import Identity
from federation.limits import (
    DELIVERY_DAYS,
    FIRST_RETRY_SECONDS,
    LEASE_SECONDS,
    LONGEST_RETRY_SECONDS,
    NONCE_BYTES,
    OUTBOX_BATCH,
)
from federation.messaging.envelope import Envelope, Kind
from federation.messaging.ports import OutboxStore, Outgoing, State
from federation.messaging.sending import Post
from federation.ports import Now

_log = logging.getLogger(__name__)
_DAY: Final = 86_400.0
_DONE: Final = frozenset({200, 202})
# What no later try can change: the message itself is wrong. Refusals of the sender may end with a pairing, a
# rotation or a clock that is set right, so they are tried again.
_NEVER: Final = frozenset({400, 413, 415, 422})


class Outbox:
    """Where our agents put messages."""

    def __init__(self, store: OutboxStore, identity: Identity, *, now: Now, rng: Rng) -> None:
        self._store = store
        self._identity = identity
        self._now = now
        self._rng = rng

    def put(
        self, agent: str, peer: str, kind: Kind, body: Mapping[str, Any], *, credential: str | None = None
    ) -> Envelope:
        """Write a message down, to be brought by the courier. Raises MessageError, StoreError."""
        return self._store.add(
            agent,
            self._identity.did(agent),
            peer,
            b64url_encode(self._rng(NONCE_BYTES)),
            kind,
            body,
            credential=credential,
            now=self._now(),
        )


class Courier:
    """One pass over what is due; several processes may make theirs at the same time."""

    def __init__(self, store: OutboxStore, post: Post, *, now: Now) -> None:
        self._store = store
        self._post = post
        self._now = now

    async def run_once(self) -> int:
        """Take what is due and bring it, side by side; answers how many were delivered. Raises StoreError."""
        now = self._now()
        rows = await to_thread.run_sync(lambda: self._store.claim(OUTBOX_BATCH, now=now, until=now + LEASE_SECONDS))
        delivered: list[int] = []

        async def bring(row: Outgoing) -> None:
            if await self._bring(row):
                delivered.append(row.seq)

        async with anyio.create_task_group() as group:
            for row in rows:
                group.start_soon(bring, row)
        return len(delivered)

    async def _bring(self, row: Outgoing) -> bool:
        try:
            answer = await self._post(row.agent, row.peer, row.data)
        except (FederationError, CredentialError) as error:
            await self._put_off(row, error.code, None)
            return False
        if answer.status in _DONE:
            await to_thread.run_sync(self._store.delivered, row.seq)
            return True
        if answer.status in _NEVER:
            _log.warning("a message was refused for good with status %d", answer.status)
            await to_thread.run_sync(self._store.ended, row.seq, State.REFUSED, f"status {answer.status}")
            return False
        await self._put_off(row, f"status {answer.status}", answer.headers.get("retry-after"))
        return False

    async def _put_off(self, row: Outgoing, error: str, after: str | None) -> None:
        now = self._now()
        if now >= row.written_at + DELIVERY_DAYS * _DAY:
            _log.warning("a message was given up after %d tries: %s", row.attempts, error)
            await to_thread.run_sync(self._store.ended, row.seq, State.GIVEN_UP, error)
            return
        wait = min(FIRST_RETRY_SECONDS * 2.0 ** min(row.attempts - 1, 20), LONGEST_RETRY_SECONDS)
        if after is not None and after.isascii() and after.isdigit():
            wait = min(max(wait, float(after[:6])), LONGEST_RETRY_SECONDS)
        await to_thread.run_sync(lambda: self._store.retry(row.seq, error, due=now + wait))
