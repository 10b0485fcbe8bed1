"""The audit log of a user: what was done to which memories, when and by which program."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.ports import AuditEntry
from mcp_memory_server.memory.service.budget import size
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.view import JsonObject, iso_utc

_CURSOR_DIGITS = 18  # digits of a cursor: what every ledger can count to


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """Which page: `limit` lines at most (0: as many as fit), `max_chars` characters of the answer's JSON."""

    cursor: str | None = None
    limit: int = limits.LIST_LIMIT_DEFAULT
    max_chars: int = limits.MAX_CHARS_DEFAULT


def audit(context: Context, principal: Principal, request: AuditRequest) -> JsonObject:
    """One page of the log, newest first: `{"entries": [...], "next_cursor"}`.

    Raises InvalidArgumentError for a cursor that is not ours, UnavailableError, StoreNewerError.
    """
    before, limit = _position(request.cursor), request.limit or limits.LIST_LIMIT_MAX
    with context.backend.store.read(principal.tenancy) as unit:
        found = unit.audited(limit + 1, before)
    shown = found[:limit]
    answer: JsonObject = {"entries": [_view(entry) for entry in shown]}
    while len(shown) > 1 and size(answer) > request.max_chars:
        shown.pop()
        answer["entries"].pop()
    if len(shown) < len(found):
        answer["next_cursor"] = str(shown[-1].seq)
    return answer


def _position(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _CURSOR_DIGITS):
        raise InvalidArgumentError("cursor: is none of ours", next_step="Give the next_cursor of the page before")
    return int(cursor)


def _view(entry: AuditEntry) -> JsonObject:
    return {
        "at": iso_utc(entry.at),
        "action": entry.action,
        "agent": entry.agent,
        "memory_ids": list(entry.memory_ids),
        "previous": entry.previous,
        "hash": entry.digest,
    }
