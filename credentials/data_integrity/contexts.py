"""Known JSON-LD contexts by address and SHA-256: nothing is fetched, nothing unknown is believed.

The JCS suites sign the JSON as it stands and never expand a context, so only the addresses matter
to them; the digests serve callers that hand context bytes to an RDF processor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Final

from credentials.errors import ClaimsRefusedError

VCDM2: Final = "https://www.w3.org/ns/credentials/v2"
VCDM1: Final = "https://www.w3.org/2018/credentials/v1"

# VCDM 2.0 section B.1 publishes the digest of its context; recomputed by a test from the file.
KNOWN: Final[Mapping[str, str]] = {
    VCDM2: "59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734",
}


def check_contexts(context: object, first: str, allowed: Collection[str]) -> None:
    """Require the model's context first and only allowed ones after it (VCDM 2.0 4.3, DI 1.0 2.4.1).

    Inline contexts are refused: they can give a signed term another meaning.
    """
    if not isinstance(context, list) or not context or context[0] != first:
        raise ClaimsRefusedError("vcdm_context")
    for item in context[1:]:
        if not isinstance(item, str) or (item not in allowed and item not in KNOWN):
            raise ClaimsRefusedError("context_unknown")


def check_content(address: str, content: bytes, extra: Mapping[str, str] | None = None) -> None:
    """Require that context bytes have the known digest (Data Integrity 1.0 sections 2.4.3 and 4.6)."""
    expected = {**(extra or {}), **KNOWN}.get(address)
    if expected is None:
        raise ClaimsRefusedError("context_unknown")
    if hashlib.sha256(content).hexdigest() != expected:
        raise ClaimsRefusedError("context_hash_mismatch")
