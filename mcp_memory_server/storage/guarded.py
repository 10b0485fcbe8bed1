"""Projections and the archive behind circuit breakers: one that is dead or slow holds nobody up.

An index that shares the ledger's transaction needs none: it is there when the ledger is. A call with nothing in it
is not made: an adapter would answer it without its server, and that says nothing of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import (
    Backend,
    Embedder,
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
from mcp_memory_server.storage.breaker import Breaker, Circuit, CircuitView
from mcp_memory_server.storage.composed import Composed

MODEL = "model"  # under this name the circuit of an embedding endpoint is shown
_PROBE = "I live by the sea."  # what it is asked to see whether it answers; nothing of anybody's memory
_NOBODY = Tenancy("")  # no user has this name: asking for its rows shows whether a back end answers, and nothing else
_T = TypeVar("_T")


class GuardedTextIndex:
    """The TextIndex port behind a breaker."""

    transactional = False

    def __init__(self, index: TextIndex, breaker: Breaker) -> None:
        self._index, self._breaker, self.name = index, breaker, index.name

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        """Add or replace documents by memory id."""
        if not documents:
            return
        with self._breaker.calling(waits=False):
            self._index.upsert(tenancy, documents)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove documents; unknown ids are passed over."""
        if not memory_ids:
            return
        with self._breaker.calling(waits=False):
            self._index.delete(tenancy, memory_ids)

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        """The best documents that contain any of `tokens`, by BM25, best first."""
        if not tokens:
            return ()
        with self._breaker.calling(waits=True):
            return self._index.search(tenancy, tokens, limit)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything indexed for the user."""
        with self._breaker.calling(waits=False):
            return self._index.digests(tenancy)


class GuardedVectorIndex:
    """The VectorIndex port behind a breaker."""

    transactional = False

    def __init__(self, index: VectorIndex, breaker: Breaker) -> None:
        self._index, self._breaker, self.name = index, breaker, index.name

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        """Add or replace all parts of the memories that `documents` name."""
        if not documents:
            return
        with self._breaker.calling(waits=False):
            self._index.upsert(tenancy, model, documents)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove every part of every model; unknown ids are passed over."""
        if not memory_ids:
            return
        with self._breaker.calling(waits=False):
            self._index.delete(tenancy, memory_ids)

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        """Remove all vectors of one model."""
        with self._breaker.calling(waits=False):
            self._index.drop_model(tenancy, model)

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        """The memories of `lang` nearest to `vector`: one hit a memory, its best part counts."""
        with self._breaker.calling(waits=True):
            return self._index.search(tenancy, model, lang, vector, limit)

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of what is indexed for the user under `model`."""
        with self._breaker.calling(waits=False):
            return self._index.digests(tenancy, model)

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        """How many memories have vectors of which model."""
        with self._breaker.calling(waits=tenancy != _NOBODY):
            return self._index.models(tenancy)


class GuardedGraphIndex:
    """The GraphIndex port behind a breaker."""

    transactional = False

    def __init__(self, index: GraphIndex, breaker: Breaker) -> None:
        self._index, self._breaker, self.name = index, breaker, index.name

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        """Add or replace the mentions of memories."""
        if not documents:
            return
        with self._breaker.calling(waits=False):
            self._index.upsert(tenancy, documents)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove memories with their mentions."""
        if not memory_ids:
            return
        with self._breaker.calling(waits=False):
            self._index.delete(tenancy, memory_ids)

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        """Memories within `hops` (1 or 2) of the entity keys, nearest first."""
        if not entities:
            return ()
        with self._breaker.calling(waits=True):
            return self._index.neighbours(tenancy, entities, hops, limit)

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        """Other memories that name an entity which one of `memory_ids` names, most shared entities first."""
        if not memory_ids:
            return ()
        with self._breaker.calling(waits=True):
            return self._index.linked(tenancy, memory_ids, limit)

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of everything in the graph for the user."""
        with self._breaker.calling(waits=False):
            return self._index.digests(tenancy)


class GuardedArchive:
    """The Archive port behind a breaker."""

    def __init__(self, archive: Archive, breaker: Breaker) -> None:
        self._archive, self._breaker, self.name = archive, breaker, archive.name

    def put(self, tenancy: Tenancy, memories: Sequence[Memory]) -> None:
        """Add or replace copies by memory id."""
        if not memories:
            return
        with self._breaker.calling(waits=False):
            self._archive.put(tenancy, memories)

    def get(self, tenancy: Tenancy, memory_id: str, digest: str) -> Memory | None:
        """The copy with this fingerprint, None where there is none."""
        with self._breaker.calling(waits=False):
            return self._archive.get(tenancy, memory_id, digest)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str]) -> None:
        """Remove copies; unknown ids are passed over."""
        if not memory_ids:
            return
        with self._breaker.calling(waits=False):
            self._archive.delete(tenancy, memory_ids)

    def purge(self, tenancy: Tenancy) -> None:
        """Remove everything of a user."""
        with self._breaker.calling(waits=False):
            self._archive.purge(tenancy)

    def digests(self, tenancy: Tenancy) -> Mapping[str, str]:
        """Memory id to fingerprint of everything kept for the user."""
        with self._breaker.calling(waits=False):
            return self._archive.digests(tenancy)


class GuardedEmbedder:
    """A model behind an endpoint, and a breaker before it; while it is open the model is not ready."""

    def __init__(self, embedder: Embedder, breaker: Breaker) -> None:
        self._embedder, self._breaker = embedder, breaker
        self.model, self.dimension = embedder.model, embedder.dimension

    def ready(self) -> bool:
        """True when a call would not wait for the model to load, nor be refused."""
        return self._embedder.ready() and self._breaker.admits()

    def load(self) -> None:
        """Load the model; safe to call again."""
        self._embedder.load()

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        """Unit vectors of texts to be found, shape (n, dimension)."""
        with self._breaker.calling(waits=False):
            return self._embedder.documents(texts, langs)

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        """The unit vector of a question to documents in `document_lang`, shape (dimension,)."""
        with self._breaker.calling(waits=True):
            return self._embedder.query(text, lang, document_lang)

    def standard(self, lang: str) -> tuple[float, float]:
        """Mean and deviation of scores to expect of documents in `lang`, for small stores."""
        return self._embedder.standard(lang)


class Guards:
    """The breakers of one process, by the names of what they guard."""

    def __init__(self, make: Callable[[str], Breaker] = Breaker) -> None:
        self._make = make
        self._breakers: dict[str, Breaker] = {}
        self._asks: dict[str, Callable[[], object]] = {}

    def backend(self, backend: Backend) -> Backend:
        """The back end with every projection that is not the ledger's own behind a breaker."""
        text, vectors, graph = backend.text_index, backend.vector_index, backend.graph_index
        if not text.transactional:
            text = GuardedTextIndex(text, self._new(text.name))
            self._asks[text.name] = _asking(text.digests)
        if not vectors.transactional:
            vectors = GuardedVectorIndex(vectors, self._new(vectors.name))
            self._asks[vectors.name] = _asking(vectors.models)
        if not graph.transactional:
            graph = GuardedGraphIndex(graph, self._new(graph.name))
            self._asks[graph.name] = _asking(graph.digests)
        if not self._asks:
            return backend
        if isinstance(backend, Composed):
            return replace(backend, text_index=text, vector_index=vectors, graph_index=graph)
        return Composed(backend.store, text, vectors, graph)

    def archive(self, archive: Archive) -> Archive:
        """The archive behind a breaker."""
        guarded = GuardedArchive(archive, self._new(archive.name))
        self._asks[archive.name] = _asking(guarded.digests)
        return guarded

    def embedder(self, embedder: Embedder) -> Embedder:
        """A model behind an endpoint, behind a breaker."""
        guarded = GuardedEmbedder(embedder, self._new(MODEL))
        self._asks[MODEL] = lambda: guarded.documents([_PROBE], ["en"])
        return guarded

    def refuses(self, name: str) -> bool:
        """Whether background work on a back end would be refused now."""
        breaker = self._breakers.get(name)
        return breaker is not None and breaker.refuses()

    def probe(self) -> None:
        """Ask what is open and may be tried, so that no person's call has to be the trial."""
        for name, breaker in self._breakers.items():
            if breaker.view().circuit is Circuit.HALF_OPEN and not breaker.refuses():
                try:
                    self._asks[name]()
                except MemoryServerError:
                    continue  # open for longer

    def views(self) -> dict[str, CircuitView]:
        """The state of every breaker."""
        return {name: breaker.view() for name, breaker in self._breakers.items()}

    def _new(self, name: str) -> Breaker:
        self._breakers[name] = self._make(name)
        return self._breakers[name]


def _asking(ask: Callable[[Tenancy], _T]) -> Callable[[], _T]:
    return lambda: ask(_NOBODY)


_TEXT: type[TextIndex] = GuardedTextIndex  # the type checker holds them to their ports
_VECTORS: type[VectorIndex] = GuardedVectorIndex
_GRAPH: type[GraphIndex] = GuardedGraphIndex
_ARCHIVE: type[Archive] = GuardedArchive
_EMBEDDER: type[Embedder] = GuardedEmbedder
