"""Facts in the making, and how the times of a clause bind them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_memory_server.memory.model import (
    CandidateFact,
    Category,
    Change,
    Polarity,
    Span,
    Validity,
    Value,
    ValueType,
)
from mcp_memory_server.memory.perceive.source import Clause
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.vocabulary import Predicate, Vocabulary


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact that a rule read from a clause, before times are bound to it.

    `past` says which reading of a time fits; `timeless` keeps the times of the clause away;
    `ends` marks a state that is over, `begins` one that has begun.
    """

    subject: str
    predicate: str
    value: Value
    clause: Clause
    negative: bool = False
    past: bool = False
    ends: bool = False
    begins: bool = False
    timeless: bool = False
    change: Change = Change.NONE
    times: tuple[When, ...] | None = None


def text_value(text: str, *, entity: bool = False, scope: str | None = None) -> Value:
    """A value in the words used."""
    return Value(ValueType.ENTITY if entity else ValueType.TEXT, text, scope=scope or None)


def finish(draft: Draft, vocabulary: Vocabulary) -> CandidateFact | None:
    """The candidate fact of a draft; None for a predicate that the vocabulary does not have."""
    predicate = vocabulary.get(draft.predicate)
    if predicate is None:
        return None
    value = draft.value
    if value.type in (ValueType.TEXT, ValueType.ENTITY) and value.type not in predicate.object_types:
        other = [kind for kind in predicate.object_types if kind in (ValueType.TEXT, ValueType.ENTITY)]
        value = replace(value, type=other[0]) if other else value
    validity = Validity() if draft.timeless else bind(draft, predicate)
    change = draft.change
    if change is Change.NONE and draft.ends and draft.negative:
        change = Change.ENDED
    return CandidateFact(
        subject=draft.subject,
        predicate=draft.predicate,
        object=value,
        span=Span(draft.clause.start, draft.clause.end),
        polarity=Polarity.NEGATIVE if draft.negative else Polarity.POSITIVE,
        category=predicate.category if predicate else Category.OTHER,
        validity=validity,
        change=change,
    )


def bind(draft: Draft, predicate: Predicate) -> Validity:
    """The times of a fact from those of its clause."""
    at = start = end = None
    times = draft.clause.times if draft.times is None else draft.times
    if predicate.occurrence and not times:
        times = [when for when in draft.clause.inherited if _fits(when, draft)]
    for when in times:
        over = draft.past or (draft.negative and draft.ends)
        # "since January" is the last one, "until Sunday" the next.
        value = when.value(past=(over and when.bind is not Bind.UNTIL) or when.bind is Bind.SINCE)
        if not value:
            continue
        if when.bind is Bind.RANGE:
            at, end = at or value, end or when.until
        elif when.bind is Bind.UNTIL:
            end = end or value
        elif when.bind in (Bind.SINCE, Bind.LASTING):
            start = start or value
        elif when.bind is Bind.AT or (when.bind is Bind.BY and predicate.occurrence):
            at = at or value
        elif when.bind is Bind.BY:
            end = end or value
    if predicate.occurrence:
        return Validity(valid_to=end, at=at or start)
    return _state(draft, at, start, end)


def _fits(when: When, draft: Draft) -> bool:
    """A time that the clause before hands on says nothing of what lies on the other side of today."""
    day = when.value(past=draft.past)[:10]
    today = draft.clause.today[: len(day)]
    return day <= today if draft.past else day >= today


def _state(draft: Draft, at: str | None, start: str | None, end: str | None) -> Validity:
    if draft.negative and draft.ends:
        return Validity(valid_from=start or at or end)
    if start or draft.begins:
        return Validity(valid_from=start or at, valid_to=end)
    if at and end:
        return Validity(valid_from=at, valid_to=end)
    if at and draft.past:
        first, _, last = at.partition("/")
        return Validity(valid_from=first, valid_to=last or first)
    return Validity(valid_to=end)
