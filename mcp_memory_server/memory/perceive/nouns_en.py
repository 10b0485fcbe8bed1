"""English noun phrases as subjects: things before a verb, names told with a noun, topics taken up again."""

from __future__ import annotations

import re

from mcp_memory_server.memory.perceive.fronting_en import RESUMED, VERDICT
from mcp_memory_server.memory.perceive.grammar_en import finite_helpers, verb_forms
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.vocabulary import Vocabulary


def told_name(vocabulary: Vocabulary) -> re.Pattern[str]:
    """ "a greyhound called Biscuit": a noun with the name that is told."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        nouns = alternation((*vocabulary.words("en", "animals"), *vocabulary.mapping("en", "roles")))
        return re.compile(
            rf"(?i:\b(?:an?|my|our|the)\s+(?:[\w\-]+\s+){{0,3}}?(?P<noun>{nouns}))(?:,)?\s+(?i:called|named)\s+(?P<name>[A-Z][\w’'\-]*)"
        )

    return once(vocabulary, "told name", make)


def thing_pattern(vocabulary: Vocabulary) -> re.Pattern[str]:
    """A determined noun phrase before a finite verb."""

    def make(vocabulary: Vocabulary) -> re.Pattern[str]:
        finite = alternation(
            form
            for form, (_, kind) in verb_forms(vocabulary).items()
            if (kind in ("s", "past") and len(form) > 2) or form in ("cost", "set", "put", "hit", "cut")
        )
        return re.compile(
            rf"(?P<np>(?:(?:my|our|the|this|that|these|those|a|an|his|her|their|its|your|some|most|half|all|one|[A-Z][\w’'\-]*'s|every)\b)(?:\s+(?!(?:{finite_helpers()}|I|we|you)\b)[\w’'.&/\-]+){{0,7}}?)"
            rf"(?P<rel>\s+(?:that\s+|which\s+)?(?:I|we|you)\s+(?:have\s+|had\s+|just\s+|recently\s+)?\w+(?:\s+(?!(?:{finite_helpers()}|I|we|you)\b)[\w’'\-]+){{0,3}}?)?"
            rf"\s*,?\s+(?=(?:(?:also|now|still|just|really|always|currently|usually|never|only|already|finally|actually)\s+)*(?:{finite_helpers()}|(?:{finite})\b(?!\s+{finite_helpers()}\b))\b)",
            re.IGNORECASE,
        )

    return once(vocabulary, "thing_pattern", make)


def of_topic(text: str, topic: str) -> str:
    """The answer to a topic as a clause: "can't stand it", "not for me", "love"."""
    if VERDICT.match(text):
        return f"{topic} is {text[0].lower()}{text[1:]}"
    return RESUMED.sub(rf"\1{topic}", text, count=1)
