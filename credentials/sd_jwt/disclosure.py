"""One disclosure: salt, name and value, and the digest that stands for it (RFC 9901 section 4.2)."""

from __future__ import annotations

import hashlib
from typing import Any, Final, NamedTuple

from credentials.encoding import b64url_decode, b64url_encode, json_decode, json_encode
from credentials.errors import CredentialError, DisclosureError

HASH_NAME: Final = "sha-256"
# RFC 9901 7.1 step 3.c forbids "_sd" and "..."; "_sd_alg" is our own addition: it would pose as the real one.
RESERVED: Final = frozenset({"_sd", "...", "_sd_alg"})


class Disclosure(NamedTuple):
    """A decoded disclosure; ``name`` is ``None`` for an array element."""

    encoded: str
    name: str | None
    value: Any

    @property
    def digest(self) -> str:
        """The digest in the payload (RFC 9901 section 4.2.3)."""
        return digest(self.encoded)


def digest(text: str) -> str:
    """Base64url of SHA-256 over the ASCII of the encoded text (RFC 9901 sections 4.2.3 and 4.3.1)."""
    return b64url_encode(hashlib.sha256(text.encode("ascii")).digest())


def create(salt: bytes, name: str | None, value: Any) -> Disclosure:
    """Make a disclosure of a property or, without name, of an array element (RFC 9901 4.2.1, 4.2.2)."""
    content = [b64url_encode(salt), value] if name is None else [b64url_encode(salt), name, value]
    return Disclosure(b64url_encode(json_encode(content)), name, value)


def decode(encoded: str) -> Disclosure:
    """Read a disclosure (RFC 9901 section 7.1 step 3.c): two or three elements, text salt, free name."""
    try:
        content = json_decode(b64url_decode(encoded))
    except CredentialError as error:
        # Codes that tell more than "malformed" stay: depth, duplicate keys and numbers are named refusals.
        if error.code.startswith("json_") and error.code != "json_malformed":
            raise
        raise DisclosureError("disclosure_malformed") from error
    if not isinstance(content, list) or len(content) not in (2, 3) or not isinstance(content[0], str):
        raise DisclosureError("disclosure_malformed")
    if len(content) == 2:
        return Disclosure(encoded, None, content[1])
    if not isinstance(content[1], str):
        raise DisclosureError("disclosure_malformed", "the name is not a text")
    if content[1] in RESERVED:
        raise DisclosureError("disclosure_reserved_name")
    return Disclosure(encoded, content[1], content[2])
