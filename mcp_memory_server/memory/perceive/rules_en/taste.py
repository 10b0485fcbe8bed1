"""English rules: likes, dislikes, preferences, form of answers."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, items, states

_LIKE = r"(?:like|love|enjoy|adore|be (?:a (?:big |huge |massive |real |great )?fan of|fond of|keen on|into|crazy about|mad about|obsessed with|hooked on|partial to|big on|a sucker for|passionate about|addicted to)|can not get enough of|have a (?:soft spot|weakness|thing) for|be (?:really |so |very |quite |totally )?into|fancy|crave)"


_HATE = r"(?:hate|dislike|detest|loathe|despise|can not (?:stand|bear|abide|stomach|handle)|stand|bear|stomach|abide|be (?:sick of|not a fan of|averse to|allergic to the idea of)|avoid|mind|care for|have no time for)"


def tastes(frame: Frame, context: Context) -> Iterator[Draft]:
    """Likes and dislikes."""
    yield from _favourites(frame, frame.rest)
    yield from _turned(frame)
    shuns = patterns.match(
        r"(?:go (?:any ?where )?near|come near|touch|eat|drink|have anything to do with|set foot near|hear of|look at|be caught dead (?:with|in|eating|wearing)) (?P<o>(?!(?:it|them|that|this|me|him|her|us|you|anything|the (?:brakes?|money|subject|savings|fund|principal))\b)[\w'’\- ]+?)(?: with a bargepole| at all| for (?:love nor money|anything))?\s*$",
        frame.rest.strip(" .!"),
    )
    if (
        shuns
        and frame.path
        and frame.negative
        and not frame.clause.times
        and patterns.search(r"(?i)\b(?:won't|will not|would(?:n't| not)|refuse)", frame.clause.text)
    ):
        yield from each(frame, "dislikes", shuns["o"], negative=False)
        return
    if not frame.path or frame.would or frame.intends or frame.obliged or frame.imperative:
        return
    rest = frame.rest
    anything_but = patterns.match(
        r"(?:please,? |literally |absolutely )?anything but (?P<o>[\w\- ]+?)(?: (?:for me|please|again|will do|works|is fine))*$",
        frame.clause.body.strip(" .!,"),
        re.IGNORECASE,
    )
    if anything_but and frame.clause.first and not frame.clause.times:
        yield from each(frame, "dislikes", anything_but["o"], subject=USER, negative=False)
        return
    better = patterns.match(r"(?:like|love|enjoy) (?P<o>.+?) (?:better|more) than (?P<x>.+)$", rest)
    if better and not frame.negative:
        yield from each(frame, "prefers", better["o"])
        return
    off = patterns.match(
        r"go (?:right |completely |totally )?off (?P<o>[a-z][\w\- ]*?)(?: lately| recently| completely| altogether| of late)?$",
        rest.strip(),
    )
    if off and frame.tense in ("perfect", "past") and not frame.clause.times and good_object(clean(off["o"])):
        yield from each(frame, "dislikes", off["o"], negative=False, begins=True, change=Change.CHANGED)
        return
    match = patterns.match(rf"{_LIKE} (?P<o>.+)", rest)
    if match and not patterns.match(
        r"(?:like|love) (?:that|this|it|you|them|him|her|how|what|when|the way|the idea|your)\b", rest
    ):
        if frame.negative or frame.ended:
            if patterns.search(r"\b(?:exactly|particularly)\b", rest):
                return
            yield from each(
                frame,
                "dislikes",
                _activity(match["o"]),
                negative=False,
                begins=frame.ended,
                change=Change.CHANGED if frame.ended else Change.NONE,
            )
            return
        yield from each(frame, "likes", _activity(match["o"]))
        return
    match = patterns.match(rf"{_HATE} (?P<o>.+)", rest)
    verb = rest.split(" ")[0]
    if match and not patterns.match(
        r"(?:hate|dislike) (?:that|this|it|you|when|how|to (?:say|break|ask|bother|be)|being|the way|the idea|your)\b",
        rest,
    ):
        needs_denial = verb in ("stand", "bear", "stomach", "abide", "mind", "care") or patterns.match(
            r"be not a fan", rest
        )
        if bool(needs_denial) and (not frame.negative or verb == "mind"):
            return
        denied = False if needs_denial else frame.negative
        yield from each(frame, "dislikes", _activity(match["o"]), negative=denied)
        return
    if (
        frame.negative
        and not frame.ended
        and (
            match := patterns.match(
                r"(?:eat|touch|drink) (?!(?:during|on|in|at|before|after|when|while|with|to|alone|anything|from|until|because|like|as)\b)(?P<o>.+)",
                rest,
            )
        )
        and frame.tense == "present"
        and not frame.progressive
        and not frame.can
        and not (frame.clause.times)
    ) and not patterns.search(r"\b(?:enough|much|breakfast|lunch|dinner|out|alcohol|before|after|at)\b", match["o"]):
        yield from each(frame, "dislikes", match["o"], negative=False)


def _favourites(frame: Frame, rest: str) -> Iterator[Draft]:
    favourite = patterns.fullmatch(
        r"(?:my|our) (?:absolute |all-time |new |current )?(?:favou?rite|go-to|guilty pleasure|comfort food)(?P<k> [\w\- ]+)?",
        frame.thing or "",
        re.IGNORECASE,
    )
    if favourite and rest.startswith("be ") and not frame.negative:
        kind = (favourite["k"] or "").strip()
        now = Change.CHANGED if "now" in frame.adverbs or "no longer" in frame.adverbs else Change.NONE
        yield from (
            draft(
                frame,
                "prefers" if kind else "likes",
                text_value(clean(part), scope=kind or None),
                subject=USER,
                change=now,
            )
            for part, _ in items(rest[3:])
            if good_object(clean(part))
        )
    elif (
        patterns.match(r"be (?:my|our) (?:absolute |all-time )?favou?rite\b", rest)
        and frame.thing
        and good_object(clean(frame.thing))
    ):
        yield draft(frame, "likes", text_value(clean(frame.thing)), subject=USER)


def _turned(frame: Frame) -> Iterator[Draft]:
    """ "Nothing beats a thunderstorm"."""
    text = frame.clause.body.strip()
    if frame.would or frame.intends:
        return
    best = patterns.match(
        r"(?:nothing|there is nothing|there's nothing) (?:beats|better than|i (?:like|love|enjoy) more than) (?P<o>.+)",
        text,
        re.IGNORECASE,
    )
    if best and good_object(clean(best["o"])):
        yield draft(frame, "likes", text_value(clean(best["o"])), subject=USER, negative=False)
        return


def _activity(text: str) -> str:
    """What is liked, without the company, the time and the reason it is done in."""
    text = patterns.sub(r"^to ", "", text)
    return patterns.split(
        r"\s(?:with (?:my|the|friends|a)|on (?:weekends|sundays|saturdays|the weekend|rainy|sunny|cold|hot)|in (?:the (?:morning|evening|afternoon|summer|winter|rain|snow)|summer|winter|my)|at (?:night|home|the|weekends)|after (?:work|dinner)|during|ever since|not even|no matter|from across|when|even)\b",
        text,
        maxsplit=1,
    )[0]


def preferences(frame: Frame, context: Context) -> Iterator[Draft]:
    """The option chosen over others."""
    rest = frame.rest
    stated = (
        patterns.match(r"be (?:for |towards? )?(?:an? |the )?(?P<o>.+)", rest)
        if owned(frame, "preference", context.vocabulary)
        else None
    )
    if stated:
        yield from each(frame, "prefers", stated["o"], subject=owned(frame, "preference", context.vocabulary))
        return
    over = patterns.match(
        r"(?:take|choose|pick|have|go for|opt for) (?P<o>.+?) (?:over|rather than|instead of) .+", rest
    )
    if over and frame.path and frame.intends and not frame.obliged and not frame.negative and not frame.clause.times:
        yield from each(frame, "prefers", over["o"])
        return
    if frame.path and not frame.intends and not frame.imperative:
        match = patterns.match(r"prefer (?P<o>.+?)(?: (?:to|over|rather than|instead of) (?P<x>.+))?$", rest)
        if match and (not frame.would or match["x"]) and not patterns.match(r"(?:not|it|that|if)\b", match["o"]):
            options = patterns.split(
                r"\s(?:to|over|rather than|instead of|for (?:short|long|work|my)|when|on|because)\s",
                match["o"],
                maxsplit=1,
            )[0]
            options = patterns.sub(r"^to ", "", options) if options.startswith("to ") else options
            yield from each(frame, "prefers", options, negative=False if frame.negative else None)
            return
        if (
            frame.would
            and (
                match := patterns.match(
                    r"(?:rather |sooner )?(?P<o>.+?) (?:than|instead of|over|rather than) (?P<x>.+)$", rest
                )
            )
            and (
                "rather" in frame.adverbs
                or rest.startswith("sooner ")
                or patterns.search(
                    r"(?i)'d (?:much |far )?(?:rather|sooner)|would (?:much |far )?(?:rather|sooner)", frame.clause.text
                )
            )
        ):
            yield draft(frame, "prefers", text_value(_gerund_or(match["o"])))
            return
        match = patterns.match(
            r"(?:always )?(?:choose|pick|take|go for|opt for|go with|plump for|favou?r|reach for|have|stick with|vote for) (?P<o>.+?) (?:over|rather than|instead of|any day) ?.*",
            rest,
        ) or patterns.match(
            r"(?:lean(?: more)? (?:towards?|to)|be (?:firmly |very much )?(?:on )?team|be (?:firmly )?in the(?= [\w\- ]{2,30} camp)|gravitate (?:towards?|to)|be (?:more|much more) (?:of a |into )|favou?r|opt for|always go for|always choose|always pick|plump for) ?(?P<o>(?!both\b).+?)(?: (?:camp|guy|girl|person|kind of person))?(?:,? (?:over|rather than|instead of|than|not) .+)?$",
            rest,
        )
        if match and not (frame.obliged or frame.used_to or frame.past or frame.negative):
            yield from each(frame, "prefers", match["o"])
            return
        match = patterns.match(
            r"be (?:more of )?an? (?P<o>\w+)(?: person)(?:,| rather| not| more| than| through|$)", rest
        )
        if (
            match
            and states(frame)
            and not frame.negative
            and match["o"].lower()
            not in (
                "nice",
                "good",
                "bad",
                "shy",
                "private",
                "people",
                "different",
                "kind",
                "happy",
                "busy",
                "changed",
                "very",
                "calm",
            )
        ):
            yield draft(frame, "prefers", text_value(match["o"]))
            return
    clause = frame.clause.body.strip()
    won = patterns.match(
        r"(?:(?:I |we )?(?:always |usually )?(?:find |think )?(?:that )?)(?P<o>(?!(?:nothing|it|that|this|who|which|he|she|they|i|we)\b)[\w'’\-]+(?: [\w'’\-]+){0,3}?) (?:(?:always |usually |still )?(?:wins?|beats? (?:\w+ ?){1,4}?|trumps? (?:\w+ ?){1,4}?)(?: (?:every (?:single )?time|hands down|for me|any day(?: of the week)?|in my book|out for me))+|suits? me (?:better|best|more)(?: than .+)?|(?:is|are) my (?:go-to|preference|first choice|default|pick)|(?:is|are) (?:much |far |a lot )?(?:better|best|easier|nicer)(?: than .{2,30}?)? for me|(?:works?|agrees?) (?:better|best) for me(?: than .+)?|all the way|over .{2,30}? (?:any day|every time|any time|always))\b",
        clause,
        re.IGNORECASE,
    )
    if won and good_object(clean(won["o"])) and not frame.clause.blocked and not frame.negative:
        yield draft(frame, "prefers", text_value(clean(won["o"])), subject=USER, negative=False)
        return
    match = patterns.match(
        r"(?:an? )?(?P<o>[\w\- ]{3,40}?)(?: seats?)?(?P<seat> seats?)? (?:for me|any day|every time(?=\s*[.,!]|$)|over \w+)\b",
        clause,
        re.IGNORECASE,
    )
    if (
        match
        and not frame.explicit
        and not frame.imperative
        and not patterns.search(r"(?i)\b(?:is|are|was|were|seems?|feels?)\b", match["o"])
        and not patterns.match(
            r"(?:\w+ing\b|piece of|second nature|a breeze|child's|too|not|block|keep|hold|save|leave|put|works?|good|great|fine|ok|okay|hard|easy|new|enough|perfect|important|impossible|better|best|find|book|order|get|buy|call|do|make|pls|plz|kindly|forward|mail|email|pass|hand|move|take|turn|switch|check|look|search|same|that'?s|thanks?|please|can|could|set|remind|add|send|write)\b",
            clause,
            re.IGNORECASE,
        )
    ):
        none = patterns.match(r"no (?:more )?(?P<x>[\w\- ]+?) for me", clause, re.IGNORECASE)
        if none:
            allergic = "allerg" in context.sentence.lower()
            yield draft(
                frame,
                "allergic_to" if allergic else "dislikes",
                text_value(clean(none["x"])),
                subject=USER,
                negative=False,
            )
            return
        full = patterns.match(r"(?:an? )?(.+?) (?:for me|any day|every time|over )", clause, re.IGNORECASE)
        if full and good_object(clean(full[1])) and len(full[1].split()) <= 4:
            yield draft(frame, "prefers", text_value(clean(full[1])), subject=USER, negative=False)


def _gerund_or(text: str) -> str:
    return clean(text)


_FORMS = {
    "short": r"\b(?:short(?:er)?|brief(?:er)?|concise|succinct|terse|to the point)\b", "bullet points": r"\bbullet(?:ed)?(?:[ -]?points?| lists?|s)\b", "table": r"\btables?\b",
    "step by step": r"\bstep[- ]by[- ]step\b", "detailed": r"\b(?:detailed|in detail|thorough|in depth|in-depth)\b", "no emojis": r"\b(?:no|without|skip the|drop the|avoid|stop using|do not use|don't use) emojis?\b",
    "no jargon": r"\b(?:no|without|avoid|skip the) jargon\b", "markdown": r"\bmarkdown\b", "plain text": r"\bplain text\b", "formal": r"\bformal(?:ly)?\b", "informal": r"\b(?:informal|casual)(?:ly)?\b",
    "examples": r"\b(?:with|include|give|use|add) (?:concrete |code |some |an? )?examples?\b", "plain English": r"\bplain english\b", "metric units": r"\bmetric(?: units)?\b", "simple words": r"\bsimple (?:words|language|terms)\b",
    "numbered list": r"\bnumbered lists?\b", "json": r"\bjson\b", "code only": r"\bcode only\b|\bonly (?:the )?code\b", "no small talk": r"\b(?:no|without|skip the) (?:small talk|preamble|fluff|pleasantries|filler)\b",
}  # fmt: skip


_ANSWERS = re.compile(
    r"\b(?:answers?|answering|repl(?:y|ies|ying)|respon(?:d|se|ses)|explanations?|explain|messages?|summar(?:y|ies|ise|ize)|write|speak|talk to me|format|output|keep it|be)\b",
    re.IGNORECASE,
)


_STANDING = re.compile(
    r"\b(?:always|from now on|in future|in the future|going forward|please|when you|when answering|i prefer|i like|i want|i'd like|keep|never|for me|your|every time|whenever)\b",
    re.IGNORECASE,
)


def formats(frame: Frame, context: Context) -> Iterator[Draft]:
    """How answers should be given."""
    sentence = context.sentence
    if (
        not _ANSWERS.search(sentence)
        or not _STANDING.search(sentence)
        or (frame.subject and not frame.subject.is_user and frame.explicit)
    ):
        return
    about_answers = patterns.search(
        r"\b(?:your (?:answers?|repl|respon|explanations?|messages?)|answers?|answer|repl(?:y|ies)|respond|explain|explanations?|summari[sz]e|summar(?:y|ies)|write to me|bullet|talk to me|speak to me|keep it)\b",
        sentence,
        re.IGNORECASE,
    )
    if not about_answers or not (
        frame.imperative
        or frame.verb in ("prefer", "like", "want", "use", "need", "keep")
        or not frame.explicit
        or frame.thing
    ):
        return
    for name, pattern in _FORMS.items():
        found = patterns.search(pattern, frame.clause.text, re.IGNORECASE)
        if found:
            before = frame.clause.text[: found.start()]
            refused = patterns.search(
                r"(?i)\b(?:no|not|without|avoid|stop using|skip|drop|never|don't use|do not use) (?:\w+ )?$", before
            )
            if refused:
                name = f"no {name.removeprefix('no ')}"
            yield draft(frame, "prefers_format", text_value(name), subject=USER, negative=False, timeless=True)
    length = patterns.search(
        r"\b(?P<o>(?:under|at most|no more than|within|fewer than|less than|max(?:imum)?(?: of)?) (?:\d+|two|three|four|five|ten) (?:words|sentences|lines|paragraphs|characters))\b",
        frame.clause.text,
        re.IGNORECASE,
    )
    if length:
        yield draft(
            frame, "prefers_format", text_value(length["o"].lower()), subject=USER, negative=False, timeless=True
        )
    match = patterns.search(
        rf"\b(?:answers?|reply|replies|responses?|respond|write|speak|talk)(?: to me| me)?(?: only| always)? in (?P<o>(?:british |american |plain |simple )?(?:{context.words('languages')}))\b",
        frame.clause.text,
        re.IGNORECASE,
    )
    if match:
        yield draft(frame, "prefers_format", text_value(match["o"]), subject=USER, negative=False, timeless=True)


RULES = (tastes, preferences, formats)
