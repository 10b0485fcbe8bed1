"""Token Status List (draft-ietf-oauth-status-list-20) as a signed JWT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from credentials import jws
from credentials.algorithms import ALLOWED, AllowList, Use
from credentials.encoding import b64url_decode, b64url_encode
from credentials.errors import CredentialError, StatusRefusedError
from credentials.jws import Jws
from credentials.keys import PublicKey
from credentials.limits import LEEWAY_SECONDS, MAX_STATUS_TOKEN_BYTES
from credentials.ports import Signer
from credentials.status.bits import WIDTHS, StatusList, deflate, inflate
from credentials.times import check_issued, check_window, numeric_date

TYPE: Final = "statuslist+jwt"
TTL_SECONDS: Final = 300
CONSENT_TTL_SECONDS: Final = 30
LIFE_SECONDS: Final = 86_400


def encode_list(data: bytes) -> str:
    """The ``lst`` member (section 4.2): zlib, then base64url."""
    return b64url_encode(deflate(data, gzip=False))


def decode_list(bits: object, lst: object) -> bytes:
    """Read ``bits`` and ``lst`` (section 4.2) with bounded inflation."""
    if bits not in WIDTHS or isinstance(bits, bool) or not isinstance(lst, str):
        raise StatusRefusedError("status_list_malformed")
    try:
        packed = b64url_decode(lst)
    except CredentialError as error:
        raise StatusRefusedError("status_list_malformed", error.code) from error
    return inflate(packed, gzip=False)


def issue(
    uri: str,
    data: bytes,
    signer: Signer,
    *,
    bits: int,
    now: int,
    issuer: str | None = None,
    ttl: int = TTL_SECONDS,
    life: int = LIFE_SECONDS,
) -> str:
    """Sign a status list token (section 5.1); ``sub`` is the address where it is served."""
    claims: dict[str, Any] = {"sub": uri, "iat": now, "exp": now + life, "ttl": ttl}
    if issuer is not None:
        claims["iss"] = issuer
    claims["status_list"] = {"bits": bits, "lst": encode_list(data)}
    return jws.sign(claims, signer, typ=TYPE)


def parse(token: str) -> Jws:
    """Parse a status list token (section 5.1) so that the caller can look up its key."""
    return jws.parse(token, typ=TYPE, limit=MAX_STATUS_TOKEN_BYTES)


def verify(
    token: Jws,
    key: PublicKey,
    *,
    uri: str,
    issuer: str,
    now: float,
    leeway: int = LEEWAY_SECONDS,
    allowed: AllowList = ALLOWED[Use.STATUS_LIST],
) -> StatusList:
    """Verify a token fetched from ``uri`` (section 8.3): signature, ``sub``, dates, list.

    ``issuer`` is the identifier that ``key`` belongs to; an ``iss`` claim must name the same.
    """
    jws.verify(token, key, allowed)
    claims = token.claims()
    if claims.get("sub") != uri:
        raise StatusRefusedError("status_wrong_subject")
    if claims.get("iss", issuer) != issuer:
        raise StatusRefusedError("status_wrong_issuer")
    iat, exp, ttl = (numeric_date(claims, name) for name in ("iat", "exp", "ttl"))
    if iat is None:
        raise StatusRefusedError("status_list_malformed", "no iat")
    check_issued(now=now, iat=iat, max_age=None, leeway=leeway)
    check_window(now=now, begin=None, end=exp, leeway=leeway)
    content = claims.get("status_list")
    if not isinstance(content, dict):
        raise StatusRefusedError("status_list_malformed")
    data = decode_list(content.get("bits"), content.get("lst"))
    return StatusList(uri, issuer, data, content["bits"], False, now, ttl, exp)


def reference(claims: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The ``uri`` and ``idx`` of a credential (section 6.2), or ``None`` when it has no status."""
    status = claims.get("status")
    if status is None:
        return None
    entry = status.get("status_list") if isinstance(status, dict) else None
    if not isinstance(entry, dict):
        raise StatusRefusedError("status_unsupported")
    if not isinstance(entry.get("uri"), str):
        raise StatusRefusedError("status_index_malformed", "no uri")
    return entry["uri"], entry.get("idx")
