"""English rules: feelings named as one's own."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object, states
from mcp_memory_server.memory.perceive.when import Bind


def moods(frame: Frame, context: Context) -> Iterator[Draft]:
    """Feelings that the user names as his or her own."""
    made = context.rx(
        r"(?:make|have|leave|get) me (?:feel )?(?:so |really |very |a bit |a little |completely |totally |quite |all |pretty |extremely |absolutely )*(?P<o>⟨feelings⟩)(?![\w-])"
    ).match(frame.rest)
    if (
        made
        and not (frame.would or frame.intends or frame.negative or frame.used_to)
        and (frame.thing or frame.subject)
    ):
        cause = clean(frame.thing) if frame.thing else frame.subject.word if frame.subject else ""
        if frame.path != USER:
            yield draft(
                frame,
                "feels",
                text_value(made["o"].lower(), scope=cause if good_object(cause) else None),
                subject=USER,
                negative=False,
                timeless=True,
            )
        return
    match = context.rx(
        r"(?:be|feel|get|grow)(?: (?:a bit|a little|so|very|really|pretty|quite|too|incredibly|extremely|rather|kind of|sort of|feeling|absolutely|totally|just|super|terribly|still|more|increasingly|getting|genuinely))* (?P<o>⟨feelings⟩)(?![\w-])(?: (?P<p>about|of|by|with|for|over|at|that|because of|on account of) (?P<s>.+))?"
    ).match(frame.rest)
    if not match or not states(frame) or frame.path != USER or (frame.negative and not match["p"]) or frame.used_to:
        return
    if (match["p"] == "of" and match["o"].lower() in ("tired", "sick")) or (
        match["o"].lower() in ("lost", "touched", "moved", "down", "low", "content")
        and not frame.rest.startswith("feel")
        and not (
            match["o"].lower() == "lost" and patterns.match(r"\s*(?:$|without\b|these days)", frame.rest[match.end() :])
        )
    ):
        return
    if patterns.match(
        r"(?i)\s*(?:happy|merry) (?:new year|birthday|easter|anniversary|holidays?|christmas|\w+day|diwali|hanukkah)\b",
        frame.clause.text,
    ):
        return  # a wish
    if not frame.explicit and not context.rx(
        r"(?:really |so |very |pretty |quite |a bit |a little |still |just |feeling |super |terribly |incredibly |extremely |absolutely |utterly |totally |completely |rather |beyond |properly |ever so |kind of |sort of |getting |now )*(?:⟨feelings⟩)\b"
    ).match(frame.clause.body.strip(" ,.-")):
        return
    scope = ""
    if match["s"] and match["p"] not in ("that",):
        scope = clean(patterns.split(r"\s(?:on|and|but|so|because|,|after|before|since)\b", match["s"], maxsplit=1)[0])
    yield draft(
        frame,
        "feels",
        text_value(
            match["o"].lower() if match["o"][0].isupper() else match["o"], scope=scope if good_object(scope) else None
        ),
        timeless=True,
    )
    event = patterns.search(
        rf"(?:the |my |our )(?P<e>(?:[\w\-]+ )?(?:{context.words('events')}))$",
        patterns.split(r"[,;]", match["s"] or "")[0].strip(" ,.!"),
        re.IGNORECASE,
    )
    if event and any(when.bind is Bind.AT for when in frame.clause.times):
        yield draft(frame, "has_event", text_value(event["e"]), subject=USER)


RULES = (moods,)
