"""Projections that do not share the ledger's transaction, as those of a server do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_memory_server.memory.ports import Tenancy, Unit
from tests.fakes.indexes import MemoryGraphIndex, MemoryTextIndex, MemoryVectorIndex, _Index
from tests.fakes.state import UserState

if TYPE_CHECKING:
    from tests.fakes.backend import MemoryStore


class _Beside(_Index):
    """Whatever unit is given belongs to another store: each call is a transaction of its own."""

    transactional = False

    def _reading(self, tenancy: Tenancy, unit: Unit | None) -> UserState:
        return super()._reading(tenancy, None)

    @contextmanager
    def _writing(self, tenancy: Tenancy, unit: Unit | None) -> Iterator[UserState]:
        with super()._writing(tenancy, None) as mine:
            yield mine


class TextBeside(_Beside, MemoryTextIndex):
    """Full text on a server of its own."""


class VectorsBeside(_Beside, MemoryVectorIndex):
    """Vectors on a server of their own."""


class GraphBeside(_Beside, MemoryGraphIndex):
    """The graph on a server of its own."""


def beside(store: MemoryStore) -> tuple[TextBeside, VectorsBeside, GraphBeside]:
    """The three projections of one store in memory."""
    return TextBeside(store), VectorsBeside(store), GraphBeside(store)
