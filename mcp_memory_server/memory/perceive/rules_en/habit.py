"""English rules: what is done regularly, or was given up."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.grammar_en import verb_forms
from mcp_memory_server.memory.perceive.rules_en.work import plays_instrument
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, states
from mcp_memory_server.memory.perceive.when import Bind

_HABIT = r"(?:smoke|vape|drink|jog|run|swim|cycle|meditate|walk|exercise|work out|pray|journal|read|cook|bake|stretch|skip|eat|take|go|play|practise|practice|do|write|have|get up|wake up|sleep|nap|call|visit|commute|train|lift|study|row|ride|hike|volunteer|garden|paint|knit|fast|bring|make|use|watch|listen|drive|stay up|fall asleep|order|check|weigh|clean|shower|bathe|sing|dance|climb|surf|ski|skate|box|bike|attend|teach|tutor|host|work)"


def habits(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is done regularly, or was given up."""
    if not frame.path or not states(frame) or frame.can or frame.passive:
        return
    rest = frame.rest
    if patterns.match(rf"(?:take|use|inject) .*\b(?:{context.words('medications')})\b", rest, re.IGNORECASE):
        return
    gave_up = (
        patterns.match(
            r"(?:quit|give up|stop|kick) (?P<o>(?:\w+ing\b(?: [\w\- ]+)?|(?!(?:my|the|on|a|an|hope|trying|job|school|university|college|it|that|this|work|uni)\b)[a-z]+(?: [a-z]+)?))\s*(?:$|[,.;]|because|since|for|and)",
            rest.strip(),
        )
        if frame.past or frame.ended
        else None
    )
    if gave_up or (
        frame.ended
        and frame.negative
        and (
            patterns.match(rf"{_HABIT}\b", rest)
            or patterns.search(r"\b(?:quit|stopped|gave up|given up|kicked|ceased) \w+ing\b", frame.clause.text)
        )
        and _said_stopped(frame)
    ):
        if patterns.match(r"play (?:the |an? )?[a-z]+$", rest.strip()) and plays_instrument(rest, context):
            return  # a tool no longer used
        text = gave_up["o"] if gave_up else _stopped_words(frame)
        value = clean(text, keep_lead=True)
        if good_object(value) and not patterns.match(
            r"(?:use\b|have\b|need\b|want\b|own\b|know\b|work (?:at|for)\b|live\b|like\b|speak\b|be\b|study\b|working (?:at|for)|looking|trying|thinking|using|taking|living|being|talking|asking|waiting|sleeping|worrying|believing|caring|expecting|paying|getting|going to (?!the )|seeing|studying|learning|teaching|dating|coming|growing|owning|liking|speaking)\b",
            value,
        ):
            yield draft(frame, "has_habit", text_value(value), negative=True, ends=True, past=True)
        return
    started = patterns.match(
        r"(?:start|begin|take up|get into) (?P<o>(?:\w+ing\b[\w\- ]*|intermittent fasting|yoga|pilates|running|jogging))",
        rest,
    )
    if (started and frame.past) or (
        frame.started
        and patterns.match(
            r"(?:jog|run|swim|cycle|meditate|fast|journal|exercise|work out|smoke|vape|drink|intermittent)\b", rest
        )
    ):
        value = clean(started["o"]) if started else _started_words(frame)
        if good_object(value) and not patterns.match(
            r"(?:working|learning|studying|using|taking|looking|thinking|a )\b", value
        ):
            yield draft(frame, "has_habit", text_value(value), begins=True, past=True, change=Change.CHANGED)
        return
    commute = patterns.match(
        r"(?P<o>(?:walk|cycle|bike|commute|drive|take (?:the |a )?(?:bus|train|tram|metro|subway|tube|ferry)|ride (?:my |the )?bike) to (?:work|school|uni|the office|college))\b",
        rest,
    )
    if commute and frame.tense == "present" and not frame.progressive and not frame.negative:
        yield draft(frame, "has_habit", text_value(patterns.sub(r"\b(?:the|my|a) ", "", commute["o"])), timeless=True)
        return
    repeated = any(when.bind is Bind.REPEAT and when.start < frame.clause.end for when in frame.clause.times)
    always = patterns.search(r"\b(?:every|each)\b|\b(?:once|twice|times) a\b", frame.clause.text) or frame.adverbs & {
        "always",
        "usually",
        "regularly",
        "normally",
        "often",
        "typically",
        "frequently",
    }
    plain = patterns.match(
        r"(?:smoke|vape|snore)\b(?! (?:salmon|meat|fish))|drink(?: alcohol)?$|drink (?:alcohol|socially)", rest
    )
    if (
        frame.tense == "present"
        and not frame.progressive
        and (plain or ((repeated or always) and patterns.match(rf"{_HABIT}\b", rest)))
    ):
        value = clean(
            patterns.sub(
                r"\s(?:at|before|after|by|around|from|in the|on|for) (?:about |an? )?(?:hours?\b|half|\d|(?:ten|twenty|thirty|forty|fifteen|five) minutes|noon|the|my|breakfast|lunch|dinner|work|bed|school|home|dawn|sunrise|morning|evening|weekends?).*$",
                "",
                rest,
            ),
            keep_lead=True,
        )
        value = patterns.sub(r"\b(?:my|a|an|the|some) ", "", value)
        if good_object(value) and not patterns.match(r"(?:take|use|have|drive|go|eat|get)$", value):
            for part in patterns.split(r" and (?=(?:smoke|vape|snore|drink)s?$)", value) if plain else (value,):
                yield draft(frame, "has_habit", text_value(patterns.sub(r"(?<=[ke])s$", "", part) if plain else part))


def customs(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I'm in the habit of…", "I tend to…", "I've taken up rowing"."""
    if not frame.path or not states(frame) or frame.can or frame.passive:
        return
    rest = frame.rest
    since = [when for when in frame.clause.times if when.bind in (Bind.SINCE, Bind.LASTING)]
    if (
        frame.negative
        and frame.tense == "perfect"
        and since
        and (
            left := patterns.match(
                r"(?:smoke|vape|drink|gamble|bite my nails|eat meat|(?:touch|have|smoke) (?:a drop|alcohol|a cigarette|a drink|a fag))\b",
                rest,
            )
        )
    ):
        habit = (
            "smoke"
            if patterns.search(r"cigarette|fag", left[0])
            else "drink"
            if patterns.search(r"drop|alcohol|a drink", left[0])
            else left[0]
        )
        yield draft(frame, "has_habit", text_value(habit), negative=True, ends=True, past=True)
        return
    usual = patterns.match(
        r"(?:be in the habit of|have (?:a|the) habit of|make a habit of|make it a habit to|tend to|have a tendency to) (?P<o>.+)",
        rest,
    )
    if usual and frame.tense != "past":
        value = _base_form(clean(patterns.sub(r"\b(?:my|a|an|the|some) ", "", usual["o"]), keep_lead=True), context)
        if good_object(value) and not patterns.match(
            r"(?:be|think|agree|believe|feel|forget|like|prefer|find)\b", value
        ):
            yield draft(frame, "has_habit", text_value(value))
        return
    taken_up = patterns.search(r"\b(?:taken|took) up (?P<o>[a-z]+(?: [a-z]+)?)\s*$", frame.clause.body.strip())
    if taken_up and frame.path and not frame.negative:
        yield draft(frame, "has_habit", text_value(clean(taken_up["o"])), begins=True, past=True, change=Change.CHANGED)
        return


def _base_form(text: str, context: Context) -> str:
    """ "checking my phone" with its verb in the base form."""
    first, _, rest = text.partition(" ")
    form = verb_forms(context.vocabulary).get(first.lower())
    return f"{form[0]} {rest}".strip() if form and form[1] == "ing" else text


def _said_stopped(frame: Frame) -> bool:
    return (
        patterns.search(
            r"\b(?:quit|stopped|gave up|given up|give up|kicked|ceased|no longer|any ?more)\b",
            frame.clause.text,
            re.IGNORECASE,
        )
        is not None
    )


def _stopped_words(frame: Frame) -> str:
    match = patterns.search(
        r"\b(?:quit|stopped|gave up|given up|give up|kicked|ceased)\s+(?P<o>.+)", frame.clause.body, re.IGNORECASE
    )
    return match["o"] if match else patterns.sub(r"\s+any ?more.*$", "", frame.rest)


def _started_words(frame: Frame) -> str:
    match = patterns.search(
        r"\b(?:started|began|begun|took up|taken up)\s+(?:to\s+)?(?P<o>.+)", frame.clause.body, re.IGNORECASE
    )
    return clean(match["o"]) if match else clean(frame.rest)


RULES = (habits, customs)
