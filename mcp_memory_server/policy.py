"""The policy of an installation: vocabulary and half-lives, from the packaged defaults and `policy.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.memory.decay import HalfLives
from mcp_memory_server.memory.feedback import FeedbackWeights
from mcp_memory_server.memory.links import LinkRule, Suggestion
from mcp_memory_server.memory.model import Category, Layer
from mcp_memory_server.memory.personal import Binding, PromptRule
from mcp_memory_server.memory.vocabulary import Vocabulary

_MOST = 1_000_000  # days of a half-life or time to live


@dataclass(frozen=True, slots=True)
class Policy:
    """What decides how words are read and how memories fade."""

    vocabulary: Vocabulary
    half_lives: HalfLives
    bindings: Mapping[str, Binding]
    prompt_rules: tuple[PromptRule, ...]
    feedback: FeedbackWeights
    links: tuple[LinkRule, ...]
    suggestions: tuple[Suggestion, ...]
    maintain_at: time = time(2)


def load_policy(path: Path | None = None) -> Policy:
    """The packaged policy, with the tables of `path` laid over it. Raises InvalidArgumentError."""
    vocabulary = merged(_packaged("predicates.toml"), _packaged("signs.toml"))
    policy = _packaged("policy.toml")
    if path is not None:
        try:
            own = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise InvalidArgumentError(f"policy file {path}: {error}") from error
        policy = merged(policy, own)
        vocabulary = merged(vocabulary, own.get("vocabulary", {}))
    try:
        words = Vocabulary.parse(vocabulary)
        links = tuple(LinkRule.parse(table, words) for table in policy.get("links", ()))
        return Policy(
            words,
            _half_lives(policy.get("decay", {}), words),
            _bindings(policy.get("bindings", {}), words),
            tuple(PromptRule.parse(table) for table in policy.get("prompt_rules", ())),
            FeedbackWeights.parse(policy.get("feedback", {})),
            links,
            tuple(Suggestion.parse(table, links) for table in policy.get("suggestions", ())),
            _maintain_at(policy.get("maintain", {})),
        )
    except ValueError as error:
        raise InvalidArgumentError(f"policy: {error}") from error


def _packaged(name: str) -> dict[str, Any]:
    return tomllib.loads(files("mcp_memory_server.defaults").joinpath(name).read_text(encoding="utf-8"))


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `over` laid on it, table by table."""
    out = dict(base)
    for name, value in over.items():
        known = out.get(name)
        out[name] = merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return out


def _bindings(table: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Binding]:
    found = {}
    for name, entry in table.items():
        try:
            found[name] = Binding.parse(entry)
        except ValueError as error:
            raise ValueError(f"bindings.{name}: {error}") from None
        for predicate in sorted(found[name].predicates):
            if vocabulary.get(predicate) is None:
                raise ValueError(f"bindings.{name}: {predicate!r} is no predicate")
    return found


def _half_lives(table: Mapping[str, Any], vocabulary: Vocabulary) -> HalfLives:
    presets = table.get("presets", {})
    preset = table.get("preset", "")
    if preset and preset not in presets:
        raise ValueError(f"decay.preset: one of {', '.join(presets)}, or empty")
    for name, values in presets.items():
        _days(values, f"presets.{name}", "occasions")
    days = _days({**table.get("half_life_days", {}), **presets.get(preset, {})}, "half_life_days", "occasions")
    to_live = _days(table.get("time_to_live_days", {}), "time_to_live_days", "sensitive")
    layers = table.get("layer", {})
    for name, layer in layers.items():
        # Working memory is never the only copy: what is stored starts at least episodic.
        if name not in Category.__members__.values() or layer not in (Layer.EPISODIC, Layer.SEMANTIC):
            raise ValueError(f"decay.layer.{name}: episodic or semantic, for a category")
    stretch = table.get("stretch", {})
    for name, factor in stretch.items():
        if name not in Layer.__members__.values() or not _is_number(factor):
            raise ValueError(f"decay.stretch.{name}: a number above 0, for working, episodic or semantic")
    return HalfLives(
        by_category={name: value for name, value in days.items() if name != "occasions"},
        occasions=days.get("occasions", 30.0),
        to_live={name: value for name, value in to_live.items() if name != "sensitive"},
        sensitive_to_live=to_live.get("sensitive"),
        sensitive=_predicates(table, "sensitive", vocabulary),
        layers={name: Layer(layer) for name, layer in layers.items()},
        stretch={name: float(factor) for name, factor in stretch.items()},
        appointments=_predicates(table, "appointments", vocabulary),
    )


def _days(table: Mapping[str, Any], where: str, also: str) -> dict[str, float | None]:
    """Days by category, and under one other name; None for 'never'."""
    days: dict[str, float | None] = {}
    for name, value in table.items():
        if name not in Category.__members__.values() and name != also:
            raise ValueError(f"decay.{where}.{name}: no such category")
        if value != "never" and not _is_number(value):
            raise ValueError(f"decay.{where}.{name}: days above 0, or 'never'")
        days[name] = None if value == "never" else float(value)
    return days


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOST


def _predicates(table: Mapping[str, Any], name: str, vocabulary: Vocabulary) -> frozenset[str]:
    for predicate in table.get(name, ()):
        if vocabulary.get(str(predicate)) is None:
            raise ValueError(f"decay.{name}: {predicate!r} is no predicate")
    return frozenset(map(str, table.get(name, ())))


def _maintain_at(table: Mapping[str, Any]) -> time:
    try:
        return time.fromisoformat(str(table.get("at", "02:00")))
    except ValueError as error:
        raise ValueError("maintain.at: a time of day such as 02:00") from error
