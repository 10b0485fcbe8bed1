"""What inbox and courier need of a store, and what crosses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from federation.messaging.envelope import Envelope, Kind


class Outcome(Enum):
    """What became of a message that was received. All of them are told to the sender as done."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"  # received before: no second effect
    STALE = "stale"  # something newer about this credential was received before: no effect


@dataclass(frozen=True, slots=True)
class Received:
    """A message that was accepted and waits to be taken."""

    seq: int
    agent: str
    peer: str
    envelope: Envelope


class InboxStore(Protocol):
    """Keeps what was received. Every call raises StoreError."""

    def accept(self, agent: str, peer: str, envelope: Envelope, data: bytes, *, now: float) -> Outcome:
        """Take a message once, in one transaction, among all processes.

        About a credential only what has a higher sequence number than all before has an effect, and nothing has
        one after a revocation. Raises MessageError (``message_conflict``) for the same id with other bytes.
        """

    def waiting(self, agent: str, limit: int) -> list[Received]:
        """Accepted messages in the order of acceptance, which for one credential is that of its numbers."""

    def taken(self, seq: int) -> None:
        """A message has had its effect: its content is forgotten, its id is not."""

    def sweep(self, *, before: float) -> int:
        """Forget the ids of messages taken and received before a time; answers how many."""


class State(Enum):
    """The life of a message that is to be delivered. A delivered one has no row."""

    WAITING = "waiting"
    REFUSED = "refused"  # the receiver will never take it
    GIVEN_UP = "given_up"  # the receiver could not be reached in time


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to be delivered; ``written_at`` in seconds since the epoch."""

    seq: int
    agent: str
    peer: str
    message: str
    data: bytes
    attempts: int
    written_at: float


class OutboxStore(Protocol):
    """Keeps what is to be delivered. Every call raises StoreError."""

    def add(
        self,
        agent: str,
        sender: str,
        peer: str,
        message: str,
        kind: Kind,
        body: Mapping[str, Any],
        *,
        credential: str | None,
        now: float,
    ) -> Envelope:
        """Write a message down; what is about a credential gets its next number.

        A revocation takes the place of all that still waits about its credential: what was withdrawn is not sent
        afterwards. Raises MessageError.
        """

    def claim(self, limit: int, *, now: float, until: float) -> list[Outgoing]:
        """Messages that are due, each given to one process until ``until``.

        Of one credential only the first that waits: the next one comes after it was delivered or refused.
        """

    def delivered(self, seq: int) -> None:
        """The receiver has it: the row goes."""

    def retry(self, seq: int, error: str, *, due: float) -> None:
        """Try again at a time."""

    def ended(self, seq: int, state: State, error: str) -> None:
        """No more tries: the row stays without content."""

    def counts(self) -> dict[State, int]:
        """How many there are in each state."""
