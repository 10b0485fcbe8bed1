"""Links between facts by rules of the policy (an order, its train, its payment), and what they suggest.

A rule joins facts about one person whose predicates stand at its two ends. Facts that name what they are
about (`payment of the train ticket`) join by that name alone; only where a name is missing do words, day or
conversation that they share decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_memory_server.memory.model import Memory, Polarity, Status, ValueType
from mcp_memory_server.memory.text import key
from mcp_memory_server.memory.value import Match, words
from mcp_memory_server.memory.vocabulary import Vocabulary

NAMED, UTTERANCE, DAY, SESSION = "named", "utterance", "day", "session"
_WAYS = (NAMED, UTTERANCE, DAY, SESSION)


@dataclass(frozen=True, slots=True)
class LinkRule:
    """`name` of the link, the predicates of its two ends, and by what facts may be joined."""

    name: str
    ends: tuple[frozenset[str], frozenset[str]]
    by: tuple[str, ...]

    @classmethod
    def parse(cls, table: Mapping[str, Any], vocabulary: Vocabulary) -> LinkRule:
        """A row of `[[links]]`. Raises ValueError naming it."""
        name = str(table.get("link", "?"))
        ends = []
        for end in ("from", "to"):
            predicates = table.get(end)
            if not isinstance(predicates, list) or not predicates:
                raise ValueError(f"links.{name}.{end}: a list of predicates")
            for predicate in predicates:
                if vocabulary.get(str(predicate)) is None:
                    raise ValueError(f"links.{name}.{end}: {predicate!r} is no predicate")
            ends.append(frozenset(predicates))
        by = table.get("by", [NAMED])
        if not isinstance(by, list) or not by or not set(by) <= set(_WAYS):
            raise ValueError(f"links.{name}.by: any of {', '.join(_WAYS)}")
        return cls(name, (ends[0], ends[1]), tuple(by))

    def others(self, predicate: str) -> frozenset[str]:
        """The predicates that a fact with this one may be linked to."""
        out: frozenset[str] = frozenset()
        for own, other in (self.ends, self.ends[::-1]):
            if predicate in own:
                out |= other
        return out


@dataclass(frozen=True, slots=True)
class Link:
    """`memory` is joined to `of` by the rule `name`."""

    name: str
    of: Memory
    memory: Memory


def partners(memory: Memory, rules: Sequence[LinkRule]) -> list[str]:
    """The predicates of facts that a fact may be linked to, in a fixed order."""
    found = {other for rule in rules for other in rule.others(memory.predicate or "")}
    return sorted(found)


def links(
    memory: Memory, candidates: Iterable[Memory], rules: Sequence[LinkRule], vocabulary: Vocabulary
) -> list[Link]:
    """The candidates that rules join to a fact, in their order, each once."""
    out: dict[str, Link] = {}
    for other in candidates:
        if other.id == memory.id or other.subject != memory.subject or memory.subject is None:
            continue
        for rule in rules:
            if other.predicate in rule.others(memory.predicate or "") and _joined(memory, other, rule, vocabulary):
                out.setdefault(other.id, Link(rule.name, memory, other))
    return list(out.values())


def _joined(one: Memory, other: Memory, rule: LinkRule, vocabulary: Vocabulary) -> bool:
    days = _day(one), _day(other)
    if DAY in rule.by and all(days) and days[0] != days[1]:
        return False  # two journeys, however alike their names
    named = _names(one, other, vocabulary)
    if named is not None:
        return named and NAMED in rule.by
    return any(_shared(one, other, way) for way in rule.by)


def _names(one: Memory, other: Memory, vocabulary: Vocabulary) -> bool | None:
    """Whether what one fact says it is for is the other's thing; None where neither says it."""
    scopes = [memory.object.scope if memory.object else None for memory in (one, other)]
    if not any(scopes) or any(_is_place(memory) for memory in (one, other)):
        return None
    things = [memory.object.value if memory.object else "" for memory in (one, other)]
    pairs = [(scopes[0], scopes[1]), (scopes[0], things[1]), (scopes[1], things[0])]
    return any(first and second and words(first, second, vocabulary) is not Match.DIFFERENT for first, second in pairs)


def _is_place(memory: Memory) -> bool:
    """A value that names where, not what: of a trip to Porto nothing tells by its name what was booked."""
    found = memory.object
    return found is not None and found.scope is None and found.type is ValueType.ENTITY


def _shared(one: Memory, other: Memory, way: str) -> bool:
    if way == UTTERANCE:
        return bool({item.utterance_id for item in one.evidence} & {item.utterance_id for item in other.evidence})
    if way == DAY:
        return bool(_day(one)) and _day(one) == _day(other)
    return way == SESSION and one.session is not None and one.session == other.session


def _day(memory: Memory) -> str:
    """The day that a fact speaks of, if it is as close as a day."""
    spoken_of = memory.validity.at or memory.validity.valid_from or ""
    return spoken_of[:10] if len(spoken_of) >= 10 and not spoken_of.startswith("--") else ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question worth asking when an answer and its links look so: a template a language, over their slots.

    `states` are words of the linked fact's value that call for it, `opposites` those that do when they are denied.
    """

    name: str
    link: str
    about: frozenset[str]
    state: frozenset[str]
    states: tuple[str, ...] = ()
    opposites: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, table: Mapping[str, Any], rules: Sequence[LinkRule]) -> Suggestion:
        """A row of `[[suggestions]]`. Raises ValueError naming it."""
        name = str(table.get("suggestion", "?"))
        rule = next((rule for rule in rules if rule.name == table.get("link")), None)
        if rule is None:
            raise ValueError(f"suggestions.{name}.link: {table.get('link')!r} is no link")
        texts = {lang: str(table[lang]) for lang in ("en", "zh") if table.get(lang)}
        if len(texts) != 2:
            raise ValueError(f"suggestions.{name}: needs a text in en and in zh")
        states, opposites = (_listed(table, field, name) for field in ("states", "opposites"))
        if not states and not opposites:
            raise ValueError(f"suggestions.{name}.states: words of the linked fact that call for it")
        return cls(name, rule.name, *rule.ends, states, opposites, texts)

    def holds(self, linked: Memory) -> bool:
        """Whether a linked fact is in the state that calls for the suggestion."""
        if linked.object is None or linked.status is not Status.CURRENT or linked.hidden:
            return False
        value = key(linked.object.value)
        calls = any(key(word) in value for word in self.states)
        if linked.polarity is Polarity.NEGATIVE:
            return not calls and any(key(word) in value for word in self.opposites)
        return calls


def _listed(table: Mapping[str, Any], field: str, name: str) -> tuple[str, ...]:
    found = table.get(field, [])
    if not isinstance(found, list) or not all(isinstance(word, str) and word.strip() for word in found):
        raise ValueError(f"suggestions.{name}.{field}: a list of words")
    return tuple(found)


def called_for(found: Sequence[Link], suggestions: Sequence[Suggestion]) -> list[tuple[Suggestion, dict[str, str]]]:
    """The suggestions that links call for, each once for a thing, with their slots: `thing`, `state`, `at`."""
    out: dict[tuple[str, str], tuple[Suggestion, dict[str, str]]] = {}
    for suggestion in suggestions:
        for link in found:
            ends = [(link.of, link.memory), (link.memory, link.of)]
            for about, state in ends if link.name == suggestion.link else ():
                fits = about.predicate in suggestion.about and state.predicate in suggestion.state
                if fits and not about.hidden and suggestion.holds(state):
                    slots = _slots(about, state)
                    out.setdefault((suggestion.name, slots["thing"]), (suggestion, slots))
    return list(out.values())


def _slots(about: Memory, state: Memory) -> dict[str, str]:
    thing = about.object.value if about.object else about.statement
    return {
        "thing": " ".join(thing.split()),
        "state": state.object.value if state.object else "",
        "at": about.validity.at or "",
    }
