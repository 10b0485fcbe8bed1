"""Full text: what every back end finds, and for whom."""

from __future__ import annotations

import pytest

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.ports import Backend, Tenancy, TextDocument
from mcp_memory_server.memory.text import index_tokens, query_tokens
from tests.contract.conftest import with_the_ledger


def document(name: str, text: str) -> TextDocument:
    return TextDocument(name, tuple(index_tokens(text)), f"digest of {name}")


def found(backend: Backend, tenancy: Tenancy, query: str, limit: int = 10) -> list[str]:
    hits = backend.text_index.search(tenancy=tenancy, tokens=query_tokens(query), limit=limit, unit=None)
    return [hit.memory_id for hit in hits]


def test_the_best_match_comes_first_and_scores_fall(backend: Backend, ann: Tenancy) -> None:
    backend.text_index.upsert(
        ann,
        [
            document("m_1", "The kettle is on the stove and the tea is in the cupboard."),
            document("m_2", "Tea, green tea, black tea."),
            document("m_3", "The van is at the garage."),
        ],
    )
    hits = backend.text_index.search(ann, query_tokens("green tea"), 10)
    assert [hit.memory_id for hit in hits] == ["m_2", "m_1"]
    assert hits[0].score > hits[1].score > 0
    assert len(backend.text_index.search(ann, query_tokens("green tea"), 1)) == 1


def test_a_document_is_replaced_whole(backend: Backend, ann: Tenancy) -> None:
    backend.text_index.upsert(tenancy=ann, documents=[document("m_1", "red kettle")], unit=None)
    backend.text_index.upsert(ann, [document("m_1", "blue kettle")])
    assert found(backend, ann, "red") == []
    assert found(backend, ann, "blue") == ["m_1"]
    assert backend.text_index.digests(ann) == {"m_1": "digest of m_1"}


def test_what_is_deleted_is_not_found(backend: Backend, ann: Tenancy) -> None:
    backend.text_index.upsert(ann, [document("m_1", "kettle"), document("m_2", "kettle")])
    backend.text_index.delete(tenancy=ann, memory_ids=["m_1", "nobody"], unit=None)
    backend.text_index.delete(ann, [])
    assert found(backend, ann, "kettle") == ["m_2"]
    assert set(backend.text_index.digests(tenancy=ann, unit=None)) == {"m_2"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我的猫叫豆豆，今年三岁。", "豆豆今年几岁"),
        ("護照放在書房的抽屜裡。", "护照"),
        ("Ticket ABC-712: ask @orbit about C++ and the 50% rule, don't wait.", "ABC-712"),
        ("Ticket ABC-712: ask @orbit about C++ and the 50% rule, don't wait.", "@orbit"),
        ("Ticket ABC-712: ask @orbit about C++ and the 50% rule, don't wait.", "C++"),
        ("Ticket ABC-712: ask @orbit about C++ and the 50% rule, don't wait.", "50%"),
        ("Ticket ABC-712: ask @orbit about C++ and the 50% rule, don't wait.", "don't"),
        ("Naïve cafés", "cafés"),
        ("done ✅", "✅"),
        ("𠮷野家 is open", "𠮷野"),
    ],
)
def test_a_text_is_found_by_its_own_words(backend: Backend, ann: Tenancy, text: str, query: str) -> None:
    backend.text_index.upsert(ann, [document("m_1", text), document("m_2", "The van is at the garage.")])
    assert found(backend, ann, query) == ["m_1"]


@pytest.mark.parametrize("token", ['"', "a AND", "NEAR(", "*", "-x", "^", ":", "(", "'", "\0", "{a}", "a\nb", "+", "·"])
def test_no_token_is_read_as_an_operator(backend: Backend, ann: Tenancy, token: str) -> None:
    backend.text_index.upsert(ann, [document("m_1", "a plain text")])
    assert backend.text_index.search(ann, [token], 10) in ((),)
    assert "m_1" in [hit.memory_id for hit in backend.text_index.search(ann, [token, "plain"], 10)]


def test_no_tokens_find_nothing(backend: Backend, ann: Tenancy) -> None:
    backend.text_index.upsert(ann, [document("m_1", "a plain text")])
    assert backend.text_index.search(ann, [], 10) == ()


@pytest.mark.parametrize("other", ["ben", "ann2", "an", "ANN", "安", "a:b-c.d"])
def test_users_are_apart(backend: Backend, ann: Tenancy, other: str) -> None:
    stranger = Tenancy(other)
    backend.text_index.upsert(ann, [document("m_1", "kettle"), document("m_2", "kettle stove")])
    backend.text_index.upsert(stranger, [document("m_3", "kettle garage")])
    assert found(backend, stranger, "kettle stove") == ["m_3"]
    assert set(found(backend, ann, "kettle garage")) == {"m_1", "m_2"}
    assert set(backend.text_index.digests(stranger)) == {"m_3"}
    backend.text_index.delete(stranger, ["m_1", "m_3"])
    assert set(found(backend, ann, "kettle")) == {"m_1", "m_2"}
    assert found(backend, stranger, "kettle") == []


def test_what_others_write_changes_no_score(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    backend.text_index.upsert(ann, [document("m_1", "tea"), document("m_2", "coffee")])
    before = [hit.memory_id for hit in backend.text_index.search(ann, ["tea", "coffe"], 10)]
    backend.text_index.upsert(ben, [document(f"b_{n}", "tea tea tea") for n in range(30)])
    after = [hit.memory_id for hit in backend.text_index.search(ann, ["tea", "coffe"], 10)]
    assert before == after


@with_the_ledger
def test_a_unit_shows_its_own_writes_and_takes_them_back(backend: Backend, ann: Tenancy) -> None:
    with pytest.raises(RuntimeError), backend.store.write(ann) as unit:
        backend.text_index.upsert(ann, [document("m_1", "kettle")], unit)
        assert [hit.memory_id for hit in backend.text_index.search(ann, ["kettl"], 10, unit)] == ["m_1"]
        assert set(backend.text_index.digests(ann, unit)) == {"m_1"}
        raise RuntimeError
    assert found(backend, ann, "kettle") == []


@with_the_ledger
def test_a_unit_of_another_user_is_refused(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with pytest.raises(MemoryServerError), backend.store.write(ann) as unit:
        backend.text_index.upsert(ben, [document("m_1", "kettle")], unit)
    with backend.store.read(ann) as unit, pytest.raises(MemoryServerError):
        backend.text_index.search(ben, ["kettl"], 10, unit)
    assert found(backend, ben, "kettle") == []
