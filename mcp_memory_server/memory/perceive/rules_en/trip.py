"""English rules: trips and bookings."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.ahead import GO, lies_ahead, timed_by
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, is_proper, items, place
from mcp_memory_server.memory.perceive.when import Bind, When

_AREA = re.compile(
    r"(?i)^(?:abroad|overseas|home|work|bed|school|town|church|sleep|class|hospital|court|college|university|the (?:gym|doctor|dentist|office|store|shop|supermarket|bank|beach|cinema|movies|park|pool|library|hairdresser|vet|airport|station|pub|hospital|market|theatre|theater)\b.*)$"
)


def trips(frame: Frame, context: Context) -> Iterator[Draft]:
    """Trips planned, under way or made."""
    rest = frame.rest
    off = (
        patterns.match(
            r"(?i:my|our|the) (?:[\w\-]+ )?(?:trip|holiday|vacation|flight|visit|journey) to (?:the )?(?P<o>[A-Z].*)",
            frame.thing or "",
        )
        or patterns.match(
            r"(?i:my|our|the|that) (?P<o>[A-Z][\w\-]*(?: [A-Z][\w\-]*)?) (?:trip|holiday|vacation|visit|journey|tour|thing|getaway|break|weekend|plan)$",
            frame.thing or "",
        )
        if patterns.match(
            r"be (?:off|cancell?ed|not happening|called off|no longer happening|dead|scrapped|shelved|not going ahead)\b|fall through\b|(?:get|have been) (?:cancell?ed|scrapped|called off)\b",
            rest,
        )
        else None
    )
    if off and not frame.would:
        yield draft(
            frame, "travels_to", text_value(place(off["o"]), entity=True), subject=USER, negative=True, ends=True
        )
        return
    if frame.would or frame.imperative or frame.can:
        return
    not_going = (
        patterns.match(rf"{GO}\b(?: be)?(?: going)?.*?\b(?:to|in) (?P<o>[A-Z].*)", rest)
        if frame.negative and frame.path and (frame.intends or frame.progressive)
        else None
    )
    if (
        not_going
        and is_proper(place(not_going["o"]))
        and not patterns.search(r"(?i)universit|college|school", not_going["o"])
    ):
        yield draft(frame, "travels_to", text_value(place(not_going["o"]), entity=True), past=False)
        return
    if (been := _been(frame, rest)) or frame.negative:
        yield from (been,) if been else ()
        return
    noun = patterns.search(
        r"\b(?:trip|flight|journey|holiday|vacation|honeymoon|visit|getaway|tour) to (?:the )?(?P<o>[A-Z\u4e00-\u9fff].*)",
        rest if frame.thing in ("", "there") else frame.thing,
    )
    match = (
        patterns.match(
            r"(?:be (?:back |away )?(?:on (?:holiday|vacation|honeymoon|tour|assignment|leave|an? [\w ]{0,16}?(?:trip|holiday|break))|travelling|traveling|backpacking|touring|holidaying)|spend(?! .*[$€£\d])(?: [\w\-]+){0,4}?)(?: over)? (?:in|to|around|at) (?:the )?(?P<o>[A-Z\u4e00-\u9fff].*)",
            rest,
        )
        or patterns.match(r"(?:be|stay)(?: back| over)? in (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
        or patterns.match(rf"{GO}\b.*?\b(?:to|for|in|into) (?:the )?(?P<o>[A-Z\u4e00-\u9fff].*)", rest)
    )
    if (
        match
        and patterns.match(
            r"(?:be(?! on| travel| backpack| tour| holiday| away| back| off| flying| going| heading| trav| bound| on)|stay)\b",
            rest,
        )
        and not (timed_by(frame, Bind.AT, Bind.RANGE, Bind.UNTIL, Bind.BY))
    ):
        match = None
    if match and frame.path:
        yield from _going(frame, rest, place(match["o"]))
        return
    if frame.path and (seen := _landed(frame, rest) or _visited(frame, rest)):
        yield seen
        return
    if noun and (
        frame.intends
        or timed_by(frame)
        or patterns.match(r"(?:have|plan|book|be planning|organi[sz]e)\b", rest)
        or frame.thing
    ):
        where = place(noun["o"])
        if is_proper(where):
            # What was booked lies ahead, although the booking is past.
            past = frame.past and not patterns.match(r"(?:book|reserve|plan|get|buy)\b", rest)
            predicate = "visited" if past else "travels_to"
            yield draft(frame, predicate, text_value(where, entity=True), subject=frame.path or USER, past=past)


def _going(frame: Frame, rest: str, where: str) -> Iterator[Draft]:
    if (
        not is_proper(where)
        or _AREA.match(where)
        or not good_object(where)
        or patterns.search(r"(?i)universit|college|school|\binc\b|\bltd\b", where)
    ):
        return
    if (patterns.match(r"be in\b|be back in\b|stay", rest) and frame.past) or (
        frame.past and not frame.obliged and not frame.intends and not frame.used_to
    ):
        yield draft(frame, "visited", text_value(where, entity=True), past=True)
    elif (
        lies_ahead(frame)
        or frame.obliged
        or rest.startswith(("be off", "be on ", "be away", "be back on", "be travel", "be tour", "be backpack"))
    ):
        until = [w for w in _sentence_times(frame) if w.bind is Bind.UNTIL and w not in frame.clause.times]
        yield draft(
            frame, "travels_to", text_value(where, entity=True), past=False, times=(*frame.clause.times, *until)
        )


def _been(frame: Frame, rest: str) -> Draft | None:
    """ "I've been to Peru", "I got back from Tallinn", "I spent two weeks in Vietnam"."""
    match = (
        patterns.match(r"(?:be to|set foot in|make it to|get to see|get to) (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
        if frame.tense == "perfect"
        else None
    )
    if match is None and (frame.past or frame.rest.startswith("be back from")) and not frame.negative:
        match = patterns.match(
            r"(?:get|come|be|fly|arrive)(?: home)? back(?: home)? from (?:[a-z ]{3,30} in )?(?P<o>[A-Z].*)|return(?: home)? from (?P<p>[A-Z].*)|(?:honeymoon|holiday|vacation|backpack) (?:in|on|around) (?P<q>[A-Z].*)|spend (?P<r>[A-Z][a-z]+)$",
            rest,
        )
        spent = match is not None and match["r"] is not None
        if spent and not patterns.search(r"\bspent\b.*\bin [A-Z]", frame.clause.text):
            match = None
    if not match or not frame.path or frame.intends or frame.obliged:
        return None
    where = place(next(value for value in match.groups() if value))
    if not is_proper(where) or not good_object(where) or _AREA.match(where):
        return None
    times = tuple(when for when in frame.clause.times if when.bind is not Bind.LASTING)
    return draft(frame, "visited", text_value(where, entity=True), past=True, begins=False, times=times)


def _landed(frame: Frame, rest: str) -> Draft | None:
    landed = patterns.match(r"(?:land|arrive|touch down|get) (?:in|to|at) (?P<o>[A-Z\u4e00-\u9fff].*)", rest)
    where = place(landed["o"]) if landed and frame.past else ""
    if not where or not is_proper(where) or not good_object(where):
        return None
    until = [w for w in _sentence_times(frame) if w.bind is Bind.UNTIL]
    return draft(frame, "travels_to", text_value(where, entity=True), past=True, times=(*frame.clause.times, *until))


def _visited(frame: Frame, rest: str) -> Draft | None:
    visited = patterns.match(
        r"(?:visit|explore|tour|see|pass through|do|(?:backpack|cycle|hike|walk|drive|sail|bike|trek|travel|kayak|motorbike|road-trip|hitchhike|wander|roam|interrail|ride|island-hop)(?: all| our way| my way)? (?:around|through|round|across|over|along|down|up)) (?:the )?(?P<o>[A-Z\u4e00-\u9fff].*)",
        rest,
    )
    where = place(visited["o"]) if visited else ""
    if not where or not is_proper(where) or not good_object(where) or rest.startswith(("see", "do ")):
        return None
    done = frame.past and not frame.intends and not frame.obliged
    if not done and not lies_ahead(frame):
        return None
    return draft(frame, "visited" if done else "travels_to", text_value(where, entity=True), past=done)


def _sentence_times(frame: Frame) -> tuple[When, ...]:
    return frame.clause.sentence_times


def bookings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Things reserved."""
    match = patterns.match(r"(?:book|reserve)(?: us| me| myself| ourselves)? (?P<o>.+)", frame.rest)
    if (
        match
        and frame.path
        and frame.tense in ("past", "perfect")
        and not frame.negative
        and not frame.passive
        and not frame.intends
    ):
        text = patterns.split(
            r"\s(?:for|at|on|from|in|to|with|via|through|near|because|next|this)\b", match["o"], maxsplit=1
        )[0]
        for part, _ in items(text):
            if good_object(clean(part)):
                yield draft(frame, "booked", text_value(clean(part)), past=False)
    elif (
        patterns.match(
            r"be (?:all )?(?:booked|reserved|confirmed)\b"
            if not patterns.search(rf"(?i)\b{_BOOKABLE}s?\b", frame.thing or "")
            else r"be (?:all |now |finally )*(?:booked|reserved|confirmed|sorted|arranged|secured|locked in|in the bag|taken care of|held)\b",
            frame.rest,
        )
        and frame.thing
        and not frame.negative
        and not patterns.match(r"(?:it|this|that|everything)$", frame.thing, re.IGNORECASE)
    ):
        thing = patterns.split(r"\s(?:for|at|on|from|in|to)\b", clean(frame.thing), maxsplit=1)[0]
        if good_object(thing):
            yield draft(frame, "booked", text_value(thing), subject=USER, past=False)
    else:
        yield from _reservations(frame)


_BOOKABLE = r"(?:flight|train|hotel|table|room|car|rental car|taxi|cottage|cabin|apartment|trip|tickets?|ferry|bus|tour|cruise|class|massage|restaurant|dinner|campsite|airbnb)"


def _reservations(frame: Frame) -> Iterator[Draft]:
    """ "I have a dinner reservation", "we got tickets for the ballet", "I cancelled the hotel"."""
    if not frame.path or frame.intends or frame.obliged or frame.would:
        return
    made = patterns.match(
        r"(?:make|have|get|confirm)(?: got)? (?:an?|my|our|the) (?P<k>(?:[\w\-]+ )?)(?:reservation|booking)\b(?: (?:at|with) (?:the )?(?P<w>[A-Z][\w'’&]*(?: [A-Z][\w'’&]*)*))?",
        frame.rest,
    )
    if made and not frame.negative:
        name = (made["k"].strip() and f"{made['k'].strip()} reservation") or made["w"] or "reservation"
        yield draft(frame, "booked", text_value(name), past=False)
        return
    tickets = patterns.match(
        r"(?:get|have|buy|score|grab|snag)(?: got)? (?:us |me )?(?:(?!tickets?\b)\w+ )?(?P<o>tickets?) (?:for|to)\b",
        frame.rest,
    )
    if tickets and not frame.negative and (timed_by(frame) or frame.past):
        yield draft(frame, "booked", text_value(tickets["o"]), past=False)
        return
    dropped = patterns.match(
        rf"cancel (?:my|our|the) (?P<o>(?:[\w\-]+ )?{_BOOKABLE})(?: (?:booking|reservation))?\b", frame.rest
    )
    if dropped and frame.past and not frame.negative:
        yield draft(frame, "booked", text_value(clean(dropped["o"])), negative=True, ends=True, past=True)


RULES = (trips, bookings)
