"""The rules of the VC Data Model 2.0 that hold for every securing mechanism."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from credentials.data_integrity.contexts import VCDM2, check_contexts
from credentials.errors import ClaimsRefusedError, IssuerRefusedError, TimeRefusedError
from credentials.times import TimeRules, check_window, timestamp

CREDENTIAL: Final = "VerifiableCredential"
PRESENTATION: Final = "VerifiablePresentation"
_OLD_DATES: Final = ("issuanceDate", "expirationDate")


def types_of(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The types of a document (VCDM 2.0 section 4.5)."""
    value = document.get("type")
    types = [value] if isinstance(value, str) else value
    if not isinstance(types, list) or not types or not all(isinstance(item, str) for item in types):
        raise ClaimsRefusedError("vcdm_type")
    return tuple(types)


def issuer_of(document: Mapping[str, Any]) -> str:
    """The issuer's identifier, given as text or in an object (VCDM 2.0 section 4.7)."""
    issuer = document.get("issuer")
    if isinstance(issuer, dict):
        issuer = issuer.get("id")
    if not isinstance(issuer, str) or not issuer:
        raise IssuerRefusedError("issuer_missing")
    return issuer


def subjects_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The claims, one object per subject (VCDM 2.0 section 4.8)."""
    value = document.get("credentialSubject")
    subjects: list[Any] = value if isinstance(value, list) else [value]
    if not subjects or not all(isinstance(item, dict) and item for item in subjects):
        raise ClaimsRefusedError("claim_missing", "credentialSubject")
    return subjects


def _check_id(document: Mapping[str, Any]) -> None:
    if "id" in document and (not isinstance(document["id"], str) or ":" not in document["id"]):
        raise ClaimsRefusedError("vcdm_malformed", "id is not a URL")


def check_credential(document: Mapping[str, Any], contexts: Collection[str]) -> None:
    """Check the form of a credential (VCDM 2.0 sections 4.2 to 4.11)."""
    check_contexts(document.get("@context"), VCDM2, contexts)
    if CREDENTIAL not in types_of(document):
        raise ClaimsRefusedError("vcdm_type")
    _check_id(document)
    issuer_of(document)
    subjects_of(document)
    if any(name in document for name in _OLD_DATES):
        raise ClaimsRefusedError("vcdm_malformed", "dates of data model 1.1")
    for entry in as_list(document.get("credentialStatus")):
        if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
            raise ClaimsRefusedError("vcdm_malformed", "credentialStatus")


def as_list(value: object) -> list[Any]:
    """A property that may be absent, one value or several, as a list (VCDM 2.0 section 4.1)."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def check_validity(document: Mapping[str, Any], *, now: float, rules: TimeRules) -> None:
    """Check ``validFrom`` and ``validUntil`` (VCDM 2.0 section 4.9)."""
    begin, end = (timestamp(document[name], name) if name in document else None for name in ("validFrom", "validUntil"))
    if end is None and rules.require_exp:
        check_window(now=now, begin=begin, end=None, leeway=rules.leeway)
        raise TimeRefusedError("exp_missing")
    check_window(now=now, begin=begin, end=end, leeway=rules.leeway)


def check_presentation(document: Mapping[str, Any], contexts: Collection[str]) -> None:
    """Check the form of a presentation (VCDM 2.0 section 4.13)."""
    check_contexts(document.get("@context"), VCDM2, contexts)
    if PRESENTATION not in types_of(document):
        raise ClaimsRefusedError("vcdm_type")
    _check_id(document)


def holder_of(document: Mapping[str, Any]) -> str:
    """The holder of a presentation (VCDM 2.0 section 4.13); here it is required."""
    holder = document.get("holder")
    if isinstance(holder, dict):
        holder = holder.get("id")
    if not isinstance(holder, str) or not holder:
        raise ClaimsRefusedError("holder_mismatch", "no holder is named")
    return holder
