"""English rules: schools, degrees, what is studied."""

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
from mcp_memory_server.memory.perceive.tools_en import (
    Context,
    clean,
    draft,
    each,
    is_proper,
    states,
)


def studying(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is learned and where, the year or degree, and schools finished."""
    if not frame.path or not states(frame) or frame.can:
        return
    rest = frame.rest
    match = patterns.match(
        r"(?:study|learn|read(?= [a-z ]+ at )|read(?= (?:law|classics|history|medicine|theology|philosophy|economics|physics|english|greats)$)|major in|double[- ]major in|minor in|specialise in|specialize in|pick up|brush up on|brush up (?:on )?my|teach (?:him|her)self|swot up on|dabble in|polish up my|be (?:studying|learning)|take (?:up )?|do (?:a |my )?(?:degree|phd|master's|masters|bachelor's|doctorate|ma|mba|msc|course|diploma) in|take (?:lessons|classes|a course|courses) in|be self-taught in|teach myself)\s*(?:how )?(?:to )?(?P<o>.+)",
        rest,
        re.IGNORECASE,
    )
    if (match and frame.tense != "past") or (match and frame.started):
        text = match["o"]
        taking = rest.startswith("take")
        if taking and not patterns.search(r"\b(?:lessons|classes|course)\b", rest):
            text = ""
        text = patterns.sub(r"\s(?:lessons|classes|course|courses)\b.*$", "", text)
        at = patterns.search(r"\b(?:at|in) (?P<s>(?:the )?[A-Z].*)$", text)
        text = patterns.split(
            r"\s(?:at|for|on|with|by|from|in (?=[A-Z])|online|part-time|full-time)\b|\sin (?=[A-Z])", text, maxsplit=1
        )[0]
        if text and not patterns.match(r"(?:in|on|at|with|for|about|that|hard|more|a lot|from|to|at|abroad)\b", text):
            yield from each(frame, "studies", text, begins=frame.started or frame.tense == "perfect")
        if (
            at
            and patterns.search(
                r"(?i)universit|college|school|institut|academy|polytechnic|\buni\b|conservator", at["s"]
            )
        ) or (at and " at " in f" {match['o']}"):
            school = clean(patterns.split(r"\s(?:in|for|on|and|since|with)\b|,", at["s"], maxsplit=1)[0])
            if is_proper(school):
                yield draft(frame, "studies_at", text_value(school, entity=True))
    yield from _enrolled(frame, rest)
    yield from _attending(frame, rest, context)
    yield from _as_student(frame, rest)
    yield from _levels(frame, f"start {rest}" if frame.started and not rest.startswith("start") else rest)
    yield from _others(frame, rest)


_COURSE = r"(?:course|class|classes|lessons|programme|program|degree|workshop|module|bootcamp|apprenticeship|diploma|evening class|night class|night classes)"


def _enrolled(frame: Frame, rest: str) -> Iterator[Draft]:
    """ "I'm enrolled on a pottery course at Kelham College", "he does evening classes in welding"."""
    match = patterns.match(
        rf"(?:be (?:now )?(?:enrolled|signed up|registered) (?:on|in|for)|be (?:on|in the middle of|halfway through|doing|taking|following)|do|take|follow|attend|sign up for|enrol(?:l)? (?:on|in|for)|go to|have) (?:an? |my |the |some )?(?:(?:evening|night|online|weekly|part-time|two-year|one-year|short|crash|beginners'?|first|weekend|distance|private) )*(?:(?P<a>(?!(?:the|his|her|my|good|great|first|last|gym|work|business|yoga)\b)[\w\-]+(?: [a-z]+)??) {_COURSE}\b|{_COURSE} (?:in|on) (?P<b>[\w\- ]+?))(?: (?:at|with|through|from|in) (?P<s>(?:the )?[A-Z][\w'’&\-]*(?: (?:of |and )?[A-Z][\w'’&\-]*)*))?(?=$|[,.;]|\s(?:and|on|at|in|for|with|to|every|since|but|so|this|before|after|online)\b)",
        rest,
    )
    if not match or frame.tense == "past" or frame.negative:
        return
    field = match["a"] or match["b"]
    if (
        match["a"]
        and patterns.match(r"(?i)(?:evening|night|online|cooking|dance|degree|master'?s|bachelor'?s|phd)$", match["a"])
        and not match["s"]
    ):
        field = match["a"] if match["a"].lower() in ("cooking", "dance") else ""
    if field:
        yield from each(frame, "studies", field, begins=frame.tense == "perfect")
    if match["s"] and is_proper(match["s"]):
        yield draft(frame, "studies_at", text_value(clean(match["s"]), entity=True))


def _attending(frame: Frame, rest: str, context: Context) -> Iterator[Draft]:
    match = patterns.match(
        r"(?:be (?:an? )?(?:[\w\-]+ ){0,3}?(?:student|(?:first|second|third|fourth|final|last)[- ]year|undergrad|undergraduate|postgrad|freshman|sophomore|junior|senior|phd candidate)(?: in [\w ]+?)? (?:at|of)|be in (?:my|his|her|their) (?:first|second|third|fourth|fifth|final|last) year at|attend|study at|read [a-z ]+ at|train at|be (?:enrolled|studying|registered|a pupil|a boarder|a fresher|a student|doing (?:my|his|her) [\w\- ]+|reading [a-z ]+) (?:at|in)|be (?:off )?at|go to|do (?:my|his|her|their|a|an) (?:phd|doctorate|master'?s|masters|bachelor'?s|degree|ma|mba|msc|a-levels|undergrad\w*|postdoc) (?:in [\w ]+? )?(?:at|from)) (?P<o>(?:the )?[A-Z].*)",
        rest,
    )
    if match and frame.tense in ("present", "perfect"):
        school = clean(
            patterns.split(
                r"\s(?:in|for|on|and|since|with|every|this|doing|studying|reading)\b|,", match["o"], maxsplit=1
            )[0]
        )
        cue = patterns.search(
            r"(?i)\b(?:major|studies|studying|degree|student|semester|freshman|sophomore)", context.sentence
        )
        if is_proper(school) and (
            (cue and rest.startswith("go to"))
            or rest.startswith(
                ("be a ", "be an ", "be in ", "study", "attend", "do ", "be enrolled", "be studying", "be registered")
            )
            or patterns.search(
                r"(?i)universit|college|school|institut|academy|polytechnic|\buni\b|conservator|high$|grammar|primary$|elementary$|secondary$|faculty|seminary|kindergarten|lyc[eé]e|gymnasium$",
                school,
            )
        ):
            yield draft(frame, "studies_at", text_value(school, entity=True))


_DEGREE = r"(?:phd|doctoral|doctorate|master['’]?s|masters|bachelor['’]?s|undergraduate|graduate|postgraduate|mba|ma|msc|bsc|ba)"


def _as_student(frame: Frame, rest: str) -> Iterator[Draft]:
    """A student of a degree and a field; schools entered and left; "my major is physics"."""
    student = patterns.match(
        rf"be (?:an? )?(?:(?:first|second|third|fourth|final|last)[- ]year )?(?P<d>{_DEGREE} )?(?P<f>[a-z]+ )?(?:student|candidate)(?: in (?P<g>[a-z][a-z ]+?))?(?=$|[,.;]| (?:at|and|from|who|here|now)\b)",
        rest,
        re.IGNORECASE,
    )
    if student and frame.tense != "past":
        if degree := (student["d"] or "").strip():
            yield draft(frame, "education_level", text_value({"doctoral": "doctorate"}.get(degree.lower(), degree)))
        field = student["g"] or (student["f"] or "").strip()
        if field and field.lower() not in (
            "university",
            "college",
            "school",
            "year",
            "exchange",
            "mature",
            "good",
            "bad",
            "straight",
            "high",
            "full",
            "graduate",
            "research",
            "former",
            "new",
        ):
            yield from each(frame, "studies", field)
    entered = patterns.match(
        r"(?:(?:start )?at(?= [A-Z])|get into|be accepted (?:at|into|to|by)|enrol(?:l)? (?:at|in)|start (?:at|studying at|university at|college at)|transfer to|begin at) (?P<o>(?:the )?[A-Z].*)",
        rest,
    )
    left = patterns.match(r"(?:leave|drop out of|quit|be expelled from) (?P<o>(?:the )?[A-Z].*)", rest)
    found = entered or left
    if found and frame.past and not frame.negative:
        school = clean(
            patterns.split(r"\s(?:in|for|on|and|since|with|after|because|to)\b|,", found["o"], maxsplit=1)[0]
        )
        if is_proper(school) and _SCHOOL.search(school):
            yield draft(
                frame,
                "studies_at",
                text_value(school, entity=True),
                negative=bool(left),
                begins=bool(entered),
                ends=bool(left),
                past=True,
            )


_SCHOOL = re.compile(
    r"(?i)universit|gymnasium|lyc[eé]e|kindergarten|college|school|institut|academy|polytechnic|\buni\b|conservator|high$|grammar|primary$"
)


def subjects(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "My major is physics", "my alma mater is Lund", "my highest degree is a master's"."""
    if not frame.rest.startswith("be ") or frame.negative or not states(frame):
        return
    value = frame.rest[3:]
    if subject := owned(
        frame, r"major|minor|degree|subject|course|field of study|degree subject|course of study", context.vocabulary
    ):
        field = clean(patterns.sub(r"^(?:in|called) ", "", value))
        if patterns.match(rf"{_DEGREE}\b", field, re.IGNORECASE):
            yield draft(frame, "education_level", text_value(field), subject=subject, timeless=True)
        elif frame.tense == "present" and not patterns.match(
            r"(?:too|very|really|so|hard|easy|boring|great|over|finished|done|not|going|fun|tough|full)\b", field
        ):
            yield from each(frame, "studies", field, subject=subject)
    if subject := owned(frame, r"alma mater", context.vocabulary):
        yield draft(frame, "graduated_from", text_value(clean(value), entity=True), subject=subject, timeless=True)
    if subject := owned(
        frame,
        r"qualification|highest degree|education|level of education|highest level of education",
        context.vocabulary,
    ):
        yield draft(frame, "education_level", text_value(clean(value)), subject=subject, timeless=True)


def _others(frame: Frame, rest: str) -> Iterator[Draft]:
    """What one tries to learn, and schools finished."""
    trying = patterns.match(
        r"(?:[\w' ]+ )?(?:trying|struggling) to learn (?P<o>[\w+# ]+?)(?:$|[,.;]| but| and| on| from| for| with)",
        frame.clause.body.strip(),
        re.IGNORECASE,
    )
    if trying and frame.path == USER:
        yield from each(frame, "studies", trying["o"], negative=False)
    match = patterns.match(
        r"(?:graduate from|be (?:educated|schooled|trained) at|train at|come (?:out|through) of|read [a-z ]+ at|do (?:my|his|her) (?:undergrad\w*|studies|training|degree|schooling|a-levels) at|(?:do|complete|finish|earn|get|receive|take) (?:an?|my|his|her|their|our) (?:[\w'’\-]+ )*?(?:degree|phd|doctorate|master'?s|bachelor'?s|mba|diploma|ba|ma|bsc|msc|studies)(?: in [\w ]+?)? (?:from|at)|study at|have (?:a|an|my) (?:[\w'’\-]+ )*?(?:degree|phd|doctorate|master's|bachelor's|mba|diploma)(?: in [\w ]+?)? from|be (?:an? )?(?:alumn(?:us|a)|graduate) of|finish (?:high )?(?:school|university|college|studying) at|finish at|(?:get|do|earn|complete|finish|take) (?:my|his|her|an?) (?:(?!job\b|position\b|role\b|internship\b|shift|nap|break|bus|flight|train|discount|refund|table|room)[\w'’\-]+ ){1,5}?(?:at|from)) (?P<o>.+)",
        rest,
        re.IGNORECASE,
    )
    alum = patterns.match(r"be an? (?P<o>[A-Z]\w+(?: [A-Z]\w+)?) (?:graduate|grad|alum(?:nus|na|ni)?)\b", rest)
    match = match or alum
    present = not frame.past and not rest.startswith(("have", "be ", "graduate"))
    if match and not present and not (frame.tense == "perfect" and rest.startswith("study")) and not frame.negative:
        school = clean(patterns.split(r"\s(?:in|with|and|last|as|for)\b|,", match["o"], maxsplit=1)[0])
        if is_proper(school):
            yield draft(frame, "graduated_from", text_value(school, entity=True), past=True, begins=True)


_YEAR_WORD = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|final|last|\d{1,2}(?:st|nd|rd|th))"


def _levels(frame: Frame, rest: str) -> Iterator[Draft]:
    match = patterns.match(
        rf"(?:be|start|enter|go into|begin|repeat)(?: now)?(?: in| at)?(?: (?:my|the|his|her|their|a|an))?(?: (?:college|high school|university))? (?P<o>{_YEAR_WORD}[- ](?:grade|grader|form|semester)|(?:grade|year|form) (?:\d{{1,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|{_YEAR_WORD}[- ]year(?: of \w+(?: \w+)?|(?: \w+)? student)?|kindergarten|preschool|nursery|primary school|elementary school|middle school|secondary school|high school|sixth form|freshman(?: year)?|sophomore(?: year)?|junior year|senior year|freshman|sophomore)\b",
        rest,
    )
    if match and frame.subject and frame.subject.role not in ("company", "team"):
        value = patterns.sub(r"(?: [a-z]+)? student$", "", match["o"])
        change = Change.CHANGED if patterns.match(r"start|enter|go into|begin", rest) else Change.NONE
        yield draft(frame, "education_level", text_value(value), begins=change is Change.CHANGED, change=change)
    match = patterns.match(
        r"(?:have|hold|get|earn|finish|complete|do(?= my| his| her| an?\b)|work on(?= my| his| her)|pursue|receive)(?: only)?(?: got)? (?:(?:an?|my|the|his|her|their) )?(?P<o>(?:bachelor|master|doctor|associate)(?:['’]s)?(?: degree| of \w+)?|phd|doctorate|mba|msc|bsc|ba|ma|masters|high school diploma|diploma|degree|gcses|a-levels|o-levels|hnd|b\.?ed|llb|llm|foundation degree|postgraduate (?:degree|diploma)|undergraduate degree|high school|secondary school|middle school)\b",
        rest,
        re.IGNORECASE,
    )
    vague = match is not None and match["o"] == "degree" and frame.past and not rest.startswith(("have", "hold"))
    if match and states(frame) and not vague:
        yield draft(frame, "education_level", text_value(match["o"]), timeless=True)


RULES = (studying, subjects)
