"""did:key and did:jwk: the identifier is the key, nothing is fetched."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from credentials.did.document import ASSERTION, AUTHENTICATION, DidDocument
from credentials.encoding import b64url_decode, b64url_encode, json_encode, json_object
from credentials.errors import CredentialError, DidError
from credentials.keys import PublicKey
from credentials.limits import MAX_DID_BYTES

_KEY: Final = "did:key:"
_JWK: Final = "did:jwk:"
_CACHED: Final = 1_024  # documents; each holds one small key


def did_key(key: PublicKey) -> str:
    """The did:key of a public key (did:key 0.9 section 3.1)."""
    return _KEY + key.to_multikey()


def did_key_url(key: PublicKey) -> str:
    """The verification method of a did:key (did:key 0.9 section 3.1.2)."""
    multikey = key.to_multikey()
    return f"{_KEY}{multikey}#{multikey}"


def did_jwk(key: PublicKey) -> str:
    """The did:jwk of a public key (did:jwk method, "Create")."""
    return _JWK + b64url_encode(json_encode(key.to_jwk()))


@lru_cache(maxsize=_CACHED)
def key_document(did: str) -> DidDocument:
    """Expand a did:key (did:key 0.9 section 3.1.1); the value must be the canonical one of its key."""
    if not did.startswith(_KEY) or len(did) > MAX_DID_BYTES:
        raise DidError("did_malformed")
    value = did.removeprefix(_KEY)
    key = PublicKey.from_multikey(value)
    if key.to_multikey() != value:
        raise DidError("did_malformed", "not the canonical form")
    method: dict[str, Any] = {"type": "Multikey", "publicKeyMultibase": value}
    return _document(did, f"{did}#{value}", method)


@lru_cache(maxsize=_CACHED)
def jwk_document(did: str) -> DidDocument:
    """Expand a did:jwk (did:jwk method, "Read"); private and foreign keys are refused."""
    if not did.startswith(_JWK) or len(did) > MAX_DID_BYTES:
        raise DidError("did_malformed")
    try:
        jwk = json_object(b64url_decode(did.removeprefix(_JWK)))
    except CredentialError as error:
        raise DidError("did_malformed", f"{error.code}") from error
    PublicKey.from_jwk(jwk)
    return _document(did, f"{did}#0", {"type": "JsonWebKey", "publicKeyJwk": jwk})


def _document(did: str, url: str, method: dict[str, Any]) -> DidDocument:
    source = {
        "id": did,
        "verificationMethod": [{"id": url, "controller": did, **method}],
        AUTHENTICATION: [url],
        ASSERTION: [url],
    }
    return DidDocument(source, did)
