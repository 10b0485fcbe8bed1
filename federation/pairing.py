"""Pairing of two agents by an invitation and a code of six digits that two people compare (docs/adr/0031).

The inviting agent A hands out an invitation; the invited agent B answers to A's inbox:

1. B draws a nonce and sends a commitment to it;
2. A draws a nonce and sends it, knowing of B's only the commitment;
3. B reveals its nonce, and A compares it with the commitment;
4. both compute the code of the invitation, both identifiers, both sets of keys and both nonces;
5. each person types the code that the *other* side shows. Only then is there an entry in a trust list.

Whoever stands between has to make the two codes equal before knowing what they will be: one chance in a
million for an invitation, and an invitation takes one answer. This module is pure; what it is told is stored
by ``PairingStore``, whose changes are made only from the state that was seen.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, Final, Protocol

from credentials.did.document import AUTHENTICATION, DidDocument
from credentials.encoding import b64url_decode, b64url_encode, json_encode, json_object
from credentials.errors import CredentialError
from credentials.ports import Rng
from federation.errors import PairingError, PeerError
from federation.limits import (
    INVITATION_BYTES,
    INVITATION_SECONDS,
    INVITATIONS_OPEN,
    NAME_CHARS,
    PAIRING_CODE_DIGITS,
    PAIRING_NONCE_BYTES,
    URL_CHARS,
)
from federation.peers import Peer, PeerState, PeerStore
from federation.ports import Now

_PREFIX: Final = "memory-invitation-1."
_COMMITMENT: Final = "memory-federation commitment 1"
_CODE: Final = "memory-federation code 1"


class Role(Enum):
    """Which side of a pairing this is."""

    INVITER = "inviter"
    INVITED = "invited"


class Step(Enum):
    """How far a pairing has come."""

    INVITED = "invited"  # handed out, or accepted and nothing sent yet
    COMMITTED = "committed"  # the commitment was sent or received
    COMPARING = "comparing"  # both nonces are known, people compare
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Pairing:
    """One pairing as one side sees it. Nonces and digests in base64url; ``until`` in seconds since the epoch."""

    agent: str
    invitation: str
    role: Role
    until: float
    own_did: str
    own_keys: str
    step: Step = Step.INVITED
    peer_did: str = ""
    peer_keys: str = ""
    peer_name: str = ""
    commitment: str = ""
    own_nonce: str = ""
    peer_nonce: str = ""

    @property
    def code(self) -> str:
        """The six digits that the other person has to type. Raises PairingError before both nonces are known."""
        if self.step is not Step.COMPARING:
            raise PairingError("pairing_state")
        own = (self.own_did, self.own_keys, self.own_nonce)
        peer = (self.peer_did, self.peer_keys, self.peer_nonce)
        first, second = (own, peer) if self.role is Role.INVITER else (peer, own)
        digest = hashlib.sha256(json_encode([_CODE, self.invitation, *first, *second])).digest()
        number = int.from_bytes(digest[:16], "big") % 10**PAIRING_CODE_DIGITS  # 128 bits: no digit is likelier
        return f"{number:0{PAIRING_CODE_DIGITS}d}"

    def to_json(self) -> dict[str, Any]:
        """A plain form for a store."""
        return asdict(self) | {"role": self.role.value, "step": self.step.value}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Pairing:
        """What ``to_json`` made."""
        return cls(**(value | {"role": Role(value["role"]), "step": Step(value["step"])}))


@dataclass(frozen=True, slots=True)
class Invitation:
    """What one person hands to another: no secret, but whoever has it can use it up."""

    id: str
    did: str
    name: str
    until: int

    def to_text(self) -> str:
        """One line to send."""
        return _PREFIX + b64url_encode(json_encode(asdict(self)))

    @classmethod
    def from_text(cls, text: str) -> Invitation:
        """Read an invitation. Raises PairingError (``pairing_invitation``)."""
        line = text.strip()
        if not line.startswith(_PREFIX) or len(line) > URL_CHARS:
            raise PairingError("pairing_invitation")
        try:
            value = json_object(b64url_decode(line.removeprefix(_PREFIX)))
        except CredentialError as error:
            raise PairingError("pairing_invitation") from error
        kinds = {"id": str, "did": str, "name": str, "until": int}
        if value.keys() != kinds.keys() or any(type(value[key]) is not kind for key, kind in kinds.items()):
            raise PairingError("pairing_invitation")
        return cls(**value)


class PairingStore(Protocol):
    """Keeps pairings that are under way. Every call raises StoreError."""

    def add(self, pairing: Pairing) -> bool:
        """Keep a new pairing; False when this agent has one for the invitation."""

    def get(self, agent: str, invitation: str) -> Pairing | None:
        """A pairing, or None."""

    def change(self, old: Pairing, new: Pairing) -> bool:
        """Replace ``old`` by ``new`` if it is still as it was, among all processes."""

    def of(self, agent: str) -> list[Pairing]:
        """All of an agent, oldest end first."""

    def remove(self, agent: str, invitation: str) -> None:
        """Forget a pairing, if it is there."""


def keys_of(document: DidDocument) -> str:
    """A digest of the keys with which the owner of a document authenticates."""
    prints = sorted(document.key(url, AUTHENTICATION).thumbprint() for url in document.urls(AUTHENTICATION))
    return b64url_encode(hashlib.sha256(json_encode(prints)).digest())


def commitment_to(invitation: str, did: str, keys: str, nonce: str) -> str:
    """What the invited side sends first: it fixes the nonce and who draws it."""
    return b64url_encode(hashlib.sha256(json_encode([_COMMITMENT, invitation, did, keys, nonce])).digest())


def _check_name(name: str) -> None:
    if not 0 < len(name) <= NAME_CHARS or not name.isprintable():
        raise PairingError("pairing_invitation", f"a name has 1 to {NAME_CHARS} printable characters")


class Pairings:
    """The pairings of all our agents. ``trust`` is where an entry is made once two people have compared."""

    def __init__(self, store: PairingStore, trust: PeerStore, *, now: Now, rng: Rng) -> None:
        self._store = store
        self._trust = trust
        self._now = now
        self._rng = rng

    def _nonce(self) -> str:
        return b64url_encode(self._rng(PAIRING_NONCE_BYTES))

    def _begun(self, pairing: Pairing) -> Pairing:
        for old in self._store.of(pairing.agent):
            if old.until <= self._now():
                self._store.remove(old.agent, old.invitation)
        if len(self._store.of(pairing.agent)) >= INVITATIONS_OPEN:
            raise PairingError("pairing_state", f"more than {INVITATIONS_OPEN} pairings are open")
        if not self._store.add(pairing):
            raise PairingError("pairing_state", "the invitation was accepted before")
        return pairing

    def _open(self, agent: str, invitation: str, role: Role) -> Pairing:
        found = self._store.get(agent, invitation)
        if found is None or found.role is not role or found.until <= self._now():
            raise PairingError("pairing_unknown")
        return found

    def _changed(self, old: Pairing, new: Pairing) -> Pairing:
        if not self._store.change(old, new):
            raise PairingError("pairing_state", "it was changed at the same time")
        return new

    # --- the inviting side ----------------------------------------------------------------------------
    def invite(self, agent: str, own: DidDocument, name: str) -> Invitation:
        """Hand out an invitation to one of our agents. Raises PairingError, StoreError."""
        until = int(self._now()) + INVITATION_SECONDS
        identifier = b64url_encode(self._rng(INVITATION_BYTES))
        self._begun(Pairing(agent, identifier, Role.INVITER, until, own.did, keys_of(own)))
        return Invitation(identifier, own.did, name, until)

    def is_open(self, agent: str, invitation: str, did: str) -> bool:
        """Whether a stranger who names this invitation may be listened to: the one thing asked before its key.

        Once somebody has answered an invitation, nobody else may.
        """
        found = self._store.get(agent, invitation)
        if found is None or found.role is not Role.INVITER or found.until <= self._now():
            return False
        return found.peer_did in ("", did)

    def any_open(self, agent: str) -> bool:
        """Whether any invitation of an agent is open: while none is, no stranger is listened to at all."""
        return any(one.role is Role.INVITER and one.until > self._now() for one in self._store.of(agent))

    def committed(self, agent: str, invitation: str, peer: DidDocument, name: str, commitment: str) -> str:
        """Take the commitment of the invited side; answers our nonce. The same one again answers the same.

        Raises PairingError (``pairing_unknown``, ``pairing_state``): an invitation takes one commitment.
        """
        found = self._open(agent, invitation, Role.INVITER)
        keys = keys_of(peer)
        if found.step is Step.INVITED:
            _check_name(name)
            if len(commitment) != len(found.own_keys):
                raise PairingError("pairing_invitation", "a commitment has the wrong length")
            found = self._changed(
                found,
                replace(
                    found,
                    step=Step.COMMITTED,
                    peer_did=peer.did,
                    peer_keys=keys,
                    peer_name=name,
                    commitment=commitment,
                    own_nonce=self._nonce(),
                ),
            )
        elif (found.peer_did, found.peer_keys, found.commitment) != (peer.did, keys, commitment):
            raise PairingError("pairing_state", "the invitation was answered by somebody else")
        return found.own_nonce

    def revealed(self, agent: str, invitation: str, peer_did: str, nonce: str) -> Pairing:
        """Take the nonce of the invited side; from now on there is a code. The same one again changes nothing.

        Raises PairingError (``pairing_unknown``, ``pairing_state``, ``pairing_commitment``).
        """
        found = self._open(agent, invitation, Role.INVITER)
        if found.peer_did != peer_did or found.step not in (Step.COMMITTED, Step.COMPARING):
            raise PairingError("pairing_state")
        if not hmac.compare_digest(commitment_to(invitation, peer_did, found.peer_keys, nonce), found.commitment):
            self._store.remove(agent, invitation)  # one try
            raise PairingError("pairing_commitment")
        if found.step is Step.COMPARING:
            return found
        return self._changed(found, replace(found, step=Step.COMPARING, peer_nonce=nonce))

    # --- the invited side -----------------------------------------------------------------------------
    def accept(self, agent: str, invitation: Invitation, own: DidDocument, peer: DidDocument) -> Pairing:
        """Take an invitation up: draws our nonce and commits to it. Raises PairingError, StoreError."""
        if invitation.until <= self._now() or invitation.did != peer.did or peer.did == own.did:
            raise PairingError("pairing_unknown")
        _check_name(invitation.name)
        nonce, keys = self._nonce(), keys_of(own)
        return self._begun(
            Pairing(
                agent,
                invitation.id,
                Role.INVITED,
                min(invitation.until, int(self._now()) + INVITATION_SECONDS),
                own.did,
                keys,
                step=Step.COMMITTED,
                peer_did=peer.did,
                peer_keys=keys_of(peer),
                peer_name=invitation.name,
                commitment=commitment_to(invitation.id, own.did, keys, nonce),
                own_nonce=nonce,
            )
        )

    def answered(self, agent: str, invitation: str, nonce: str) -> Pairing:
        """Take the nonce of the inviting side, after which ours may be revealed. Raises PairingError."""
        found = self._open(agent, invitation, Role.INVITED)
        if found.step is not Step.COMMITTED or len(nonce) != len(found.own_nonce):
            raise PairingError("pairing_state")
        return self._changed(found, replace(found, step=Step.COMPARING, peer_nonce=nonce))

    # --- both -------------------------------------------------------------------------------------------
    def compare(
        self,
        agent: str,
        invitation: str,
        typed: str,
        *,
        types: frozenset[str] = frozenset(),
        purposes: frozenset[str] = frozenset(),
        tenants: frozenset[str] = frozenset(),
    ) -> Peer:
        """A person has typed the code that the other side shows: makes the entry, or ends the pairing.

        Raises PairingError (``pairing_unknown``, ``pairing_state``, ``pairing_commitment`` for a code that differs),
        PeerError (``peer_blocked``, ``peer_invalid``).
        """
        found = self._store.get(agent, invitation)
        if found is None or found.until <= self._now():
            raise PairingError("pairing_unknown")
        digits = "".join(letter for letter in typed if letter.isascii() and letter.isdigit())
        if not hmac.compare_digest(digits, found.code):
            self._store.remove(agent, invitation)  # one try: a second one would be a second chance
            raise PairingError("pairing_commitment", "the codes differ: somebody may stand between")
        known = self._trust.get(agent, found.peer_did)
        if known is not None and known.state is PeerState.BLOCKED:
            raise PeerError("peer_blocked")
        peer = Peer(agent, found.peer_did, found.peer_name, self._now(), types, purposes, tenants)
        self._changed(found, replace(found, step=Step.DONE))
        self._trust.put(peer)
        self._store.remove(agent, invitation)
        return peer

    def refuse(self, agent: str, invitation: str) -> None:
        """A person does not want this pairing, or the codes differ."""
        self._store.remove(agent, invitation)
