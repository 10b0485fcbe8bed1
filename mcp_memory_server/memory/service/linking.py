"""Facts that rules join to an answer, and the suggestions that they call for."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.memory import periods
from mcp_memory_server.memory.links import Link, called_for, links, partners
from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.ports import LedgerUnit
from mcp_memory_server.memory.service.context import Context

_log = logging.getLogger(__name__)
_CANDIDATES = 50  # facts of one subject that may be joined, the newest
_SUGGESTIONS = 3  # shown beside one answer


def chained(context: Context, unit: LedgerUnit, memories: Sequence[Memory]) -> list[Link]:
    """What rules join to memories, and to that in turn: from a payment to its order, and on to its train."""
    found = joined(context, unit, memories)
    reached = {link.memory.id: link.memory for link in found}
    known = {(link.of.id, link.memory.id) for link in found}
    further = joined(context, unit, list(reached.values()))
    return found + [
        link for link in further if not known & {(link.of.id, link.memory.id), (link.memory.id, link.of.id)}
    ]


def joined(context: Context, unit: LedgerUnit, memories: Sequence[Memory]) -> list[Link]:
    """The current facts that rules join to memories; an utterance stands for the facts in it."""
    if not context.links or not memories:
        return []
    found: list[Link] = []
    by_subject: dict[str, list[Memory]] = defaultdict(list)
    for fact in _facts(unit, memories):
        if fact.subject is not None and partners(fact, context.links):
            by_subject[fact.subject].append(fact)
    for subject, facts in by_subject.items():
        wanted = sorted({predicate for fact in facts for predicate in partners(fact, context.links)})
        others = [one for one in unit.by_subject(subject, wanted, _CANDIDATES) if _shown(one)]
        for fact in facts:
            found += links(fact, others, context.links, context.vocabulary)
    return found


def _facts(unit: LedgerUnit, memories: Sequence[Memory]) -> list[Memory]:
    """The current facts among memories, and those in utterances among them, each once and in their order."""
    spoken = unit.facts_of([memory.id for memory in memories if memory.kind is Kind.UTTERANCE])
    out: dict[str, Memory] = {}
    for memory in memories:
        for one in (memory, *spoken.get(memory.id, ())):
            if one.kind is Kind.FACT and _shown(one):
                out.setdefault(one.id, one)
    return list(out.values())


def _shown(memory: Memory) -> bool:
    return memory.status is Status.CURRENT and not memory.hidden


def suggested(context: Context, found: Sequence[Link], lang: str) -> list[str]:
    """What links call for, as questions in a language; nothing about a thing whose time is over."""
    out: list[str] = []
    for suggestion, slots in called_for(found, context.suggestions) if context.renderer else ():
        if not _over(context, slots["at"]) and len(out) < _SUGGESTIONS:
            out += _said(context, suggestion.texts.get(lang, suggestion.texts["en"]), slots)
    return out


def _said(context: Context, source: str, slots: dict[str, str]) -> list[str]:
    """A suggestion in words; none where its template fails, which must not cost the answer."""
    try:
        return [context.renderer.text(source, slots)] if context.renderer else []
    except InvalidArgumentError as error:
        _log.warning("%s", error.message)
        return []


def _over(context: Context, at: str) -> bool:
    try:
        edges = periods.bounds(at) if at else None
    except ValueError:
        return False
    return edges is not None and edges[1] <= context.clock.now()
