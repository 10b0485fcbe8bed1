"""What the gateway is told: its origin, its agents, and how far it may reach.

The origin comes from here and from nowhere else: no header of a request can change an address that we
publish, sign or compare.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from credentials.did.web import check_host, did_web
from credentials.errors import CredentialError
from federation.errors import ConfigurationError
from federation.limits import NAME_CHARS

HTTPS_PORT: Final = 443
_MAX_PORT: Final = 65_535
_AGENT: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?\Z")  # also a segment of a did:web
_ORIGIN: Final = re.compile(r"https://[a-z0-9.-]+(:[1-9][0-9]{0,4})?\Z")


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One agent behind the gateway: ``id`` stands in addresses, ``name`` and ``description`` are for people.

    Raises ConfigurationError (``config_agent``).
    """

    id: str
    name: str
    description: str = ""

    def __post_init__(self) -> None:
        if _AGENT.match(self.id) is None:
            raise ConfigurationError("config_agent", "an id has small letters, digits and inner hyphens, at most 40")
        if not 0 < len(self.name) <= NAME_CHARS or not self.name.isprintable():
            raise ConfigurationError("config_agent", f"a name has 1 to {NAME_CHARS} printable characters")


@dataclass(frozen=True, slots=True)
class TestMode:
    """Lets loopback through, for tests and demonstrations on one machine; every other rule stays.

    ``plain_http`` lets addresses that begin with ``http://`` through, to loopback only.
    """

    __test__ = False  # no test class, whatever its name begins with

    plain_http: bool = False


@dataclass(frozen=True, slots=True)
class FederationSettings:
    """The gateway's settings. ``ports`` are those of other gateways that may be reached.

    Raises ConfigurationError (``config_origin``, ``config_agent``, ``config_invalid``).
    """

    origin: str
    agents: tuple[AgentSettings, ...]
    ports: frozenset[int] = frozenset({HTTPS_PORT})
    test_mode: TestMode | None = None
    _by_id: dict[str, AgentSettings] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if _ORIGIN.match(self.origin) is None:
            raise ConfigurationError("config_origin")
        parts = urlsplit(self.origin)
        try:
            port = parts.port
            check_host(str(parts.hostname))
        except (CredentialError, ValueError) as error:
            raise ConfigurationError("config_origin") from error
        if port == HTTPS_PORT:
            raise ConfigurationError("config_origin", "the default port is left out: others compare the text")
        for agent in self.agents:
            if agent.id in self._by_id:
                raise ConfigurationError("config_agent", "an id is there twice")
            self._by_id[agent.id] = agent
        if not self.agents:
            raise ConfigurationError("config_agent", "no agent")
        if not self.ports or not all(0 < port <= _MAX_PORT for port in self.ports):
            raise ConfigurationError("config_invalid", "ports are numbers from 1 to 65535")

    @property
    def host(self) -> str:
        """The host name of the origin."""
        return str(urlsplit(self.origin).hostname)

    @property
    def did(self) -> str:
        """The gateway's own did:web."""
        return did_web(self.host, port=urlsplit(self.origin).port)

    def agent(self, agent_id: str) -> AgentSettings | None:
        """The agent of an id, or None."""
        return self._by_id.get(agent_id)

    def agent_did(self, agent_id: str) -> str:
        """The did:web of an agent: ``did:web:<host>[%3A<port>]:agents:<id>``."""
        return did_web(self.host, "agents", agent_id, port=urlsplit(self.origin).port)

    def agent_url(self, agent_id: str) -> str:
        """The address of an agent, which is also its HTTPS issuer identifier."""
        return f"{self.origin}/agents/{agent_id}"

    def inbox_url(self, agent_id: str) -> str:
        """Where signed messages to an agent are posted."""
        return f"{self.origin}/agents/{agent_id}/inbox"
