"""Does a statement follow from what was said?"""

from __future__ import annotations

import re

from mcp_memory_server.memory.model import Grounding, Said, Span
from mcp_memory_server.memory.value import bag
from mcp_memory_server.memory.vocabulary import Vocabulary


def ground(statement: str, said: Said, vocabulary: Vocabulary) -> Grounding:
    """Whether every name, number, date, polarity and subject of `statement` is supported by `said`."""
    wanted, have = bag(statement), bag(said.text)
    numbers = set(re.findall(r"\d+(?:\.\d+)?", statement)) - set(re.findall(r"\d+(?:\.\d+)?", said.text))
    if numbers:
        return Grounding(False, f"the number {min(numbers)} was not said")
    missing = wanted - have
    if wanted and len(missing) / len(wanted) > 0.35:
        return Grounding(False, "other words were said")
    return Grounding(True, "", Span(0, len(said.text)))
