"""Any sentence-transformers model (extra `sentence-transformers`), from a hub or a local folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from mcp_memory_server.embedding.plain import PlainEmbedder
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Vector


class SentenceTransformerEmbedder(PlainEmbedder):
    """A model by name or folder; `dimension` must be given, so that nothing loads before it is needed."""

    def __init__(self, name: str, dimension: int, *, query_prefix: str = "", document_prefix: str = "") -> None:
        super().__init__(query_prefix=query_prefix, document_prefix=document_prefix)
        self.model = f"sentence-transformers/{name}"
        self.dimension = dimension
        self._name = name
        self._lock = threading.Lock()
        self._model: Any = None

    def ready(self) -> bool:
        """True once the model is loaded."""
        return self._model is not None

    def load(self) -> None:
        """Load the model, once. Raises UnavailableError."""
        with self._lock:
            if self._model is not None:
                return
            try:
                from sentence_transformers import SentenceTransformer
            except ImportError as error:
                raise UnavailableError(
                    "sentence-transformers is not installed",
                    next_step='Install "consented-memory[sentence-transformers]"',
                ) from error
            try:
                model = SentenceTransformer(self._name)
            except (OSError, ValueError) as error:
                raise UnavailableError(f"the model {self._name} cannot be loaded ({error})") from error
            found = model.get_sentence_embedding_dimension()
            if found != self.dimension:
                raise UnavailableError(
                    f"the model {self._name} has {found} dimensions, not {self.dimension}",
                    next_step="Correct `embedder.dimension`",
                )
            self._model = model

    def _encode(self, texts: Sequence[str]) -> Vector:
        self.load()
        return np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)
