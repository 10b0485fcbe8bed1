"""How English says what lies ahead."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.when import Bind, When

GO = r"(?:fly|travel|go|head|drive|take (?:a|the) (?:train|bus|flight|ferry|trip)|sail|be (?:off|jetting off|driving|sailing|taking (?:the|a) (?:train|ferry|bus|sleeper|night train|coach)|cycling|hiking|moving on|away|setting off|flying|going|heading|travelling|traveling|headed|bound)|be on (?:my|our) way|move on|leave|be (?:back )?in|stay|return|set off)"


def timed_by(frame: Frame, *binds: Bind) -> list[When]:
    """The times of a clause that bind it so; by default those of an occurrence."""
    wanted = binds or (Bind.AT, Bind.RANGE, Bind.BY)
    return [when for when in frame.clause.times if when.bind in wanted and when.future]


def lies_ahead(frame: Frame) -> bool:
    """A plan by its tense: will, going to, a progressive or a present with a time to come."""
    return (
        frame.intends
        or (frame.progressive and frame.tense != "past")
        or (frame.tense in ("present", "future") and bool(timed_by(frame)))
    )
