"""The clock port and its two implementations. Nothing else in the package reads the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time; injected everywhere, so that tests can hold it still."""

    def now(self) -> datetime:
        """The present moment as an aware UTC datetime."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment as an aware UTC datetime."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, at: datetime) -> None:
        if at.tzinfo is None:
            raise ValueError("a clock needs an aware datetime")
        self._at = at.astimezone(UTC)

    def now(self) -> datetime:
        """The moment that was set."""
        return self._at

    def set(self, at: datetime) -> None:
        """Move to a moment."""
        self._at = at.astimezone(UTC)

    def advance(self, delta: timedelta) -> None:
        """Move on by `delta`."""
        self._at += delta
