"""Times in words: where they stand, what they mean, and how they bind what they stand beside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Bind(StrEnum):
    """How a time binds a fact."""

    AT = "at"
    SINCE = "since"
    UNTIL = "until"
    BY = "by"
    RANGE = "range"
    LASTING = "lasting"  # "for two years": a start when the tense is perfect
    REPEAT = "repeat"  # "every Monday": no time of its own
    CLOCK = "clock"  # an hour without a day


@dataclass(frozen=True, slots=True)
class When:
    """A time phrase.

    `future` and `past` are its two readings (a bare weekday is the next one for plans, the last one
    for what has happened); `until` is the end of a range.
    """

    start: int
    end: int
    bind: Bind
    future: str
    past: str
    until: str = ""
    hour: tuple[int, int] | None = None
    bare: bool = False  # a day of the month without its month

    def value(self, *, past: bool) -> str:
        """The reading that fits the tense."""
        return self.past if past else self.future


def both(start: int, end: int, bind: Bind, value: str, until: str = "") -> When:
    """A time with one reading."""
    return When(start, end, bind, value, value, until)


def keep_longest(found: Iterable[When]) -> list[When]:
    """In order of the text, without those inside or across an earlier, longer one."""
    kept: list[When] = []
    for item in sorted(found, key=lambda item: (item.start - item.end, item.start)):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


def widened(item: When, start: int, end: int, bind: Bind | None = None) -> When:
    """The same time over more words, and with another bond if one is given."""
    return replace(item, start=start, end=end, bind=bind or item.bind)
