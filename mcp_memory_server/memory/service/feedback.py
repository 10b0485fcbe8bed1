"""`give_feedback`: verdicts on what a recall showed, from the model or from the user's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, NotFoundError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.feedback import usefulness
from mcp_memory_server.memory.model import Intent, Memory
from mcp_memory_server.memory.ports import LedgerUnit
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.signals import Recalled, Tally, Task, Verdict, Vote, session_mark
from mcp_memory_server.memory.view import JsonObject


@dataclass(frozen=True, slots=True)
class FeedbackRequest:
    """The arguments of `give_feedback`, absent ones None or empty."""

    recall_id: str
    used: tuple[str, ...] = ()
    not_needed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    task: Task | None = None

    @property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """Every memory named with its verdict."""
        return [(one, verdict) for verdict in Verdict for one in getattr(self, verdict.value)]


def give_feedback(context: Context, principal: Principal, request: FeedbackRequest) -> JsonObject:
    """Keep verdicts on what a recall showed; a second time the same changes nothing.

    Raises InvalidArgumentError, NotFoundError for a recall that is unknown or expired, UnavailableError.
    """
    _check(request)
    context.recalls.settle(context.backend.store, context.clock.now())
    now = context.clock.now()
    with context.backend.store.write(principal.tenancy) as unit:
        recalled = _known(unit, request.recall_id, now)
        for memory_id, _ in request.verdicts:
            if memory_id not in recalled.memory_ids:
                raise InvalidArgumentError(
                    f"{memory_id} was not shown by {recalled.id}", next_step="Name memories of that recall"
                )
        votes = [Vote(one, recalled.id, verdict, now, principal.agent) for one, verdict in request.verdicts]
        changed = [vote for vote in votes if unit.vote(vote)]
        if request.task is not None:
            unit.end_recall(recalled.id, request.task)
        ids = [vote.memory_id for vote in changed]
        if ids:
            unit.audit(now, "feedback", principal.agent, ids)
        return {
            "recall_id": recalled.id,
            "task": (request.task or recalled.task).value,
            "changed": _shown(context, unit, changed),
            "unchanged": [vote.memory_id for vote in votes if vote not in changed],
        }


def _check(request: FeedbackRequest) -> None:
    named = [memory_id for memory_id, _ in request.verdicts]
    if not named and request.task is None:
        raise InvalidArgumentError("used: name memories in used, not_needed or wrong, or give the task")
    if len(set(named)) < len(named):
        twice = next(one for one in named if named.count(one) > 1)
        raise InvalidArgumentError(f"{twice}: has more than one verdict")


def _known(unit: LedgerUnit, recall_id: str, now: datetime) -> Recalled:
    recalled = unit.recalled(recall_id)
    if recalled is None or now - recalled.at > timedelta(seconds=limits.RECALL_SECONDS):
        raise NotFoundError(
            f"recall_id: no recall {recall_id}, or one that is too old",
            next_step="Give feedback soon after a recall, with its recall_id",
        )
    return recalled


def _shown(context: Context, unit: LedgerUnit, votes: Sequence[Vote]) -> list[JsonObject]:
    ids = [vote.memory_id for vote in votes]
    memories, tallies = unit.get(ids), unit.tallies(ids)
    return [
        {
            "id": vote.memory_id,
            "verdict": vote.verdict.value,
            "usefulness": round(usefulness(tallies.get(vote.memory_id), context.feedback), 4),
            "strength": round(weighed(context, memories[vote.memory_id], tallies), 4),
        }
        for vote in votes
        if vote.memory_id in memories
    ]


def weighed(context: Context, memory: Memory, tallies: Mapping[str, Tally]) -> float:
    """The strength of a memory with what feedback says of it."""
    return context.strength(memory) * usefulness(tallies.get(memory.id), context.feedback)


def is_rejection(intents: Sequence[Intent]) -> bool:
    """Whether the user says that an answer was not what was meant."""
    return any(intent.name == "feedback" and intent.slots.get("verdict") == "wrong" for intent in intents)


def reject_latest(
    context: Context, principal: Principal, unit: LedgerUnit, session: str | None, now: datetime
) -> JsonObject | None:
    """ "That's not what I meant": what the latest recall of this conversation showed was not needed.

    It does not say that a memory is untrue, so no verdict is `wrong`; what the model has judged already stays.
    """
    recalled = _latest(unit, principal, session, now)
    if recalled is None:
        return None
    judged = {vote.memory_id for vote in unit.votes(recalled.id)}
    votes = [
        Vote(one, recalled.id, Verdict.NOT_NEEDED, now, principal.agent, spoken=True)
        for one in recalled.memory_ids
        if one not in judged
    ]
    there = unit.get([vote.memory_id for vote in votes])
    changed = [vote for vote in votes if vote.memory_id in there and unit.vote(vote)]
    if not changed:
        return None
    unit.audit(now, "feedback", principal.agent, [vote.memory_id for vote in changed])
    return {"recall_id": recalled.id, "changed": _shown(context, unit, changed)}


def _latest(unit: LedgerUnit, principal: Principal, session: str | None, now: datetime) -> Recalled | None:
    """The last recall of the same agent, minutes ago at most, in no other conversation than this one."""
    for recalled in unit.recalls(limits.RECALLS_LOOKED_AT):
        if now - recalled.at > timedelta(seconds=limits.REJECTION_SECONDS):
            return None
        here = session is None or recalled.session in (None, session_mark(session))
        if recalled.agent == principal.agent and here:
            return recalled
    return None
