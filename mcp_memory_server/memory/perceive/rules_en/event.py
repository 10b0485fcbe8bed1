"""English rules: meetings, appointments and other events."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.ahead import lies_ahead, timed_by
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, is_proper, items
from mcp_memory_server.memory.perceive.when import When


def _person(text: str, context: Context) -> str:
    """A name or a role as whom one meets."""
    text = patterns.split(
        r"\s(?:at|on|for|about|in|to|from|over|after|before|because|tomorrow|next|this|again|when|and i|near|around)\b|[,.;(]",
        text.strip(),
        maxsplit=1,
    )[0].strip()
    bare = patterns.sub(r"^(?:my |our |the |a |an |some )", "", text, flags=re.IGNORECASE)
    roles = context.vocabulary.mapping("en", "roles")
    words = bare.split()
    if not words or len(words) > 5:
        return ""
    professions = (
        words[-1].lower() in roles
        or words[-1].lower().removesuffix("s") in roles
        or words[-1].lower() in ("in-laws", "relatives", "neighbours", "neighbors")
        or words[0].lower() in roles
        or context.has("occupations", words[-1])
    )
    if (
        professions
        or (
            bare[0].isupper()
            and not patterns.match(
                r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|English|French|German|Netflix|Google|Japan|Paris|London)\b",
                bare,
            )
        )
        or patterns.match(r"[\u4e00-\u9fff]{2,4}$", bare)
    ):
        name = patterns.sub(r"^(?:friend|colleague|cousin|brother|sister|boss|friends) (?=[A-Z])", "", bare)
        return name
    return ""


_MEALS = r"(?:lunch|dinner|brunch|breakfast|coffee|drinks|tea|a coffee|a drink|a beer|a meeting|a call|a video call|a chat|a catch-up|catch-up|call|meeting|video call|supper|a date|date night|1:1|a 1:1|one-on-one|a one-on-one|an interview|a session|an appointment)"
_MEAL = rf"(?:have|do|grab|get|be having|go for|be going for) (?P<k>{_MEALS}) with (?P<o>.+)"
_MEAL_ALONE = rf"(?P<k>{_MEALS}) with (?P<o>.+)"


def _timed_or_plan(frame: Frame) -> bool:
    return bool(timed_by(frame)) and not frame.past


def meetings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Seeing a person by arrangement."""
    if frame.negative or frame.would or frame.imperative:
        return
    body = frame.clause.body.strip()
    pair = patterns.match(
        r"(?P<o>[A-Z][\w'’\-]+|my [\w\- ]+?) and I (?:are|will|'re|have|had|met)\b.*\b(?:meet|meeting|met|lunch|dinner|coffee|drinks|brunch|call|catch|catching)",
        body,
    )
    visit = patterns.match(
        r"(?:come (?:over|round|by|to visit|to stay|for (?:the (?:weekend|day|night|week)|lunch|dinner|tea|supper|a visit|a few days)|to see (?:me|us))|visit(?: (?:me|us))?|stop by|drop by|be visiting|be coming (?:over|round|by))\b",
        frame.rest,
    )
    guest = (
        _person(frame.thing or (frame.subject.name if frame.subject else ""), context)
        if visit and _timed_or_plan(frame)
        else ""
    )
    if (pair and _person(pair["o"], context)) or guest:
        yield draft(
            frame,
            "meets",
            text_value(guest or _person(pair["o"], context) if pair else guest, entity=True),
            subject=USER,
            negative=False,
            past=frame.past,
        )
        return
    match = patterns.match(
        r"(?:meet(?: up)?(?: with)?|see|catch up with|visit|get together with|hang out with|have dinner with|pick up) (?P<o>.+)",
        frame.rest,
    )
    if frame.rest.startswith("pick up"):
        match = None
    meal = patterns.match(_MEAL, frame.rest) or (
        patterns.match(_MEAL_ALONE, body, re.IGNORECASE) if not frame.explicit else None
    )
    found = meal or match
    if not found or not (timed_by(frame) or frame.intends) or frame.path not in ("", USER):
        return
    ahead = lies_ahead(frame) or (meal is not None and not frame.past)
    if not ahead and not (frame.past and timed_by(frame)):
        return
    for part, _ in items(found["o"]):
        who = _person(part, context)
        place_like = (
            frame.rest.startswith("visit")
            and is_proper(part)
            and not patterns.match(r"(?:Dr|Mr|Mrs|Ms|Prof|Aunt|Uncle|Grandma|Grandpa|Mum|Mom|Dad)\b", part)
        )
        if who and good_object(who) and not place_like:
            yield draft(frame, "meets", text_value(who, entity=True), subject=USER, past=not ahead)


def events(frame: Frame, context: Context) -> Iterator[Draft]:
    """Exams, appointments, interviews, weddings… with their time."""
    timed = timed_by(frame)
    if not timed or frame.would or frame.imperative:
        return
    rest, body = frame.rest, frame.clause.body.strip()
    thing = context.rx(
        r"(?:(?:my|our|the|a|an|this|his|her|their)\s+|(?:[A-Z]?[a-z]+day|tomorrow|today|[A-Z][a-z]+|(?:my|our) [\w\-]+)['’]s\s+)(?P<o>(?:[\w’'\-]+\s+){0,3}?(?:⟨events⟩)(?:\s+(?:with|at|of|for)\s+[\w’' \-]+)?)"
    ).fullmatch(frame.thing or "")
    if (
        thing
        and patterns.match(
            r"(?:be|start|take place|happen|begin|fall|go ahead|get|come up|move|leave|depart|take off|run from)\b",
            rest,
        )
        and not patterns.match(r"be (?:due|over|cancel)", rest)
        and not patterns.search(r"\b(?:date of|due date|birth)\b", frame.thing)
    ):
        name = clean(patterns.split(r"\s(?:with|at|for)\s", thing["o"], maxsplit=1)[0])
        moved = bool(
            patterns.search(
                r"\b(?:moved|pushed|postponed|rescheduled|brought forward|changed|delayed|now)\b", frame.clause.text
            )
        )
        yield from _with_denied(frame, name, timed, change=Change.CHANGED if moved else Change.NONE)
        return
    pushed = context.rx(
        r"(?:push|move|postpone|reschedule|bring|shift|delay|change)(?:e?d)?(?: back| forward| up)? (?:my|our|the) (?P<o>(?:[\w’'\-]+ ){0,3}?(?:⟨events⟩))\b(?: back| forward| up)?"
    ).match(rest)
    if pushed and frame.past:
        yield draft(
            frame,
            "has_event",
            text_value(clean(pushed["o"])),
            subject=USER,
            negative=False,
            past=False,
            change=Change.CHANGED,
        )
        return
    match = context.rx(
        r"(?:have|get|attend|go to|take|sit|face|be going to|be having|be attending|be taking|run|give|play in|do|hold|host|throw|organi[sz]e|celebrate|sit for|sing at|speak at|sign up for|register for|enrol in|enrol for|be signed up for|be enrolled in|be at|be booked (?:in|on)(?:to| for))(?: got)? (?:my |our |an? |the |another |some )?(?P<o>(?:[\w’'\-]+ ){0,3}?(?:⟨events⟩)(?: with the [\w\-]+(?: (?:team|group|board|office))?)?)(?![\w-])(?! (?:with|budget|ticket|dress|plan|idea))"
    ).match(rest)
    if (
        match
        and frame.path
        and not frame.negative
        and not (frame.intends and frame.verb in ("run", "do", "give", "play", "take"))
    ):
        name = clean(match["o"])
        if good_object(name) and not patterns.fullmatch(
            r"(?i)(?:the )?(?:train|flight|move|play|date|class|show|review|visit|shift|call)s?", name
        ):
            yield draft(frame, "has_event", text_value(name), past=frame.past)
        elif good_object(name) and frame.tense in ("present", "future") and patterns.match(r"have\b", rest):
            yield draft(frame, "has_event", text_value(name))
        return
    wed = patterns.match(r"get (?:married|hitched)\b", rest)
    if wed and frame.path and (frame.progressive or frame.intends):
        yield draft(frame, "has_event", text_value("wedding"))
        return
    bare = context.rx(
        r"(?:my |our |the )?(?P<o>(?:[\w’'\-]+ ){0,2}?(?:⟨events⟩))(?: at [\w'’]+(?: place)?)?\s*(?:is|are|:|,|-|$|!)"
    ).match(body)
    if (
        bare
        and not frame.explicit
        and not frame.verb
        and not patterns.match(r"what\b", body, re.IGNORECASE)
        and len(body.split()) <= 6
        and good_object(clean(bare["o"]))
    ):
        yield draft(frame, "has_event", text_value(clean(bare["o"])), subject=USER, negative=False)
        return
    if (
        frame.path
        and frame.past
        and (
            match := patterns.match(
                r"(?P<o>graduate(?! from)|retire(?! to)|get married|get engaged|give birth|undergo [\w ]+|have (?:surgery|an operation|a baby))\b",
                rest,
            )
        )
        and not frame.negative
    ):
        noun = {
            "graduate": "graduation",
            "retire": "retirement",
            "get married": "wedding",
            "get engaged": "engagement",
            "give birth": "birth",
        }.get(match["o"], clean(patterns.sub(r"^(?:undergo|have) (?:an? )?", "", match["o"])))
        if noun not in ("wedding", "engagement"):
            yield draft(frame, "has_event", text_value(noun), past=True)
    elif (
        frame.path
        and (frame.intends or frame.progressive)
        and (match := patterns.match(r"(?P<o>graduate|retire)\b", rest))
    ):
        yield draft(frame, "has_event", text_value({"graduate": "graduation", "retire": "retirement"}[match["o"]]))


def _with_denied(frame: Frame, name: str, timed: list[When], change: Change) -> Iterator[Draft]:
    """ "on Thursday, not Wednesday": the second time is what it is not."""
    denied = [
        when
        for when in timed
        if patterns.search(r"\bnot\s+(?:on\s+|the\s+)?$", frame.clause.text[: when.start - frame.clause.start])
    ]
    kept = [when for when in timed if when not in denied]
    subject = frame.path or USER
    if kept and good_object(name):
        yield draft(
            frame,
            "has_event",
            text_value(name),
            subject=subject,
            negative=frame.negative and not denied,
            past=frame.tense == "past" and change is Change.NONE,
            change=change,
            times=tuple(kept),
        )


RULES = (meetings, events)
