"""What the embedders of other people's models share: unit vectors, no centring, scores to expect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from mcp_memory_server.embedding.centring import unit
from mcp_memory_server.memory.ports import Vector
from mcp_memory_server.memory.text import visible

# Cosines of unrelated short texts under common sentence models; only small stores rely on it.
_MEAN, _DEVIATION = 0.15, 0.12


class PlainEmbedder(ABC):
    """Base of an embedder that is used as it comes."""

    model: str
    dimension: int

    def __init__(self, *, query_prefix: str = "", document_prefix: str = "") -> None:
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix

    def ready(self) -> bool:
        """True when a call would not wait for the model to load."""
        return True

    @abstractmethod
    def load(self) -> None:
        """Load the model; safe to call again."""

    @abstractmethod
    def _encode(self, texts: Sequence[str]) -> Vector:
        """What the model makes of texts, shape (n, dimension), of any length."""

    def documents(self, texts: Sequence[str], langs: Sequence[str]) -> Vector:
        """Unit vectors, shape (n, dimension)."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return unit(self._encode([self._document_prefix + visible(text) for text in texts]))

    def query(self, text: str, lang: str, document_lang: str) -> Vector:
        """The unit vector of a question."""
        vector: Vector = unit(self._encode([self._query_prefix + visible(text)]))[0]
        return vector

    def standard(self, lang: str) -> tuple[float, float]:
        """Mean and deviation of scores of unrelated texts."""
        return _MEAN, _DEVIATION
