"""The policy of an installation: vocabulary and half-lives, from the packaged defaults and `policy.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.memory.decay import HalfLives
from mcp_memory_server.memory.feedback import FeedbackWeights
from mcp_memory_server.memory.links import LinkRule, Suggestion
from mcp_memory_server.memory.model import Category
from mcp_memory_server.memory.personal import PromptRule
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Policy:
    """What decides how words are read and how memories fade."""

    vocabulary: Vocabulary
    half_lives: HalfLives
    bindings: Mapping[str, str]
    prompt_rules: tuple[PromptRule, ...]
    feedback: FeedbackWeights
    links: tuple[LinkRule, ...]
    suggestions: tuple[Suggestion, ...]


def load_policy(path: Path | None = None) -> Policy:
    """The packaged policy, with the tables of `path` laid over it. Raises InvalidArgumentError."""
    vocabulary = _packaged("predicates.toml")
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
            _half_lives(policy.get("decay", {})),
            _bindings(policy.get("bindings", {}), words),
            tuple(PromptRule.parse(table) for table in policy.get("prompt_rules", ())),
            FeedbackWeights.parse(policy.get("feedback", {})),
            links,
            tuple(Suggestion.parse(table, links) for table in policy.get("suggestions", ())),
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


def _bindings(table: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, str]:
    for name, predicate in table.items():
        if not isinstance(predicate, str) or vocabulary.get(predicate) is None:
            raise ValueError(f"bindings.{name}: {predicate!r} is no predicate")
    return dict(table)


def _half_lives(table: Mapping[str, Any]) -> HalfLives:
    days: dict[str, float | None] = {}
    for name, value in table.get("half_life_days", {}).items():
        if name not in Category.__members__.values() and name != "occasions":
            raise ValueError(f"decay.half_life_days.{name}: no such category")
        if value == "never":
            days[name] = None
        elif isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            days[name] = float(value)
        else:
            raise ValueError(f"decay.half_life_days.{name}: days above 0, or 'never'")
    occasions = days.pop("occasions", 30.0)
    return HalfLives(days, occasions)
