"""The verifier: one numbered list, made in this order, each refusal with its own code.

     (1) size: nothing larger than its limit is read
     (2) format: one of the known kinds
     (3) structure: parts, JSON, header, required members
     (4) issuer: trusted for one of the types
     (5) key: the issuer's own, listed for assertions
     (6) signature: allowed algorithm of that key
     (7) dates: expiry, begin, issue time
     (8) disclosures: each belongs to a digest, validity claims are not hidden, the audience is ours
     (9) type: claims follow the schema of their type
    (10) holder: key binding for this audience, request and transaction
    (11) consent: signed by the subject, covers grantee, purpose, time and claims
    (12) status: known, fresh, valid
    (13) replay: this presentation is used for the first time

The policy itself is checked when it is made. A presentation goes through (1) to (3), its holder's key
and signature as (5) and (6), (7), (10), then each credential in it goes through the whole list, then (13).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from credentials import jws, vc_jose
from credentials.candidates import (
    Candidate,
    DataIntegrityCandidate,
    LegacyCandidate,
    SdJwtCandidate,
    VcJwtCandidate,
)
from credentials.consent_credential import record_of
from credentials.consent_record import check_use, consent_hash_of, terms_hash
from credentials.data_integrity import model
from credentials.data_integrity.proof import check_dates, check_form, verify_proof
from credentials.did.document import AUTHENTICATION, did_of
from credentials.encoding import json_encode, json_object
from credentials.errors import (
    BindingError,
    ClaimsRefusedError,
    ConsentError,
    CredentialError,
    LimitError,
    MalformedError,
    ProofError,
    StatusRefusedError,
)
from credentials.formats import Format, detect, text_of
from credentials.keys import PublicKey
from credentials.legacy import model as legacy
from credentials.limits import MAX_CREDENTIALS
from credentials.policy import UnsafeIgnoreStatus, VerificationPolicy
from credentials.result import Accepted, Trail, Verification
from credentials.sd_jwt.json_form import is_json_form, parse_json
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.sd_jwt.parse import parse as parse_sd_jwt
from credentials.status import bitstring, token_list
from credentials.status.bits import StatusList, check_value
from credentials.times import check_claims, check_issued, numeric_date
from credentials.trust import TrustList


def verify(data: bytes | str, policy: VerificationPolicy, *, now: float) -> Verification:
    """Verify a credential or presentation of any supported format (RFC 9901 7.3, VCDM 2.0 7.1).

    Never raises for anything that ``data`` holds: the result says which check failed, and content is
    there only when every check passed.
    """
    trail = Trail()
    kind: Format | None = None
    try:
        trail.begin("size")  # (1)
        text = text_of(data)
        trail.begin("format")  # (2)
        kind = detect(text)
        trail.begin("structure")  # (3)
        if kind in _PRESENTATIONS:
            accepted = _presentation(_PRESENTATIONS[kind](text, policy), policy, now, trail)
        else:
            accepted = _credential(_candidate(kind, text, policy), policy, now, trail)
        trail.done()
    except CredentialError as error:
        trail.fail(error)
        return Verification(kind.value if kind else None, tuple(trail.checks), None, trail.status_uri)
    return Verification(kind.value, tuple(trail.checks), accepted)


def _candidate(kind: Format, text: str, policy: VerificationPolicy) -> Candidate:
    if kind is Format.SD_JWT_VC:
        return SdJwtCandidate(parse_sd_jwt(text))
    if kind is Format.SD_JWT_JSON:
        return SdJwtCandidate(parse_json(text))
    if kind is Format.VC_DI:
        return DataIntegrityCandidate(text, policy)
    if kind is Format.VC_JWT:
        return VcJwtCandidate(text, policy)
    return LegacyCandidate(text, legacy.JWT if kind is Format.LEGACY_JWT else legacy.LDP)


def _credential(candidate: Candidate, policy: VerificationPolicy, now: float, trail: Trail) -> Accepted:
    trail.begin("issuer")  # (4)
    if policy.issuers is not None:  # the policy refuses None; this tells the type checker
        policy.issuers.check(candidate.issuer, candidate.types)
    trail.begin("key")  # (5)
    candidate.find_key(policy)
    trail.begin("signature")  # (6)
    candidate.check_signature(policy)
    trail.begin("dates")  # (7)
    candidate.check_dates(now=now, rules=policy.times)
    trail.begin("disclosures")  # (8)
    claims = candidate.open()
    candidate.check_opened(policy, now=now)
    if policy.types is None:
        trail.skip("type", "no schema is registered")
    else:
        trail.begin("type")  # (9)
        policy.types.check(candidate.types, claims)
    trail.begin("holder")  # (10)
    holder = candidate.holder(policy, now=now)
    consent = _check_consent(candidate, policy, now, trail)  # (11)
    _check_status(claims, candidate.issuer, policy, now, trail)  # (12)
    _check_replay(policy, now, trail)  # (13)
    return Accepted(
        candidate.issuer,
        candidate.types,
        claims,
        candidate.subject,
        holder,
        candidate.disclosed(),
        consent,
    )


def _check_consent(candidate: Candidate, policy: VerificationPolicy, now: float, trail: Trail) -> dict[str, Any] | None:
    rule = policy.consent
    if rule is None:
        return None
    trail.begin("consent")
    if not rule.credential:
        raise ConsentError("consent_missing")
    if candidate.subject is None:
        raise ConsentError("consent_signer_mismatch", "the credential names no subject")
    # The consent is a credential of its own: the person is the only issuer that counts for it.
    inner = replace(
        policy,
        issuers=TrustList({candidate.subject: [rule.vct]}),
        types=None,
        key_binding=None,
        consent=None,
        replay=None,
        audience=rule.grantee,  # a consent names the agent that it is for
    )
    outcome = verify(rule.credential, inner, now=now)
    if outcome.code == "issuer_untrusted":
        raise ConsentError("consent_signer_mismatch")
    if outcome.code == "aud_mismatch":
        raise ConsentError("consent_grantee_mismatch")
    if outcome.accepted is None:
        trail.status_uri = outcome.status_uri
    record = record_of(outcome.require().claims)
    check_use(
        record,
        subject=candidate.subject,
        issuer=candidate.issuer,
        grantee=rule.grantee,
        purpose=rule.purpose,
        vct=candidate.types[0],
        paths=candidate.disclosed(),
        now=now,
        leeway=policy.times.leeway,
    )
    expected = policy.key_binding.transaction_data if policy.key_binding is not None else ()
    if expected and terms_hash(record) not in {consent_hash_of(item) for item in expected}:
        raise ConsentError("consent_hash_mismatch")
    return record


def _listing(uri: str, issuer: str, policy: VerificationPolicy, now: float, trail: Trail) -> StatusList:
    listing = policy.status.lookup(uri)
    if listing is None:
        trail.status_uri = uri
        raise StatusRefusedError("status_unavailable")
    if listing.uri != uri:
        raise StatusRefusedError("status_wrong_subject")
    if listing.issuer != issuer and listing.issuer not in policy.status.issuers:
        raise StatusRefusedError("status_wrong_issuer")
    try:
        listing.check_fresh(now=now, max_staleness=policy.status.max_staleness, leeway=policy.times.leeway)
    except StatusRefusedError:
        trail.status_uri = uri
        raise
    return listing


def _check_status(claims: dict[str, Any], issuer: str, policy: VerificationPolicy, now: float, trail: Trail) -> None:
    if isinstance(policy.status, UnsafeIgnoreStatus):
        trail.skip("status", "ignored by an unsafe policy")
        return
    trail.begin("status")
    found = False
    token = token_list.reference(claims)
    if token is not None:
        found = True
        check_value(_listing(token[0], issuer, policy, now, trail).at(token[1]))
    for entry in model.as_list(claims.get("credentialStatus")):
        found = True
        uri, index, purpose = bitstring.reference(entry)
        bitstring.check(_listing(uri, issuer, policy, now, trail), index, purpose)
    if not found and policy.status.required:
        raise StatusRefusedError("status_missing")


def _check_replay(policy: VerificationPolicy, now: float, trail: Trail) -> None:
    binding = policy.key_binding
    if policy.replay is None or binding is None:
        return
    trail.begin("replay")
    until = int(now) + binding.max_age + 2 * binding.leeway
    if not policy.replay.first_use(binding.audience, binding.nonce, until):
        raise BindingError("replayed")


class _Presentation(ABC):
    """A presentation of either securing mechanism, reduced to what the list needs."""

    def __init__(self, document: dict[str, Any], holder: str, credentials: list[str]) -> None:
        if len(credentials) > MAX_CREDENTIALS:
            raise LimitError("too_many_credentials", f"more than {MAX_CREDENTIALS}")
        if not credentials:
            raise ClaimsRefusedError("claim_missing", "verifiableCredential")
        self.document, self.holder, self.credentials = document, holder, credentials
        self.method: str | None = None

    @abstractmethod
    def check(self, key: PublicKey, policy: VerificationPolicy) -> None:
        """Check the holder's signature."""

    @abstractmethod
    def bind(self, binding: KeyBindingPolicy, policy: VerificationPolicy, now: float) -> None:
        """Check dates, audience and nonce."""


class _JwtPresentation(_Presentation):
    """``vp+jwt`` (VC-JOSE-COSE 1.0 section 3.1.2)."""

    def __init__(self, text: str, policy: VerificationPolicy) -> None:
        self.jws = jws.parse(text, typ=vc_jose.VP)
        document = vc_jose.payload_of(self.jws)
        model.check_presentation(document, policy.contexts)
        holder = model.holder_of(document)
        if document.get("iss", holder) != holder:
            raise ClaimsRefusedError("holder_mismatch", "iss and holder differ")
        super().__init__(document, holder, vc_jose.enveloped(document))
        self.method = self.jws.kid

    def check(self, key: PublicKey, policy: VerificationPolicy) -> None:
        jws.verify(self.jws, key, policy.algorithms)

    def bind(self, binding: KeyBindingPolicy, policy: VerificationPolicy, now: float) -> None:
        check_claims(self.document, now=now, rules=replace(policy.times, require_exp=False))
        issued = numeric_date(self.document, "iat")
        if issued is None:
            raise BindingError("kb_malformed", "no iat")
        check_issued(now=now, iat=issued, max_age=binding.max_age, leeway=binding.leeway)
        if self.document.get("aud") != binding.audience:
            raise BindingError("kb_aud_mismatch")
        if self.document.get("nonce") != binding.nonce:
            raise BindingError("kb_nonce_mismatch")


class _DataIntegrityPresentation(_Presentation):
    """A presentation with an ``authentication`` proof (VCDM 2.0 section 4.13, Data Integrity 1.0)."""

    def __init__(self, text: str, policy: VerificationPolicy) -> None:
        document = json_object(text)
        self.proof = check_form(document.get("proof"))
        if self.proof.get("proofPurpose") != AUTHENTICATION:
            raise ProofError("proof_purpose_mismatch")
        model.check_presentation(document, policy.contexts)
        inner = model.as_list(document.get("verifiableCredential"))
        if not all(isinstance(item, dict) for item in inner):
            raise ClaimsRefusedError("vcdm_malformed", "verifiableCredential")
        if any(is_json_form(item) for item in inner):  # VCDM 2.0 4.13: credentials or enveloped ones
            raise MalformedError("format_unknown", "not an embedded credential")
        texts = [json_encode(item).decode() for item in inner[: MAX_CREDENTIALS + 1]]
        super().__init__(document, model.holder_of(document), texts)
        self.method = self.proof["verificationMethod"]

    def check(self, key: PublicKey, policy: VerificationPolicy) -> None:
        self.document = verify_proof(self.document, self.proof, key)

    def bind(self, binding: KeyBindingPolicy, policy: VerificationPolicy, now: float) -> None:
        check_dates(self.proof, now=now, leeway=binding.leeway)
        if self.proof.get("challenge") != binding.nonce:
            raise BindingError("proof_challenge_mismatch")
        if self.proof.get("domain") != binding.audience:
            raise BindingError("proof_domain_mismatch")


def _presentation(presentation: _Presentation, policy: VerificationPolicy, now: float, trail: Trail) -> Accepted:
    if policy.key_binding is None:
        raise BindingError("kb_unexpected")
    trail.begin("key")  # (5)
    method = presentation.method
    if method is not None and not method.startswith("#") and did_of(method) != presentation.holder:
        raise ClaimsRefusedError("holder_mismatch", "signed by somebody else's key")
    key = policy.keys.issuer_key(presentation.holder, method, relationship=AUTHENTICATION)
    trail.begin("signature")  # (6)
    presentation.check(key, policy)
    trail.begin("holder")  # (7) and (10)
    presentation.bind(policy.key_binding, policy, now)
    inner_policy = replace(policy, key_binding=None, replay=None)
    results: list[Verification] = []
    for number, text in enumerate(presentation.credentials, start=1):
        trail.begin(f"credential {number}")
        outcome = verify(text, inner_policy, now=now)
        trail.status_uri = outcome.status_uri
        accepted = outcome.require()
        if policy.holder_is_subject and accepted.subject != presentation.holder:
            raise ClaimsRefusedError("holder_mismatch")
        results.append(outcome)
    _check_replay(policy, now, trail)  # (13)
    return Accepted(
        presentation.holder,
        model.types_of(presentation.document),
        presentation.document,
        presentation.holder,
        key,
        credentials=tuple(results),
    )


_PRESENTATIONS: dict[Format, Callable[[str, VerificationPolicy], _Presentation]] = {
    Format.VP_JWT: _JwtPresentation,
    Format.VP_DI: _DataIntegrityPresentation,
}
