"""A ledger with projections that other engines keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcp_memory_server.memory.ports import Backend, GraphIndex, Store, TextIndex, VectorIndex


@dataclass(frozen=True, slots=True)
class Composed:
    """The Backend port, put together from its parts."""

    store: Store
    text_index: TextIndex
    vector_index: VectorIndex
    graph_index: GraphIndex
    engines: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Projection to what tells the server that keeps it, and its version; may raise UnavailableError."""


_PORT: type[Backend] = Composed  # the type checker holds it to the port
