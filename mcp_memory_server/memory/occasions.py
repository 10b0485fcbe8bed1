"""Which of several things of a kind a fact is about: this journey or that one, and how far it has got."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server.memory import value
from mcp_memory_server.memory.model import CandidateFact, Memory, Value, ValueType
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Predicate, Vocabulary


def elsewhere(old: Value, new: Value, vocabulary: Vocabulary) -> bool:
    """Whether two values are said to be for two different things: the train budget, the flight budget."""
    if old.scope is None or new.scope is None:
        return False
    first, second = value.bag(old.scope), value.bag(new.scope)
    return value.words(old.scope, new.scope, vocabulary) is Match.DIFFERENT and not (first <= second or second <= first)


def goes_on(old: Value, new: Value, predicate: Predicate, vocabulary: Vocabulary) -> bool:
    """Whether a new value is what an old one becomes in the course of things: what was unpaid is paid."""
    reached = [_stage(one.value, predicate, vocabulary) for one in (old, new)]
    return -1 not in reached and reached[0] < reached[1]


def _stage(text: str, predicate: Predicate, vocabulary: Vocabulary) -> int:
    bare = re.sub(r"^(?:也|都|还是|现在|目前|终于)+|(?:了|呢|啦)+$", "", text.strip())
    concepts = vocabulary.concepts(text) | vocabulary.concepts(bare)
    return next((place for place, stage in enumerate(predicate.stages) if stage in concepts), -1)


def _dated_once(predicate: Predicate) -> bool:
    """Whether a predicate tells of an occasion what it has one of: where a journey begins, not when a task is due."""
    return predicate.single and predicate.occurrence and not predicate.typed


def of_one(candidate: CandidateFact, predicate: Predicate, concerned: Sequence[Memory]) -> bool:
    """Whether a fact that names no time is about one of several occasions at different times."""
    times = {memory.validity.at for memory in concerned}
    return _dated_once(predicate) and candidate.validity.at is None and len(times) > 1


def of_same_occasion(memory: Memory, known: Memory, predicate: Predicate | None) -> Memory:
    """A fact that takes the place of another, with the time and the thing of the occasion where it names none."""
    if predicate is None or not _dated_once(predicate) or memory.object is None or known.object is None:
        return memory
    if memory.object.type in (ValueType.DATE, ValueType.PERIOD):
        return memory
    at = memory.validity.at or known.validity.at
    scope = known.object.scope or memory.object.scope
    return replace(memory, validity=replace(memory.validity, at=at), object=replace(memory.object, scope=scope))


_DENIAL = (
    r"(?i)(?:\bnot|\binstead of|\brather than|不是|而非|并非|不再是|而不是)\s*"
    r"(?:(?:at|in|from|to|on|the|an?|for)\b\s*)*[从在去到叫]?\s*{value}(?![a-z0-9])"
)


def denies(words: str, known: str) -> bool:
    """Whether words deny a value in so many words: "not York", 不是北京南."""
    if len(known) < 2 or known.casefold() not in words.casefold():
        return False
    return re.search(_DENIAL.replace("{value}", re.escape(known)), words) is not None


# Words that open a sentence against what was said before; they correct only where a value is another.
_OBJECTS = (
    r"(?i)^(?:(?:oh|wait|hmm|well|actually|sorry|ah)\b[, ]*)*(?:no|nope)[,.!:](?! ?(?:thanks?|worries|problem)\b)"
    r"|^(?:sorry|oops)[,:]|^(?:actually|in fact)\b"
    r"|^(?:啊|哦|噢|呃)?[,，]?(?:不[,，]|不对|错了|(?:抱歉|不好意思)[,，])|^其实"
)


def objects(words: str, start: int) -> bool:
    """Whether words open against what was said before, and what begins at `start` comes right behind that.

    "Sorry, I was away; my budget is 800" corrects nothing.
    """
    objection = re.search(_OBJECTS, words)
    return objection is not None and start <= objection.end() + 1


def books_anew(words: str) -> bool:
    """Whether words tell of an act of booking, not of something booked that is known: "a table", "the hotel"."""
    if re.search(r"[那这](?:张|个|家|间|趟|次|班|桌)|订的|我的\S{0,6}(?:票|酒店)", words):
        return False
    act = r"(?i)\b(?:book|reserv|order|bought|got)\w*\b (?:myself |us |me )?"
    english = act + r"(?:a|an|another|one|two|three|four|some|\d+)\b"
    return re.search(english, words) is not None or re.search(r"[订定买抢约](?:到|好|下)?了", words) is not None
