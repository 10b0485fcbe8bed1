"""Whom an agent listens to. The default is nobody, and trust is always for something.

A valid signature says who spoke. Whether to listen is decided here, by an entry that a person made: for these
credential types, these purposes, these users. There is no wildcard.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from credentials.consent_terms import PURPOSES
from credentials.did.resolve import method_of
from credentials.errors import CredentialError
from credentials.limits import MAX_DID_BYTES
from credentials.trust import TrustList
from federation.errors import PeerError
from federation.limits import NAME_CHARS, PEER_LIST

_TYPE_CHARS = 512  # characters of a credential type


class PeerState(Enum):
    """Blocked is kept apart from unknown, so that a pairing does not undo it unseen."""

    TRUSTED = "trusted"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Peer:
    """One entry of the trust list of one of our agents. Raises PeerError (``peer_invalid``).

    ``types`` are credential types (``vct``), ``purposes`` DPV terms of the closed list, ``tenants`` our users.
    Empty means none. ``since`` in seconds since the epoch.
    """

    agent: str
    did: str
    name: str
    since: float
    types: frozenset[str] = frozenset()
    purposes: frozenset[str] = frozenset()
    tenants: frozenset[str] = frozenset()
    state: PeerState = PeerState.TRUSTED

    def __post_init__(self) -> None:
        try:
            method_of(self.did)
        except CredentialError as error:
            raise PeerError("peer_invalid", "not a DID") from error
        if len(self.did) > MAX_DID_BYTES or not all(mark not in self.did for mark in "#?/ "):
            raise PeerError("peer_invalid", "not a plain DID")
        if not 0 < len(self.name) <= NAME_CHARS or not self.name.isprintable():
            raise PeerError("peer_invalid", f"a name has 1 to {NAME_CHARS} printable characters")
        if max(map(len, (self.types, self.purposes, self.tenants))) > PEER_LIST:
            raise PeerError("peer_invalid", f"more than {PEER_LIST} entries")
        if not self.purposes <= PURPOSES:
            raise PeerError("peer_invalid", "a purpose is not on the list")
        if not all(one.startswith("https://") and len(one) <= _TYPE_CHARS for one in self.types):
            raise PeerError("peer_invalid", "a credential type is an https address")


class PeerStore(Protocol):
    """Keeps the trust lists of all our agents. Every call raises StoreError."""

    def get(self, agent: str, did: str) -> Peer | None:
        """One entry, or None."""

    def put(self, peer: Peer) -> None:
        """Add an entry or replace the one of this agent and DID."""

    def remove(self, agent: str, did: str) -> bool:
        """Remove an entry; answers whether there was one."""

    def of(self, agent: str) -> list[Peer]:
        """All entries of an agent, by name."""


class Peers:
    """The questions that a gateway asks of the trust list; all of them raise, none has a default."""

    def __init__(self, store: PeerStore) -> None:
        self._store = store

    def require(self, agent: str, did: str) -> Peer:
        """The entry of a peer that may speak to this agent. Raises PeerError (``peer_unknown``, ``peer_blocked``)."""
        peer = self._store.get(agent, did)
        if peer is None:
            raise PeerError("peer_unknown")
        if peer.state is PeerState.BLOCKED:
            raise PeerError("peer_blocked")
        return peer

    def require_for(self, agent: str, did: str, *, types: Iterable[str], purpose: str, tenant: str) -> Peer:
        """A peer that is trusted with all these types, for this purpose and user.

        Raises PeerError (``peer_unknown``, ``peer_blocked``, ``peer_type``, ``peer_purpose``, ``peer_tenant``).
        """
        peer = self.require(agent, did)
        wanted = frozenset(types)
        if not wanted or not wanted <= peer.types:
            raise PeerError("peer_type")
        if purpose not in peer.purposes:
            raise PeerError("peer_purpose")
        if tenant not in peer.tenants:
            raise PeerError("peer_tenant")
        return peer

    def issuers(self, agent: str, tenant: str) -> TrustList:
        """Whose credentials this agent believes for one user: the policy for ``credentials.verify``."""
        trusted = (peer for peer in self._store.of(agent) if peer.state is PeerState.TRUSTED)
        return TrustList({peer.did: peer.types for peer in trusted if tenant in peer.tenants})
