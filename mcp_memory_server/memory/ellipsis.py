"""Utterances that lean on what was said before: "No, 2024, not 2023", "sorry, I mean $1.4M", 其实是2.8亿.

What is missing (who, what about) is taken from a known memory of the same session whose value has the
same kind, best one whose value the words deny. Nothing is guessed: without such a memory there is no fact.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server.memory import value
from mcp_memory_server.memory.model import (
    CandidateFact,
    Change,
    Memory,
    Perception,
    Polarity,
    Said,
    Span,
    SpeechAct,
    Validity,
    Value,
    ValueType,
)
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.facts import read_text
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import prepare
from mcp_memory_server.memory.perceive.when import When
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Vocabulary

_DENIED = r"(?i)(?:\bnot|\binstead of|\brather than|n't|不是|而不是|并非|非)\s*(?:on |the |at |in |from )?[¥￥$€£]?\s*$"


def complete(
    perception: Perception, said: Said, recent: Sequence[Memory], vocabulary: Vocabulary
) -> tuple[CandidateFact, ...]:
    """The facts of an utterance, with those that only `recent` memories make whole.

    `recent` are live facts of the user, best of the same session. Facts whose subject was left out
    take it from a memory of the same predicate; a correction without a fact of its own takes subject
    and predicate from the memory that it corrects.
    """
    live = sorted(
        (memory for memory in recent if memory.object and memory.predicate and memory.subject),
        key=lambda m: (m.said_at, m.recorded_at),
        reverse=True,
    )
    facts = tuple(_with_subject(fact, live) for fact in perception.facts)
    if perception.speech_act is SpeechAct.CORRECT and not rx(_FIRST_PERSON).search(said.text):
        facts = tuple(_of_whom_it_was(fact, live) for fact in facts)
    known = {memory.predicate for memory in live}
    if not any(fact.predicate in known for fact in facts) and (changed := _changed_to(said, live)):
        # A reading of the same words as another kind of thing ("switched to Elm College": a tool?) gives way.
        return (*(fact for fact in facts if changed.object.value not in fact.object.value), changed)
    if perception.speech_act is SpeechAct.CORRECT and not any(fact.predicate in known for fact in facts):
        made = _corrected(said, live, vocabulary)
        if made:
            return (made,)
    return facts


_FIRST_PERSON = r"(?i)\b(?:i|i'm|i've|me|my|mine|we|our|us)\b|我|咱|本人"


def _of_whom_it_was(fact: CandidateFact, live: Sequence[Memory]) -> CandidateFact:
    """不对，是7岁: a correction that says of nobody that it is about is of whom that was last told."""
    if fact.subject != "user":
        return fact
    last = next((memory for memory in live if memory.predicate == fact.predicate), None)
    return replace(fact, subject=str(last.subject)) if last else fact


_CHANGED_TO = (
    r"(?i)\b(?:switched|changed|moved over|went over|transferred)(?: over)?(?: from (?P<a>[\w\- ]+?))? to (?P<b>[\w\- ]{2,40}?)(?= (?:last|this|in|on|now|because|instead)\b|[,.;!]|$)"
    r"|(?:换成|改成|改为|换到|转到)了?(?P<c>[\u4e00-\u9fffA-Za-z0-9 ]{1,12}?)(?:了|$|[,，。])"
)


def tells_a_change(text: str) -> bool:
    """Whether a text says that something is another now, and leaves to what was said before of what it tells."""
    return rx(_CHANGED_TO).search(text) is not None


def _changed_to(said: Said, live: Sequence[Memory]) -> CandidateFact | None:
    """考研方向我换成教育学了: what it was before is the memory that shares a word with it."""
    match = rx(_CHANGED_TO).search(said.text)
    if not match:
        return None
    for memory in live:
        old = memory.object
        if old is None or old.type not in (ValueType.TEXT, ValueType.ENTITY):
            continue
        left = match["a"]
        shared = value.bag(said.text) & value.bag(memory.statement.replace(old.value, ""))
        if (left and value.normal(left) == value.normal(old.value)) or (
            not left and (len(shared) >= (2 if match["c"] else 1) or _of_one_kind(old.value, match["b"] or match["c"]))
        ):
            new = replace(old, value=(match["b"] or match["c"]).strip())
            return replace(_base(memory, new, Validity()), span=Span(0, len(said.text)), change=Change.CHANGED)
    return None


def _of_one_kind(old: str, new: str) -> bool:
    """Two names that end in the same word: Rowan College and Elm College, 江北大学 and 江南大学."""
    first, second = old.split(), new.split()
    if len(first) > 1 and len(second) > 1 and first[-1][:1].isupper():
        return first[-1].casefold() == second[-1].casefold()
    return not old.isascii() and min(len(old), len(new)) > 3 and old[-2:] == new.strip()[-2:]


def _with_subject(fact: CandidateFact, live: Sequence[Memory]) -> CandidateFact:
    """去年营收是2.8亿: of whom is known from the memory of the same predicate."""
    if fact.subject != "user":
        return fact
    same = [memory for memory in live if memory.predicate == fact.predicate]
    if (
        same
        and all(memory.subject != "user" for memory in same)
        and len({memory.subject for memory in same}) == 1
        and fact.predicate in ("revenue", "headcount", "located_in")
    ):
        return replace(fact, subject=str(same[0].subject))
    return fact


def _corrected(said: Said, live: Sequence[Memory], vocabulary: Vocabulary) -> CandidateFact | None:
    lang = language(said.text)
    span = Span(0, len(said.text))
    sums = list(quantity.find(said.text, lang))
    affirmed = [q for q in sums if not rx(_DENIED).search(said.text[: q.start])]
    denied = [q for q in sums if q not in affirmed]
    times = [
        when
        for sentence in read_text(prepare(said.text), said.said_at, said.time_zone, vocabulary)
        for when in sentence.times
        if when.future
    ]
    stated = [when for when in times if not rx(_DENIED).search(said.text[: when.start])]
    for memory in live:
        made = _of_number(memory, affirmed, denied) or _of_time(memory, stated, times) or _of_words(memory, said.text)
        if made:
            return replace(made, span=span)
    return None


def _base(memory: Memory, new: Value, validity: Validity) -> CandidateFact:
    return CandidateFact(
        subject=str(memory.subject),
        predicate=str(memory.predicate),
        object=new,
        span=Span(0, 0),
        polarity=Polarity.POSITIVE,
        category=memory.category,
        validity=validity,
        change=Change.CORRECTED,
    )


def _of_number(memory: Memory, affirmed: Sequence[Quantity], denied: Sequence[Quantity]) -> CandidateFact | None:
    old = memory.object
    if old is None or old.type not in (ValueType.NUMBER, ValueType.MONEY) or not affirmed:
        return None
    if denied and not any(format(q.value.normalize(), "f") == old.value for q in denied):
        return None
    item = affirmed[-1] if len(affirmed) > 1 and not denied else affirmed[0]
    money = old.type is ValueType.MONEY
    if (item.kind == "money") != money and item.kind != "plain":
        return None
    currency, _, per = (old.unit or "").partition("/")
    new = (
        item.as_value(scope=old.scope, per=item.per or per, currency=item.unit or currency)
        if money
        else item.as_value(scope=old.scope)
    )
    if not money and not new.unit:
        new = replace(new, unit=old.unit)
    return _base(memory, new, memory.validity)


def _of_time(memory: Memory, stated: Sequence[When], times: Sequence[When]) -> CandidateFact | None:
    old = memory.object
    if old is None or not stated:
        return None
    past = (
        memory.validity.at is not None
        and memory.validity.at[:10] < memory.said_at.date().isoformat()[: len(memory.validity.at[:10])]
    )
    new = stated[0].value(past=past)
    if old.type is ValueType.DATE:
        text = f"--{new[5:]}" if old.value.startswith("--") and len(new) == 10 else new
        return _base(memory, replace(old, value=text), memory.validity)
    if memory.validity.at is None:
        return None
    dropped = [when for when in times if when not in stated]
    if dropped and not any(
        value.times(memory.validity.at, reading) is not Match.DIFFERENT
        for when in dropped
        for reading in (when.future, when.past)
    ):
        return None
    return _base(memory, old, replace(memory.validity, at=new))


def _of_words(memory: Memory, text: str) -> CandidateFact | None:
    """ "No, Porto, not Lisbon": the denied words are the known value."""
    old = memory.object
    if old is None or old.type not in (ValueType.TEXT, ValueType.ENTITY):
        return None
    match = (
        rx(
            r"(?:^|[,.;:]\s*|\b(?:it's|it is|i'm|is|was|in|at|for|meant|mean|called|named)\s+)(?P<new>[\w'’\- ]{1,40}?),? (?:not|rather than|instead of) (?:in |at |a |an |the )?(?P<old>[\w'’\- ]{1,40}?)(?:[,.;:!]|$)"
        ).search(text)
        or rx(r"不是(?P<old>[^,，。]{1,14}?)[,，]?\s*(?:而)?是(?P<new>[^,，。]{1,14})").search(text)
        or rx(r"是(?P<new>[^,，。]{1,14}?)[,，]\s*不是(?P<old>[^,，。]{1,14})").search(text)
    )
    if not match or value.normal(match["old"]) != value.normal(old.value):
        return None
    new = rx(r"(?i)^(?:i (?:mean|meant|said) |it's |in |at )+").sub("", match["new"].strip())
    return _base(memory, replace(old, value=new), memory.validity)
