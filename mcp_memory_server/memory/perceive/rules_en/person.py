"""English rules: name, age, birthday, home, origin, languages, driving licence."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.subjects import USER, role_pattern_en
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    clean,
    draft,
    is_proper,
    items,
    states,
)
from mcp_memory_server.memory.perceive.when import Bind, When

NUMBER = r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?)"


# Peoples, faiths and months are no names: "I'm Dutch".
PEOPLE = patterns.rx(
    r"(?:ish|ese|ian|ean|can|tch|nch|ic|ist|eek|ai|wiss|indu|uslim|ewish|orean|erman|oman|quaker|urk|ane|wede|ole|inn|zech|lovak|erb|roat|rab|raqi|sraeli|aiwanese)$|^(?:Leo|Libra|Aries|Gemini|Virgo|Late|Sorry|Just|Not|Off|Back|Done|Sure|Okay|Fine|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)$",
    re.IGNORECASE,
)


_CALLED = re.compile(
    r"(?:be (?:called|named|known as|known to (?:all|everyone|everybody|friends) as|christened|baptised|baptized|nicknamed|short for [A-Z]\w+)|answer to|respond to|go by(?: the name(?: of)?)?|sign (?:off|myself) as|(?:everyone|everybody|people|friends|my friends|they) calls? me)\s+(?P<o>[A-Z\u4e00-\u9fff][\w'’.\- ]*)"
)


def names(frame: Frame, context: Context) -> Iterator[Draft]:
    """Names given: called, named, "my name is", "call me", and those told with a role."""
    match = (
        patterns.search(
            r"\b(?:calls? me|knows? me as|named me|christened me|shorten(?:s|ed)? it to|nicknamed me|refers? to me as) (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*)",
            frame.clause.text,
        )
        if patterns.match(
            r"(?:everyone|everybody|people|friends|folks|most|all|half|the|at|in|on|my(?! (?:full |first )?name)|our)\b|(?:some|they)\b(?! (?:once|used))",
            frame.clause.text,
            re.IGNORECASE,
        )
        else patterns.match(
            r"(?P<o>[A-Z][\w'’\-]*)(?:'s| is) (?:what|how) (?:everyone|everybody|people|friends|my \w+|most \w+|they|you can) (?:calls?|knows?) me\b",
            frame.clause.text,
        )
    )
    if match:
        yield draft(frame, "has_name", text_value(match["o"]), subject=USER, negative=False, timeless=True)
        return
    match = _CALLED.match(frame.rest) or patterns.match(
        r"(?:[Pp]lease )?call me (?P<o>[A-Z\u4e00-\u9fff][\w'’\-]*(?: [A-Z][\w'’\-]*)*)", frame.rest
    )
    if (
        match
        and (frame.path or frame.thing == "you")
        and (states(frame) or patterns.match(r"(?:[Pp]lease )?call me", frame.rest))
    ):
        value = patterns.split(r"[,.;(]| (?:by|for|because|but|and|at|in|on)\b", match["o"], maxsplit=1)[0].strip()
        yield draft(
            frame,
            "has_name",
            text_value(value),
            subject=USER if patterns.match(r"(?:[Pp]lease )?call me", frame.rest) else frame.path,
            negative=False,
            timeless=True,
        )
    spelled = patterns.match(
        r"(?:it is|it's|that's|that is|i'm|i am|my name is) (?P<o>(?-i:[A-Z][a-zà-ÿ]+))(?: with an? |,? sp(?:elled|elt)\b)",
        frame.clause.text,
        re.IGNORECASE,
    )
    here = patterns.match(
        r"(?P<o>(?!(?:Everyone|Everybody|Nothing|Same|Right|Over|Still|Back|New|Not|All|Up|Down|Come|Sit|Stay|Look|Live|Nobody|Someone)\b)[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?) here(?=\s*$|\s*[,.!]| (?:and|from|with|again)\b)",
        frame.clause.text,
    )
    if found := spelled or (here if frame.clause.first else None):
        whose = patterns.search(
            r"(?i)\b(?:my|our) (?P<r>[a-z\-]+)['’]s (?:first |last |full )?name\b", context.sentence
        )
        role = context.vocabulary.mapping("en", "roles").get(whose["r"].lower()) if whose else None
        owner = f"user.{role}" if role else USER
        yield draft(frame, "has_name", text_value(found["o"]), subject=owner, negative=False, timeless=True)
        return
    introduced = patterns.search(
        r"(?:^|[.!,] )(?:(?i:hi|hello|hey|greetings)(?: (?i:there|all|everyone))?[,!.]? )?(?:I'm|I am|(?i:this is)|(?i:it's)) (?P<o>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)(?=, (?:\d|an? |and I|from|I |nice|your|the new|by the way|btw)|[.!]? (?:here|nice to meet)|[.!,]* *$)",
        context.sentence,
    )
    greeted = patterns.match(r"(?i)(?:hi|hello|hey|greetings|let me introduce|nice to meet)", context.text)
    sure = introduced and (
        greeted or patterns.match(r", (?:\d|by the way|btw)", context.sentence[introduced.end("o") :])
    )
    if introduced and sure and frame.path == USER and frame.clause.first and not PEOPLE.search(introduced["o"]):
        yield draft(frame, "has_name", text_value(introduced["o"]), subject=USER, negative=False, timeless=True)
        return
    subject = owned(frame, "name|nickname|surname", context.vocabulary) or (
        USER
        if patterns.fullmatch(r"(?:the )?(?:full )?name", frame.thing, re.IGNORECASE) and frame.clause.first
        else ""
    )
    if subject and frame.rest.startswith("be ") and not frame.negative:
        both = patterns.match(r"(?P<last>[A-Z][\w'’\-]+), (?P<all>[A-Z][\w'’\-]+ (?P=last))\b", frame.rest[3:])
        name = both["all"] if both else clean(frame.rest[3:])
        if is_proper(name) and len(name.split()) <= 4:
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
        rf"(?:be (?:aged |about |around |almost |nearly |only |now |just |all of |already |coming up to |coming up for )*|turn (?:a )?|hit (?=\w+ty\b|\d0\b)|celebrate (?:my|his|her) (?=\d+(?:st|nd|rd|th) birthday))(?P<n>{NUMBER})(?![.,]?\d)(?P<half> and a half)?(?P<u>[ \-](?:years?|months?|weeks?)(?:[ \-]old)?)?(?= *(?:$|[,.;!)]|and\b|but\b|already\b|now\b|today\b|this\b|next\b|in\b|turning\b|years?\b|by\b))",
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


def age_beside(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "At 63, I…", "being 72, I…", "as a 27-year-old nurse I…", "my daughter, 6, …"."""
    text = frame.clause.text
    if not patterns.search(r"\d|[a-z]+ty\b|teen\b|-year-old", context.sentence):
        return
    own = patterns.match(
        rf"(?:(?:at|being|aged|now)(?: (?:the (?:ripe old )?age of|just|only|barely))? (?P<n>{NUMBER})(?: years(?: old| of age)?)?|as an? (?P<m>\d{{1,3}})-year-old\b[\w\- ]{{0,30}}?),? (?:I|my [a-z]+)\b",
        context.sentence,
        re.IGNORECASE,
    )
    if (
        own
        and frame.path
        and frame.explicit
        and (frame.clause.first or frame.path == USER)
        and frame.tense != "past"
        and not frame.would
    ):
        number = own["n"] or own["m"]
        value = int(number) if number.isdigit() else numerals.english_value(number)
        if value and 4 < value < 121:
            yield draft(frame, "age", Value(ValueType.NUMBER, str(value), "year"), negative=False, timeless=True)
        return
    yield from _of_that_age(frame, context)
    role = role_pattern_en(context.vocabulary).match(text)
    beside = (
        patterns.match(r",? (?:now |aged |age )?(?P<n>\d{1,3})(?: years old)?(?=,|$)", text[role.end() :])
        if role
        else None
    )
    if beside and frame.subject and frame.subject.role not in ("company", "team") and 0 < int(beside["n"]) < 121:
        yield draft(frame, "age", Value(ValueType.NUMBER, beside["n"], "year"), negative=False, timeless=True)


_YEARS_OLD = re.compile(
    r"(?:\b(?P<own>my|our) |\b(?:have|has|'ve got|'s got|got|with|raising|raise|and) (?:an? |my |our )?)(?P<n>\d{1,2}|[a-z]+(?:-[a-z]+)?)[- ]year[- ]olds?(?P<twins> twins)?(?: (?P<role>[a-z]+))?",
    re.IGNORECASE,
)


def _of_that_age(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I have a six-year-old", "our nine-year-old daughter": the age of a child."""
    if frame.clause.blocked or frame.negative or frame.would or "year-old" not in frame.clause.text:
        return
    match = _YEARS_OLD.search(frame.clause.text)
    if not match or (not match["own"] and frame.path != USER):
        return
    roles = context.vocabulary.mapping("en", "roles")
    role = roles.get((match["role"] or "").lower())
    if role not in ("son", "daughter", "child", "children", "nephew", "niece", "pet", None) or (
        role is None and match["role"] and context.has("durables", match["role"].lower())
    ):
        return
    number = int(match["n"]) if match["n"].isdigit() else numerals.english_value(match["n"])
    if number and number < 25:
        path = f"user.{'children' if match['twins'] else role or 'child'}"
        yield draft(
            frame, "age", Value(ValueType.NUMBER, str(number), "year"), subject=path, negative=False, timeless=True
        )


def _timed_ahead(frame: Frame) -> bool:
    return any(when.future == when.past and when.future[:10] > frame.clause.today for when in frame.clause.times)


def _birthday_value(when: When) -> str:
    if len(when.future) != 10 or "/" in when.future:
        return ""
    return when.future if when.future == when.past else f"--{when.past[5:]}"


def birthday(frame: Frame, context: Context) -> Iterator[Draft]:
    """Born on a day, a birthday on a day, or an age that is turned on one."""
    born = patterns.match(r"be born\b", frame.rest)
    today = (
        patterns.match(
            r"be (?P<w>my|our|[\w\- ]+['’]s) (?:\d+(?:st|nd|rd|th) |[a-z]+ieth |[a-z]+th )?birthday\b", frame.rest
        )
        if frame.thing in ("it", "today", "tomorrow") or frame.clause.text[:3].lower() in ("it'", "it ")
        else None
    )
    if today and today["w"] in ("my", "our") and not frame.negative:
        days = [when.future for when in frame.clause.times if when.bind is Bind.AT and len(when.future) == 10]
        yield draft(
            frame,
            "birthday",
            Value(ValueType.DATE, f"--{(days or [frame.clause.today])[0][5:]}"),
            subject=USER,
            timeless=True,
        )
        return
    of_thing = owned(frame, "birthday|date of birth|birth date|birthdate|dob", context.vocabulary)
    noted = patterns.match(r"(?:dob|date of birth|birthday)\s*:", context.sentence, re.IGNORECASE) or patterns.search(
        r"(?:dob|date of birth|birthday)\s*:\s*$",
        context.sentence[: frame.clause.start - frame.clause.sentence_start],
        re.IGNORECASE,
    )
    turning = patterns.match(r"turn (?:\d{1,3}|[a-z\-]+)\b", frame.rest)
    subject = of_thing or (USER if noted else frame.path)
    if not subject or not (
        born or noted or (of_thing and patterns.match(r"(?:be|fall|land|come)\b", frame.rest)) or turning
    ):
        return
    for when in frame.clause.times:
        value = _birthday_value(when) or (
            when.future if born and patterns.fullmatch(r"\d{4}(-\d\d)?", when.future) else ""
        )
        if (
            value
            and when.bind in (Bind.AT,)
            and patterns.search(
                r"\d",
                context.sentence[when.start - frame.clause.sentence_start : when.end - frame.clause.sentence_start],
            )
        ):
            yield draft(
                frame, "birthday", Value(ValueType.DATE, value), subject=subject, timeless=True, negative=frame.negative
            )
            return


def languages(frame: Frame, context: Context) -> Iterator[Draft]:
    """Languages spoken."""
    subject, text = _spoken(frame, context)
    if not text or not subject or frame.would or frame.intends or frame.obliged or frame.imperative:
        return
    beside = _BESIDE.match(context.sentence) if frame.clause.first and not frame.negative else None
    for part, denied in (*items(text), *(items(beside["o"]) if beside else ())):
        word = clean(part)
        bare = patterns.sub(
            r"^(?:(?:fluent|native|good|basic|some|decent|passable|conversational|a little|a bit of|a word of|no|any|both|perfect|broken|also|in) )+",
            "",
            word,
            flags=re.IGNORECASE,
        )
        if context.has("languages", bare):
            yield draft(
                frame, "speaks", text_value(bare), negative=frame.negative != (denied or word.lower().startswith("no ")), subject=subject, timeless=True
            )  # fmt: skip


_TONGUE = r"(?:native|first|second|third|mother)[ -]?(?:language|tongue)"


_BESIDE = re.compile(
    r"(?:apart from|besides|beside|in addition to|other than|on top of|as well as|along with) (?P<o>[A-Z][\w, ]{2,40}?),? (?:I|we|he|she|my \w+) ",
    re.IGNORECASE,
)


def _spoken(frame: Frame, context: Context) -> tuple[str, str]:
    """Who is said to speak, and the words with the languages."""
    rest = frame.rest
    match = patterns.match(
        r"(?:speak|be (?:fluent|native|bilingual|trilingual|conversational)(?: in)?\b:?|understand|know|get by(?: (?:fine|ok|okay|well|all right|alright|comfortably|just about|easily))? in|manage(?: (?:fine|ok|okay|well))? in|converse in|communicate in|chat in|dream in|swear in|hold my own in|hold a (?:decent )?conversation in|have a conversation in|make (?:myself|himself|herself) understood in|be at home in|be comfortable in|grow up (?:speaking|with)|be raised (?:speaking|with)|be (?:an? )?(?:fluent|native)(?: speaker of)?|be an? native speaker of)(?: (?:nothing but|only|a little|a bit of|some|fluent|native|good|decent|conversational|basic|passable|both|only|mainly|mostly|a word of|pretty good))* (?P<o>.+)",
        rest,
    )
    speaker = patterns.match(r"be an? (?:native |fluent )?(?P<o>[A-Z]\w+) speaker\b", rest)
    found = speaker or match
    if frame.path and found:
        return frame.path, patterns.split(r"\s(?:with|at|to|from|because|pretty|quite|very)\b", found["o"], maxsplit=1)[
            0
        ]
    if owner := owned(frame, _TONGUE, context.vocabulary):
        return (owner, rest[3:]) if rest.startswith("be ") else ("", "")
    turned = patterns.match(rf"(?P<o>[A-Z]\w+) (?:is|was) (?:my|our) {_TONGUE}\b", frame.clause.text)
    if turned:
        return USER, turned["o"]
    level = patterns.match(
        r"be (?:\w+ )?(?:fluent|decent|good|passable|conversational|excellent|near-native|perfect|rusty|ok|okay|not bad)\b",
        rest,
    )
    mine = patterns.fullmatch(r"(?:my|our) (?:spoken )?(?P<o>[A-Z]\w+)", frame.thing or "")
    if level and mine and not frame.negative:
        return USER, mine["o"]
    return "", ""


def licence(frame: Frame, context: Context) -> Iterator[Draft]:
    """Whether there is a driving licence."""
    lacks = patterns.match(r"(?:learn(?: how)? to drive|know how to drive)\b", frame.rest) and frame.negative
    taken = patterns.search(
        r"(?i)\b(?:took|taken|revoked|suspended|confiscated|lost) (?:away )?my (?:driving |driver'?s )?licen[cs]e|\bmy (?:driving |driver'?s )?licen[cs]e (?:was|has been|got) (?:taken|revoked|suspended|confiscated)",
        frame.clause.text,
    )
    able = patterns.match(r"be (?:licensed|licenced|allowed|permitted|qualified) to drive\b", frame.rest)
    if (lacks or able) and frame.path and not frame.would and not frame.intends:
        yield draft(
            frame,
            "has_driving_license",
            Value(ValueType.BOOLEAN, "true"),
            negative=True if lacks else None,
            timeless=True,
        )
        return
    if taken and not frame.would:
        yield draft(
            frame,
            "has_driving_license",
            Value(ValueType.BOOLEAN, "true"),
            subject=USER,
            negative=True,
            ends=True,
            past=True,
        )
        return
    none = patterns.match(
        r"(?:still )?(?:no|without an?|not got (?:an?|my)) (?:driving |driver'?s )licen[cs]e\b",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    if none and not frame.explicit and frame.clause.first:
        yield draft(
            frame, "has_driving_license", Value(ValueType.BOOLEAN, "true"), subject=USER, negative=True, timeless=True
        )
        return
    match = patterns.match(
        r"(?:have|hold|get|own|possess|lose) (?P<no>no )?(?:a |an |my |any |his |her |their |the |full |valid |clean |provisional |current |UK |US |EU |[A-Z][a-z]+ )*(?:driver|drivers|driver's|driving|driver’s)[ ]?licen[cs]e",
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


RULES = (names, age, age_beside, birthday, languages, licence)
