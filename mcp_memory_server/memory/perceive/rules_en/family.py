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
        rf"(?P<v>be|get|become|stay)\b(?: been)?(?: (?:happily|recently|newly|just|officially|still|now|finally|freshly))* (?P<o>{_STATUS})\b(?! by| to find)(?! (?:parent|mum|mom|dad|room|malt|player|thing))",
        frame.rest,
    )
    if match and match["v"] != "get" and patterns.match(r" in\b(?! \d| an?\b)", frame.rest[match.end() :]):
        match = None  # "engaged in trade"
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
    apart = patterns.match(
        r"(?:[A-Z]\w+|my (?:wife|husband|partner|girlfriend|boyfriend|ex)) and I (?:have )?(?P<o>split up|broke up|separated|divorced)\b",
        frame.clause.text,
    )
    if apart:
        word = "divorced" if apart["o"] == "divorced" else "separated"
        yield draft(
            frame,
            "relationship_status",
            text_value(word),
            subject=USER,
            negative=False,
            begins=True,
            past=True,
            change=Change.CHANGED,
        )
        return
    with_one = patterns.match(
        r"be (?P<o>seeing|dating) (?:someone|somebody|a (?:guy|girl|woman|man)|[A-Z]\w+)\b", frame.rest
    ) or (patterns.match(r"(?P<o>see|date) (?:someone|somebody)\b", frame.rest) if frame.progressive else None)
    if with_one and not frame.clause.times:
        yield draft(frame, "relationship_status", text_value("dating"))
        return
    match = patterns.match(
        r"(?P<o>split(?: up)?|break up|separate|divorce|marry|tie the knot|get hitched|pop the question|say yes|propose|lose (?:my|his|her) (?:husband|wife))\b(?! (?:to him|to her)? ?(?:the bill|by|into|off))",
        frame.rest,
    )
    if match and frame.tense in ("past", "perfect") and not frame.negative:
        if (
            patterns.match(r"pop|say yes|propose", match["o"])
            and "engag" not in context.sentence.lower()
            and match["o"] != "pop the question"
        ):
            return
        word = {
            "marry": "married",
            "divorce": "divorced",
            "tie the knot": "married",
            "get hitched": "married",
            "pop the question": "engaged",
            "say yes": "engaged",
            "propose": "engaged",
        }.get(match["o"], "widowed" if match["o"].startswith("lose") else "separated")
        if patterns.search(r"(?i)\bI(?:'m| am) (?:now )?(?:single|divorced|engaged|married)\b", context.sentence):
            return  # said in so many words
        yield draft(frame, "relationship_status", text_value(word), begins=True, past=True, change=Change.CHANGED)


def children_said(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "Our three kids are at boarding school": their number, told in passing."""
    mine = patterns.search(
        rf"(?:^|\b(?:and|with|of|for|to|by|from|all) )(?:my|our) (?P<n>{NUMBER}) (?:(?:small|young|little|grown-up|adult|lovely|wonderful|teenage) )?(?:kids|children|toddlers|teenagers|little ones)\b",
        frame.clause.text,
        re.IGNORECASE,
    )
    there = (
        patterns.match(
            rf"be (?P<n>{NUMBER}) (?:[\w\-]+ )?(?:kids|children|boys|girls|toddlers|teenagers|little ones)\b.*\b(?:at home|at our (?:place|house)|in our (?:house|home|family)|in the (?:house|family)|of (?:our|my) own)\b",
            frame.rest,
        )
        if frame.thing == "there"
        else None
    )
    all_told = patterns.search(
        rf"\b(?P<n>{NUMBER}) (?:kids|children) (?:in all|in total|altogether|between us|all told)\b",
        frame.clause.text,
        re.IGNORECASE,
    )
    found = there or mine or all_told
    count = (numerals.english_value(found["n"]) if not found["n"].isdigit() else int(found["n"])) if found else None
    if count and not frame.clause.blocked:
        yield draft(
            frame, "children_count", Value(ValueType.NUMBER, str(count)), subject=USER, negative=False, timeless=True
        )


def alone(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I'm an only child", "no brothers or sisters, just me"."""
    if not frame.path or frame.clause.blocked or not states(frame):
        return
    none = patterns.search(
        r"(?i)\b(?:no|without|never had (?:any )?|haven't (?:got )?any|don't have any) (?P<o>siblings|brothers or sisters|brothers and sisters)\b",
        frame.clause.text,
    )
    only = patterns.match(r"be an only (?:child|son|daughter)\b", frame.rest)
    if (none or only) and frame.path and not frame.negative and not patterns.match(r"have", frame.rest):
        yield draft(frame, "family_member", text_value(none["o"] if none else "siblings"), negative=True, timeless=True)


def family(frame: Frame, context: Context) -> Iterator[Draft]:
    """Relatives and children whose existence is stated, and their number."""
    if not (frame.path or frame.thing == "there") or not states(frame):
        return
    parent = patterns.match(
        rf"(?:be|become)(?: (?:an?|the|proud|single|busy|working|stay-at-home))* (?:mother|father|mum|mom|dad|parent|parents)(?: (?:of|to|with)) (?P<n>{NUMBER})\b(?! (?:year|month))",
        frame.rest,
    ) or patterns.match(rf"(?:raise|bring up|parent) (?P<n>{NUMBER}) (?:kids|children|boys|girls)\b", frame.rest)
    count = (numerals.english_value(parent["n"]) if not parent["n"].isdigit() else int(parent["n"])) if parent else None
    if count:
        yield draft(frame, "children_count", Value(ValueType.NUMBER, str(count)), timeless=True)
        return
    beside = patterns.search(
        rf"\bwith (?P<n>{NUMBER}) (?:(?:small|young|little|grown-up|adult|lovely|wonderful|of my own|teenage) )?(?:kids|children|boys|girls|toddlers|teenagers|little ones)\b(?! in (?:the|my) (?:class|group|team))",
        frame.clause.text,
    )
    if (
        beside
        and not patterns.match(
            r"(?:work|play|help|deal|talk|go|travel|live with|stuck|be (?:good|great|patient|out|here|there))\b",
            frame.rest,
        )
        and frame.verb
    ):
        count = numerals.english_value(beside["n"]) if not beside["n"].isdigit() else int(beside["n"])
        if count:
            yield draft(frame, "children_count", Value(ValueType.NUMBER, str(count)), negative=False, timeless=True)
            if not frame.rest.startswith("have"):
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
    among = patterns.match(r"be (?:\w+) of us\b", frame.rest) and frame.thing == "there"
    listed = patterns.search(r"\bof us\b[^:]{0,20}: (?P<o>.+)", context.sentence)
    if among and listed:
        yield from _relatives(frame, context, listed["o"])
        return
    childless = patterns.match(r"have (?:any )?(?P<o>kids|children)\b", frame.rest) if frame.negative else None
    if childless and frame.path:
        yield draft(frame, "family_member", text_value(childless["o"]), timeless=True)
        return
    match = patterns.match(r"(?:have|get)(?: got)? (?P<o>(?:an?|one|two|three|four|five|no|any|\d)\s.+)", frame.rest)
    if match:
        yield from _relatives(frame, context, match["o"])


def _relatives(frame: Frame, context: Context, text: str) -> Iterator[Draft]:
    """A fact for each relative of a list."""
    for part, denied in items(text):
        kin = patterns.match(
            rf"(?P<n>an?|one|two|three|four|five|no|any|\d)?\s*(?P<o>(?:(?:older|younger|elder|little|big|twin|half|step|baby|only|identical)[ -]?)*(?:{context.words('family')}))(?![\w-])(?! (?:in|of) )?",
            part.strip(),
            re.IGNORECASE,
        )
        if kin and kin.start() == 0 and not (frame.past and kin["o"].lower() in ("baby", "twin", "twins")):
            no = (kin["n"] or "").lower() == "no"
            name = (
                kin["o"]
                if not kin["n"] or kin["n"].lower() in ("a", "an", "no", "any", "one")
                else f"{kin['n']} {kin['o']}"
            )
            yield draft(
                frame,
                "family_member",
                text_value(name),
                negative=frame.negative != (denied or no),
                subject=frame.path or USER,
                timeless=True,
            )


def pets(frame: Frame, context: Context) -> Iterator[Draft]:
    """Animals kept; a name after the kind opens a subject of its own."""
    if not states(frame):
        return
    home = patterns.fullmatch(r"(?:my|our) (?:household|home|house|family|flat)", frame.thing or "", re.IGNORECASE)
    match = context.rx(r"(?P<v>have|own|adopt|get|keep|buy|rescue|foster|raise|share (?:(?:my|our) (?:[a-z]+ ){1,2}|life )with|include|take (?:in|on)|bring home|welcome|inherit|care for|look after|end up with|live with|be the (?:proud )?(?:owner|parent|human) of|be (?:an? )?(?:dog|cat|pet) owner)(?: got)? (?P<n>an?|one|two|three|four|five|six|several|some|my|our|no|any|\d+)?\s*(?P<adj>(?:(?!(?:to|in|on|at|for|with|of|and|my|about|around|over|up|into|off|from|after)\b)[\w\-]+\s+){0,3}?)(?P<o>(?:⟨animals⟩)s?|pets?)(?![\w'-])(?! (?:allergy|food|litter|hair|phobia|dander|shop|insurance|sitter|person|lover))").match(frame.rest)  # fmt: skip
    subject = frame.path or (USER if home else "")
    if match and subject and (frame.path or match["v"] in ("include", "have")):
        yield from _kept(frame, match, subject, context)
    around = (
        context.rx(
            r"be (?:an? |two |three |four |five )?(?:[\w\-]+ ){0,2}?(?P<o>(?:⟨animals⟩)s?) (?:living|in our|at our|under our|asleep|sleeping)\b",
            0,
        ).match(frame.rest)
        if frame.thing == "there"
        else None
    )
    beside = around or context.rx(
        r"(?i:an?|two|three|four|five|six|our|several|a (?:pair|couple|trio) of)\s+(?:(?!that\b|who\b)[\w\-]+\s+){0,3}?(?P<o>(?:⟨animals⟩)s?)(?: (?:called|named) (?:[A-Z]\w+(?:,? and )?)+)? (?:shares?|lives?|rules?|runs?|occupies|sleeps?|roams?|keeps?|(?:has|have) (?:taken over|claimed|moved into|joined|invaded|conquered|adopted)) (?:with (?:me|us)|us\b|(?:our|my|the) (?:house|home|flat|sofa|bed|kitchen|garden|household|place|life)|me company|us company)\b",
        0,
    ).match(frame.clause.body.strip())
    if beside and not frame.negative and frame.path in ("", USER):
        yield draft(frame, "has_pet", text_value(beside["o"]), subject=USER, timeless=True)
        return
    called = context.rx(
        r"be (?:an? )?(?:[\w\-]+ ){0,2}?(?P<o>(?:⟨animals⟩)s?)(?:$|[,.;]| (?:and|but|who|called|from)\b)"
    ).match(frame.rest)
    if (
        called
        and frame.subject
        and frame.subject.role == "pet"
        and frame.explicit
        and not frame.negative
        and frame.tense != "past"
    ):
        yield draft(frame, "has_pet", text_value(called["o"]), subject=USER, timeless=True)
    lost = context.rx(r"^(?:my|our|the) (?P<o>(?:⟨animals⟩)s?)(?: [A-Z]\w+)?$").search(frame.thing or "")
    gone = patterns.match(r"(?:die|pass away|be put down|run away)\b", frame.rest)
    if gone and frame.past and (lost or (frame.subject and frame.subject.role == "pet")):
        kind = lost["o"] if lost else frame.subject.word if frame.subject else ""
        yield draft(frame, "has_pet", text_value(kind), subject=USER, negative=True, ends=True, past=True)


def _kept(frame: Frame, match: re.Match[str], subject: str, context: Context) -> Iterator[Draft]:
    """The animals of a list that opens with `match`."""
    if match["v"] != "have" and (frame.progressive or frame.intends):
        return  # still to come
    after = frame.rest[match.end() :]
    for part, _ in items(after)[:3] if patterns.match(r"\s*(?:,|and)\s", after) else ():
        other = context.rx(r"(?:an?|one|two|three|four|some|\d+) (?:\w+ )?(?P<o>(?:⟨animals⟩)s?)").fullmatch(part)
        if other:
            yield draft(frame, "has_pet", text_value(other["o"]), subject=subject)
    if match["v"] in ("look after", "care for", "live with", "end up with", "inherit") and (
        frame.path != USER or frame.intends or frame.clause.times
    ):
        return
    past_start = (
        match["v"] in ("adopt", "get", "buy", "rescue", "take in", "take on", "bring home", "welcome", "inherit")
        and frame.past
    )
    single = match["n"] and match["n"].lower() in ("a", "an", "one")
    yield draft(
        frame,
        "has_pet",
        text_value(patterns.sub(r"s$", "", match["o"]) if single else match["o"]),
        subject=subject,
        negative=frame.negative != ((match["n"] or "").lower() == "no"),
        begins=past_start,
        past=past_start or frame.past,
        ends=frame.negative and match["v"] != "have" and frame.tense == "past",
    )


RULES = (relationship, children_said, alone, family, pets)
