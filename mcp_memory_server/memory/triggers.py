"""Triggers: a pattern over events ("asked about X three times"), and when it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from mcp_memory_server.memory.text import index_tokens

ABOUT = "about"  # the one key of a rule that names its topic itself


@dataclass(frozen=True, slots=True)
class TriggerRule:
    """Fires once: for each topic, or with `about` for the words given there.

    `count` events of one of the types within `days` (None: whenever) complete it; `delivers` when somebody
    outside is told.
    """

    name: str
    event_types: frozenset[str]
    about: str = ""
    count: int = 3
    days: float | None = None
    delivers: bool = False

    def key_of(self, event_key: str) -> str:
        """What the rule fires once for."""
        return ABOUT if self.about else event_key


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that an event happened: the utterance, when it was said, and the words."""

    utterance_id: str
    said_at: datetime
    words: str


def speaks_of(words: str, about: str) -> bool:
    """Whether words hold everything that `about` names: stems in English, pairs of characters in Chinese."""
    return set(index_tokens(about)) <= set(index_tokens(words))


def completed(rule: TriggerRule, occurrences: Iterable[Occurrence], latest: Occurrence) -> int | None:
    """How often the pattern was seen when `latest` completes it, else None. An utterance counts once.

    Only what was said up to `latest` counts, so that words told later in another order fire the same.
    """
    if rule.about and not speaks_of(latest.words, rule.about):
        return None
    since = None if rule.days is None else latest.said_at - timedelta(days=rule.days)
    seen = {latest.utterance_id}
    for one in occurrences:
        if one.said_at > latest.said_at or (since is not None and one.said_at < since):
            continue
        if not rule.about or speaks_of(one.words, rule.about):
            seen.add(one.utterance_id)
    return len(seen) if len(seen) >= rule.count else None
