"""One resolver over documents that were fetched before; it never fetches."""

from __future__ import annotations

from collections.abc import Mapping

from credentials.did import pkh
from credentials.did.document import DidDocument
from credentials.did.local import jwk_document, key_document
from credentials.errors import DidError

_FETCHED = ("web", "webvh")


def method_of(did: str) -> str:
    """The method name of a DID (DID 1.0 section 3.1)."""
    parts = did.split(":", 2)
    if len(parts) != 3 or parts[0] != "did" or not parts[1] or not parts[2]:
        raise DidError("did_malformed")
    return parts[1]


class StaticResolver:
    """Gives did:key, did:jwk and did:pkh at once, did:web and did:webvh from the given documents."""

    __slots__ = ("_documents",)

    def __init__(self, documents: Mapping[str, DidDocument] | None = None) -> None:
        self._documents = dict(documents or {})

    def document(self, did: str) -> DidDocument:
        """The document of ``did`` (DID 1.0 section 7.1) or ``did_unresolved``, ``did_method_refused``."""
        method = method_of(did)
        if method == "key":
            return key_document(did)
        if method == "jwk":
            return jwk_document(did)
        if method == "pkh":
            return DidDocument(pkh.pkh_document(did), did)
        if method not in _FETCHED:
            raise DidError("did_method_refused")
        document = self._documents.get(did)
        if document is None:
            raise DidError("did_unresolved")
        if document.did != did:
            raise DidError("did_document_mismatch")
        return document
