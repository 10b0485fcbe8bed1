"""English rules: occurrences that are known by their date, whatever they are called ("the leaving do is on Friday")."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.ahead import timed_by
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object
from mcp_memory_server.memory.perceive.when import Bind

_OWN = re.compile(r"(?:my|our|his|her|their) (?P<o>(?:[\w’'\-]+ ){0,3}?[\w’'\-]+)", re.IGNORECASE)
# "The vet is on Monday": who sees one by appointment stands for the appointment.
_GIVER = re.compile(r"(?:my|our|the) (?P<o>[a-z]+)(?: appointment)?", re.IGNORECASE)
_MOVED = re.compile(
    r"(?:be|get) (?:now |just )?(?:moved|rescheduled|postponed|pushed(?: back)?|brought forward|changed|put (?:back|off)|shifted|delayed|rebooked)\b"
)
_SET = re.compile(
    r"be (?:now |all |already )?(?:scheduled|set|fixed|planned|down|pencilled in|penciled in|slated|arranged|lined up)\b"
)
# What is left of the predicate when its date is taken out.
_DATED = re.compile(
    r"be(?: on| at| from| set for| in)?|(?:fall|land) on|(?:start|begin|kick off|take place)(?: on| at)?|come up"
)
_NO_EVENT = re.compile(
    r"(?i)\b(?:birthday|name|deadline|date|off|leave|holiday|vacation|turn|flight|train|bus|ferry|birth|day|money|rent|salary|period|address|number|lease|passport|visa|contract|licen[cs]e|insurance|term|shift|sister|brother|alarm|anniversary|chance|way|lot|limit|discount|sale|risk|problem|reason|need|storms?|full moon|delay|queue|fee|charge|cap|meeting room)$|\b(?:trip|flight|visit|journey) to "
)
_THERE = re.compile(
    r"be (?:an? |another |my |our |this )(?P<o>(?:[\w’'\-]+ ){0,3}?[\w’'\-]+?)(?:\s+(?:at|in|on|with|for|of|about|coming up|planned|scheduled)\b.*)?$"
)


def appointed(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "My hip replacement is scheduled for 9 June", "there's a school concert tomorrow at six"."""
    if frame.negative or frame.would or frame.imperative or frame.obliged:
        return
    if not timed_by(frame):
        yield from _moved_to(frame, context)
        return
    rest, moved = frame.rest.strip(" .!"), None
    ahead = frame.tense in ("present", "future")
    found = _THERE.match(rest) if frame.thing == "there" and ahead else None
    if frame.thing != "there":
        own = _OWN.fullmatch(frame.thing or "")
        if own is None and (giver := _GIVER.fullmatch(frame.thing or "")):
            own = (
                giver
                if context.has("occupations", giver["o"].lower()) or giver["o"].lower() in ("gp", "doctor")
                else None
            )
        found = (
            own
            if own and (_SET.match(rest) or (moved := _MOVED.match(rest)) or (ahead and _DATED.fullmatch(rest)))
            else None
        )
    if found is None or _NO_EVENT.search(found["o"]) or not good_object(clean(found["o"])):
        return
    if frame.thing != "there" and patterns.search(rf"(?i)\b(?:{context.words('events')})\b", found["o"]):
        return  # an event by its name
    yield draft(
        frame,
        "has_event",
        text_value(clean(found["o"])),
        subject=frame.path or USER,
        past=False,
        change=Change.CHANGED if moved else Change.NONE,
    )


def _moved_to(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The vet has been moved, it's Monday at four now": the time stands in a clause that is nothing else."""
    own = _OWN.fullmatch(frame.thing or "") or _GIVER.fullmatch(frame.thing or "")
    name = clean(own["o"]) if own else ""
    times = tuple(when for when in frame.clause.sentence_times if when.bind is Bind.AT and when.future)
    known = name and (
        context.has("occupations", name.lower()) or patterns.search(rf"(?i)\b(?:{context.words('events')})$", name)
    )
    if known and len(times) == 1 and _MOVED.match(frame.rest):
        yield draft(frame, "has_event", text_value(name), subject=USER, past=False, change=Change.CHANGED, times=times)


RULES = (appointed,)
