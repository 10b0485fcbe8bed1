"""Vectors on Weaviate: one HNSW index for each model in each tenant, asked language by language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from weaviate.classes.aggregate import GroupByAggregate
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.collections import Collection

from mcp_memory_server.memory.ports import Hit, Tenancy, Unit, Vector, VectorDocument, VectorHits, VectorIndex
from mcp_memory_server.storage.weaviate.layout import (
    DIGEST,
    LANG,
    MEMORY,
    MODEL,
    OF,
    PART,
    SPREAD,
    SPREAD_STEPS,
    VECTORS,
    spread_of,
    vector_name,
    vectors_of,
)
from mcp_memory_server.storage.weaviate.server import WeaviateServer
from mcp_memory_server.storage.weaviate.tenants import TenantOf, still_theirs
from mcp_memory_server.storage.weaviate.walk import digests_of, in_batches

_MOST = 10_000  # parts that one question may ask for, unless the server is set up otherwise
_SAMPLED = 300  # parts of which, at most, mean and deviation are taken where not all were found
_STEP = 4  # by which the share of parts that is sampled is made smaller or larger
_TRIES = 8  # for a share that gives a good sample; the one found is remembered
_SHARES = 10_000  # shares that are remembered at most
_MODELS = 100  # models of one user that are counted

_Rows = list[tuple[str, float]]  # (memory id, cosine) of parts


class WeaviateVectorIndex:
    """The VectorIndex port on one server. Vectors of one model all have the model's length."""

    name = "vectors"
    transactional = False

    def __init__(self, server: WeaviateServer, tenant_of: TenantOf) -> None:
        self._server = server
        self._tenant_of = tenant_of
        self._sampler = _Sampler()

    def upsert(
        self, tenancy: Tenancy, model: str, documents: Sequence[VectorDocument], unit: Unit | None = None
    ) -> None:
        """Add or replace all parts of the memories that `documents` name; without a tenant nothing is kept."""
        tenant = self._tenant_of(tenancy.user)
        if tenant is None or not documents:
            return
        parts: dict[str, int] = {}
        for one in documents:
            parts[one.memory_id] = max(parts.get(one.memory_id, 0), one.part + 1)
        shorter: dict[int, list[str]] = defaultdict(list)
        for memory_id, count in parts.items():
            shorter[count].append(memory_id)
        with still_theirs(self._server, tenancy.user, tenant, self._tenant_of):
            self._server.insert(tenant, [_object(model, document) for document in documents], model)
            for count, ids in shorter.items():  # parts that a text had when it was longer
                for some in in_batches(ids):
                    beyond = Filter.by_property(PART).greater_or_equal(count)
                    self._server.remove(tenant, _of_memories(some) & _of_model(model) & beyond)

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str], unit: Unit | None = None) -> None:
        """Remove every part of every model; unknown ids are passed over."""
        tenant = self._tenant_of(tenancy.user)
        for ids in in_batches(memory_ids) if tenant else ():
            self._server.remove(str(tenant), _of_memories(ids) & Filter.by_property(OF).equal(VECTORS))

    def drop_model(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> None:
        """Remove all vectors of one model."""
        tenant = self._tenant_of(tenancy.user)
        if tenant is not None:
            self._server.remove(tenant, _of_model(model))

    def search(
        self, tenancy: Tenancy, model: str, lang: str, vector: Vector, limit: int, unit: Unit | None = None
    ) -> VectorHits:
        """The memories of `lang` nearest to `vector`: one hit a memory, its best part counts.

        Mean, deviation and count are of all where all were found, else estimated from an even sample.
        """
        where = _of_model(model) & Filter.by_property(LANG).equal(lang)
        wanted = [float(value) for value in vector]
        tenant = self._tenant_of(tenancy.user)

        def question(collection: Collection[Any, Any]) -> VectorHits:
            asked = limit
            while True:
                rows = _near(collection, model, wanted, asked, where)
                best: dict[str, float] = {}
                for memory_id, score in rows:
                    best.setdefault(memory_id, score)
                if len(rows) < asked or len(best) >= limit or asked >= _MOST:
                    break
                asked = min(2 * asked, _MOST)  # long texts took the places of others
            if not rows:
                return VectorHits(())
            hits = tuple(Hit(memory_id, score) for memory_id, score in best.items())[:limit]
            if len(rows) < asked:
                return _summed_up(hits, rows, len(best))
            return self._sampler.summed_up(
                (tenant, model, lang), hits, lambda share: _near(collection, model, wanted, _SAMPLED, where & share)
            )

        return self._server.ask(tenant, question, VectorHits(()), model)

    def digests(self, tenancy: Tenancy, model: str, unit: Unit | None = None) -> Mapping[str, str]:
        """Memory id to digest of what is indexed for the user under `model`."""
        return digests_of(self._server, self._tenant_of(tenancy.user), vectors_of(model))

    def models(self, tenancy: Tenancy, unit: Unit | None = None) -> Mapping[str, int]:
        """How many memories have vectors of which model."""

        def question(collection: Collection[Any, Any]) -> dict[str, int]:
            found = collection.aggregate.over_all(
                filters=_FIRST_PARTS, group_by=GroupByAggregate(prop=MODEL, limit=_MODELS), total_count=True
            )
            return {str(one.grouped_by.value): one.total_count or 0 for one in found.groups if one.total_count}

        nothing: dict[str, int] = {}
        return self._server.ask(self._tenant_of(tenancy.user), question, nothing)


_FIRST_PARTS = Filter.by_property(PART).equal(0)
_PORT: type[VectorIndex] = WeaviateVectorIndex  # the type checker holds the adapter to its port


def _of_memories(ids: Sequence[str]) -> Any:
    return Filter.by_property(MEMORY).contains_any(ids)


def _of_model(model: str) -> Any:
    return Filter.by_property(MODEL).equal(model)


def _object(model: str, document: VectorDocument) -> DataObject[Any, Any]:
    uuid = vectors_of(model).id_of(document.memory_id, document.part)
    properties = {
        OF: VECTORS, MEMORY: document.memory_id, MODEL: model, LANG: document.lang, PART: document.part,
        DIGEST: document.digest, SPREAD: spread_of(uuid),
    }  # fmt: skip
    vector = np.asarray(document.vector, dtype=np.float32).tolist()
    return DataObject(properties=properties, uuid=uuid, vector={vector_name(model): vector})


def _near(collection: Collection[Any, Any], model: str, vector: list[float], count: int, where: Any) -> _Rows:
    found = collection.query.near_vector(
        vector, target_vector=vector_name(model), limit=count, filters=where, return_properties=[MEMORY],
        return_metadata=MetadataQuery(distance=True),
    )  # fmt: skip
    rows = [(str(one.properties[MEMORY]), 1.0 - float(one.metadata.distance or 0.0)) for one in found.objects]
    return sorted(rows, key=lambda row: (-row[1], row[0]))  # equal ones in the order of their ids, always the same


def _summed_up(hits: tuple[Hit, ...], rows: _Rows, count: int) -> VectorHits:
    scores = np.asarray([score for _, score in rows])
    return VectorHits(hits, float(scores.mean()), float(scores.std()), count)


class _Sampler:
    """Mean and deviation from an even sample: how many parts there are is not asked, which would take long."""

    def __init__(self) -> None:
        self._shares: dict[tuple[str | None, str, str], float] = {}

    def summed_up(
        self, key: tuple[str | None, str, str], hits: tuple[Hit, ...], near: Callable[[Any], _Rows]
    ) -> VectorHits:
        """The hits with what a sample says of all of them; `near` asks for the nearest parts that match."""
        share = self._shares.get(key, 1 / _STEP)
        sample: _Rows = []
        for _ in range(_TRIES):
            sample = near(Filter.by_property(SPREAD).less_than(int(SPREAD_STEPS * share)))
            if len(sample) >= _SAMPLED:  # these are but the best of so many
                share /= _STEP
            elif len(sample) < _SAMPLED / _STEP / 2 and share < 1:
                share = min(1.0, share * _STEP)
            else:
                break
        if len(self._shares) >= _SHARES:
            self._shares.clear()
        self._shares[key] = share
        count = round(len({memory_id for memory_id, _ in sample}) / share)
        return _summed_up(hits, sample, max(count, len(hits))) if sample else VectorHits(hits)
