"""Whose thing a noun phrase names: "my wife's name", "Dad's birthday", "her salary"."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.subjects import USER, path_of
from mcp_memory_server.memory.vocabulary import Vocabulary


def owned(frame: Frame, nouns: str, vocabulary: Vocabulary) -> str:
    """The path of the person whose `nouns` (a pattern) the subject of a clause is; empty where it is none.

    "my current salary" is the user's, "my wife's salary" hers, "her salary" that of the person last told of.
    """
    match = _owner(vocabulary).match(frame.thing) if frame.thing else None
    if not match or not patterns.fullmatch(
        rf"(?:[\w\-]+ ){{0,2}}?(?:{nouns})", frame.thing[match.end() :], re.IGNORECASE
    ):
        return ""
    if match["role"]:
        role = vocabulary.mapping("en", "roles")[match["role"].lower()]
        return path_of(role, match["name"] or "", vocabulary)
    if match["plain"]:
        return match["plain"]
    if match["other"]:
        return frame.other.path if frame.other else ""
    return USER


def _owner(vocabulary: Vocabulary) -> re.Pattern[str]:
    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        roles = alternation(vocabulary.mapping("en", "roles"))
        return re.compile(
            rf"(?:(?:(?i:my|our)\s+)?(?:(?i:older|younger|elder|eldest|youngest|little|big|twin|late|new|old|best)\s+)?(?P<role>(?i:{roles}))(?:\s+(?P<name>[A-Z][\w\-]+))?['’]s?"
            rf"|(?P<other>(?i:his|her|their))|(?P<plain>(?!(?i:the|my|our|it|that|this|what|today|tomorrow|yesterday|\w+day)\b)[A-Z][\w\-]+(?: [A-Z][\w\-]+)?)['’]s|(?i:my|our|the user['’]s|user['’]s))\s+"
        )

    return once(vocabulary, "owner", make)
