"""Full text, vectors and graph over plain dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from mcp_memory_server.errors import InternalError, InvalidArgumentError
from mcp_memory_server.memory.ports import (
    GraphDocument,
    GraphHit,
    Hit,
    Tenancy,
    TextDocument,
    Unit,
    Vector,
    VectorDocument,
    VectorHits,
)
from tests.fakes.state import UserState
from tests.fakes.unit import MemoryUnit

if TYPE_CHECKING:
    from tests.fakes.backend import MemoryStore

_K1, _B = 1.2, 0.75
_HUB = 16


class _Index:
    transactional = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def _reading(self, tenancy: Tenancy, unit: Unit | None) -> UserState:
        if unit is not None:
            return _own(tenancy, unit).mine
        return self._store.state.users.get(tenancy.user) or UserState()

    @contextmanager
    def _writing(self, tenancy: Tenancy, unit: Unit | None) -> Iterator[UserState]:
        if unit is not None:
            own = _own(tenancy, unit)
            yield own._own()
            return
        with self._store.write(tenancy) as fresh:
            yield fresh._own()
            fresh.touch(purged=True)


def _own(tenancy: Tenancy, unit: Unit) -> MemoryUnit:
    if not isinstance(unit, MemoryUnit) or unit.user != tenancy.user:
        raise InternalError("a unit of work of another store or user")
    return unit


class MemoryTextIndex(_Index):
    """BM25 in full."""

    name = "text"

    def upsert(self, tenancy: Tenancy, documents: Sequence[TextDocument], unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            for document in documents:
                mine.text.pop(document.memory_id, None)
                mine.text[document.memory_id] = document

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            for one in memory_ids:
                mine.text.pop(one, None)

    def search(self, tenancy: Tenancy, tokens: Sequence[str], limit: int, unit: Unit | None = None) -> tuple[Hit, ...]:
        documents = list(self._reading(tenancy, unit).text.values())
        average = sum(len(d.tokens) for d in documents) / max(1, len(documents))
        holding = Counter(token for d in documents for token in set(d.tokens))
        hits = []
        for document in documents:
            counts, score = Counter(document.tokens), 0.0
            for token in dict.fromkeys(tokens):
                if counts[token]:
                    rarity = math.log((len(documents) - holding[token] + 0.5) / (holding[token] + 0.5) + 1)
                    length = 1 - _B + _B * len(document.tokens) / average
                    score += rarity * counts[token] * (_K1 + 1) / (counts[token] + _K1 * length)
            if score:
                hits.append(Hit(document.memory_id, score))
        hits.reverse()  # of equal scores the newest comes first
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        return {one: document.digest for one, document in self._reading(tenancy, unit).text.items()}


class MemoryVectorIndex(_Index):
    """Cosine by a loop."""

    name = "vectors"

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        with self._writing(tenancy, unit) as mine:
            for one in dict.fromkeys(document.memory_id for document in documents):
                mine.vectors[model, one] = tuple(d for d in documents if d.memory_id == one)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            for key in [key for key in mine.vectors if key[1] in memory_ids]:
                del mine.vectors[key]

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            for key in [key for key in mine.vectors if key[0] == model]:
                del mine.vectors[key]

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        best: dict[str, float] = {}
        scores = []
        for (own_model, one), documents in self._reading(tenancy, unit).vectors.items():
            for document in documents:
                if own_model == model and document.lang == lang:
                    scores.append(float(np.dot(document.vector, vector)))
                    best[one] = max(best.get(one, -1.0), scores[-1])
        if not scores:
            return VectorHits(())
        hits = sorted((Hit(one, score) for one, score in best.items()), key=lambda hit: -hit.score)[:limit]
        return VectorHits(tuple(hits), float(np.mean(scores)), float(np.std(scores)), len(best))

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        found = self._reading(tenancy, unit).vectors.items()
        return {one: documents[0].digest for (own, one), documents in found if own == model}

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        return dict(Counter(model for model, _ in self._reading(tenancy, unit).vectors))


class MemoryGraphIndex(_Index):
    """Two hops by sets."""

    name = "graph"

    def upsert(self, tenancy: Tenancy, documents: Sequence[GraphDocument], unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            mine.graph.update({document.memory_id: document for document in documents})

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        with self._writing(tenancy, unit) as mine:
            for one in memory_ids:
                mine.graph.pop(one, None)

    def neighbours(
        self, tenancy: Tenancy, entities: Sequence[str], hops: int, limit: int, unit: Unit | None = None
    ) -> tuple[GraphHit, ...]:
        if hops not in (1, 2):
            raise InvalidArgumentError("hops: from 1 to 2")
        graph = self._reading(tenancy, unit).graph
        named = {one: {key for key, _ in document.mentions} for one, document in graph.items()}
        found: dict[str, GraphHit] = {}
        for one, keys in named.items():
            if near := keys & set(entities):
                found[one] = GraphHit(one, 1, (min(near),))
        if hops == 2:
            sizes = Counter(key for keys in named.values() for key in keys)
            for first in list(found):
                for bridge in sorted(named[first] - set(found[first].via)):
                    for one, keys in named.items():
                        if one not in found and bridge in keys and sizes[bridge] < _HUB:
                            found[one] = GraphHit(one, 2, (found[first].via[0], bridge))
        return tuple(sorted(found.values(), key=lambda hit: hit.hops)[:limit])

    def linked(
        self, tenancy: Tenancy, memory_ids: Sequence[str], limit: int, unit: Unit | None = None
    ) -> tuple[str, ...]:
        graph = self._reading(tenancy, unit).graph
        named = {one: {key for key, _ in document.mentions} for one, document in graph.items()}
        sizes = Counter(key for keys in named.values() for key in keys)
        bridges = {key for one in memory_ids for key in named.get(one, ()) if sizes[key] < _HUB}
        shared = {one: len(keys & bridges) for one, keys in named.items() if one not in memory_ids}
        found = sorted((one for one in shared if shared[one]), key=lambda one: (shared[one], one), reverse=True)
        return tuple(found[:limit])

    def digests(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, str]:
        return {one: document.digest for one, document in self._reading(tenancy, unit).graph.items()}
