"""English rules: how well something is mastered, in words or per cent."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.numerals import plain
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object

_WORD = r"(?P<w>complete beginner|absolute beginner|total beginner|beginner|novice|newbie|basic|elementary|intermediate|upper[- ]intermediate|advanced|expert|proficient|rudimentary|rusty)"
_OF = r"(?:at|in|with|of|when it comes to|as far as)"
_KNOW = r"(?:mastery|level|command|grasp|knowledge|understanding|skill level)"
_PER_CENT = r"(?:about |around |roughly |maybe |only |at )*(?P<n>\d{1,3})\s?(?:%|per ?cent)"


def mastery(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "My level in statistics is basic", "I'm a novice at chess", "my mastery of loops is at 80%"."""
    if frame.intends or frame.obliged or frame.negative or frame.tense == "past" or frame.path not in ("", USER):
        return
    text = frame.clause.body.strip()
    match = (
        patterns.search(rf"(?i)\bmy {_KNOW} (?:of|in|at|with) (?P<t>[\w+# \-]+?) (?:is|at|as|stands at|sits at)(?: still| now| at)* (?:an? |about |around |only )*(?:{_WORD}|{_PER_CENT})", text)
        or patterns.search(rf"(?i)\bi(?:'m| am)(?: still| now)? {_PER_CENT} (?:confident|comfortable|sure|there)(?: of myself)? (?:with|in|on|about) (?P<t>[\w+# \-]+)(?P<w>)", text)
        or patterns.search(rf"(?i)\bi(?:'m| am)(?: still| only| just| now)* (?:at )?(?:an? )?(?:very )?{_WORD}(?: level)? (?:at|in|with|when it comes to) (?P<t>[\w+# \-]+)(?P<n>)", text)
        or patterns.search(rf"\b(?i:i(?:'m| am)(?: still| only| now)*) (?:an? )?(?i:{_WORD}) (?P<t>[A-Z][\w+#]*) (?:learner|speaker|student|user|programmer|developer|player)(?P<n>)", text)
        or patterns.match(rf"(?i:my) (?P<t>[A-Z][\w+#]*) is(?: still| now| pretty| very| quite)* (?i:{_WORD})\b(?P<n>)", text)
    )  # fmt: skip
    if not match or (frame.would and "put" not in frame.rest):
        return
    topic = clean(match["t"])
    if not good_object(topic):
        return
    if match["n"]:
        share = Decimal(match["n"]) / 100
        if share <= 1:
            yield draft(
                frame, "mastery_level", Value(ValueType.NUMBER, plain(share), None, topic), subject=USER, timeless=True
            )
        return
    word = patterns.sub(r"^(?:complete|absolute|total) ", "", match["w"].lower())
    yield draft(frame, "mastery_level", Value(ValueType.TEXT, word, None, topic), subject=USER, timeless=True)


RULES = (mastery,)
