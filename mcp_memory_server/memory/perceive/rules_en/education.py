"""English rules: schools, degrees, what is studied."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
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
        r"(?:study|learn|major in|be (?:studying|learning)|take (?:up )?|do (?:a |my )?(?:degree|phd|master's|masters|bachelor's|doctorate|ma|mba|msc|course|diploma) in|take (?:lessons|classes|a course|courses) in|be self-taught in|teach myself)\s*(?:how )?(?:to )?(?P<o>.+)",
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
        if text and not patterns.match(r"(?:for|about|that|hard|more|a lot|from|to|at|abroad)\b", text):
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
    yield from _attending(frame, rest)
    yield from _levels(frame, f"start {rest}" if frame.started and not rest.startswith("start") else rest)
    yield from _others(frame, rest)


def _attending(frame: Frame, rest: str) -> Iterator[Draft]:
    match = patterns.match(
        r"(?:be (?:an? )?(?:[\w\-]+ ){0,3}?(?:student|(?:first|second|third|fourth|final|last)[- ]year|undergrad|undergraduate|postgrad|freshman|sophomore|junior|senior|phd candidate)(?: in [\w ]+?)? (?:at|of)|attend|study at|be (?:enrolled|studying) at|be at|go to) (?P<o>(?:the )?[A-Z].*)",
        rest,
    )
    if match and frame.tense in ("present", "perfect"):
        school = clean(patterns.split(r"\s(?:in|for|on|and|since|with|every|this)\b|,", match["o"], maxsplit=1)[0])
        if is_proper(school) and (
            rest.startswith(("be a", "study", "be enrolled", "be studying"))
            or patterns.search(
                r"(?i)universit|college|school|institut|academy|polytechnic|\buni\b|conservator|high$|grammar", school
            )
        ):
            yield draft(frame, "studies_at", text_value(school, entity=True))


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
        r"(?:graduate from|have (?:a|an|my) (?:[\w'’\-]+ )*?(?:degree|phd|doctorate|master's|bachelor's|mba|diploma)(?: in [\w ]+?)? from|be (?:an? )?(?:alumn(?:us|a)|graduate) of|finish(?: school)? at|get my (?:[\w' ]+) (?:at|from)) (?P<o>.+)",
        rest,
        re.IGNORECASE,
    )
    if match:
        school = clean(patterns.split(r"\s(?:in|with|and|last|as|for)\b|,", match["o"], maxsplit=1)[0])
        if is_proper(school):
            yield draft(frame, "graduated_from", text_value(school, entity=True), past=True, begins=True)


_YEAR_WORD = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|final|last|\d{1,2}(?:st|nd|rd|th))"


def _levels(frame: Frame, rest: str) -> Iterator[Draft]:
    match = patterns.match(
        rf"(?:be|start|enter|go into|begin|repeat)(?: now)?(?: in)?(?: (?:my|the|his|her|a|an))? (?P<o>{_YEAR_WORD}[- ](?:grade|grader|form|semester)|(?:grade|year|form) (?:\d{{1,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|{_YEAR_WORD}[- ]year(?: of \w+(?: \w+)?|(?: \w+)? student)?|kindergarten|preschool|nursery|primary school|elementary school|middle school|secondary school|high school|sixth form|freshman(?: year)?|sophomore(?: year)?|junior year|senior year|freshman|sophomore)\b",
        rest,
    )
    if match and frame.subject and frame.subject.role not in ("company", "team"):
        value = patterns.sub(r"\s+student$", "", match["o"])
        change = Change.CHANGED if patterns.match(r"start|enter|go into|begin", rest) else Change.NONE
        yield draft(frame, "education_level", text_value(value), begins=change is Change.CHANGED, change=change)
    match = patterns.match(
        r"(?:have|hold|get|earn|finish|complete)(?: got)? (?:an?|my|the) (?P<o>(?:bachelor|master|doctor|associate)(?:['’]s)?(?: degree| of \w+)?|phd|doctorate|mba|msc|bsc|ba|ma|high school diploma|diploma|degree|gcses|a-levels)\b",
        rest,
        re.IGNORECASE,
    )
    if match and states(frame):
        yield draft(frame, "education_level", text_value(match["o"]), timeless=True)


RULES = (studying,)
