"""Strict base64url and JSON: what two parsers could read differently is refused."""

from __future__ import annotations

import binascii
import json
import re
from typing import Any, Final, NoReturn

from credentials.errors import LimitError, MalformedError
from credentials.limits import MAX_JSON_DEPTH

# Base64url to base64, with everything that is no base64url letter turned into something no decoder takes.
_TO_BASE64: Final = bytes(
    {0x2D: 0x2B, 0x5F: 0x2F}.get(byte, 0x21 if byte in b"+/=\r\n" else byte) for byte in range(256)
)
_FROM_BASE64: Final = bytes.maketrans(b"+/", b"-_")
# Last letters whose unused low bits are zero, by what is left of the length.
_LAST: Final = {2: frozenset("AQgw"), 3: frozenset("AEIMQUYcgkosw048")}
_NUMBER_LIMIT: Final = 1e308
_ESCAPE: Final = "\\u"


def b64url_bytes(data: bytes) -> bytes:
    """Base64url without padding as ASCII bytes (RFC 7515 section 2), for what is hashed at once."""
    return binascii.b2a_base64(data, newline=False).translate(_FROM_BASE64).rstrip(b"=")


def b64url_encode(data: bytes) -> str:
    """Base64url without padding (RFC 7515 section 2)."""
    return binascii.b2a_base64(data, newline=False).translate(_FROM_BASE64).rstrip(b"=").decode("ascii")


def b64url_decode(text: str) -> bytes:
    """Decode canonical unpadded base64url (RFC 7515 section 2); anything else is ``base64_malformed``.

    Non-canonical trailing bits are refused, so that one value has exactly one spelling: otherwise
    a changed character could leave the decoded bytes, and with them the signature, as they were.
    """
    rest = len(text) % 4
    if rest == 1 or (rest and text[-1] not in _LAST[rest]):
        raise MalformedError("base64_malformed")
    try:
        raw = text.encode("ascii").translate(_TO_BASE64)
        return binascii.a2b_base64(raw + b"=" * (-rest % 4), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise MalformedError("base64_malformed") from error


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


def check_depth(text: str, limit: int = MAX_JSON_DEPTH) -> None:
    """Bound the nesting of a JSON text before it is parsed (RFC 8725 section 3.6 on bounded input, RFC 8259 section 9).

    The parser recurses in C, as deep as the interpreter's recursion limit allows, and other libraries of a process
    raise that limit beyond what the stack bears. Raises LimitError (``json_too_deep``).
    """
    depth = 0
    for match in _STRUCTURE.finditer(text):
        token = match[0]
        if token in ("{", "["):
            depth += 1
            if depth > limit:
                raise LimitError("json_too_deep")
        elif token in ("}", "]"):
            depth -= 1


def _decode_spaced(text: str) -> Any:
    """The ordinary way, for texts with white space around the value and for those that are no JSON."""
    try:
        return _DECODER.decode(text)
    except ValueError as error:
        raise MalformedError("json_malformed") from error


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
        check_depth(text)
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:  # JSONDecodeError, white space in front, or an integer with more digits than Python reads
        value, end = None, -1
    if end != len(text):
        value = _decode_spaced(text)
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


_QUOTE: Final = json.encoder.encode_basestring
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def json_encode(value: Any) -> bytes:
    """Serialise to compact UTF-8 JSON (RFC 8259); NaN, lone surrogates and foreign types are refused."""
    try:
        return "".join(_FAST(value, 0)).encode("utf-8") if _FAST else _ENCODER.encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError("json_text") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise MalformedError("json_malformed", "the value has no JSON form") from error


json_text: Final = _QUOTE
"""A text as JSON with its quotes (RFC 8259 section 7); lone surrogates show when it is encoded."""


def _fast_encoder() -> Any:
    """The C encoder made once: the standard class makes a new one for every call."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # other interpreters have no C encoder
        return None
    return make(None, _ENCODER.default, _QUOTE, None, ":", ",", False, False, False)


_FAST: Final = _fast_encoder()
