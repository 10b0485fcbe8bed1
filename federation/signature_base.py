"""What a message signature covers, as the text that is signed (RFC 9421 section 2).

A closed list: derived components without parameters, and whole header fields. Structured, keyed, trailer and
related-request variants are refused by name: nobody needs them here, and each is one more way to cover less
than it seems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import http_sf

from federation.errors import SignatureError
from federation.limits import COMPONENTS, SIGNATURE_FIELD_CHARS, SIGNATURES

_FIELD_NAME: Final = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,64}\Z")
_TEXT: Final = re.compile(r"[\x20-\x7e]*\Z")
_FIELD_VALUE: Final = re.compile(r"[\x20-\x7e\t]*\Z")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_OWN_FIELDS: Final = frozenset({"signature", "signature-input"})  # would be about another signature


@dataclass(frozen=True, slots=True)
class Message:
    """A request or response as it is signed.

    ``target_uri`` is the whole address; a server makes it of its own origin, never of the Host field.
    ``fields`` are header lines in the order of the wire, names in any case. ``status`` is for responses.
    """

    method: str
    target_uri: str
    fields: Sequence[tuple[str, str]]
    body: bytes = b""
    status: int | None = None

    def value(self, name: str) -> str | None:
        """All lines of a field as one value (RFC 9421 section 2.1), or None."""
        lines = [value.strip(" \t") for key, value in self.fields if key.lower() == name]
        return ", ".join(lines) if lines else None


def _authority(uri: SplitResult) -> str:
    host = uri.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if uri.port in (None, _DEFAULT_PORTS.get(uri.scheme)) else f"{host}:{uri.port}"


def _request_target(uri: SplitResult) -> str:
    return (uri.path or "/") + (f"?{uri.query}" if uri.query else "")


# RFC 9421 section 2.2. For a request but `@status`, which is for a response.
_OF_REQUEST: Final[dict[str, Callable[[Message, SplitResult], str]]] = {
    "@method": lambda message, uri: message.method,
    "@target-uri": lambda message, uri: message.target_uri,
    "@authority": lambda message, uri: _authority(uri),
    "@scheme": lambda message, uri: uri.scheme.lower(),
    "@request-target": lambda message, uri: _request_target(uri),
    "@path": lambda message, uri: uri.path or "/",
    "@query": lambda message, uri: f"?{uri.query}",
}
_STATUS: Final = "@status"


def _value(message: Message, name: str, uri: SplitResult) -> str:
    if name.startswith("@"):
        if name == _STATUS and message.status is not None:
            return str(message.status)
        derive = _OF_REQUEST.get(name)
        if derive is None or message.status is not None:
            raise SignatureError("signature_component", f"unknown: {name[:32]}")
        return derive(message, uri)
    if _FIELD_NAME.match(name) is None or name in _OWN_FIELDS:
        raise SignatureError("signature_component", "not a field name in small letters")
    value = message.value(name)
    if value is None:
        raise SignatureError("signature_component", f"the message has no {name}")
    return value


def signature_base(message: Message, names: Sequence[str], parameters: str) -> bytes:
    """The bytes that are signed (RFC 9421 section 2.5); ``parameters`` is the value of ``@signature-params``.

    Raises SignatureError (``signature_component``).
    """
    if len(names) > COMPONENTS or len(set(names)) != len(names):
        raise SignatureError("signature_component", "a component is there twice, or too many are")
    uri = urlsplit(message.target_uri)
    lines = []
    for name in names:
        value = _value(message, name, uri)
        if _FIELD_VALUE.match(value) is None:
            raise SignatureError("signature_component", f"{name} has characters that cannot be signed")
        lines.append(f'"{name}": {value}')
    lines.append(f'"@signature-params": {parameters}')
    return "\n".join(lines).encode("ascii")


def signature_parameters(names: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """The value of ``@signature-params`` in its one canonical form (RFC 9421 section 2.3, RFC 9651 section 4.1).

    Only whole numbers and texts occur as parameters here, so that the form is three lines; the general serialiser of
    the library takes as long as a signature. Raises SignatureError (``signature_parameter``) for anything else.
    """
    listed = "".join(f";{name}={_serialised(value)}" for name, value in parameters.items())
    return f"({' '.join(map(_serialised, names))}){listed}"


def _serialised(value: Any) -> str:
    if type(value) is int:
        return str(value)
    if type(value) is not str or _TEXT.match(value) is None:
        raise SignatureError("signature_parameter", "neither a whole number nor a text of ASCII characters")
    escaped = value.replace("\\", "\\\\").replace('"', '\\"') if "\\" in value or '"' in value else value
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class RawSignature:
    """One signature of a message as parsed: nothing of it has been checked."""

    names: tuple[str, ...]
    parameters: dict[str, Any]
    signature: bytes
    text: str  # the canonical form of names and parameters


def _repeated(_key: str, _context: str) -> None:
    raise SignatureError("signature_malformed", "a member is there twice")


def _dictionary(message: Message, field: str) -> dict[str, Any]:
    value = message.value(field)
    if value is None:
        raise SignatureError("signature_missing")
    if len(value) > SIGNATURE_FIELD_CHARS:
        raise SignatureError("signature_malformed", f"more than {SIGNATURE_FIELD_CHARS} characters")
    try:
        parsed: Any = http_sf.parse(value.encode("ascii"), tltype="dictionary", on_duplicate_key=_repeated)
    except (ValueError, UnicodeEncodeError) as error:  # a structured field error is a ValueError
        raise SignatureError("signature_malformed") from error
    if len(parsed) > SIGNATURES:
        raise SignatureError("signature_malformed", f"more than {SIGNATURES} signatures")
    found: dict[str, Any] = parsed
    return found


def _one(member: Any, signature: Any) -> RawSignature:
    items, parameters = member
    if not isinstance(items, list) or not isinstance(signature[0], bytes):
        raise SignatureError("signature_malformed", "not a list of components, or not bytes")
    for name, with_parameters in items:
        if not isinstance(name, str) or with_parameters:
            raise SignatureError("signature_component", "components are texts without parameters")
    names = tuple(name for name, _ in items)
    return RawSignature(names, parameters, signature[0], signature_parameters(names, parameters))


def parse_signatures(message: Message) -> list[RawSignature]:
    """Read Signature-Input and Signature strictly (RFC 9421 section 4, RFC 9651).

    Raises SignatureError (``signature_missing``, ``signature_malformed``, ``signature_component``).
    """
    inputs, signatures = _dictionary(message, "signature-input"), _dictionary(message, "signature")
    if inputs.keys() != signatures.keys():
        raise SignatureError("signature_malformed", "the two fields name different signatures")
    return [_one(member, signatures[label]) for label, member in inputs.items()]
