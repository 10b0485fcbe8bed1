"""What others read before they talk to us: DID documents, issuer keys, OpenID metadata, agent cards.

Every address inside these documents is made of the configured origin. Well-known paths stand before the path of
the issuer (RFC 8615, RFC 8414 section 3.1, OpenID4VCI 1.0 section 12.2.2, SD-JWT VC section 5.1).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from federation.agent_card import build_card
from federation.identity import Identity
from federation.openid_metadata import Issuing, authorization_server, credential_issuer
from federation.routes.answers import JSON, document, not_found
from federation.settings import AgentSettings

_DID_JSON: Final = "application/did+json"
_WELL_KNOWN: Final = "/.well-known"
_AGENT: Final = "/agents/{agent}"

_Build = Callable[[AgentSettings], dict[str, Any]]


class Discovery:
    """The documents of one gateway. Cards are signed once for each key, not for each reader."""

    def __init__(self, identity: Identity, *, vcts: Sequence[str] = (), issuing: Issuing | None = None) -> None:
        self._identity = identity
        self._settings = identity.settings
        self._vcts = tuple(vcts)
        self._issuing = issuing
        self._cards: dict[str, tuple[str | None, dict[str, Any]]] = {}

    def routes(self) -> list[Route]:
        """All addresses."""
        first = self._settings.agents[0]
        found = [
            Route(f"{_WELL_KNOWN}/did.json", self._fixed(lambda: self._identity.document(), _DID_JSON)),
            Route(f"{_AGENT}/did.json", self._of_agent(lambda agent: self._identity.document(agent.id), _DID_JSON)),
            Route(f"{_WELL_KNOWN}/jwt-vc-issuer", self._fixed(lambda: self._identity.issuer_metadata())),
            Route(
                f"{_WELL_KNOWN}/jwt-vc-issuer{_AGENT}",
                self._of_agent(lambda agent: self._identity.issuer_metadata(agent.id)),
            ),
            # A2A knows one card for a host: that of the first agent; each agent has its own below its address.
            Route(f"{_WELL_KNOWN}/agent-card.json", self._fixed(lambda: self._card(first))),
            Route(f"{_AGENT}{_WELL_KNOWN}/agent-card.json", self._of_agent(self._card)),
        ]
        issuing = self._issuing
        if issuing is not None:
            issuer = partial(credential_issuer, self._settings, issuing=issuing)
            server = partial(authorization_server, self._settings, issuing=issuing)
            found += [
                Route(f"{_WELL_KNOWN}/openid-credential-issuer{_AGENT}", self._of_agent(issuer)),
                Route(f"{_WELL_KNOWN}/oauth-authorization-server{_AGENT}", self._of_agent(server)),
            ]
        return found

    def _card(self, agent: AgentSettings) -> dict[str, Any]:
        kid = self._identity.signer(agent.id).kid
        known = self._cards.get(agent.id)
        if known is None or known[0] != kid:  # another key after a rotation
            known = self._cards[agent.id] = (kid, build_card(self._identity, agent, self._vcts))
        return known[1]

    @staticmethod
    def _fixed(build: Callable[[], dict[str, Any]], media: str = JSON) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            return document(request, build(), media)

        return serve

    def _of_agent(self, build: _Build, media: str = JSON) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            agent = self._settings.agent(request.path_params["agent"])
            return not_found() if agent is None else document(request, build(agent), media)

        return serve
