"""The working memory of a session: filled by `remember`, read and rolled back by version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.errors import NotFoundError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import LedgerUnit, WorkingVersion
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.view import JsonObject, iso_utc
from mcp_memory_server.working import session as domain


def use(context: Context, unit: LedgerUnit, session: str, memories: Sequence[Memory], action: str) -> None:
    """Take memories into the working memory of a session, as its next version. One that had ended starts anew."""
    now, newest = context.clock.now(), unit.working(session)
    if newest is not None and domain.has_ended(newest.at, now):
        unit.clear_working(session)
        newest = None
    held = newest.memory_ids if newest else ()
    after = domain.used(held, [memory.id for memory in memories if domain.is_held(memory)])
    if after != held:
        number = newest.version + 1 if newest else 1
        unit.save_working(WorkingVersion(session, number, now, action, after), limits.WORKING_VERSIONS)


def view(context: Context, unit: LedgerUnit, session: str) -> JsonObject:
    """What a session's working memory holds, newest use last, and its versions; empty once it has ended."""
    newest = unit.working(session)
    if newest is None or domain.has_ended(newest.at, context.clock.now()):
        return {"version": 0, "items": [], "versions": []}
    found = unit.get(newest.memory_ids)
    return {
        "version": newest.version,
        "items": [_item(found[one]) for one in newest.memory_ids if one in found],
        "versions": [_version(one) for one in unit.working_versions(session)],
    }


def _item(memory: Memory) -> JsonObject:
    out: dict[str, Any] = {"id": memory.id, "kind": memory.kind.value, "said_by": memory.speaker.value}
    if domain.is_reference(memory):
        return out | {"reference": f"memory://memories/{memory.id}", "characters": len(memory.statement)}
    return out | {"statement": memory.statement}


def _version(one: WorkingVersion) -> JsonObject:
    return {"version": one.version, "at": iso_utc(one.at), "action": one.action}


def rollback(context: Context, principal: Principal, session: str, version: int) -> JsonObject:
    """Make an earlier version the newest one again, as a version of its own; memories themselves stay as they are.

    Raises NotFoundError for a session that has ended or a version that is not kept.
    """
    with context.backend.store.write(principal.tenancy) as unit:
        newest = unit.working(session)
        if newest is None or domain.has_ended(newest.at, context.clock.now()):
            raise NotFoundError(f"session: {session} has no working memory", next_step="It may have ended")
        wanted = unit.working(session, version)
        if wanted is None:
            raise NotFoundError(f"version: {version} of {session} is not kept", next_step="Read the session's versions")
        now = context.clock.now()
        made = WorkingVersion(session, newest.version + 1, now, f"rollback to {version}", wanted.memory_ids)
        unit.save_working(made, limits.WORKING_VERSIONS)
        unit.audit(now, "rollback", principal.agent, list(wanted.memory_ids))
        return view(context, unit, session)
