"""Multibase, multicodec and multihash: the small parts that DIDs, Multikey and did:webvh need."""

from __future__ import annotations

import hashlib
from typing import Final

from credentials.encoding import b64url_decode, b64url_encode
from credentials.errors import MalformedError

_ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_VALUE: Final = {char: index for index, char in enumerate(_ALPHABET)}
# Decoding base58 is quadratic in its length; no key, signature or hash comes near this.
MAX_BASE58_CHARS: Final = 512
_SHA256_MULTIHASH: Final = b"\x12\x20"  # code of sha2-256, length of 32 bytes


def base58_encode(data: bytes) -> str:
    """Base58 with the Bitcoin alphabet (Controlled Identifiers 1.0 section 2.4)."""
    number = int.from_bytes(data, "big")
    out: list[str] = []
    while number:
        number, rest = divmod(number, 58)
        out.append(_ALPHABET[rest])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "1" * zeros + "".join(reversed(out))


def base58_decode(text: str) -> bytes:
    """Decode base58btc (Controlled Identifiers 1.0 section 2.4); ``malformed`` on a foreign character."""
    if len(text) > MAX_BASE58_CHARS:
        raise MalformedError("malformed", "base58 value too long")
    number = 0
    for char in text:
        value = _VALUE.get(char)
        if value is None:
            raise MalformedError("malformed", "not base58")
        number = number * 58 + value
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def multibase_encode(data: bytes, base: str = "z") -> str:
    """Multibase with prefix ``z`` (base58btc) or ``u`` (base64url), CID 1.0 section 2.4."""
    return "z" + base58_encode(data) if base == "z" else "u" + b64url_encode(data)


def multibase_decode(text: str) -> bytes:
    """Decode multibase ``z`` or ``u`` (Controlled Identifiers 1.0 section 2.4)."""
    if text.startswith("z"):
        return base58_decode(text[1:])
    if text.startswith("u"):
        return b64url_decode(text[1:])
    raise MalformedError("malformed", "unknown multibase prefix")


def multihash_sha256(data: bytes) -> bytes:
    """SHA-256 as a multihash (did:webvh 1.0, SCID and entry hash)."""
    return _SHA256_MULTIHASH + hashlib.sha256(data).digest()


def base58_multihash(data: bytes) -> str:
    """Base58btc of the SHA-256 multihash, without multibase prefix (did:webvh 1.0)."""
    return base58_encode(multihash_sha256(data))
