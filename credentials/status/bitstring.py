"""Bitstring Status List 1.0: the list inside a credential of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from credentials.data_integrity.contexts import VCDM2
from credentials.data_integrity.model import as_list, types_of
from credentials.encoding import b64url_decode, b64url_encode
from credentials.errors import CredentialError, StatusRefusedError
from credentials.limits import MIN_STATUS_ENTRIES
from credentials.status.bits import StatusList, deflate, inflate
from credentials.times import timestamp, to_timestamp

LIST_CREDENTIAL: Final = "BitstringStatusListCredential"
LIST: Final = "BitstringStatusList"
ENTRY: Final = "BitstringStatusListEntry"
_INDEX: Final = re.compile(r"(0|[1-9][0-9]{0,18})\Z")
_MILLISECONDS: Final = 1_000


def encode_list(data: bytes) -> str:
    """The ``encodedList`` (section 3.3): GZIP, then multibase base64url."""
    return "u" + b64url_encode(deflate(data, gzip=True))


def decode_list(encoded: object) -> bytes:
    """Expand an ``encodedList`` (section 3.4) with bounded inflation."""
    if not isinstance(encoded, str) or not encoded.startswith("u"):
        raise StatusRefusedError("status_list_malformed")
    try:
        packed = b64url_decode(encoded[1:])
    except CredentialError as error:
        raise StatusRefusedError("status_list_malformed", error.code) from error
    return inflate(packed, gzip=True)


def build(
    uri: str, data: bytes, *, issuer: str, now: int, life: int, ttl: int, purpose: str = "revocation"
) -> dict[str, Any]:
    """The unsigned status list credential (section 2.2), to be secured with Data Integrity."""
    return {
        "@context": [VCDM2],
        "id": uri,
        "type": ["VerifiableCredential", LIST_CREDENTIAL],
        "issuer": issuer,
        "validFrom": to_timestamp(now),
        "validUntil": to_timestamp(now + life),
        "credentialSubject": {
            "id": f"{uri}#list",
            "type": LIST,
            "statusPurpose": purpose,
            "ttl": ttl * _MILLISECONDS,
            "encodedList": encode_list(data),
        },
    }


def read(document: Mapping[str, Any], *, uri: str, issuer: str, now: float) -> StatusList:
    """Read a status list credential whose proof and dates were verified (section 3.2 steps 5 to 9)."""
    if document.get("id", uri) != uri:
        raise StatusRefusedError("status_wrong_subject")
    if LIST_CREDENTIAL not in types_of(document):
        raise StatusRefusedError("status_list_malformed", "another type of credential")
    subject = document.get("credentialSubject")
    if not isinstance(subject, dict) or subject.get("type") != LIST:
        raise StatusRefusedError("status_list_malformed")
    if subject.get("statusSize", 1) != 1:
        raise StatusRefusedError("status_unsupported", "only lists of one bit")
    purposes = tuple(str(item) for item in as_list(subject.get("statusPurpose")))
    data = decode_list(subject.get("encodedList"))
    if len(data) * 8 < MIN_STATUS_ENTRIES:
        raise StatusRefusedError("status_list_too_short")
    ttl = subject.get("ttl")
    if ttl is not None and (isinstance(ttl, bool) or not isinstance(ttl, int | float) or ttl < 0):
        raise StatusRefusedError("status_list_malformed", "ttl")
    end = timestamp(document["validUntil"], "validUntil") if "validUntil" in document else None
    seconds = None if ttl is None else ttl / _MILLISECONDS
    return StatusList(uri, issuer, data, 1, True, now, seconds, end, purposes)


def reference(entry: object) -> tuple[str, int, str]:
    """Address, index and purpose of a ``credentialStatus`` entry (section 2.1)."""
    if not isinstance(entry, Mapping) or entry.get("type") != ENTRY:
        raise StatusRefusedError("status_unsupported")
    uri, index, purpose = (entry.get(name) for name in ("statusListCredential", "statusListIndex", "statusPurpose"))
    if not isinstance(uri, str) or not isinstance(purpose, str):
        raise StatusRefusedError("status_index_malformed", "no list or purpose")
    if not isinstance(index, str) or _INDEX.match(index) is None:
        raise StatusRefusedError("status_index_malformed")
    return uri, int(index), purpose


def entry(uri: str, index: int, purpose: str = "revocation") -> dict[str, str]:
    """The ``credentialStatus`` entry of a credential (section 2.1)."""
    return {
        "id": f"{uri}#{index}",
        "type": ENTRY,
        "statusPurpose": purpose,
        "statusListIndex": str(index),
        "statusListCredential": uri,
    }


def check(listing: StatusList, index: int, purpose: str) -> None:
    """Refuse a set bit (section 3.2 steps 10 to 12); the purpose of entry and list must agree."""
    if purpose not in listing.purposes:
        raise StatusRefusedError("status_purpose_mismatch")
    if listing.at(index):
        raise StatusRefusedError(
            {"revocation": "status_revoked", "suspension": "status_suspended"}.get(purpose, "status_other")
        )
