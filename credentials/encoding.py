"""Strict base64url and JSON: what two parsers could read differently is refused."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, Final, NoReturn

from credentials.errors import LimitError, MalformedError
from credentials.limits import MAX_JSON_DEPTH

_B64URL: Final = re.compile(r"[A-Za-z0-9_-]*\Z")
_NUMBER_LIMIT: Final = 1e308
_ESCAPE: Final = "\\u"


def b64url_encode(data: bytes) -> str:
    """Base64url without padding (RFC 7515 section 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def b64url_decode(text: str) -> bytes:
    """Decode canonical unpadded base64url (RFC 7515 section 2); anything else is ``base64_malformed``.

    Non-canonical trailing bits are refused, so that one value has exactly one spelling: otherwise
    a changed character could leave the decoded bytes, and with them the signature, as they were.
    """
    if not text.isascii() or _B64URL.match(text) is None or len(text) % 4 == 1:
        raise MalformedError("base64_malformed")
    try:
        raw = binascii.a2b_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
    except binascii.Error as error:  # pragma: no cover - the checks above leave no known case
        raise MalformedError("base64_malformed") from error
    if len(text) % 4 and b64url_encode(raw) != text:
        raise MalformedError("base64_malformed", "trailing bits are not zero")
    return raw


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise MalformedError("json_duplicate_key")
    return result


def _constant(name: str) -> NoReturn:
    raise MalformedError("json_number", f"{name} is not a JSON number")


def _float(text: str) -> float:
    value = float(text)
    if not -_NUMBER_LIMIT <= value <= _NUMBER_LIMIT:
        raise MalformedError("json_number")
    return value


# One decoder for all calls: building one per call costs more than decoding a small header.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


# Whole strings, so that brackets inside them do not count, or one bracket. A string may be cut off by the
# end of the text: then it still matches, once, which keeps the scan linear for any input.
_STRUCTURE: Final = re.compile(r'"(?:[^"\\]|\\(?:.|\Z))*(?:"|\Z)|[][{}]', re.DOTALL)


def _check_depth(text: str) -> None:
    """Bound the nesting before parsing: the parser recurses in C, as deep as the process allows it."""
    depth = 0
    for match in _STRUCTURE.finditer(text):
        token = match[0]
        if token in ("{", "["):
            depth += 1
            if depth > MAX_JSON_DEPTH:
                raise LimitError("json_too_deep")
        elif token in ("}", "]"):
            depth -= 1


def json_decode(data: bytes | str) -> Any:
    """Parse JSON strictly (RFC 8259, RFC 8725 section 3.6 on bounded input).

    Refused with their own codes: duplicate keys, NaN and infinities, nesting beyond
    ``MAX_JSON_DEPTH``, lone surrogates. The caller bounds the size first.
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise MalformedError("json_malformed", "not UTF-8") from error
    if text.count("{") + text.count("[") > MAX_JSON_DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except ValueError as error:  # JSONDecodeError, or an integer with more digits than Python reads
        raise MalformedError("json_malformed") from error
    if _ESCAPE in text or not text.isascii():
        _check_text(value)
    return value


def _check_text(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError("json_text", "a lone surrogate") from error


def json_object(data: bytes | str) -> dict[str, Any]:
    """Parse JSON strictly and require an object (RFC 7519 section 7.2, RFC 7515 section 5.2)."""
    value = json_decode(data)
    if not isinstance(value, dict):
        raise MalformedError("json_malformed", "not a JSON object")
    return value


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def json_encode(value: Any) -> bytes:
    """Serialise to compact UTF-8 JSON (RFC 8259); NaN, lone surrogates and foreign types are refused."""
    try:
        return _ENCODER.encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError("json_text") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise MalformedError("json_malformed", "the value has no JSON form") from error
