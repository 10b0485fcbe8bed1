"""What of a refiner's proposals the words themselves say: the rest is dropped, with a reason, and counted.

A proposal passes when its quote stands in what was said, in a clause that states something; when the clause is about
the person named, in the tense and with the polarity claimed; when one of the words that show the predicate stands in
it beside the value, and the value is a whole phrase, sum or date of it; and when no rule reads the clause otherwise.
The fact is then made of the user's words alone: the model only pointed at them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mcp_memory_server.memory import support
from mcp_memory_server.memory.claim import contradicts
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guarding.spans import fold
from mcp_memory_server.memory.indexing import equality_key
from mcp_memory_server.memory.model import CandidateFact, Polarity, Said, Span, Value, ValueType
from mcp_memory_server.memory.perceive import drafts
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import Clause
from mcp_memory_server.memory.perceive.when import Bind
from mcp_memory_server.memory.refining.port import Choices, Proposal, choices_of
from mcp_memory_server.memory.refining.signs import signs_of
from mcp_memory_server.memory.refining.values import number_value, persons_in, spans_of, words_value
from mcp_memory_server.memory.vocabulary import Predicate, Vocabulary

_FIRST = r"(?i)\b(?:i|me|my|mine|myself|we|us|our|ours)\b|[我咱俺]|本人"
_PLACEHOLDER = r"\[[a-z_ ]+ \d+\]"  # of the guard: its number is no number that was said
_MINE = r"(?i)\b(?:my|our|mine|ours)\b|[我咱俺](?=们?的|家)"
_THIRD = r"(?i)\b(?:he|she|they|his|her|hers|their|theirs|him|them|you|your|yours)\b|[他她你您]"


class Drop(StrEnum):
    """Why a proposal is no fact."""

    CHOICE = "choice"  # a predicate, type or person that was not offered
    QUOTE = "quote"  # the quote was not said
    MOOD = "mood"  # it was asked, supposed, wished, quoted or reported, or the rules cannot read it
    VALUE = "value"  # the value was not said there, is cut out of a longer phrase, or is of another type
    PREDICATE = "predicate"  # nothing in the clause shows the predicate
    PERSON = "person"  # it was said of somebody else
    POLARITY = "polarity"  # the opposite was said
    TENSE = "tense"  # it was said of the past, or as a plan
    OTHERWISE = "otherwise"  # the rules read the words as something else
    KNOWN = "known"  # the rules, a statement or another proposal have it already


@dataclass(frozen=True, slots=True)
class Checked:
    """The facts that stand, and how many proposals fell for which reason."""

    facts: tuple[CandidateFact, ...] = ()
    dropped: Mapping[Drop, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Case:
    said: Said
    units: Sequence[Unit]
    known: Sequence[CandidateFact]
    vocabulary: Vocabulary
    choices: Choices


class _Dropped(Exception):  # noqa: N818 - not an error: the way out of a check
    def __init__(self, why: Drop) -> None:
        self.why = why


def check(
    proposals: Sequence[Proposal],
    said: Said,
    units: Sequence[Unit],
    known: Sequence[CandidateFact],
    vocabulary: Vocabulary,
) -> Checked:
    """The proposals that `said` supports, as facts. `units` is its outline, `known` what was read in it before."""
    case = _Case(said, units, known, vocabulary, choices_of(vocabulary))
    facts: list[CandidateFact] = []
    dropped: Counter[Drop] = Counter()
    for proposal in proposals:
        try:
            fact = _fact(proposal, case)
            if any(same(fact, other) for other in (*known, *facts)):
                raise _Dropped(Drop.KNOWN)
            facts.append(fact)
        except _Dropped as reason:
            dropped[reason.why] += 1
    return Checked(tuple(facts), dict(dropped))


def same(one: CandidateFact, other: CandidateFact) -> bool:
    """Whether two facts say the same of the same."""
    return (
        (one.subject, one.predicate, one.polarity) == (other.subject, other.predicate, other.polarity)
        and one.object.type == other.object.type
        and equality_key(one.object.value) == equality_key(other.object.value)
    )


def _fact(proposal: Proposal, case: _Case) -> CandidateFact:
    predicate = _offered(proposal, case.choices)
    home, quoted = _home(proposal, case)
    boolean = proposal.value_type is ValueType.BOOLEAN  # its words are the sign itself
    for place in [Span(0, 0)] if boolean else spans_of(fold(proposal.value), home):
        if not boolean and not (quoted.start <= place.start and place.end <= quoted.end):
            continue
        marks = signs_of(predicate.name, home, place, case.vocabulary)
        if not marks:
            raise _Dropped(Drop.PREDICATE)
        _about(proposal, home, place, case)
        _polarity(proposal, home, marks[0])
        _tense(predicate, home)
        made = _value(proposal, predicate, place, home, marks[0], case)
        fact = _finished(proposal, predicate, made, home, case)
        if (
            contradicts(fact, case.known)
            or not ground(fact.span.of(case.said.text), case.said, case.vocabulary).grounded
        ):
            raise _Dropped(Drop.OTHERWISE)
        return fact
    raise _Dropped(Drop.VALUE)


def _offered(proposal: Proposal, choices: Choices) -> Predicate:
    found = next((one for one in choices.predicates if one.name == proposal.predicate), None)
    if found is None or proposal.subject not in choices.subjects or proposal.value_type not in found.object_types:
        raise _Dropped(Drop.CHOICE)
    return found


def _home(proposal: Proposal, case: _Case) -> tuple[Unit, Span]:
    """The clause that the quote lies in, and where (offsets of the clause): all must stand in one clause."""
    text, quote = fold(case.said.text), fold(proposal.quote).strip(" ,.;:!?、，。；：！？")
    start = text.find(quote) if quote else -1
    if start < 0:
        raise _Dropped(Drop.QUOTE)
    why = Drop.MOOD
    while start >= 0:
        end = start + len(quote)
        touched = [unit for unit in case.units if unit.start < end and start < unit.end]
        holding = [unit for unit in touched if _holds_value(proposal, unit)]
        if len(holding) == 1 and not holding[0].blocked:
            unit = holding[0]
            return unit, Span(max(0, start - unit.start), min(len(unit.text), end - unit.start))
        if not holding and any(not unit.blocked for unit in touched):
            why = Drop.VALUE
        start = text.find(quote, start + 1)
    raise _Dropped(why)


def _holds_value(proposal: Proposal, unit: Unit) -> bool:
    return proposal.value_type is ValueType.BOOLEAN or bool(spans_of(fold(proposal.value), unit))


def _about(proposal: Proposal, home: Unit, place: Span, case: _Case) -> None:
    """The clause is about the person named, and no other person stands in it beside the value."""
    rest = home.text[: place.start] + " " + home.text[place.end :]
    if proposal.subject != "user":
        if not home.explicit or home.subject.partition(":")[0] != proposal.subject:
            raise _Dropped(Drop.PERSON)
        return
    if rx(_THIRD).search(rest) or support.roles_in(rest, home.lang, case.vocabulary):
        raise _Dropped(Drop.PERSON)
    if home.subject == "user":
        near = " ".join(unit.text for unit in case.units if unit.sentence == home.sentence)
        own = rx(_FIRST).search(near)
    elif home.subject in ("", place.of(home.text)) and not persons_in(rest, home.lang, case.vocabulary):
        own = rx(_MINE).search(rest)  # "Opera is my passion": a thing does it, and it is the user's
    else:
        own = None
    if own is None:
        raise _Dropped(Drop.PERSON)


def _polarity(proposal: Proposal, home: Unit, mark: Span) -> None:
    """A denial beside the words that show the predicate; "can't stand" is a dislike, not the denial of one."""
    blanked = home.text[: mark.start] + " " * (mark.end - mark.start) + home.text[mark.end :]
    denied = support.negated([replace(home, text=blanked)])
    if denied is not (proposal.polarity is Polarity.NEGATIVE):
        raise _Dropped(Drop.POLARITY)


def _tense(predicate: Predicate, home: Unit) -> None:
    over = home.past or (home.lang == "en" and home.done)
    if (over and not predicate.occurrence) or (home.plans and not predicate.occurrence):
        raise _Dropped(Drop.TENSE)


def _value(proposal: Proposal, predicate: Predicate, place: Span, home: Unit, mark: Span, case: _Case) -> Value:
    kind = proposal.value_type
    value: Value | None = None
    if any(mask.start() < place.end and place.start < mask.end() for mask in rx(_PLACEHOLDER).finditer(home.text)):
        raise _Dropped(Drop.VALUE)
    if kind is ValueType.BOOLEAN:
        value = Value(kind, "true") if proposal.value.strip().lower() == "true" else None
    elif kind in (ValueType.NUMBER, ValueType.MONEY):
        value = number_value(predicate, place, home, case.said, case.vocabulary.signs[predicate.name])
    elif kind is ValueType.DATE:
        days = [
            when
            for when in home.times
            if when.start - home.start < place.end
            and place.start < when.end - home.start
            and when.bind is not Bind.REPEAT
        ]
        value = Value(kind, days[0].value(past=home.past or home.done)) if len(days) == 1 and days[0].future else None
    elif kind in (ValueType.TEXT, ValueType.ENTITY):
        found = words_value(kind, place, home, mark, case.vocabulary)
        if found is not None:
            value, span = found
            stated = replace(home, text=span.of(home.text), body=span.of(home.text), times=())
            if support.stronger_word([stated], [home]):
                value = None  # a place that the words are only near to
    if value is None or value.type is not kind:
        raise _Dropped(Drop.VALUE)
    return value


def _finished(proposal: Proposal, predicate: Predicate, value: Value, home: Unit, case: _Case) -> CandidateFact:
    """The fact with its times, the clause in the words used, and the name of the person where it was said."""
    draft = drafts.Draft(
        subject=home.subject if proposal.subject != "user" else "user",
        predicate=predicate.name,
        value=value,
        clause=Clause(home.start, home.end, home.text),
        negative=proposal.polarity is Polarity.NEGATIVE,
        past=home.past or home.done,
        timeless=value.type is ValueType.DATE,
        times=home.times,
    )
    fact = drafts.finish(draft, case.vocabulary)
    if fact is None:
        raise _Dropped(Drop.CHOICE)
    return fact
