"""Dates of credentials, checked against one injected clock value with one leeway."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from credentials.errors import ConfigurationError, TimeRefusedError
from credentials.limits import LEEWAY_SECONDS

_TIMESTAMP: Final = re.compile(r"-?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z", re.ASCII)
_LATEST: Final = 253_402_300_799  # seconds of 9999-12-31T23:59:59Z; later is not a date anyone means


@dataclass(frozen=True, slots=True)
class TimeRules:
    """How dates are judged; the leeway is the same for every date of every format."""

    leeway: int = LEEWAY_SECONDS
    require_exp: bool = False
    max_age: int | None = None  # seconds since iat

    def __post_init__(self) -> None:
        if self.leeway < 0 or (self.max_age is not None and self.max_age <= 0):
            raise ConfigurationError("config_invalid", "times must not be negative")


def numeric_date(claims: Mapping[str, Any], name: str) -> float | None:
    """Read a NumericDate claim (RFC 7519 section 2): seconds as a JSON number, or ``time_malformed``."""
    if name not in claims:
        return None
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TimeRefusedError("time_malformed", f"{name} is not a number")
    if not math.isfinite(value) or not 0 <= value <= _LATEST:
        raise TimeRefusedError("time_malformed", f"{name} is out of range")
    return value


def timestamp(value: object, name: str) -> float:
    """Read an XML Schema dateTimeStamp (VCDM 2.0 section 4.9): the zone is required."""
    if not isinstance(value, str) or _TIMESTAMP.match(value) is None:
        raise TimeRefusedError("time_malformed", f"{name} is not a timestamp with a zone")
    text = re.sub(r"(\.\d{6})\d+", r"\1", value).replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError) as error:
        raise TimeRefusedError("time_malformed", f"{name} is not a date") from error


def to_timestamp(seconds: float) -> str:
    """Write seconds since the epoch as a UTC dateTimeStamp (VCDM 2.0 section 4.9)."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_window(*, now: float, begin: float | None, end: float | None, leeway: int = LEEWAY_SECONDS) -> None:
    """Refuse outside [begin, end) widened by the leeway (RFC 7519 sections 4.1.4 and 4.1.5)."""
    if end is not None and now >= end + leeway:
        raise TimeRefusedError("expired")
    if begin is not None and now < begin - leeway:
        raise TimeRefusedError("not_yet_valid")


def check_issued(*, now: float, iat: float | None, max_age: int | None, leeway: int = LEEWAY_SECONDS) -> None:
    """Refuse an issue time in the future or older than ``max_age`` (RFC 7519 4.1.6, RFC 9901 7.3)."""
    if iat is None:
        return
    if iat > now + leeway:
        raise TimeRefusedError("issued_in_future")
    if max_age is not None and iat < now - max_age - leeway:
        raise TimeRefusedError("issued_too_long_ago")


def check_claims(claims: Mapping[str, Any], *, now: float, rules: TimeRules) -> None:
    """Check ``exp``, ``nbf`` and ``iat`` of JWT claims (RFC 7519 sections 4.1.4 to 4.1.6)."""
    exp, nbf, iat = (numeric_date(claims, name) for name in ("exp", "nbf", "iat"))
    if exp is None and rules.require_exp:
        raise TimeRefusedError("exp_missing")
    check_window(now=now, begin=nbf, end=exp, leeway=rules.leeway)
    check_issued(now=now, iat=iat, max_age=rules.max_age, leeway=rules.leeway)
