"""English rules: name, age, birthday, home, origin, languages, driving licence."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    clean,
    draft,
    good_object,
    is_proper,
    items,
    place,
    states,
)
from mcp_memory_server.memory.perceive.when import Bind, When

NUMBER = r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?)"


# Peoples, faiths and months are no names: "I'm Dutch".
_PEOPLE = patterns.rx(
    r"(?:ish|ese|ian|ean|can|tch|nch|ic|ist|eek|ai|wiss|indu|uslim|ewish|orean|erman|oman|quaker|urk|ane|wede|ole|inn|zech|lovak|erb|roat|rab|raqi|sraeli|aiwanese)$|^(?:Leo|Libra|Aries|Gemini|Virgo|Late|Sorry|Just|Not|Off|Back|Done|Sure|Okay|Fine|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)$",
    re.IGNORECASE,
)


def names(frame: Frame, context: Context) -> Iterator[Draft]:
    """Names given: called, named, "my name is", "call me", and those told with a role."""
    pattern = re.compile(
        r"(?:be (?:called|named|known as)|go by(?: the name(?: of)?)?|(?:everyone|everybody|people|friends|my friends|they) calls? me)\s+(?P<o>[A-Z\u4e00-\u9fff][\w'’.\- ]*)"
    )
    match = (
        patterns.search(r"\bcalls? me (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*)", frame.clause.text)
        if patterns.match(r"(?:everyone|everybody|people|friends|my |most )", frame.clause.text, re.IGNORECASE)
        else None
    )
    if match:
        yield draft(frame, "has_name", text_value(match["o"]), subject=USER, negative=False, timeless=True)
        return
    match = pattern.match(frame.rest) or patterns.match(
        r"call me (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*(?: [A-Z][\w'’\-]*)*)", frame.rest
    )
    if match and frame.path and (states(frame) or frame.rest.startswith("call me")):
        value = patterns.split(r"[,.;(]| (?:by|for|because|but|and|at|in|on)\b", match["o"], maxsplit=1)[0].strip()
        yield draft(
            frame,
            "has_name",
            text_value(value),
            subject=USER if frame.rest.startswith("call me") else frame.path,
            negative=False,
            timeless=True,
        )
    introduced = patterns.search(
        r"(?:^|[.!,] )(?:(?i:hi|hello|hey|greetings)(?: (?i:there|all|everyone))?[,!.]? )?(?:I'm|I am|(?i:this is)|(?i:it's)) (?P<o>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)(?=, (?:\d|an? |and I|from|I |nice|your|the new)|[.!]? (?:here|nice to meet)|[.!,]* *$)",
        context.sentence,
    )
    greeted = patterns.match(r"(?i)(?:hi|hello|hey|greetings|let me introduce|nice to meet)", context.text)
    sure = introduced and (greeted or patterns.match(r", \d", context.sentence[introduced.end("o") :]))
    if introduced and sure and frame.path == USER and frame.clause.first and not _PEOPLE.search(introduced["o"]):
        yield draft(frame, "has_name", text_value(introduced["o"]), subject=USER, negative=False, timeless=True)
        return
    thing = patterns.fullmatch(
        r"(?P<who>my|our|his|her|the user's)(?P<role> [\w\- ]+'s)? (?:full |first |given |real |last |nick)?(?:name|nickname|surname)",
        frame.thing,
        re.IGNORECASE,
    )
    if thing and frame.rest.startswith("be ") and not frame.negative:
        name = clean(frame.rest[3:])
        role = (thing["role"] or "").strip().removesuffix("'s").strip().lower()
        roles = context.vocabulary.mapping("en", "roles")
        subject = f"user.{roles[role]}" if role in roles else USER if not role else ""
        if is_proper(name) and subject and len(name.split()) <= 4 and thing["who"].lower() not in ("his", "her"):
            yield draft(frame, "has_name", text_value(name), subject=subject, timeless=True)
    subject_told = frame.subject
    if subject_told and frame.explicit and subject_told.name and subject_told.role in context.vocabulary.roles_one:
        yield draft(frame, "has_name", text_value(subject_told.name), negative=False, timeless=True)


def age(frame: Frame, context: Context) -> Iterator[Draft]:
    """Years of a person: "I'm 34", "my son is 3", "turned forty"."""
    if (
        not frame.path
        or not states(frame)
        or frame.negative
        or frame.subject is None
        or frame.subject.role in ("company", "team")
    ):
        return
    told = patterns.match(r"be an? (?P<n>\d{1,3})[- ]year[- ]old\b", frame.rest) or patterns.match(
        r"(?P<n>\d{1,3})[- ]year[- ]old\b", frame.subject.word
    )
    if told and frame.explicit and 0 < int(told["n"]) < 121:
        yield draft(frame, "age", Value(ValueType.NUMBER, told["n"], "year"), timeless=True)
        return
    match = patterns.match(
        rf"(?:be (?:aged |about |around |almost |nearly |only |now )*|turn (?:a )?)(?P<n>{NUMBER})(?![.,]?\d)(?P<half> and a half)?(?P<u>[ \-](?:years?|months?|weeks?)(?:[ \-]old)?)?(?= *(?:$|[,.;!)]|and\b|but\b|already\b|now\b|today\b|this\b|next\b|in\b|turning\b|years?\b|by\b))",
        frame.rest,
    )
    if not match or (frame.rest.startswith("be ") and frame.clause.first and not frame.explicit and not match["u"]):
        return  # a bare number, or a note with one, is nobody's age
    if (frame.verb == "turn" and (not frame.past or _timed_ahead(frame))) or (
        frame.verb == "be" and frame.tense == "past"
    ):
        return  # not yet, or no longer
    number = numerals.english_value(match["n"]) if not match["n"].isdigit() else int(match["n"])
    if (
        number is None
        or not 0 < number < 121
        or (
            match["u"]
            and "old" not in match["u"]
            and patterns.search(r"\bbe\b.*\b(?:into|away|late|early|ago|experience)\b", frame.rest)
        )
    ):
        return
    if frame.we and not match["u"]:
        return  # "we are 30" counts heads
    unit = (
        "month" if match["u"] and "month" in match["u"] else "week" if match["u"] and "week" in match["u"] else "year"
    )
    value = f"{number}.5" if match["half"] else str(number)
    yield draft(frame, "age", Value(ValueType.NUMBER, value, unit), timeless=True)


def _timed_ahead(frame: Frame) -> bool:
    return any(when.future == when.past and when.future[:10] > frame.clause.today for when in frame.clause.times)


def _birthday_value(when: When) -> str:
    if len(when.future) != 10 or "/" in when.future:
        return ""
    return when.future if when.future == when.past else f"--{when.past[5:]}"


def birthday(frame: Frame, context: Context) -> Iterator[Draft]:
    """Born on a day, a birthday on a day, or an age that is turned on one."""
    born = patterns.match(r"be born\b", frame.rest)
    of_thing = patterns.search(r"\bbirthday$", frame.thing, re.IGNORECASE) and patterns.match(
        r"(?:be|fall)\b", frame.rest
    )
    mine = patterns.match(r"(?:my|our|the user's) birthday$", frame.thing, re.IGNORECASE)
    turning = patterns.match(r"turn (?:\d{1,3}|[a-z\-]+)\b", frame.rest)
    owner = patterns.match(r"(?:my |our )?(?P<r>[\w\- ]+?)['’]s birthday$", frame.thing or "", re.IGNORECASE)
    role = context.vocabulary.mapping("en", "roles").get(owner["r"].lower(), "") if owner else ""
    subject = USER if mine else f"user.{role}" if role else frame.path
    if not subject or not (born or (of_thing and (mine or role)) or (turning and frame.path)):
        return
    for when in frame.clause.times:
        value = _birthday_value(when) or (
            when.future if born and patterns.fullmatch(r"\d{4}(-\d\d)?", when.future) else ""
        )
        if (
            value
            and when.bind in (Bind.AT,)
            and patterns.search(
                r"\d", frame.clause.text[when.start - frame.clause.start : when.end - frame.clause.start]
            )
        ):
            yield draft(
                frame, "birthday", Value(ValueType.DATE, value), subject=subject, timeless=True, negative=frame.negative
            )
            return


def home(frame: Frame, context: Context) -> Iterator[Draft]:
    """Where a person lives, moves to, comes from."""
    rest, moved = (
        frame.rest,
        patterns.match(
            r"(?:move|relocate|emigrate)\b(?: back| over| out| away| house)?(?: from (?P<from>.+?))? (?:to|into) (?P<o>.+)",
            frame.rest,
        ),
    )
    if moved and frame.path and not frame.negative and not frame.imperative and not frame.would:
        if frame.intends or frame.obliged:
            return
        where = place(moved["o"])
        if is_proper(where) and (not frame.progressive):
            yield draft(
                frame, "lives_in", text_value(where, entity=True), begins=True, past=True, change=Change.CHANGED
            )
        return
    match = patterns.match(
        r"(?:live|reside|be (?:living|residing)|be based|be settled|settle(?: down)?|have (?:lived|a flat|a house|an apartment))(?: here| alone| together| now| with [\w' ]+?)? (?:in|at|on|near|outside|by) (?P<o>.+)",
        rest,
    )
    if match and frame.path and states(frame) and not frame.can:
        where = place(match["o"])
        company = frame.subject is not None and frame.subject.role in ("company", "team")
        if (
            (is_proper(where) or frame.path != USER)
            and good_object(where)
            and not any(f"{word} {where}" in rest for word in ("near", "outside"))
        ):
            if (
                frame.tense == "past"
                and not frame.started
                and not any(w.bind is not Bind.REPEAT for w in frame.clause.times)
            ):
                yield draft(frame, "lives_in", text_value(where, entity=True), negative=True, ends=True)
            else:
                yield draft(
                    frame,
                    "located_in" if company else "lives_in",
                    text_value(where, entity=True),
                    begins=frame.tense == "perfect" or frame.started,
                )
    thing = patterns.fullmatch(r"(?:my|our) (?:home|house|flat|apartment|place)", frame.thing, re.IGNORECASE)
    match = patterns.match(r"be (?:in|at|near) (?P<o>.+)", rest)
    if thing and match and is_proper(place(match["o"])):
        yield draft(frame, "lives_in", text_value(place(match["o"]), entity=True), subject=USER)
    match = patterns.match(r"be (?:(?:still )?my home|home|where i live)\b", rest)
    if match and frame.thing == "" and frame.subject and frame.subject.name and not frame.subject.role:
        yield draft(frame, "lives_in", text_value(frame.subject.name, entity=True), subject=USER)


def origin(frame: Frame, context: Context) -> Iterator[Draft]:
    """The place a person comes from."""
    match = patterns.match(
        r"(?:come (?:originally )?from|be (?:originally )?from|hail from|grow up (?:in|near|on|outside)|be (?:born|raised|born and raised|brought up|native) (?:and raised )?(?:in|to)|be a native of) (?P<o>.+)",
        frame.rest,
    )
    if match and frame.path and states(frame):
        where = place(match["o"])
        if is_proper(where) and good_object(where):
            yield draft(frame, "hometown", text_value(where, entity=True), timeless=True)
    if patterns.fullmatch(r"(?:my|our) (?:home ?town|home country|family)", frame.thing, re.IGNORECASE) and (
        m := patterns.match(r"(?:be|come from|be from) (?P<o>.+)", frame.rest)
    ):
        where = place(m["o"])
        if is_proper(where):
            yield draft(frame, "hometown", text_value(where, entity=True), subject=USER, timeless=True)


def languages(frame: Frame, context: Context) -> Iterator[Draft]:
    """Languages spoken or studied."""
    match = patterns.match(
        r"(?:speak|be (?:fluent|native|bilingual|conversational) in|understand)(?: (?:a little|a bit of|some|fluent|native|good|decent|conversational|basic|passable|both|only))? (?P<o>.+)",
        frame.rest,
    )
    thing = patterns.fullmatch(
        r"my (?:native|first|second|third|mother)[ -]?(?:language|tongue)", frame.thing, re.IGNORECASE
    )
    text = match["o"] if match else frame.rest[3:] if thing and frame.rest.startswith("be ") else ""
    if not text or not (frame.path or thing) or not states(frame):
        return
    for part, denied in items(text):
        word = clean(part)
        bare = patterns.sub(r"^(?:fluent|native|good|basic|some|a little|no|any) ", "", word, flags=re.IGNORECASE)
        if context.has("languages", bare):
            yield draft(
                frame,
                "speaks",
                text_value(bare),
                negative=frame.negative != (denied or word.lower().startswith("no ")),
                subject=frame.path or USER,
                timeless=True,
            )


def licence(frame: Frame, context: Context) -> Iterator[Draft]:
    """Whether there is a driving licence."""
    match = patterns.match(
        r"(?:have|hold|get|own|possess|lose) (?P<no>no )?(?:a |an |my |any |full |valid |clean |provisional )*(?:driver|drivers|driver's|driving|driver’s)[ ]?licen[cs]e",
        frame.rest,
    )
    if match and frame.path and states(frame):
        yield draft(
            frame,
            "has_driving_license",
            Value(ValueType.BOOLEAN, "true"),
            negative=frame.negative != bool(match["no"]),
            begins=frame.rest.startswith("get"),
        )
    elif (
        patterns.match(r"pass (?:my |the )?driving (?:test|exam)", frame.rest)
        and frame.path
        and states(frame)
        and frame.past
        and not frame.negative
    ):
        yield draft(frame, "has_driving_license", Value(ValueType.BOOLEAN, "true"), begins=True)


RULES = (names, age, birthday, home, origin, languages, licence)
