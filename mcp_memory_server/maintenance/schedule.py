"""When the daily run is due."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo


def latest(now: datetime, at: time, zone: tzinfo) -> datetime:
    """The last moment up to `now` at which a clock in `zone` showed `at`."""
    local = now.astimezone(zone)
    moment = datetime.combine(local.date(), at, tzinfo=zone)
    if moment > local:
        moment = datetime.combine(local.date() - timedelta(days=1), at, tzinfo=zone)
    return moment


def is_due(last: datetime | None, now: datetime, at: time, zone: tzinfo) -> bool:
    """Whether the time of the daily run has come since the last run. A clock that went back makes none due."""
    return last is None or last < latest(now, at, zone)
