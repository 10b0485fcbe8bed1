"""What time does to a memory: promoted, over, asked about, archived. Pure decisions on outlines.

Each decision names the moment at which it fell due, which does not depend on when anybody looks. So a run
of `maintain` that is late, or that is repeated, comes to the same result as one that was in time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone

from mcp_memory_server import limits
from mcp_memory_server.memory import periods
from mcp_memory_server.memory.decay import HalfLives, falls_below, stale_at, supported
from mcp_memory_server.memory.micros import DAY, to_micros
from mcp_memory_server.memory.model import Category, EventType, Kind, Layer, Status
from mcp_memory_server.memory.ports import Outline

IDLE_TALK = frozenset({EventType.GREETING.value, EventType.SMALL_TALK.value})
_OPEN = (Status.CURRENT, Status.PENDING)
ARCHIVED, EXPIRED, ASKED, CLOSED = "archived", "expired", "asked", "closed"


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy as far as upkeep needs it; `single` are the predicates with one value at a time."""

    half_lives: HalfLives
    single: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """What is due for one memory, and since when (microseconds); `why` says by which rule."""

    moment: int
    action: str
    outline: Outline
    why: str


def ends_at(one: Outline, rules: Rules) -> int | None:
    """When what a memory tells is over, where the end lay ahead when it was told; None: no such end.

    What was told as past (`until 2015`) stays true. Of a time spoken of, only that of an appointment is an end.
    """
    if one.kind == Kind.UTTERANCE:
        return None
    appointment = one.event_type == EventType.APPOINTMENT or one.predicate in rules.half_lives.appointments
    ends = [text for text in (one.valid_to, one.at if appointment else None) if text]
    moments = [moment for text in ends if (moment := _end(text, one.said_offset)) is not None]
    return min((moment for moment in moments if moment > one.said_at), default=None)


def _end(text: str, offset: int) -> int | None:
    """The moment after the last that a time covers, in the zone in which it was said."""
    try:
        edges = periods.bounds(text, timezone(timedelta(minutes=offset)))
    except (ValueError, OverflowError):
        return None
    return to_micros(edges[1]) if edges else None


def archived_at(one: Outline, rules: Rules) -> tuple[int, str] | None:
    """When a memory has faded so far that it leaves the hot store, and by which rule; None: never.

    A fact with one value at a time ends by the next value or by its stated end, never by age.
    """
    if one.kind == Kind.FACT and one.category != Category.EMOTION:
        if one.predicate in rules.single:
            return None
        faded = falls_below(one, limits.GONE_STRENGTH, rules.half_lives)
        return None if faded is None else (max(faded, supported(one) + limits.GONE_DAYS * DAY), "faded")
    faded = falls_below(one, limits.FADED_STRENGTH, rules.half_lives)
    if one.event_type in IDLE_TALK:
        idle = supported(one) + limits.IDLE_TALK_DAYS * DAY
        if faded is None or idle < faded:
            return idle, "small_talk"
    return None if faded is None else (faded, "faded")


def fate(one: Outline, rules: Rules) -> Step | None:
    """How a memory that stands will leave it by time alone: over or archived, whichever is first."""
    if one.status not in _OPEN:
        return None
    steps = []
    if (ends := ends_at(one, rules)) is not None and one.status == Status.CURRENT:
        steps.append(Step(ends, EXPIRED, one, "over"))
    if (gone := archived_at(one, rules)) is not None:
        steps.append(Step(gone[0], ARCHIVED, one, gone[1]))
    return min(steps, key=lambda step: step.moment, default=None)


def is_over(one: Outline, now: int, rules: Rules) -> bool:
    """Whether time has ended or faded a memory by `now`, in microseconds, whether or not `maintain` has run."""
    found = fate(one, rules)
    return found is not None and found.moment <= now


def has_ended(one: Outline, now: int, rules: Rules) -> bool:
    """Whether what a current memory tells is over by `now`, in microseconds."""
    if one.status != Status.CURRENT or not (one.valid_to or one.at):
        return False
    ends = ends_at(one, rules)
    return ends is not None and ends <= now


def idle_utterances(outlines: Iterable[Outline], resting: Sequence[tuple[str, Outline]]) -> list[Step]:
    """Utterances from which nothing is known but greetings and small talk: archived like those."""
    known: dict[str, list[bool]] = {}
    for utterance_id, one in resting:
        known.setdefault(utterance_id, []).append(one.kind == Kind.EVENT and one.event_type in IDLE_TALK)
    return [
        Step(supported(one) + limits.IDLE_TALK_DAYS * DAY, ARCHIVED, one, "small_talk")
        for one in outlines
        if one.status in _OPEN and known.get(one.id) and all(known[one.id])
    ]


def crowded_out(events: Iterable[Outline]) -> list[Step]:
    """Events beyond the newest `EVENTS_PER_USER`, each since the moment at which it became one too many.

    Archived and expired events keep their place in the order: so it does not matter which went first.
    """
    counted = [one for one in events if one.status in (*_OPEN, Status.ARCHIVED, Status.EXPIRED)]
    newest = sorted(counted, key=lambda one: (supported(one), one.id), reverse=True)
    return [
        Step(supported(newest[place - limits.EVENTS_PER_USER]), ARCHIVED, one, "too_many")
        for place, one in enumerate(newest)
        if place >= limits.EVENTS_PER_USER and one.status in _OPEN
    ]


def promoted(layer: Layer, mentions: int, confirmed: bool) -> Layer:
    """The layer after so many mentions by the user, and perhaps a confirmation."""
    enough = mentions >= limits.PROMOTION_MENTIONS
    if layer is Layer.WORKING and (enough or confirmed):
        layer = Layer.EPISODIC
    return Layer.SEMANTIC if layer is Layer.EPISODIC and enough and confirmed else layer


def agenda(
    steps: Iterable[Step], facts: Iterable[Outline], asked: Mapping[str, str], now: int, rules: Rules
) -> list[Step]:
    """Everything that is due by `now`, in the order in which it fell due.

    `steps` are fates and what the other rules of this module found. `facts` may go stale: the user is then
    asked whether they still hold, about at most `STALE_QUESTIONS` of them at a time, the longest waiting first.
    `asked` maps a memory with such a question to the question's id. A question goes with its memory.
    """
    first: dict[str, Step] = {}
    for step in steps:
        if step.moment <= now and (step.outline.id not in first or step.moment < first[step.outline.id].moment):
            first[step.outline.id] = step
    waiting = [
        Step(moment, ASKED, one, "unused")
        for one in facts
        if one.kind == Kind.FACT and one.status == Status.CURRENT and not one.hidden and one.id not in asked
        if (moment := stale_at(one, rules.half_lives)) is not None and moment <= now
    ]
    waiting = [step for step in waiting if step.outline.id not in first or step.moment < first[step.outline.id].moment]
    waiting.sort(key=_order)
    out: list[Step] = []
    held = set(asked)
    queue: list[Step] = []
    for step in sorted([*first.values(), *waiting], key=_order):
        if step.action == ASKED:
            queue.append(step)
        else:
            out.append(step)
            queue = [one for one in queue if one.outline.id != step.outline.id]
            if step.outline.id in held:
                held.discard(step.outline.id)
                out.append(Step(step.moment, CLOSED, step.outline, step.why))
        while queue and len(held) < limits.STALE_QUESTIONS:
            one = queue.pop(0)
            held.add(one.outline.id)
            out.append(Step(max(one.moment, step.moment), ASKED, one.outline, one.why))
    return out


def _order(step: Step) -> tuple[int, str]:
    return step.moment, step.outline.id
