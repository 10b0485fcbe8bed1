"""English rules: a change of shift, post, team or course at a stated time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object

TRIGGER = r"\bto\b"
# What is changed to decides: a move to a place is a home, a switch to a product a tool.
_CHANGE = (
    r"\b(?P<o>(?:changed|switched|moved|transferred|shifted|swapped|rotated)(?: over| back| across| up| down)?"
    r" (?:from [\w ]{2,30}? )?to (?:the |a |an |another |my |our |their )?(?:new |other |different )?(?:[\w\-]+ ){0,2}?"
    r"(?:shifts?|rota|schedule|hours|department|division|team|branch|unit|ward|role|position|post|desk|class|course"
    r"|track|stream|programme|program|part[- ]time|full[- ]time|half[- ]days))\b"
)


def changes(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I changed to the night shift last week", "she was transferred to another team in May"."""
    if not (frame.clause.times and frame.path and frame.past) or frame.negative or frame.clause.blocked:
        return
    match = patterns.search(_CHANGE, frame.clause.text, re.IGNORECASE)
    if match and good_object(name := clean(match["o"])):
        yield draft(frame, "has_event", text_value(name), past=True)


RULES = (changes,)
