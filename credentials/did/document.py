"""DID documents: which key may be used for what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from credentials.encoding import json_object
from credentials.errors import CredentialError, DidError, LimitError
from credentials.keys import PublicKey
from credentials.limits import MAX_DID_DOCUMENT_BYTES, MAX_VERIFICATION_METHODS

ASSERTION: Final = "assertionMethod"
AUTHENTICATION: Final = "authentication"
RELATIONSHIPS: Final = (
    AUTHENTICATION,
    ASSERTION,
    "keyAgreement",
    "capabilityInvocation",
    "capabilityDelegation",
)
_JWK_TYPES: Final = frozenset({"JsonWebKey", "JsonWebKey2020"})
_MULTIKEY_TYPES: Final = frozenset({"Multikey", "Ed25519VerificationKey2020"})


def absolute(did: str, reference: str) -> str:
    """Make a DID URL absolute (DID 1.0 section 3.2.2): ``#key`` belongs to this document."""
    return did + reference if reference.startswith("#") else reference


def did_of(url: str) -> str:
    """The DID of a DID URL (DID 1.0 section 3.2)."""
    for mark in "#?/":
        url = url.split(mark, 1)[0]
    return url


class DidDocument:
    """A parsed DID document; keys are imported only when they are asked for."""

    __slots__ = ("_keys", "_relations", "did", "methods", "source")

    def __init__(self, source: Mapping[str, Any], did: str) -> None:
        if source.get("id") != did:
            raise DidError("did_document_mismatch")
        self.did = did
        self.source = source
        self.methods: dict[str, Mapping[str, Any]] = {}
        self._relations: dict[str, set[str]] = {}
        self._keys: dict[str, PublicKey] = {}
        for method in _list(source, "verificationMethod"):
            self._add(method)
        for name in RELATIONSHIPS:
            self._relations[name] = {self._reference(item) for item in _list(source, name)}

    @classmethod
    def parse(cls, data: bytes, did: str) -> DidDocument:
        """Read a document and require that it is about ``did`` (DID 1.0 sections 5.1 and 5.2)."""
        if len(data) > MAX_DID_DOCUMENT_BYTES:
            raise LimitError("too_large", f"more than {MAX_DID_DOCUMENT_BYTES} bytes")
        return cls(json_object(data), did)

    def _add(self, method: object) -> str:
        if not isinstance(method, Mapping) or not isinstance(method.get("id"), str):
            raise DidError("did_document_malformed", "a verification method has no id")
        url = absolute(self.did, str(method["id"]))
        if url in self.methods or len(self.methods) >= MAX_VERIFICATION_METHODS:
            raise DidError("did_document_malformed", "a verification method is there twice, or too many are")
        self.methods[url] = method
        return url

    def _reference(self, item: object) -> str:
        if isinstance(item, str):
            return absolute(self.did, item)
        return self._add(item)

    def key(self, url: str, relationship: str) -> PublicKey:
        """The key of a verification method, if it is listed for this purpose (DID 1.0 section 5.3).

        The method's controller has to be this document (Data Integrity 1.0 section 5.9).
        """
        url = absolute(self.did, url)
        method = self.methods.get(url)
        if method is None:
            raise DidError("did_key_not_found")
        if url not in self._relations.get(relationship, ()):
            raise DidError("did_key_relationship", f"not listed for {relationship}")
        if method.get("controller") != self.did:
            raise DidError("did_key_relationship", "the method is controlled by another document")
        if url not in self._keys:
            self._keys[url] = _import(method)
        return self._keys[url]

    def only_key(self, relationship: str) -> tuple[str, PublicKey]:
        """The one key of a purpose, when a token names none; several are ambiguous (DID 1.0 5.3)."""
        urls = self._relations.get(relationship, set())
        if len(urls) != 1:
            raise DidError("did_key_not_found", "no key is named and there is not exactly one")
        url = next(iter(urls))
        return url, self.key(url, relationship)

    def urls(self, relationship: str) -> frozenset[str]:
        """The verification methods of a purpose (DID 1.0 section 5.3)."""
        return frozenset(self._relations.get(relationship, ()))


def _list(source: Mapping[str, Any], name: str) -> list[Any]:
    value = source.get(name, [])
    if not isinstance(value, list):
        raise DidError("did_document_malformed", f"{name} is not a list")
    return value


def _import(method: Mapping[str, Any]) -> PublicKey:
    kind = str(method.get("type"))
    if kind in _JWK_TYPES:
        return PublicKey.from_jwk(method.get("publicKeyJwk"))
    if kind in _MULTIKEY_TYPES and isinstance(method.get("publicKeyMultibase"), str):
        return PublicKey.from_multikey(method["publicKeyMultibase"])
    raise DidError("did_document_malformed", "a verification method of an unknown kind")


def build_document(
    did: str,
    keys: Iterable[tuple[str, PublicKey]],
    *,
    also_known_as: Iterable[str] = (),
    services: Iterable[Mapping[str, Any]] = (),
    retired: Iterable[tuple[str, PublicKey]] = (),
) -> dict[str, Any]:
    """Build the DID document of an agent (DID 1.0 section 5) with Multikey methods.

    ``keys`` are (fragment, key) pairs that sign and authenticate. ``retired`` keys stay listed for
    assertions, so that credentials issued before a rotation verify until they expire; they no longer
    authenticate. Keys that were compromised belong in neither list.
    """
    active = [(f"{did}#{fragment}", key) for fragment, key in keys]
    old = [(f"{did}#{fragment}", key) for fragment, key in retired]
    if not active:
        raise DidError("did_document_malformed", "a document without a key")
    document: dict[str, Any] = {
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
        "id": did,
        "verificationMethod": [
            {"id": url, "type": "Multikey", "controller": did, "publicKeyMultibase": key.to_multikey()}
            for url, key in (*active, *old)
        ],
        AUTHENTICATION: [url for url, _ in active],
        ASSERTION: [url for url, _ in (*active, *old)],
    }
    names = list(also_known_as)
    if names:
        document["alsoKnownAs"] = names
    offered = [dict(service) for service in services]
    if offered:
        document["service"] = offered
    return document


def checked(document: Mapping[str, Any], did: str) -> DidDocument:
    """Parse a document value and import every signing key, so that a bad key shows at once (DID 1.0 5.2)."""
    parsed = DidDocument(document, did)
    for relationship in (ASSERTION, AUTHENTICATION):
        for url in parsed.urls(relationship):
            try:
                parsed.key(url, relationship)
            except CredentialError as error:
                raise DidError("did_document_malformed", f"{error.code}") from error
    return parsed
