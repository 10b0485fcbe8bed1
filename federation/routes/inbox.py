"""``POST /agents/{agent}/inbox``: signed messages from other agents."""

from __future__ import annotations

import logging
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from credentials.errors import CredentialError
from federation.errors import FederationError, MessageError, PeerError
from federation.messaging.inbox import Arriving, Inbox, status_of
from federation.routes.answers import answer, not_found, refused

_log = logging.getLogger(__name__)
_RETRY_AFTER: Final = "2"  # seconds


class InboxRoute:
    """The route of all inboxes."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def routes(self) -> list[Route]:
        """All addresses."""
        return [Route("/agents/{agent}/inbox", self._post, methods=["POST"])]

    async def _post(self, request: Request) -> Response:
        arriving = Arriving(
            request.path_params["agent"],
            request.method,
            request.scope["query_string"],
            [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.scope["headers"]],
            request.stream(),
        )
        try:
            return answer(await self._inbox.take(arriving))
        except FederationError as error:
            return _refusal(error)
        except CredentialError as error:  # a document or key of the sender
            return _refusal(MessageError("did_refused", error.code))
        except ClientDisconnect:
            return _refusal(MessageError("message_malformed", "the body broke off"))


def _refusal(error: FederationError) -> Response:
    if error.code == "agent_unknown":
        return not_found()
    _log.info("a message was refused: %s", error.code)
    if isinstance(error, PeerError):  # who is blocked need not know it
        error = PeerError("peer_unknown")
    status = status_of(error)
    return refused(error, status, **({"Retry-After": _RETRY_AFTER} if status == 503 else {}))
