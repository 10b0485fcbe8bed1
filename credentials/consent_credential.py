"""A consent record as an SD-JWT VC that its subject signs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from credentials.consent_record import check_form, state_of, terms_hash
from credentials.consent_terms import IN_FORCE
from credentials.errors import ConsentError
from credentials.memory_claim import checked_origin
from credentials.ports import Rng, Signer
from credentials.sd_jwt.issue import issue
from credentials.times import timestamp


def consent_vct(origin: str) -> str:
    """The type identifier of consent credentials under an origin (SD-JWT VC section 3.2.2.1)."""
    return f"{checked_origin(origin)}/vct/consent/v1"


def issue_consent(
    record: Mapping[str, Any],
    signer: Signer,
    *,
    vct: str,
    issued_at: int,
    rng: Rng,
    status: tuple[str, int] | None = None,
) -> str:
    """Sign a record that is in force with its subject's key (SD-JWT VC section 3.2, TS 27560).

    Nothing is hidden: the grantee has to see all that it may rely on. ``aud`` is the grantee.
    """
    check_form(record)
    if state_of(record) not in IN_FORCE:
        raise ConsentError("consent_not_given")
    processing = record["pii_processing"]
    claims: dict[str, Any] = {
        "iss": record["pii_principal_id"],
        "sub": record["pii_principal_id"],
        "aud": processing["recipient_third_parties"],
        "iat": issued_at,
        "nbf": int(timestamp(processing["not_before"], "not_before")),
        "exp": int(timestamp(processing["not_after"], "not_after")),
        "vct": vct,
        "consent_hash": terms_hash(record),
        "consent": dict(record),
    }
    if status is not None:
        claims["status"] = {"status_list": {"uri": status[0], "idx": status[1]}}
    return issue(claims, (), signer, rng=rng)


def record_of(claims: Mapping[str, Any]) -> dict[str, Any]:
    """The record inside verified claims; subject, issuer and hash have to agree (TS 27560 clause 6.2)."""
    record = claims.get("consent")
    if not isinstance(record, dict):
        raise ConsentError("consent_malformed", "no record")
    check_form(record)
    if claims.get("consent_hash") != terms_hash(record):
        raise ConsentError("consent_hash_mismatch")
    if not claims.get("iss") == claims.get("sub") == record["pii_principal_id"]:
        raise ConsentError("consent_signer_mismatch")
    return record
