"""The HTTP application: MCP at `/mcp`, the API at `/api` and `/openapi.json`, `/healthz`, `/readyz`, `/metrics`.

Nothing is trusted here: the Host and Origin of every call are checked against a list, and
from the first access token on a call needs a valid one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend, RequireAuthMiddleware
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_memory_server.errors import MemoryServerError, NotAllowedError
from mcp_memory_server.identity.bearer import StoredTokens, is_valid
from mcp_memory_server.memory.ports import Store
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.server import MemoryMCPServer, build_server
from mcp_memory_server.web.answers import failed, no_such_route, unauthenticated
from mcp_memory_server.web.api.routes import Api
from mcp_memory_server.web.health import Health, healthy
from mcp_memory_server.web.metrics import Metrics

Scope = MutableMapping[str, Any]
Asgi = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

MCP_PATH = "/mcp"
_OPEN_PATHS = frozenset({"/healthz", "/readyz"})  # probes: they tell nothing about anybody
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_host(host: str, store: Store, now: datetime) -> None:
    """Raises NotAllowedError for a host that others can reach while no valid token exists."""
    if is_loopback(host):
        return
    with store.system() as system:
        if any(is_valid(token, now) for token in system.tokens()):
            return
    raise NotAllowedError(
        f"without access tokens the server binds loopback only, not {host}",
        next_step="Make one with `mcp-memory-server token create NAME`",
    )


def transport_security(host: str, hosts: Sequence[str], origins: Sequence[str]) -> TransportSecuritySettings:
    """Which Host and Origin headers may pass: loopback, the address bound, and what the settings add."""
    names = list(_LOOPBACK_NAMES)
    if not is_loopback(host) and host not in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        names.append(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*(f"{name}:*" for name in names), *names, *hosts],
        allowed_origins=[
            *(f"http://{name}:*" for name in names),
            *(f"http://{name}" for name in names),
            *origins,
        ],
    )


class Gate:
    """Lets calls through: all of them while no token was ever made, then those with a valid one.

    Only probes need none; whatever is added to the application later is behind the gate by itself.
    """

    def __init__(self, app: Asgi, tokens: StoredTokens) -> None:
        self._open = app
        self._tokens = tokens
        checked = AuthContextMiddleware(_Required(app))
        self._closed: Any = AuthenticationMiddleware(checked, backend=BearerAuthBackend(tokens))

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """One ASGI call. A store that cannot be read lets nobody in."""
        if scope["type"] == "lifespan" or scope["path"] in _OPEN_PATHS:
            await self._open(scope, receive, send)
            return
        try:
            required = await self._tokens.required()
        except MemoryServerError as error:
            await failed(error, 503)(scope, receive, send)
            return
        await (self._closed if required else self._open)(scope, receive, send)


class _Required:
    """Lets authenticated calls through. Those to `/mcp` are refused as that protocol says, others in our form."""

    def __init__(self, app: Asgi) -> None:
        self._app = app
        self._mcp = RequireAuthMiddleware(app, [])

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["path"] == MCP_PATH:
            await self._mcp(scope, receive, send)
        elif isinstance(scope.get("user"), AuthenticatedUser):
            await self._app(scope, receive, send)
        else:
            await unauthenticated()(scope, receive, send)


def build_http(runtime: Runtime, server: MemoryMCPServer | None = None) -> Asgi:
    """The ASGI application on a runtime; `server` lets a test bring one with more tools."""
    settings = runtime.settings.server
    mcp = server or build_server(runtime)
    security = transport_security(settings.host, settings.allowed_hosts, settings.allowed_origins)
    health, metrics = Health(runtime), Metrics()
    api = Api(mcp, security, metrics)
    inner: Starlette = mcp.streamable_http_app(
        streamable_http_path=MCP_PATH,
        transport_security=security,
        host=settings.host,
    )
    inner.router.routes.extend(
        [
            Route("/healthz", healthy, methods=["GET"]),
            Route("/readyz", health.ready, methods=["GET"]),
            Route("/metrics", _measured(health, metrics, api), methods=["GET"]),
            *api.routes(),
        ]
    )
    inner.add_exception_handler(HTTPException, no_such_route)
    tokens = StoredTokens(lambda: runtime.application().backend.store, lambda: datetime.now(UTC))
    return Gate(inner, tokens)


def _measured(health: Health, metrics: Metrics, api: Api) -> Callable[[Request], Awaitable[Response]]:
    async def text(in_progress: int) -> str:
        return metrics.text(await health.look(), in_progress)

    async def measured(request: Request) -> Response:
        """Counts of this process, and how its back ends are."""
        return await api.measured(request, text)

    return measured
