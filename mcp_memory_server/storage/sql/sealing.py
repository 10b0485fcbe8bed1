"""Values sealed under a key of their user: AES-256-GCM, and AES-SIV where equal values have to look equal.

A value of AES-SIV (RFC 5297) begins with a keyed hash of what is sealed, and the hash is the nonce: who has
no key learns that two values of one user are equal, as from any keyed hash, and who has it can open it.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.storage.sql.at_rest import BOUND_TO, MATCHED, SAME_AS, SEALED

KEY_BYTES = 32  # of a user's key; the keys of the two ciphers are derived from it
_NONCE_BYTES = 12
_GCM_BYTES, _SIV_BYTES = 32, 64
_FORM = "1"  # the first character of every sealed value: which form it has
_SOME = b"."  # AES-SIV seals no empty text
_NOTHING: frozenset[str] = frozenset()

KeySource = Callable[[bool], bytes | None]
"""Gives the user's key of KEY_BYTES; called with True it makes one where there is none."""


def _derived(key: bytes, use: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=b"consented-memory at rest: " + use).derive(key)


class Cipher:
    """The two ciphers of one key."""

    def __init__(self, key: bytes, rng: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._gcm = AESGCM(_derived(key, b"values", _GCM_BYTES))
        self._siv = AESSIV(_derived(key, b"matched", _SIV_BYTES))
        self._rng = rng

    def seal(self, text: str, place: bytes) -> str:
        """Sealed text; the same text looks different every time."""
        nonce = self._rng(_NONCE_BYTES)
        return _written(nonce + self._gcm.encrypt(nonce, _bytes(text), place))

    def open(self, sealed: str, place: bytes) -> str:
        """The text of `seal`. Raises UnavailableError for another key, another place or a changed value."""
        raw = _raw(sealed)
        try:
            return _text(self._gcm.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], place))
        except (InvalidTag, ValueError) as error:
            raise _closed() from error

    def match(self, text: str, place: bytes) -> str:
        """Sealed text that looks the same every time."""
        return _written(self._siv.encrypt(_SOME + _bytes(text), [place]))

    def unmatch(self, sealed: str, place: bytes) -> str:
        """The text of `match`. Raises UnavailableError as `open` does."""
        try:
            return _text(self._siv.decrypt(_raw(sealed), [place]).removeprefix(_SOME))
        except (InvalidTag, ValueError) as error:
            raise _closed() from error


class Sealed:
    """One user's values, sealed. The key is asked for when the first value needs it, and made by the first write."""

    plain = False

    def __init__(self, source: KeySource, *, write: bool, rng: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._source = source
        self._write = write
        self._rng = rng
        self._known: Cipher | None = None

    def _cipher(self) -> Cipher:
        if self._known is None:
            # Of a user without a key there is nothing: a key that opens nothing finds nothing.
            self._known = Cipher(self._source(self._write) or self._rng(KEY_BYTES), self._rng)
        return self._known

    def stored(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row with its text and values sealed."""
        out = dict(row)
        cipher = self._cipher()
        for column in MATCHED.get(table, _NOTHING) & out.keys():
            if out[column] is not None:
                out[column] = cipher.match(out[column], _place(table, column))
        for column in SEALED.get(table, _NOTHING) & out.keys():
            if out[column] is not None:
                out[column] = cipher.seal(out[column], _place(table, column, out))
        return out

    def read(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row with its text and values open."""
        out = dict(row)
        cipher = self._cipher()
        for column in SEALED.get(table, _NOTHING) & out.keys():
            if out[column] is not None:
                out[column] = cipher.open(out[column], _place(table, column, row))
        for column in MATCHED.get(table, _NOTHING) & out.keys():
            if out[column] is not None:
                out[column] = cipher.unmatch(out[column], _place(table, column))
        return out

    def compared(self, table: str, column: str, value: str) -> str:
        """The sealed value that a column would have."""
        if column not in MATCHED.get(table, _NOTHING):
            return value
        return self._cipher().match(value, _place(table, column))


def _place(table: str, column: str, row: Mapping[str, Any] | None = None) -> bytes:
    table, column = SAME_AS.get((table, column), (table, column))
    bound = "" if row is None else row[BOUND_TO[table]]
    return f"{table}.{column}\0{bound}".encode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _written(raw: bytes) -> str:
    return _FORM + base64.b64encode(raw).decode("ascii")


def _raw(sealed: str) -> bytes:
    if not sealed.startswith(_FORM):
        raise _closed()
    try:
        return base64.b64decode(sealed[1:], validate=True)
    except (binascii.Error, ValueError) as error:
        raise _closed() from error


def _closed() -> UnavailableError:
    return UnavailableError(
        "a sealed value does not open: the user's key is missing or another one, or the value was changed",
        next_step="Check that the folder of keys belongs to this store",
    )
