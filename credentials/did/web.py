"""did:web: from the identifier to the address of its document, with everything doubtful refused."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from credentials.did.document import DidDocument
from credentials.errors import DidError
from credentials.limits import MAX_DID_BYTES

_PREFIX: Final = "did:web:"
_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}\Z")
_NUMERIC_TLD: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")
_MAX_PORT: Final = 65_535
# RFC 6761 and 6762 names never lead to a public host; the fetcher's address check comes on top of this.
_LOCAL_SUFFIXES: Final = frozenset({"localhost", "local", "internal", "home", "lan", "onion"})


def check_host(host: str) -> str:
    """Require a public domain name in lower case (did:web "DID method operations", SD-JWT VC on SSRF)."""
    name = host.lower()
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        pass
    else:
        raise DidError("did_host_refused", "an IP address")
    labels = name.split(".")
    if len(labels) < 2 or labels[-1] in _LOCAL_SUFFIXES:
        raise DidError("did_host_refused", "not a public domain name")
    # "0x7f.1" and "127.1" are addresses to many resolvers.
    if _NUMERIC_TLD.match(labels[-1]):
        raise DidError("did_host_refused", "an IP address")
    if not all(_LABEL.match(label) for label in labels):
        raise DidError("did_malformed", "not a host name")
    return name


def split_authority(text: str) -> str:
    """Decode ``host`` or ``host%3Aport`` of a method-specific identifier (did:web, did:webvh)."""
    host, mark, port = re.sub("%3a", "%3A", text).partition("%3A")
    if "%" in host or "%" in port:
        raise DidError("did_malformed", "only a port may be percent-encoded")
    if mark and (_PORT.match(port) is None or int(port) > _MAX_PORT):
        raise DidError("did_malformed", "not a port")
    name = check_host(host)
    return f"{name}:{port}" if mark else name


def split_path(segments: list[str]) -> str:
    """Join path segments; dots alone, slashes and percent-encoding are refused (did:web)."""
    for segment in segments:
        if _SEGMENT.match(segment) is None or not segment.strip("."):
            raise DidError("did_malformed", "not a path segment")
    return "/".join(segments)


def document_url(did: str) -> str:
    """The address of the document (did:web "Read"): ``/.well-known/did.json`` or the path."""
    if not did.startswith(_PREFIX) or len(did) > MAX_DID_BYTES:
        raise DidError("did_malformed")
    authority, *segments = did.removeprefix(_PREFIX).split(":")
    host = split_authority(authority)
    if not segments:
        return f"https://{host}/.well-known/did.json"
    return f"https://{host}/{split_path(segments)}/did.json"


def did_web(host: str, *path: str, port: int | None = None) -> str:
    """Make the did:web of a host and path (did:web "Create"); what could not be resolved is refused."""
    did = _PREFIX + host.lower() + (f"%3A{port}" if port else "") + "".join(f":{part}" for part in path)
    document_url(did)
    return did


def web_document(did: str, data: bytes) -> DidDocument:
    """Read the fetched document; its id must be the identifier that was asked for (did:web "Read")."""
    document_url(did)
    return DidDocument.parse(data, did)
