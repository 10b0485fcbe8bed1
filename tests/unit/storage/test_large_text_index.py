"""In a large store a query is scored by its rarest tokens: what it costs must not grow with the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_memory_server.memory.ports import Tenancy, TextDocument
from mcp_memory_server.storage.sqlite import text_index
from mcp_memory_server.storage.sqlite.store import SqliteStore

ANN, BEN = Tenancy("ann"), Tenancy("ben")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    monkeypatch.setattr(text_index, "_POSTINGS", 20)
    made = SqliteStore(tmp_path / "store.db")
    documents = [
        TextDocument(f"m{number}", ("receipt", "tea" if number % 5 else "kettle", f"n{number}"), "digest")
        for number in range(60)
    ]
    made.text_index.upsert(ANN, documents)
    yield made
    made.close()


def found(store: SqliteStore, tenancy: Tenancy, *tokens: str) -> list[str]:
    return [hit.memory_id for hit in store.text_index.search(tenancy, tokens, 100)]


def test_the_rare_token_decides(store: SqliteStore) -> None:
    assert found(store, ANN, "receipt", "n37") == ["m37"]
    assert set(found(store, ANN, "receipt", "kettle", "n37")) == {"m37", *(f"m{n}" for n in range(0, 60, 5))}


def test_a_query_of_common_tokens_alone_takes_the_rarest_of_them(store: SqliteStore) -> None:
    assert len(found(store, ANN, "receipt")) == 60
    assert len(found(store, ANN, "receipt", "tea")) == 48


def test_frequencies_are_counted_anew_when_the_store_has_grown(store: SqliteStore) -> None:
    assert found(store, ANN, "receipt", "n59", "new") == ["m59"]
    store.text_index.upsert(ANN, [TextDocument(f"x{number}", ("new",), "digest") for number in range(40)])
    assert found(store, ANN, "receipt", "n59", "new") == ["m59"]
    assert len(found(store, ANN, "receipt", "new")) == 40


def test_the_tokens_of_another_user_count_for_nothing(store: SqliteStore) -> None:
    store.text_index.upsert(BEN, [TextDocument("b1", ("receipt", "tea"), "digest")])
    assert found(store, BEN, "receipt", "tea") == ["b1"]
    assert found(store, BEN, "n37") == []


def test_a_store_of_ordinary_size_scores_every_document(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "_POSTINGS", 5_000)
    assert len(found(store, ANN, "receipt", "n37")) == 60
