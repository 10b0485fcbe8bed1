"""From words to candidate facts, events and intents, by rules of English and Chinese."""

from __future__ import annotations

from datetime import datetime

from mcp_memory_server.memory.model import CandidateFact, Perception, Said
from mcp_memory_server.memory.vocabulary import Vocabulary


def perceive(said: Said, vocabulary: Vocabulary) -> Perception:
    """All that the rules find in one utterance; facts only where a rule is sure."""
    return Perception()


def perceive_statement(
    statement: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary
) -> CandidateFact | None:
    """The one main fact of a self-contained statement, or None where no rule is sure."""
    return None
