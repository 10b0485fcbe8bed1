"""English rules: what is said of a company or team."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.person import NUMBER
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    draft,
    each,
    is_proper,
    place,
    states,
)


def _unit(thing: str) -> str:
    """ "the firm", "our data team": the subject path of a company or team; empty for anything else."""
    found = patterns.fullmatch(
        r"(?i)(?:the|(?:my|our) (?:[\w\-]+ ){1,2})\s*(?P<k>team|department|crew|squad|firm|company|agency|studio|bakery|practice)",
        thing,
    ) or patterns.fullmatch(r"(?i)(?:my|our) (?:[\w\-]+ ){1,2}(?P<k>shop|start-?up)", thing)
    if not found:
        return ""
    return "user.team" if found["k"].lower() in ("team", "department", "crew", "squad") else "user.company"


def organisation(frame: Frame, context: Context) -> Iterator[Draft]:
    """Revenue, size and place of a company or team; what it makes."""
    own = patterns.search(r"(?:^|\b(?:at|of|for|in) )(?:my|our|the user's) ", frame.thing or "", re.IGNORECASE)
    subject = frame.path if frame.subject and frame.subject.role in ("company", "team") else ""
    if (
        not subject
        and patterns.search(r"\b(?:run|own|founded|started|manage|work for|work at|co-own)\b", frame.relative)
        and patterns.search(
            r"(?i)\b(?:firm|company|business|shop|store|bakery|agency|startup|start-up|restaurant|studio|caf[eé])$",
            frame.thing,
        )
    ):
        subject = "user.company"
    team = (
        "user.team"
        if patterns.search(r"\b(?:team|department|squad|group|crew)\b", context.sentence, re.IGNORECASE)
        else "user.company"
    )
    body = frame.rest
    subject = subject or _unit(frame.thing or "")
    if not (
        subject
        or own
        or "of us" in frame.clause.text
        or frame.we
        or frame.thing
        or frame.verb in ("run", "own", "manage", "lead", "head", "supervise", "oversee", "work", "be")
    ):
        return
    sums = quantity.find(body, "en") if frame.clause.numeric else ()
    money = next((q for q in sums if q.kind == "money" or (q.kind == "plain" and q.value >= 1000)), None)
    selling = patterns.match(
        r"(?:do|make|turn over|gross|generate|bring in|take(?: in)?|pull in|clear|bill|invoice|book|earn|post|report|see|have (?:an? )?(?:annual )?(?:revenues?|turnover|sales|takings) of|record)\b",
        body,
    )
    revenue_thing = patterns.search(
        r"\b(?:revenues?|turnover|sales|takings)\b", frame.thing or "", re.IGNORECASE
    ) and patterns.match(
        r"(?:be|hit|reach|top|pass|exceed|come (?:in at|to)|grow to|climb to|drop to|amount to|rise to|fall to|total|stand at)\b",
        body,
    )
    if (
        money
        and not frame.intends
        and (
            (subject and selling)
            or (own and revenue_thing)
            or (
                frame.we
                and patterns.search(r"\bin (?:annual )?(?:revenues?|sales|turnover|takings)\b", body)
                and selling
            )
            or (frame.we and patterns.match(r"(?:turn over|gross|have (?:a )?(?:revenues?|turnover|sales) of)\b", body))
        )
    ):
        yield draft(
            frame,
            "revenue",
            money.as_value(currency=context.currency, per=""),
            subject=subject or "user.company",
            past=True,
        )
    if frame.clause.numeric:
        yield from _heads(frame, context, subject, team)
    if subject and (told := patterns.match(r"(?:over |back |down |up )?(?:in|near) (?P<o>[A-Z].*)", frame.relative)):
        yield draft(
            frame,
            "located_in",
            text_value(place(told["o"]), entity=True),
            subject=subject,
            negative=False,
            timeless=True,
        )
    based = patterns.match(
        r"(?:work (?:for|at|with)|run|own|manage|be employed by) an? (?:[\w\-]+ ){0,3}?(?:firm|company|agency|business|start-?up|shop|store|studio|restaurant|practice|clinic|bank|factory)(?: that is| which is)?(?: based| located| headquartered)? (?:in|near|outside) (?P<o>[A-Z].+)",
        body,
    )
    moved = patterns.match(
        r"(?:move|relocate|shift) (?:its|our|their|the) (?:headquarters|head office|hq|offices?|base|shop|store|studio) (?:from .+? )?to (?P<o>[A-Z].+)",
        body,
    )
    firm_moved = moved and (
        subject
        or frame.we
        or patterns.match(r"(?:the|our|my) (?:company|firm|business|agency|bank)", frame.thing or "", re.IGNORECASE)
    )
    if (based and frame.path == "user" and states(frame)) or firm_moved:
        found = based or moved
        where = place(found["o"] if found else "")
        yield draft(
            frame,
            "located_in",
            text_value(where, entity=True),
            subject="user.company",
            begins=bool(firm_moved),
            past=bool(firm_moved),
        )
        return
    match = patterns.match(
        r"(?:be|sit|stand|lie)(?: located| based| headquartered| situated| right next to the [a-z]+)? (?:in|at|near|on) (?P<o>.+)",
        body,
    )
    if match and (
        subject
        or patterns.fullmatch(
            r"(?:(?:my|our) (?:\w+ )?)?(?:office|offices|headquarters|hq|shop|store|studio|workshop|warehouse|factory|clinic|practice|branch)",
            frame.thing or "",
            re.IGNORECASE,
        )
    ):
        where = place(match["o"])
        if is_proper(where):
            yield draft(frame, "located_in", text_value(where, entity=True), subject=subject or "user.company")
    yield from _placed(frame, subject)
    match = patterns.match(r"(?:make|build|produce|manufacture|develop|sell|design|ship) (?P<o>.+)", body)
    if match and (subject == "user.company") and not money and states(frame):
        yield from each(frame, "makes_product", match["o"], subject="user.company", timeless=True)


_HOUSE = r"(?:office|offices|headquarters|hq|shop|store|studio|workshop|warehouse|factory|clinic|practice|branch|bakery|caf[eé]|restaurant|salon|company|firm|business|gallery|surgery|farm|school|pub|bar|bookshop|garage)"


def _placed(frame: Frame, subject: str) -> Iterator[Draft]:
    """ "Our workshop moved to Bilston", "you'll find my bakery in Ludlow", "I run a salon in Leith"."""
    moved = (
        patterns.match(
            r"(?:move|relocate|shift)(?: house| premises| offices)?(?: from .+?)? (?:to|into) (?P<o>[A-Z].+)",
            frame.rest,
        )
        if subject and frame.past
        else None
    )
    found = patterns.match(
        rf"(?:you|people|customers|anyone)(?:'ll| will| can)? find (?:us|(?:my|our) (?:[\w\-]+ )?{_HOUSE}) (?:in|on|at|near|over in|down in|up in) (?P<o>[A-Z].+)",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    kept = (
        patterns.match(
            r"(?:run|own|have|keep|open|co-own|rent|operate)(?: got)? (?:an? |my own |our own |my |our )(?:[\w\-]+ ){0,2}?(?:small |little )?(?:office|shop|store|studio|workshop|bakery|caf[eé]|restaurant|salon|clinic|practice|gallery|bookshop|garage|pub|branch|business|company|firm) (?:in|on|near) (?P<o>[A-Z].+)",
            frame.rest,
        )
        if frame.path == "user" and states(frame) and not frame.negative
        else None
    )
    match = moved or found or kept
    if match and is_proper(where := place(match["o"])):
        yield draft(
            frame,
            "located_in",
            text_value(where, entity=True),
            subject=subject or "user.company",
            negative=False,
            begins=bool(moved),
            past=bool(moved),
        )


def _heads(frame: Frame, context: Context, subject: str, team: str) -> Iterator[Draft]:
    text = frame.rest
    number = rf"(?:about |around |roughly |some |nearly |almost |over |only |just )*(?P<n>{NUMBER})"
    match = (
        patterns.match(rf"be {number} (?:of us|people|persons|employees|staff|members|engineers|developers)\b", text)
        or (
            patterns.match(
                rf"(?:have|employ|count|number)(?: got)? {number} (?:\w+ )?(?:people|employees|staff|members|workers|engineers|developers)\b",
                text,
            )
            if subject or frame.we
            else None
        )
        or (patterns.search(rf"\bwith {number} (?:people|employees|staff|of us)\b", text) if subject else None)
        or (
            patterns.match(rf"be (?:an? )?(?:team|company|firm|startup|group) of {number}\b", text)
            if frame.we or subject
            else None
        )
        or (patterns.match(rf"be {number} strong\b", text) if subject else None)
        or (
            patterns.match(
                rf"(?:grow|expand|shrink|go up|be down|be up) to {number}(?: *$| (?:people|employees|staff|members|of us)\b)|number {number.replace('<n>', '<n2>')} *$",
                text,
            )
            if subject or frame.we
            else None
        )
        or (
            patterns.search(rf"^be\b[^,]*, (?:with )?{number} (?:people|employees|staff|members)\b", text)
            if subject
            else None
        )
        or (
            patterns.match(
                rf"be an? {number}[- ](?:person|man|woman|strong|member) (?:team|company|firm|agency|startup|studio|shop|business|outfit|crew)\b",
                text,
            )
            if subject or frame.we
            else None
        )
        or (patterns.match(rf"be {number}(?: *$| in )", text) if frame.thing == "there" and "of us" in text else None)
    )
    of_us = patterns.match(
        rf"(?:there (?:are|is) |we(?:'re| are) )?{number} of us (?:work|works|are|on|in|make up|run|keep)\b",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    if (
        of_us
        and not match
        and frame.path in ("", "user")
        and patterns.search(
            r"(?i)\b(?:team|department|squad|crew|company|firm|office|studio|shop|work|business|agency)\b",
            frame.clause.text,
        )
    ):
        match, subject = of_us, subject or team
    led = patterns.match(
        rf"(?:lead|manage|run|head|supervise|oversee|be in charge of|look after|be part of|work in|be on) an? (?:\w+ )?(?:team|crew|department|squad) of {number}\b",
        text,
    )
    if led and not frame.negative and frame.path == "user":
        match, subject = led, "user.team"
    owner = patterns.match(
        rf"(?:run|own|manage|have|lead) (?:an? |my own |our own |the )(?:[\w\-]+ ){{0,2}}?(?P<t>shop|store|bakery|caf[eé]|restaurant|firm|company|business|startup|agency|studio|salon|practice|team)\b.*?\bwith {number} (?:people|employees|staff)\b",
        text,
    )
    if owner and not frame.negative:
        match, subject = owner, "user.team" if owner["t"] == "team" else "user.company"
    if not match or frame.negative or not (of_us or subject or frame.we or frame.thing in ("there", "it")):
        return
    if frame.thing == "there" and not patterns.search(
        r"\bof us(?! (?:and (?:an?|my|our|the|two|three|some)\b|kids|children|siblings|brothers|sisters|sharing|living|at home|in the (?:family|house|flat)))\b|\b(?:my|our|the) (?:team|company|firm|office|department)\b",
        text,
    ):
        return
    said = match["n"] or match["n2"]
    value = numerals.english_value(said) if not said.isdigit() else int(said)
    if value:
        approx = bool(patterns.search(r"about|around|roughly|some|nearly|almost|over", match[0].split(said)[0]))
        yield draft(
            frame,
            "headcount",
            Value(ValueType.NUMBER, str(value), "person", approx=approx),
            subject=subject or team,
            timeless=True,
        )


_CLOSED = re.compile(
    r"(?:quarter|year|month|half|q[1-4]|(?:19|20)\d\d|january|february|march|april|june|july|august|september|october|november|december) (?:just )?(?:closed|ended|finished|came in|came out|wrapped up|ended up) (?:at|on|with) ",
    re.IGNORECASE,
)


def closings(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The third quarter closed at 2.7 million dollars for our company"."""
    if frame.clause.blocked or frame.negative or frame.intends:
        return
    found = _CLOSED.search(frame.clause.text)
    ours = patterns.search(
        r"(?i)\b(?:our|my|the) (?:company|firm|business|shop|store|agency|studio|start-?up|bakery|restaurant|practice)\b|\bfor us\b|\b(?:revenues?|turnover|sales|takings)\b",
        context.sentence,
    )
    money = (
        next((q for q in quantity.of_clause(frame.clause, "en") if q.kind == "money"), None) if found and ours else None
    )
    if money:
        yield draft(
            frame, "revenue", money.as_value(currency=context.currency, per=""), subject="user.company", past=True
        )


RULES = (organisation, closings)
