"""English rules: what is hard, what is mastered, results of exams."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, each, good_object, states


def learning(frame: Frame, context: Context) -> Iterator[Draft]:
    """What is hard and what is mastered."""
    if not states(frame):
        return
    rest = frame.rest
    if (
        frame.path
        and frame.negative
        and (poor := patterns.match(r"be (?:\w+ )?(?:good|great|much good|any good) (?:at|with) (?P<o>.+)", frame.rest))
    ):
        yield from each(frame, "struggles_with", poor["o"], negative=False)
        return
    hard = r"(?:hard|difficult|tricky|confusing|challenging|tough|impossible|overwhelming|baffling|a struggle|daunting|hard to (?:follow|understand|grasp|learn))"
    easy = patterns.match(
        r"(?P<t>(?:[A-Z]|the |my )[\w+#\-]*(?: [\w+#\-]+){0,2}?) (?:has |have )?(?:(?:just |now |all )*(?:finally|now|suddenly|just) (?:clicked|clicks?|makes? (?:perfect )?sense)|(?:clicked|makes? (?:perfect )?sense)(?: (?:to|for|with) me)? (?:now|at last|finally)|(?:is|are) (?:now )?(?:no problem|no longer a problem|easy|a breeze|a piece of cake|second nature|under control)(?: for me)? ?(?:now|any ?more|these days|at last)?)\s*[.!]*$",
        frame.clause.text.strip(),
    ) or patterns.search(
        r"\b(?:no (?:more )?(?:trouble|problems?) with|know my way around|finally (?:get|got|understand|understood)) (?P<t>[\w+# \-]{2,30}?)(?: (?:any ?more|now|at last|these days)|[,.!]|$)",
        frame.clause.text,
    )
    if (
        easy
        and not patterns.match(
            r"(?:This|That|It|There|Your|You|What|He|She|They|My (?:order|job|back|number|phone|licen[cs]e))\b",
            easy["t"],
        )
        and good_object(clean(easy["t"]))
        and frame.path in ("", USER)
        and patterns.search(
            r"\b(?:finally|now|any ?more|no longer|at last|these days|know my way|no (?:more )?(?:trouble|problem))\b",
            frame.clause.text,
            re.IGNORECASE,
        )
    ) and not patterns.search(
        r"\b(?:finally (?:get|got)) (?:my|a|an|to|the|it|some|rid|home|here|there|paid|married)\b",
        frame.clause.text,
        re.IGNORECASE,
    ):
        yield draft(
            frame, "mastered", text_value(clean(easy["t"])), subject=USER, negative=False, change=Change.CHANGED
        )
        return
    bare = patterns.match(
        rf"(?P<t>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:is|are|has always been|have always been|still) (?:\w+ly |so |just |very |still |always |quite |too |way too |a bit )*{hard}\b.*\b(?:for|to) me\b|(?P<t3>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:is|are) (?:still |way |completely |totally |a bit )*(?:beyond|over) (?:me|my head)\b|(?P<t2>[A-Z][\w+#\-]*(?: [\w+#\-]+){{0,2}}?) (?:still |really |always |just |completely )*(?:confuses?|baffles?|stumps?|puzzles?) me\b",
        frame.clause.body.strip(),
    )
    if bare and not patterns.match(
        r"(?:This|That|It|There|Your|You|What|He|She|They|The)\b", frame.clause.body.strip()
    ):
        yield draft(
            frame,
            "struggles_with",
            text_value(clean(bare["t"] or bare["t2"] or bare["t3"])),
            subject=USER,
            negative=False,
        )
        return
    if frame.path:
        match = (
            patterns.match(
                r"(?:struggle|be struggling|wrestle|have (?:a hard time|trouble|difficult(?:y|ies)|problems)|grapple|be having (?:trouble|difficulty|a hard time))(?: (?:a lot|so much))? (?:with|understanding|grasping|learning|doing)? ?(?P<o>.+)",
                rest,
            )
            or patterns.match(
                rf"find (?P<o>.+?) (?:to be )?(?:really |very |so |quite |pretty |extremely |rather |incredibly |a bit )*{hard}\b",
                rest,
            )
            or (
                patterns.match(
                    r"(?:(?:get|wrap) (?:my|his|her) (?:head|mind|brain) (?:a)?round|understand|grasp|figure out|get|follow|make sense of|get the hang of) (?P<o>.+)",
                    rest,
                )
                if frame.negative and (frame.can or patterns.match(r"understand|grasp", rest))
                else None
            )
            or patterns.match(
                r"be (?:really |very |so |quite |pretty |just )*(?:no good|not great|bad|terrible|hopeless|useless|awful|rubbish|weak|confused) (?:at|with|in|by|about) (?P<o>.+)",
                rest,
            )
        )
        if (
            match
            and not patterns.match(
                r"(?:why|how|what|you|it|that|this|enough|over|rid|up|out|to|past|through|away|there|back|along|by|in touch|anywhere|used|a (?:job|visa|loan|table|ticket|word|refund)|the (?:question|point|app|site|page))\b",
                match["o"],
            )
            and not patterns.match(r"(?:struggle|wrestle) (?:to|for)\b", rest)
        ):
            yield from each(frame, "struggles_with", match["o"], negative=False)
            return
        good = (
            (
                patterns.match(
                    r"(?:master|get the hang of|have the hang of|have got the hang of|nail|get to grips with|crack|figure out|ace|get comfortable with) (?P<o>.+)",
                    rest,
                )
                if not frame.negative
                else None
            )
            or (
                patterns.match(
                    r"be (?:really |very |quite |pretty |now |finally )*(?:good|great|excellent|comfortable|confident|solid|proficient|skilled|fluent|at ease) (?:at|with|in) (?P<o>.+)",
                    rest,
                )
                if not frame.negative
                else None
            )
            or (
                patterns.match(
                    r"(?:understand|know|get|grasp) (?P<o>.+?)(?: inside out| by heart| perfectly| now| well)?$", rest
                )
                if frame.path == USER
                and frame.adverbs & {"finally", "now", "completely", "fully"}
                and not frame.negative
                and frame.verb in ("understand", "grasp", "get")
                and frame.tense in ("present", "perfect")
                else None
            )
        )
        if good and context.has("languages", clean(good["o"]).lower()):
            return  # a language is spoken
        if good and not patterns.match(r"(?:it|that|this|you|what|why|how|sense|rid)\b", good["o"]):
            yield from each(frame, "mastered", good["o"], change=Change.CHANGED)
        return
    match = patterns.match(
        r"(?:confuse|baffle|trip up|lose|puzzle|stump|trouble|elude|escape) (?:me|us)\b|be (?:really |so |very |still |quite |too |totally |way )*(?:hard|difficult|tricky|confusing|beyond|over my head|impossible|a mystery)(?: for| to)? me\b",
        rest,
    )
    if match and frame.thing and not patterns.match(r"(?:this|that|it|there|your)\b", frame.thing, re.IGNORECASE):
        yield draft(frame, "struggles_with", text_value(clean(frame.thing)), subject=USER, negative=False)


def halting(frame: Frame, context: Context) -> Iterator[Draft]:
    """ "I keep getting stuck on recursion", "fractions won't sink in", "I no longer have trouble with commas"."""
    if not states(frame):
        return
    rest = frame.rest
    stuck = patterns.match(
        r"(?:keep (?:on )?(?:getting|being)|get) (?:stuck|lost|confused|tripped up|muddled)(?: up)? (?:on|with|by|in|over) (?P<o>[a-z].+)",
        rest,
    )
    sinks = patterns.match(
        r"(?:(?P<t>.+?) )(?:just |simply |still |really )*(?:won't|does not|doesn't|will not|refuses? to|don't|do not) (?:sink in|stick|click|make (?:any )?sense(?: to me)?)\b",
        frame.clause.body.strip(),
    )
    if (stuck and frame.path) or (
        sinks and not patterns.match(r"(?i)(?:it|this|that|there|i|we|you|your|he|she|they)\b", sinks["t"])
    ):
        found = stuck["o"] if stuck else sinks["t"] if sinks else ""
        if not patterns.match(r"(?:traffic|the (?:train|lift|bus|phone|motorway|queue)|a (?:meeting|queue))\b", found):
            yield from each(frame, "struggles_with", found, negative=False, subject=frame.path or USER)
            return
    if (
        frame.path
        and frame.ended
        and (
            eased := patterns.match(
                r"(?:have|find)(?: any)? (?:trouble|problems?|difficult\w+|a hard time) with (?P<o>.+)", rest
            )
        )
    ):
        yield from each(frame, "mastered", eased["o"], negative=False, change=Change.CHANGED)
        return


RULES = (halting, learning)
