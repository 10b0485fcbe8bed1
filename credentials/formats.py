"""Recognising what kind of credential some bytes are, without believing any of it."""

from __future__ import annotations

from enum import Enum

from credentials.data_integrity.contexts import VCDM1
from credentials.data_integrity.model import PRESENTATION, as_list
from credentials.encoding import b64url_decode, json_object
from credentials.errors import LimitError, MalformedError
from credentials.limits import MAX_DOCUMENT_BYTES, MAX_HEADER_BYTES, MAX_TOKEN_BYTES
from credentials.sd_jwt.json_form import is_json_form


class Format(Enum):
    """The kinds that ``verify`` knows; the value is the name in results."""

    SD_JWT_VC = "dc+sd-jwt"
    SD_JWT_JSON = "sd-jwt+json"
    VC_DI = "vc+di"
    VP_DI = "vp+di"
    VC_JWT = "vc+jwt"
    VP_JWT = "vp+jwt"
    LEGACY_LDP = "ldp_vc"
    LEGACY_JWT = "jwt_vc"


_BY_TYP = {"vc+jwt": Format.VC_JWT, "vp+jwt": Format.VP_JWT}


def text_of(data: bytes | str) -> str:
    """Bound the size and decode ASCII or UTF-8 text (RFC 8725 section 3.6); outer blanks are dropped."""
    limit = max(MAX_TOKEN_BYTES, MAX_DOCUMENT_BYTES)
    if len(data) > limit:
        raise LimitError("too_large", f"more than {limit} bytes")
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise MalformedError("malformed", "not UTF-8") from error
    return text.strip(" \t\r\n")  # what a file may have around it; nothing else is white space here


def detect(text: str) -> Format:
    """Tell the format by its outer form (media types of SD-JWT VC 3.1, RFC 9901 11.2, VC-JOSE-COSE 3, VCDM 2.0 6.2).

    The choice only selects the code that checks; that code requires its own ``typ`` and contexts.
    """
    if text.startswith("{"):
        document = json_object(text)
        if is_json_form(document):
            return Format.SD_JWT_JSON
        if PRESENTATION in as_list(document.get("type")):
            return Format.VP_DI
        if as_list(document.get("@context"))[:1] == [VCDM1]:
            return Format.LEGACY_LDP
        return Format.VC_DI
    if "~" in text:
        return Format.SD_JWT_VC
    if text.count(".") != 2:
        raise MalformedError("format_unknown")
    head = text.split(".", 1)[0]
    if len(head) > 2 * MAX_HEADER_BYTES:
        raise LimitError("too_large", f"header of more than {MAX_HEADER_BYTES} bytes")
    typ = json_object(b64url_decode(head)).get("typ")
    if typ in (None, "JWT"):
        return Format.LEGACY_JWT
    found = _BY_TYP.get(str(typ).lower().removeprefix("application/"))
    if found is None:
        raise MalformedError("format_unknown")
    return found
