"""English: what is taken back is read as a clause of its own and denied ("I never said I liked jazz")."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.english import Frame, Reader
from mcp_memory_server.memory.perceive.grammar_en import verb_forms
from mcp_memory_server.memory.perceive.source import Clause
from mcp_memory_server.memory.perceive.tools_en import Context, Rule

_CLAUSE = re.compile(
    r"(?:\bI (?:never|didn't|did not|haven't) (?:actually |ever |really )?(?:said|say|claim(?:ed)?|told you|tell you|mention(?:ed)?|meant to say|mean to say|written|wrote|write)|\b(?:it's|it is|that's|it isn't|it was) (?:not |no longer |never |un)?(?:true|the case|right|correct)(?: any ?more)?|\bI (?:was|am) (?:not )?(?:joking|kidding|lying|wrong) (?:when I said|to say|in saying)|\bI take back (?:saying|that)|\b(?:scratch|strike|ignore|disregard|forget|cancel) (?:it )?when I (?:said|told you|claimed)|\bdon't believe me when I (?:say|said)) (?:that )?(?P<c>(?:I|I'm|I've|we|we're|we've|my|our) .+)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|n't|no longer|never|un|joking|kidding|lying|wrong|take back|scratch|strike|ignore|disregard|forget|cancel|believe)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\bI was (?:only |just )?(?:joking|kidding|teasing)|\b(?:scrap|scratch|strike|ignore|disregard|forget|never ?mind|drop|take back|withdraw|cancel|undo)(?: (?:that|the|what|everything|all|anything|my))*(?: (?:I (?:just )?(?:said|told you|mentioned|wrote)|bit|part|thing|things|stuff|note|idea|story|remark|line|business|comment|claim|message))* (?:about|with|on|regarding)|^the (?:thing|bit|part|idea|story) about) (?P<n>[^.?!;]+)",
    re.IGNORECASE,
)


def taken_back(rules: Sequence[Rule]) -> Rule:
    """A rule that reads with `rules` what a sentence takes back."""

    def retracted(frame: Frame, context: Context) -> Iterator[Draft]:
        """What was said and no longer holds, denied."""
        if not frame.clause.first or frame.clause.blocked in ("quote", "task", "joke"):
            return
        told = _CLAUSE.search(context.sentence)
        if told and not _DENIES.search(told[0][: told.start("c") - told.start()]):
            told = None
        about = None if told else _ABOUT.search(context.sentence)
        words = told["c"] if told else _as_clause(about["n"], context) if about else ""
        if not words or patterns.search(r"(?i)\btrip|\bremember to\b", words):
            return
        words = patterns.split(r"[,;.!?]| (?:because|since|but|so)\b", words, maxsplit=1)[0]
        clause = Clause(frame.clause.start, frame.clause.end, words, body=words, first=True, today=frame.clause.today)
        clause.sentence_start, clause.numeric = frame.clause.sentence_start, bool(patterns.search(r"\d", words))
        inner = Reader(context.vocabulary).read(clause)
        for rule in rules:
            for item in rule(inner, replace(context, sentence=words, text=words)):
                yield replace(item, negative=not item.negative, begins=False, timeless=True)

    return retracted


def _as_clause(noun: str, context: Context) -> str:
    """ "my allergy to nuts", "me liking jazz", "having a boat" as the clause that it stands for."""
    noun = noun.strip()
    allergy = patterns.match(
        r"(?:my|an?|the) allergy to (?P<o>[\w\- ]+)|my (?P<p>[\w\-]+) allergy\b", noun, re.IGNORECASE
    )
    if allergy:
        return f"I am allergic to {allergy['o'] or allergy['p']}"
    deed = patterns.match(r"(?:me |my |us |our )?(?:not )?(?P<v>[a-z]+ing)\b(?P<o> .+)?", noun, re.IGNORECASE)
    form = verb_forms(context.vocabulary).get(deed["v"].lower()) if deed else None
    if deed and form and form[1] == "ing":
        rest = deed["o"] or ""
        if form[0] == "be":
            return f"I am{rest}"
        plans = form[0] in (
            "buy",
            "move",
            "sell",
            "go",
            "visit",
            "travel",
            "quit",
            "learn",
            "start",
            "leave",
            "get",
            "change",
            "switch",
            "build",
            "write",
            "take",
        )
        return f"I am going to {form[0]}{rest}" if plans else f"I {form[0]}{rest}"
    return ""
