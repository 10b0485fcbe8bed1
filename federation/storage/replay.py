"""Replay memory that all processes of a gateway share: inserting what is not there is atomic."""

from __future__ import annotations

import threading

from sqlalchemy import delete

from federation.limits import REPLAY_SWEEP
from federation.ports import Now
from federation.replay import replay_key
from federation.storage.database import Database, insert_absent
from federation.storage.tables import replay


class SqlReplayCache:
    """A ``ReplayCache`` in one table. What has expired is swept while others are written."""

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now
        self._uses = 0
        self._lock = threading.Lock()

    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        """True once per (audience, nonce) among all processes. Raises StoreError."""
        with self._lock:
            self._uses += 1
            sweep = self._uses % REPLAY_SWEEP == 1
        with self._database.writing() as connection:
            if sweep:
                connection.execute(delete(replay).where(replay.c.until <= int(self._now())))
            values = {"key": replay_key(audience, nonce), "until": until}
            return insert_absent(connection, replay, values)
