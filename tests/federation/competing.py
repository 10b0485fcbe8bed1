"""What several processes do at the same time; apart, so that they start without the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from federation.messaging.envelope import parse
from federation.storage.database import Database
from federation.storage.messages import SqlInboxStore, SqlOutboxStore
from federation.storage.replay import SqlReplayCache


def use_nonces(place: Path | str, gate: Any, answers: Any) -> None:
    """Use the same twenty nonces as everybody else, and say which were new."""
    database = Database(place)
    cache = SqlReplayCache(database, lambda: 1_790_000_000.0)
    gate.wait()
    answers.put([cache.first_use("a", str(number), 1_790_000_090) for number in range(20)])
    database.close()


def claim_all(place: Path | str, now: float, gate: Any, answers: Any) -> None:
    """Claim messages, a few at a time, until there are none, and say which."""
    database = Database(place)
    store = SqlOutboxStore(database)
    gate.wait()
    claimed: list[str] = []
    while rows := store.claim(4, now=now, until=now + 60):
        claimed += [row.message for row in rows]
    answers.put(claimed)
    database.close()


def accept_all(place: Path | str, messages: list[bytes]) -> None:
    """Take messages one after another, until there are no more or somebody ends this process."""
    store = SqlInboxStore(Database(place))
    for data in messages:
        envelope = parse(data)
        store.accept("insurance", envelope.sender, envelope, data, now=1.0)
