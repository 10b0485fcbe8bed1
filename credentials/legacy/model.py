"""VCDM 1.1 credentials: what the engine leaves out is checked here.

The engine behind the port (didkit) proves that a signature holds, and nothing else: it accepts
expired credentials and presentations with forged credentials inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from credentials.algorithms import ALLOWED, Use
from credentials.data_integrity.contexts import VCDM1
from credentials.data_integrity.model import as_list, issuer_of, subjects_of, types_of
from credentials.did.document import did_of
from credentials.encoding import json_object
from credentials.errors import ClaimsRefusedError, IssuerRefusedError, ProofError, TimeRefusedError
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


@dataclass(frozen=True, slots=True)
class LegacyCredential:
    """A credential whose signature nobody has checked yet, with the dates of its JWT if it has one."""

    document: Mapping[str, Any]
    method: str  # verification method or kid; empty when none is named
    begin: float | None = None
    end: float | None = None


def read_jwt(token: str) -> LegacyCredential:
    """The credential inside a VC-JWT (VCDM 1.1 section 6.3.1).

    Claims and credential have to agree where both speak.
    """
    jws = parse(token, typ=None)
    ALLOWED[Use.CREDENTIAL].check(jws.header.get("alg"))  # before the engine reads the header its own way
    claims = jws.claims()
    document = claims.get("vc")
    if not isinstance(document, dict):
        raise ClaimsRefusedError("claim_missing", "vc")
    issuer = claims.get("iss")
    if not isinstance(issuer, str) or ("issuer" in document and issuer_of(document) != issuer):
        raise IssuerRefusedError("issuer_key_mismatch", "iss and issuer differ")
    full = {"issuer": issuer, **document}
    subject = full.get("credentialSubject")
    if "sub" in claims and isinstance(subject, dict):
        full["credentialSubject"] = {"id": claims["sub"], **subject}
        if full["credentialSubject"]["id"] != claims["sub"]:
            raise ClaimsRefusedError("vcdm_malformed", "sub and credentialSubject differ")
    begin, end = (numeric_date(claims, name) for name in ("nbf", "exp"))
    return LegacyCredential(full, jws.kid or "", begin, end)


def read_ldp(text: str) -> LegacyCredential:
    """A credential with an ``Ed25519Signature2020`` proof (VCDM 1.1 section 4.7)."""
    document = json_object(text)
    proof = document.get("proof")
    if not isinstance(proof, dict):
        raise ProofError("proof_missing" if proof is None else "proof_multiple")
    if proof.get("type") != SUITE:
        raise ProofError("suite_unsupported")
    if proof.get("proofPurpose") != "assertionMethod":
        raise ProofError("proof_purpose_mismatch")
    return LegacyCredential(document, str(proof.get("verificationMethod", "")))


def check_form(credential: LegacyCredential) -> str:
    """Check form and key of VCDM 1.1 (sections 4.1 to 4.5), not the signature; returns the issuer.

    Only issuers whose identifier is the key itself are accepted: the engine would fetch any other
    document on its own, without our address checks.
    """
    document = credential.document
    contexts = as_list(document.get("@context"))
    if not contexts or contexts[0] != VCDM1:
        raise ClaimsRefusedError("vcdm_context")
    if "VerifiableCredential" not in types_of(document):
        raise ClaimsRefusedError("vcdm_type")
    subjects_of(document)
    issuer = issuer_of(document)
    if not issuer.startswith(_LOCAL_METHODS):
        raise IssuerRefusedError("issuer_untrusted", "only did:key and did:jwk issuers in the legacy format")
    if credential.method and did_of(credential.method) != issuer:
        raise IssuerRefusedError("issuer_key_mismatch")
    return issuer


def check_dates(credential: LegacyCredential, *, now: float, rules: TimeRules) -> None:
    """Check the dates of credential and JWT, the narrower ones counting (VCDM 1.1 sections 4.6 and 6.3.1)."""
    document = credential.document
    begins = [timestamp(document[name], name) for name in ("issuanceDate",) if name in document]
    ends = [timestamp(document[name], name) for name in ("expirationDate",) if name in document]
    begins += [] if credential.begin is None else [credential.begin]
    ends += [] if credential.end is None else [credential.end]
    if not begins:
        raise ClaimsRefusedError("claim_missing", "issuanceDate")
    if rules.require_exp and not ends:
        raise TimeRefusedError("exp_missing")
    check_window(now=now, begin=max(begins), end=min(ends, default=None), leeway=rules.leeway)
