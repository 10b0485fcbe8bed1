"""Takes a signed message to one of our agents: one numbered list, the cheap steps first.

A stranger is turned away at step (4), after two header fields were read and one row was looked up: before the
body is read, before a document is fetched, before a signature is computed. The one exception is an answer to an
invitation that a person handed out; its body is small, and the invitation has to be open.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio import to_thread

from federation import http_signatures as signatures
from federation.errors import FederationError, MessageError, PairingError, PeerError, SignatureError
from federation.http_signatures import AGENT_TO_AGENT, Claimed, Profile
from federation.identity import Identity
from federation.limits import MESSAGE_BYTES, MESSAGE_SECONDS, PAIRING_BODY_BYTES
from federation.messaging.envelope import Envelope, Kind, parse
from federation.messaging.places import Places
from federation.messaging.ports import InboxStore
from federation.messaging.sending import PAIRING_TAG
from federation.pairing import Pairings
from federation.peers import Peers
from federation.ports import Now, ReplayCache
from federation.resolving import DidResolver
from federation.signature_base import Message

_PAIRING: Final = Profile(tag=PAIRING_TAG)
_MEDIA: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Arriving:
    """A request as it comes in: header lines in the order of the wire, the body not read yet."""

    agent: str
    method: str
    query: bytes
    fields: Sequence[tuple[str, str]]
    body: AsyncIterable[bytes]


class Inbox:
    """The inboxes of all our agents."""

    def __init__(
        self,
        identity: Identity,
        resolver: DidResolver,
        peers: Peers,
        pairings: Pairings,
        store: InboxStore,
        replay: ReplayCache,
        *,
        now: Now,
        places: Places | None = None,
    ) -> None:
        self._identity = identity
        self._resolver = resolver
        self._peers = peers
        self._pairings = pairings
        self._store = store
        self._replay = replay
        self._now = now
        self._places = places or Places()

    async def take(self, arriving: Arriving) -> dict[str, Any]:
        """Take one message; the answer says what became of it. Raises FederationError."""
        # (1) The agent is one of ours, and the address is exactly its inbox.
        own = self._identity.did(arriving.agent)
        if arriving.query:
            raise MessageError("message_malformed", "an inbox has no query")
        head = Message(arriving.method, self._identity.settings.inbox_url(arriving.agent), arriving.fields)
        # (2) It says that it is JSON, not compressed, and no longer than allowed.
        _check_head(head)
        # (3) The signature fields are well formed, cover what they have to, and are valid now.
        claimed, pairing = _read(head, self._now())
        # (4) The signer is on this agent's trust list; or an invitation is open, which the message may answer: (7).
        await to_thread.run_sync(self._admit, arriving.agent, claimed, pairing)
        # (5) There is a place to work on it.
        with self._places.one_for(None if pairing else claimed.did):
            # (6) The body is here in time and within its limit.
            data = await _read_body(arriving.body, PAIRING_BODY_BYTES if pairing else MESSAGE_BYTES)
            message = Message(head.method, head.target_uri, head.fields, data)
            envelope = parse(data) if pairing else None
            # (7) An answer to an invitation names one that is open.
            if envelope is not None:
                await self._require_invitation(arriving.agent, envelope, claimed.did)
            # (8) The key is listed for authentication in the signer's own document.
            key = await self._resolver.authentication_key(claimed)
            # (9) The digest is that of the body, the algorithm that of the key, and the signature holds.
            signatures.check(message, claimed, key)
            # (10) The request was not received before.
            await to_thread.run_sync(signatures.use_once, claimed, own, self._replay)
            # (11) The message has the form of its type, is from who signed, and for this agent.
            envelope = envelope or parse(data)
            _check_parties(envelope, claimed, own, pairing=pairing)
            # (12) It is taken, once.
            if pairing:
                return await self._pair(arriving.agent, envelope, claimed)
            outcome = await to_thread.run_sync(
                lambda: self._store.accept(arriving.agent, claimed.did, envelope, data, now=self._now())
            )
            return {"id": envelope.id, "outcome": outcome.value}

    def _admit(self, agent: str, claimed: Claimed, pairing: bool) -> None:
        if not pairing:
            self._peers.require(agent, claimed.did)
        elif not self._pairings.any_open(agent):
            raise PairingError("pairing_unknown")

    async def _require_invitation(self, agent: str, envelope: Envelope, did: str) -> None:
        if envelope.kind is not Kind.PAIRING:
            raise PeerError("peer_unknown")
        if not await to_thread.run_sync(self._pairings.is_open, agent, envelope.body["invitation"], did):
            raise PairingError("pairing_unknown")

    async def _pair(self, agent: str, envelope: Envelope, claimed: Claimed) -> dict[str, Any]:
        body = envelope.body
        if body["step"] == "commit":
            if "commitment" not in body or "name" not in body:
                raise MessageError("message_malformed", "a commitment and a name are needed")
            document = await self._resolver.document(claimed.did)
            nonce = await to_thread.run_sync(
                self._pairings.committed, agent, body["invitation"], document, body["name"], body["commitment"]
            )
            return {"id": envelope.id, "nonce": nonce}
        if "nonce" not in body:
            raise MessageError("message_malformed", "a nonce is needed")
        await to_thread.run_sync(self._pairings.revealed, agent, body["invitation"], claimed.did, body["nonce"])
        return {"id": envelope.id, "outcome": "comparing"}


def _check_head(head: Message) -> None:
    if (head.value("content-type") or "").partition(";")[0].strip().lower() != _MEDIA:
        raise MessageError("message_media_type")
    if (head.value("content-encoding") or "identity").lower() != "identity":
        raise MessageError("message_media_type", "compressed")
    length = head.value("content-length")
    if length is not None and (not length.isascii() or not length.isdigit() or int(length[:12]) > MESSAGE_BYTES):
        raise MessageError("message_too_large", f"more than {MESSAGE_BYTES} bytes")


def _read(head: Message, now: float) -> tuple[Claimed, bool]:
    try:
        return signatures.read(head, AGENT_TO_AGENT, now=now), False
    except SignatureError as error:
        if error.code != "signature_missing":
            raise
    return signatures.read(head, _PAIRING, now=now), True


async def _read_body(parts: AsyncIterable[bytes], limit: int) -> bytes:
    content = bytearray()
    try:
        with anyio.fail_after(MESSAGE_SECONDS):
            async for part in parts:
                content += part
                if len(content) > limit:
                    raise MessageError("message_too_large", f"more than {limit} bytes")
    except TimeoutError as error:
        raise MessageError("message_malformed", "the body did not arrive in time") from error
    if not content:
        raise MessageError("message_malformed", "no body")
    return bytes(content)


def _check_parties(envelope: Envelope, claimed: Claimed, own: str, *, pairing: bool) -> None:
    if envelope.sender != claimed.did:
        raise MessageError("message_sender")
    if envelope.recipient != own:
        raise MessageError("message_recipient")
    if (envelope.kind is Kind.PAIRING) is not pairing:
        raise MessageError("message_type", "pairing has a signature tag of its own")


def status_of(error: FederationError) -> int:
    """The HTTP status of a refusal; the courier of the other side reads it."""
    return _STATUS.get(error.code) or _BY_KIND.get(error.code.partition("_")[0], 400)


_STATUS: Final = {
    "agent_unknown": 404,
    "pairing_unknown": 403,
    "pairing_state": 409,
    "message_conflict": 422,
    "message_sender": 422,
    "message_recipient": 422,
    "message_type": 422,
    "message_too_large": 413,
    "message_media_type": 415,
    "replayed": 409,
    "did_refused": 401,
    "busy": 503,
}
_BY_KIND: Final = {"signature": 401, "digest": 401, "peer": 403, "fetch": 401, "replay": 503, "store": 503}
