"""Ids: short, sortable by time, unique. Time and randomness are given."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_TIME_BITS, _RANDOM_BITS = 45, 40


class Ids:
    """Makes ids such as `m_06evt3v8k2q9xw4c7`: a kind, milliseconds, 40 random bits."""

    def __init__(self, randbits: Callable[[int], int] = secrets.randbits) -> None:
        self._randbits = randbits

    def new(self, kind: str, moment: datetime) -> str:
        """A new id of a kind (`m` memory, `u` utterance, `q` question, `r` recall, `e` erasure)."""
        milliseconds = int(moment.timestamp() * 1000) & ((1 << _TIME_BITS) - 1)
        number = milliseconds << _RANDOM_BITS | self._randbits(_RANDOM_BITS)
        digits = [_ALPHABET[number >> shift & 31] for shift in range(80, -1, -5)]
        return f"{kind}_{''.join(digits)}"
