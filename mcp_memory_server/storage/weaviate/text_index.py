"""Full text on Weaviate: BM25 over our own tokens, which only spaces part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.collections import Collection

from mcp_memory_server.memory.ports import Hit, Tenancy, TextDocument, TextIndex, Unit
from mcp_memory_server.storage.weaviate.layout import DIGEST, MEMORY, OF, TEXT, TOKENS, WORDS
from mcp_memory_server.storage.weaviate.server import WeaviateServer
from mcp_memory_server.storage.weaviate.tenants import TenantOf, still_theirs
from mcp_memory_server.storage.weaviate.walk import digests_of, in_batches

_QUERY_TOKENS = 64  # tokens of one query that are looked up


class WeaviateTextIndex:
    """The TextIndex port on one server."""

    name = "text"
    transactional = False

    def __init__(self, server: WeaviateServer, tenant_of: TenantOf) -> None:
        self._server = server
        self._tenant_of = tenant_of

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        """Add or replace documents by memory id; of a user without a tenant nothing is kept."""
        tenant = self._tenant_of(tenancy.user)
        if tenant is None or not documents:
            return
        with still_theirs(self._server, tenancy.user, tenant, self._tenant_of):
            self._server.insert(tenant, [_object(document) for document in documents])

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove documents; unknown ids are passed over."""
        tenant = self._tenant_of(tenancy.user)
        for ids in in_batches(memory_ids) if tenant else ():
            self._server.remove(str(tenant), Filter.by_property(MEMORY).contains_any(ids) & _WORDS_ONLY)

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        """The best documents that contain any of `tokens`, by BM25, best first."""
        words = " ".join(token for token in tokens[:_QUERY_TOKENS] if token)
        if not words:
            return ()

        def question(collection: Collection[Any, Any]) -> tuple[Hit, ...]:
            found = collection.query.bm25(
                words, query_properties=[TOKENS], limit=limit, return_properties=[MEMORY],
                return_metadata=MetadataQuery(score=True),
            )  # fmt: skip
            hits = [Hit(str(one.properties[MEMORY]), float(one.metadata.score or 0.0)) for one in found.objects]
            hits.sort(key=lambda hit: hit.memory_id, reverse=True)  # of equal ones the newest first
            return tuple(sorted(hits, key=lambda hit: -hit.score))

        nothing: tuple[Hit, ...] = ()
        return self._server.ask(self._tenant_of(tenancy.user), question, nothing)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything indexed for the user."""
        return digests_of(self._server, self._tenant_of(tenancy.user), WORDS)


_WORDS_ONLY = Filter.by_property(OF).equal(TEXT)
_PORT: type[TextIndex] = WeaviateTextIndex  # the type checker holds the adapter to its port


def _object(document: TextDocument) -> DataObject[Any, Any]:
    properties = {
        OF: TEXT, MEMORY: document.memory_id, DIGEST: document.digest, TOKENS: " ".join(document.tokens)
    }  # fmt: skip
    return DataObject(properties=properties, uuid=WORDS.id_of(document.memory_id))
