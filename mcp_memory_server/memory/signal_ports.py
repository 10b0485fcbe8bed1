"""The part of the ledger's ports that keeps recalls, votes and firings; those in `ports` include it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mcp_memory_server.memory.records import OutboxRow
from mcp_memory_server.memory.signals import Firing, Recalled, Tally, Task, Vote


class SignalUnit(Protocol):
    """One user's recalls, votes and firings, inside the ledger's unit of work."""

    def recalled(self, recall_id: str) -> Recalled | None:
        """A recall that is still known."""
        ...

    def recalls(self, limit: int) -> list[Recalled]:
        """The newest recalls first."""
        ...

    def end_recall(self, recall_id: str, task: Task) -> None:
        """Keep how the task of a recall ended; an unknown id is passed over."""
        ...

    def vote(self, vote: Vote) -> bool:
        """Keep a verdict in the place of an earlier one of the same recall; False when it says the same."""
        ...

    def votes(self, recall_id: str | None = None) -> list[Vote]:
        """Verdicts, oldest first: all of them, or those of one recall."""
        ...

    def tallies(self, memory_ids: Sequence[str]) -> dict[str, Tally]:
        """How often each verdict was given; memories without any are absent."""
        ...

    def fire(self, firing: Firing) -> bool:
        """Keep a firing; False when its trigger has fired for the same key already."""
        ...

    def firing(self, firing_id: str) -> Firing | None:
        """A firing by its id."""
        ...

    def firings(self, limit: int) -> list[Firing]:
        """The newest firings first."""
        ...

    def change_firing(self, firing: Firing) -> None:
        """Replace a firing; raises NotFoundError."""
        ...

    def results_waiting(self) -> bool:
        """Whether a result has come in that no profile has shown."""
        ...

    def take_results(self, at: datetime) -> list[Firing]:
        """The firings whose results no profile has shown, oldest first; from now on they count as shown."""
        ...

    def dangling(self) -> Mapping[str, tuple[str, ...]]:
        """By `feedback` and `triggers`: ids of memories that votes and firings name and that are not there."""
        ...

    def drop_dangling(self) -> int:
        """Remove such votes and firings; answers how many."""
        ...


class SignalSystem(Protocol):
    """Bookkeeping across users for recalls and deliveries."""

    def save_recalls(self, recalls: Sequence[Recalled], since: datetime, most: int) -> None:
        """Keep recalls not known yet; drop all before `since`, and of a user all but the newest `most`."""
        ...

    def claim(self, projection: str, now: datetime, until: datetime, limit: int) -> list[OutboxRow]:
        """Due outbox rows, oldest first, that nobody else gets before `until`."""
        ...
