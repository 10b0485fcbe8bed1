"""The digest of a body as a header field (RFC 9530)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Any, Final

import http_sf

from federation.errors import SignatureError
from federation.limits import DIGEST_FIELD_CHARS

FIELD: Final = "content-digest"
# RFC 9530 section 5: the two algorithms that are not deprecated.
_ALGORITHMS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "sha-256": lambda body: hashlib.sha256(body).digest(),
    "sha-512": lambda body: hashlib.sha512(body).digest(),
}


def _repeated(_key: str, _context: str) -> None:
    raise SignatureError("digest_malformed", "an algorithm is there twice")


def content_digest(body: bytes) -> str:
    """The value of Content-Digest for a body, with SHA-256 (RFC 9530 section 2)."""
    return str(http_sf.ser({"sha-256": (_ALGORITHMS["sha-256"](body), {})}))


def check_digest(value: str, body: bytes) -> None:
    """Require that every digest of a known algorithm is that of the body, and that there is one (RFC 9530 section 2).

    Raises SignatureError (``digest_malformed``, ``digest_mismatch``).
    """
    if len(value) > DIGEST_FIELD_CHARS:
        raise SignatureError("digest_malformed", f"more than {DIGEST_FIELD_CHARS} characters")
    try:
        parsed: Any = http_sf.parse(value.encode("ascii"), tltype="dictionary", on_duplicate_key=_repeated)
    except (ValueError, UnicodeEncodeError) as error:  # a structured field error is a ValueError
        raise SignatureError("digest_malformed") from error
    known = {name: item[0] for name, item in parsed.items() if name in _ALGORITHMS}
    if not known or not all(isinstance(digest, bytes) for digest in known.values()):
        raise SignatureError("digest_malformed", "no sha-256 or sha-512")
    for name, digest in known.items():
        if not hmac.compare_digest(_ALGORITHMS[name](body), digest):
            raise SignatureError("digest_mismatch")
