"""The bits of a status list: bounded inflation, bit order, range; nothing doubtful counts as valid."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

from credentials.errors import StatusRefusedError
from credentials.limits import LEEWAY_SECONDS, MAX_STATUS_LIST_BYTES

WIDTHS: Final = (1, 2, 4, 8)
VALID: Final = 0
INVALID: Final = 1  # revoked
SUSPENDED: Final = 2
_ZLIB: Final = zlib.MAX_WBITS
_GZIP: Final = zlib.MAX_WBITS | 16


def inflate(data: bytes, *, gzip: bool, limit: int = MAX_STATUS_LIST_BYTES) -> bytes:
    """Inflate up to a limit and no further (Token Status List "Correct decoding", Bitstring 1.0 section 3.4).

    ``status_list_too_large`` at the limit; ``status_list_malformed`` for anything that is not one
    whole stream.
    """
    engine = zlib.decompressobj(wbits=_GZIP if gzip else _ZLIB)
    try:
        out = engine.decompress(data, limit + 1)
    except zlib.error as error:
        raise StatusRefusedError("status_list_malformed") from error
    if len(out) > limit:
        raise StatusRefusedError("status_list_too_large", f"more than {limit} bytes")
    if not engine.eof or engine.unused_data:
        raise StatusRefusedError("status_list_malformed", "not one complete stream")
    return out


def deflate(data: bytes, *, gzip: bool) -> bytes:
    """Compress at the best level, no time in a gzip header (Token Status List 4.1, Bitstring 1.0 3.1)."""
    engine = zlib.compressobj(level=9, wbits=_GZIP if gzip else _ZLIB)
    return engine.compress(data) + engine.flush()


@dataclass(frozen=True, slots=True)
class StatusList:
    """A verified list, ready to be cached: about 128 kB for a million entries.

    ``uri`` is where it was fetched, ``issuer`` who signed it, ``fetched_at`` when; ``ttl`` and
    ``expires`` say until when it may be used.
    """

    uri: str
    issuer: str
    data: bytes
    bits: int
    msb_first: bool
    fetched_at: float
    ttl: float | None
    expires: float | None
    purposes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.data) * 8 // self.bits

    def at(self, index: object) -> int:
        """The status of an entry (Token Status List section 4.1, Bitstring 3.2); out of range is refused."""
        if not isinstance(index, int) or isinstance(index, bool):
            raise StatusRefusedError("status_index_malformed")
        position = index * self.bits
        if index < 0 or position >= len(self.data) * 8:
            raise StatusRefusedError("status_index_out_of_range")
        byte, offset = divmod(position, 8)
        shift = 8 - self.bits - offset if self.msb_first else offset
        return (self.data[byte] >> shift) & ((1 << self.bits) - 1)

    def check_fresh(self, *, now: float, max_staleness: float = 0, leeway: int = LEEWAY_SECONDS) -> None:
        """Refuse an expired list and one older than its ``ttl`` (Token Status List "Validation Rules").

        ``max_staleness`` lets a policy use a list that long beyond its ttl, never beyond its expiry.
        """
        if self.expires is not None and now >= self.expires + leeway:
            raise StatusRefusedError("status_stale", "expired")
        if self.ttl is not None and now > self.fetched_at + self.ttl + max_staleness:
            raise StatusRefusedError("status_stale", "older than its ttl")


def check_value(value: int) -> None:
    """Turn a status value into a refusal (Token Status List section 7.1)."""
    if value == INVALID:
        raise StatusRefusedError("status_revoked")
    if value == SUSPENDED:
        raise StatusRefusedError("status_suspended")
    if value != VALID:
        raise StatusRefusedError("status_other")
