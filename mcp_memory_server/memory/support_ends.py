"""Grounding in English: what is over, what was only nearly so, and what a relative clause says of another."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence

from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.support_words import text_of
from mcp_memory_server.memory.text import STOP_WORDS_EN, stem

_NO_LONGER = r"(?i)\b(?:no longer|any ?more|any longer|not .{0,30}\bnow)\b"
# Verbs by which having, doing or being somewhere ends; what they end stands right behind them.
_ENDS = (
    r"(?i)\b(?:sold|gave (?:away|up|back)|given (?:away|up|back)|got rid of|gotten rid of|quit|stopped|dropped|ditched|scrapped|cancelled|canceled|"
    r"left|moved out of|resigned from|donated|returned|traded in|threw (?:out|away)|binned|lost|finished with|ended|closed)\b(?P<o>[^,.;]{2,40})"
)


def ended_so(statement: Sequence[Unit], chosen: Sequence[Unit]) -> bool:
    """ "I sold the Vespa": the user no longer has the Vespa, though neither "no" nor "not" was said."""
    stated = text_of(statement)
    if not rx(_NO_LONGER).search(stated):
        return False
    wanted = _content(stated)
    for match in rx(_ENDS).finditer(text_of(chosen)):
        if wanted & _content(rx(r"\s(?:and|but|to|for|so)\s").split(match["o"])[0]):
            return True
    return False


def _content(text: str) -> set[str]:
    words = rx(r"[A-Za-z][A-Za-z'’-]*[A-Za-z]").findall(text)
    return {stem(word.lower()) for word in words if word.lower() not in STOP_WORDS_EN and word.lower() not in _LIGHT}


_LIGHT = frozenset("user users longer has have had owns own does do any more now".split())


def used_to(chosen: Sequence[Unit]) -> bool:
    """True where the words tell what used to be: it is over."""
    told = r"(?i)\b(?:I|we|he|she|they|it|[a-z]+) (?:never )?used to (?=[a-z])(?!it\b|the\b|that\b|this\b)"
    before = r"(?i)\b(?:am|is|are|was|were|get|got|been|be|'m|'s|'re)(?: \w+)? used to\b"
    text = text_of(chosen)
    return rx(told).search(text) is not None and rx(before).search(text) is None


def says_over(statement: Sequence[Unit]) -> bool:
    """True where a statement tells of the past; a participle behind "is" does not."""
    text = rx(r"(?i)\b(?:is|are|am|be|feels?|gets?)(?: \w+ly| very| so)? [a-z]+ed\b").sub(" ", text_of(statement))
    return (
        any(unit.lang == "zh" for unit in statement)
        or rx(
            r"(?i)\b(?:was|were|used to|previously|formerly|once|had|former|no longer|not|never|did|stopped|quit|gave|past|before|ago)\b|n't\b|\b[a-z]+ed\b"
        ).search(text)
        is not None
    )


# A number that was not reached, and words by which a statement says no more than that.
_NEARLY = r"(?i)\b(?:nearly|almost|not quite|just (?:short|shy) of|just under|close to)\b[^,.;]{0,24}?(?:\d|\b(?:hundred|thousand|million|billion|grand|dozen|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b)"
_MODEST = r"(?i)\b(?:nearly|almost|about|around|approximately|roughly|close|under|less|fewer|short|shy|not|below|just|some|over|more|up to|most)\b|~"
_MORE = r"(?i)\b(?:more than|over(?= (?:[$€£¥]?\d|an? (?:hundred|thousand|million)|[a-z]+ (?:hundred|thousand|million)))|in excess of|exceed\w*|at least|above)\b"
_SAID_MORE = r"(?i)\b(?:more|over|excess|exceed\w*|least|above|less than|past|beyond|plus|upwards?|north of|topped|passed|surpass\w*|or so|odd|minimum|min|from|no(?:thing)? (?:less|under|below)|not (?:less|under|below)|greater|higher|better|bigger|longer|up)\b|\+|\d+ ?\+"


def beyond(statement: Sequence[Unit], chosen: Sequence[Unit]) -> str:
    """The word by which a statement claims more of a number than was said; empty when there is none.

    "Nearly forty thousand" is not forty thousand, and no number is more than itself.
    """
    if any(unit.lang == "zh" for unit in (*statement, *chosen)):
        return ""
    stated, said = text_of(statement), text_of(chosen)
    if not rx(r"\d|(?i:hundred|thousand|million|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)").search(
        stated
    ):
        return ""
    more = rx(_MORE).search(stated)
    if more and not rx(_SAID_MORE).search(said):
        return more[0]
    nearly = rx(_NEARLY).search(said)
    if nearly and (more or not rx(_MODEST).search(stated)):
        return more[0] if more else "exactly"
    return ""


_RELATIVE = (
    r"\ban? (?P<a>(?:[a-z\-]+ ){0,2}?[a-z\-]+) (?:that|which|who|whose) (?!(?:I|we|is|are|was|were)\b)(?P<r>[^,.;]*)"
)


def said_inside(statement: Sequence[Unit], have: Sequence[Unit]) -> str:
    """A name that the words give only to a thing told of the user: "I work for a firm that supplies Rolls-Royce"."""
    if statement[0].lang != "en" or have[0].lang != "en" or statement[0].subject != "user":
        return ""
    said, stated = text_of(have), text_of(statement)
    for match in rx(_RELATIVE).finditer(said):
        outside = said[: match.start("r")] + " " + said[match.end("r") :]
        head = match["a"].split()[-1].lower()
        if stem(head) in {stem(word.lower()) for word in rx(r"[A-Za-z]+").findall(stated)}:
            continue
        for name in rx(r"\b[A-Z][\w'’\-]+").findall(match["r"]):
            if name in stated and name not in outside:
                return str(name)
    return ""
