"""English rules: due dates, absence, plans."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.rules_en.ahead import GO, timed_by
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object
from mcp_memory_server.memory.perceive.when import Bind


def deadlines(frame: Frame, context: Context) -> Iterator[Draft]:
    """Days by which something must be done."""
    times = [when for when in frame.clause.times if when.bind in (Bind.AT, Bind.BY, Bind.UNTIL) and when.future]
    if not times or frame.would or frame.negative:
        return
    rest, scope = frame.rest, ""
    if (
        patterns.match(r"be due\b(?! to)|(?:expire|run out|close|end)\b", rest)
        and frame.thing
        and (
            rest.startswith("be due")
            or patterns.search(
                r"(?i)\b(?:application|registration|enrol|offer|deadline|lease|contract|passport|visa|licence|license|window|submission)",
                frame.thing,
            )
        )
    ):
        if not rest.startswith("be due") and not patterns.search(
            r"(?i)application|registration|submission|window", frame.thing
        ):
            return
        scope = clean(frame.thing)
    elif match := patterns.match(
        r"(?:(?:my|our|the) )?(?:(?P<a>[\w\- ]+?) )?(?:(?:submission|application) )?(?:deadline|due date|closing date|submission date|expiry date|cut-?off(?: date)?)(?: (?:for|of|on) (?P<b>[\w\- ]+))?$",
        frame.thing or "",
        re.IGNORECASE,
    ):
        scope = clean(match["b"] or match["a"] or "") if patterns.match(r"be|fall|get|move", rest) else ""
        if not scope and not patterns.match(r"be\b", rest):
            return
    elif (
        frame.obliged
        and frame.thing
        and patterns.match(
            r"be (?:in|done|ready|over|(?:finished|submitted|handed in|turned in|paid|sent|completed|delivered|filed|signed|returned|posted|uploaded|renewed)\b)",
            rest,
        )
        and any(when.bind is Bind.BY for when in times)
    ):
        scope, times = clean(frame.thing), [when for when in times if when.bind is Bind.BY]
    elif frame.obliged and patterns.search(r"\b(?:have|has|'ve got|'s got|got|have got) until\b", frame.clause.text):
        match = patterns.match(r"(?:[a-z]+)(?: in| off| back)? (?:my |the |our |a |an )?(?P<s>[\w\- ]+)$", rest.strip())
        scope = clean(match["s"]) if match else ""
    elif (frame.obliged or (frame.imperative is False and patterns.match(r"have until\b", rest))) and any(
        when.bind is Bind.BY for when in times
    ):
        match = patterns.match(
            r"(?:submit|hand in|turn in|send(?: in| off)?|file|finish|complete|pay|deliver|return|renew|register for|apply for|upload|get|have|do|write|give|sign|send back)(?: back| in)? (?:my |the |our |a |an )?(?P<s>[\w\- ]+?)(?: (?:in|done|finished|ready|sent|submitted|to|by|before|for|over))*\s*$",
            patterns.sub(r"\s+", " ", rest),
        )
        scope = clean(match["s"]) if match else ""
        if not match:
            return
        times = [when for when in times if when.bind is Bind.BY]
    else:
        return
    value = times[-1].future if "T" in times[-1].future else times[0].future
    yield draft(
        frame,
        "deadline",
        Value(ValueType.DATE, value, None, scope if good_object(scope) else None),
        subject=USER,
        timeless=True,
        negative=False,
        change=Change.CHANGED
        if "now" in frame.adverbs or patterns.search(r"\b(?:moved|extended|pushed|postponed)\b", frame.clause.text)
        else Change.NONE,
    )


_AWAY = re.compile(
    r"\b(?:block (?:out|off)|on (?:\w+ )?(?:leave|holiday|vacation|parental leave|maternity leave|paternity leave|sick leave)|away|off(?: work)?|out of (?:the )?office|out of town|unavailable|not available|not around|unreachable|offline|abroad|busy|(?:have|has|take|taking|having|got|booked) (?:[\w ]{0,30} )?off|(?:can't|cannot|can not|won't) (?:be (?:reached|contacted|disturbed|around|there|available)|make it|do anything|work|take calls)|don't (?:count|rely) on me|count me out|not (?:contactable|reachable)|not (?:in|working|online)|off (?:the )?grid|on sabbatical|on my honeymoon|do not disturb|don't (?:schedule|book|disturb|plan|call|contact)|do not (?:schedule|book|disturb|plan|call|contact)|no meetings)\b",
    re.IGNORECASE,
)


def absence(frame: Frame, context: Context) -> Iterator[Draft]:
    """Periods in which the user is away or not to be disturbed."""
    leave = patterns.match(
        r"(?:my|our) (?:[\w\-]+ )?(?:leave|holiday|vacation|sabbatical|time off|break)$",
        frame.thing or "",
        re.IGNORECASE,
    )
    times = [
        when
        for when in frame.clause.times
        if when.bind is Bind.RANGE or (when.bind is Bind.AT and ("/" in when.future or len(when.future) == 10))
    ]
    if (
        not times
        or not (leave or _AWAY.search(context.sentence))
        or frame.path not in ("", USER)
        or frame.past
        or frame.clause.blocked
    ):
        return
    when = times[0]
    if not (
        leave or _AWAY.search(frame.clause.text) or patterns.search(r"\bI(?:'m| am) (?:on|off|away)", context.sentence)
    ):
        return
    value = (
        f"{when.future}/{when.until}"
        if when.until
        else when.future
        if "/" in when.future
        else f"{when.future}/{when.future}"
    )
    if (
        patterns.search(r"\b(?:off|away|abroad|busy)\b", frame.clause.text, re.IGNORECASE)
        and when.bind is not Bind.RANGE
        and "/" not in when.future
        and not patterns.search(
            r"\b(?:day off|(?:have|has|take|taking|having|got|booked) (?:[\w ]{0,30} )?off|off work|(?:i'm|i am|we're|we are) off|block|out of office|on leave|unavailable|not available|away)\b",
            frame.clause.text,
            re.IGNORECASE,
        )
    ):
        return
    if patterns.search(r"\boff to\b", context.sentence, re.IGNORECASE):
        return
    yield draft(
        frame, "unavailable_during", Value(ValueType.PERIOD, value), subject=USER, negative=False, timeless=True
    )


_REFUSES = re.compile(
    r"(?:\bnot|n't|\bno longer|\bnever)\b[^.]{0,12}\b(?:going to|plan(?:ning)? (?:to|on)|intend(?:ing)? to|be [a-z]+ing)\b|\bwill (?:not|never) be [a-z]+ing\b|(?:\bnot|n't)\b.{3,40}\bafter all\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"(?:expect|look forward|(?:plan|organi[sz]e) (?:an?|our|my|the) (?:[\w\-]+ )?(?:trip|holiday|vacation|visit|tour|getaway)|be|have|do|go|get|know|think|see|feel|say|tell|make sure|understand|believe|wait|talk|ask|hear|let|thank|point|add|mention|note|keep|use|like|love|stay|sleep|die|cry|laugh|scream|spend|pay|budget|live|work|check in)\b",
    re.IGNORECASE,
)


def reminders(frame: Frame, context: Context) -> Iterator[Draft]:
    """Actions that the user asks to be reminded of, or names as an aim."""
    asked = patterns.match(
        r"(?:please |and |also |so |hey,? )*(?:can|could|would|will) you (?:please |also )?(?:remind me|set (?:me )?a reminder)(?: again)?(?: please)? (?:to (?P<o>.+)|(?:about|of|for) (?P<n>.+))",
        patterns.sub(r"\s+", " ", frame.clause.body),
        re.IGNORECASE,
    )
    if asked and good_object(text := _action(asked["o"] or asked["n"])):
        yield draft(frame, "plans_to", text_value(text), subject=USER, negative=False, past=False)
        return
    if frame.clause.blocked or frame.would or frame.can or frame.used_to:
        return
    noted = patterns.search(
        r"(?i)\b(?:note to self|to-?do|reminder to self|on my list)\s*:\s*$",
        context.sentence[: frame.clause.start - frame.clause.sentence_start],
    )
    if noted and frame.verb and good_object(_action(frame.rest)):
        yield draft(frame, "plans_to", text_value(_action(frame.rest)), subject=USER, negative=False, past=False)
        return
    goal = (
        patterns.match(r"be (?:still )?to (?P<o>[a-z].+)", frame.rest)
        if patterns.fullmatch(r"(?i)the (?:plan|idea|aim|goal|intention)", frame.thing or "")
        or owned(
            frame,
            "(?:big |main |current |long-term |short-term )?(?:plan|goal|aim|intention|idea|resolution|target|objective|next step|ambition|mission|project|to-do)",
            context.vocabulary,
        )
        == USER
        else None
    )
    if goal and not frame.negative and frame.tense != "past" and good_object(_action(goal["o"])):
        yield draft(frame, "plans_to", text_value(_action(goal["o"])), subject=USER)
        return
    remind = (
        patterns.match(
            r"(?:remind|nudge|ping|poke|prod|prompt|buzz|jog|pester|nag|tell) me(?: again)?(?: please)?(?: to (?P<o>.+)| (?:about|of) (?P<n>(?!it\b|the (?:weather|news)).+))",
            frame.rest
            if frame.rest.startswith("remind")
            or (frame.imperative and not patterns.match(r"tell me (?:about|of)", frame.rest))
            else "",
        )
        or patterns.match(
            r"(?:set|put|create|add|make) (?:me )?an? (?:reminder|alarm|note)(?: for me)? (?:to (?P<o>.+)|for (?P<n>.+))",
            frame.rest,
        )
        or patterns.match(
            r"(?:remember|not forget|forget) to (?P<o>.+)(?P<n>)?$",
            frame.rest if frame.obliged and (frame.negative or not frame.rest.startswith("forget")) else "",
        )
        or (patterns.match(r"let me forget (?:to (?P<o>.+)|about (?P<n>.+))", frame.rest) if frame.negative else None)
    )
    if remind:
        text = _action(remind["o"] or remind["n"] or "")
        if good_object(text):
            yield draft(frame, "plans_to", text_value(text), subject=USER, negative=False)
        return


def plans(frame: Frame, context: Context) -> Iterator[Draft]:
    """Actions intended, and those given up."""
    if frame.would or frame.can or frame.used_to:
        return
    dropped = frame.negative and _REFUSES.search(frame.clause.text) is not None
    if frame.negative and not (dropped and (frame.intends or (frame.progressive and frame.tense == "present"))):
        return
    if frame.path != USER and not (frame.path.startswith("user.") and frame.intends):
        return
    scheduled = (
        frame.progressive
        and frame.tense == "present"
        and any(when.future > "" and when.bind in (Bind.AT, Bind.RANGE) for when in frame.clause.times)
    )
    due = (
        frame.obliged
        and "should" not in frame.clause.text
        and frame.tense == "present"
        and bool(timed_by(frame, Bind.AT))
        and frame.path == USER
    )
    if not (frame.intends or scheduled or due or dropped) or frame.imperative or frame.passive:
        return
    if (
        _VAGUE.match(frame.rest)
        or patterns.match(rf"{GO}\b.*\b(?:to|for|in) [A-Z]", frame.rest)
        or patterns.match(
            r"(?:meet|see|visit|book|reserve|travel|fly|stay|arrive|land|turn|graduate|retire)\b", frame.rest
        )
    ):
        if not patterns.match(
            r"(?:get|have|make|see|visit|go|do|use|keep) (?!to\b|it\b|that\b|this\b|married\b|there\b|back\b)(?:my|the|a|an|some|new|rid|into|through|running|hiking|swimming|skiing|camping|shopping|dancing|back to|to (?=university|college|therapy|night school|rehab)|vegan|vegetarian|freelance)\b",
            frame.rest,
        ):
            return
        if patterns.match(r"see (?:my|the|a) ", frame.rest):
            return
    words = context.words("events")
    if patterns.match(
        r"(?:grab|have|get|go for|do|meet for) (?:an? |some )?(?:quick )?(?:lunch|dinner|coffee|drinks?|brunch|breakfast|tea|beer|supper)\b",
        frame.rest,
    ):
        return  # seeing somebody
    if timed_by(frame) and patterns.match(
        rf"(?:give|hold|host|throw|attend|sit|take|run|have|do|organi[sz]e) (?:an?|my|our|the) (?:[\w\-]+ ){{0,3}}?(?i:{words})\b",
        frame.rest,
    ):
        return  # an event, read as one
    if patterns.match(
        r"(?:take|choose|pick|have|go for|opt for) .+? (?:over|rather than|instead of) |take\b(?: [\w\-]+)? off\s*$",
        frame.rest,
    ):
        return  # a choice, at any time, or leave
    text = _action(frame.rest)
    if (good_object(text) and len(text.split()) >= 2) or (
        good_object(text)
        and patterns.fullmatch(r"retire|freelance|emigrate|remarry|resign|quit|move|diet|propose", text)
    ):
        yield draft(frame, "plans_to", text_value(text), past=False)


def _action(text: str) -> str:
    text = patterns.sub(r" (?:after all|any ?more)\b", "", patterns.sub(r"\s+", " ", text))
    if this := patterns.match(
        r"(?P<v>[a-z]+(?: (?:up|out|down|in|off|over|away))?) (?P<d>that|this|those|these) (?P<n>[\w\-]+(?: [\w\-]+)?)$",
        text.strip(" .!"),
    ):
        return this[0]  # "build that greenhouse"
    text = patterns.split(
        r"\s(?:because|since|so that|so|but|when|if|as soon as|before [iI]\b|after [iI]\b|before (?:the|my|we|he|she|they|it)\b|by the time|even|instead|in order|which|while)\b|[,;(]",
        text,
        maxsplit=1,
    )[0]
    return clean(patterns.sub(r"\b(?:my|our) (?=\w)", "", text), keep_lead=True)


RULES = (deadlines, absence, reminders, plans)
