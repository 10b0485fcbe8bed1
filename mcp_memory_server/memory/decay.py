"""Strength: how much a memory counts now. Computed when read, in closed form; nothing rewrites it.

strength = confidence x 0.5 ** (age / half-life) x 0.5 ** (what was said against it) x usefulness, and half
of what is left when nobody has read or repeated it for six months, or for its time to live. Moments are
microseconds UTC, spans of time are days.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mcp_memory_server.limits import UNREAD_DAYS
from mcp_memory_server.memory.micros import DAY, to_micros
from mcp_memory_server.memory.model import Category, Kind, Layer, Memory, Status
from mcp_memory_server.memory.outline import outline_of
from mcp_memory_server.memory.ports import Outline


@dataclass(frozen=True, slots=True)
class HalfLives:
    """How fast memories fade, in days, by category for facts; None: never.

    `occasions` is the half-life of events and utterances. `to_live` is how long a fact may go unused before
    the user is asked about it, `sensitive_to_live` the same for the predicates in `sensitive`. `layers` is the
    layer in which a fact of a category starts (else episodic), `stretch` what a layer does to the half-life.
    `appointments` are the predicates whose facts are over when the time spoken of is.
    """

    by_category: Mapping[str, float | None] = field(default_factory=dict)
    occasions: float | None = 30.0
    to_live: Mapping[str, float | None] = field(default_factory=dict)
    sensitive_to_live: float | None = None
    sensitive: frozenset[str] = frozenset()
    layers: Mapping[str, Layer] = field(default_factory=dict)
    stretch: Mapping[str, float] = field(default_factory=dict)
    appointments: frozenset[str] = frozenset()

    def of(self, kind: str, category: str, layer: str = Layer.EPISODIC) -> float | None:
        """The half-life in days of a memory of this kind, category and layer."""
        days = self.by_category.get(category) if kind == Kind.FACT else self.occasions
        return None if days is None else days * self.stretch.get(layer, 1.0)

    def unused(self, one: Outline) -> float | None:
        """Days that a fact may go unused; None: for ever, as all that is no fact."""
        if one.kind != Kind.FACT:
            return None
        return self.sensitive_to_live if one.predicate in self.sensitive else self.to_live.get(one.category)

    @property
    def shortest_unused(self) -> float:
        """The fewest days that any fact may go unused; infinite where each may for ever."""
        given = (*self.to_live.values(), self.sensitive_to_live)
        return min((days for days in given if days is not None), default=math.inf)

    def layer(self, category: Category) -> Layer:
        """The layer in which a fact of this category starts."""
        return self.layers.get(category, Layer.EPISODIC)


def faded(confidence: float, days: float | None, age: int) -> float:
    """confidence x 0.5 ** (age / half-life), from 0 to 1; `age` in microseconds."""
    return confidence if days is None else float(confidence * 0.5 ** (max(0, age) / DAY / days))


def supported(one: Outline) -> int:
    """The later of the last support and the recording: what age counts from."""
    return max(one.recorded_at, one.supported_at or one.recorded_at)


def last_sign(one: Outline) -> int:
    """When a memory was last supported, recorded or read."""
    return max(supported(one), one.read_at or one.recorded_at)


def stale_at(one: Outline, half_lives: HalfLives) -> int | None:
    """When a fact has gone unused for its time to live; None: never."""
    days = half_lives.unused(one)
    return None if days is None else last_sign(one) + round(days * DAY)


def _halvings(one: Outline, half_lives: HalfLives) -> list[int]:
    """The moments at which what is left is halved, earliest first; what never fades has none."""
    if half_lives.of(one.kind, one.category, one.layer) is None:
        return []
    stale = stale_at(one, half_lives)
    return sorted([last_sign(one) + UNREAD_DAYS * DAY, *([stale] if stale is not None else [])])


def _base(one: Outline, usefulness: float) -> float:
    """Confidence, halved where something stands against the memory, times its usefulness."""
    against = one.status in (Status.DISPUTED, Status.SUPERSEDED)
    return one.confidence * (0.5 if against else 1.0) * usefulness


def outline_strength(one: Outline, now: int, half_lives: HalfLives, usefulness: float = 1.0) -> float:
    """The strength of a memory at `now`, in microseconds; `usefulness` within [0.5, 1.5]."""
    days = half_lives.of(one.kind, one.category, one.layer)
    left = faded(_base(one, usefulness), days, now - supported(one))
    if days is None:
        return left
    return left * 0.5 ** sum(moment <= now for moment in _halvings(one, half_lives))


def outline_strengths(outlines: Iterable[Outline], now: int, half_lives: HalfLives) -> dict[str, float]:
    """The same of many memories by id; what is unread by now is looked at one by one."""
    days: dict[tuple[str, str, str], float | None] = {}
    unread = now - min(UNREAD_DAYS, half_lives.shortest_unused) * DAY
    out = {}
    for one in outlines:
        like = (one.kind, one.category, one.layer)
        if like not in days:
            days[like] = half_lives.of(*like)
        since = supported(one)
        if since <= unread:
            out[one.id] = outline_strength(one, now, half_lives)
        else:
            out[one.id] = faded(_base(one, 1.0), days[like], now - since)
    return out


def strength(memory: Memory, now: datetime, half_lives: HalfLives, usefulness: float = 1.0) -> float:
    """The same of a whole memory."""
    return outline_strength(outline_of(memory), to_micros(now), half_lives, usefulness)


def falls_below(one: Outline, floor: float, half_lives: HalfLives, usefulness: float = 1.0) -> int | None:
    """The first moment at which the strength of a memory is no more than `floor`; None: never.

    Between two halvings strength falls steadily, so the first of the moments at which each stretch of the
    curve reaches the floor is the one.
    """
    days = half_lives.of(one.kind, one.category, one.layer)
    if days is None or floor <= 0:
        return None
    born, base = supported(one), _base(one, usefulness)
    moments = []
    for halved, begins in enumerate([born, *_halvings(one, half_lives)]):
        left = base * 0.5**halved
        reached = born + (math.ceil(days * DAY * math.log2(left / floor)) if left > floor else 0)
        moments.append(max(begins, reached))
    return min(moments)
