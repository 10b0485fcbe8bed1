"""DID documents of others: local methods at once, did:web through the one fetcher, kept for a short while.

A document is fetched only for somebody whom a person has put on a trust list or handed an invitation; the
callers see to that. A key that its owner has taken out is believed for at most ``DID_CACHE_SECONDS``.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from credentials.did.document import AUTHENTICATION, DidDocument
from credentials.did.resolve import StaticResolver, method_of
from credentials.did.web import document_url, web_document
from credentials.errors import CredentialError
from credentials.keys import PublicKey
from federation.errors import FederationError, FetchError, MessageError, SignatureError
from federation.fetch import JSON_TYPES, Fetcher
from federation.http_signatures import Claimed
from federation.identity import INBOX_SERVICE, Identity
from federation.limits import DID_CACHE_ENTRIES, DID_CACHE_SECONDS, DID_FAILURE_SECONDS, DID_REFRESH_SECONDS
from federation.ports import Now

_TYPES: Final = ("application/did+json", "application/did+ld+json", *JSON_TYPES)


@dataclass(frozen=True, slots=True)
class _Kept:
    fetched: float
    until: float
    document: DidDocument | None
    error: FederationError | None = None


class DidResolver:
    """Resolves did:web, did:key and did:jwk; everything else is refused by name."""

    def __init__(self, identity: Identity, fetcher: Fetcher, *, now: Now) -> None:
        self._identity = identity
        self._fetcher = fetcher
        self._now = now
        self._local = StaticResolver()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def document(self, did: str, *, fresh: bool = False) -> DidDocument:
        """The document of a DID. ``fresh`` asks again, but not more often than every ``DID_REFRESH_SECONDS``.

        Raises MessageError (``did_refused``), FetchError.
        """
        try:
            method = method_of(did)
            if method in ("key", "jwk"):
                return self._local.document(did)
            if method != "web":
                raise MessageError("did_refused", f"did:{method[:16]} is not resolved here")
            url = document_url(did)
        except CredentialError as error:
            raise MessageError("did_refused", error.code) from error
        own = self._own(did)
        if own is not None:
            return own
        kept = self._kept.get(did)
        now = self._now()
        if kept is None or now >= kept.until or (fresh and now >= kept.fetched + DID_REFRESH_SECONDS):
            kept = await self._fetch(did, url, now)
        if kept.document is None:
            raise kept.error or MessageError("did_refused")
        return kept.document

    def _own(self, did: str) -> DidDocument | None:
        for agent in self._identity.settings.agents:
            if self._identity.did(agent.id) == did:
                return self._identity.parsed(agent.id)
        return None

    async def _fetch(self, did: str, url: str, now: float) -> _Kept:
        try:
            answer = await self._fetcher.get(url, types=_TYPES)
            document = web_document(did, answer.body)
        except FetchError as error:
            kept = _Kept(now, now + DID_FAILURE_SECONDS, None, error)
        except CredentialError as error:
            kept = _Kept(now, now + DID_FAILURE_SECONDS, None, MessageError("did_refused", error.code))
        else:
            life = DID_CACHE_SECONDS if answer.max_age is None else min(answer.max_age, DID_CACHE_SECONDS)
            kept = _Kept(now, now + max(life, 1.0), document)
        self._kept[did] = kept
        self._kept.move_to_end(did)
        while len(self._kept) > DID_CACHE_ENTRIES:
            self._kept.popitem(last=False)
        return kept

    async def authentication_key(self, claimed: Claimed) -> PublicKey:
        """The key that a request names; a document that does not list it is asked for again, for a rotation.

        Raises SignatureError (``signature_key``), MessageError, FetchError.
        """
        for fresh in (False, True):
            document = await self.document(claimed.did, fresh=fresh)
            try:
                return document.key(claimed.keyid, AUTHENTICATION)
            except CredentialError as error:
                refusal = SignatureError("signature_key", error.code)
        raise refusal


def inbox_of(document: DidDocument) -> str:
    """Where the owner of a did:web takes messages: on the host of its own name, so that trust stays with that.

    Raises MessageError (``did_refused``).
    """
    try:
        host = urlsplit(document_url(document.did)).netloc
    except CredentialError as error:
        raise MessageError("did_refused", "only a did:web has an inbox") from error
    services = document.source.get("service")
    for service in services if isinstance(services, list) else []:
        if isinstance(service, dict) and service.get("type") == INBOX_SERVICE:
            endpoint = service.get("serviceEndpoint")
            if not isinstance(endpoint, str) or not endpoint.startswith(f"https://{host}/"):
                raise MessageError("did_refused", "its inbox is on another host")
            return endpoint
    raise MessageError("did_refused", "its document names no inbox")
