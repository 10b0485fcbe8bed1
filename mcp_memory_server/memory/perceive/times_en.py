"""English times with the hours and prepositions that belong to them."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.calendar import Calendar, real
from mcp_memory_server.memory.perceive.clock_en import clock, clock_of
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.when import Bind, When, keep_longest, widened
from mcp_memory_server.memory.perceive.when_en import phrases


@lru_cache(maxsize=1)
def _joint() -> Rx:
    return Rx(
        r"\s*(?:,|at|on|of|around|about|by)?\s*(?:the )?(?:(?:morning|afternoon|evening|night)\s*)?(?:at|on|,|of)?\s*$",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _lead() -> Rx:
    return Rx(
        r"\b(?:(?P<since>since|starting|as of|from)|(?P<until>until|till|til|through|up to)|(?P<by>by|before|no later than|not later than)|(?P<at>on|in|at|during|around|about|over|for|this|after|back in))\s*(?:the (?:end of )?)?$",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _hint() -> Rx:
    """What every time phrase has one of: most sentences have none and need no closer look."""
    return Rx(
        r"\d|day|night|morning|afternoon|evening|noon|o'clock|week|month|year|decade|hour|weekend|quarter|fortnight|tomorrow|half past|spring|summer|autumn|winter|fall\b|"
        r"january|february|march|april|\bmay\b|june|july|august|september|october|november|december|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thurs?|fri)\b|"
        r"christmas|xmas|easter|valentine|halloween|thanksgiving|festival|diwali|\b(?:at|by|around) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
        re.IGNORECASE,
    )


_EVENING = re.compile(
    r"\b(?:dinner|supper|drinks|concert|gig|opera|ballet|theatre|table (?:for|at)|restaurant|bistro|trattoria|osteria|brasserie|pub|cocktails|date night)\b",
    re.IGNORECASE,
)  # "dinner at 7" is at 19:00


def find(text: str, cal: Calendar) -> list[When]:
    """The time phrases of an English text, with their prepositions."""
    if not _hint().search(text):
        return []
    days = keep_longest(phrases(text, cal))
    return _with_lead(text, _with_clock(text, days, cal))


def _with_clock(text: str, days: list[When], cal: Calendar) -> list[When]:
    result = list(days)
    for match in clock().finditer(text):
        hour = clock_of(match)
        if hour is None or any(match.start() < day.end and day.start < match.end() for day in days):
            continue
        for index, day in enumerate(result):
            if day.hour is not None or day.bind is not Bind.AT or len(day.future) != 10:
                continue
            between = text[day.end : match.start()] if day.end <= match.start() else text[match.end() : day.start]
            if len(between) <= 24 and _joint().fullmatch(between):
                evening = patterns.search(r"tonight|evening|night|afternoon", text[day.start : day.end], re.IGNORECASE)
                if evening is None and 5 <= hour[0] <= 11:
                    evening = _EVENING.search(text)
                exact = (hour[0] + 12, hour[1]) if evening and hour[0] < 12 and not match["ap"] else hour
                result[index] = replace(
                    day,
                    start=min(day.start, match.start()), end=max(day.end, match.end()), hour=exact,
                    future=cal.moment(day.future, *exact), past=cal.moment(day.past, *exact),
                )  # fmt: skip
                break
        else:
            result.append(When(match.start(), match.end(), Bind.CLOCK, "", "", hour=hour))
    return sorted(result, key=lambda item: item.start)


def _with_lead(text: str, found: list[When]) -> list[When]:
    """Take in the preposition before a time and let it decide the bond; `from X to Y` becomes a range."""
    result: list[When] = []
    for item in found:
        inner = patterns.match(r"(?:by|until|till|before|from|since)\b", text[item.start : item.end], re.IGNORECASE)
        lead = _lead().search(text[max(0, item.start - 24) : item.start])
        if inner and item.bind is Bind.AT:
            word = inner[0].lower()
            item = replace(
                item,
                bind=Bind.BY if word in ("by", "before") else Bind.UNTIL if word in ("until", "till") else Bind.SINCE,
            )
        elif lead and item.bind in (Bind.AT, Bind.RANGE):
            start = max(0, item.start - 24) + lead.start()
            bind = (
                Bind.SINCE if lead["since"] else Bind.UNTIL if lead["until"] else Bind.BY if lead["by"] else item.bind
            )
            item = widened(item, start, item.end, item.bind if item.bind is Bind.RANGE else bind)
            if lead["since"] and lead["since"].lower() in ("starting", "as of"):
                item = replace(item, past=item.future)  # "starting Monday" lies ahead
        previous = result[-1] if result else None
        between = text[previous.end : item.start].strip().lower() if previous else ""
        if (
            previous
            and previous.bind in (Bind.SINCE, Bind.AT)
            and previous.future
            and (
                (
                    item.bind is Bind.AT
                    and between == "and"
                    and patterns.search(
                        r"\bbetween\s*$", text[max(0, previous.start - 12) : previous.start], re.IGNORECASE
                    )
                )
                or (item.bind is Bind.UNTIL and not between)
                or (
                    item.bind is Bind.AT
                    and between in ("to", "-", "through", "until", "till")
                    and previous.bind is Bind.SINCE
                )
            )
        ):
            result[-1] = _span(previous, item)
            continue
        result.append(item)
    return result


def _span(first: When, last: When) -> When:
    """From one time to another; a last day that seems to lie before the first is one of the month after it."""
    until = last.future
    if len(first.future) == 10 and len(until) == 10 and until < first.future:
        year, month = int(first.future[:4]), int(first.future[5:7])
        until = real(year, month, int(until[8:])) or until
        if until < first.future:
            until = real(year + month // 12, month % 12 + 1, int(last.future[8:])) or until
    if until < first.future[: len(until)]:
        return When(first.start, last.end, Bind.REPEAT, "", "")
    return When(first.start, last.end, Bind.RANGE, first.future, first.past, until)
