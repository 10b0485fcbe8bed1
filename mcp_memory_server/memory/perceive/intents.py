"""What the user wants to be done or known, with its slots."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_memory_server.memory.model import CandidateFact, Intent, Said, SpeechAct
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import Sentence

_BOOK = r"(?i)\b(?:book|reserve|order) (?:me |us )?(?:a|an|the|my|two|three|some|\d)\b|\b(?:get|buy) (?:me |us )?(?:a|an|two|\d) [\w ]{0,20}tickets?\b|(?:帮我|给我|麻烦|请|想|要|帮)?\S{0,4}(?:订|预订|预定|定|抢|买)(?:一?[张个间桌])?\S{0,24}(?:票|酒店|房|机票|高铁|航班|座|位|包间|餐厅|车)"
_AGAIN = r"(?i)\b(?:i (?:already )?asked (?:you )?(?:this|that|before|already)|(?:again|once more|as i asked)|what did (?:i|you) (?:say|ask|tell|recommend)|remember when i asked)\b|上次(?:问|说|推荐|聊|提|讲)|之前(?:问|说|推荐|聊|提)过|再问一?[次遍下]|又来问|我问过"
_SLOTS = {
    "departs_from": "from",
    "arrives_at": "to",
    "seat_class": "class",
    "budget_max": "max",
    "budget_min": "min",
    "travels_to": "to",
    "booked": "thing",
}
_OF_PREDICATE = {
    "budget_max": "set_limit", "budget_min": "set_limit", "spending_limit": "set_limit",
    "likes": "prefer", "dislikes": "prefer", "prefers": "prefer", "prefers_format": "prefer",
    "has_name": "introduce", "age": "introduce", "job_title": "introduce", "works_at": "introduce", "hometown": "introduce",
    "allergic_to": "health", "has_condition": "health", "takes_medication": "health", "follows_diet": "health", "height": "health", "weight": "health",
    "struggles_with": "level", "mastered": "level", "mastery_level": "level", "education_level": "level", "exam_score": "level",
    "risk_preference": "risk",
}  # fmt: skip


def find_intents(
    said: Said, sentences: Sequence[Sentence], facts: Sequence[CandidateFact], act: SpeechAct
) -> tuple[Intent, ...]:
    """The intents of an utterance, one of a name."""
    found: dict[str, Intent] = {}
    for intent in _all(said, sentences, facts, act):
        if intent.name in found:
            found[intent.name].slots.update(
                {key: value for key, value in intent.slots.items() if key not in found[intent.name].slots}
            )
        else:
            found[intent.name] = intent
    return tuple(found.values())


def _all(said: Said, sentences: Sequence[Sentence], facts: Sequence[CandidateFact], act: SpeechAct) -> Iterator[Intent]:
    text = " ".join(sentence.text for sentence in sentences)
    booking = rx(_BOOK).search(text)
    if booking:
        slots = {_SLOTS[fact.predicate]: _shown(fact) for fact in facts if fact.predicate in _SLOTS}
        time = next(
            (
                when.future
                for sentence in sentences
                for clause in sentence.clauses
                for when in clause.times
                if when.future
            ),
            "",
        )
        if time:
            slots["time"] = time
        yield Intent("book", 0.9, slots)
    for fact in facts:
        name = _OF_PREDICATE.get(fact.predicate)
        if name and (fact.subject == "user" or name in ("health", "level")):
            slots = {fact.predicate: _shown(fact)}
            if fact.object.scope:
                slots["scope"] = fact.object.scope
            if fact.subject != "user":
                slots["subject"] = fact.subject
            yield Intent(name, 0.9, slots)
    if act is SpeechAct.FORGET_REQUEST:
        yield Intent("forget", 0.95, _forgotten(text))
    if act in (SpeechAct.CORRECT, SpeechAct.RETRACT):
        yield Intent("correct", 0.9, {})
    if rx(_AGAIN).search(text):
        yield Intent("ask_again", 0.8, {})
    if rx(
        r"(?i)that's not what i (?:meant|asked|wanted)|wrong answer|you misunderstood|不是这个意思|不是我要的|答非所问|你理解错"
    ).search(text):
        yield Intent("feedback", 0.9, {"verdict": "wrong"})
    elif rx(
        r"(?i)\b(?:that (?:helped|helps|worked)|good answer|great answer|exactly what i needed)\b|很有帮助|说得对|回答得很好|讲得很清楚"
    ).search(text):
        yield Intent("feedback", 0.8, {"verdict": "used"})


def _shown(fact: CandidateFact) -> str:
    return f"{fact.object.value} {fact.object.unit}" if fact.object.unit else fact.object.value


def _forgotten(text: str) -> dict[str, str]:
    if rx(r"(?i)刚才|刚刚|just (?:said|told)|last (?:message|thing)|what i said|上一[句条]").search(text):
        return {"what": "last"}
    if rx(r"(?i)everything|all (?:my|you|of)|所有|全部|一切|清空").search(text):
        return {"what": "everything"}
    match = rx(
        r"(?i)\b(?:about|that) (?P<o>.{2,60}?)(?:[.!?]|$)|(?:关于|忘了|忘掉|删掉|删除)(?P<p>[^,，。!]{2,30}?)(?:的(?:事|内容|记录|记忆|信息))?(?:[,，。!]|$)"
    ).search(text)
    return {"query": (match["o"] or match["p"]).strip()} if match else {}


def bare_sum(text: str, lang: str) -> quantity.Quantity | None:
    """The one sum or number that an elliptical correction gives ("sorry, I mean $1.4M")."""
    found = [item for item in quantity.find(text, lang) if item.kind in ("money", "measure", "plain")]
    return found[0] if found else None
