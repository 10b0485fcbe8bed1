"""Does a statement follow from what was said?

Weaker is allowed, stronger is not: every number, time, name, person and word of strength in the
statement must be in the words said, in the clause that supports it, with the same polarity and mood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mcp_memory_server.memory import binding, support, support_ends, support_values, support_words
from mcp_memory_server.memory.claim import other_claim
from mcp_memory_server.memory.model import Grounding, Said, Span, Speaker
from mcp_memory_server.memory.perceive.outline import Unit, outline
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import key
from mcp_memory_server.memory.vocabulary import Vocabulary

# "Zofia, the user's niece, attends …": the user's niece Zofia attends.
_APPOSED = (
    r"^(?P<name>[A-Z][\w'’\-]+(?: [A-Z][\w'’\-]+)?), (?:who is )?"
    r"(?:the user['’]s (?P<role>[a-z\-]+(?: [a-z\-]+)?)"
    r"|(?:an?|the|one) (?P<role2>[a-z\-]+(?: [a-z\-]+)?) of the user(?:['’]s)?), "
)


def _unapposed(match: re.Match[str]) -> str:
    return f"The user's {match['role'] or match['role2']} {match['name']} "


@dataclass(frozen=True)
class Case:
    """A statement beside what was said."""

    statement: list[Unit]
    said: list[Unit]
    chosen: list[Unit]  # the clauses of `said` that support it best
    vocabulary: Vocabulary
    cross: bool  # they are in different languages


def ground(statement: str, said: Said, vocabulary: Vocabulary) -> Grounding:
    """Whether `statement` follows from `said`; the span is that of the supporting clauses."""
    if not statement.strip() or not said.text.strip():
        return Grounding(False, "nothing was said")
    if key(statement) == key(said.text) and said.speaker is Speaker.USER:
        return Grounding(True, "the words as said", Span(0, len(said.text)))
    have = outline(said.text, said.said_at, said.time_zone, vocabulary)
    statement = rx(_APPOSED).sub(_unapposed, statement, count=1)
    want = outline(statement, said.said_at, said.time_zone, vocabulary, statement=True)
    if not have or not want:
        return Grounding(False, "it was not said")
    if said.speaker is Speaker.ASSISTANT and any(unit.subject.startswith("user") for unit in want):
        return Grounding(False, "the assistant said it, not the user")
    cross = {unit.lang for unit in want}.isdisjoint({unit.lang for unit in have})
    chosen = support.choose(want, have, vocabulary, cross=cross)
    case = Case(want, have, chosen, vocabulary, cross)
    for check in _CHECKS:
        reason = check(case)
        if reason:
            return Grounding(False, reason)
    other = other_claim(statement, said, vocabulary)
    if other:
        return Grounding(False, other)
    return Grounding(True, "", Span(chosen[0].start, chosen[-1].end))


def _speaker_mood(case: Case) -> str:
    wanted = {unit.blocked for unit in case.statement}
    for unit in case.chosen:
        if not unit.blocked or unit.blocked in wanted:
            continue
        if unit.blocked == "hearsay" and support.reports(case.statement):
            continue
        if unit.blocked in ("hedge", "wish") and support.softened(case.statement, unit.blocked):
            continue
        if unit.blocked == "condition" and support.conditional(case.statement):
            continue
        if unit.blocked == "question" and support.asks(case.statement):
            continue
        return {"question": "it was asked, not said", "hearsay": "it was reported, not said as a fact"}.get(
            unit.blocked, f"it was said only as a {unit.blocked}"
        )
    return ""


def _numbers(case: Case) -> str:
    missing = support_values.missing_number(case.statement, case.said, case.chosen)
    return f"the number {missing} was not said" if missing else ""


def _times(case: Case) -> str:
    missing = support_values.missing_time(case.statement, case.said, case.chosen)
    return f"the time {missing} was not said" if missing else ""


def _persons(case: Case) -> str:
    return support.other_person(case.statement, case.said, case.chosen, case.vocabulary)


def _polarity(case: Case) -> str:
    supposed = support.conditional(case.said) or any(unit.blocked == "condition" for unit in case.chosen)
    if support.conditional(case.statement) and supposed:
        # The condition may be denied as well: unless, if not. Both together must agree.
        opposite = support.denials(case.statement) != support.denials(case.said)
    else:
        opposite = support.negated(case.statement) != support.negated(case.chosen)
    if opposite and not support_ends.ended_so(case.statement, case.chosen):
        return "the opposite was said"
    return ""


def _bound(case: Case) -> str:
    if inner := support_ends.said_inside(case.statement, case.said):
        return f"{inner} was said of another"
    who = binding.of_another(case.statement, case.chosen, case.vocabulary)
    if who:
        return f"it was said of {who}"
    return "" if case.cross else binding.torn(case.statement, case.said, case.vocabulary)


def _tense(case: Case) -> str:
    if support_ends.used_to(case.chosen) and not support_ends.says_over(case.statement):
        return "it was said of the past"
    over = any(unit.past for unit in case.chosen) or support.was(case.statement, case.chosen, case.said)
    if over and not support.tells_past(case.statement):
        return "it was said of the past"
    if (
        any(unit.plans or support.wished(unit) for unit in case.chosen)
        and not any(unit.plans for unit in case.statement)
        and not support.tells_plan(case.statement)
        and not any(unit.times for unit in case.statement)  # compared already; one ahead tells of a plan by itself
    ):
        return "it was said as a plan"
    return ""


def _strength(case: Case) -> str:
    stronger = support.stronger_word(case.statement, case.said) or support_ends.beyond(case.statement, case.chosen)
    return f"{stronger!r} says more than was said" if stronger else ""


def _words(case: Case) -> str:
    missing = support_words.missing_words(case.statement, case.said, case.vocabulary, cross=case.cross)
    return f"{missing!r} was not said" if missing else ""


_CHECKS: tuple[Callable[[Case], str], ...] = (
    _speaker_mood,
    _numbers,
    _times,
    _persons,
    _polarity,
    _bound,
    _tense,
    _strength,
    _words,
)
