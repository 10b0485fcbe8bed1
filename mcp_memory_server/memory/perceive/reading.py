"""One utterance read as a whole."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server.memory.model import CandidateFact, Change, Perception, Polarity, Said, SpeechAct
from mcp_memory_server.memory.perceive.acts import Signs, act_of
from mcp_memory_server.memory.perceive.calendar import zone_of
from mcp_memory_server.memory.perceive.events import find_events
from mcp_memory_server.memory.perceive.facts import facts_of, read_text
from mcp_memory_server.memory.perceive.intents import find_intents
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.sentiment import feel
from mcp_memory_server.memory.perceive.source import prepare
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.vocabulary import Vocabulary


def read(said: Said, vocabulary: Vocabulary) -> Perception:
    """Facts, events, intents, act and sentiment of an utterance."""
    prepared = prepare(said.text)
    sentences = read_text(prepared, said.said_at, said.time_zone, vocabulary)
    facts = facts_of(sentences, said, vocabulary)
    sentiment = feel(prepared, vocabulary, language(said.text))
    today = said.said_at.astimezone(zone_of(said.time_zone, said.said_at)).date().isoformat()
    act = act_of(Signs(prepared, sentences, facts, sentiment, today))
    facts = _changed(facts, act, said.text)
    return Perception(
        facts=facts,
        events=find_events(sentences, facts, act),
        intents=find_intents(said, sentences, facts, act),
        speech_act=act,
        sentiment=sentiment,
    )


_CHANGE = (
    r"(?i)\b(?:now|no longer|any ?more|instead|from now on|as of|changed|switched|moved|became|become|turned into|new job|used to)\b"
    r"|\b(?:raised|lowered|increased|reduced|decreased|bumped|dropped|rose|risen|fell|fallen|climbed|grown|gone (?:up|down)|went (?:up|down)) [^.!?]{0,40}\bto\b"
    r"|现在.*了|如今|换成|改成|换了|改为|变成|升到|升了|调到|不再|转到|搬|涨到|降到|降至|提高到|提到|加到|调高|调低|上调|下调|减到|减少到|缩减到|涨薪|加薪|涨工资|从现在"
)
_CHANGE_BESIDE = r"(?i)\b(?:promoted me|got promoted|i've switched|i switched|things changed|have changed|there's been a change|not anymore|changed my mind)\b|升职|变了|改变了?(?:想法|主意|看法|态度)|想法变|有变化|有变动|改主意|换工作了"


def _changed(facts: Sequence[CandidateFact], act: SpeechAct, text: str) -> tuple[CandidateFact, ...]:
    """What a correction or retraction states carries that change; asking to forget states nothing."""
    if act is SpeechAct.FORGET_REQUEST:
        return ()
    if act is SpeechAct.CORRECT:
        return tuple(replace(fact, change=Change.CORRECTED) for fact in facts)
    if act is SpeechAct.RETRACT:
        return tuple(
            replace(fact, change=Change.RETRACTED) if fact.polarity is Polarity.NEGATIVE else fact for fact in facts
        )
    return tuple(
        replace(fact, change=Change.CHANGED) if fact.change is Change.NONE and _told_change(fact, text) else fact
        for fact in facts
    )


def _told_change(fact: CandidateFact, text: str) -> bool:
    """Now, instead, promoted, 换成, 升…: the words say that something is no longer as it was."""
    clause = fact.span.of(text)
    return rx(_CHANGE).search(clause) is not None or (len(text) < 120 and rx(_CHANGE_BESIDE).search(text) is not None)
