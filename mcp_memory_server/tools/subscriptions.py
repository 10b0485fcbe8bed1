"""Change notifications: a listener hears of its own user's memory only, in both protocol eras."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import anyio.lowlevel
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent

_log = logging.getLogger(__name__)
_MAX_LEGACY = 1_000  # subscriptions of the older era that one process holds


class UserBus:
    """A subscription bus that keeps users apart: resource URIs say `my profile`, whoever asks."""

    def __init__(self, current_user: Callable[[], str]) -> None:
        self._current_user = current_user
        self._listeners: dict[object, tuple[str, Callable[[ServerEvent], None]]] = {}
        self._legacy: dict[tuple[str, str], dict[int, ServerSession]] = {}

    async def publish(self, event: ServerEvent) -> None:
        """Deliver to the listeners of the user whose request publishes."""
        await self.publish_to(self._current_user(), event)

    async def publish_to(self, user: str, event: ServerEvent) -> None:
        """Deliver to the listeners of one user."""
        for owner, listener in list(self._listeners.values()):
            if owner == user:
                listener(event)
        if isinstance(event, ResourceUpdated):
            await self._tell_legacy(user, event.uri)
        await anyio.lowlevel.checkpoint()

    async def _tell_legacy(self, user: str, uri: str) -> None:
        sessions = self._legacy.get((user, uri), {})
        for key, session in list(sessions.items()):
            try:
                await session.send_resource_updated(uri)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError, MCPError):
                sessions.pop(key, None)  # the client is gone

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Register a listener for the user whose request this is."""
        token = object()
        self._listeners[token] = (self._current_user(), listener)

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe

    def subscribe_legacy(self, uri: str, session: ServerSession) -> None:
        """`resources/subscribe` of protocol revisions up to 2025-11-25."""
        if sum(map(len, self._legacy.values())) >= _MAX_LEGACY:
            _log.warning("too many resource subscriptions; one was not taken")
            return
        self._legacy.setdefault((self._current_user(), uri), {})[_connection(session)] = session

    def unsubscribe_legacy(self, uri: str, session: ServerSession) -> None:
        """`resources/unsubscribe`."""
        self._legacy.get((self._current_user(), uri), {}).pop(_connection(session), None)


def _connection(session: ServerSession) -> int:
    """What the sessions of one client have in common: each request has a session object of its own."""
    return id(session._connection)  # kept alive by the session that is kept, so the number is not used again


def register_legacy(server: Any, bus: UserBus) -> None:
    """Serve the older era's subscriptions on the SDK's low-level server.

    The high-level class has no public way to do it; the SDK's own example takes the same one.
    """
    from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

    async def on_subscribe(ctx: Any, params: SubscribeRequestParams) -> EmptyResult:
        bus.subscribe_legacy(str(params.uri), ctx.session)
        return EmptyResult()

    async def on_unsubscribe(ctx: Any, params: UnsubscribeRequestParams) -> EmptyResult:
        bus.unsubscribe_legacy(str(params.uri), ctx.session)
        return EmptyResult()

    server.add_request_handler("resources/subscribe", SubscribeRequestParams, on_subscribe)
    server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, on_unsubscribe)
