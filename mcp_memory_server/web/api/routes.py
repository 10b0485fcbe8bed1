"""Routes made of the table of endpoints. Each call is one unit of work of the server that also serves the tools."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio.to_thread
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from mcp_memory_server.errors import InternalError, MemoryServerError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.limits import HTTP_CALLS, HTTP_EXPORTS, NAME_CHARS
from mcp_memory_server.tools.arguments import checked_by
from mcp_memory_server.tools.server import MemoryMCPServer
from mcp_memory_server.web.answers import failed, succeeded
from mcp_memory_server.web.api import openapi
from mcp_memory_server.web.api.endpoints import ENDPOINTS, Endpoint
from mcp_memory_server.web.api.exporting import Export
from mcp_memory_server.web.api.gatekeeper import Guard, Room
from mcp_memory_server.web.api.reading import RequestError, arguments_of, query_of
from mcp_memory_server.web.metrics import MEDIA_TYPE, Metrics

_CHANNEL = "http"
_log = logging.getLogger(__name__)
Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The HTTP API in front of a server."""

    def __init__(self, server: MemoryMCPServer, security: TransportSecuritySettings, metrics: Metrics) -> None:
        self._server = server
        self._guard = Guard(security)
        self._metrics = metrics
        self._room = Room(HTTP_CALLS)
        self._exports = Room(HTTP_EXPORTS)

    def routes(self) -> list[Route]:
        """One route for each path: an unknown method then names all that are known."""
        by_path: dict[str, dict[str, Handler]] = {}
        for endpoint in ENDPOINTS:
            by_path.setdefault(endpoint.path, {})[endpoint.method] = self._handler(endpoint)
        by_path[openapi.EXPORT_PATH] = {"GET": self._export}
        by_path[openapi.PATH] = {"GET": self._document}
        return [self._route(path, handlers) for path, handlers in by_path.items()]

    def _route(self, path: str, handlers: dict[str, Handler]) -> Route:
        async def answer(request: Request) -> Response:
            began = time.perf_counter()

            def ended(status: int) -> None:
                self._metrics.count(request.method, path, status, time.perf_counter() - began)

            request.state.ended = ended
            response = await self._guarded(request, handlers[request.method])
            if not isinstance(response, Export):  # it is still to be written, and tells itself how that ended
                ended(response.status_code)
            return response

        # The name of a session may hold any character; ids of ours hold no slash.
        pattern = path.replace("{id}", "{id:path}") if path.startswith("/api/sessions/") else path
        route = Route(pattern, answer, methods=list(handlers))
        # Reading the profile shows results of triggers once: a HEAD would use them up for nobody.
        route.methods = set(handlers)
        return route

    async def _guarded(self, request: Request, handler: Handler) -> Response:
        """An answer in any case: what goes wrong has the contract's form."""
        try:
            await self._guard.check(request)
            with self._room.place():
                return await handler(request)
        except (MemoryServerError, RequestError) as error:
            return _refused(error)
        except Exception:  # noqa: BLE001 - whatever it is, the caller gets `internal` and the log the fault
            _log.exception("%s %s failed", request.method, request.scope["route"].path)
            return failed(InternalError("the call failed", next_step="Look into the server's log"))

    async def measured(self, request: Request, text: Callable[[int], Awaitable[str]]) -> Response:
        """What `text` says of so many calls in progress, to whom may ask; it takes no place of theirs."""
        try:
            await self._guard.check(request)
        except (MemoryServerError, RequestError) as error:
            return _refused(error)
        return PlainTextResponse(await text(self._room.taken), media_type=MEDIA_TYPE)

    def _handler(self, endpoint: Endpoint) -> Handler:
        async def handle(request: Request) -> Response:
            given = await arguments_of(request, endpoint)
            principal = self._principal(request)
            answer = await self._server.work(lambda service: endpoint.call(service, principal, given))
            await self._announce(endpoint, principal.user, answer)
            return succeeded(answer)

        return handle

    async def _announce(self, endpoint: Endpoint, user: str, answer: dict[str, Any]) -> None:
        if endpoint.changes == "trigger":  # as when a delivery brings the result back
            await anyio.to_thread.run_sync(lambda: self._server.runtime.application().tell(user))
        elif endpoint.changes:
            await self._server.announce(endpoint.changes, user, answer)

    def _principal(self, request: Request) -> Principal:
        """The user of the access token, else of the settings. Headers that name a user count for nothing."""
        agent = request.headers.get("user-agent", "").partition("/")[0].strip()[:NAME_CHARS] or "unknown"
        return Principal(self._server.current_user(), agent, self._server.runtime.settings.channel or _CHANNEL)

    async def _export(self, request: Request) -> Response:
        given = checked_by(openapi.EXPORT_QUERY, query_of(request, openapi.EXPORT_QUERY))
        tenancy = self._principal(request).tenancy
        app = await anyio.to_thread.run_sync(self._server.runtime.application)
        feedback = given.get("feedback", False)
        return Export(app.backend, tenancy, app.clock.now(), self._exports, request.state.ended, feedback=feedback)

    async def _document(self, _request: Request) -> Response:
        return JSONResponse(openapi.document())


def _refused(error: MemoryServerError | RequestError) -> Response:
    return failed(error.error, error.status) if isinstance(error, RequestError) else failed(error)
