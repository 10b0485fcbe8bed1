"""The issuer's side: one table that feeds both kinds of lists.

Indexes are random and never given out twice, so that neighbours say nothing about each other. Decoys
are indexes that belong to no credential; some of them are set, so that the number of set entries does
not tell how many were revoked.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from credentials.errors import ConfigurationError, StatusRefusedError
from credentials.limits import MAX_STATUS_LIST_BYTES, MIN_STATUS_ENTRIES
from credentials.ports import Rng
from credentials.status.bits import INVALID, WIDTHS, deflate, inflate

_MAGIC: Final = b"status-table\x01"
_HEADER: Final = struct.Struct(">13sBI")
_DRAW_BYTES: Final = 8
_MAX_FILL: Final = 0.75  # beyond this a new list is due: random draws get slow and decoys get few


class StatusTable:
    """Status values by index, with the memory of which indexes were given out."""

    __slots__ = ("_used", "_used_count", "_values", "bits", "size")

    def __init__(self, size: int, bits: int, values: bytearray, used: bytearray) -> None:
        self.size = size
        self.bits = bits
        self._values = values  # packed LSB first, as in a Token Status List
        self._used = used
        self._used_count = sum(byte.bit_count() for byte in used)

    @classmethod
    def create(cls, *, rng: Rng, size: int = MIN_STATUS_ENTRIES, bits: int = 1, decoys: int = 1_024) -> StatusTable:
        """Make a table of at least 131,072 entries (Bitstring Status List 1.0 section 3.1).

        Half of the ``decoys`` are set (Token Status List, "Unlinkability").
        """
        if bits not in WIDTHS or size < MIN_STATUS_ENTRIES or size % 8:
            raise ConfigurationError("config_invalid", f"at least {MIN_STATUS_ENTRIES} entries, whole bytes")
        if size * bits // 8 > MAX_STATUS_LIST_BYTES or not 0 <= decoys <= size // 8:
            raise ConfigurationError("config_invalid", "too many entries or decoys")
        table = cls(size, bits, bytearray(size * bits // 8), bytearray(size // 8))
        for number in range(decoys):
            index = table.allocate(rng=rng)
            if number % 2:
                table.set(index, INVALID)
        return table

    def allocate(self, *, rng: Rng) -> int:
        """A random free index (Token Status List, "Unlinkability"); it is never given out again."""
        if self._used_count >= self.size * _MAX_FILL:
            raise StatusRefusedError("status_index_exhausted")
        while True:
            # Rejection keeps the draw uniform whatever the size is.
            index = _below(self.size, rng)
            byte, mask = index >> 3, 1 << (index & 7)
            if not self._used[byte] & mask:
                self._used[byte] |= mask
                self._used_count += 1
                return index

    def is_allocated(self, index: int) -> bool:
        """Whether an index was given out, to a credential or a decoy (Token Status List section 13.2)."""
        return 0 <= index < self.size and bool(self._used[index >> 3] & (1 << (index & 7)))

    def set(self, index: int, value: int) -> None:
        """Set the status of an index that was given out (Token Status List section 7.1)."""
        if not self.is_allocated(index):
            raise StatusRefusedError("status_index_out_of_range")
        if not 0 <= value < 1 << self.bits:
            raise ConfigurationError("config_invalid", f"no {self.bits}-bit status")
        byte, offset = divmod(index * self.bits, 8)
        mask = ((1 << self.bits) - 1) << offset
        self._values[byte] = (self._values[byte] & ~mask) | (value << offset)

    def get(self, index: int) -> int:
        """The status of an index (Token Status List section 4.1)."""
        if not 0 <= index < self.size:
            raise StatusRefusedError("status_index_out_of_range")
        byte, offset = divmod(index * self.bits, 8)
        return (self._values[byte] >> offset) & ((1 << self.bits) - 1)

    def token_list(self) -> bytes:
        """The bytes of a Token Status List, least significant bits first (section 4.1)."""
        return bytes(self._values)

    def bitstring(self, matches: Callable[[int], bool] = bool) -> bytes:
        """The bytes of a Bitstring Status List, most significant bit first (section 3.1).

        ``matches`` says which status values set the bit of this list's purpose.
        """
        if self.bits == 1 and matches is bool:
            return bytes(_REVERSED[byte] for byte in self._values)
        out = bytearray(self.size // 8)
        for index in range(self.size):
            if matches(self.get(index)):
                out[index >> 3] |= 0x80 >> (index & 7)
        return bytes(out)

    def to_bytes(self) -> bytes:
        """Serialise for storage; carries no identity of any credential (VCDM 2.0 section 8.4)."""
        return _HEADER.pack(_MAGIC, self.bits, self.size) + deflate(bytes(self._values + self._used), gzip=False)

    @classmethod
    def from_bytes(cls, data: bytes) -> StatusTable:
        """Read what ``to_bytes`` wrote (bounds as for a Token Status List, section 4.1)."""
        if len(data) < _HEADER.size:
            raise StatusRefusedError("status_list_malformed")
        magic, bits, size = _HEADER.unpack_from(data)
        if magic != _MAGIC or bits not in WIDTHS or size * bits // 8 > MAX_STATUS_LIST_BYTES:
            raise StatusRefusedError("status_list_malformed")
        content = inflate(data[_HEADER.size :], gzip=False, limit=2 * MAX_STATUS_LIST_BYTES)
        split = size * bits // 8
        if len(content) != split + size // 8:
            raise StatusRefusedError("status_list_malformed")
        return cls(size, bits, bytearray(content[:split]), bytearray(content[split:]))


_REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def _below(size: int, rng: Rng) -> int:
    space = 1 << (8 * _DRAW_BYTES)
    limit = space - space % size
    while True:
        drawn = int.from_bytes(rng(_DRAW_BYTES), "big")
        if drawn < limit:
            return drawn % size
