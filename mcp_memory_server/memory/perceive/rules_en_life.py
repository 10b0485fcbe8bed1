"""English rules: health, food, tastes, habits, what is hard and what is mastered, moods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, items, states
from mcp_memory_server.memory.perceive.when import Bind


def allergies(frame: Frame, context: Context) -> Iterator[Draft]:
    """Substances a person is allergic to."""
    if not frame.path or not states(frame):
        return
    match = patterns.match(r"(?:be|become|turn out to be)(?: (?:very|highly|severely|deathly|mildly|slightly|really|terribly|badly))? allergic to (?P<o>.+)", frame.rest)
    if match:
        for part, denied in items(patterns.sub(r"\s(?:after all|as far as|any ?more|since|because)\b.*$", "", match["o"])):
            value = clean(patterns.sub(r"^(?:all|any|most) (?:kinds? of|sorts? of)?\s*", "", part))
            if good_object(value):
                change = Change.CORRECTED if "after all" in frame.rest else Change.NONE
                yield draft(frame, "allergic_to", text_value(value), negative=frame.negative != denied, change=change)
        return
    match = patterns.match(r"(?:have|suffer from|get|develop)(?: got)? (?P<no>no )?(?:an? )?(?:(?:bad|severe|mild|serious|slight|strong|life-threatening)\s)?(?:allergy to (?P<o1>.+)|(?P<o2>[\w\- ]+?) allerg(?:y|ies)\b)", frame.rest)
    if match:
        for part, _ in items(match["o1"] or match["o2"]):
            value = clean(part)
            if good_object(value) and value.lower() not in ("food", "skin", "seasonal", "drug", "known"):
                yield draft(frame, "allergic_to", text_value(value), negative=frame.negative != bool(match["no"]), begins=frame.rest.startswith("develop"))


_DISEASE = r"(?:[\w\-']+ )?[\w\-]*(?:itis|osis|aemia|emia|algia|opathy|plegia|phobia|oma|uria|ectomy|sclerosis|syndrome|disease|disorder|deficiency|intolerance|infection|fracture|hernia|impairment|dystrophy)"
_PARTS = r"(?:arm|leg|ankle|wrist|foot|toe|knee|hip|shoulder|elbow|finger|thumb|hand|collarbone|rib|ribs|nose|jaw|back|neck|tooth|hamstring|calf|achilles|achilles tendon|acl|meniscus|ligament|tendon|heel|pelvis|tailbone|skull)"
_INJURY = {"break": "broken", "sprain": "sprained", "tear": "torn", "fracture": "fractured", "dislocate": "dislocated", "twist": "twisted", "strain": "strained", "pull": "pulled", "injure": "injured", "rupture": "ruptured"}


def conditions(frame: Frame, context: Context) -> Iterator[Draft]:
    """Illnesses, injuries, disabilities, pregnancy."""
    if not frame.path or not states(frame) or frame.subject is None or frame.subject.role in ("company", "team"):
        return
    known = context.words("conditions")
    adjective = patterns.match(rf"(?:be|become|get|go)(?: (?:mildly|severely|slightly|partially|totally|completely|legally|\d+ \w+|\w+ \w+)){{0,2}} (?P<o>{context.words('condition_adjectives')})(?![\w-])", frame.rest, re.IGNORECASE)
    if adjective:
        yield draft(frame, "has_condition", text_value(_condition_name(adjective["o"])))
        return
    match = patterns.match(
        r"(?:have|suffer from|get|live with|develop|catch|be diagnosed with|be diagnosed as having|be battling|battle|be recovering from|recover from|be treated for|struggle with)(?: got| been diagnosed with)? (?P<no>no )?(?P<o>.+)",
        frame.rest,
    )
    if match:
        sure = patterns.match(r"suffer from|be diagnosed|live with", frame.rest) is not None
        for part, denied in items(patterns.split(r"\s(?:in (?:my|his|her|the)|since|from|for|after|and (?:take|am|is|have to|can)|so|that)\b", match["o"], maxsplit=1)[0]):
            word = clean(part)
            if context.has("conditions", word) or context.has("conditions", f"a {word}".lower()) or patterns.fullmatch(_DISEASE, word, re.IGNORECASE) or patterns.fullmatch(rf"(?:{known})", word, re.IGNORECASE) or (sure and good_object(word) and len(word.split()) <= 4):
                begun = bool(patterns.match(r"get|develop|catch|be diagnosed", frame.rest))
                yield draft(frame, "has_condition", text_value(word), negative=frame.negative != (denied or bool(match["no"])), begins=begun or frame.tense == "perfect")
    injury = patterns.match(rf"(?P<v>{'|'.join(_INJURY)}) (?:my|his|her|their|the|an?) (?P<o>(?:left |right |lower |upper |little |big |front )?{_PARTS})\b", frame.rest)
    if injury and frame.past:
        yield draft(frame, "has_condition", text_value(f"{_INJURY[injury['v']]} {injury['o']}"), begins=True, past=True)
    have = patterns.match(rf"have (?:an? |two )?(?P<o>(?:broken|sprained|torn|fractured|dislocated|twisted|bad|sore|stiff|artificial|prosthetic) (?:left |right |lower )?{_PARTS}s?)\b", frame.rest)
    if have:
        yield draft(frame, "has_condition", text_value(have["o"]))


def _condition_name(word: str) -> str:
    return {"lactose-intolerant": "lactose intolerance", "lactose intolerant": "lactose intolerance", "gluten intolerant": "gluten intolerance"}.get(word.lower(), word)


def medication(frame: Frame, context: Context) -> Iterator[Draft]:
    """Drugs and supplements taken."""
    if not frame.path or not states(frame):
        return
    drug = rf"(?P<o>(?:{context.words('medications')})|[a-z]+(?:statin|pril|olol|sartan|mycin|cillin|azole|prazole|oxetine|pine|formin|gliptin|xaban|dronate|triptan|azepam|setron|vir|mab))(?![\w])"
    for match in patterns.finditer(rf"(?:(?:^|\b(?:and|or)\s+)(?P<v>take|be on|be prescribed|be given|be put on|go on|start|stop taking|stop|come off|get off|be off|use|inject|need)|,|\band)\s+(?:the |my |a |an |some |daily |weekly |low-dose |\d+ ?mg (?:of )?|taking |a course of )*{drug}", frame.rest, re.IGNORECASE):
        verb = (patterns.match(r"(take|be on|be prescribed|be given|be put on|go on|start|stop taking|stop|come off|get off|be off|use|inject|need)\b", frame.rest) or [""])[0]
        if not verb:
            continue
        off = verb in ("stop taking", "stop", "come off", "get off", "be off")
        yield draft(frame, "takes_medication", text_value(match["o"]), negative=True if off else None, ends=off or frame.ended or frame.used_to, begins=verb in ("go on", "start", "be put on") or frame.tense == "perfect" or frame.started)
    if (match := patterns.match(r"take (?P<o>[\w\- ]+?)(?:,? \d+ ?mg)? for my (?:\w+ )?(?:blood pressure|heart|thyroid|cholesterol|asthma|diabetes|pain|allerg\w+|anxiety|depression|migraines?|back|sleep|stomach|skin)", frame.rest)) and good_object(clean(match["o"])):
        word = clean(match["o"])
        if not patterns.fullmatch(rf"(?:{context.words('medications')})", word, re.IGNORECASE):
            yield draft(frame, "takes_medication", text_value(word))


def body(frame: Frame, context: Context) -> Iterator[Draft]:
    """Height and weight."""
    if not states(frame) or frame.negative:
        return
    of_height = patterns.fullmatch(r"(?:my|the user's) height", frame.thing or "", re.IGNORECASE)
    of_weight = patterns.fullmatch(r"(?:my|the user's) (?:body ?)?weight", frame.thing or "", re.IGNORECASE)
    subject = USER if of_height or of_weight else frame.path
    if not subject:
        return
    feet = patterns.match(r"be (?:about |around |only |just |exactly )?(?P<f>[4-7]|four|five|six|seven)(?: ?(?:foot|feet|ft)\.? ?|['’] ?)(?P<i>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)?", frame.rest)
    if feet and not patterns.match(r"be \w+ (?:feet|foot) (?:away|from)", frame.rest):
        foot, inch = (numerals.english_value(t) if t and not t.isdigit() else Decimal(t or 0) for t in (feet["f"], feet["i"]))
        if foot is not None:
            yield draft(frame, "height", Value(ValueType.NUMBER, str(int(foot * 12 + (inch or 0))), "in"), subject=subject, timeless=True)
        return
    for item in quantity.find(frame.rest, "en"):
        if item.kind != "measure":
            continue
        tall = patterns.search(r"\btall\b", frame.rest) or of_height
        if item.unit in ("cm", "m", "in") and (tall or (item.unit == "cm" and frame.verb == "be" and 50 < item.value < 260)):
            yield draft(frame, "height", item.as_value(), subject=subject, timeless=True)
            return
        if item.unit in ("kg", "lb", "stone", "jin") and (frame.verb == "weigh" or of_weight or patterns.match(r"be (?:down to |up to |now |at |about |around )*\d", frame.rest)):
            yield draft(frame, "weight", item.as_value(), subject=subject, timeless=True)
            return


def diet(frame: Frame, context: Context) -> Iterator[Draft]:
    """Named ways of eating."""
    if not frame.path or not states(frame):
        return
    words = context.words("diets")
    match = (
        patterns.match(rf"(?:be|become|go|turn|stay|remain|raise|be raised)(?: (?:an?|strictly|mostly|fully|basically|on a|on the|strict|committed|lifelong|eating|doing))* (?P<o>{words})(?![\w-])(?: diet)?(?! (?:restaurant|food|place|caf|menu|option|recipe|friend))", frame.rest, re.IGNORECASE)
        or patterns.match(rf"(?:eat|keep|follow|do|stick to|cook|need|be on)(?: (?:an?|the|only|strictly|mostly|my))* (?P<o>{words})(?![\w-])(?: diet| food| meat)?", frame.rest, re.IGNORECASE)
    )
    if match:
        changed = bool(patterns.match(r"become|go|turn", frame.rest)) or frame.started
        yield draft(frame, "follows_diet", text_value(match["o"]), begins=changed or frame.tense == "perfect", change=Change.CHANGED if changed else Change.NONE)


_LIKE = r"(?:like|love|enjoy|adore|be (?:a (?:big |huge |massive |real |great )?fan of|fond of|keen on|into|crazy about|mad about|obsessed with|hooked on|partial to|big on|a sucker for|passionate about|addicted to)|can not get enough of|have a (?:soft spot|weakness|thing) for|be (?:really |so |very |quite |totally )?into|fancy|crave)"
_HATE = r"(?:hate|dislike|detest|loathe|despise|can not (?:stand|bear|abide|stomach|handle)|stand|bear|stomach|abide|be (?:sick of|not a fan of|averse to|allergic to the idea of)|avoid|mind|care for|have no time for)"


def tastes(frame: Frame, context: Context) -> Iterator[Draft]:
    """Likes and dislikes."""
    if not frame.path or frame.would or frame.intends or frame.obliged or frame.imperative:
        return
    rest = frame.rest
    match = patterns.match(rf"{_LIKE} (?P<o>.+)", rest)
    if match and not patterns.match(r"(?:like|love) (?:that|this|it|you|them|him|her|how|what|when|the way|the idea|your)\b", rest):
        if frame.negative or frame.ended:
            if patterns.search(r"\b(?:exactly|particularly)\b", rest):
                return
            yield from each(frame, "dislikes", _activity(match["o"]), negative=False, begins=frame.ended, change=Change.CHANGED if frame.ended else Change.NONE)
            return
        yield from each(frame, "likes", _activity(match["o"]))
        return
    match = patterns.match(rf"{_HATE} (?P<o>.+)", rest)
    verb = rest.split(" ")[0]
    if match and not patterns.match(r"(?:hate|dislike) (?:that|this|it|you|when|how|to (?:say|break|ask|bother|be)|being|the way|the idea|your)\b", rest):
        needs_denial = verb in ("stand", "bear", "stomach", "abide", "mind", "care") or patterns.match(r"be not a fan", rest)
        if bool(needs_denial) and (not frame.negative or verb == "mind"):
            return
        denied = False if needs_denial else frame.negative
        yield from each(frame, "dislikes", _activity(match["o"]), negative=denied)
        return
    if frame.negative and not frame.ended and (match := patterns.match(r"(?:eat|touch|drink) (?P<o>.+)", rest)) and frame.tense == "present" and not frame.progressive and not (frame.clause.times):
        if not patterns.search(r"\b(?:enough|much|breakfast|lunch|dinner|out|alcohol|before|after|at)\b", match["o"]):
            yield from each(frame, "dislikes", match["o"], negative=False)
    favourite = patterns.fullmatch(r"(?:my|our) (?:absolute |all-time |new |current )?favou?rite(?P<k> [\w\- ]+)?", frame.thing or "", re.IGNORECASE)
    if favourite and rest.startswith("be ") and not frame.negative:
        kind = (favourite["k"] or "").strip()
        now = Change.CHANGED if "now" in frame.adverbs or "no longer" in frame.adverbs else Change.NONE
        yield from (draft(frame, "prefers" if kind else "likes", text_value(clean(part), scope=kind or None), subject=USER, change=now) for part, _ in items(rest[3:]) if good_object(clean(part)))
    elif patterns.match(r"be (?:my|our) (?:absolute |all-time )?favou?rite\b", rest) and frame.thing and good_object(clean(frame.thing)):
        yield draft(frame, "likes", text_value(clean(frame.thing)), subject=USER)


def _activity(text: str) -> str:
    """What is liked, without the company, the time and the reason it is done in."""
    text = patterns.sub(r"^to ", "", text)
    return patterns.split(r"\s(?:with (?:my|the|friends|a)|on (?:weekends|sundays|saturdays|the weekend|rainy|sunny|cold|hot)|in (?:the (?:morning|evening|afternoon|summer|winter|rain|snow)|summer|winter|my)|at (?:night|home|the|weekends)|after (?:work|dinner)|during|ever since|not even|no matter|from across|when|even)\b", text, maxsplit=1)[0]


def preferences(frame: Frame, context: Context) -> Iterator[Draft]:
    """The option chosen over others."""
    rest = frame.rest
    if frame.path and not frame.intends and not frame.imperative:
        match = patterns.match(r"prefer (?P<o>.+?)(?: (?:to|over|rather than|instead of) (?P<x>.+))?$", rest)
        if match and (not frame.would or match["x"]) and not patterns.match(r"(?:not|it|that|if)\b", match["o"]):
            options = patterns.split(r"\s(?:to|over|rather than|instead of|for (?:short|long|work|my)|when|on|because)\s", match["o"], maxsplit=1)[0]
            options = patterns.sub(r"^to ", "", options) if options.startswith("to ") else options
            yield from each(frame, "prefers", options, negative=False if frame.negative else None)
            return
        if frame.would and (match := patterns.match(r"(?:rather )?(?P<o>.+?) (?:than) (?P<x>.+)$", rest)) and "rather" in frame.adverbs:
            yield draft(frame, "prefers", text_value(_gerund_or(match["o"])))
            return
        match = patterns.match(r"(?:always )?(?:choose|pick|take|go for|opt for) (?P<o>.+?) (?:over|rather than|instead of) .+", rest)
        if match and states(frame):
            yield from each(frame, "prefers", match["o"])
            return
        match = patterns.match(r"be (?:more of )?an? (?P<o>\w+)(?: person)(?:,| rather| not| more| than| through|$)", rest)
        if match and states(frame) and match["o"].lower() not in ("nice", "good", "bad", "shy", "private", "people", "different", "kind", "happy", "busy", "changed", "very", "calm"):
            yield draft(frame, "prefers", text_value(match["o"]))
            return
    clause = frame.clause.body.strip()
    match = patterns.match(r"(?:an? )?(?P<o>[\w\- ]{3,40}?)(?: seats?)?(?P<seat> seats?)? (?:for me|any day|every time|over \w+)\b", clause, re.IGNORECASE)
    if match and not frame.explicit and not patterns.match(r"(?:too|not|works?|good|great|fine|ok|okay|hard|easy|new|enough|perfect|important|impossible|better|best|find|book|order|get|buy|call|do|make|check|look|search|same|that'?s|thanks?|please|can|could|set|remind|add|send|write)\b", clause, re.IGNORECASE):
        none = patterns.match(r"no (?:more )?(?P<x>[\w\- ]+?) for me", clause, re.IGNORECASE)
        if none:
            allergic = "allerg" in context.sentence.lower()
            yield draft(frame, "allergic_to" if allergic else "dislikes", text_value(clean(none["x"])), subject=USER, negative=False)
            return
        full = patterns.match(r"(?:an? )?(.+?) (?:for me|any day|every time|over )", clause, re.IGNORECASE)
        if full and good_object(clean(full[1])) and len(full[1].split()) <= 4:
            yield draft(frame, "prefers", text_value(clean(full[1])), subject=USER, negative=False)


def _gerund_or(text: str) -> str:
    return clean(text)


_FORMS = {
    "short": r"\b(?:short|brief|concise|succinct|terse|to the point)\b", "bullet points": r"\bbullet(?:ed)?(?:[ -]?points?| lists?|s)\b", "table": r"\btables?\b",
    "step by step": r"\bstep[- ]by[- ]step\b", "detailed": r"\b(?:detailed|in detail|thorough|in depth|in-depth)\b", "no emojis": r"\b(?:no|without|skip the|drop the|avoid|stop using|do not use|don't use) emojis?\b",
    "no jargon": r"\b(?:no|without|avoid|skip the) jargon\b", "markdown": r"\bmarkdown\b", "plain text": r"\bplain text\b", "formal": r"\bformal(?:ly)?\b", "informal": r"\b(?:informal|casual)(?:ly)?\b",
    "examples": r"\b(?:with|include|give|use|add) (?:concrete |code |some |an? )?examples?\b", "plain English": r"\bplain english\b", "metric units": r"\bmetric(?: units)?\b", "simple words": r"\bsimple (?:words|language|terms)\b",
    "numbered list": r"\bnumbered lists?\b", "json": r"\bjson\b", "code only": r"\bcode only\b|\bonly (?:the )?code\b", "no small talk": r"\b(?:no|without|skip the) (?:small talk|preamble|fluff|pleasantries|filler)\b",
}  # fmt: skip
_ANSWERS = re.compile(r"\b(?:answers?|answering|repl(?:y|ies|ying)|respon(?:d|se|ses)|explanations?|explain|messages?|summar(?:y|ies|ise|ize)|write|speak|talk to me|format|output|keep it|be)\b", re.IGNORECASE)
_STANDING = re.compile(r"\b(?:always|from now on|in future|in the future|going forward|please|i prefer|i like|i want|i'd like|keep|never|for me|your|every time|whenever)\b", re.IGNORECASE)


def formats(frame: Frame, context: Context) -> Iterator[Draft]:
    """How answers should be given."""
    sentence = context.sentence
    if not _ANSWERS.search(sentence) or not _STANDING.search(sentence) or (frame.subject and not frame.subject.is_user and frame.explicit):
        return
    about_answers = patterns.search(r"\b(?:your (?:answers?|repl|respon|explanations?|messages?)|answers?|repl(?:y|ies)|respond|explain|explanations?|bullet|talk to me|speak to me|keep it)\b", sentence, re.IGNORECASE)
    if not about_answers or not (frame.imperative or frame.verb in ("prefer", "like", "want", "use", "need", "keep") or not frame.explicit or frame.thing):
        return
    for name, pattern in _FORMS.items():
        if patterns.search(pattern, frame.clause.text, re.IGNORECASE):
            yield draft(frame, "prefers_format", text_value(name), subject=USER, negative=False, timeless=True)
    match = patterns.search(rf"\b(?:answer|reply|respond|write|speak|talk)(?: to me| me)?(?: only| always)? in (?P<o>{context.words('languages')})\b", frame.clause.text, re.IGNORECASE)
    if match:
        yield draft(frame, "prefers_format", text_value(match["o"]), subject=USER, negative=False, timeless=True)


_HABIT = r"(?:smoke|vape|drink|jog|run|swim|cycle|meditate|walk|exercise|work out|pray|journal|read|cook|bake|stretch|skip|eat|take|go|play|practise|practice|do|write|have|get up|wake up|sleep|nap|call|visit|commute|train|lift|study|row|ride|hike|volunteer|garden|paint|knit|fast|bring|make|use|watch|listen|drive|stay up|fall asleep|order|check|weigh|clean|shower|bathe|sing|dance|climb|surf|ski|skate|box|bike|attend|teach|tutor|host|work)"


def habits(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is done regularly, or was given up."""
    if not frame.path or not states(frame) or frame.can or frame.passive:
        return
    rest = frame.rest
    gave_up = patterns.match(r"(?:quit|give up|stop|kick) (?P<o>(?:\w+ing\b(?: [\w\- ]+)?|(?!(?:my|the|on|a|an|hope|trying|job|school|university|college|it|that|this|work|uni)\b)[a-z]+(?: [a-z]+)?))\s*(?:$|[,.;]|because|since|for|and)", rest.strip()) if frame.past or frame.ended else None
    if gave_up or (frame.ended and frame.negative and patterns.match(rf"{_HABIT}\b", rest) and _said_stopped(frame)):
        text = gave_up["o"] if gave_up else _stopped_words(frame)
        value = clean(text)
        if good_object(value) and not patterns.match(r"(?:working (?:at|for)|looking|trying|thinking|using|taking|living|being|talking|asking|waiting)\b", value):
            yield draft(frame, "has_habit", text_value(value), negative=True, ends=True, past=True)
        return
    started = patterns.match(r"(?:start|begin|take up|get into) (?P<o>(?:\w+ing\b[\w\- ]*|intermittent fasting|yoga|pilates|running|jogging))", rest)
    if (started and frame.past) or (frame.started and patterns.match(r"(?:jog|run|swim|cycle|meditate|fast|journal|exercise|work out|smoke|vape|drink|intermittent)\b", rest)):
        value = clean(started["o"]) if started else _started_words(frame)
        if good_object(value) and not patterns.match(r"(?:working|learning|studying|using|taking|looking|thinking|a )\b", value):
            yield draft(frame, "has_habit", text_value(value), begins=True, past=True, change=Change.CHANGED)
        return
    if patterns.match(rf"(?:take|use|inject) .*\b(?:{context.words('medications')})\b", rest, re.IGNORECASE):
        return
    repeated = any(when.bind is Bind.REPEAT and when.start < frame.clause.end for when in frame.clause.times)
    always = patterns.search(r"\b(?:every|each)\b|\b(?:once|twice|times) a\b", frame.clause.text) or frame.adverbs & {"always", "usually", "regularly", "normally", "often", "typically", "frequently"}
    plain = patterns.match(r"(?:smoke|vape)\b(?! (?:salmon|meat|fish))|drink(?: alcohol)?$|drink (?:alcohol|socially)", rest)
    if frame.tense == "present" and not frame.progressive and (plain or ((repeated or always) and patterns.match(rf"{_HABIT}\b", rest))):
        value = clean(patterns.sub(r"\s(?:at|before|after|by|around|from|in the|on) (?:\d|noon|the|my|breakfast|lunch|dinner|work|bed|school|home|dawn|sunrise|morning|evening|weekends?).*$", "", rest), keep_lead=True)
        value = patterns.sub(r"\b(?:my|a|an|the|some) ", "", value)
        if good_object(value) and not patterns.match(r"(?:take|use|have|drive|go|eat|get)$", value):
            yield draft(frame, "has_habit", text_value(value))


def _said_stopped(frame: Frame) -> bool:
    return patterns.search(r"\b(?:quit|stopped|gave up|given up|give up|kicked|ceased|no longer|any ?more)\b", frame.clause.text, re.IGNORECASE) is not None


def _stopped_words(frame: Frame) -> str:
    match = patterns.search(r"\b(?:quit|stopped|gave up|given up|give up|kicked|ceased)\s+(?P<o>.+)", frame.clause.body, re.IGNORECASE)
    return match["o"] if match else patterns.sub(r"\s+any ?more.*$", "", frame.rest)


def _started_words(frame: Frame) -> str:
    match = patterns.search(r"\b(?:started|began|begun|took up|taken up)\s+(?:to\s+)?(?P<o>.+)", frame.clause.body, re.IGNORECASE)
    return clean(match["o"]) if match else clean(frame.rest)


def learning(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is hard and what is mastered."""
    if not states(frame):
        return
    rest = frame.rest
    hard = r"(?:hard|difficult|tricky|confusing|challenging|tough|impossible|overwhelming|baffling|a struggle|daunting|hard to (?:follow|understand|grasp|learn))"
    if frame.path:
        match = (
            patterns.match(r"(?:struggle|be struggling|wrestle|have (?:a hard time|trouble|difficult(?:y|ies)|problems)|grapple|be having (?:trouble|difficulty|a hard time))(?: (?:a lot|so much))? (?:with|understanding|grasping|learning|doing)? ?(?P<o>.+)", rest)
            or patterns.match(rf"find (?P<o>.+?) (?:to be )?(?:really |very |so |quite |pretty |extremely |rather |incredibly |a bit )*{hard}\b", rest)
            or (patterns.match(r"(?:get my head around|wrap my head around|understand|grasp|figure out|get|follow|make sense of|get the hang of) (?P<o>.+)", rest) if frame.negative and (frame.can or patterns.match(r"understand|grasp", rest)) else None)
            or patterns.match(r"be (?:really |very |so |quite |pretty |just )*(?:bad|terrible|hopeless|useless|awful|rubbish|weak|confused) (?:at|with|in|by|about) (?P<o>.+)", rest)
        )
        if match and not patterns.match(r"(?:why|how|what|you|it|that|this|the (?:question|point|app|site|page))\b", match["o"]) and not patterns.match(r"(?:struggle|wrestle) (?:to|for)\b", rest):
            yield from each(frame, "struggles_with", match["o"], negative=False)
            return
        good = (
            patterns.match(r"(?:master|get the hang of|have got the hang of|nail|get to grips with|crack|figure out|ace|get comfortable with) (?P<o>.+)", rest) if not frame.negative else None
        ) or (patterns.match(r"be (?:really |very |quite |pretty |now |finally )*(?:good|great|excellent|comfortable|confident|solid|proficient|skilled|fluent|at ease) (?:at|with|in) (?P<o>.+)", rest) if not frame.negative else None) or (
            patterns.match(r"(?:understand|know|get|grasp) (?P<o>.+?)(?: inside out| by heart| perfectly| now| well)?$", rest) if frame.path == USER and frame.adverbs & {"finally", "now", "completely", "fully"} and not frame.negative and frame.verb in ("understand", "grasp", "get") and frame.tense in ("present", "perfect") else None
        )
        if good and not patterns.match(r"(?:it|that|this|you|what|why|how|sense|rid)\b", good["o"]):
            yield from each(frame, "mastered", good["o"], change=Change.CHANGED)
        return
    bare = patterns.match(rf"(?P<t>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:is|are|has always been|have always been|still) (?:\w+ly |so |just |very |still |always |quite |too |way too |a bit )*{hard}\b.*\b(?:for|to) me\b|(?P<t3>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:is|are) (?:still |way |completely |totally |a bit )*(?:beyond|over) (?:me|my head)\b|(?P<t2>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:still |really |always |just |completely )*(?:confuses?|baffles?|stumps?|puzzles?) me\b", frame.clause.body.strip())
    if bare and not patterns.match(r"(?:This|That|It|There|Your|You|What|He|She|They|The)\b", frame.clause.body.strip()):
        yield draft(frame, "struggles_with", text_value(clean(bare["t"] or bare["t2"] or bare["t3"])), subject=USER, negative=False)
        return
    match = patterns.match(r"(?:confuse|baffle|trip up|lose|puzzle|stump|trouble|elude|escape) (?:me|us)\b|be (?:really |so |very |still |quite |too |totally |way )*(?:hard|difficult|tricky|confusing|beyond|over my head|impossible|a mystery)(?: for| to)? me\b", rest)
    if match and frame.thing and not patterns.match(r"(?:this|that|it|there|your)\b", frame.thing, re.IGNORECASE):
        yield draft(frame, "struggles_with", text_value(clean(frame.thing)), subject=USER, negative=False)


def scores(frame: Frame, context: Context) -> Iterator[Draft]:
    """Results of exams."""
    number = r"(?P<n>\d+(?:\.\d+)?)(?:%| percent| points| out of \d+|/\d+)?"
    match = patterns.match(rf"(?:get|score|receive|achieve|earn|make)(?: an?| my| the)? (?:score of |mark of |grade of |band )?(?:{number}|(?P<g>[A-F][+\-]?)(?= )) (?:overall )?(?:in|on|for|at) (?:my |the |our |this |that )?(?P<s>.+)", frame.rest)
    if match and frame.path and frame.past and not frame.negative and not frame.intends:
        scope = clean(match["s"])
        if good_object(scope) and not patterns.search(r"(?i)\b(?:sale|ebay|amazon|dollars|discount|bonus|shop|store)\b", scope):
            value = Value(ValueType.NUMBER, match["n"], None, scope) if match["n"] else Value(ValueType.TEXT, match["g"], None, scope)
            yield draft(frame, "exam_score", value)
        return
    part = patterns.match(rf"(?:an? )?{number} (?:in|on|for) (?:my |the )?(?P<s>[\w\- ]+)$", frame.clause.body.strip(" .,!"))
    if part and not frame.explicit and patterns.search(r"\b(?:results?|scores?|grades?|exam|exams|test|marks?|passed)\b", context.sentence, re.IGNORECASE):
        yield draft(frame, "exam_score", Value(ValueType.NUMBER, part["n"], None, clean(part["s"])), subject=USER, negative=False, timeless=True)
        return
    thing = patterns.match(r"my (?P<s>[\w\- ]+?)(?: exam| test)? (?:score|result|mark|grade|gpa)$|my (?P<gpa>gpa)$", frame.thing or "", re.IGNORECASE)
    match = patterns.match(rf"(?:be|come back as|come out at) (?:an? )?{number}", frame.rest)
    if thing and match:
        yield draft(frame, "exam_score", Value(ValueType.NUMBER, match["n"], None, (thing["s"] or thing["gpa"]).strip()), subject=USER)


def moods(frame: Frame, context: Context) -> Iterator[Draft]:
    """Feelings that the user names as his or her own."""
    words = context.words("feelings")
    match = patterns.match(rf"(?:be|feel|get|grow)(?: (?:a bit|a little|so|very|really|pretty|quite|too|incredibly|extremely|rather|kind of|sort of|feeling|absolutely|totally|just|super|terribly|still|more|increasingly|getting|genuinely))* (?P<o>{words})(?![\w-])(?: (?P<p>about|of|by|with|for|over|at|that|because of|on account of) (?P<s>.+))?", frame.rest, re.IGNORECASE)
    if not match or not states(frame) or not (frame.path == USER) or frame.negative or frame.used_to:
        return
    if match["p"] == "of" and match["o"].lower() in ("tired", "sick") or match["o"].lower() in ("lost", "touched", "moved", "down", "low", "content") and not frame.rest.startswith("feel"):
        return
    if not frame.explicit and not patterns.match(rf"(?:really |so |very |pretty |quite |a bit |still |just |feeling |super )*(?:{words})\b", frame.clause.body.strip(" ,.-"), re.IGNORECASE):
        return
    scope = ""
    if match["s"] and match["p"] not in ("that",):
        scope = clean(patterns.split(r"\s(?:on|and|but|so|because|,|after|before|since)\b", match["s"], maxsplit=1)[0])
    yield draft(frame, "feels", text_value(match["o"].lower() if match["o"][0].isupper() else match["o"], scope=scope if good_object(scope) else None), timeless=True)
    event = patterns.search(rf"(?:the |my |our )(?P<e>(?:[\w\-]+ )?(?:{context.words('events')}))$", patterns.split(r"[,;]", match["s"] or "")[0].strip(" ,.!"), re.IGNORECASE)
    if event and any(when.bind is Bind.AT for when in frame.clause.times):
        yield draft(frame, "has_event", text_value(event["e"]), subject=USER)


RULES = (allergies, conditions, medication, body, diet, tastes, preferences, formats, habits, learning, scores, moods)
