"""One signed request to the inbox of another agent."""

from __future__ import annotations

from typing import Final, Protocol

from credentials.ports import Rng
from federation.fetch import Fetched, Fetcher
from federation.http_signatures import TAG, sign
from federation.identity import Identity
from federation.ports import Now
from federation.resolving import DidResolver, inbox_of
from federation.signature_base import Message

PAIRING_TAG: Final = "memory-federation-pairing"
_ANSWER_BYTES: Final = 8_192


class Post(Protocol):
    """Brings one message to one peer, once; any answer counts as an answer."""

    async def __call__(self, agent: str, peer: str, data: bytes, *, tag: str = TAG) -> Fetched:
        """Raises FederationError when there is no answer."""


class Sender:
    """A ``Post`` over HTTPS; each try is signed anew, with its own nonce and time."""

    def __init__(self, identity: Identity, resolver: DidResolver, fetcher: Fetcher, *, now: Now, rng: Rng) -> None:
        self._identity = identity
        self._resolver = resolver
        self._fetcher = fetcher
        self._now = now
        self._rng = rng

    async def __call__(self, agent: str, peer: str, data: bytes, *, tag: str = TAG) -> Fetched:
        """Post to the inbox that the peer's own document names. Raises FetchError, MessageError."""
        url = inbox_of(await self._resolver.document(peer))
        headers = {"Content-Type": "application/json"}
        message = Message("POST", url, list(headers.items()), data)
        headers |= sign(message, self._identity.signer(agent), now=self._now(), rng=self._rng, tag=tag)
        return await self._fetcher.post(url, data, headers, limit=_ANSWER_BYTES)
