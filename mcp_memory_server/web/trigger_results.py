"""`POST /api/triggers/{id}/result`: where a program that a trigger told posts what it found."""

from __future__ import annotations

import json
from typing import Any

import anyio.to_thread
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcp_memory_server.errors import InternalError, InvalidArgumentError, MemoryServerError, TooLargeError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.limits import DELIVERY_BYTES
from mcp_memory_server.tools.runtime import Runtime

PATH = "/api/triggers/{id}/result"
_STATUS = {"invalid_argument": 400, "too_large": 413, "not_found": 404, "conflict": 409, "not_allowed": 403}


def route(runtime: Runtime, security: TransportSecuritySettings) -> Route:
    """The route. Host, origin and content type are checked as for /mcp: no page of a browser can post here."""
    guard = TransportSecurityMiddleware(security)

    async def post(request: Request) -> Response:
        """Take `{"result": "text"}` for a firing of the caller's own."""
        if (refused := await guard.validate_request(request, is_post=True)) is not None:
            return refused
        try:
            text = await _text(request)
            firing_id = request.path_params["id"]

            def take() -> dict[str, Any]:
                application = runtime.application()
                taken = application.service.trigger_result(_principal(runtime), firing_id, text)
                application.tell(_principal(runtime).user)
                return taken

            return JSONResponse(await anyio.to_thread.run_sync(take))
        except MemoryServerError as error:
            return _failed(error)

    return Route(PATH, post, methods=["POST"])


def _principal(runtime: Runtime) -> Principal:
    """The user of the access token, else of the settings."""
    token = get_access_token()
    user = token.subject if token is not None and token.subject else runtime.settings.user
    return Principal(user, "webhook", "http")


async def _text(request: Request) -> str:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > DELIVERY_BYTES:
            raise TooLargeError(f"the body has at most {DELIVERY_BYTES} bytes")
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError("the body is no JSON", next_step='Send {"result": "text"}') from error
    if not isinstance(given, dict) or set(given) != {"result"} or not isinstance(given["result"], str):
        raise InvalidArgumentError("result: is required, a text, and nothing else", next_step='Send {"result": "text"}')
    return given["result"]


def _failed(error: MemoryServerError) -> JSONResponse:
    body = {"error": {"code": error.code, "message": error.message, "next": error.next_step}}
    return JSONResponse(body, 500 if isinstance(error, InternalError) else _STATUS.get(error.code, 503))
