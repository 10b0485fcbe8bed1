"""A circuit breaker: a back end that is dead or slow is left alone for a while, and tried by few.

Closed: calls go through. Open: they are refused at once. Half open: one call goes through as a trial; the others
are refused until it has ended. Decision 0025 says why it is ours, and how it was compared with libraries.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from mcp_memory_server.errors import UnavailableError

FAILURES = 3  # in a row, after which the circuit opens
SLOW_SECONDS = 2.0  # a failure that took so long opens it at once, and so do SLOW_CALLS answers in a row that did
SLOW_CALLS = 2
FIRST_PAUSE_SECONDS = 2.0  # until the first trial; each failed trial doubles it
LONGEST_PAUSE_SECONDS = 60.0
JITTER = 0.2  # of a pause: processes that saw the same failure do not try at the same moment
GRACE_SECONDS = 30.0  # by so much later a person's call is the trial, where no background work was it
TRIAL_SECONDS = 60.0  # a trial that has not ended by then counts as failed: its thread may be gone

_jitter = random.SystemRandom().random


class Circuit(StrEnum):
    """What the breaker does with the next call."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class CircuitView:
    """The state as health and metrics show it. `opened`: how often it has opened; `retry_in`: seconds to a trial."""

    circuit: Circuit
    opened: int
    retry_in: float


class Breaker:
    """One for each back end of a process; safe to use from any thread. `now` gives seconds that never go back."""

    def __init__(
        self, name: str, now: Callable[[], float] = time.monotonic, jitter: Callable[[], float] = _jitter
    ) -> None:
        self._name = name
        self._now = now
        self._jitter = jitter
        self._lock = threading.Lock()  # never held while a call is under way
        self._failures = 0
        self._slow = 0
        self._pauses = 0  # trials that failed, since it opened
        self._opened = 0
        self._until: float | None = None  # when a trial may be made; None: closed
        self._trial: float | None = None  # since when one is under way

    @contextmanager
    def calling(self, *, waits: bool) -> Iterator[None]:
        """A call to the back end. `waits`: somebody waits for the answer, so that others are to try first.

        Raises UnavailableError at once while the circuit is open. An UnavailableError of the block counts as a
        failure of the back end; every other error is an answer.
        """
        trial = self._admit(waits)
        began = self._now()
        try:
            yield
        except UnavailableError:
            self._failed(trial, self._now() - began)
            raise
        except Exception:
            self._answered(trial, self._now() - began)
            raise
        except BaseException:
            self._dropped(trial)  # the call was interrupted: nothing is known of the back end
            raise
        self._answered(trial, self._now() - began)

    def refuses(self) -> bool:
        """Whether background work would be refused now."""
        with self._lock:
            return not self._is_open_to(waits=False)

    def admits(self) -> bool:
        """Whether the call of a person who waits would be made now."""
        with self._lock:
            return self._is_open_to(waits=True)

    def view(self) -> CircuitView:
        """The state as it is now."""
        with self._lock:
            if self._until is None:
                return CircuitView(Circuit.CLOSED, self._opened, 0.0)
            left = max(0.0, self._until - self._now())
            return CircuitView(Circuit.OPEN if left > 0 else Circuit.HALF_OPEN, self._opened, round(left, 3))

    def _is_open_to(self, *, waits: bool) -> bool:
        if self._until is None:
            return True
        if self._trial is not None and self._now() - self._trial < TRIAL_SECONDS:
            return False
        return self._now() >= self._until + (GRACE_SECONDS if waits else 0.0)

    def _admit(self, waits: bool) -> bool:
        """Whether this call is a trial. Raises UnavailableError where it must not be made."""
        with self._lock:
            if not self._is_open_to(waits=waits):
                raise UnavailableError(
                    f"{self._name} did not answer and is left alone for a while", next_step="Try again later"
                )
            if self._until is None:
                return False
            self._trial = self._now()
            return True

    def _answered(self, trial: bool, seconds: float) -> None:
        with self._lock:
            self._failures = 0
            self._slow = self._slow + 1 if seconds >= SLOW_SECONDS else 0
            if trial and not self._slow:
                self._until, self._trial, self._pauses = None, None, 0
            elif trial or (self._until is None and self._slow >= SLOW_CALLS):
                self._open()

    def _failed(self, trial: bool, seconds: float) -> None:
        with self._lock:
            self._failures += 1
            # Calls that began before it opened end later: they are no news.
            if trial or (self._until is None and (self._failures >= FAILURES or seconds >= SLOW_SECONDS)):
                self._open()

    def _dropped(self, trial: bool) -> None:
        with self._lock:
            if trial:
                self._trial = None

    def _open(self) -> None:
        if self._until is None:
            self._opened += 1
        pause = min(FIRST_PAUSE_SECONDS * 2**self._pauses, LONGEST_PAUSE_SECONDS)
        self._until = self._now() + pause * (1 + JITTER * (2 * self._jitter() - 1))
        self._pauses = min(self._pauses + 1, 16)
        self._failures = self._slow = 0
        self._trial = None
