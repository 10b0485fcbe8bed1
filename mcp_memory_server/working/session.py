"""The working memory of one session as pure values: which memories it holds, least recently used first.

It holds ids only, so that a memory that is forgotten is nowhere else, and nothing is lost when it is cleared.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from mcp_memory_server.limits import SESSION_IDLE_HOURS, WORKING_ITEMS, WORKING_TEXT_CHARS
from mcp_memory_server.memory.model import Category, Kind, Memory, Source, Speaker


def used(held: Sequence[str], now_used: Sequence[str]) -> tuple[str, ...]:
    """What is held after some memories were used: these last, and of the others the most recent that have room."""
    latest = list(dict.fromkeys(now_used))
    others = [one for one in held if one not in set(latest)]
    return tuple([*others, *latest][-WORKING_ITEMS:])


def is_held(memory: Memory) -> bool:
    """Whether a memory belongs into working memory: a mood that was inferred from words does not."""
    inferred = memory.source is Source.RULE and memory.kind is Kind.FACT
    return not (inferred and memory.category is Category.EMOTION)


def is_reference(memory: Memory) -> bool:
    """Whether only a reference is shown: a long text of the assistant is read where it is kept."""
    return memory.speaker is Speaker.ASSISTANT and len(memory.statement) > WORKING_TEXT_CHARS


def has_ended(last_at: datetime, now: datetime) -> bool:
    """Whether a session has been idle for so long that it is over."""
    return now - last_at > timedelta(hours=SESSION_IDLE_HOURS)
