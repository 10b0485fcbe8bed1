"""Asking the refiner: when, about what, and what is told of it. No transaction is open here: it may be slow."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mcp_memory_server import limits
from mcp_memory_server.memory.model import CandidateFact, Perception, Said, Span, SpeechAct
from mcp_memory_server.memory.perceive.outline import outline
from mcp_memory_server.memory.refining.check import check
from mcp_memory_server.memory.refining.coverage import coverage
from mcp_memory_server.memory.refining.port import Cause, RefinerError, choices_of
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.view import JsonObject

_log = logging.getLogger(__name__)
NAME = "refiner"  # as `degraded` names it


@dataclass(frozen=True, slots=True)
class Refined:
    """What asking a refiner came to: facts that stand, how many fell and why, or why it gave none at all."""

    facts: tuple[CandidateFact, ...] = ()
    proposed: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    failed: Cause | None = None

    def view(self) -> JsonObject:
        """As `remember` tells it."""
        out: JsonObject = {
            "proposed": self.proposed,
            "kept": len(self.facts),
            "dropped": [{"reason": why, "count": count} for why, count in sorted(self.dropped.items())],
        }
        return out | ({"failed": self.failed.value} if self.failed else {})


def refine(
    context: Context, said: Said, perception: Perception, known: Sequence[CandidateFact], spans: Sequence[Span]
) -> Refined | None:
    """The facts that the refiner of `context` finds beside `known`; None where it is not to be asked.

    It is asked about words of the user of at most `limits.REFINER_CHARS` characters, of which facts and events cover
    less than the set share. `said` is masked. Never raises: a refiner that fails leaves the rules alone.
    """
    refiner = context.refiner
    if refiner is None or len(said.text) > limits.REFINER_CHARS:
        return None
    if perception.speech_act in (SpeechAct.FORGET_REQUEST, SpeechAct.RETRACT):
        return None
    try:
        units = outline(said.text, said.said_at, said.time_zone, context.vocabulary)
        if coverage(units, [*spans, *(event.span for event in perception.events)]) >= context.refiner_share:
            return None
        proposals = refiner.propose(said.text, choices_of(context.vocabulary))[: limits.REFINER_FACTS]
        checked = check(proposals, said, units, known, context.vocabulary)
    except RefinerError as error:
        _log.warning("the refiner failed (%s): the rules stand alone", error.cause.value)
        return Refined(failed=error.cause)
    except Exception:  # noqa: BLE001 - whatever goes wrong here, what the user said and the rules found is kept
        _log.exception("refining failed on a text of %d characters", len(said.text))
        return Refined(failed=Cause.WRONG_SHAPE)
    dropped = Counter({why.value: count for why, count in checked.dropped.items()})
    return Refined(checked.facts, len(proposals), dropped)
