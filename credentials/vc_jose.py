"""VC-JOSE-COSE 1.0: ``vc+jwt`` and ``vp+jwt``, where the payload is the credential itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from credentials.data_integrity.contexts import VCDM2
from credentials.data_integrity.model import as_list, issuer_of
from credentials.errors import ClaimsRefusedError, IssuerRefusedError, LimitError, MalformedError
from credentials.jws import Jws, sign
from credentials.limits import MAX_CREDENTIALS
from credentials.ports import Signer

VC: Final = "vc+jwt"
VP: Final = "vp+jwt"
ENVELOPED: Final = "EnvelopedVerifiableCredential"
_DATA: Final = f"data:application/{VC},"


def payload_of(jws: Jws) -> dict[str, Any]:
    """The credential or presentation (section 3.1.1); a ``vc`` or ``vp`` claim is of another format."""
    claims = jws.claims()
    if "vc" in claims or "vp" in claims:
        raise ClaimsRefusedError("vcdm_claim_refused")
    return claims


def issuer(claims: Mapping[str, Any]) -> str:
    """The issuer; an ``iss`` claim must name the same (section 3.1.3)."""
    name = issuer_of(claims)
    if claims.get("iss", name) != name:
        raise IssuerRefusedError("issuer_key_mismatch", "iss and issuer differ")
    return name


def enveloped(presentation: Mapping[str, Any]) -> list[str]:
    """The tokens inside a presentation (section 3.1.2, VCDM 2.0 section 4.13.1).

    Only enveloped ``vc+jwt`` credentials are accepted; their number is bounded.
    """
    items = as_list(presentation.get("verifiableCredential"))
    if len(items) > MAX_CREDENTIALS:
        raise LimitError("too_many_credentials", f"more than {MAX_CREDENTIALS}")
    tokens: list[str] = []
    for item in items:
        kind = as_list(item.get("type")) if isinstance(item, dict) else []
        if not isinstance(item, dict) or ENVELOPED not in kind or not isinstance(item.get("id"), str):
            raise MalformedError("format_unknown", "not an enveloped credential")
        if not item["id"].startswith(_DATA):
            raise MalformedError("format_unknown", "another media type")
        tokens.append(item["id"].removeprefix(_DATA))
    return tokens


def issue(credential: Mapping[str, Any], signer: Signer) -> str:
    """Secure a credential as ``vc+jwt`` (section 3.1.1); the payload is the credential unchanged."""
    return sign(dict(credential), signer, typ=VC, header={"cty": "vc"})


def present(
    tokens: list[str], holder: str, signer: Signer, *, audience: str, nonce: str, issued_at: int, life: int
) -> str:
    """Make a ``vp+jwt`` (section 3.1.2) of enveloped credentials for one audience and request."""
    presentation: dict[str, Any] = {
        "@context": [VCDM2],
        "type": ["VerifiablePresentation"],
        "holder": holder,
        "verifiableCredential": [{"@context": VCDM2, "type": ENVELOPED, "id": f"{_DATA}{token}"} for token in tokens],
        "aud": audience,
        "nonce": nonce,
        "iat": issued_at,
        "exp": issued_at + life,
    }
    return sign(presentation, signer, typ=VP, header={"cty": "vp"})
