"""The use cases over a store in memory: no files, no model, a clock that stands still."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from mcp_memory_server.clock import FixedClock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.service import (
    Context,
    CorrectRequest,
    ListRequest,
    MemoryService,
    ProfileRequest,
    RecallRequest,
    RememberRequest,
)
from mcp_memory_server.policy import load_policy
from tests.fakes import HashEmbedder, MemoryBackend, noon, seeded_ids

_policy = functools.cache(load_policy)


class Desk:
    """The service with short ways to call it as one user."""

    def __init__(self, **changes: Any) -> None:
        policy = _policy(None)
        self.clock: FixedClock = noon()
        self.backend = MemoryBackend()
        values: dict[str, Any] = {
            "backend": self.backend,
            "embedder": HashEmbedder(),
            "vocabulary": policy.vocabulary,
            "half_lives": policy.half_lives,
            "clock": self.clock,
            "ids": seeded_ids(),
            "time_zone": "UTC",
            "language": "en",
        }
        self.context = Context(**(values | changes))
        self.service = MemoryService(self.context)
        self.me = Principal("ann", "tests", "tests")

    def remember(self, *statements: str, **given: Any) -> dict[str, Any]:
        return self.service.remember(self.me, RememberRequest(statements=statements, **given))

    def say(self, words: str, **given: Any) -> dict[str, Any]:
        return self.service.remember(self.me, RememberRequest(said=words, **given))

    def recall(self, query: str, **given: Any) -> dict[str, Any]:
        return self.service.recall(self.me, RecallRequest(query, **given))

    def list(self, **given: Any) -> list[dict[str, Any]]:
        request = ListRequest(**({"limit": 100, "max_chars": 200_000} | given))
        found: list[dict[str, Any]] = self.service.list_memories(self.me, request)["memories"]
        return found

    def correct(self, **given: Any) -> dict[str, Any]:
        return self.service.correct(self.me, CorrectRequest(**given))

    def profile(self, **given: Any) -> dict[str, Any]:
        return self.service.profile(self.me, ProfileRequest(**given))

    def forget(self, *ids: str) -> dict[str, Any]:
        return self.service.forget(self.me, ids)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def desk_with() -> Callable[..., Desk]:
    """A service with other parts: `desk_with(embedder=None)`."""
    return Desk
