"""From an issuer's name to its keys: a DID document, or the metadata of an HTTPS issuer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from credentials.algorithms import preferred
from credentials.did.document import ASSERTION, absolute, did_of
from credentials.did.web import check_host
from credentials.encoding import json_object
from credentials.errors import CredentialError, IssuerRefusedError, LimitError
from credentials.keys import PublicKey
from credentials.limits import MAX_METADATA_BYTES, MAX_VERIFICATION_METHODS
from credentials.ports import Resolver

_WELL_KNOWN: Final = "/.well-known/jwt-vc-issuer"


def metadata_url(issuer: str) -> str:
    """Where an HTTPS issuer publishes its keys (SD-JWT VC section 5.1): inserted before the path."""
    parts = urlsplit(issuer)
    if parts.scheme != "https" or parts.query or parts.fragment or parts.username or not parts.hostname:
        raise IssuerRefusedError("issuer_metadata_malformed", "not an https issuer")
    check_host(parts.hostname)
    return f"https://{parts.netloc}{_WELL_KNOWN}{parts.path.rstrip('/')}"


@dataclass(frozen=True, slots=True)
class IssuerKeys:
    """The keys of one HTTPS issuer by key identifier."""

    issuer: str
    keys: Mapping[str | None, PublicKey]

    def key(self, kid: str | None) -> PublicKey:
        """The key that a header names; without a name there must be exactly one (SD-JWT VC section 3.5)."""
        if kid is None and len(self.keys) == 1:
            return next(iter(self.keys.values()))
        key = self.keys.get(kid)
        if key is None:
            raise IssuerRefusedError("issuer_key_mismatch")
        return key


def parse_metadata(data: bytes, issuer: str, *, jwks: bytes | None = None) -> IssuerKeys:
    """Read issuer metadata (SD-JWT VC section 5.2); ``jwks`` are the bytes behind a ``jwks_uri``.

    Keys of other types than ours are left out, so that an issuer may publish more than we accept.
    """
    if max(len(data), len(jwks or b"")) > MAX_METADATA_BYTES:
        raise LimitError("too_large", f"more than {MAX_METADATA_BYTES} bytes")
    metadata = json_object(data)
    if metadata.get("issuer") != issuer or ("jwks" in metadata) == ("jwks_uri" in metadata):
        raise IssuerRefusedError("issuer_metadata_malformed")
    key_set = json_object(jwks) if jwks is not None and "jwks_uri" in metadata else metadata.get("jwks")
    items = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(items, list) or len(items) > MAX_VERIFICATION_METHODS:
        raise IssuerRefusedError("issuer_metadata_malformed", "no key set")
    keys: dict[str | None, PublicKey] = {}
    for item in items:
        kid = item.get("kid") if isinstance(item, dict) else None
        try:
            key = PublicKey.from_jwk(item)
        except CredentialError:
            continue
        if not isinstance(kid, str | None) or kid in keys:
            raise IssuerRefusedError("issuer_metadata_malformed", "a key identifier is there twice")
        keys[kid] = key
    return IssuerKeys(issuer, keys)


@dataclass(frozen=True, slots=True)
class KeySource:
    """Everything that was fetched about issuers before a verification."""

    resolver: Resolver
    https: Mapping[str, IssuerKeys] = field(default_factory=dict)

    def issuer_key(self, issuer: str, kid: str | None, *, relationship: str = ASSERTION) -> PublicKey:
        """The key of ``issuer`` that ``kid`` names (Data Integrity 1.0 5.9, VC-JOSE-COSE 4.1, SD-JWT VC 3.5).

        The key identifier must be one of the issuer's own: a valid signature by somebody else's key
        is ``issuer_key_mismatch``.
        """
        if not issuer.startswith("did:"):
            if kid is not None and kid.startswith("did:"):
                raise IssuerRefusedError("issuer_key_mismatch")
            keys = self.https.get(issuer)
            if keys is None:
                raise IssuerRefusedError("issuer_key_mismatch", "no metadata of the issuer was given")
            return keys.key(kid)
        if kid is None:
            return self.resolver.document(issuer).only_key(relationship)[1]
        # A header may name a key of a DID document by its fragment alone.
        url = absolute(issuer, kid if "#" in kid else f"#{kid}")
        if did_of(url) != issuer:
            raise IssuerRefusedError("issuer_key_mismatch")
        return self.resolver.document(issuer).key(url, relationship)


def jwks_of(keys: Mapping[str, PublicKey]) -> dict[str, Any]:
    """A public key set for our own metadata (RFC 7517 section 5)."""
    return {
        "keys": [
            {**key.to_jwk(), "kid": kid, "alg": preferred(key.key_type), "use": "sig"} for kid, key in keys.items()
        ]
    }


def build_metadata(issuer: str, keys: Mapping[str, PublicKey]) -> dict[str, Any]:
    """Our own issuer metadata (SD-JWT VC section 5.2)."""
    metadata_url(issuer)
    return {"issuer": issuer, "jwks": jwks_of(keys)}
