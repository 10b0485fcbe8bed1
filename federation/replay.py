"""Replay memory in one process. Several processes share the one of ``storage.replay``."""

from __future__ import annotations

import hashlib
import threading

from federation.errors import ReplayError
from federation.limits import REPLAY_ENTRIES, REPLAY_SWEEP
from federation.ports import Now


def replay_key(audience: str, nonce: str) -> str:
    """One key of fixed length for both: what strangers choose must not decide how much is kept."""
    return hashlib.sha256(f"{len(audience)} {audience}{nonce}".encode()).hexdigest()


class MemoryReplayCache:
    """A ``ReplayCache`` for one process; full, it refuses instead of forgetting."""

    def __init__(self, now: Now, *, entries: int = REPLAY_ENTRIES) -> None:
        self._now = now
        self._entries = entries
        self._until: dict[str, int] = {}
        self._uses = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._until)

    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        """True once per (audience, nonce). Raises ReplayError (``replay_full``)."""
        key = replay_key(audience, nonce)
        with self._lock:
            self._uses += 1
            if self._uses % REPLAY_SWEEP == 0 or len(self._until) >= self._entries:
                self._sweep()
            if key in self._until:
                return False
            if len(self._until) >= self._entries:
                raise ReplayError("replay_full")
            self._until[key] = until
            return True

    def _sweep(self) -> None:
        now = self._now()
        self._until = {key: until for key, until in self._until.items() if until > now}
