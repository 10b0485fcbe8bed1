"""The JWS JSON form of an SD-JWT (RFC 9901 section 8): taken apart strictly, then the same as the compact form.

What arrives is put together as the compact form that section 8.1 needs for ``sd_hash`` anyway, and that is
parsed. So every limit and every check of the compact form holds here without being written twice.
"""

from __future__ import annotations

from typing import Any, Final

from credentials import jws
from credentials.encoding import json_encode, json_object
from credentials.errors import BindingError, DisclosureError, LimitError, MalformedError
from credentials.limits import MAX_SIGNATURES, MAX_TOKEN_BYTES
from credentials.sd_jwt.parse import VC_TYPE, SdJwt
from credentials.sd_jwt.parse import parse as parse_compact

_SIGNED_MEMBERS: Final = ("protected", "signature")
_MEMBERS: Final = frozenset({"payload", "protected", "signature", "signatures"})
_ITEM: Final = frozenset({*_SIGNED_MEMBERS, "header"})
_TRANSPORT: Final = frozenset({"disclosures", "kb_jwt"})
_UNPROTECTED: Final = _TRANSPORT | {"kid"}
# RFC 7515 lets headers be unprotected that nobody should believe then; a key identifier is at most a hint.
_MUST_BE_SIGNED: Final = (jws.STANDARD | {"b64"}) - {"kid"}


def is_json_form(document: dict[str, Any]) -> bool:
    """Whether a JSON object means to be a JWS (RFC 7515 section 7.2) and no JSON-LD document."""
    return "@context" not in document and not _MEMBERS.isdisjoint(document)


def _items(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The signature objects; the flattened form is one (RFC 7515 sections 7.2.1 and 7.2.2)."""
    if not _TRANSPORT.isdisjoint(document):
        raise MalformedError("sd_json_misplaced", "beside the payload")
    if "signatures" not in document:
        _only(document, _ITEM | {"payload"})
        return [document]
    if not _ITEM.isdisjoint(document):
        raise MalformedError("sd_json_form")
    _only(document, frozenset({"payload", "signatures"}))
    items = document["signatures"]
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        raise MalformedError("sd_json_member_missing", "signatures is not a list of objects")
    if len(items) > MAX_SIGNATURES:
        raise LimitError("sd_json_signatures", f"more than {MAX_SIGNATURES} signatures")
    for item in items:
        if not _TRANSPORT.isdisjoint(item):
            raise MalformedError("sd_json_misplaced", "beside a signature")
        _only(item, _ITEM)
    return items


def _only(found: dict[str, Any], known: frozenset[str]) -> None:
    """The compact form has no place for anything that is not signed and not understood, so neither has this one."""
    if not found.keys() <= known:
        raise MalformedError("sd_json_unknown")


def _header(item: dict[str, Any]) -> dict[str, Any]:
    """The unprotected header; nothing that a verification depends on may be in it (RFC 8725 section 3.1)."""
    header = item.get("header", {})
    if not isinstance(header, dict):
        raise MalformedError("header_malformed", "the unprotected header is not an object")
    if not _MUST_BE_SIGNED.isdisjoint(header):
        raise MalformedError("sd_json_unprotected", ", ".join(sorted(_MUST_BE_SIGNED & header.keys())))
    _only(header, _UNPROTECTED)
    return header


def _jwt(payload: object, item: dict[str, Any]) -> str:
    """The compact form of one signature (RFC 9901 section 8.1)."""
    parts = (item.get("protected"), payload, item.get("signature"))
    if not all(isinstance(part, str) and part for part in parts):
        raise MalformedError("sd_json_member_missing", "payload, protected and signature are needed")
    return ".".join(str(part) for part in parts)


def _transported(header: dict[str, Any]) -> tuple[list[str], str]:
    """Disclosures and key binding JWT of the first unprotected header (RFC 9901 section 8.1)."""
    disclosures = header.get("disclosures", [])
    if not isinstance(disclosures, list) or not all(isinstance(item, str) for item in disclosures):
        raise DisclosureError("disclosure_malformed", "disclosures is not a list of texts")
    binding = header.get("kb_jwt", "")
    if not isinstance(binding, str) or ("kb_jwt" in header and not binding):
        raise BindingError("kb_malformed", "kb_jwt is not a text")
    return disclosures, binding


def _check_headers(protected: dict[str, Any], header: dict[str, Any], *, first: bool) -> None:
    """Names belong to one header (RFC 7515 section 7.2.1), ours to the first unprotected (RFC 9901 section 8.3)."""
    if not protected.keys().isdisjoint(header):
        raise MalformedError("sd_json_header_repeated")
    if not _TRANSPORT.isdisjoint(protected) or not (first or _TRANSPORT.isdisjoint(header)):
        raise MalformedError("sd_json_misplaced", "not in the first unprotected header")


def parse_signatures(text: str, *, typ: str | None = VC_TYPE, limit: int = MAX_TOKEN_BYTES) -> tuple[SdJwt, ...]:
    """Read the JSON form with one entry for each signature, none of them checked (RFC 9901 sections 8.1 to 8.3).

    All have the same payload, disclosures and key binding. The key binding covers the first signature:
    the disclosures are in its header. Which signatures have to hold is the caller's decision (RFC 7515
    section 5.2); ``parse_json`` is for one.
    """
    if len(text) > limit:
        raise LimitError("too_large", f"more than {limit} characters")
    return _read(json_object(text), typ, limit)


def _read(document: dict[str, Any], typ: str | None, limit: int) -> tuple[SdJwt, ...]:
    items = _items(document)
    headers = [_header(item) for item in items]
    tokens = [_jwt(document.get("payload"), item) for item in items]
    disclosures, binding = _transported(headers[0])
    compact = "~".join((tokens[0], *disclosures, binding))
    if compact.count("~") != len(disclosures) + 1:
        raise MalformedError("malformed", "a tilde inside a part")
    first = parse_compact(compact, typ=typ, limit=limit)
    others = [
        SdJwt(token, jws.parse(token, typ=typ, limit=limit), first.disclosures, first.key_binding)
        for token in tokens[1:]
    ]
    read = (first, *others)
    for number, (token, header) in enumerate(zip(read, headers, strict=True)):
        _check_headers(token.jws.header, header, first=number == 0)
    return read


def parse_json(text: str, *, typ: str | None = VC_TYPE, limit: int = MAX_TOKEN_BYTES) -> SdJwt:
    """Read the flattened form, or the general form with one signature (RFC 9901 sections 8.2 to 8.4).

    Several signatures are refused (``sd_json_signatures``): whoever checked one of them would believe
    the others. The unprotected header is not signed, and nothing but disclosures and key binding is
    taken from it (section 8.1).
    """
    read = parse_signatures(text, typ=typ, limit=limit)
    if len(read) != 1:
        raise MalformedError("sd_json_signatures", f"{len(read)} signatures")
    return read[0]


def to_json(sd_jwt: SdJwt, *, general: bool = False) -> str:
    """Write an SD-JWT or SD-JWT+KB in the flattened or general form (RFC 9901 sections 8.2 and 8.3).

    What was issued or presented in the compact form stays the same: ``to_json(parse(issue(…)))``.
    """
    protected, payload, signature = sd_jwt.issuer_jwt.split(".")
    header: dict[str, Any] = {}
    if sd_jwt.disclosures:
        header["disclosures"] = list(sd_jwt.disclosures)
    if sd_jwt.key_binding is not None:
        header["kb_jwt"] = sd_jwt.key_binding
    # RFC 7515 section 7.2.1: an empty unprotected header is left out.
    item: dict[str, Any] = ({"header": header} if header else {}) | {"protected": protected, "signature": signature}
    document = {"payload": payload} | ({"signatures": [item]} if general else item)
    return json_encode(document).decode()
