"""Strict compact JWS: what general JOSE libraries let pass and RFC 7515, 7797 or 8725 forbid is refused here.

The envelope is parsed once and by this module alone; signatures are made and checked by ``credentials.keys``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from credentials.algorithms import AllowList, check_key
from credentials.encoding import b64url_bytes, b64url_decode, json_encode, json_object
from credentials.errors import CredentialError, LimitError, MalformedError, ProofError
from credentials.keys import PublicKey
from credentials.limits import MAX_HEADER_BYTES, MAX_KID_CHARS, MAX_TOKEN_BYTES
from credentials.ports import Signer

_CACHED_HEADERS: Final = 256
_KEY_HEADERS: Final = ("jwk", "jku", "x5u")
# RFC 7515 section 4.1.11: names of the specification itself must not be listed as critical.
STANDARD: Final = frozenset(
    {"alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip"}
)


class Jws(NamedTuple):
    """A parsed compact JWS whose signature has not been checked yet."""

    header: dict[str, Any]
    payload: bytes
    signing_input: bytes
    signature: bytes

    @property
    def kid(self) -> str | None:
        """The key identifier of the header (RFC 7515 section 4.1.4)."""
        kid: str | None = self.header.get("kid")
        return kid

    def claims(self) -> dict[str, Any]:
        """The payload as JWT claims (RFC 7519 section 7.2)."""
        return json_object(self.payload)


def _check_crit(header: dict[str, Any]) -> None:
    crit = header["crit"]
    names = crit if isinstance(crit, list) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise MalformedError("crit_malformed")
    if len(set(names)) != len(names) or any(name in STANDARD or name not in header for name in names):
        raise MalformedError("crit_malformed")
    raise MalformedError("crit_unsupported", f"{len(names)} critical extensions")


def _check_header(header: dict[str, Any], typ: str | None, *, key_in_header: bool) -> None:
    if "b64" in header:
        raise MalformedError("b64_unsupported")
    if "crit" in header:
        _check_crit(header)
    if any(name in header for name in (_KEY_HEADERS[1:] if key_in_header else _KEY_HEADERS)):
        raise MalformedError("header_key_refused")
    kid = header.get("kid")
    if kid is not None and (not isinstance(kid, str) or not kid or len(kid) > MAX_KID_CHARS):
        raise MalformedError("header_malformed", "kid is not a short text")
    if typ is not None:
        found = header.get("typ")
        # RFC 7515 4.1.9: media types compare without case, and "application/" may be left out.
        if not isinstance(found, str) or found.lower().removeprefix("application/") != typ:
            raise ProofError("typ_mismatch", f"expected {typ}")


def parse(token: str, *, typ: str | None, limit: int = MAX_TOKEN_BYTES, key_in_header: bool = False) -> Jws:
    """Split and check a compact JWS without trusting it (RFC 7515 sections 5.2 and 7.1, RFC 8725 3.11).

    ``typ`` is the media type required of this format; ``None`` is for formats that define none.
    ``key_in_header`` is for the few protocols that say so (OpenID4VCI key proofs).
    """
    if len(token) > limit:
        raise LimitError("too_large", f"more than {limit} characters")
    parts = token.split(".", 3)  # one more than allowed is enough to see
    if len(parts) != 3:
        raise MalformedError("malformed", "not three parts")
    raw_header = b64url_decode(parts[0])
    if len(raw_header) > MAX_HEADER_BYTES:
        raise LimitError("too_large", f"header of more than {MAX_HEADER_BYTES} bytes")
    header = json_object(raw_header)
    _check_header(header, typ, key_in_header=key_in_header)
    payload, signature = b64url_decode(parts[1]), b64url_decode(parts[2])
    return Jws(header, payload, f"{parts[0]}.{parts[1]}".encode("ascii"), signature)


def verify(jws: Jws, key: PublicKey, allowed: AllowList) -> None:
    """Check the signature (RFC 7515 section 5.2): algorithm allowed here, belongs to the key, holds."""
    check_key(allowed.check(jws.header.get("alg")), key.key_type)
    if not key.verify(jws.signing_input, jws.signature):
        raise ProofError("signature_invalid")


def header_key(jws: Jws) -> PublicKey:
    """The key of a ``jwk`` header, only for protocols that put it there (OpenID4VCI 1.0 Appendix F.1)."""
    try:
        return PublicKey.from_jwk(jws.header.get("jwk"))
    except CredentialError as error:
        raise MalformedError("header_malformed", f"jwk header: {error.code}") from error


def sign(payload: dict[str, Any], signer: Signer, *, typ: str, header: dict[str, Any] | None = None) -> str:
    """Make a compact JWS over JSON claims (RFC 7515 section 5.1) with explicit type (RFC 8725 3.11)."""
    if not header:
        return _sign(_plain_header(signer.alg, typ, signer.kid), json_encode(payload), signer)
    full = {"alg": signer.alg, "typ": typ} | ({} if signer.kid is None else {"kid": signer.kid}) | header
    return sign_bytes(full, json_encode(payload), signer)


def sign_bytes(header: dict[str, Any], payload: bytes, signer: Signer) -> str:
    """Make a compact JWS over given bytes (RFC 7515 section 5.1); the header is used as it is."""
    return _sign(b64url_bytes(json_encode(header)), payload, signer)


def _sign(header: bytes, payload: bytes, signer: Signer) -> str:
    signing_input = header + b"." + b64url_bytes(payload)
    return (signing_input + b"." + b64url_bytes(signer.sign(signing_input))).decode("ascii")


@lru_cache(maxsize=_CACHED_HEADERS)
def _plain_header(alg: str, typ: str, kid: str | None) -> bytes:
    """The usual header of a signer, encoded once: it is the same in every token that it makes."""
    members = {"alg": alg, "typ": typ} | ({} if kid is None else {"kid": kid})
    return b64url_bytes(json_encode(members))
