"""Who our agents are to others: identifiers, keys, documents. All of it is made of settings and vault.

The private halves stay in the vault's objects; what is published is read once and again after ``reload``,
so that serving a document asks no vault and a key that was taken out is gone with the next reload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from credentials.did.document import DidDocument, build_document
from credentials.issuer_keys import build_metadata
from credentials.keys import PublicKey
from credentials.ports import Signer
from credentials.vault import KeyState, LocalSigner, StoredKey
from federation.errors import ConfigurationError, MessageError
from federation.settings import FederationSettings

INBOX_SERVICE: Final = "MemoryFederationInbox"  # the type of the service in a DID document
GATEWAY: Final = "issuer"  # the vault's purpose of the gateway's own keys, as the command line makes them


class Vault(Protocol):
    """What is asked of a key vault: the keys of a purpose, the active one first, revoked ones left out."""

    def stored(self, purpose: str) -> list[StoredKey]:
        """Raises VaultError."""


def purpose_of(agent: str) -> str:
    """The vault's purpose of an agent's keys."""
    return f"agent:{agent}"


@dataclass(frozen=True, slots=True)
class _Party:
    did: str
    signer: LocalSigner
    document: dict[str, Any]
    keys: dict[str, PublicKey]


class Identity:
    """The gateway and its agents. Raises ConfigurationError when one of them has no active key."""

    def __init__(self, settings: FederationSettings, vault: Vault) -> None:
        self.settings = settings
        self._vault = vault
        self._agents: dict[str, _Party] = {}
        self._gateway: _Party
        self.reload()

    def reload(self) -> None:
        """Read the vault again, after a rotation or revocation. Raises ConfigurationError."""
        settings = self.settings
        gateway = self._party(settings.did, GATEWAY, settings.origin, None)
        agents = {
            agent.id: self._party(
                settings.agent_did(agent.id),
                purpose_of(agent.id),
                settings.agent_url(agent.id),
                settings.inbox_url(agent.id),
            )
            for agent in settings.agents
        }
        self._gateway, self._agents = gateway, agents

    def _party(self, did: str, purpose: str, url: str, inbox: str | None) -> _Party:
        stored = self._vault.stored(purpose)
        if not stored or stored[0].state is not KeyState.ACTIVE:
            raise ConfigurationError("config_agent", f"no key for {purpose}", hint="memory-federation identity create")
        active, *retired = stored
        services = [{"id": f"{did}#inbox", "type": INBOX_SERVICE, "serviceEndpoint": inbox}] if inbox else []
        document = build_document(
            did,
            [(active.name, active.key.public)],
            also_known_as=[url],
            services=services,
            retired=[(key.name, key.key.public) for key in retired],
        )
        keys = {key.name: key.key.public for key in stored}
        return _Party(did, LocalSigner(active.key, f"{did}#{active.name}"), document, keys)

    def _of(self, agent: str | None) -> _Party:
        if agent is None:
            return self._gateway
        found = self._agents.get(agent)
        if found is None:
            raise MessageError("agent_unknown")
        return found

    def did(self, agent: str | None = None) -> str:
        """The identifier of an agent, or of the gateway. Raises MessageError (``agent_unknown``), as all below."""
        return self._of(agent).did

    def signer(self, agent: str | None = None) -> Signer:
        """The active key, named by its DID URL."""
        return self._of(agent).signer

    def document(self, agent: str | None = None) -> dict[str, Any]:
        """The DID document that is published."""
        return self._of(agent).document

    def parsed(self, agent: str) -> DidDocument:
        """The DID document as others read it."""
        party = self._of(agent)
        return DidDocument(party.document, party.did)

    def issuer_metadata(self, agent: str | None = None) -> dict[str, Any]:
        """The same keys for verifiers that know no DID (SD-JWT VC section 5)."""
        url = self.settings.origin if agent is None else self.settings.agent_url(agent)
        return build_metadata(url, self._of(agent).keys)
