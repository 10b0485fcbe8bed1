"""The gateway's settings: the origin comes from here, never from a request."""

from __future__ import annotations

import pytest

from federation import errors
from federation.errors import ConfigurationError, FederationError
from federation.settings import AgentSettings, FederationSettings

WEALTH = AgentSettings("wealth", "Wealth")


@pytest.mark.parametrize(
    "origin",
    [
        "http://wealth.example", "https://wealth.example/", "https://wealth.example/x", "https://user@wealth.example",
        "https://Wealth.example", "https://wealth.example?x", "https://localhost", "https://127.0.0.1",
        "https://wealth.example:443", "https://wealth.example:70000", "https://wealth.internal", "wealth.example", "",
        "https://wealth.example\n",
    ],
)  # fmt: skip
def test_other_origins_are_refused(origin: str) -> None:
    with pytest.raises(ConfigurationError, match="config_origin"):
        FederationSettings(origin, (WEALTH,))


def test_everything_published_is_made_from_the_origin() -> None:
    settings = FederationSettings("https://wealth.example:8443", (WEALTH,))
    assert settings.did == "did:web:wealth.example%3A8443"
    assert settings.agent_did("wealth") == "did:web:wealth.example%3A8443:agents:wealth"
    assert settings.agent_url("wealth") == "https://wealth.example:8443/agents/wealth"
    assert settings.inbox_url("wealth") == "https://wealth.example:8443/agents/wealth/inbox"
    assert settings.agent("wealth") is WEALTH
    assert settings.agent("insurance") is None


@pytest.mark.parametrize("agent", ["", "Wealth", "-a", "a-", "a/b", "a.b", "a" * 41, "..", "a b", "a\n"])
def test_ids_of_agents_are_plain(agent: str) -> None:
    with pytest.raises(ConfigurationError, match="config_agent"):
        AgentSettings(agent, "A")


@pytest.mark.parametrize("name", ["", "a" * 81, "a\nb", "\u202eevil"])
def test_names_of_agents_can_be_shown(name: str) -> None:
    with pytest.raises(ConfigurationError, match="config_agent"):
        AgentSettings("a", name)


def test_agents_and_ports_are_checked() -> None:
    for agents in ((), (WEALTH, WEALTH)):
        with pytest.raises(ConfigurationError, match="config_agent"):
            FederationSettings("https://wealth.example", agents)
    for ports in (frozenset(), frozenset({0}), frozenset({70_000})):
        with pytest.raises(ConfigurationError, match="config_invalid"):
            FederationSettings("https://wealth.example", (WEALTH,), ports)


def test_a_code_that_is_not_on_the_list_cannot_be_raised() -> None:
    with pytest.raises(LookupError):
        FederationError("no_such_code")
    for name in dir(errors):
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, FederationError):
            assert str(kind("replayed")) == "replayed: this request was received before"
