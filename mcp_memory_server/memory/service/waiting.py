"""What is committed but not yet in a text index outside the ledger: recall finds it all the same."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_memory_server.limits import WAITING_SEARCHED
from mcp_memory_server.memory.indexing import is_indexed, text_document
from mcp_memory_server.memory.ports import Hit, LedgerUnit, TextIndex


def with_waiting(index: TextIndex, unit: LedgerUnit, tokens: Sequence[str], hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits of a text index, and of what still waits for it the memories that hold any of the tokens.

    One that holds all of them counts as the best hit does, one that holds some accordingly less. A hit on
    words that a memory no longer holds is dropped.
    """
    if index.transactional or not tokens:
        return hits
    waiting = unit.deferred(index.name)
    if not waiting:
        return hits
    wanted, best = set(tokens), max((hit.score for hit in hits), default=1.0)
    fresh = []
    for memory in unit.get(waiting[-WAITING_SEARCHED:]).values():
        held = len(wanted & set(text_document(memory).tokens)) if is_indexed(memory) else 0
        if held:
            fresh.append(Hit(memory.id, best * held / len(wanted)))
    late = set(waiting)
    kept = [hit for hit in hits if hit.memory_id not in late]
    return tuple(sorted([*fresh, *kept], key=lambda hit: -hit.score))
