"""What the profile makes a model do: values that fill parameters, and rules for the prompt.

Both are tables of the policy (`defaults/policy.toml`); every line names the memories it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_memory_server.memory.model import Memory, Status

_KINDS = ("predicate", "sentiment", "hidden")


@dataclass(frozen=True, slots=True)
class PromptRule:
    """One rule: it holds when a current fact, a recent mood, or a wish not to be reminded matches.

    `below` compares a number; `labels`, `intensity` and `days` a mood; `texts` is what the model is told.
    """

    name: str
    when: str
    predicate: str = ""
    below: float | None = None
    labels: tuple[str, ...] = ()
    intensity: float = 0.0
    days: float = 1.0
    texts: Mapping[str, str] = field(default_factory=dict)

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
        )


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule that holds, with the memories that make it hold."""

    rule: PromptRule
    memory_ids: tuple[str, ...]


def values(facts: Iterable[Memory], bindings: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Name to value of each binding that a current fact about the user fills; the newest fact wins."""
    out: dict[str, dict[str, str]] = {}
    ordered = sorted(facts, key=lambda memory: (memory.said_at, memory.id))
    for name, predicate in bindings.items():
        for memory in ordered:
            if (memory.subject, memory.predicate) == ("user", predicate) and memory.object and not memory.hidden:
                out[name] = {"value": memory.object.value, "memory_id": memory.id}
                if memory.object.unit:
                    out[name]["unit"] = memory.object.unit
    return out


def applied(
    rules: Sequence[PromptRule], facts: Sequence[Memory], utterances: Sequence[Memory], now: datetime
) -> list[Applied]:
    """The rules that hold now, in the order of the policy."""
    out = []
    for rule in rules:
        source = utterances if rule.when == "sentiment" else facts
        ids = tuple(memory.id for memory in source if _matches(rule, memory, now))
        if ids:
            out.append(Applied(rule, ids))
    return out


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
        return False


def told(found: Sequence[Applied], lang: str) -> list[str]:
    """What the model is told, a line a rule."""
    return [item.rule.texts.get(lang, item.rule.texts["en"]) for item in found]
