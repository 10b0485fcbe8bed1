"""From words to candidate facts, events and intents, by rules of English and Chinese."""

from __future__ import annotations

from datetime import datetime

from mcp_memory_server.memory.model import CandidateFact, Perception, Said
from mcp_memory_server.memory.perceive.facts import find_facts, find_statement
from mcp_memory_server.memory.vocabulary import Vocabulary


def perceive(said: Said, vocabulary: Vocabulary) -> Perception:
    """All that the rules find in one utterance; facts only where a rule is sure."""
    return Perception(facts=find_facts(said, vocabulary))


def perceive_statement(statement: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary) -> CandidateFact | None:
    """The one main fact of a self-contained statement, or None where no rule is sure."""
    return find_statement(statement, said_at, time_zone, vocabulary)
