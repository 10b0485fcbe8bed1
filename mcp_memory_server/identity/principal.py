"""The principal of a call: from it alone comes the tenancy."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_memory_server.memory.ports import Tenancy


@dataclass(frozen=True, slots=True)
class Principal:
    """A user, and the agent, client and channel that act for the user."""

    user: str
    agent: str = "unknown"
    channel: str | None = None
    scopes: frozenset[str] = frozenset()

    @property
    def tenancy(self) -> Tenancy:
        """The filter that every port call takes."""
        return Tenancy(self.user)
