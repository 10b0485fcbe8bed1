"""The messages that agents send each other: a closed list, each with its form.

An envelope names sender and recipient, so that a signed message cannot be used elsewhere. What is about one
credential carries its id and a sequence number of the sender's, by which the receiver tells old from new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from credentials.consent_terms import PURPOSES
from credentials.encoding import json_encode, json_object
from credentials.errors import CredentialError
from credentials.limits import MAX_DID_BYTES, MAX_TOKEN_BYTES
from federation.errors import MessageError
from federation.limits import CREDENTIAL_ID_CHARS, MESSAGE_BYTES, MESSAGE_ID_CHARS, NAME_CHARS, PEER_LIST, SEQUENCE_MAX

_ID: Final = re.compile(rf"[A-Za-z0-9_-]{{16,{MESSAGE_ID_CHARS}}}\Z")
_NOTE_CHARS: Final = 500
_QUERY_CHARS: Final = 2_000
_TYPE_CHARS: Final = 512
_MAX_DAYS: Final = 30


class Kind(Enum):
    """What a message is."""

    PAIRING = "pairing"
    REQUEST = "request"
    PRESENTATION = "presentation"
    UPDATE = "update"
    REVOCATION = "revocation"
    RECEIPT = "receipt"


ABOUT_A_CREDENTIAL: Final = frozenset({Kind.PRESENTATION, Kind.UPDATE, Kind.REVOCATION})

_Check = Callable[[Any], bool]


def _text(limit: int, least: int = 1) -> _Check:
    return lambda value: isinstance(value, str) and least <= len(value) <= limit


def _one_of(*values: str) -> _Check:
    return lambda value: isinstance(value, str) and value in values


def _number(least: int, most: int) -> _Check:
    return lambda value: type(value) is int and least <= value <= most


def _types(value: Any) -> bool:
    check = _text(_TYPE_CHARS)
    return isinstance(value, list) and 0 < len(value) <= PEER_LIST and all(check(one) for one in value)


def _reference(value: Any) -> bool:
    return isinstance(value, str) and _ID.match(value) is not None


_TOKEN: Final = _text(MAX_TOKEN_BYTES)
_SHOWN: Final = ({"presentation": _TOKEN}, {"consent": _TOKEN, "request": _reference})
# For each kind: the members that have to be there, and those that may be.
_FORMS: Final[Mapping[Kind, tuple[Mapping[str, _Check], Mapping[str, _Check]]]] = {
    Kind.PAIRING: (
        {"step": _one_of("commit", "reveal"), "invitation": _text(64)},
        {"commitment": _text(64), "nonce": _text(64), "name": _text(NAME_CHARS)},
    ),
    Kind.REQUEST: (
        {"purpose": _one_of(*PURPOSES), "types": _types, "days": _number(1, _MAX_DAYS)},
        {"query": _text(_QUERY_CHARS), "category": _text(64), "note": _text(_NOTE_CHARS)},
    ),
    Kind.PRESENTATION: _SHOWN,
    Kind.UPDATE: _SHOWN,
    Kind.REVOCATION: ({"reason": _one_of("withdrawn", "expired", "corrected", "erased")}, {}),
    Kind.RECEIPT: (
        {"of": _reference, "outcome": _one_of("stored", "refused", "forgotten")},
        {"receipt": _TOKEN},
    ),
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message. ``credential`` and ``sequence`` are there for what is about a credential, and only then."""

    id: str
    kind: Kind
    sender: str
    recipient: str
    body: Mapping[str, Any]
    credential: str | None = None
    sequence: int | None = None

    def to_bytes(self) -> bytes:
        """The bytes to send. Raises MessageError when they are not what ``parse`` would take."""
        value: dict[str, Any] = {
            "id": self.id,
            "type": self.kind.value,
            "from": self.sender,
            "to": self.recipient,
            "body": dict(self.body),
        }
        if self.credential is not None:
            value |= {"credential": self.credential, "sequence": self.sequence}
        data = json_encode(value)
        parse(data)
        return data


def _malformed(what: str) -> MessageError:
    return MessageError("message_malformed", what)


def _check_body(kind: Kind, body: Any) -> None:
    required, optional = _FORMS[kind]
    if not isinstance(body, dict) or not required.keys() <= body.keys() <= required.keys() | optional.keys():
        raise _malformed(f"the body of a {kind.value} has other members")
    for name, check in (*required.items(), *optional.items()):
        if name in body and not check(body[name]):
            raise _malformed(f"{name} has the wrong form")


def _check_credential(kind: Kind, value: Mapping[str, Any]) -> None:
    if kind not in ABOUT_A_CREDENTIAL:
        if "credential" in value or "sequence" in value:
            raise _malformed(f"a {kind.value} is about no credential")
        return
    if not _text(CREDENTIAL_ID_CHARS)(value.get("credential")) or not _number(1, SEQUENCE_MAX)(value.get("sequence")):
        raise _malformed("credential or sequence has the wrong form")


def parse(data: bytes) -> Envelope:
    """Read a message strictly: known type, known members, each in its form.

    Raises MessageError (``message_too_large``, ``message_malformed``, ``message_type``).
    """
    if len(data) > MESSAGE_BYTES:
        raise MessageError("message_too_large", f"more than {MESSAGE_BYTES} bytes")
    try:
        value = json_object(data)
    except CredentialError as error:
        raise _malformed(error.code) from error
    if not value.keys() <= {"id", "type", "from", "to", "body", "credential", "sequence"}:
        raise _malformed("unknown members")
    try:
        kind = Kind(value.get("type"))
    except ValueError as error:
        raise MessageError("message_type") from error
    if not _reference(value.get("id")):
        raise _malformed("id has the wrong form")
    if not all(_text(MAX_DID_BYTES)(value.get(name)) and value[name].startswith("did:") for name in ("from", "to")):
        raise _malformed("from or to is not a DID")
    _check_credential(kind, value)
    _check_body(kind, value.get("body"))
    return Envelope(
        value["id"], kind, value["from"], value["to"], value["body"], value.get("credential"), value.get("sequence")
    )
