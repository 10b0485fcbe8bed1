"""JSON canonicalization (RFC 8785) with this package's errors."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from credentials.errors import MalformedError


def canonicalize(value: Any) -> bytes:
    """Canonical JSON (RFC 8785 section 3.2); integers beyond 2**53 and lone surrogates have none."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError, ValueError, TypeError) as error:
        raise MalformedError("canonicalization_failed") from error


def sha256(value: Any) -> bytes:
    """SHA-256 of the canonical form (vc-di-eddsa 1.0 section 3.3.4)."""
    return hashlib.sha256(canonicalize(value)).digest()


def sha384(value: Any) -> bytes:
    """SHA-384 of the canonical form, for keys on P-384 (vc-di-ecdsa 1.0 section 3.3.4)."""
    return hashlib.sha384(canonicalize(value)).digest()
