"""The formats behind ``verify``: each answers the same questions about bytes not yet believed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from credentials import jws, vc_jose
from credentials.data_integrity import model
from credentials.data_integrity.proof import check_dates, check_form, verify_proof
from credentials.did.document import ASSERTION
from credentials.encoding import json_object
from credentials.errors import (
    BindingError,
    ClaimsRefusedError,
    DisclosureError,
    IssuerRefusedError,
    ProofError,
)
from credentials.keys import PublicKey
from credentials.legacy import model as legacy
from credentials.policy import VerificationPolicy
from credentials.sd_jwt import key_binding
from credentials.sd_jwt.issue import ALWAYS_PLAIN
from credentials.sd_jwt.parse import SdJwt
from credentials.sd_jwt.process import Processed, process
from credentials.times import TimeRules, check_claims

ClaimPath = tuple[str | int, ...]


class Candidate(ABC):
    """A parsed credential; nothing of it may be used before every method has returned."""

    issuer: str
    types: tuple[str, ...]

    @abstractmethod
    def find_key(self, policy: VerificationPolicy) -> None:
        """Find the issuer's own key for assertions (Data Integrity 1.0 5.9, SD-JWT VC 3.5)."""

    @abstractmethod
    def check_signature(self, policy: VerificationPolicy) -> None:
        """Check the issuer's signature with that key (RFC 8725 3.1, RFC 9901 7.1 step 2)."""

    @abstractmethod
    def check_dates(self, *, now: float, rules: TimeRules) -> None:
        """Check the validity of the signed content (RFC 7519 4.1.4 to 4.1.6, VCDM 2.0 4.9)."""

    @abstractmethod
    def open(self) -> dict[str, Any]:
        """The signed content with what was disclosed (RFC 9901 7.1 step 3)."""

    def holder(self, policy: VerificationPolicy, *, now: float) -> PublicKey | None:
        """The key that the presenter proved to hold, when the policy asks (RFC 9901 7.3)."""
        if policy.key_binding is not None:
            raise BindingError("kb_missing")
        return None

    @abstractmethod
    def check_opened(self, policy: VerificationPolicy, *, now: float) -> None:
        """What can only be checked of the disclosed content (RFC 9901 7.1 step 6)."""

    def disclosed(self) -> tuple[ClaimPath, ...]:
        """The claim paths that the verifier learns, for the consent test (RFC 9901 7.1)."""
        return ()

    @property
    def subject(self) -> str | None:
        """Whom the claims are about."""
        return None


def check_audience(claims: Mapping[str, Any], policy: VerificationPolicy) -> None:
    """Refuse a credential that is for somebody else (RFC 7519 section 4.1.3, RFC 9901 7.1 step 6).

    Without an expected audience nobody is meant, so that a credential with ``aud`` is refused.
    """
    if "aud" not in claims:
        return
    named = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    mine = policy.audience or (policy.key_binding.audience if policy.key_binding is not None else None)
    if mine is None or mine not in named:
        raise BindingError("aud_mismatch")


class SdJwtCandidate(Candidate):
    """``dc+sd-jwt`` (SD-JWT VC), from either of its forms."""

    def __init__(self, token: SdJwt) -> None:
        self.token = token
        self.payload = self.token.jws.claims()
        vct = self.payload.get("vct")
        if not isinstance(vct, str) or not vct:
            raise ClaimsRefusedError("claim_missing", "vct")
        issuer = self.payload.get("iss")
        if not isinstance(issuer, str) or not issuer:
            raise IssuerRefusedError("issuer_missing")
        self.issuer, self.types = issuer, (vct,)
        self._processed: Processed | None = None

    def find_key(self, policy: VerificationPolicy) -> None:
        """SD-JWT VC section 3.5; DID issuers are this project's profile."""
        self._key = policy.keys.issuer_key(self.issuer, self.token.jws.kid)

    def check_signature(self, policy: VerificationPolicy) -> None:
        """RFC 9901 section 7.1 step 2."""
        jws.verify(self.token.jws, self._key, policy.algorithms)

    def check_dates(self, *, now: float, rules: TimeRules) -> None:
        """SD-JWT VC section 3.2.2 with RFC 7519 section 4.1."""
        check_claims(self.payload, now=now, rules=rules)

    def open(self) -> dict[str, Any]:
        """RFC 9901 section 7.1 steps 3 to 5, SD-JWT VC section 3.2.2.2."""
        self._processed = process(self.payload, self.token.disclosures)
        if self._processed.disclosed_names & ALWAYS_PLAIN:
            raise DisclosureError("claim_must_be_plain")
        return self._processed.claims

    def check_opened(self, policy: VerificationPolicy, *, now: float) -> None:
        """RFC 9901 section 7.1 step 6: an issue time may be disclosed, an audience may be named."""
        if self._processed is not None:
            check_audience(self._processed.claims, policy)
            if "iat" in self._processed.disclosed_names:
                check_claims(self._processed.claims, now=now, rules=policy.times)

    def holder(self, policy: VerificationPolicy, *, now: float) -> PublicKey | None:
        """RFC 9901 section 7.3: the policy decides, never what the holder sent."""
        if policy.key_binding is None:
            if self.token.key_binding is not None:
                raise BindingError("kb_unexpected")
            return None
        return key_binding.verify(self.token, self.payload, policy.key_binding, now=now)

    def disclosed(self) -> tuple[ClaimPath, ...]:
        """Paths that came from disclosures (RFC 9901 7.1); plain claims are shown to everybody."""
        return () if self._processed is None else tuple(self._processed.paths.values())

    @property
    def subject(self) -> str | None:
        """The ``sub`` claim (SD-JWT VC section 3.2.2.1)."""
        value = self.payload.get("sub")
        return value if isinstance(value, str) else None


def _subject_id(document: dict[str, Any]) -> str | None:
    value = model.subjects_of(document)[0].get("id")
    return value if isinstance(value, str) else None


class DataIntegrityCandidate(Candidate):
    """VCDM 2.0 with a JCS proof."""

    def __init__(self, text: str, policy: VerificationPolicy) -> None:
        self.document = json_object(text)
        self.proof = check_form(self.document.get("proof"))
        if self.proof.get("proofPurpose") != ASSERTION:
            raise ProofError("proof_purpose_mismatch")
        model.check_credential(self.document, policy.contexts)
        self.issuer, self.types = model.issuer_of(self.document), model.types_of(self.document)

    def find_key(self, policy: VerificationPolicy) -> None:
        """Data Integrity 1.0 sections 4.3 and 5.9."""
        self._key = policy.keys.issuer_key(self.issuer, self.proof["verificationMethod"])

    def check_signature(self, policy: VerificationPolicy) -> None:
        """vc-di-eddsa 1.0 section 3.3.2; the document becomes the one that was signed."""
        self.document = verify_proof(self.document, self.proof, self._key)

    def check_dates(self, *, now: float, rules: TimeRules) -> None:
        """VCDM 2.0 section 4.9, Data Integrity 1.0 section 2.1."""
        check_dates(self.proof, now=now, leeway=rules.leeway)
        model.check_validity(self.document, now=now, rules=rules)

    def open(self) -> dict[str, Any]:
        """The signed document without its proof (vc-di-eddsa 1.0 section 3.3.2)."""
        return self.document

    def check_opened(self, policy: VerificationPolicy, *, now: float) -> None:
        """Nothing is disclosed later and no audience is named (VCDM 2.0 section 4.2)."""

    @property
    def subject(self) -> str | None:
        """The id of the first subject (VCDM 2.0 section 4.8)."""
        return _subject_id(self.document)


class VcJwtCandidate(Candidate):
    """``vc+jwt`` (VC-JOSE-COSE)."""

    def __init__(self, text: str, policy: VerificationPolicy) -> None:
        self.jws = jws.parse(text, typ=vc_jose.VC)
        self.document = vc_jose.payload_of(self.jws)
        model.check_credential(self.document, policy.contexts)
        self.issuer, self.types = vc_jose.issuer(self.document), model.types_of(self.document)

    def find_key(self, policy: VerificationPolicy) -> None:
        """VC-JOSE-COSE 1.0 section 4.1."""
        self._key = policy.keys.issuer_key(self.issuer, self.jws.kid)

    def check_signature(self, policy: VerificationPolicy) -> None:
        """VC-JOSE-COSE 1.0 section 3.1.1."""
        jws.verify(self.jws, self._key, policy.algorithms)

    def check_dates(self, *, now: float, rules: TimeRules) -> None:
        """RFC 7519 section 4.1 for the token, VCDM 2.0 section 4.9 for the credential."""
        check_claims(self.document, now=now, rules=TimeRules(rules.leeway, False, rules.max_age))
        model.check_validity(self.document, now=now, rules=rules)

    def open(self) -> dict[str, Any]:
        """The payload is the credential (VC-JOSE-COSE 1.0 section 3.1.1)."""
        return self.document

    def check_opened(self, policy: VerificationPolicy, *, now: float) -> None:
        """RFC 7519 section 4.1.3."""
        check_audience(self.document, policy)

    @property
    def subject(self) -> str | None:
        """The id of the first subject (VCDM 2.0 section 4.8)."""
        return _subject_id(self.document)


class LegacyCandidate(Candidate):
    """VCDM 1.1 through the engine of the ``didkit`` extra, with our own checks around it."""

    def __init__(self, text: str, proof_format: str) -> None:
        self.text, self.proof_format = text, proof_format
        self.credential = legacy.read_jwt(text) if proof_format == legacy.JWT else legacy.read_ldp(text)
        self.issuer = legacy.check_form(self.credential)
        self.document = {name: value for name, value in self.credential.document.items() if name != "proof"}
        self.types = model.types_of(self.document)

    def find_key(self, policy: VerificationPolicy) -> None:
        """VCDM 1.1 section 4.7; the key must be importable by our own rules before the engine sees it."""
        policy.keys.issuer_key(self.issuer, self.credential.method or None)

    def check_signature(self, policy: VerificationPolicy) -> None:
        """VCDM 1.1 section 4.7: the engine proves the signature and nothing else."""
        if policy.legacy is None:
            raise ProofError("suite_unsupported", "VCDM 1.1 needs the didkit extra")
        policy.legacy.verify(self.text, proof_format=self.proof_format)

    def check_dates(self, *, now: float, rules: TimeRules) -> None:
        """VCDM 1.1 section 4.6; the engine does not look at dates of embedded proofs."""
        legacy.check_dates(self.credential, now=now, rules=rules)

    def open(self) -> dict[str, Any]:
        """The credential without its proof (VCDM 1.1 section 4.7)."""
        return self.document

    def check_opened(self, policy: VerificationPolicy, *, now: float) -> None:
        """Nothing is disclosed later (VCDM 1.1 section 4.7)."""

    @property
    def subject(self) -> str | None:
        """The id of the first subject (VCDM 1.1 section 4.4)."""
        return _subject_id(self.document)
