"""`forget`: one memory at once, anything wider only after the user's yes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from mcp_memory_server import limits
from mcp_memory_server.errors import ConflictError, InvalidArgumentError, NotFoundError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Kind, Memory, Speaker
from mcp_memory_server.memory.ports import MemoryFilter
from mcp_memory_server.memory.recall import chosen
from mcp_memory_server.memory.service.context import Context, newest
from mcp_memory_server.memory.service.erase import erase, receipt_view
from mcp_memory_server.memory.service.recall import RecallRequest, Times, search
from mcp_memory_server.memory.view import JsonObject

_QUERY_MATCHES = 20  # memories that a forget by words proposes at most
_RELEVANT = 0.5  # of the best score: what is less like the words is not proposed


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """The arguments of `forget`, absent ones None."""

    memory_id: str | None = None
    query: str | None = None
    category: str | None = None
    event_type: str | None = None
    source: str | None = None
    session: str | None = None
    channel: str | None = None
    since: str | None = None
    until: str | None = None
    everything: bool = False
    confirm: str | None = None
    reason: str | None = None

    @property
    def filtered(self) -> bool:
        """Whether any of the filters is given."""
        return any((
            self.query, self.category, self.event_type, self.source, self.session, self.channel, self.since, self.until
        ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request would forget. `immediate`: it names one memory, or a confirmation."""

    ids: tuple[str, ...]
    immediate: bool
    preview: tuple[JsonObject, ...] = ()


def plan(context: Context, principal: Principal, request: ForgetRequest) -> Plan:
    """What would be forgotten. Raises InvalidArgumentError, NotFoundError, ConflictError."""
    ways = [request.memory_id is not None, request.filtered, request.everything, request.confirm is not None]
    if sum(ways) != 1:
        raise InvalidArgumentError(
            "memory_id: give a memory_id, or filters such as query and category, or everything, or confirm alone"
        )
    if request.confirm is not None:
        return Plan(_confirmed(context, principal, request.confirm), True)
    about = relevant(context, principal, request.query) if request.query else None
    with context.backend.store.read(principal.tenancy) as unit:
        if request.memory_id is not None:
            if request.memory_id not in unit.get([request.memory_id]):
                raise NotFoundError(
                    f"memory_id: no memory {request.memory_id}",
                    next_step="Take an id from recall or list_memories",
                )
            return Plan((request.memory_id,), True)
        zone = context.zone(None)
        wanted = MemoryFilter(
            ids=None if about is None else tuple(memory.id for memory in about),
            category=request.category,
            event_type=request.event_type,
            source=request.source,
            session=request.session,
            channel=request.channel,
            since=context.moment(request.since, "since", zone),
            until=context.moment(request.until, "until", zone),
        )
        found = unit.ids(wanted, limits.FORGET_MAX)
        memories = unit.get(found[: limits.FORGET_PREVIEW])
    shown = [memories[one] for one in found if one in memories]
    return Plan(tuple(found), False, tuple(preview_of(memory) for memory in shown))


def relevant(context: Context, principal: Principal, words: str, without: frozenset[str] = frozenset()) -> list[Memory]:
    """Current memories that words are about, best first; only what comes near the best match.

    `without`: ids that do not count, not even as the best match.
    """
    embedder = context.embedder
    vectors = {}
    if embedder is not None and embedder.ready():
        with suppress(UnavailableError):  # then the words have to do
            vectors = {lang: embedder.query(words, lang, lang) for lang in ("en", "zh")}
    request = RecallRequest(words, limit=_QUERY_MATCHES, archive=True)
    with context.backend.store.read(principal.tenancy) as unit:
        ranked = search(context, principal, unit, request, Times(None, None, None, None), vectors, [])
        ranked = [item for item in ranked if item.id not in without]
        best = ranked[0].score if ranked else 0.0
        near = [item for item in chosen(ranked, _QUERY_MATCHES) if item.score >= _RELEVANT * best and item.text > 0]
        found = unit.get([item.id for item in near])
    return [found[item.id] for item in near]


def preview_of(memory: Memory) -> JsonObject:
    """One line of a preview."""
    return {"id": memory.id, "kind": memory.kind.value, "statement": memory.statement[:200]}


def propose(
    context: Context,
    principal: Principal,
    words: str,
    exclude: Sequence[Memory | None] = (),
    session: str | None = None,
) -> JsonObject | None:
    """When the words themselves ask to forget: what they mean, and a confirmation for it."""
    left_out = {memory.id for memory in exclude if memory}
    found = relevant(context, principal, words, frozenset(left_out))
    found = found or _just_said(context, principal, left_out, session)
    ids = [memory.id for memory in found]
    if not ids:
        return None
    return {
        "preview": [preview_of(m) for m in found[: limits.FORGET_PREVIEW]],
        "confirm": ask(context, principal, ids),
    }


def _just_said(context: Context, principal: Principal, left_out: set[str], session: str | None) -> list[Memory]:
    """ "Forget that": words that name nothing mean the utterance before, in the same session."""
    wanted = MemoryFilter(kinds=(Kind.UTTERANCE,), session=session)
    with context.backend.store.read(principal.tenancy) as unit:
        latest = newest(unit, wanted, len(left_out) + 1)
    return [memory for memory in latest if memory.id not in left_out and memory.speaker is Speaker.USER][:1]


def ask(context: Context, principal: Principal, ids: Sequence[str]) -> str:
    """A confirmation bound to these ids: single use, ten minutes."""
    value = secrets.token_urlsafe(18)
    expires = context.clock.now() + timedelta(seconds=limits.CONFIRM_SECONDS)
    with context.backend.store.system(write=True) as system:
        system.save_confirmation(_digest(value), principal.user, ids, expires)
    return value


def _confirmed(context: Context, principal: Principal, value: str) -> tuple[str, ...]:
    with context.backend.store.system(write=True) as system:
        ids = system.take_confirmation(_digest(value), principal.user, context.clock.now())
    if ids is None:
        raise ConflictError(
            "confirm: unknown, used or expired", next_step="Call forget again and confirm the new preview"
        )
    return ids


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def carry_out(context: Context, principal: Principal, ids: Sequence[str]) -> JsonObject:
    """Forget these memories and answer with the receipt."""
    erasure = erase(context, principal.tenancy, ids)
    return {
        "state": "pending" if erasure.pending else "forgotten",
        "forgotten": list(erasure.memory_ids),
        "preview": [],
        "receipt": receipt_view(erasure),
    }


def needs_confirmation(context: Context, principal: Principal, found: Plan) -> JsonObject:
    """The answer to a client that cannot ask its user."""
    if not found.ids:
        return {"state": "kept", "forgotten": [], "preview": []}
    return {
        "state": "needs_confirmation",
        "forgotten": [],
        "preview": list(found.preview),
        "matches": len(found.ids),
        "confirm": ask(context, principal, found.ids),
    }


def kept(found: Plan) -> JsonObject:
    """The answer when the user said no, or nothing matched."""
    return {"state": "kept", "forgotten": [], "preview": list(found.preview)}


def everything(context: Context, principal: Principal) -> tuple[str, ...]:
    """Ids of all that a user has, of every kind and status."""
    with context.backend.store.read(principal.tenancy) as unit:
        return tuple(unit.ids(MemoryFilter(kinds=tuple(Kind)), limits.FORGET_MAX))
