"""Consent records with the fields of ISO/IEC TS 27560:2023, hashed with JCS, signed by their subject.

The record is plain JSON: a verifier needs no JSON-LD, no vocabulary and no network. It names whose
data, for whom, why, which claims, from whom, how long, and carries its own history of states.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from credentials.consent_terms import IN_FORCE, LEGAL_BASES, PURPOSES, TRANSITIONS, ConsentState
from credentials.data_integrity.jcs import canonicalize, sha256
from credentials.encoding import b64url_decode, b64url_encode, json_encode, json_object
from credentials.errors import ConsentError, CredentialError, LimitError
from credentials.limits import LEEWAY_SECONDS, MAX_CONSENT_BYTES
from credentials.times import timestamp, to_timestamp

SCHEMA_VERSION: Final = "ISO/IEC TS 27560:2023"
_TEXTS: Final = ("schema_version", "record_id", "pii_principal_id")
_PROCESSING_TEXTS: Final = ("purpose", "lawful_basis", "jurisdiction", "withdrawal_method")

_EVENT_TEXTS: Final = ("entity_id", "event_time")

ClaimPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ConsentTerms:
    """What a person is asked to agree to."""

    record_id: str
    subject: str  # DID of the person
    grantee: str  # DID of the agent that receives
    sources: Sequence[str]  # identifiers of the issuers whose credentials may be shown
    vct: str
    claims: Sequence[Sequence[str | int]]  # claim paths; a path covers what is below it
    purpose: str
    not_before: int
    not_after: int
    notice_sha256: str  # base64url of the hash of the text that was shown
    notice_language: str
    jurisdiction: str
    withdrawal_method: str  # address where it can be withdrawn
    lawful_basis: str = "dpv:ExplicitlyExpressedConsent"
    retention_days: int = 30
    onward_sharing: bool = False


def build(terms: ConsentTerms) -> dict[str, Any]:
    """Make a record without events (TS 27560 clauses 6.2 to 6.4: header, processing, parties)."""
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "record_id": terms.record_id,
        "pii_principal_id": terms.subject,
        "privacy_notice": {"sha256": terms.notice_sha256, "language": terms.notice_language},
        "pii_processing": {
            "purpose": terms.purpose,
            "lawful_basis": terms.lawful_basis,
            "pii_information": {"vct": terms.vct, "claims": [list(path) for path in terms.claims]},
            "pii_sources": list(terms.sources),
            "recipient_third_parties": [terms.grantee],
            "onward_sharing": terms.onward_sharing,
            "retention_period_days": terms.retention_days,
            "jurisdiction": terms.jurisdiction,
            "withdrawal_method": terms.withdrawal_method,
            "not_before": to_timestamp(terms.not_before),
            "not_after": to_timestamp(terms.not_after),
        },
        "parties": [
            {"party_id": terms.subject, "role": "dpv:DataSubject"},
            {"party_id": terms.grantee, "role": "dpv:Recipient"},
        ],
        "events": [],
    }
    check_form(record)
    return record


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ConsentError("consent_malformed", what)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_text(item) for item in value)


def _is_path(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(step, str | int) and not isinstance(step, bool) for step in value)
    )


def check_form(record: Mapping[str, Any]) -> None:
    """Check required fields and terms (TS 27560 clauses 6.2 to 6.5); sizes are bounded."""
    if len(canonicalize(dict(record))) > MAX_CONSENT_BYTES:
        raise LimitError("too_large", f"a consent record of more than {MAX_CONSENT_BYTES} bytes")
    for name in _TEXTS:
        _require(_is_text(record.get(name)), name)
    _require(record["schema_version"] == SCHEMA_VERSION, "schema_version")
    notice, processing = record.get("privacy_notice"), record.get("pii_processing")
    if not isinstance(notice, dict) or not isinstance(processing, dict):
        raise ConsentError("consent_malformed", "privacy_notice or pii_processing")
    _require(_is_text(notice.get("sha256")) and _is_text(notice.get("language")), "privacy_notice")
    _check_processing(processing)
    parties = record.get("parties")
    _require(isinstance(parties, list) and len(parties) >= 2, "parties")
    _events(record)


def _check_processing(processing: Mapping[str, Any]) -> None:
    for name in _PROCESSING_TEXTS:
        _require(_is_text(processing.get(name)), name)
    if processing["purpose"] not in PURPOSES or processing["lawful_basis"] not in LEGAL_BASES:
        raise ConsentError("consent_term_unknown")
    information = processing.get("pii_information")
    if not isinstance(information, dict):
        raise ConsentError("consent_malformed", "pii_information")
    _require(_is_text(information.get("vct")), "vct")
    claims = information.get("claims")
    _require(isinstance(claims, list) and bool(claims) and all(_is_path(path) for path in claims), "claims")
    _require(_is_texts(processing.get("pii_sources")), "pii_sources")
    _require(_is_texts(processing.get("recipient_third_parties")), "recipient_third_parties")
    _require(isinstance(processing.get("onward_sharing"), bool), "onward_sharing")
    days = processing.get("retention_period_days")
    _require(isinstance(days, int) and not isinstance(days, bool) and days > 0, "retention_period_days")
    begin, end = _window(processing)
    _require(begin < end, "not_before and not_after")


def _window(processing: Mapping[str, Any]) -> tuple[float, float]:
    try:
        return (
            timestamp(processing.get("not_before"), "not_before"),
            timestamp(processing.get("not_after"), "not_after"),
        )
    except CredentialError as error:
        raise ConsentError("consent_malformed", error.message) from error


def _events(record: Mapping[str, Any]) -> list[ConsentState]:
    """Read the history and require that each step was possible (TS 27560 clause 6.5)."""
    events = record.get("events")
    if not isinstance(events, list):
        raise ConsentError("consent_malformed", "events")
    states: list[ConsentState] = []
    for event in events:
        if not isinstance(event, dict) or not all(_is_text(event.get(key)) for key in _EVENT_TEXTS):
            raise ConsentError("consent_malformed", "an event has no entity or time")
        try:
            state = ConsentState(event.get("event_state"))
        except ValueError as error:
            raise ConsentError("consent_term_unknown") from error
        if state not in TRANSITIONS[states[-1] if states else None]:
            raise ConsentError("consent_transition")
        states.append(state)
    return states


def state_of(record: Mapping[str, Any]) -> ConsentState | None:
    """The state after the last event, or ``None`` for a draft (TS 27560 clause 6.5)."""
    states = _events(record)
    return states[-1] if states else None


def transition(record: Mapping[str, Any], state: ConsentState, *, entity: str, now: int, method: str) -> dict[str, Any]:
    """A new record with one more event (TS 27560 clause 6.5); ``consent_transition`` when impossible.

    ``method`` says how it was expressed: ``signature``, ``passkey``, ``wallet``, ``dashboard``.
    """
    event = {
        "event_state": state.value,
        "event_time": to_timestamp(now),
        "entity_id": entity,
        "method": method,
    }
    changed = {**record, "events": [*record["events"], event]}
    _events(changed)
    return changed


def terms_hash(record: Mapping[str, Any]) -> str:
    """Hash of the agreement without its events (RFC 8785 and SHA-256, base64url).

    It stays the same from request to withdrawal, so presentations, receipts and wallets refer to it.
    """
    return b64url_encode(sha256({name: value for name, value in record.items() if name != "events"}))


def transaction_data(record: Mapping[str, Any], *, origin: str, credential_ids: Sequence[str]) -> str:
    """The OpenID4VP ``transaction_data`` text that binds a presentation to a consent (section 5.1, 8.4)."""
    content = {
        "type": f"{origin}/tx/memory-consent/v1",
        "credential_ids": list(credential_ids),
        "transaction_data_hashes_alg": ["sha-256"],
        "consent_hash": terms_hash(record),
    }
    return b64url_encode(json_encode(content))


def consent_hash_of(transaction: str) -> str:
    """The consent hash inside a ``transaction_data`` text (OpenID4VP 1.0 section 8.4)."""
    value = json_object(b64url_decode(transaction)).get("consent_hash")
    if not isinstance(value, str):
        raise ConsentError("consent_hash_mismatch", "the transaction names no consent")
    return value


def covers(record: Mapping[str, Any], paths: Collection[ClaimPath]) -> bool:
    """Whether every disclosed claim path lies at or below a consented one (TS 27560 clause 6.3)."""
    granted = [tuple(path) for path in record["pii_processing"]["pii_information"]["claims"]]
    return all(any(path[: len(grant)] == grant for grant in granted) for path in paths)


def check_use(
    record: Mapping[str, Any],
    *,
    subject: str,
    issuer: str,
    grantee: str,
    purpose: str,
    vct: str,
    paths: Collection[ClaimPath],
    now: float,
    leeway: int = LEEWAY_SECONDS,
) -> None:
    """Check that a signed record allows this use (TS 27560 fields, design promise 6).

    In this order: whose, for whom, why, when, in force, from whom and of which type, which claims.
    """
    check_form(record)
    processing = record["pii_processing"]
    if record["pii_principal_id"] != subject:
        raise ConsentError("consent_signer_mismatch", "the consent is about another person")
    if grantee not in processing["recipient_third_parties"]:
        raise ConsentError("consent_grantee_mismatch")
    if processing["purpose"] != purpose:
        raise ConsentError("consent_purpose_mismatch")
    begin, end = _window(processing)
    if now < begin - leeway or now >= end + leeway:
        raise ConsentError("consent_window")
    if state_of(record) not in IN_FORCE:
        raise ConsentError("consent_not_given")
    if issuer not in processing["pii_sources"] or processing["pii_information"]["vct"] != vct:
        raise ConsentError("consent_claims_exceeded", "another issuer or type")
    if not covers(record, paths):
        raise ConsentError("consent_claims_exceeded")
