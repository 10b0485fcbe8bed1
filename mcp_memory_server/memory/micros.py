"""Moments as whole microseconds since 1970-01-01 UTC: how stores keep them and how ranking compares them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
DAY = 86_400_000_000  # microseconds


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970-01-01 UTC of an aware datetime."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware UTC datetime of `to_micros`."""
    return _EPOCH + timedelta(microseconds=micros)
