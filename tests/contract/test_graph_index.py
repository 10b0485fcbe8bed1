"""The graph: which memories name which things, and what is two steps away."""

from __future__ import annotations

import pytest

from mcp_memory_server.errors import InvalidArgumentError, MemoryServerError
from mcp_memory_server.memory.ports import Backend, GraphDocument, Tenancy
from tests.contract.conftest import with_the_ledger


def document(name: str, *entities: str) -> GraphDocument:
    return GraphDocument(name, "mentions", tuple((entity, "mention") for entity in entities), f"digest of {name}")


def reached(backend: Backend, tenancy: Tenancy, *entities: str, hops: int = 2) -> dict[str, int]:
    hits = backend.graph_index.neighbours(tenancy=tenancy, entities=entities, hops=hops, limit=50, unit=None)
    return {hit.memory_id: hit.hops for hit in hits}


def test_one_hop_names_the_entity_and_two_share_one(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(
        tenancy=ann,
        documents=[
            document("m_1", "nora", "emil"),
            document("m_2", "emil", "porto"),
            document("m_3", "porto"),
            document("m_4", "graz"),
        ],
        unit=None,
    )
    assert reached(backend, ann, "nora", hops=1) == {"m_1": 1}
    assert reached(backend, ann, "nora") == {"m_1": 1, "m_2": 2}
    assert reached(backend, ann, "nora", "graz") == {"m_1": 1, "m_4": 1, "m_2": 2}
    assert reached(backend, ann, "nobody") == {}
    assert reached(backend, ann) == {}


def test_what_is_asked_twice_counts_once(backend: Backend, ann: Tenancy) -> None:
    """Naming an entity or a memory twice lends it no second voice in the order of what is found."""
    backend.graph_index.upsert(
        ann,
        [
            document("one", "nora"),
            document("two", "emil", "graz"),
            document("three", "nora", "porto"),
            document("four", "emil", "graz"),
        ],
    )
    once, twice = ["nora", "emil", "graz"], ["nora", "nora", "nora", "emil", "graz"]
    assert backend.graph_index.neighbours(ann, twice, 2, 50) == backend.graph_index.neighbours(ann, once, 2, 50)
    assert backend.graph_index.linked(ann, ["one", "one", "one", "two"], 50) == ("four", "three")


def test_the_way_is_told_and_near_ones_come_first(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document("far", "emil", "porto"), document("near", "nora", "emil")])
    hits = backend.graph_index.neighbours(ann, ["nora"], 2, 50)
    assert [(hit.memory_id, hit.hops, hit.via) for hit in hits] == [
        ("near", 1, ("nora",)),
        ("far", 2, ("nora", "emil")),
    ]
    assert len(backend.graph_index.neighbours(ann, ["nora"], 2, 1)) == 1


def test_what_everything_names_connects_nothing(backend: Backend, ann: Tenancy) -> None:
    hub = [document(f"m_{n}", "tea", f"thing {n}") for n in range(60)]
    backend.graph_index.upsert(ann, hub)
    assert reached(backend, ann, "thing 3") == {"m_3": 1}


def test_mentions_are_replaced_whole(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document("m_1", "nora", "emil")])
    backend.graph_index.upsert(ann, [document("m_1", "graz")])
    backend.graph_index.upsert(ann, [])
    assert reached(backend, ann, "nora", "emil") == {}
    assert reached(backend, ann, "graz") == {"m_1": 1}
    assert backend.graph_index.digests(tenancy=ann, unit=None) == {"m_1": "digest of m_1"}


def test_a_memory_that_names_nothing_is_still_accounted_for(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document("m_1")])
    assert backend.graph_index.digests(ann) == {"m_1": "digest of m_1"}


def test_deleted_memories_connect_nothing(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document("m_1", "nora", "emil"), document("m_2", "emil", "porto")])
    backend.graph_index.delete(tenancy=ann, memory_ids=["m_1", "nobody"], unit=None)
    assert reached(backend, ann, "nora") == {}
    assert reached(backend, ann, "emil") == {"m_2": 1}
    assert set(backend.graph_index.digests(ann)) == {"m_2"}


def test_linked_are_others_that_share_most_first(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    backend.graph_index.upsert(
        ann,
        [
            document("m_1", "nora", "emil", "porto"),
            document("m_2", "emil"),
            document("m_3", "porto", "nora"),
            document("m_4", "graz"),
        ],
    )
    backend.graph_index.upsert(ben, [document("m_5", "nora", "emil")])
    assert backend.graph_index.linked(tenancy=ann, memory_ids=["m_1"], limit=10, unit=None) == ("m_3", "m_2")
    assert backend.graph_index.linked(ann, ["m_1"], 1) == ("m_3",)
    assert backend.graph_index.linked(ann, ["m_1", "m_3", "nobody"], 10) == ("m_2",)
    assert backend.graph_index.linked(ann, [], 10) == ()
    assert backend.graph_index.linked(ben, ["m_1"], 10) == ()


@pytest.mark.parametrize("hops", [0, 3, -1])
def test_other_distances_are_refused(backend: Backend, ann: Tenancy, hops: int) -> None:
    with pytest.raises(InvalidArgumentError):
        backend.graph_index.neighbours(ann, ["nora"], hops, 10)


@pytest.mark.parametrize("other", ["ben", "ann2", "an", "ANN", "安"])
def test_users_are_apart(backend: Backend, ann: Tenancy, other: str) -> None:
    stranger = Tenancy(other)
    backend.graph_index.upsert(ann, [document("m_1", "minh", "flute")])
    backend.graph_index.upsert(stranger, [document("m_2", "minh", "stamps"), document("m_3", "flute", "stamps")])
    assert reached(backend, ann, "minh") == {"m_1": 1}
    assert reached(backend, stranger, "minh") == {"m_2": 1, "m_3": 2}
    assert set(backend.graph_index.digests(ann)) == {"m_1"}
    backend.graph_index.delete(stranger, ["m_1", "m_2", "m_3"])
    assert reached(backend, ann, "minh") == {"m_1": 1}


@with_the_ledger
def test_a_unit_shows_its_own_writes_and_takes_them_back(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with pytest.raises(RuntimeError), backend.store.write(ann) as unit:
        backend.graph_index.upsert(ann, [document("m_1", "nora")], unit)
        hits = backend.graph_index.neighbours(ann, ["nora"], 2, 10, unit)
        assert [hit.memory_id for hit in hits] == ["m_1"]
        raise RuntimeError
    assert reached(backend, ann, "nora") == {}
    with pytest.raises(MemoryServerError), backend.store.write(ann) as unit:
        backend.graph_index.upsert(ben, [document("m_1", "nora")], unit)


def test_linked_memories_share_an_entity_and_most_shared_come_first(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(
        ann,
        [
            document("m_1", "nora", "emil"),
            document("m_2", "nora"),
            document("m_3", "nora", "emil"),
            document("m_4", "kai"),
        ],
    )
    assert backend.graph_index.linked(ann, ["m_1"], 10) == ("m_3", "m_2")
    assert backend.graph_index.linked(ann, ["m_1"], 1) == ("m_3",)
    assert backend.graph_index.linked(ann, [], 10) == ()


def test_what_everything_names_links_nothing(backend: Backend, ann: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document(f"m_{index}", "tea") for index in range(40)])
    assert backend.graph_index.linked(ann, ["m_1"], 10) == ()


def test_linked_memories_are_of_the_same_user(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    backend.graph_index.upsert(ann, [document("m_1", "nora")])
    backend.graph_index.upsert(ben, [document("m_2", "nora")])
    assert backend.graph_index.linked(ann, ["m_1"], 10) == ()
