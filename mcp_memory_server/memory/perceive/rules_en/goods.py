"""English rules: investments, belongings, purchases."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, items, states


def investing(frame: Frame, context: Context) -> Iterator[Draft]:
    """Assets held."""
    words = context.words("investments")
    match = patterns.match(
        r"(?:invest|dabble|put (?:most of |all of |some of |all |half of )?(?:my|our) (?:money|savings|cash|pension)|sit|be invested|be)(?: mostly| mainly| heavily| entirely| all)? (?:in|into) (?P<o>.+)",
        frame.rest,
    ) or patterns.match(
        rf"(?:hold|own|buy|have|trade|keep|collect|be buying|be trading)(?: mostly| mainly| some| a few| a bit of| a lot of| shares of| shares in)* (?P<o>(?:{words})\b.*)",
        frame.rest,
        re.IGNORECASE,
    )
    match = match or patterns.match(
        rf"put (?:[\w,.$€£]+ ){{1,4}}(?:in|into) (?P<o>(?:{words})\b.*)", frame.rest, re.IGNORECASE
    )
    match = match or patterns.match(
        r"(?:have|put|park|stick|keep|pour|plough|sink|stash|invest|tie up|move|shift|channel)(?: got)? (?:(?:a bit|some|most|all|half|part|a chunk|a little|a lot|the bulk|the rest|a third|a quarter|everything|much)(?: of)? )?(?:(?:my|our|the|his|her|their) )?(?:money|cash|savings|bonus|salary|pension|inheritance|nest egg|spare cash|retirement (?:money|savings|fund)|capital|wealth|[$€£][\d.,]+k?)?(?: tied up| invested| parked| sitting)? ?(?:in|into) (?P<o>(?!a (?:savings|current|bank)|savings|my|our|the (?:bank|house|flat|car)|cash\b|it\b|this|that)[\w&'’\- ,]+)$",
        frame.rest.strip(" .!"),
    )
    if (
        match
        and frame.verb
        in (
            "have",
            "put",
            "park",
            "stick",
            "keep",
            "pour",
            "plough",
            "sink",
            "stash",
            "tie",
            "move",
            "shift",
            "channel",
        )
        and not (
            patterns.search(
                r"\b(?:money|cash|savings|bonus|salary|pension|inheritance|nest egg|capital|wealth)\b|[$€£]",
                frame.rest[: match.start("o")],
            )
            or patterns.match(rf"(?:{words})\b", clean(match["o"]), re.IGNORECASE)
        )
    ):
        match = None
    sold = patterns.match(
        rf"(?:sell|get rid of|cash out|dump|liquidate)(?: all| off| out of)*(?: of)?(?: my| our| the)? (?P<o>(?:{words})\b)",
        frame.rest,
        re.IGNORECASE,
    )
    if sold and frame.path and frame.past and not frame.negative:
        yield draft(frame, "invests_in", text_value(clean(sold["o"])), negative=True, ends=True, past=True)
        return
    aside = patterns.match(r"(?:have|hold|own|buy|keep) (?P<o>.{3,40}?) as an investment\b", frame.rest)
    if aside and frame.path and states(frame):
        yield from each(frame, "invests_in", aside["o"])
        return
    money = patterns.search(r"\b(?:money|savings|cash|portfolio|pension|nest egg)\b", frame.thing or "", re.IGNORECASE)
    if (
        match
        and (frame.path or money)
        and states(frame)
        and not (frame.negative and frame.verb in ("own", "have"))
        and (
            frame.verb == "invest"
            or money
            or patterns.search(
                r"\b(?:money|cash|savings|bonus|salary|pension|inheritance|nest egg|capital|wealth)\b|[$€£]",
                frame.rest[: match.start("o")],
            )
            or patterns.match(rf"(?:{words})\b", clean(match["o"]), re.IGNORECASE)
            or frame.rest.startswith("put")
        )
    ):
        yield from each(
            frame,
            "invests_in",
            patterns.split(r"\s(?:through|via|with|on|at|every)\b", match["o"], maxsplit=1)[0],
            subject=USER if money else frame.path,
        )


_RISKY = r"(?:very |fairly |quite |rather |pretty |extremely |highly |more |mostly )?(?P<o>risk[- ](?:averse|tolerant|seeking|loving|taker)|conservative|aggressive|cautious|moderate|balanced|defensive|adventurous|low[- ]risk|high[- ]risk|low|high|medium|average|careful)"
_MONEY = r"(?:invest\w*|money|investments?|savings|portfolio|stocks|financ\w+|strategy|pension|markets?)"


def attitudes(frame: Frame, context: Context) -> Iterator[Draft]:
    """The attitude to financial risk, in the words used."""
    if frame.would or frame.obliged or frame.imperative or frame.clause.blocked:
        return
    text, rest = frame.clause.body, frame.rest
    owner = owned(
        frame,
        r"risk (?:appetite|tolerance|preference|profile)|appetite for risk|tolerance for risk|attitude to(?:wards)? risk|(?:investment|investing) (?:style|strategy|approach|philosophy)|approach to (?:investing|money|risk)",
        context.vocabulary,
    )
    if owner and (match := patterns.match(rf"be {_RISKY}\b", rest)):
        yield draft(frame, "risk_preference", text_value(match["o"]), subject=owner, timeless=True)
        return
    if not frame.path:
        return
    match = patterns.match(
        r"be (?:an? )?(?:very |fairly |quite |rather |pretty |extremely |highly |naturally )*(?P<o>risk[- ](?:averse|tolerant|seeking|loving|taker))\b",
        rest,
    ) or patterns.match(rf"be an? {_RISKY} investor\b", rest)
    if match is None and patterns.search(rf"\b{_MONEY}\b", context.sentence, re.IGNORECASE):
        match = patterns.match(
            rf"(?:be|stay|remain|tend to be) {_RISKY}\b(?! (?:to|on|in|at|of)\b)", rest
        ) or patterns.match(
            rf"(?:want|prefer|like|choose|only want|stick to|go for|look for)(?: only)? {_RISKY} (?:investments?|funds?|products?|portfolios?|stocks?|options?|strateg\w+)",
            rest,
        )
    if match and frame.tense != "past":
        yield draft(frame, "risk_preference", text_value(match["o"]), timeless=True)
        return
    appetite = patterns.match(
        r"have (?:an? )?(?:very |fairly |quite |rather )?(?P<o>low|high|moderate|medium|big|small|zero|limited) (?:risk )?(?:appetite|tolerance)(?: for risk)?\b",
        rest,
    )
    phrase = (
        patterns.search(
            r"\b(?P<o>play(?:ing)? it safe|taking (?:big |some )?risks|risking (?:a lot|everything))\b", text
        )
        if patterns.search(rf"\b{_MONEY}\b", text, re.IGNORECASE)
        else None
    )
    if found := appetite or phrase:
        value = "play it safe" if found["o"].startswith("play") else found["o"]
        yield draft(
            frame,
            "risk_preference",
            text_value(value),
            negative=False if patterns.search(r"\bmind\b", text) else None,
            timeless=True,
        )


# What is "a" with a capital and no belonging: days, peoples, degrees and other abbreviations.
_NO_MAKE = re.compile(
    r"(?:[A-Z]{2,4}|PhD|\w+day|January|February|March|April|May|June|July|August|September|October|November|December|Bachelor|Master|Doctor|\w+(?:ish|ese|ian|can)|French|German|Dutch|Greek|Christmas|Zoom|Skype|Teams)\b"
)


def bought_before(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The printer I bought in April": a purchase told in passing."""
    past_buy = patterns.search(
        r"\b(?:the|this|that|my) (?P<o>[\w\-]+(?: [\w\-]+)?) (?:that |which )?(?:I|we) (?:just |only )?(?:bought|ordered|purchased|got myself)\b",
        frame.clause.text,
    )
    if (
        past_buy
        and frame.clause.times
        and not frame.clause.blocked
        and not patterns.match(r"(?i)(?:first|last|only|one|day|time|week|year|moment|way)\b", past_buy["o"])
    ):
        yield draft(frame, "bought", text_value(clean(past_buy["o"])), subject=USER, negative=False, past=True)


def possessions(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "The piano is mine", "a telescope stands in my attic"."""
    if not frame.thing or not states(frame):
        return
    mine = patterns.match(r"(?:belong to (?:me|us)|be (?:all )?mine|be ours|be my own)\b", frame.rest) or (
        patterns.match(
            r"(?:stand|sit|live|hang|sleep|gather dust|be parked|be stored|rust|wait|take up space) ?(?:in|on|outside|behind|under|at) (?:my|our)\b|take pride of place\b",
            frame.rest,
        )
        if frame.tense == "present"
        and patterns.match(r"(?i)an? |two |three |my (?:own|old|new)", frame.thing)
        and not frame.negative
        else None
    )
    if mine and frame.thing and good_object(clean(frame.thing)):
        thing = patterns.split(
            r"\s(?:in|on|at|by|with|under|next|over|outside|parked|that|which)\b", clean(frame.thing), maxsplit=1
        )[0]
        yield draft(frame, "owns", text_value(thing), subject=USER)


def belongings(frame: Frame, context: Context) -> Iterator[Draft]:
    """Things owned, sold or bought."""
    if not (frame.path or frame.thing) or not states(frame):
        return
    named_thing = patterns.match(
        r"(?:have|drive|ride|play|wear|fly|sail|shoot with)(?: got)? an? (?P<o>(?:(?:old|new|vintage|second-hand|secondhand|used|classic|battered|rusty|little|red|blue|white|black|green|silver|yellow|electric) )*[A-Z][\w\-]+(?: [A-Z0-9][\w\-]*){0,3})(?P<more>,? and (?:an? )[\w\- ]+)?$",
        frame.rest.strip(),
    )
    if (
        named_thing
        and frame.path
        and not _NO_MAKE.match(patterns.sub(r"^(?:[a-z\-]+ )+", "", named_thing["o"]))
        and not context.has("conditions", named_thing["o"].lower())
    ):
        yield draft(frame, "owns", text_value(named_thing["o"]))
        if named_thing["more"]:
            yield from each(frame, "owns", patterns.sub(r"^,? and ", "", named_thing["more"]))
        return
    durable = context.words("durables")
    if not frame.path:
        return
    match = patterns.match(
        r"(?:own|possess|inherit(?: [\w ]{1,20}['’]s(?= [a-z]))?|be the (?:proud )?owner of) (?P<o>.+)", frame.rest
    ) or patterns.match(
        rf"(?:have|drive|ride|keep|play)(?: got)? (?P<o>(?:an?|my own|two|three|our own|no)\s(?:(?!\b(?:to|in|on|at|for|with|when|idea|problem|question|lot|look|chat|good|great|bad|appointment|exam|meeting)\b)[\w\-]+\s){{0,3}}?(?:{durable})(?![\w-]).*)",
        frame.rest,
        re.IGNORECASE,
    )
    if match and not (frame.subject and frame.subject.role == "pet"):
        animal = patterns.search(
            rf"\b(?:{context.words('animals')})\b", patterns.split(r",| and ", match["o"], maxsplit=1)[0], re.IGNORECASE
        )
        if not animal:
            text = patterns.split(
                r"\s(?:with|in|on|at|near|from|that|which|for|by|outside|parked|since|down|over|up|out|back)\b",
                match["o"],
                maxsplit=1,
            )[0]
            no = patterns.match(r"no ", text)
            yield from each(
                frame,
                "owns",
                patterns.sub(r"^(?:no |(?:my|our|his|her|their) own )", "", text),
                negative=frame.negative != bool(no),
            )
        return
    match = patterns.match(r"(?:sell|get rid of|trade in|give away|scrap|donate) (?:my|our|the) (?P<o>.+)", frame.rest)
    if match and frame.past and not frame.negative:
        text = patterns.split(r"\s(?:for|to|on|in|at|last|because|and)\b", match["o"], maxsplit=1)[0]
        yield draft(frame, "owns", text_value(clean(text)), negative=True, ends=True, past=True)
        return
    match = patterns.match(
        r"(?:buy|order|purchase|pick up|get (?:my|him|her|them|our)sel(?:f|ves)|treat (?:my|him|her|them|our)sel(?:f|ves) to|invest in|splurge on)(?: myself| me| us)? (?P<o>(?:an?|the|my|our|some|that|this|those|these|two|three|new|another|her|him|[A-Z0-9]).+)",
        frame.rest,
    )
    if (
        match
        and frame.tense in ("past", "perfect")
        and not (frame.negative and not patterns.match(r"(?:buy|order|purchase) (?:the|that|a|an) ", frame.rest))
        and not patterns.match(r"(?:invest in)", frame.rest)
    ):
        text = patterns.split(
            r"\s(?:for (?:my|the|our|her|his|me|\$|€|£|\d[\d.,]*)|from|on|in|at|with|because|that|which|last|to|after|off|via|online|as)\b|[$€£]",
            match["o"],
            maxsplit=1,
        )[0]
        if not patterns.match(rf"(?:some |an? )?(?:{context.words('investments')})\b", text, re.IGNORECASE):
            for part, _ in items(text):
                if good_object(clean(part)) and not patterns.search(
                    rf"^(?:{context.words('animals')})$", clean(part), re.IGNORECASE
                ):
                    yield draft(frame, "bought", text_value(patterns.sub(r"^new ", "", clean(part))), past=True)


RULES = (investing, attitudes, bought_before, possessions, belongings)
