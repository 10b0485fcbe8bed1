"""What the profile makes a model do: values that fill parameters, and rules for the prompt.

Both are tables of the policy (`defaults/policy.toml`); every line names the memories it rests on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_memory_server.memory.model import Memory, Speaker, Status
from mcp_memory_server.memory.text import key

_KINDS = ("predicate", "sentiment", "hidden", "asked", "named")


@dataclass(frozen=True, slots=True)
class PromptRule:
    """One rule: it holds when a current fact, a recent mood, a wish not to be reminded, or what is often said matches.

    `below` compares a number, `words` a level said in words; `labels`, `intensity` and `days` a mood. `asked`: events
    of `event_types` with one of `words`, `times` in all and at least `share` of such events. `named`: one value that
    `patterns` find `times` in what the user said; it stands for `{value}` in `texts`, what the model is told.
    """

    name: str
    when: str
    predicate: str = ""
    below: float | None = None
    labels: tuple[str, ...] = ()
    intensity: float = 0.0
    days: float = 1.0
    texts: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    event_types: tuple[str, ...] = ()
    times: int = 1
    share: float = 0.0
    patterns: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> PromptRule:
        """A rule of the policy. Raises ValueError naming it."""
        name = str(table.get("rule", "?"))
        when = str(table.get("when", ""))
        if when not in _KINDS:
            raise ValueError(f"prompt_rules.{name}.when: one of {', '.join(_KINDS)}")
        texts = {lang: str(table[lang]) for lang in ("en", "zh") if table.get(lang)}
        if len(texts) != 2:
            raise ValueError(f"prompt_rules.{name}: needs a text in en and in zh")
        return cls(
            name,
            when,
            str(table.get("predicate", "")),
            table.get("below"),
            tuple(table.get("labels", ())),
            float(table.get("intensity", 0.0)),
            float(table.get("days", 1.0)),
            texts,
            tuple(key(str(word)) for word in table.get("words", ())),
            tuple(table.get("event_types", ())),
            int(table.get("times", 1)),
            float(table.get("share", 0.0)),
            tuple(_pattern(name, text) for text in table.get("patterns", ())),
        )


def _pattern(name: str, text: object) -> re.Pattern[str]:
    try:
        made = re.compile(str(text), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"prompt_rules.{name}.patterns: {text!r}: {error}") from None
    if "value" not in made.groupindex:
        raise ValueError(f"prompt_rules.{name}.patterns: {text!r} has no group `value`")
    return made


@dataclass(frozen=True, slots=True)
class Binding:
    """What fills a parameter: the object of a fact with one of `predicates`; with `words` only a value that is named
    there, under the name it has there (markdown: "Markdown", "md").
    """

    predicates: frozenset[str]
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def parse(cls, entry: object) -> Binding:
        """An entry of `[bindings]`: a predicate, or a table of `predicates` and `words`. Raises ValueError."""
        if isinstance(entry, str):
            return cls(frozenset({entry}))
        if not isinstance(entry, Mapping) or not isinstance(entry.get("predicates"), list):
            raise ValueError("a predicate, or a table with a list of predicates")
        words = entry.get("words", {})
        if not isinstance(words, Mapping) or not all(isinstance(found, list) for found in words.values()):
            raise ValueError("words: lists of words by the value they stand for")
        folded = {str(name): tuple(key(str(word)) for word in (name, *found)) for name, found in words.items()}
        return cls(frozenset(map(str, entry["predicates"])), folded)

    def value(self, memory: Memory) -> str | None:
        """What a fact fills the parameter with; None: nothing."""
        if memory.predicate not in self.predicates or memory.object is None or memory.polarity.value == "negative":
            return None
        if not self.words:
            return memory.object.value
        folded = key(memory.object.value)
        return next((name for name, words in self.words.items() if any(_has(folded, word) for word in words)), None)


def _has(folded: str, word: str) -> bool:
    """Whether a folded text has a word: whole, where it is written in letters."""
    if not word.isascii():
        return word in folded
    return re.search(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])", folded) is not None


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule that holds, with the memories that make it hold, and the value it is about."""

    rule: PromptRule
    memory_ids: tuple[str, ...]
    value: str = ""


def values(facts: Iterable[Memory], bindings: Mapping[str, Binding]) -> dict[str, dict[str, str]]:
    """Name to value of each binding that a current fact about the user fills; the newest fact wins."""
    out: dict[str, dict[str, str]] = {}
    ordered = sorted(facts, key=lambda memory: (memory.said_at, memory.id))
    for name, binding in bindings.items():
        for memory in ordered:
            found = binding.value(memory) if memory.subject == "user" and not memory.hidden else None
            if found is not None and memory.object:
                out[name] = {"value": found, "memory_id": memory.id}
                if memory.object.unit:
                    out[name]["unit"] = memory.object.unit
    return out


def applied(
    rules: Sequence[PromptRule],
    facts: Sequence[Memory],
    utterances: Sequence[Memory],
    now: datetime,
    events: Sequence[Memory] = (),
) -> list[Applied]:
    """The rules that hold now, in the order of the policy."""
    out = []
    for rule in rules:
        if rule.when == "asked":
            found: Applied | None = _asked(rule, events)
        elif rule.when == "named":
            found = _named(rule, [*utterances, *(fact for fact in facts if not fact.evidence)])
        else:
            source = utterances if rule.when == "sentiment" else facts
            ids = tuple(memory.id for memory in source if _matches(rule, memory, now))
            found = Applied(rule, ids) if ids else None
        if found:
            out.append(found)
    return out


def _asked(rule: PromptRule, events: Sequence[Memory]) -> Applied | None:
    """Whether most of what the user asks is about one thing."""
    asked = [one for one in events if one.event_type and one.event_type.value in rule.event_types and not one.hidden]
    about = [one for one in asked if any(_has(key(one.statement), word) for word in rule.words)]
    count, total = sum(one.count for one in about), sum(one.count for one in asked)
    holds = count >= rule.times and count >= rule.share * total
    return Applied(rule, tuple(one.id for one in about)) if holds else None


def _named(rule: PromptRule, said: Sequence[Memory]) -> Applied | None:
    """The value that the user names most often, if often enough; of two the one named last."""
    found: dict[str, list[Memory]] = defaultdict(list)
    for memory in said:
        if memory.speaker is not Speaker.USER or memory.hidden or memory.origin or memory.status is not Status.CURRENT:
            continue
        for value in {match["value"] for pattern in rule.patterns for match in pattern.finditer(memory.statement)}:
            found[value].append(memory)
    often = {value: named for value, named in found.items() if len(named) >= rule.times}
    if not often:
        return None
    value = max(often, key=lambda one: (len(often[one]), max(memory.said_at for memory in often[one]), one))
    return Applied(rule, tuple(memory.id for memory in often[value]), value)


def _matches(rule: PromptRule, memory: Memory, now: datetime) -> bool:
    if rule.when == "hidden":
        return memory.hidden
    if rule.when == "sentiment":
        mood = memory.sentiment
        recent = now - memory.said_at <= timedelta(days=rule.days)
        return mood is not None and recent and mood.label in rule.labels and mood.intensity >= rule.intensity
    if memory.status is not Status.CURRENT or memory.hidden or memory.predicate != rule.predicate:
        return False
    if rule.below is None:
        return True
    try:
        return memory.object is not None and float(memory.object.value) < rule.below
    except ValueError:
        return memory.object is not None and any(_has(key(memory.object.value), word) for word in rule.words)


def told(found: Sequence[Applied], lang: str) -> list[str]:
    """What the model is told, a line a rule."""
    return [item.rule.texts.get(lang, item.rule.texts["en"]).replace("{value}", item.value) for item in found]
