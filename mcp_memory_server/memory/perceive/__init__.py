"""From words to candidate facts, events and intents, by rules of English and Chinese.

The way of a text: `source` folds and cuts it, `when_*` find its times, `speech_*` mark what states
nothing, `english` and `chinese` take clauses apart, `rules_*` read facts, `facts` ties this together;
`acts`, `sentiment`, `events` and `intents` say what the whole does.
"""

from __future__ import annotations

from datetime import datetime

from mcp_memory_server.memory.model import CandidateFact, Perception, Said
from mcp_memory_server.memory.vocabulary import Vocabulary


def perceive(said: Said, vocabulary: Vocabulary) -> Perception:
    """All that the rules find in one utterance; facts only where a rule is sure.

    The assistant's words give events and an act, but no facts.
    """
    from mcp_memory_server.memory.perceive.reading import read  # the rules load at the first use

    return read(said, vocabulary)


def perceive_statement(
    statement: str, said_at: datetime, time_zone: str | None, vocabulary: Vocabulary
) -> CandidateFact | None:
    """The one main fact of a self-contained statement, or None where no rule is sure."""
    from mcp_memory_server.memory.perceive.facts import find_statement

    return find_statement(statement, said_at, time_zone, vocabulary)


__all__ = ["perceive", "perceive_statement"]
