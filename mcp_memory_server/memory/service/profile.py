"""`get_profile`: what is known of the user, by section, and a text made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory import personal
from mcp_memory_server.memory import profile as domain
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.outline import outline_of
from mcp_memory_server.memory.ports import LedgerUnit, MemoryFilter
from mcp_memory_server.memory.service.budget import size
from mcp_memory_server.memory.service.context import Context, newest, views
from mcp_memory_server.memory.service.feedback import weighed
from mcp_memory_server.memory.service.summaries import recent_sessions
from mcp_memory_server.memory.service.triggers import firing_view
from mcp_memory_server.memory.signals import Firing
from mcp_memory_server.memory.upkeep import is_over
from mcp_memory_server.memory.view import JsonObject

_FACTS = 2_000  # current facts looked at
_SAID = 200  # newest utterances, and events, whose moods and words are looked at


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """The arguments of `get_profile`, absent ones None."""

    section: str = "all"
    max_chars: int = limits.MAX_CHARS_DEFAULT
    detail: str = "brief"
    take_results: bool = False  # show what came back for triggers: it is shown once


def get_profile(context: Context, principal: Principal, request: ProfileRequest) -> JsonObject:
    """The profile within `max_chars`: weakest facts go first. Raises InvalidArgumentError."""
    if request.section != "all" and request.section not in domain.SECTIONS:
        raise InvalidArgumentError(f"section: all, or one of {', '.join(domain.SECTIONS)}")
    results = _take_results(context, principal) if request.take_results else []
    with context.backend.store.read(principal.tenancy) as unit:
        facts = newest(unit, MemoryFilter(kinds=(Kind.FACT,), statuses=(Status.CURRENT,)), _FACTS)
        now = to_micros(context.clock.now())
        facts = [memory for memory in facts if not is_over(outline_of(memory), now, context.rules)]
        tallies = unit.tallies([memory.id for memory in facts])
        strengths = {memory.id: weighed(context, memory, tallies) for memory in facts}
        found = domain.sections(facts, strengths)
        said = newest(unit, MemoryFilter(kinds=(Kind.UTTERANCE,), statuses=(Status.CURRENT,)), _SAID)
        events = newest(unit, MemoryFilter(kinds=(Kind.EVENT,), statuses=(Status.CURRENT,)), _SAID)
        rules = personal.applied(context.prompt_rules, facts, said, context.clock.now(), events)
        known = personal.values(facts, context.bindings)
        if request.section != "all":
            found = [section for section in found if section.name == request.section]
        made = _Made(context, request, rules, known, results, recent_sessions(context, unit, _language(context, found)))
        answer = _answer(made, unit, found)
        while size(answer) > request.max_chars and any(section.memories for section in found):
            found = _weaker(found, strengths)
            answer = _answer(made, unit, found) | {"truncated": True}
        while size(answer) > request.max_chars and made.sessions:
            made.sessions.pop()
            answer = _answer(made, unit, found) | {"truncated": True}
    return answer


@dataclass(frozen=True, slots=True)
class _Made:
    """What an answer is made of besides its sections."""

    context: Context
    request: ProfileRequest
    rules: list[personal.Applied]
    values: dict[str, dict[str, str]]
    results: list[Firing]
    sessions: list[JsonObject]


def _take_results(context: Context, principal: Principal) -> list[Firing]:
    """Results that no profile has shown. Taken in a write of its own, so that of two profiles one shows them."""
    with context.backend.store.read(principal.tenancy) as unit:
        if not unit.results_waiting():
            return []
    with context.backend.store.write(principal.tenancy) as unit:
        taken = unit.take_results(context.clock.now())
        events = unit.get([firing.memory_id for firing in taken])
    return [firing for firing in taken if firing.memory_id in events and not events[firing.memory_id].hidden]


def _weaker(found: list[domain.Section], strengths: dict[str, float]) -> list[domain.Section]:
    """The sections without the weaker half of their memories, at least without the weakest one."""
    everything = sorted((m for s in found for m in s.memories), key=lambda m: (strengths[m.id], m.id))
    dropped = {memory.id for memory in everything[: max(1, len(everything) // 4)]}
    left = [domain.Section(s.name, tuple(m for m in s.memories if m.id not in dropped)) for s in found]
    return [section for section in left if section.memories]


def _answer(made: _Made, unit: LedgerUnit, found: list[domain.Section]) -> JsonObject:
    context, request = made.context, made.request
    questions, lang = unit.questions(), _language(context, found)
    answer: dict[str, Any] = {
        "sections": [
            {"name": section.name, "memories": views(context, unit, section.memories, request.detail)}
            for section in found
        ],
        "prompt": "\n".join(line for line in _prompt(made, found, lang) if line),
        "prompt_rules": [{"rule": item.rule.name, "memory_ids": list(item.memory_ids)} for item in made.rules],
        "values": made.values,
        "related": [],
        "open_questions": [
            {"id": q.id, "text": q.text, "memory_ids": list(q.memory_ids), "answers": list(q.answers)}
            for q in questions[:10]
        ],
        "recent_sessions": made.sessions,
        "trigger_results": [firing_view(firing) for firing in made.results],
    }
    return answer


def _prompt(made: _Made, found: list[domain.Section], lang: str) -> list[str]:
    """The facts, what came back for triggers, and the rules that hold.

    No summaries of sessions: a model that hands its prompt back as statements must find only what is known there.
    """
    more = {"trigger_results": [firing.result or "" for firing in made.results]}
    return [domain.prompt(found, lang, more), *personal.told(made.rules, lang)]


def _language(context: Context, found: list[domain.Section]) -> str:
    """The language of most of the facts, else that of the settings."""
    memories: list[Memory] = [memory for section in found for memory in section.memories]
    chinese = sum(memory.lang == "zh" for memory in memories)
    if not memories or 2 * chinese == len(memories):
        return context.language
    return "zh" if 2 * chinese > len(memories) else "en"
