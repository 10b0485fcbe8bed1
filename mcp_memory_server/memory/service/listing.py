"""`list_memories`: what is there, newest first, page by page."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_memory_server import limits
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Kind, Status
from mcp_memory_server.memory.ports import MemoryFilter
from mcp_memory_server.memory.service.budget import size
from mcp_memory_server.memory.service.context import Context, views
from mcp_memory_server.memory.view import JsonObject


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The arguments of `list_memories`, absent ones None."""

    category: str | None = None
    kind: str | None = None
    event_type: str | None = None
    status: str = "current"
    source: str | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None
    cursor: str | None = None
    limit: int = limits.LIST_LIMIT_DEFAULT
    max_chars: int = limits.MAX_CHARS_DEFAULT
    detail: str = "brief"


def wanted_of(context: Context, request: ListRequest) -> MemoryFilter:
    """The filter that a request describes. Raises InvalidArgumentError."""
    zone = context.zone(None)
    kind = request.kind
    return MemoryFilter(
        kinds=None if kind in (None, "any") else (Kind(kind),),
        statuses=None if request.status == "any" else (Status(request.status),),
        category=request.category,
        event_type=request.event_type,
        source=request.source,
        session=request.session,
        since=context.moment(request.since, "since", zone),
        until=context.moment(request.until, "until", zone),
    )


def list_memories(context: Context, principal: Principal, request: ListRequest) -> JsonObject:
    """One page of memories. With `limit` 0 as many as fit `max_chars`.

    Raises InvalidArgumentError, UnavailableError, StoreNewerError.
    """
    wanted = wanted_of(context, request)
    limit = request.limit or limits.LIST_LIMIT_MAX
    with context.backend.store.read(principal.tenancy) as unit:
        page = unit.page(wanted, limit, request.cursor)
        shown = views(context, unit, page.memories, request.detail)
        answer: JsonObject = {"memories": shown, "total": page.total}
        cursor = page.cursor
        while len(shown) > 1 and size(answer) > request.max_chars:
            shown.pop()
            cursor = unit.cursor_after(page.memories[len(shown) - 1])
    if cursor:
        answer["next_cursor"] = cursor
    return answer
