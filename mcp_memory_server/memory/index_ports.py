"""The ports of the projections and of the model that makes vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from mcp_memory_server.memory.records import (
    GraphDocument,
    GraphHit,
    Hit,
    Tenancy,
    TextDocument,
    Vector,
    VectorDocument,
    VectorHits,
)


@runtime_checkable
class Unit(Protocol):
    """An open unit of work of a ledger; opaque to all but the back end that made it."""

    @property
    def user(self) -> str:
        """The user whose unit it is."""
        ...


class TextIndex(Protocol):
    """Full text over our own tokens."""

    name: str
    transactional: bool

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        """Add or replace documents by memory id."""
        ...

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove documents; unknown ids are passed over."""
        ...

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        """The best documents that contain any of `tokens`, by BM25, best first."""
        ...

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything indexed for the user."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine, per embedding model and language."""

    name: str
    transactional: bool

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        """Add or replace all parts of the memories that `documents` name."""
        ...

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove every part of every model; unknown ids are passed over."""
        ...

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        """Remove all vectors of one model."""
        ...

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        """The memories of `lang` nearest to `vector`: one hit a memory, its best part counts."""
        ...

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of what is indexed for the user under `model`."""
        ...

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        """How many memories have vectors of which model."""
        ...


class GraphIndex(Protocol):
    """Which memory names which entity, and what is at most two hops away."""

    name: str
    transactional: bool

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        """Add or replace the mentions of memories."""
        ...

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove memories with their mentions; entities that nothing names any more go too."""
        ...

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        """Memories within `hops` (1 or 2) of the entity keys, nearest first."""
        ...

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        """Other memories that name an entity which one of `memory_ids` names, most shared entities first."""
        ...

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors. May be slow to load; `ready` never blocks."""

    model: str
    dimension: int

    def ready(self) -> bool:
        """True when a call would not wait for the model to load."""
        ...

    def load(self) -> None:
        """Load the model; safe to call again."""
        ...

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        """Unit vectors of texts to be found, shape (n, dimension)."""
        ...

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        """The unit vector of a question to documents in `document_lang`, shape (dimension,)."""
        ...

    def standard(self, lang: str) -> tuple[float, float]:
        """Mean and deviation of scores to expect of documents in `lang`, for small stores."""
        ...
