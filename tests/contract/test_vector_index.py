"""Vectors: nearest by cosine, per user, model and language."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.ports import Backend, Tenancy, Vector, VectorDocument, VectorHits
from tests.contract.conftest import with_the_ledger

MODEL = "fake-a"


def unit_vector(*values: float) -> Vector:
    vector = np.asarray(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


EAST, NORTH, NORTH_EAST, WEST = unit_vector(1, 0), unit_vector(0, 1), unit_vector(1, 1), unit_vector(-1, 0)


def part(name: str, vector: Vector, number: int = 0, lang: str = "en") -> VectorDocument:
    return VectorDocument(name, number, lang, vector, f"digest of {name}")


def near(backend: Backend, tenancy: Tenancy, vector: Vector, lang: str = "en", model: str = MODEL) -> list[str]:
    hits = backend.vector_index.search(tenancy=tenancy, model=model, lang=lang, vector=vector, limit=10, unit=None)
    return [hit.memory_id for hit in hits.hits]


def test_the_nearest_comes_first_with_its_cosine(backend: Backend, ann: Tenancy) -> None:
    documents = [part("west", WEST), part("east", EAST), part("north", NORTH), part("between", NORTH_EAST)]
    backend.vector_index.upsert(tenancy=ann, model=MODEL, documents=documents, unit=None)
    found = backend.vector_index.search(ann, MODEL, "en", EAST, 3)
    assert [hit.memory_id for hit in found.hits] == ["east", "between", "north"]
    assert [hit.score for hit in found.hits] == pytest.approx([1.0, 0.7071, 0.0], abs=2e-3)
    assert found.count == 4
    assert found.mean == pytest.approx((1.0 + 0.7071 + 0.0 - 1.0) / 4, abs=2e-3)
    assert found.deviation == pytest.approx(np.std([1.0, 0.7071, 0.0, -1.0]), abs=2e-3)


def test_of_a_long_text_the_best_part_counts_once(backend: Backend, ann: Tenancy) -> None:
    backend.vector_index.upsert(ann, MODEL, [part("long", WEST, 0), part("long", EAST, 1), part("short", NORTH_EAST)])
    found = backend.vector_index.search(ann, MODEL, "en", EAST, 10)
    assert [hit.memory_id for hit in found.hits] == ["long", "short"]
    assert found.count == 2


def test_all_parts_of_a_memory_are_replaced(backend: Backend, ann: Tenancy) -> None:
    backend.vector_index.upsert(ann, MODEL, [part("m_1", WEST, 0), part("m_1", EAST, 1)])
    backend.vector_index.upsert(ann, MODEL, [part("m_1", NORTH, 0)])
    found = backend.vector_index.search(ann, MODEL, "en", EAST, 10)
    assert [hit.score for hit in found.hits] == pytest.approx([0.0], abs=2e-3)
    assert backend.vector_index.digests(tenancy=ann, model=MODEL, unit=None) == {"m_1": "digest of m_1"}


def test_nothing_is_found_where_nothing_is(backend: Backend, ann: Tenancy) -> None:
    assert backend.vector_index.search(ann, MODEL, "en", EAST, 10) == VectorHits(())
    backend.vector_index.upsert(ann, MODEL, [])
    assert backend.vector_index.models(ann) == {}


def test_models_and_languages_are_apart(backend: Backend, ann: Tenancy) -> None:
    backend.vector_index.upsert(ann, MODEL, [part("m_1", EAST), part("m_2", EAST, lang="zh")])
    backend.vector_index.upsert(ann, "fake-b", [part("m_1", NORTH), part("m_3", EAST)])
    assert near(backend, ann, EAST) == ["m_1"]
    assert near(backend, ann, EAST, lang="zh") == ["m_2"]
    assert near(backend, ann, EAST, model="fake-b") == ["m_3", "m_1"]
    assert backend.vector_index.models(tenancy=ann, unit=None) == {MODEL: 2, "fake-b": 2}
    backend.vector_index.drop_model(tenancy=ann, model=MODEL, unit=None)
    assert near(backend, ann, EAST) == []
    assert backend.vector_index.models(ann) == {"fake-b": 2}


def test_deleting_removes_every_part_of_every_model(backend: Backend, ann: Tenancy) -> None:
    for model in (MODEL, "fake-b"):
        backend.vector_index.upsert(ann, model, [part("m_1", EAST), part("m_1", WEST, 1), part("m_2", EAST)])
    assert near(backend, ann, EAST) == ["m_1", "m_2"]
    backend.vector_index.delete(tenancy=ann, memory_ids=["m_1", "nobody"], unit=None)
    backend.vector_index.delete(ann, [])
    assert near(backend, ann, EAST) == ["m_2"]
    assert set(backend.vector_index.digests(ann, "fake-b")) == {"m_2"}


@pytest.mark.parametrize("other", ["ben", "ann2", "an", "ANN", "安"])
def test_users_are_apart(backend: Backend, ann: Tenancy, other: str) -> None:
    stranger = Tenancy(other)
    backend.vector_index.upsert(ann, MODEL, [part("m_1", EAST)])
    backend.vector_index.upsert(stranger, MODEL, [part("m_2", EAST)])
    assert near(backend, ann, EAST) == ["m_1"]
    assert near(backend, stranger, EAST) == ["m_2"]
    backend.vector_index.delete(stranger, ["m_1"])
    backend.vector_index.drop_model(stranger, MODEL)
    assert near(backend, ann, EAST) == ["m_1"]
    assert near(backend, stranger, EAST) == []
    assert backend.vector_index.models(stranger) == {}
    assert backend.vector_index.digests(stranger, MODEL) == {}


def test_a_search_sees_what_was_written_since_the_last_one(backend: Backend, ann: Tenancy) -> None:
    source = random.Random(3)
    vectors = [unit_vector(*(source.gauss(0, 1) for _ in range(8))) for _ in range(40)]
    for number, vector in enumerate(vectors):
        backend.vector_index.upsert(ann, MODEL, [part(f"m_{number}", vector)])
        assert near(backend, ann, vector)[0] == f"m_{number}"
    for number in range(0, 40, 2):
        backend.vector_index.delete(ann, [f"m_{number}"])
        assert f"m_{number}" not in near(backend, ann, vectors[number])


@with_the_ledger
def test_what_a_unit_wrote_is_not_found_after_it_failed(backend: Backend, ann: Tenancy) -> None:
    backend.vector_index.upsert(ann, MODEL, [part("m_1", NORTH)])
    with pytest.raises(RuntimeError), backend.store.write(ann) as unit:
        backend.vector_index.upsert(ann, MODEL, [part("m_2", EAST)], unit)
        found = backend.vector_index.search(ann, MODEL, "en", EAST, 10, unit)
        assert [hit.memory_id for hit in found.hits] == ["m_2", "m_1"]
        raise RuntimeError
    assert near(backend, ann, EAST) == ["m_1"]
    assert set(backend.vector_index.digests(ann, MODEL)) == {"m_1"}


@with_the_ledger
def test_what_a_unit_deleted_is_found_again_after_it_failed(backend: Backend, ann: Tenancy) -> None:
    backend.vector_index.upsert(ann, MODEL, [part("m_1", NORTH)])
    with pytest.raises(RuntimeError), backend.store.write(ann) as unit:
        backend.vector_index.delete(ann, ["m_1"], unit)
        assert backend.vector_index.search(ann, MODEL, "en", EAST, 10, unit).hits == ()
        raise RuntimeError
    assert near(backend, ann, EAST) == ["m_1"]


@with_the_ledger
def test_a_unit_of_another_user_is_refused(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with pytest.raises(MemoryServerError), backend.store.write(ann) as unit:
        backend.vector_index.upsert(ben, MODEL, [part("m_1", EAST)], unit)
    assert near(backend, ben, EAST) == []
