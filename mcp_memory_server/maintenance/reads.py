"""Which memories were shown, kept until somebody has time to write it down.

A question never waits for a write. What is lost when a process dies is a reading that was not noted.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

_MOST = 10_000  # ids kept for one user between two writings


class Reads:
    """Ids by user, safe to fill from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: dict[str, dict[str, None]] = {}

    def add(self, user: str, ids: Sequence[str]) -> None:
        """Note that a user was shown these memories."""
        with self._lock:
            mine = self._ids.setdefault(user, {})
            if len(mine) < _MOST:
                mine.update(dict.fromkeys(ids))

    def take(self) -> dict[str, list[str]]:
        """What was noted since the last time, by user."""
        with self._lock:
            taken, self._ids = self._ids, {}
        return {user: list(ids) for user, ids in taken.items()}
