"""Projections beside a sealed ledger: they are given keyed hashes of words and names, never the words.

A hash is made under the user's key, so equal words of two users look different, and with the key gone
nothing that such an index still holds can be told. Vectors go as they are. None of these indexes has a part
in the ledger's transaction: the outbox feeds them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from mcp_memory_server.memory.ports import (
    GraphDocument,
    GraphHit,
    GraphIndex,
    Hit,
    Tenancy,
    TextDocument,
    TextIndex,
    Unit,
    Vector,
    VectorDocument,
    VectorHits,
    VectorIndex,
)
from mcp_memory_server.storage.sql.sealing import Cipher

_TOKEN_BYTES = 10  # of the hash of a word: two words of one user meet once in 2**40 pairs
_DIGEST, _ENTITY = b"projection.digest", b"projection.entity"

KeyOf = Callable[[str], bytes | None]
"""The key of a user as it is kept now, None when there is none."""


class Hashing:
    """What one user's key makes of words, names and digests."""

    def __init__(self, key: bytes) -> None:
        self._cipher = Cipher(key)
        self._words = hashlib.blake2b(b"projection.words", key=key, digest_size=32).digest()

    def word(self, token: str) -> str:
        """A keyed hash of an index token."""
        return hashlib.blake2b(
            token.encode("utf-8", "surrogatepass"), key=self._words, digest_size=_TOKEN_BYTES
        ).hexdigest()

    def entity(self, key: str) -> str:
        """An entity key, sealed so that equal ones look equal."""
        return self._cipher.match(key, _ENTITY)

    def entity_of(self, sealed: str) -> str:
        """The entity key of `entity`. Raises UnavailableError."""
        return self._cipher.unmatch(sealed, _ENTITY)

    def digest(self, digest: str) -> str:
        """A digest of a text, sealed: without the key, a guessed text cannot be checked against it."""
        return self._cipher.match(digest, _DIGEST)

    def digests(self, sealed: Mapping[str, str]) -> dict[str, str]:
        """Digests by memory id, open. Raises UnavailableError."""
        return {one: self._cipher.unmatch(digest, _DIGEST) for one, digest in sealed.items()}


_hashing = lru_cache(maxsize=256)(Hashing)


class _Beside:
    transactional = False

    def __init__(self, key_of: KeyOf) -> None:
        self._key_of = key_of

    def _of(self, tenancy: Tenancy) -> Hashing | None:
        key = self._key_of(tenancy.user)
        return None if key is None else _hashing(key)


class HashedTextIndex(_Beside):
    """The TextIndex port over another one that sees keyed hashes of the tokens."""

    def __init__(self, index: TextIndex, key_of: KeyOf) -> None:
        super().__init__(key_of)
        self._index = index
        self.name = index.name

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        """Add or replace documents; of a user whose key is gone there is nothing to add."""
        own = self._of(tenancy)
        if own is not None:
            self._index.upsert(tenancy, [_hidden(own, document) for document in documents])

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove documents; unknown ids are passed over."""
        self._index.delete(tenancy, memory_ids)

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        """The best documents that contain any of `tokens`, by BM25, best first."""
        own = self._of(tenancy)
        return () if own is None else self._index.search(tenancy, [own.word(token) for token in tokens], limit)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything indexed for the user."""
        own = self._of(tenancy)
        found = self._index.digests(tenancy)
        return found if own is None else own.digests(found)


def _hidden(own: Hashing, document: TextDocument) -> TextDocument:
    return TextDocument(document.memory_id, tuple(map(own.word, document.tokens)), own.digest(document.digest))


class HashedGraphIndex(_Beside):
    """The GraphIndex port over another one that sees sealed entity keys."""

    def __init__(self, index: GraphIndex, key_of: KeyOf) -> None:
        super().__init__(key_of)
        self._index = index
        self.name = index.name

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        """Add or replace the mentions of memories."""
        own = self._of(tenancy)
        if own is None:
            return
        hidden = [
            GraphDocument(
                document.memory_id,
                document.predicate,
                tuple((own.entity(key), role) for key, role in document.mentions),
                own.digest(document.digest),
            )
            for document in documents
        ]
        self._index.upsert(tenancy, hidden)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove memories with their mentions."""
        self._index.delete(tenancy, memory_ids)

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        """Memories within `hops` (1 or 2) of the entity keys, nearest first."""
        own = self._of(tenancy)
        hidden = [] if own is None else [own.entity(key) for key in entities]
        hits = self._index.neighbours(tenancy, hidden, hops, limit)
        return tuple(GraphHit(hit.memory_id, hit.hops, tuple(map(own.entity_of, hit.via))) for hit in hits if own)

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        """Other memories that name an entity which one of `memory_ids` names, most shared entities first."""
        return self._index.linked(tenancy, memory_ids, limit)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user."""
        own = self._of(tenancy)
        found = self._index.digests(tenancy)
        return found if own is None else own.digests(found)


class HashedVectorIndex(_Beside):
    """The VectorIndex port over another one that sees vectors and sealed digests."""

    def __init__(self, index: VectorIndex, key_of: KeyOf) -> None:
        super().__init__(key_of)
        self._index = index
        self.name = index.name

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        """Add or replace all parts of the memories that `documents` name."""
        own = self._of(tenancy)
        if own is not None:
            hidden = [VectorDocument(d.memory_id, d.part, d.lang, d.vector, own.digest(d.digest)) for d in documents]
            self._index.upsert(tenancy, model, hidden)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove every part of every model; unknown ids are passed over."""
        self._index.delete(tenancy, memory_ids)

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        """Remove all vectors of one model."""
        self._index.drop_model(tenancy, model)

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        """The memories of `lang` nearest to `vector`: one hit a memory, its best part counts."""
        return self._index.search(tenancy, model, lang, vector, limit)

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of what is indexed for the user under `model`."""
        own = self._of(tenancy)
        found = self._index.digests(tenancy, model)
        return found if own is None else own.digests(found)

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        """How many memories have vectors of which model."""
        return self._index.models(tenancy)
