"""What comes back after a memory was shown or a pattern was seen: recalls, votes on them, firings of triggers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What was said of a memory that a recall had shown."""

    USED = "used"
    NOT_NEEDED = "not_needed"
    WRONG = "wrong"


class Task(StrEnum):
    """How the task ended that a recall was made for."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


def session_mark(session: str | None) -> str | None:
    """What tells sessions apart without their names, which may be words of the user."""
    return None if session is None else hashlib.blake2b(session.encode(errors="replace"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Recalled:
    """One recall as far as feedback needs it: ids of what was shown, never the question; `session` is its mark."""

    id: str
    user: str
    at: datetime
    memory_ids: tuple[str, ...]
    agent: str = "unknown"
    session: str | None = None
    task: Task = Task.UNKNOWN


@dataclass(frozen=True, slots=True)
class Vote:
    """One verdict on one memory; a recall gives at most one for each. `spoken`: heard in the user's words."""

    memory_id: str
    recall_id: str
    verdict: Verdict
    at: datetime
    agent: str = "unknown"
    spoken: bool = False


class Tally(NamedTuple):
    """How often each verdict was given on one memory."""

    used: int = 0
    not_needed: int = 0
    wrong: int = 0


class Delivery(StrEnum):
    """Where a firing stands on its way to the program that the configuration names."""

    LOCAL = "local"  # nobody outside is told
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"  # given up after many tries


@dataclass(frozen=True, slots=True)
class Firing:
    """A trigger that fired: once for each `key`. `memory_id` is the event that completed the pattern.

    `result` is what came back for it; `shown_at` is when a profile showed that, which happens once.
    """

    id: str
    trigger: str
    key: str
    memory_id: str
    count: int
    at: datetime
    state: Delivery = Delivery.LOCAL
    result: str | None = None
    result_at: datetime | None = None
    shown_at: datetime | None = None
