"""A memory filter as SQL conditions, and the cursor that continues a listing."""

from __future__ import annotations

import base64
import binascii

from sqlalchemy import ColumnElement

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.ports import MemoryFilter
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.at_rest import AtRest


def conditions(user: str, wanted: MemoryFilter, rest: AtRest) -> list[ColumnElement[bool]]:
    """Every field of the filter that is set, and always the user."""
    column = t.memory.c
    where: list[ColumnElement[bool]] = [column.user == user]
    if wanted.ids is not None:
        where.append(column.id.in_(wanted.ids))
    if wanted.kinds is not None:
        where.append(column.kind.in_([kind.value for kind in wanted.kinds]))
    if wanted.statuses is not None:
        where.append(column.status.in_([status.value for status in wanted.statuses]))
    for name in ("category", "event_type", "source", "session", "channel", "subject"):
        value = getattr(wanted, name)
        if value is not None:
            where.append(column[name] == rest.compared("memory", name, value))
    if wanted.since is not None:
        where.append(column.said_at >= to_micros(wanted.since))
    if wanted.until is not None:
        where.append(column.said_at < to_micros(wanted.until))
    return where


def encode_cursor(said_at: int, seq: int) -> str:
    """An opaque cursor behind the row with these keys."""
    return base64.urlsafe_b64encode(f"{said_at}.{seq}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> tuple[int, int]:
    """The keys in a cursor. Raises InvalidArgumentError when it is not ours."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
        said_at, _, seq = text.partition(".")
        return int(said_at), int(seq)
    except (binascii.Error, ValueError) as error:
        raise InvalidArgumentError(
            "cursor: not a cursor of this server", next_step="Start again without a cursor"
        ) from error
