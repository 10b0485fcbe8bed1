"""A ledger with projections that other engines keep."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_memory_server.memory.ports import Backend, GraphIndex, Store, TextIndex, VectorIndex


@dataclass(frozen=True, slots=True)
class Composed:
    """The Backend port, put together from its parts."""

    store: Store
    text_index: TextIndex
    vector_index: VectorIndex
    graph_index: GraphIndex


_PORT: type[Backend] = Composed  # the type checker holds it to the port
