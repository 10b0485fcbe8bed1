"""Usefulness: how much verdicts on a memory raise or lower what it counts for. Bounded, whatever comes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_memory_server.memory.signals import Tally

LOWEST, HIGHEST = 0.5, 1.5  # usefulness; design section 5
_NEUTRAL = (LOWEST + HIGHEST) / 2


@dataclass(frozen=True, slots=True)
class FeedbackWeights:
    """What one verdict counts, and `steadiness`: how much has to come together to go half the way to a bound."""

    used: float = 1.0
    not_needed: float = -0.5
    wrong: float = -2.0
    steadiness: float = 2.0

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> FeedbackWeights:
        """The table `[feedback]` of the policy. Raises ValueError naming the field."""
        names = tuple(cls.__dataclass_fields__)
        for name, value in table.items():
            if name not in names:
                raise ValueError(f"feedback.{name}: unknown; known are {', '.join(names)}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"feedback.{name}: must be a number")
        weights = cls(**{name: float(value) for name, value in table.items()})
        if weights.used < 0 or weights.not_needed > 0 or weights.wrong > 0 or weights.steadiness <= 0:
            raise ValueError("feedback: used is at least 0, not_needed and wrong at most 0, steadiness above 0")
        return weights


def usefulness(tally: Tally | None, weights: FeedbackWeights) -> float:
    """From 0.5 (never right) over 1 (nothing said) to 1.5 (always used); the order of the verdicts is no matter."""
    if tally is None:
        return _NEUTRAL
    weight = tally.used * weights.used + tally.not_needed * weights.not_needed + tally.wrong * weights.wrong
    return _NEUTRAL + (HIGHEST - _NEUTRAL) * weight / (abs(weight) + weights.steadiness)
