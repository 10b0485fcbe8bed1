"""Who may call at all: which hosts and pages, and how many at the same time. Tokens are the Gate's business."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request

from mcp_memory_server.errors import NotAllowedError, RateLimitedError
from mcp_memory_server.web.answers import WRONG_HOST
from mcp_memory_server.web.api.reading import RequestError

_OTHER_PAGES = ("cross-site", "same-site")  # what a browser says of a request that a page of elsewhere makes


class Guard:
    """Checks Host, Origin and what browsers say of the page that asks, as for `/mcp`."""

    def __init__(self, security: TransportSecuritySettings) -> None:
        self._checks = TransportSecurityMiddleware(security)

    async def check(self, request: Request) -> None:
        """Raises NotAllowedError, RequestError for a host that is not ours."""
        refused = await self._checks.validate_request(request)
        if refused is not None and refused.status_code == WRONG_HOST:
            error = NotAllowedError("this Host is not served here", next_step="See the setting server.allowed_hosts")
            raise RequestError(error, WRONG_HOST)
        # A page may make a browser GET without an Origin; it cannot read the answer, and must not cause one.
        page = request.headers.get("sec-fetch-site") if "origin" not in request.headers else None
        if refused is not None or page in _OTHER_PAGES:
            raise NotAllowedError("pages of this origin may not call", next_step="See server.allowed_origins")


class Room:
    """So many calls at the same time; who comes then is told to come again."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.taken = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for the length of the block. Raises RateLimitedError."""
        if self.taken >= self._size:
            raise RateLimitedError("too many calls at the same time", next_step="Try again in a moment")
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
