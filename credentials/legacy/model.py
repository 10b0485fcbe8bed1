"""VCDM 1.1 credentials: what the engine leaves out is checked here.

The engine behind the port (didkit) proves that a signature holds, and nothing else: it accepts
expired credentials and presentations with forged credentials inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from credentials.data_integrity.contexts import VCDM1
from credentials.data_integrity.model import as_list, issuer_of, subjects_of, types_of
from credentials.did.document import did_of
from credentials.encoding import json_object
from credentials.errors import ClaimsRefusedError, IssuerRefusedError, ProofError
from credentials.jws import parse
from credentials.times import TimeRules, check_window, numeric_date, timestamp

LDP: Final = "ldp_vc"
JWT: Final = "jwt_vc"
SUITE: Final = "Ed25519Signature2020"
_LOCAL_METHODS: Final = ("did:key:", "did:jwk:")


class LegacyEngine(Protocol):
    """Checks and makes signatures of VCDM 1.1; raises ``legacy_refused`` or ``legacy_unavailable``."""

    def verify(self, credential: str, *, proof_format: str) -> None:
        """Check the signature only (VCDM 1.1 section 4.7)."""

    def issue(self, credential: str, *, proof_format: str, jwk: str, verification_method: str) -> str:
        """Sign a credential (VCDM 1.1 section 4.7)."""


def credential_of_jwt(token: str) -> tuple[dict[str, Any], str]:
    """The credential inside a VC-JWT and its ``kid`` (VCDM 1.1 section 6.3.1), not yet verified.

    Claims and credential have to agree where both speak; the dates are those of the claims.
    """
    jws = parse(token, typ=None)
    claims = jws.claims()
    credential = claims.get("vc")
    if not isinstance(credential, dict):
        raise ClaimsRefusedError("claim_missing", "vc")
    issuer = claims.get("iss")
    if not isinstance(issuer, str) or ("issuer" in credential and issuer_of(credential) != issuer):
        raise IssuerRefusedError("issuer_key_mismatch", "iss and issuer differ")
    credential = {"issuer": issuer, **credential}
    for claim, name in (("nbf", "_begin"), ("exp", "_end")):
        value = numeric_date(claims, claim)
        if value is not None:
            credential[name] = value
    if "sub" in claims and isinstance(credential.get("credentialSubject"), dict):
        credential["credentialSubject"] = {"id": claims["sub"], **credential["credentialSubject"]}
    return credential, jws.kid or ""


def credential_of_ldp(text: str) -> tuple[dict[str, Any], str]:
    """A credential with an ``Ed25519Signature2020`` proof and its method (VCDM 1.1 section 4.7)."""
    document = json_object(text)
    proof = document.get("proof")
    if not isinstance(proof, dict):
        raise ProofError("proof_missing" if proof is None else "proof_multiple")
    if proof.get("type") != SUITE:
        raise ProofError("suite_unsupported")
    if proof.get("proofPurpose") != "assertionMethod":
        raise ProofError("proof_purpose_mismatch")
    return document, str(proof.get("verificationMethod", ""))


def check(credential: Mapping[str, Any], method: str, *, now: float, rules: TimeRules) -> None:
    """Check form, key and dates of VCDM 1.1 (sections 4.1 to 4.6, 4.8); not the signature.

    Only issuers whose identifier is the key itself are accepted: the engine would fetch any other
    document on its own, without our address checks.
    """
    contexts = as_list(credential.get("@context"))
    if not contexts or contexts[0] != VCDM1:
        raise ClaimsRefusedError("vcdm_context")
    if "VerifiableCredential" not in types_of(credential):
        raise ClaimsRefusedError("vcdm_type")
    subjects_of(credential)
    issuer = issuer_of(credential)
    if not issuer.startswith(_LOCAL_METHODS):
        raise IssuerRefusedError("issuer_untrusted", "only did:key and did:jwk issuers in the legacy format")
    if method and did_of(method) != issuer:
        raise IssuerRefusedError("issuer_key_mismatch")
    begins = [timestamp(credential[n], n) for n in ("issuanceDate",) if n in credential]
    ends = [timestamp(credential[n], n) for n in ("expirationDate",) if n in credential]
    begins += [credential["_begin"]] if "_begin" in credential else []
    ends += [credential["_end"]] if "_end" in credential else []
    if not begins:
        raise ClaimsRefusedError("claim_missing", "issuanceDate")
    if rules.require_exp and not ends:
        raise ClaimsRefusedError("exp_missing")
    check_window(now=now, begin=max(begins), end=min(ends, default=None), leeway=rules.leeway)
