"""Times in the precision said: `2024`, `2024-10`, `2024-10-03`, `start/end`, or a full time with offset.

Also season- and birthday-like partial dates (`--MM-DD`), which name no moment. ISO 8601-1:2019.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def parse_moment(text: str, zone: tzinfo) -> datetime:
    """An ISO 8601 time as an aware datetime; without an offset it is in `zone`.

    Raises ValueError when it is no ISO 8601 date or time.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def bounds(text: str, zone: tzinfo = UTC) -> tuple[datetime, datetime] | None:
    """The first moment and the moment after the last that `text` covers, in UTC; None for `--MM-DD`.

    Raises ValueError when `text` has none of the forms of this module.
    """
    if text.startswith("--"):
        return None
    if "/" in text:
        first, _, last = text.partition("/")
        start, end = bounds(first, zone), bounds(last, zone)
        return None if start is None or end is None else (start[0], end[1])
    if match := _DAY.fullmatch(text):
        start_at = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=zone)
        return start_at.astimezone(UTC), (start_at + timedelta(days=1)).astimezone(UTC)
    if match := _MONTH.fullmatch(text):
        year, month = int(match[1]), int(match[2])
        start_at = datetime(year, month, 1, tzinfo=zone)
        after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)
        return start_at.astimezone(UTC), after.astimezone(UTC)
    if _YEAR.fullmatch(text):
        year = int(text)
        return datetime(year, 1, 1, tzinfo=zone).astimezone(UTC), datetime(year + 1, 1, 1, tzinfo=zone).astimezone(UTC)
    moment = parse_moment(text, zone).astimezone(UTC)
    return moment, moment


def starts_by(text: str | None, moment: datetime, zone: tzinfo = UTC) -> bool:
    """True when something valid from `text` has begun at `moment` (no start: always)."""
    if text is None:
        return True
    edges = bounds(text, zone)
    return edges is None or edges[0] <= moment


def ended_by(text: str | None, moment: datetime, zone: tzinfo = UTC) -> bool:
    """True when something valid until `text` is over at `moment` (no end: never)."""
    if text is None:
        return False
    edges = bounds(text, zone)
    return edges is not None and edges[1] <= moment
