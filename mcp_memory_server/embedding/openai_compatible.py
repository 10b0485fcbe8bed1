"""Any endpoint that speaks the OpenAI embeddings protocol: a local server, or a provider with a key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcp_memory_server.embedding.plain import PlainEmbedder
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Vector

_SECONDS = 30.0  # for one request
_BATCH = 64  # texts in one request


class OpenAICompatibleEmbedder(PlainEmbedder):
    """POST {base_url}/embeddings with `model` and `input`; answers are checked for size and order."""

    def __init__(
        self,
        base_url: str,
        name: str,
        dimension: int,
        *,
        api_key: str | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
    ) -> None:
        super().__init__(query_prefix=query_prefix, document_prefix=document_prefix)
        self.model = f"openai-compatible/{name}"
        self.dimension = dimension
        self._url = base_url.rstrip("/") + "/embeddings"
        self._name = name
        self._api_key = api_key

    def load(self) -> None:
        """Nothing: the endpoint has the model."""

    def _encode(self, texts: Sequence[str]) -> Vector:
        rows = [self._request(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        return np.vstack(rows)

    def _request(self, texts: Sequence[str]) -> Vector:
        import httpx2

        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        try:
            answer = httpx2.post(
                self._url, json={"model": self._name, "input": list(texts)}, headers=headers, timeout=_SECONDS
            )
            answer.raise_for_status()
            items = sorted(answer.json()["data"], key=lambda item: item["index"])
            vectors = np.asarray([item["embedding"] for item in items], dtype=np.float32)
        except (httpx2.HTTPError, KeyError, TypeError, ValueError) as error:
            raise UnavailableError(
                f"the embedding endpoint failed ({type(error).__name__})",
                next_step="Check `embedder.base_url`",
            ) from error
        if vectors.shape != (len(texts), self.dimension):
            raise UnavailableError(
                f"the embedding endpoint answered {vectors.shape}, not {(len(texts), self.dimension)}",
                next_step="Correct `embedder.dimension`",
            )
        return vectors
