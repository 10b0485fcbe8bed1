"""English rules: where a journey begins and ends, and the class that is travelled in."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, draft, good_object, is_proper, place

_TRAVEL = re.compile(
    r"\b(?:train|trains|flight|flights|bus|buses|coach|ferry|ferries|tickets?|seats?|journey|trip|route|ride|connection|fly|flying|travel|travell?ing|drive|driving|sail|sailing|depart|departing|departs|go|going)\b",
    re.IGNORECASE,
)
_NAME = r"[A-Z\u00c0-\u00de][\w'’\-]*(?: (?:de |del |da |of )?[A-Z\u00c0-\u00de][\w'’\-]*){0,3}"
_ROUTE = re.compile(rf"\bfrom (?P<a>{_NAME})(?: [a-z]+ station| airport)? to (?P<b>{_NAME})")
# What was booked lies ahead, although the booking is past.
_BOOKED = re.compile(
    r"\b(?:booked|reserved|bought|got)\b.*?\b(?:tickets?|seats?|train|flight|bus|coach|ferry)\b", re.IGNORECASE
)
_NO_PLACE = re.compile(
    r"(?:I|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|English|French|German|Spanish|Chinese)\b"
)


def route(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "A train from Leeds to Aberdeen", "we fly out of Changi", "it gets into Crewe at six"."""
    text = frame.clause.text
    if frame.clause.blocked not in ("", "question") or frame.negative or (frame.path not in ("", USER)):
        return
    if frame.past and not _BOOKED.search(text):
        return
    both = _ROUTE.search(text)
    if both and _TRAVEL.search(text) and not _NO_PLACE.match(both["a"]) and not _NO_PLACE.match(both["b"]):
        yield from _ends(frame, both["a"], both["b"])
        return
    start = patterns.match(
        r"(?:depart|leave|set off|set out|sail|start)(?: out)? from (?P<o>[A-Z].+)|fly (?:out of|from) (?P<p>[A-Z].+)",
        frame.rest,
    )
    end = patterns.match(
        r"(?:get|pull|come) into? (?P<o>[A-Z].+)|(?:arrive|land)(?: back)? (?:in|at) (?P<p>[A-Z].+)", frame.rest
    )
    about_journey = _TRAVEL.search(context.sentence)
    if (found := start or end) and about_journey and not frame.clause.blocked:
        where = place(found["o"] or found["p"])
        yield from _ends(frame, where if start else "", where if end else "")


def _ends(frame: Frame, start: str, end: str) -> Iterator[Draft]:
    for predicate, where in (("departs_from", start), ("arrives_at", end)):
        if where and is_proper(where) and good_object(where):
            yield draft(frame, predicate, text_value(where, entity=True), subject=USER, negative=False, timeless=True)


_CLASS = re.compile(
    r"\b(?P<o>(?:first|second|third|business|economy|premium economy|standard|coach) class|premium economy)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:fly|travel|go|book|upgraded? to|seats? in|tickets? in)(?:ing)? (?P<o>economy|business|coach|first)\b(?! (?:trip|hours?|time|to|thing))",
    re.IGNORECASE,
)


def seat(frame: Frame, context: Context) -> Iterator[Draft]:
    """The class of a seat, where the words are about a journey."""
    if frame.clause.blocked not in ("", "question") or frame.negative or frame.path not in ("", USER):
        return
    match = _BARE.search(frame.clause.text)
    if match is None and (_TRAVEL.search(context.sentence) or patterns.search(r"(?i)\bupgraded?\b", frame.clause.text)):
        match = _CLASS.search(frame.clause.text)
    if match:
        yield draft(frame, "seat_class", text_value(match["o"].lower()), subject=USER, negative=False, timeless=True)


RULES = (route, seat)
"""Read in requests too: they are the slots of a booking."""
