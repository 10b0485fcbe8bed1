"""English rules: relationships, relatives, animals."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.rules_en.person import NUMBER
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    draft,
    items,
    states,
)

_STATUS = r"single|married|engaged|divorced|separated|widowed|dating|a widow|a widower|in a relationship|in a long-distance relationship|seeing someone|unmarried|newly single|newly-wed|a newlywed"


def relationship(frame: Frame, context: Context) -> Iterator[Draft]:
    """Single, engaged, married, divorced…"""
    if not frame.path or not states(frame) or frame.subject is None or frame.subject.role in ("company", "pet"):
        return
    match = patterns.match(
        rf"(?P<v>be|get|become|stay)\b(?: been)?(?: (?:happily|recently|newly|just|officially|still|now|finally|freshly))* (?P<o>{_STATUS})\b(?! by| to find| in\b(?! \d| a))(?! (?:parent|mum|mom|dad|room|malt|player|thing))",
        frame.rest,
    )
    if match:
        got = match["v"] == "get"
        if got and (frame.progressive or frame.intends):
            return  # that is still to come
        value = patterns.sub(r"^an? ", "", match["o"])
        yield draft(
            frame,
            "relationship_status",
            text_value(value),
            begins=got or frame.tense == "perfect" or bool(frame.clause.times),
            past=got or frame.past,
            change=Change.CHANGED if got else Change.NONE,
        )
        return
    match = patterns.match(r"(?P<o>split up|break up|separate|divorce|marry)\b", frame.rest)
    if match and frame.tense in ("past", "perfect"):
        word = {"marry": "married", "divorce": "divorced"}.get(match["o"], "separated")
        yield draft(frame, "relationship_status", text_value(word), begins=True, past=True, change=Change.CHANGED)


def family(frame: Frame, context: Context) -> Iterator[Draft]:
    """Relatives and children whose existence is stated, and their number."""
    if not frame.path or not states(frame):
        return
    parent = patterns.match(
        rf"(?:be|become)(?: (?:an?|the|proud|single|busy|working|stay-at-home))* (?:mother|father|mum|mom|dad|parent|parents)(?: (?:of|to|with)) (?P<n>{NUMBER})\b(?! (?:year|month))",
        frame.rest,
    ) or patterns.match(rf"(?:raise|bring up|parent) (?P<n>{NUMBER}) (?:kids|children|boys|girls)\b", frame.rest)
    count = (numerals.english_value(parent["n"]) if not parent["n"].isdigit() else int(parent["n"])) if parent else None
    if count:
        yield draft(frame, "children_count", Value(ValueType.NUMBER, str(count)), timeless=True)
        return
    match = patterns.match(
        rf"(?:have|get|be the (?:mother|father|mum|mom|dad|parent) of) (?:got )?(?P<n>{NUMBER}) (?:\w+ )?(?P<k>kids|children|child|kid|boys|girls|toddlers|teenagers|little ones|grown-up children)\b",
        frame.rest,
    )
    if match and frame.subject and frame.subject.role not in ("company", "team"):
        number = (
            {"a": 1, "one": 1, "no": 0}.get(match["n"])
            if match["n"] in ("a", "one", "no")
            else numerals.english_value(match["n"])
            if not match["n"].isdigit()
            else int(match["n"])
        )
        if number is not None:
            yield draft(frame, "children_count", Value(ValueType.NUMBER, str(number)), timeless=True)
        return
    match = patterns.match(r"(?:have|get)(?: got)? (?P<o>(?:an?|one|two|three|four|five|no|any|\d)\s.+)", frame.rest)
    if not match:
        return
    for part, denied in items(match["o"]):
        kin = patterns.match(
            rf"(?P<n>an?|one|two|three|four|five|no|any|\d)?\s*(?P<o>(?:(?:older|younger|elder|little|big|twin|half|step|baby|only|identical)[ -]?)*(?:{context.words('family')}))(?![\w-])(?! (?:in|of) )?",
            part.strip(),
            re.IGNORECASE,
        )
        if kin and kin.start() == 0:
            no = (kin["n"] or "").lower() == "no"
            name = (
                kin["o"]
                if not kin["n"] or kin["n"].lower() in ("a", "an", "no", "any", "one")
                else f"{kin['n']} {kin['o']}"
            )
            yield draft(
                frame, "family_member", text_value(name), negative=frame.negative != (denied or no), timeless=True
            )


def pets(frame: Frame, context: Context) -> Iterator[Draft]:
    """Animals kept; a name after the kind opens a subject of its own."""
    match = patterns.match(
        rf"(?P<v>have|own|adopt|get|keep|buy|rescue|foster|raise)(?: got)? (?P<n>an?|one|two|three|four|five|six|several|some|my|our|no|any|\d+)?\s*(?P<adj>(?:(?!(?:to|in|on|at|for|with|of|and|my|about)\b)[\w\-]+\s+){0,3}?)(?P<o>{context.words('animals')})(?![\w'-])(?! (?:allergy|food|litter|hair|phobia|dander))",
        frame.rest, re.IGNORECASE,
    )  # fmt: skip
    for part, _ in (
        items(frame.rest[match.end() :])[:3]
        if match and frame.path and states(frame) and patterns.match(r"\s*(?:,|and)\s", frame.rest[match.end() :])
        else ()
    ):
        other = patterns.fullmatch(
            rf"(?:an?|one|two|three|four|some|\d+) (?:\w+ )?(?P<o>{context.words('animals')})", part, re.IGNORECASE
        )
        if other:
            yield draft(frame, "has_pet", text_value(other["o"]))
    coming = match and match["v"] != "have" and (frame.progressive or frame.intends)
    if match and frame.path and states(frame) and not coming:
        ended = frame.negative and match["v"] != "have" and frame.tense == "past"
        past_start = match["v"] in ("adopt", "get", "buy", "rescue") and frame.past
        kind = (
            patterns.sub(r"s$", "", match["o"])
            if match["n"] and match["n"].lower() in ("a", "an", "one")
            else match["o"]
        )
        yield draft(
            frame,
            "has_pet",
            text_value(kind),
            negative=frame.negative != ((match["n"] or "").lower() == "no"),
            begins=past_start,
            past=past_start or frame.past,
            ends=ended,
        )
    lost = patterns.search(
        rf"^(?:my|our|the) (?P<o>{context.words('animals')})(?: [A-Z]\w+)?$", frame.thing or "", re.IGNORECASE
    )
    gone = patterns.match(r"(?:die|pass away|be put down|run away)\b", frame.rest)
    if gone and frame.past and (lost or (frame.subject and frame.subject.role == "pet")):
        kind = lost["o"] if lost else frame.subject.word if frame.subject else ""
        yield draft(frame, "has_pet", text_value(kind), subject=USER, negative=True, ends=True, past=True)


RULES = (relationship, family, pets)
