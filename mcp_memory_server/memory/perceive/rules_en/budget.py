"""English rules: the most and the least that is to be paid."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.tools_en import Context, clean, draft, good_object


def sums_of(frame: Frame) -> list[Quantity]:
    """The sums of a clause: money, and bare numbers that may be meant as money."""
    return [
        q
        for q in quantity.of_clause(frame.clause, "en")
        if q.kind == "money" or (q.kind == "plain" and (q.value >= 20 or q.per in ("month", "year", "week")))
    ]


_MAX_BEFORE = re.compile(
    r"(?:(?:\bnot|n't) (?:\w+ )?(?:go |to go |going |stretch |push |run |reach |spend |pay |do |be |come (?:in )?)?(?:it )?(?:past|over|above|beyond|higher than|north of|anything (?:over|above))|(?:\bnot|n't) (?:want to |wanna |like to |able to |going to )?(?:go|spend|pay|going) (?:over|above|beyond|more than)|\b(?:nothing (?:over|above)|(?<!nothing )(?<!not )(?<!no )(?:under|below))|\b(?:up to|at most|no more than|not more than|(?<!nothing )(?<!no )(?<!not )less than|within|max(?:imum)?(?: of)?|not beyond|not exceed(?:ing)?|cap(?:ped)?(?: of| at)?|top(?:s| out at)?|limit(?: is| of)?|ceiling(?: of| is)?|(?:stop|stopping|draw the line|drawing the line|cap it|capped it|call it quits|max(?:ing)? out|top(?:ping)? out) at|no higher than|not a (?:penny|cent) (?:more than|over|above)|anything (?:up to|under|below)|as (?:much|high) as|can(?:not| not|'t)? (?:only )?(?:afford|go|spend|pay|stretch to|do)(?: up to| more than)?))\s*(?:about |around |a )?$",
    re.IGNORECASE,
)


_MAX_AFTER = re.compile(
    r"\s*,?\s*(?:tops|max(?:imum)?|at (?:the )?(?:very |absolute )?(?:most|outside|max(?:imum)?)|(?:and )?not a (?:penny|cent) more|and no(?:t)? more(?! than)|(?:a (?:head|person|pop|go|piece|night) )?(?:is|are) (?:as (?:high|far|much) as|the (?:most|absolute most|very most)|(?:about )?where (?:I|we) (?:will |am |are |'m |'re )?(?:stop|draw|drawing|cap|capping|stopping|max|maxing|call it quits))|is all (?:I|we) (?:have|can spare|can spend)|or less|or under|or below|is (?:my|the|our) (?:limit|max(?:imum)?|ceiling|cap|upper limit|budget)|limit|ceiling|budget)\b",
    re.IGNORECASE,
)


_MIN_BEFORE = re.compile(
    r"\b(?:at least|no(?:thing)? less than|nothing (?:under|below|cheaper than)|not less than|minimum(?: of)?|starting (?:at|from)|from|more than|over|above|not (?:below|under)|no lower than|upwards of)\s*$",
    re.IGNORECASE,
)


_MIN_AFTER = re.compile(r"\s*,?\s*(?:min(?:imum)?|or more|and up|upwards|or above|at least)\b", re.IGNORECASE)


BUDGET = re.compile(
    r"\b(?:budget(?:ed|ing)?|price range|spend(?:ing)? (?:limit|cap)|ceiling|afford|willing to (?:pay|spend|go)|want to spend|like to spend|hope to spend|prefer to spend|plan on spending|looking to spend|can spend|go as high as|would (?:go|pay|spend|stretch)|'d (?:go|pay|spend|stretch)|stretch to|would be (?:good|fine|ideal|ok|okay|great|perfect|about right|best)|is (?:fine|ok|okay) (?:for|by|with) |happy to (?:pay|spend)|ready to (?:pay|spend)|prepared to (?:pay|spend)|should(?:n't| not)? (?:cost|be)|must(?:n't| not)? (?:cost|be|exceed)|(?:can|must|may|should) ?not (?:cost|exceed)|can't (?:cost|exceed)|could spend|can pay|can go|going to spend|plan to spend|go over|go above)\b",
    re.IGNORECASE,
)


_UNREAL = re.compile(
    r"(?:suppose|supposing|imagine|assuming|let's say|say|what if|if (?:I|we|my|our|the|you) (?:\w+ )?(?:had|were|was|could|won|earned|paid))\b",
    re.IGNORECASE,
)
_ENOUGH = re.compile(
    r"\b(?:enough|sufficient|realistic|reasonable|too (?:much|low|high|little|tight)|a lot|fair|normal|typical|expensive|cheap)\b[^?]*$|^(?:is|are|was|would|does|do|how (?:much|far)|what (?:can|could|would)|why|when|who) ",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:find|hunt(?:ing)? for|after|source|hunt down|track down|recommend|suggest|show|get|book|look(?:ing)? for|search(?:ing)? for|need|want|pick|help me (?:find|choose|pick)|any(?:thing)?|is there|are there|shopping for)\b",
    re.IGNORECASE,
)


def _no_limit(frame: Frame, text: str, sentence: str) -> bool:
    """True for "800, not 900", for what is supposed, and where it is asked whether a sum would do."""
    if patterns.match(r"not\b", text.strip(), re.IGNORECASE) and not frame.clause.first:
        return True
    if not frame.clause.blocked:
        return False
    asks = frame.clause.blocked == "question" and _ENOUGH.search(sentence) and not _REQUEST.search(sentence)
    return bool(_UNREAL.match(sentence) or asks)


def _bounds(text: str, sums: list[Quantity]) -> bool:
    """ "No less than $300 and no more than $550"."""
    least, most = _MIN_BEFORE.search(text[: sums[0].start]), _MAX_BEFORE.search(text[: sums[1].start])
    return bool(least and most and not patterns.search(r"(?i)\bmore than|over|above", least[0]))


def budgets(frame: Frame, context: Context) -> Iterator[Draft]:
    """The most or least that is to be paid, also in requests."""
    text, sentence = frame.clause.body, context.sentence
    if _no_limit(frame, text, sentence):
        return
    sums = sums_of(frame)
    if (
        not sums
        or frame.verb in ("earn", "owe")
        or patterns.search(
            r"\b(?:salary|rent|revenue|turnover|insurance|subscription|fine|fee)\b", frame.thing or "", re.IGNORECASE
        )
    ):
        return
    if _LIMITS.search(sentence) and not scope_of_limit(frame, text, sentence):
        yield from _spending_limit(frame, context, sums)
        return
    budget = BUDGET.search(sentence) or BUDGET.search(frame.thing or "")
    scope = _scope(frame, text, sentence) or _scope(frame, text, context.text)
    between = patterns.search(r"\b(?:between|from)\b", text, re.IGNORECASE)
    if len(sums) >= 2 and (budget or _REQUEST.search(sentence) or scope) and not between and _bounds(text, sums):
        for predicate, item in (("budget_min", sums[0]), ("budget_max", sums[1])):
            worth = item.as_value(scope=scope or clean(frame.thing) or None, currency=sums[1].unit or context.currency)
            yield draft(frame, predicate, worth, subject=USER, negative=False, timeless=True)
        return
    if (
        len(sums) >= 2
        and (budget or _REQUEST.search(sentence))
        and patterns.fullmatch(
            r"\s*(?:-|–|to|and)\s*" if between else r"\s*(?:-|–|to)\s*", text[sums[0].end : sums[1].start]
        )
    ):
        low, high = sums[0], sums[1]
        unit = high.unit or low.unit
        yield draft(
            frame,
            "budget_min",
            low.as_value(scope=scope, currency=unit or context.currency),
            subject=USER,
            negative=False,
            timeless=True,
        )
        yield draft(
            frame,
            "budget_max",
            high.as_value(scope=scope, currency=unit or context.currency),
            subject=USER,
            negative=False,
            timeless=True,
        )
        return
    for item in sums[:2]:
        before, after = text[: item.start], text[item.end :]
        at_most = _MAX_BEFORE.search(before) or _MAX_AFTER.match(after)
        at_least = _MIN_BEFORE.search(before) or _MIN_AFTER.match(after)
        ceiling = patterns.search(
            r"\b(?:that|this|which) (?:is|'s) (?:the|my|our) (?:ceiling|limit|max(?:imum)?|budget|cap)\b",
            sentence,
            re.IGNORECASE,
        )
        change = (
            Change.CHANGED
            if patterns.search(
                r"\b(?:raise|increase|lower|cut|reduce|bump|bring|drop|change|up)\b.*\bbudget|\bbudget\b.*\b(?:is now|went up|has gone up|increased|raised|changed)\b",
                sentence,
                re.IGNORECASE,
            )
            else Change.NONE
        )
        if (
            patterns.search(r"\b(?:earn|salary|saved|make|owe|cost me|paid|spent)\b", before, re.IGNORECASE)
            and not budget
        ):
            continue
        asked = _REQUEST.search(sentence) is not None or (not frame.verb and not frame.explicit)
        if (
            (at_most and (budget or asked or frame.can or _MAX_AFTER.match(after)))
            or (budget and not at_least and (budget or ceiling))
            or ceiling
        ):
            yield draft(
                frame,
                "budget_max",
                item.as_value(scope=scope, currency=context.currency),
                subject=USER,
                negative=False,
                timeless=True,
                change=change,
            )
            return
        if (
            at_least
            and (budget or asked)
            and not patterns.search(r"\b(?:more than|over|above)\s*$", before, re.IGNORECASE)
        ):
            yield draft(
                frame,
                "budget_min",
                item.as_value(scope=scope, currency=context.currency),
                subject=USER,
                negative=False,
                timeless=True,
            )
            return


_LIMITS = re.compile(
    r"\b(?:spending|card|purchase|purchasing|transaction|daily|monthly|weekly|payment|spend) (?:limit|cap)\b|\b(?:cap|limit) (?:my|our) (?:spending|purchases|expenses)\b|\bwithout (?:asking|checking|my (?:approval|permission|okay|consent|ok|say-so))\b",
    re.IGNORECASE,
)


def scope_of_limit(frame: Frame, text: str, sentence: str) -> bool:
    """True where a limit is for one thing to be bought: then it is a budget."""
    return patterns.search(r"\blimit (?:for|on) (?:the|a|an|my) \w+", sentence, re.IGNORECASE) is not None


def _spending_limit(frame: Frame, context: Context, sums: list[Quantity]) -> Iterator[Draft]:
    """The most that may be spent without asking, or in a period."""
    yield draft(
        frame,
        "spending_limit",
        sums[0].as_value(currency=context.currency, per=""),
        subject=USER,
        negative=False,
        timeless=True,
    )


def _scope(frame: Frame, text: str, sentence: str) -> str | None:
    for source in (frame.thing or "", text, sentence):
        match = (
            patterns.search(
                r"\bbudget(?:ed)? (?:is )?(?:for|on) (?P<s>(?:my |the |our |a |an |this )?[\w\- ]+?)(?= (?:is|of|to|at|at most|would|can|under|up)\b|[,.:;$€£¥]|$)",
                source,
                re.IGNORECASE,
            )
            or patterns.search(r"\b(?:my|our|the) (?P<s>[\w\-]+(?: [\w\-]+)?) budget\b", source, re.IGNORECASE)
            or patterns.search(
                r"\b(?:on|for) (?P<s>(?:my |the |our |an? |this |some )(?:new |second-hand |used )?[\w\-]+(?: [\w\-]+)?)(?= (?:is|that|which|in|at|under|to|from|with|tops)\b|[,.:;]|$)",
                source,
                re.IGNORECASE,
            )
            or patterns.search(
                r"\b(?:find|recommend|suggest|show|book|get|need|want|looking for|look for|search for|searching for|hunting for|shopping for|after|buy|pick|suggest(?: me)?|cap|capping|source)(?: me| us)? (?P<s>(?:an? |some |the |any |my |our |(?=[\w\-]+(?: [\w\-]+)?s(?: please)?[,.]))(?:good |nice |decent |cheap |new )?[\w\-]+(?: [\w\-]+)?)(?= (?:for|under|below|up|at|that|which|in|within|with|less|near|no|please)\b|[,.:;]|$)",
                source,
                re.IGNORECASE,
            )
            or patterns.search(r"^for (?P<s>(?:the |my |our |a |an )[\w\-]+)\b", source, re.IGNORECASE)
            or patterns.match(
                r"(?P<s>(?:the|my|our|a|an) (?:new |second-hand |used )?[\w\-]+(?: [\w\-]+)?) (?:should(?:n't| not)?|must(?:n't| not)?|can't|cannot|may not|has to) (?:not )?(?:cost|be|exceed|come)\b",
                source,
                re.IGNORECASE,
            )
        )
        if match:
            word = clean(match["s"])
            if good_object(word) and word.lower() not in (
                "total",
                "spending",
                "max",
                "maximum",
                "monthly",
                "overall",
                "that",
                "whole",
            ):
                return word
    return None


RULES = (budgets,)
SUMS = (budgets,)
