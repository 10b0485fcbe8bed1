"""The OpenAI-compatible embedder against a local server that speaks the protocol, well and badly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from mcp_memory_server.embedding.openai_compatible import OpenAICompatibleEmbedder
from mcp_memory_server.errors import UnavailableError
from tests.fakes.local_server import LocalServer, send

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


class Endpoint(LocalServer):
    """A server whose answer a test sets; remembers what it was asked."""

    path = "/v1"

    def __init__(self) -> None:
        self.answer: Answer = lambda body: (200, good(body))
        self.asked: list[dict[str, Any]] = []
        self.authorization: str | None = None
        super().__init__()

    def posted(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        asked = json.loads(body)
        self.asked.append({"path": handler.path, **asked})
        self.authorization = handler.headers["Authorization"]
        status, answer = self.answer(asked)
        send(handler, status, answer if isinstance(answer, bytes) else json.dumps(answer).encode())


def good(body: dict[str, Any]) -> dict[str, Any]:
    """Vectors that depend on the text, in reverse order: the index says which is which."""
    rows = [{"index": i, "embedding": [float(len(text)), 1.0, 0.0]} for i, text in enumerate(body["input"])]
    return {"data": rows[::-1]}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    yield found
    found.close()


def embedder(endpoint: Endpoint, **more: Any) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(endpoint.url, "some-model", 3, **more)


def test_vectors_come_in_the_order_of_the_texts(endpoint: Endpoint) -> None:
    vectors = embedder(endpoint).documents(["a", "four"], ["en", "en"])
    assert np.allclose(vectors[0], np.asarray([1, 1, 0]) / np.sqrt(2))
    assert vectors[1][0] > vectors[1][1]
    assert endpoint.asked[0]["path"] == "/v1/embeddings"
    assert endpoint.asked[0]["model"] == "some-model"


def test_prefixes_and_the_key_are_sent(endpoint: Endpoint) -> None:
    model = embedder(endpoint, api_key="secret", query_prefix="query: ", document_prefix="passage: ")
    model.documents(["tea"], ["en"])
    model.query("tea?", "en", "en")
    assert [body["input"] for body in endpoint.asked] == [["passage: tea"], ["query: tea?"]]
    assert endpoint.authorization == "Bearer secret"


def test_many_texts_go_in_batches(endpoint: Endpoint) -> None:
    vectors = embedder(endpoint).documents(["x"] * 130, ["en"] * 130)
    assert vectors.shape == (130, 3)
    assert [len(body["input"]) for body in endpoint.asked] == [64, 64, 2]


@pytest.mark.parametrize(
    "answer",
    [
        (500, {"error": "broken"}),
        (401, {"error": "no key"}),
        (200, b"not json"),
        (200, {"data": []}),
        (200, {"unexpected": 1}),
        (200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
        (200, {"data": [{"index": 0, "embedding": ["x", "y", "z"]}]}),
    ],
)
def test_a_bad_answer_is_unavailable_and_never_a_vector(endpoint: Endpoint, answer: tuple[int, Any]) -> None:
    endpoint.answer = lambda _body: answer
    with pytest.raises(UnavailableError):
        embedder(endpoint).documents(["tea"], ["en"])


def test_nobody_listening_is_unavailable() -> None:
    nobody = OpenAICompatibleEmbedder("http://127.0.0.1:9/v1", "some-model", 3)
    with pytest.raises(UnavailableError):
        nobody.query("tea", "en", "en")
