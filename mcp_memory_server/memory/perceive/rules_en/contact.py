"""English rules: telephone numbers and e-mail addresses, which the guard has masked."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, draft

_THING = r"(?:number|phone|cell(?:phone)?|mobile|landline|line|e-?mail|address|inbox|contact)"
# What says that a number or address is the speaker's own.
_MINE = re.compile(
    rf"\b(?:my|our)(?: \w+){{0,3}} {_THING}\b|\bhere(?:'s| is) my\b|\b(?:reach|call|text|ring|contact|phone|e-?mail|mail|message|whatsapp|write(?: to)?|get(?: hold of)?|find|drop|ping) (?:me|us)\b"
    rf"|\bi(?:'m| am| can be)(?: \w+)? (?:on|at|reachable|reached)\b|\bis (?:mine|me)\b|\b{_THING} (?:for|to reach) me\b|^\s*(?:new |work |private |home )*(?:mobile|cell|phone|e-?mail)(?: number| address)?\s*:",
    re.IGNORECASE,
)


def contacts(frame: Frame, context: Context) -> Iterator[Draft]:
    """The placeholder of a number or address that somebody is reached at."""
    text = frame.clause.text
    if frame.clause.blocked:
        return
    for match in patterns.finditer(r"\[(?P<kind>phone|email) \d+\]", text):
        if patterns.search(
            r"\b(?:not|isn't|wasn't|rather than|instead of|no longer)(?: \w+)?\s*$", text[: match.start()]
        ):
            continue
        subject = _owner(frame, context)
        if subject:
            yield draft(
                frame, match["kind"], text_value(f"[{match['kind']}]"), subject=subject, negative=False, timeless=True
            )
            return


def _owner(frame: Frame, context: Context) -> str:
    roles = context.vocabulary.mapping("en", "roles")
    other = patterns.search(
        rf"(?:\b(?:my|our) )?\b(?P<r>(?!(?:that|it|here|what|there)\b)[\w\-]+)['’]s (?:\w+ ){{0,2}}?{_THING}\b",
        context.sentence,
        re.IGNORECASE,
    )
    if other:
        role = roles.get(other["r"].lower(), "")
        return f"user.{role}" if role else ""
    return USER if _MINE.search(context.sentence) or (frame.path == USER and frame.verb == "be") else ""


RULES = (contacts,)
