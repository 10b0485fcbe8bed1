"""Recalls on their way to the ledger: asking must not wait for a write, so they are written a little later."""

from __future__ import annotations

from datetime import datetime, timedelta

from mcp_memory_server import limits
from mcp_memory_server.memory.ports import Store
from mcp_memory_server.memory.signals import Recalled


class PendingRecalls:
    """Keeps the newest recalls until `settle` writes them; what a crash loses is only that no feedback can name it."""

    def __init__(self) -> None:
        self._waiting: dict[str, Recalled] = {}

    def note(self, recalled: Recalled) -> None:
        """Keep one; the oldest goes where too many wait."""
        self._waiting[recalled.id] = recalled
        while len(self._waiting) > limits.RECALLS_WAITING:
            self._waiting.pop(next(iter(self._waiting.copy())), None)

    def settle(self, store: Store, now: datetime) -> int:
        """Write what waits; answers how many. Raises UnavailableError, and then they wait on."""
        # Taken out only when they are written: another thread that settles meanwhile writes them too, and finds them.
        taken = self._waiting.copy()
        if not taken:
            return 0
        since = now - timedelta(seconds=limits.RECALL_SECONDS)
        with store.system(write=True) as system:
            system.save_recalls(list(taken.values()), since, limits.RECALLS_KEPT)
        for name in taken:
            self._waiting.pop(name, None)
        return len(taken)
