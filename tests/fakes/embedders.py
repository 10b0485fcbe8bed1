"""Embedders without a model: hashed words, seeded by the model's name."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

import numpy as np

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Vector
from mcp_memory_server.memory.text import index_tokens


class HashEmbedder:
    """A bag of hashed tokens; equal words give near vectors, other models give unrelated ones."""

    def __init__(self, model: str = "fake-a", dimension: int = 64) -> None:
        self.model = model
        self.dimension = dimension
        self.given: list[str] = []

    def ready(self) -> bool:
        return True

    def load(self) -> None:
        return None

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        assert len(texts) == len(langs)
        self.given.extend(texts)
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._vector(text) for text in texts])

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        self.given.append(text)
        return self._vector(text)

    def standard(self, lang: str) -> tuple[float, float]:
        return 0.1, 0.15

    def _vector(self, text: str) -> Vector:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for token in index_tokens(text) or [text]:
            digest = hashlib.blake2b(f"{self.model}\x1f{token}".encode(errors="replace"), digest_size=8).digest()
            number = int.from_bytes(digest, "big")
            vector[number % self.dimension] += 1.0 if number >> 63 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0:
            vector[0], length = 1.0, 1.0
        return (vector / length).astype(np.float32)


class GatedEmbedder(HashEmbedder):
    """An embedder whose model is not there until the gate opens."""

    def __init__(self, model: str = "fake-gated", dimension: int = 64) -> None:
        super().__init__(model, dimension)
        self.gate = threading.Event()
        self.loading = threading.Event()
        self.loaded = threading.Event()

    def ready(self) -> bool:
        return self.loaded.is_set()

    def load(self) -> None:
        self.loading.set()
        if not self.gate.wait(timeout=60):
            raise UnavailableError("the gate stayed shut")
        self.loaded.set()


class FailingEmbedder(HashEmbedder):
    """An embedder that fails while `failing` is set."""

    def __init__(self, model: str = "fake-a", dimension: int = 64, *, failing: bool = True) -> None:
        super().__init__(model, dimension)
        self.failing = failing

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        self._check()
        return super().documents(texts, langs)

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        self._check()
        return super().query(text, lang, document_lang)

    def _check(self) -> None:
        if self.failing:
            raise UnavailableError("the embedding model does not answer")
