"""How much of an utterance is understood: the share of its letters that facts and events lie on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcp_memory_server.memory.model import Span
from mcp_memory_server.memory.perceive.outline import Unit


def coverage(units: Sequence[Unit], spans: Iterable[Span]) -> float:
    """The share (0 to 1) of the clauses that state something which `spans` cover, by letters and digits.

    Questions, wishes, quotations and the like state nothing: they do not count. Where nothing is stated, there is
    nothing left to understand, and the share is 1.
    """
    found = [range(span.start, span.end) for span in spans]
    total = known = 0
    for unit in units:
        if unit.blocked:
            continue
        for position, char in enumerate(unit.text, unit.start):
            if char.isalnum():
                total += 1
                known += any(position in one for one in found)
    return known / total if total else 1.0
