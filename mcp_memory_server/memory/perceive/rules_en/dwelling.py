"""English rules: where a person lives and comes from."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.person import PEOPLE
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, draft, good_object, is_proper, place, states
from mcp_memory_server.memory.perceive.when import Bind


def home(frame: Frame, context: Context) -> Iterator[Draft]:
    """Where a person lives, moves to, comes from."""
    rest, moved = (
        frame.rest,
        patterns.match(
            r"(?:move|relocate|emigrate|retire)\b(?: back| over| out| away| house)?(?: from (?P<from>.+?))? (?:to|into) (?P<o>.+)",
            frame.rest,
        ),
    )
    away = patterns.match(
        r"(?:move|relocate) (?:away from|out of|from) (?P<o>[A-Z](?:(?! to )[^,;])*)$", frame.rest.strip()
    )
    if away and frame.path and frame.past and not frame.negative and is_proper(place(away["o"])):
        yield draft(frame, "lives_in", text_value(place(away["o"]), entity=True), negative=True, ends=True, past=True)
        return
    firm = frame.subject is not None and frame.subject.role in ("company", "team")
    if moved and frame.path and not firm and not frame.negative and not frame.imperative and not frame.would:
        if frame.intends or frame.obliged:
            return
        inner = patterns.match(
            r"(?:an?|my|our|the|his|her|their) [a-z][\w\- ]{2,30}? (?:in|near|on|at) (?P<o>[A-Z].*)", moved["o"]
        )
        where = place(inner["o"] if inner else moved["o"])
        if is_proper(where) and (not frame.progressive):
            yield draft(
                frame, "lives_in", text_value(where, entity=True), begins=True, past=True, change=Change.CHANGED
            )
        return
    match = patterns.match(
        r"(?:live|reside|be (?:living|residing)|be based|be settled|settle(?: down)?|have (?:lived|a flat|a house|an apartment))(?: here| alone| together| now| with [\w' ]+?)? (?:in|at|on|near|outside|by|over in|out in|up in|down in|just outside|just off|right by|close to|not far from) (?P<o>.+)",
        rest,
    ) or _settled(frame)
    kind = (
        patterns.match(r"(?:an?|my|our) [a-z][\w\- ]{2,40}? (?:in|near|outside|on|at) (?P<o>[A-Z].+)", match["o"])
        if match and "o" in match.groupdict() and match["o"]
        else None
    )
    match = kind or match
    if match and frame.path and states(frame) and not frame.can:
        where = place(next(text for text in match.groups() if text))
        company = frame.subject is not None and frame.subject.role in ("company", "team")
        if (
            (is_proper(where) or frame.path != USER)
            and good_object(where)
            and not any(f"{word} {where}" in rest for word in ("near", "outside"))
        ):
            if (
                frame.tense == "past"
                and not frame.started
                and not any(w.bind is not Bind.REPEAT for w in frame.clause.times)
            ):
                yield draft(frame, "lives_in", text_value(where, entity=True), negative=True, ends=True)
            else:
                yield draft(
                    frame,
                    "located_in" if company else "lives_in",
                    text_value(where, entity=True),
                    begins=frame.tense == "perfect" or frame.started,
                )
    match = patterns.match(
        r"(?:share|rent|have|be renting|be sharing) (?:an? |the )?(?:[\w\-]+ ){0,2}?(?:flat|house|apartment|room|studio|place|home|bedsit)(?: with .{1,30}?)? (?:in|near|outside) (?P<o>[A-Z].+)|(?:have made|make) (?:my|our) home in (?P<p>.+)|call (?P<q>[A-Z][\w ]+?) (?:my )?home\b",
        rest,
    )
    if match and frame.path and states(frame) and frame.tense != "past":
        yield draft(frame, "lives_in", text_value(place(match["o"] or match["p"] or match["q"]), entity=True))
        return
    thing = patterns.fullmatch(r"(?:(?:my|our) )?(?:home|house|flat|apartment|place)", frame.thing, re.IGNORECASE)
    match = patterns.match(r"be (?:now )?(?:(?:an? |the )[\w\- ]{2,30}? )?(?:in|at|near) (?P<o>.+)", rest)
    if match is None and patterns.fullmatch(r"(?i)home", frame.thing):
        match = patterns.match(r"be (?:now )?(?P<o>[A-Z].+)", rest)
    if thing and match and is_proper(place(match["o"])):
        yield draft(frame, "lives_in", text_value(place(match["o"]), entity=True), subject=USER)
    match = patterns.match(r"be (?:(?:still )?my home|home|where (?:I|we) live)\b", rest)
    if match and frame.thing == "" and frame.subject and frame.subject.name and not frame.subject.role:
        yield draft(frame, "lives_in", text_value(frame.subject.name, entity=True), subject=USER)


def back_home(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I'm back at my mum's in Naas", "I've moved back in with my parents in Cork"."""
    rest = frame.rest
    back = patterns.match(
        r"(?:be|move|have moved)(?: now)? back (?:living |staying )?(?:at|with|in with|to|into) (?:my|the) [a-z\-]+(?:['’]s)?(?: (?:place|house|home|flat))?,? (?:in|near|over in|up in|down in) (?P<o>[A-Z].*)",
        rest,
    )
    if back and frame.path and states(frame) and not frame.clause.times and is_proper(place(back["o"])):
        yield draft(
            frame, "lives_in", text_value(place(back["o"]), entity=True), begins=True, past=True, change=Change.CHANGED
        )


def _settled(frame: Frame) -> re.Match[str] | None:
    """ "I'm no longer in Leeds", "we've been in Bern since May", "I've got a place in Ghent"."""
    since = any(when.bind is Bind.SINCE for when in frame.clause.times)
    if frame.ended or (since and frame.tense == "perfect" and not frame.negative):
        return patterns.match(r"be (?:here )?in (?P<o>[A-Z].+)", frame.rest)
    if frame.tense in ("present", "perfect"):
        return patterns.match(
            r"(?:have|own|rent|share|keep)(?: got)? (?:an? |my |our )?(?:[\w\-]+ ){0,2}?(?:place|home|bedsit|studio flat|room|cottage|bungalow) (?:in|near) (?P<o>[A-Z].+)|(?:be (?:now )?|have )?(?:put down roots|make (?:my|our) home|pitch up|wash up|end up|land) in (?P<p>[A-Z].+)",
            frame.rest,
        )
    return None


def origin(frame: Frame, context: Context) -> Iterator[Draft]:
    """The place a person comes from."""
    match = patterns.match(
        r"(?:come (?:originally )?from|be (?:originally )?from|hail from|spend (?:all |most of )?(?:my|his|her) (?:childhood|youth) in|have (?:my )?roots in|grow up (?:in|near|on|outside)|be (?:born|raised|born and raised|born and bred|brought up|native) (?:and raised )?(?:in|to)|be a native of) (?P<o>.+)",
        frame.rest,
    )
    if match and frame.path and states(frame):
        where = place(match["o"])
        small = patterns.match(
            r"an? (?P<o>(?:[\w\-]+ )?(?:town|village|city|farm|island|suburb) (?:in|near|outside|on) [A-Z][\w ]+)",
            match["o"],
        )
        if small or (is_proper(where) and good_object(where)):
            yield draft(
                frame, "hometown", text_value(small["o"].strip() if small else where, entity=True), timeless=True
            )
    told = (
        patterns.match(
            r"(?:and |but )?(?:originally )?(?:(?i:born)(?: and (?:bred|raised|brought up))?|(?i:raised|brought up)) in (?P<o>[A-Z].*)",
            frame.clause.body,
        )
        or patterns.match(r"(?i:originally|hailing|coming) from (?P<o>[A-Z].*)", frame.clause.body)
        if not frame.explicit
        else None
    )
    if told and frame.path:
        yield draft(frame, "hometown", text_value(place(told["o"]), entity=True), negative=False, timeless=True)
    lass = patterns.match(r"be an? (?P<o>[A-Z]\w+) (?:girl|boy|lad|lass|native|local)\b", frame.rest)
    if lass and frame.path and states(frame) and not frame.negative and not PEOPLE.search(lass["o"]):
        yield draft(frame, "hometown", text_value(lass["o"], entity=True), timeless=True)
        return
    if patterns.fullmatch(
        r"(?:my|our) (?:home ?town|home country|family|roots|birthplace|childhood home)",
        frame.thing,
        re.IGNORECASE,
    ) and (m := patterns.match(r"(?:be in|be from|be|come from|lie in) (?P<o>.+)", frame.rest)):
        where = place(m["o"])
        if is_proper(where):
            yield draft(frame, "hometown", text_value(where, entity=True), subject=USER, timeless=True)


RULES = (home, back_home, origin)
