"""The port of the archive: a copy of every archived memory, outside the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.records import Tenancy


class Archive(Protocol):
    """Keeps copies of archived memories, each under its fingerprint. It has no part in the ledger's transaction:
    the outbox feeds it. Every method can be repeated. Raises UnavailableError where it does not answer.
    """

    name: str

    def put(self, tenancy: Tenancy, memories: Sequence[Memory]) -> None:
        """Add or replace copies by memory id; an older copy of the same memory goes."""
        ...

    def get(self, tenancy: Tenancy, memory_id: str, digest: str) -> Memory | None:
        """The copy with this fingerprint, None where there is none. Raises DamagedError when it is not what it was."""
        ...

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str]) -> None:
        """Remove copies with all that is left of them; unknown ids are passed over."""
        ...

    def purge(self, tenancy: Tenancy) -> None:
        """Remove everything of a user."""
        ...

    def digests(self, tenancy: Tenancy) -> Mapping[str, str]:
        """Memory id to fingerprint of everything kept for the user; of two copies of one memory, either."""
        ...
