"""English times that are counted in weeks, weekdays and seasons: "the first week of August", "two summers ago"."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from datetime import date, timedelta
from typing import Protocol

from mcp_memory_server.memory.perceive.calendar import Calendar, real
from mcp_memory_server.memory.perceive.when import Bind, When, both

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WHICH = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "last": -1,
    "final": -1,
}
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_IN = rf"(?:of|in) (?:(?P<rel>this|next|last) month|the month|(?P<mo>{_MONTH})(?:,? (?P<y>(?:19|20)\d\d))?)\b"


class Found(Protocol):
    """A match of one of the patterns; absent groups are empty."""

    def __getitem__(self, name: str | int) -> str: ...

    def start(self) -> int:
        """Where the words begin."""

    def end(self) -> int:
        """Where the words end."""


def _months(m: Found, cal: Calendar) -> tuple[str, str]:
    """The month that is meant, read ahead and back."""
    if m["rel"] or not m["mo"]:
        month = cal.month({"next": 1, "last": -1}.get(m["rel"].lower(), 0))
        return month, month
    number = _MONTHS.index(m["mo"].lower()) + 1
    if m["y"]:
        month = f"{m['y']}-{number:02d}"
        return month, month
    return cal.next_named_month(number), cal.last_named_month(number)


def _days_of(month: str) -> tuple[date, date]:
    first = date.fromisoformat(f"{month}-01")
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return first, following - timedelta(days=1)


def _week(month: str, which: int) -> str:
    """Seven days of a month: its first, second… or last ones."""
    first, last = _days_of(month)
    start = last - timedelta(days=6) if which < 0 else first + timedelta(days=7 * which)
    return f"{start.isoformat()}/{(start + timedelta(days=6)).isoformat()}"


def _weekday(month: str, which: int, day: int) -> str:
    first, last = _days_of(month)
    if which < 0:
        return (last - timedelta(days=(last.weekday() - day) % 7)).isoformat()
    return (first + timedelta(days=(day - first.weekday()) % 7 + 7 * which)).isoformat()


def week_of_month(m: Found, cal: Calendar) -> When:
    """ "the first week of August", "the last Friday in June"."""
    which = _WHICH[m["which"].lower()]
    ahead, back = _months(m, cal)
    if m["unit"].lower() == "week":
        return When(m.start(), m.end(), Bind.AT, _week(ahead, which), _week(back, which))
    if m["unit"].lower() == "weekend":
        both_ways = [_weekday(month, which, 5) for month in (ahead, back)]
        ends = [(date.fromisoformat(day) + timedelta(days=1)).isoformat() for day in both_ways]
        return When(m.start(), m.end(), Bind.AT, f"{both_ways[0]}/{ends[0]}", f"{both_ways[1]}/{ends[1]}")
    day = _DAYS.index(m["unit"].lower())
    return When(m.start(), m.end(), Bind.AT, _weekday(ahead, which, day), _weekday(back, which, day))


def seasons_ago(m: Found, cal: Calendar) -> When:
    """ "two summers ago": the season of that many years back, counted from the last one that is over."""
    name = m["season"].lower().replace("fall", "autumn")
    year = cal.today.year
    if cal.season(name, year)[11:] >= cal.today.isoformat():
        year -= 1
    return both(m.start(), m.end(), Bind.AT, cal.season(name, year - _NUMBERS[m["n"].lower()] + 1))


def weeks_from(m: Found, cal: Calendar) -> When:
    """ "a week today", "a fortnight tomorrow", "two weeks on Friday"."""
    weeks = _NUMBERS[m["n"].lower()] * (2 if m["u"].lower() == "fortnight" else 1)
    base = cal.next_weekday(_DAYS.index(m["day"].lower())) if m["day"] else cal.day(int("tomorrow" in m[0].lower()))
    return both(m.start(), m.end(), Bind.AT, (date.fromisoformat(base) + timedelta(days=7 * weeks)).isoformat())


def short_year(m: Found, cal: Calendar) -> When | None:
    """ "in '86": the last year that ends so."""
    this, year = cal.today.year, int(m["yy"])
    return both(m.start(), m.end(), Bind.AT, str(this - this % 100 + year - (100 if year > this % 100 + 1 else 0)))


def quarter(m: Found, cal: Calendar) -> When | None:
    """ "the third quarter", "Q2 2024"."""
    word = (m["q"] or "").lower()
    if word == "last":
        return None  # "last quarter" counts from now
    number = int(m["q2"]) if m["q2"] else ("first", "second", "third", "fourth").index(word) + 1
    said = m["y"] or m["y2"]
    month, this = number * 3, cal.today.month
    ahead = int(said) if said else cal.today.year + (month < this)
    back = int(said) if said else cal.today.year - (month - 2 >= this)
    spans = [f"{year:04d}-{month - 2:02d}/{year:04d}-{month:02d}" for year in (ahead, back)]
    return When(m.start(), m.end(), Bind.AT, spans[0], spans[1])


def leap_day(cal: Calendar, step: int) -> str | None:
    """The 29th of February that is next, or was last: at most eight years away."""
    years = range(cal.today.year, cal.today.year + 9 * step, step)
    days = [day for year in years if 0 < year < 10000 and (day := real(year, 2, 29))]
    today = cal.today.isoformat()
    return next((day for day in days if (day >= today if step > 0 else day <= today)), None)


def slashed_day(m: Found, cal: Calendar) -> When | None:
    """ "on 4/6": the day first, in America the month; only where both can be a date."""
    first, second = int(m["a"]), int(m["b"])
    month_first = str(cal.zone).startswith(("America/", "US/"))
    day, month = (second, first) if (month_first and first <= 12) or second > 12 else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    future, past = cal.year_of_day(month, day, past=False), cal.year_of_day(month, day, past=True)
    return When(m.start(), m.end(), Bind.AT, future, past) if future and past else None


_DAY_NAMES = "|".join(_DAYS)
RULES = (
    (
        rf"\b(?:the )?(?P<which>first|second|third|fourth|last|final|1st|2nd|3rd|4th) (?P<unit>week(?:end)?|{_DAY_NAMES}) {_IN}",
        week_of_month,
    ),
    (r"\b(?P<n>one|two|three|four|five|six) (?P<season>spring|summer|autumn|fall|winter)s? ago\b", seasons_ago),
    (
        rf"\b(?P<n>a|one|two|three) (?P<u>week|fortnight)s? (?:today|tomorrow|(?:on|from) (?P<day>{_DAY_NAMES}))\b",
        weeks_from,
    ),
    (
        r"\b(?:in|since|until|till|from|by|back in|before|after|during|of|around|to) (?P<x>['’](?P<yy>\d\d))(?![\ds])",
        short_year,
    ),
    (
        r"\b(?:the )?(?P<q>first|second|third|fourth|last) quarter(?: of (?P<y>(?:19|20)\d{2}))?\b|\bq(?P<q2>[1-4])(?:,? (?P<y2>(?:19|20)\d{2}))?\b",
        quarter,
    ),
    (
        r"\b(?:on|by|until|till|from|before|after|since|for|due) (?P<x>(?P<a>\d{1,2})/(?P<b>\d{1,2}))(?![\d/.]| (?:of|cup|people|inch))",
        slashed_day,
    ),
)
