"""English rules: results of exams."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.owner_en import owned
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object

_POINTS = r"(?P<n>\d+(?:\.\d+)?)(?:\s?%| percent| per cent| points| marks| out of \d+|/\d+)?"
_GOT = r"(?:get|score|land|bag|grab|pull off|pull|secure|obtain|notch up|hit|squeeze out|scrape|average|leave with|come home with|receive|achieve|earn|make|manage|come out with|come away with|end up with|walk away with|be given|be awarded|finish with)"
_NO_EXAM = re.compile(
    r"(?i)\b(?:sale|ebay|amazon|dollars|discount|bonus|shop|store|euros|pounds|market|auction|fine)\b"
)


def scores(frame: Frame, context: Context) -> Iterator[Draft]:
    """Results of exams."""
    if frame.intends or frame.would or frame.obliged or frame.negative:
        return
    yield from _got(frame, context) if frame.path and frame.past else _named(frame, context)


def _got(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I got 92 in chemistry", "in the physics exam I managed 54", "I failed the theory test with 38 points"."""
    rest = frame.rest
    match = patterns.match(
        rf"{_GOT}(?: an?| my| the| full marks,?| only| just| a respectable| a decent| a solid| a whopping| a measly| a mere| around| about| nearly)*(?: score of| mark of| grade of| band| result of)? (?:{_POINTS}|(?P<g>[A-F][+\-]?(?![\w'])|(?i:distinction|merit|pass|first|2:1|2:2|third|fail|full marks|top marks|straight [AB]s)\b)(?= |$|[,.])),? ?(?:overall )?(?:(?:in|on|for|at) (?:my |the |our |this |that )?(?P<s>.+))?",
        rest,
    )
    through = patterns.match(
        rf"(?:pass|fail|flunk|ace|finish) (?:my |the |our |an? )?(?P<s>[\w\- ]+?) with (?:an? )?(?:score of )?{_POINTS}",
        rest,
    )
    if match and not match["s"]:
        fronted = patterns.search(
            r"(?:^|[,;] )(?:and )?(?:in|on|for) (?:my |the |our )?(?P<s>[\w\- ]+?),? (?:I|he|she|we)\b",
            context.sentence,
            re.IGNORECASE,
        )
        scope = clean(fronted["s"]) if fronted else ""
    else:
        found = match or through
        scope = (
            clean(patterns.split(r"\s(?:this|last|because|after|and|but|with|which)\b", found["s"], maxsplit=1)[0])
            if found
            else ""
        )
    found = match or through
    if not found or not good_object(scope) or _NO_EXAM.search(scope):
        yield from _named(frame, context)
        return
    grade = match["g"] if match else None
    value = Value(ValueType.TEXT, grade, None, scope) if grade else Value(ValueType.NUMBER, found["n"], None, scope)
    yield draft(frame, "exam_score", value)


def _named(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "TOEFL came back 104", "78% in organic chemistry", "my result in biology was 71"."""
    named_exam = patterns.search(
        r"\b(?P<s>TOEFL|IELTS|GRE|GMAT|SAT|ACT|LSAT|MCAT|GPA|HSK|JLPT|TOEIC|DELF|Goethe|Cambridge|AP [A-Z]\w+|bar exam)\b(?: (?:scores?|results?|test|exam|total|overall|band))*(?: (?:is|was|of|came (?:back|out)(?: at| as)?|came in at|ended up at|at|:))*:? (?:an? )?(?P<n>\d+(?:\.\d+)?)(?!\d|[/:-]\d)",
        context.sentence if frame.clause.first and ":" in context.sentence else frame.clause.body,
    )
    if named_exam:
        value = Value(ValueType.NUMBER, named_exam["n"], None, named_exam["s"])
        yield draft(
            frame,
            "exam_score",
            value,
            subject=frame.path
            if frame.path.startswith("user.")
            else owned(frame, r"(?:[\w\-]+ )?(?:score|result|test|exam|band|gpa|average)s?|\w+", context.vocabulary)
            or USER,
        )
        return
    part = patterns.match(
        rf"(?:an? )?{_POINTS} (?:in|on|for) (?:my |the )?(?P<s>[\w\- ]+)$", frame.clause.body.strip(" .,!")
    )
    if (
        part
        and not frame.explicit
        and patterns.search(
            r"\b(?:results?|scores?|grades?|exam|exams|test|marks?|passed)\b", context.sentence, re.IGNORECASE
        )
    ):
        value = Value(ValueType.NUMBER, part["n"], None, clean(part["s"]))
        yield draft(frame, "exam_score", value, subject=USER, negative=False, timeless=True)
        return
    yield from _owned(frame, context)


def _owned(frame: Frame, context: Context) -> Iterator[Draft]:
    marks = r"(?:score|result|mark|grade|gpa|average|grade average)s?"
    thing = patterns.search(
        rf"(?:(?P<s>[\w\-]+(?: [\w\-]+)?)(?: exam| test)? )?{marks}$|{marks} (?:in|on|for|from) (?:my |the )?(?P<t>[\w\- ]+)$",
        frame.thing or "",
        re.IGNORECASE,
    )
    value = patterns.match(
        rf"(?:be|come (?:back|out)(?: as| at)?|come in at) (?:an? )?(?:only |just )?(?:{_POINTS}|(?P<g>[A-F][+\-]?)(?=$|[,. ]))",
        frame.rest,
    )
    if not thing or not value:
        return
    stem = (
        patterns.sub(rf"(?i)\s(?:in|on|for|from) (?:my |the )?{thing['t']}$", "", frame.thing)
        if thing["t"]
        else frame.thing
    )
    named = frame.__class__(frame.clause, thing=stem, other=frame.other)
    subject = owned(named, rf"(?:[\w\-]+ )?{marks}", context.vocabulary)
    scope = (
        clean(patterns.sub(r"(?i)^(?:my|our|his|her|their) |^.*['’]s ", "", thing["t"] or thing["s"] or "")) or "GPA"
    )
    if subject:
        result = (
            Value(ValueType.NUMBER, value["n"], None, scope)
            if value["n"]
            else Value(ValueType.TEXT, value["g"], None, scope)
        )
        yield draft(frame, "exam_score", result, subject=subject)


RULES = (scores,)
