"""The invited side's part of a pairing over the wire: two signed requests to the inviting agent's inbox."""

from __future__ import annotations

from typing import Any

from anyio import to_thread

from credentials.did.document import DidDocument
from credentials.encoding import b64url_encode, json_object
from credentials.errors import CredentialError
from credentials.ports import Rng
from federation.errors import PairingError
from federation.identity import Identity
from federation.limits import NONCE_BYTES
from federation.messaging.envelope import Envelope, Kind
from federation.messaging.sending import PAIRING_TAG, Post
from federation.pairing import Invitation, Pairing, Pairings
from federation.resolving import DidResolver


class PairingClient:
    """Takes an invitation up for one of our agents."""

    def __init__(self, identity: Identity, resolver: DidResolver, pairings: Pairings, post: Post, *, rng: Rng) -> None:
        self._identity = identity
        self._resolver = resolver
        self._pairings = pairings
        self._post = post
        self._rng = rng

    async def accept(self, agent: str, text: str) -> Pairing:
        """Answer an invitation up to the point where both people compare; ``.code`` is what this side shows.

        Raises PairingError, FetchError, MessageError, StoreError. What failed on the way can be tried again with
        a new invitation only.
        """
        invitation = Invitation.from_text(text)
        peer = await self._resolver.document(invitation.did, fresh=True)
        own = self._identity.parsed(agent)
        begun = await to_thread.run_sync(self._pairings.accept, agent, invitation, own, peer)
        try:
            return await self._exchange(agent, invitation, begun, peer)
        except BaseException:
            await to_thread.run_sync(self._pairings.refuse, agent, invitation.id)
            raise

    async def _exchange(self, agent: str, invitation: Invitation, begun: Pairing, peer: DidDocument) -> Pairing:
        settings = self._identity.settings.agent(agent)
        name = settings.name if settings else agent
        first = await self._send(agent, peer.did, begun, step="commit", commitment=begun.commitment, name=name)
        nonce = first.get("nonce")
        if not isinstance(nonce, str):
            raise PairingError("pairing_answer")
        comparing = await to_thread.run_sync(self._pairings.answered, agent, invitation.id, nonce)
        await self._send(agent, peer.did, begun, step="reveal", nonce=begun.own_nonce)
        return comparing

    async def _send(self, agent: str, peer: str, pairing: Pairing, **body: str) -> dict[str, Any]:
        identifier = b64url_encode(self._rng(NONCE_BYTES))
        content = {"invitation": pairing.invitation} | body
        envelope = Envelope(identifier, Kind.PAIRING, pairing.own_did, peer, content)
        answer = await self._post(agent, peer, envelope.to_bytes(), tag=PAIRING_TAG)
        if answer.status != 200:
            raise PairingError("pairing_answer", f"status {answer.status}")
        try:
            return json_object(answer.body)
        except CredentialError as error:
            raise PairingError("pairing_answer") from error
