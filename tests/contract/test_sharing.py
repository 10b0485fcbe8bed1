"""Which indexes are written in the ledger's own transaction."""

from __future__ import annotations

import pytest

from mcp_memory_server.memory.ports import Backend
from tests.contract.conftest import WITH_THE_LEDGER


def test_an_index_says_whether_it_shares_the_transaction(backend: Backend, request: pytest.FixtureRequest) -> None:
    shared = request.node.callspec.params["backend"] in WITH_THE_LEDGER
    for index in (backend.text_index, backend.vector_index, backend.graph_index):
        assert index.transactional is shared
