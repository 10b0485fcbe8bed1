"""Gateways of tests: their keys, identities and applications, each under a host of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from credentials.algorithms import KeyType
from credentials.vault import KeyRing, StoredKey
from federation.identity import GATEWAY, Identity, purpose_of
from federation.settings import AgentSettings, FederationSettings, TestMode

NOW = 1_790_000_000


class RingVault:
    """A vault whose ring is in memory."""

    def __init__(self) -> None:
        self.ring = KeyRing()

    def stored(self, purpose: str) -> list[StoredKey]:
        return self.ring.published(purpose)


def vault_for(*agents: str, key_type: KeyType = KeyType.P256) -> RingVault:
    vault = RingVault()
    for purpose in (GATEWAY, *map(purpose_of, agents)):
        vault.ring.rotate(purpose, now=NOW, key_type=key_type)
    return vault


def settings_for(host: str, *agents: str, port: int | None = None, test: bool = True) -> FederationSettings:
    origin = f"https://{host}" + (f":{port}" if port else "")
    named = tuple(AgentSettings(agent, f"{agent.title()} 代理", f"The {agent} agent") for agent in agents)
    return FederationSettings(origin, named, test_mode=TestMode() if test else None)


def identity_for(host: str, *agents: str, key_type: KeyType = KeyType.P256, port: int | None = None) -> Identity:
    return Identity(settings_for(host, *agents, port=port), vault_for(*agents, key_type=key_type))


@asynccontextmanager
async def calling(app: Any, base: str = "https://wealth.example") -> AsyncIterator[httpx2.AsyncClient]:
    """A client that talks to an application in this process."""
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=base) as client:
        yield client
