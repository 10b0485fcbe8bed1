"""Events that say the same again and again: many in a week rank lower, three alike become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mcp_memory_server import limits
from mcp_memory_server.memory.micros import DAY
from mcp_memory_server.memory.model import EventType, Memory, Status
from mcp_memory_server.memory.names import names
from mcp_memory_server.memory.text import identifiers, query_tokens

_WEEK = timedelta(days=limits.NOISE_DAYS)
_APART = frozenset({EventType.APPOINTMENT})  # two appointments are two, however alike their words


@dataclass(frozen=True, slots=True)
class Merged:
    """Events that become one: the oldest goes on with the counts and evidence of all, in the newest words."""

    before: Memory
    after: Memory
    absorbed: tuple[Memory, ...]


def is_noise(said_at: Iterable[int]) -> bool:
    """Whether the newest five occurrences of an event, in microseconds, lie within seven days."""
    newest = sorted(said_at)[-limits.NOISE_TIMES :]
    return len(newest) == limits.NOISE_TIMES and newest[-1] - newest[0] <= limits.NOISE_DAYS * DAY


def merges(events: Sequence[Memory]) -> list[Merged]:
    """What has to be merged until no three current events alike are left within a week.

    The result does not depend on when it is asked for, only on the events.
    """
    done: dict[str, Merged] = {}
    standing = {
        event.id: event for event in events if event.status is Status.CURRENT and event.event_type not in _APART
    }
    while found := _clusters(list(standing.values())):
        for alike in found:
            kept, *others = sorted(alike, key=_age)
            after, earlier = _one(kept, others), done.pop(kept.id, None)
            absorbed = [*(earlier.absorbed if earlier else ()), *others]
            for event in others:
                # What an absorbed event had absorbed itself goes on in the one that is kept.
                absorbed += done.pop(event.id).absorbed if event.id in done else ()
                del standing[event.id]
            done[kept.id] = Merged(earlier.before if earlier else kept, after, tuple(absorbed))
            standing[kept.id] = after
    return list(done.values())


def last(event: Memory) -> tuple[datetime, str]:
    """When an event last happened, as far as it was told; for sorting."""
    return event.supported_at or event.recorded_at, event.id


def _age(event: Memory) -> tuple[datetime, str]:
    return event.recorded_at, event.id


def _clusters(events: list[Memory]) -> list[list[Memory]]:
    """Events of one type with all within a week after them that are like them, where they are three or more."""
    grouped: dict[EventType | None, list[Memory]] = defaultdict(list)
    for event in sorted(events, key=last):
        grouped[event.event_type].append(event)
    out = []
    for same in grouped.values():
        marks = [_mark(event) for event in same]
        taken: set[int] = set()
        for place, event in enumerate(same):
            if place in taken:
                continue
            near = [place]
            for index in range(place + 1, len(same)):
                if last(same[index])[0] - last(event)[0] > _WEEK:
                    break
                if index not in taken and _alike(marks[place], marks[index]):
                    near.append(index)
            if len(near) >= limits.MERGED_EVENTS:
                taken.update(near)
                out.append([same[index] for index in near])
    return out


def _mark(event: Memory) -> tuple[frozenset[str], frozenset[str]]:
    """What an event is compared by: names, numbers and the time spoken of, and the words that carry meaning."""
    details = {name.casefold() for name in names(event.statement)} | set(identifiers(event.statement))
    words = frozenset(query_tokens(event.statement))
    details |= {token for token in words if any(char.isdigit() for char in token)}
    details |= {event.validity.at} if event.validity.at else set()
    return frozenset(details), words


def _alike(one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]) -> bool:
    """The same names and numbers; one says all that the other says, and little more."""
    shorter, longer = sorted((one[1], other[1]), key=len)
    if one[0] != other[0] or not shorter <= longer:
        return False
    return bool(shorter) and len(shorter) >= limits.MERGED_SHARE * len(longer)


def _one(kept: Memory, others: Sequence[Memory]) -> Memory:
    """The event that goes on."""
    everything = [kept, *others]
    newest = max(everything, key=last)
    evidence = dict.fromkeys(item for event in everything for item in event.evidence)
    return replace(
        kept,
        statement=newest.statement,
        lang=newest.lang,
        sentiment=newest.sentiment,
        count=sum(event.count for event in everything),
        confidence=max(event.confidence for event in everything),
        supported_at=newest.supported_at or newest.recorded_at,
        evidence=tuple(evidence),
    )
