"""What the gateway needs from outside: time, and memory that outlives a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Now = Callable[[], float]
"""Seconds since the epoch; ``time.time`` outside tests."""


class ReplayCache(Protocol):
    """Remembers what was used; the same shape as ``credentials.ports.ReplayGuard``, so one serves both."""

    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        """True once per (audience, nonce), among all processes that share the memory.

        ``until`` (seconds since the epoch) is when the request is refused by its own times, so that nothing need
        be remembered longer. Raises ReplayError (``replay_full``), StoreError (``store_unavailable``).
        """
