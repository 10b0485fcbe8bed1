"""One utterance read as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server.memory.model import CandidateFact, Change, Perception, Polarity, Said, SpeechAct
from mcp_memory_server.memory.perceive.acts import Signs, act_of
from mcp_memory_server.memory.perceive.calendar import zone_of
from mcp_memory_server.memory.perceive.events import find_events
from mcp_memory_server.memory.perceive.facts import facts_of, read_text
from mcp_memory_server.memory.perceive.intents import find_intents
from mcp_memory_server.memory.perceive.sentiment import feel
from mcp_memory_server.memory.perceive.source import prepare
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.vocabulary import Vocabulary


def read(said: Said, vocabulary: Vocabulary) -> Perception:
    """Facts, events, intents, act and sentiment of an utterance."""
    prepared = prepare(said.text)
    sentences = read_text(said.text, said.said_at, said.time_zone, vocabulary)
    facts = facts_of(sentences, said, vocabulary)
    sentiment = feel(prepared, vocabulary, language(said.text))
    today = said.said_at.astimezone(zone_of(said.time_zone, said.said_at)).date().isoformat()
    act = act_of(Signs(prepared, sentences, facts, sentiment, today))
    facts = _changed(facts, act)
    return Perception(
        facts=facts,
        events=find_events(sentences, facts, act),
        intents=find_intents(said, sentences, facts, act),
        speech_act=act,
        sentiment=sentiment,
    )


def _changed(facts: Sequence[CandidateFact], act: SpeechAct) -> tuple[CandidateFact, ...]:
    """What a correction or retraction states carries that change; asking to forget states nothing."""
    if act is SpeechAct.FORGET_REQUEST:
        return ()
    if act is SpeechAct.CORRECT:
        return tuple(replace(fact, change=Change.CORRECTED) for fact in facts)
    if act is SpeechAct.RETRACT:
        return tuple(replace(fact, change=Change.RETRACTED) if fact.polarity is Polarity.NEGATIVE else fact for fact in facts)
    return tuple(facts)
