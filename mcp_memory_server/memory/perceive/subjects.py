"""Who a clause is about: the user, a relative or belonging, a named other."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from dataclasses import dataclass

from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.vocabulary import Vocabulary

USER = "user"


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject path with what its words said: a name, a kind of animal, the role word itself."""

    path: str
    role: str = ""
    name: str = ""
    word: str = ""

    @property
    def is_user(self) -> bool:
        """True for the speaker."""
        return self.path == USER


def path_of(role: str, name: str, vocabulary: Vocabulary) -> str:
    """`user.boss`, or `user.brother:Tomasz` for roles that several persons can have."""
    return f"user.{role}:{name}" if name and vocabulary.many(role) else f"user.{role}"


_NAME_EN = r"[A-Z\u00c0-\u00de][\w'\u2019\-]*(?:\s+(?:de|da|van|von|der|den|del|la|le|bin|al|Mc|O')?\s*[A-Z\u00c0-\u00de][\w'\u2019\-]*){0,3}|[\u4e00-\u9fff]{2,4}"
_NOT_NAMES = frozenset(
    "I The A An My Our Your His Her Their This That These Those It He She They We You There Here Today Tomorrow Yesterday Monday Tuesday Wednesday "
    "Thursday Friday Saturday Sunday January February March April May June July August September October November December And But So Or If When "
    "What Who Where Why How No Not Yes Please Thanks Order Is Are Was Were Do Does Did Has Have Had Will Would Can Could".split()
)


def role_pattern_en(vocabulary: Vocabulary) -> re.Pattern[str]:
    """ "my older brother Tomasz", "our boss, Ingrid,", with the role word and the name as groups."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        roles = alternation(vocabulary.mapping("en", "roles"))
        return re.compile(
            rf"(?:(?i:my|our|the user's|the user’s)\s+|(?i:the\s+)(?=(?i:kids|children|twins|baby|missus|boss|landlord|landlady|dog|cat|puppy|kitten|wife|in-laws)\b)|(?=(?:Mum|Mom|Dad|Daddy|Mummy|Grandma|Grandpa|Granny|Nana|Gran|Granddad)\b))(?P<adj>(?:(?i:dear|lovely|old|new|current|former|little|big|own|late|poor|eldest|oldest|youngest|elder|older|younger|twin|only|"
            rf"first|second|\w+-year-old|\d+-year-old|best|good|close|direct|whole|entire|small|current)\s+){{0,2}})(?P<role>(?i:{roles}))(?![\w'’])"
            rf"(?:(?P<comma>,)?\s+(?P<name>(?!(?i:is|and)\b)(?:{_NAME_EN}))(?(comma)\s*,|(?![\w’'])))?"
        )

    return once(vocabulary, "role_pattern_en", make)


def role_tail_en(vocabulary: Vocabulary) -> re.Pattern[str]:
    """ "… a sister", "… my cousin Anselm" at the end of a clause, with the role word and the name as groups."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        roles = alternation(vocabulary.mapping("en", "roles"))
        return re.compile(
            rf"\b(?i:my|our|an?|one|the|another)\s+(?:[\w\-]+\s+){{0,2}}?(?P<role>(?i:{roles}))(?:\s+(?:(?i:called|named)\s+)?(?P<name>(?:{_NAME_EN})))?$"
        )

    return once(vocabulary, "role_tail_en", make)


def named(match: re.Match[str], vocabulary: Vocabulary) -> Subject:
    """The subject that a match of `role_pattern_en` names."""
    word = match["role"].lower()
    role = vocabulary.mapping("en", "roles")[word]
    name = match["name"] or ""
    if name.split(" ")[0] in _NOT_NAMES:
        name = ""
    return Subject(
        path_of(role, name, vocabulary),
        role,
        name,
        (match["adj"] or "").strip() + (" " if match["adj"] else "") + word,
    )


def plain_name(text: str) -> str:
    """The name that a clause begins with, or an empty text."""
    match = patterns.match(rf"(?:{_NAME_EN})", text)
    if not match or match[0].split()[0] in _NOT_NAMES:
        return ""
    return match[0]
