"""What a new fact does to what is known: adds, restates, refines, replaces, ends, or contradicts it.

Nearness of texts decides nothing here: only the same subject, predicate and scope with equal,
closer or different values, the polarity, the times, and what the words say about a change.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone
from enum import StrEnum

from mcp_memory_server import limits
from mcp_memory_server.memory import occasions, value, wording
from mcp_memory_server.memory.likeness import Likeness, Relation, relate
from mcp_memory_server.memory.model import (
    CandidateFact,
    Change,
    Kind,
    Memory,
    Polarity,
    Said,
    Source,
    Status,
    Validity,
    ValueType,
)
from mcp_memory_server.memory.perceive.grammar_en import expand, finite_helpers, verb_forms
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import identifiers, key, simplified
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Predicate, Vocabulary


class Outcome(StrEnum):
    """What became of one statement."""

    STORED = "stored"
    RESTATED = "restated"
    REFINED = "refined"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    DISPUTED = "disputed"
    PENDING = "pending"
    REFUSED = "refused"
    DUPLICATE_IN_CALL = "duplicate_in_call"
    FAILED = "failed"


@dataclass(frozen=True)
class Decision:
    """The outcome for one candidate, and the known memories that it concerns."""

    outcome: Outcome
    targets: tuple[str, ...] = ()
    reason: str = ""


STORED = Decision(Outcome.STORED)
_LIVE = (Status.CURRENT, Status.PENDING, Status.DISPUTED)
# What one finding weighs against another when a candidate touches several memories.
_ORDER = (Outcome.RETRACTED, Outcome.SUPERSEDED, Outcome.DISPUTED, Outcome.REFINED, Outcome.RESTATED)
_ENDING = (Change.ENDED, Change.RETRACTED)
# Words by which one thing takes the place of another, also where there may be several.
_SWAP = r"(?i)\b(?:switch(?:ed)?|changed?|moved) (?:over )?(?:from .+ )?to\b|\binstead of\b|换成|改成|改为|换到|转到|改学|转学"
_REPLACING = (Change.CORRECTED, Change.CHANGED)
_STATED_FOR = (Source.ASSISTANT, Source.IMPORT)
_POINTING = r"(?i)\b(?:that|this|those|these) (?!is\b|was\b|means\b|year\b|month\b|week\b|morning\b|evening\b|afternoon\b|autumn\b|summer\b|winter\b|spring\b)[a-z]|^(?:it|they)\b|[那这](?:个|家|辆|件|台|只|部|款|些|位|座|条|本)(?!月|星期|礼拜|学期|周|季度|年)|^它"
_CLOSEST = 2  # known statements that are read in full to compare their words: each takes 1 to 2 ms


def reconcile(
    candidate: CandidateFact | None,
    statement: str,
    known: Sequence[Memory],
    vocabulary: Vocabulary,
    change: Change = Change.NONE,
    words: str = "",
) -> Decision:
    """What `candidate` (or, without one, the bare `statement`) does to `known`.

    `known` are live memories of the user with the same subject, and those of equal text key. Without
    a candidate only an equal key restates: `by_words` compares the rest. `change` is what the whole
    utterance says, where the fact itself does not say it; `words` are all of it: they may deny what is known.
    """
    live = [memory for memory in known if memory.kind is Kind.FACT and memory.status in _LIVE]
    predicate = vocabulary.get(candidate.predicate) if candidate else None
    if candidate is None or predicate is None:
        return _by_key(statement, live)
    stated = candidate.change if candidate.change is not Change.NONE else change
    findings = [
        (
            _compare(candidate, memory, predicate, vocabulary, _denying(candidate, stated, words, memory, predicate)),
            memory,
        )
        for memory in live
        if memory.subject == candidate.subject
    ]
    if candidate.predicate == "booked" and occasions.books_anew(words or statement):
        findings = [item for item in findings if item[0] is not Outcome.DISPUTED]
    if occasions.of_one(candidate, predicate, [memory for found, memory in findings if found]):
        findings = _about_one(findings, words or statement)
    for outcome in _ORDER:
        targets = tuple(memory.id for found, memory in findings if found is outcome)
        if targets and outcome is Outcome.SUPERSEDED:
            # The other side of a dispute that says the same is told anew: it would stand there twice.
            again = (Outcome.RESTATED, Outcome.REFINED)
            targets += tuple(m.id for found, m in findings if found in again and m.status is Status.DISPUTED)
        if targets:
            return Decision(outcome, targets, _reason(outcome, candidate))
    swapped = (
        stated is Change.CHANGED and not predicate.single and not predicate.occurrence and rx(_SWAP).search(statement)
    )
    if stated in (Change.CORRECTED, Change.RETRACTED) or swapped:
        return _corrected(candidate, predicate, live, stated, vocabulary)
    return STORED


def _denying(candidate: CandidateFact, change: Change, words: str, memory: Memory, predicate: Predicate) -> Change:
    """ "From Leeds, not York", "no, I have four": words that deny what is known correct it."""
    if change is not Change.NONE or memory.object is None:
        return change
    objects = predicate.single and occasions.objects(words, candidate.span.start)
    return Change.CORRECTED if objects or occasions.denies(words, memory.object.value) else change


def _about_one(
    findings: Sequence[tuple[Outcome | None, Memory]], statement: str
) -> list[tuple[Outcome | None, Memory]]:
    """Of several journeys the one that words without a date are about: it is so already, it is denied, or told last."""
    same = [item for item in findings if item[0] in (Outcome.RESTATED, Outcome.REFINED)]
    found = [item for item in findings if item[0] is not None]
    named = [item for item in found if item[1].object and key(item[1].object.value) in key(statement)]
    return [max(same or named or found, key=lambda item: (item[1].said_at, item[1].recorded_at))]


def related(predicate: str, vocabulary: Vocabulary) -> list[str]:
    """The predicates whose facts can agree or disagree with one of this predicate."""
    own = vocabulary.get(predicate)
    countering = [p.name for p in vocabulary.predicates.values() if predicate in p.counters]
    partners = ["family_member"] if predicate == "relationship_status" else []
    return list(dict.fromkeys([predicate, *(own.counters if own else ()), *countering, *partners]))


def _by_key(statement: str, live: Sequence[Memory]) -> Decision:
    wanted = key(statement)
    same = tuple(memory.id for memory in live if key(memory.statement) == wanted)
    return Decision(Outcome.RESTATED, same, "the same words") if same else STORED


def by_words(
    candidate: CandidateFact | None,
    said: Said,
    known: Sequence[Memory],
    vocabulary: Vocabulary,
    session: str | None = None,
) -> Decision:
    """What the words of a statement do to what is known, for memories that rules did not compare it with.

    `known` are those that share words with it, closest first; the first few are read. They count where no
    rule reads the statement, or reads another kind of fact in it; of the same kind only a stated change
    counts, and what is said in the other language. Only the memory that comes closest counts, with those
    that stand on the same words. What a text points at ("that company", 那个) may be another thing in another
    session: it contradicts nothing there.
    """
    live = [memory for memory in known if memory.kind is Kind.FACT and memory.status in _LIVE]
    typed = _typed_alike(candidate, vocabulary)
    comparable = [memory.statement for memory in live if _of_one_thing(said.text, memory.statement, vocabulary)]
    statements = list(dict.fromkeys(comparable))[:_CLOSEST]
    if not statements:
        return STORED
    new = wording.read(said, vocabulary)
    found = []
    for statement in statements:
        same = [memory for memory in live if memory.statement == statement]
        old = wording.read(as_said(same[0]), vocabulary)
        relation = relate(old, new, vocabulary)
        if relation.likeness is None:
            continue
        beyond = old.lang != new.lang or _beyond_types(relation, said.text)
        if relation.likeness is Likeness.DISPUTED and (points(said.text) or points(statement)):
            same = [memory for memory in same if memory.session == session]
        found += [(relation, memory) for memory in same if memory.predicate not in typed or beyond]
    if not found:
        return STORED
    best, closest = max(found, key=lambda item: item[0].closeness)
    words = {item.utterance_id for item in closest.evidence}
    targets = tuple(
        memory.id
        for relation, memory in found
        if relation.likeness is best.likeness
        and (memory is closest or words & {item.utterance_id for item in memory.evidence})
    )
    return Decision(Outcome(str(best.likeness)), targets, best.reason)


_OPENING_WORDS = 3  # of an opening that holds a verb, known or not
_FIRST_PERSON = r"(?i)\b(?:i|i'm|i've|i'd|me|my|mine|we|us|our|ours|the user(?:'s)?)\b|我|咱|本人|用户"


def _of_one_thing(one: str, other: str, vocabulary: Vocabulary) -> bool:
    """Whether two statements that rules do not read may be about one thing.

    What the user says of his or her own may. Of anything else the words that name it come first, and have to be the
    same up to the verb: the meeting of team A and that of team B are two meetings, however alike the rest is.
    """
    if rx(_FIRST_PERSON).search(one) and rx(_FIRST_PERSON).search(other):
        return True
    named = [{name for name in identifiers(text) if not name.isdigit()} for text in (one, other)]
    if all(named) and named[0].isdisjoint(named[1]):
        return False
    first, second = (simplified(" ".join(expand(text).casefold().split()).rstrip(".。!！")) for text in (one, other))
    shortest = min(len(first), len(second))
    opening = next((place for place in range(shortest) if first[place] != second[place]), shortest)
    if first.isascii() and second.isascii() and not _names_and_tells(first[:opening], vocabulary):
        return False
    rest = Counter(first[opening:]) & Counter(second[opening:])
    return 5 * opening >= 2 * shortest and 4 * (opening + rest.total()) >= 3 * shortest


def _names_and_tells(opening: str, vocabulary: Vocabulary) -> bool:
    """Whether an English opening goes on behind what it names: "song 3" and "song 4" are a label each."""
    forms = verb_forms(vocabulary)
    words = re.findall(r"[a-z]+", opening)
    return len(words) >= _OPENING_WORDS or any(
        rx(finite_helpers()).fullmatch(word) or forms.get(word, ("", ""))[1] in ("s", "past") for word in words
    )


def points(text: str) -> bool:
    """True when a text points at something that only its own session knows: that company, 那个按钮, it."""
    return rx(_POINTING).search(text) is not None


def arbitrate(memory: Memory, decision: Decision, known: Mapping[str, Memory]) -> Decision:
    """The decision after weighing on whose word each side stands.

    Only the user's own words may touch what the user said. Where they are sure and contradict what was only
    stated for the user (by the calling model, by an import), they win without a question.
    """
    if decision.outcome in (Outcome.STORED, Outcome.RESTATED):
        return decision
    if memory.status is Status.PENDING:
        return Decision(Outcome.PENDING, (), memory.reason)
    if memory.source is Source.REFINER:
        # A model saw it: it may be asked about, but replaces and ends nothing by itself.
        taken = decision.outcome in (Outcome.DISPUTED, Outcome.SUPERSEDED)
        return Decision(Outcome.DISPUTED if taken else Outcome.PENDING, decision.targets, decision.reason)
    targets = [known[one] for one in decision.targets if one in known]
    if memory.grounded:
        own = memory.confidence >= limits.OWN_WORDS_WIN and memory.source in (Source.USER, Source.RULE)
        stated = [target for target in targets if not target.grounded and target.source in _STATED_FOR]
        if decision.outcome is Outcome.DISPUTED and own and len(stated) == len(targets):
            return Decision(
                Outcome.SUPERSEDED, decision.targets, "the user's own words win over what was stated for them"
            )
        return decision
    if not any(target.grounded for target in targets):
        return decision
    if decision.outcome in (Outcome.REFINED, Outcome.RETRACTED):
        return Decision(Outcome.PENDING, (), "not_said_by_user")
    return Decision(Outcome.DISPUTED, decision.targets, decision.reason)


def _beyond_types(relation: Relation, text: str) -> bool:
    """What words tell though the values of a many-valued predicate do not: a stated change, another favourite."""
    if relation.likeness is Likeness.DISPUTED:
        return rx(r"(?i)\bfavou?rite\b|最(?:喜欢|爱|常)").search(text) is not None
    return relation.likeness is Likeness.SUPERSEDED or (relation.likeness is Likeness.REFINED and relation.literal)


def says_more(said: Said, memory: Memory, vocabulary: Vocabulary) -> bool:
    """True when a statement repeats a memory in its own words and adds to them: a dog, a dog called Pickles."""
    relation = relate(wording.read(as_said(memory), vocabulary), wording.read(said, vocabulary), vocabulary)
    return relation.likeness is Likeness.REFINED and relation.literal


def _typed_alike(candidate: CandidateFact | None, vocabulary: Vocabulary) -> frozenset[str]:
    """The predicates that rules compare a candidate with."""
    if candidate is None:
        return frozenset()
    predicate = vocabulary.get(candidate.predicate)
    return frozenset({candidate.predicate, *(predicate.counters if predicate else ())})


def as_said(memory: Memory) -> Said:
    """A memory's statement with the local moment at which it was said."""
    try:
        local = memory.said_at.astimezone(timezone(timedelta(minutes=memory.said_offset)))
    except OverflowError:  # the first and the last day that there are
        local = memory.said_at
    return Said(memory.statement, local, None, memory.speaker, memory.speaker_name)


def _reason(outcome: Outcome, candidate: CandidateFact) -> str:
    return {
        Outcome.RETRACTED: "it was taken back",
        Outcome.SUPERSEDED: "a change or a correction is stated",
        Outcome.DISPUTED: f"another {candidate.predicate} is known and no change was said",
        Outcome.REFINED: "it agrees and adds detail",
        Outcome.RESTATED: "the same is known",
    }[outcome]


def _compare(
    new: CandidateFact, old: Memory, predicate: Predicate, vocabulary: Vocabulary, change: Change
) -> Outcome | None:
    """What the candidate does to one memory of its subject; None: nothing."""
    if old.object is None or old.predicate is None:
        return None
    if old.predicate in predicate.counters:
        return _against_counter(new, old, vocabulary, change)
    if _parted(new, old):
        return Outcome.SUPERSEDED
    if old.predicate != new.predicate or occasions.elsewhere(old.object, new.object, vocabulary):
        return None
    match = value.compare(old.object, new.object, vocabulary)
    opposite = old.polarity is not new.polarity
    if predicate.occurrence and match is not Match.DIFFERENT:
        return _occurrence(new, old, change, match, opposite=opposite)
    if _apart(new.validity, old.validity):
        return None
    if match is Match.DIFFERENT:
        goes_on = occasions.goes_on(old.object, new.object, predicate, vocabulary)
        return _other_value(new, old, predicate, Change.CHANGED if goes_on and change is Change.NONE else change)
    if opposite:
        return _opposed(new, change, match)
    return _agreeing(new, old, match)


def _parted(new: CandidateFact, old: Memory) -> bool:
    """Single, separated or divorced now: the partner known before is one no more."""
    alone = ("single", "separated", "divorced", "单身", "分手", "离婚", "离异", "分居")
    partners = (
        "boyfriend",
        "girlfriend",
        "partner",
        "wife",
        "husband",
        "fiancé",
        "fiancée",
        "男朋友",
        "女朋友",
        "对象",
        "老公",
        "老婆",
        "未婚夫",
        "未婚妻",
    )
    return (
        new.predicate == "relationship_status" and new.polarity is Polarity.POSITIVE and new.object.value in alone
        and old.predicate == "family_member" and old.polarity is Polarity.POSITIVE
        and old.object is not None and old.object.value in partners
    )  # fmt: skip


def _agreeing(new: CandidateFact, old: Memory, match: Match) -> Outcome:
    if match is Match.CLOSER or (match is Match.EQUAL and _adds_detail(new, old)):
        return Outcome.REFINED
    return Outcome.RESTATED


def _adds_detail(new: CandidateFact, old: Memory) -> bool:
    """A time where none was known, or a closer one; a scope where none was known."""
    for name in ("at", "valid_from", "valid_to"):
        mine, theirs = getattr(new.validity, name), getattr(old.validity, name)
        if mine and (not theirs or value.times(theirs, mine) is Match.CLOSER):
            return True
    return bool(new.object.scope and old.object and not old.object.scope and new.object.type is not ValueType.TEXT)


def _opposed(new: CandidateFact, change: Change, match: Match) -> Outcome | None:
    """The same value, once affirmed and once denied."""
    if change is Change.RETRACTED:
        return Outcome.RETRACTED
    ended = new.polarity is Polarity.NEGATIVE and new.validity.valid_from is not None
    if change is not Change.NONE or ended:
        return Outcome.SUPERSEDED
    # Denying the narrower does not deny the wider: no fish is not no seafood.
    if match is Match.CLOSER and new.polarity is Polarity.NEGATIVE:
        return None
    return Outcome.DISPUTED


def _other_value(new: CandidateFact, old: Memory, predicate: Predicate, change: Change) -> Outcome | None:
    if new.polarity is Polarity.NEGATIVE or old.polarity is Polarity.NEGATIVE:
        return None
    # What is preferred *in one matter* is one thing, though there are many matters.
    scoped = (
        new.object.scope is not None
        and old.object is not None
        and old.object.scope is not None
        and new.predicate == "prefers"
    )
    if not predicate.single and not scoped:
        return None
    if change in _REPLACING:
        return Outcome.SUPERSEDED
    if change is Change.RETRACTED:
        return Outcome.RETRACTED
    return Outcome.DISPUTED


def _against_counter(new: CandidateFact, old: Memory, vocabulary: Vocabulary, change: Change) -> Outcome | None:
    """`likes X` against `dislikes X`: contrary when both are affirmed, the same when one is denied."""
    match = value.compare(old.object, new.object, vocabulary) if old.object else Match.DIFFERENT
    if match is Match.DIFFERENT or _apart(new.validity, old.validity):
        return None
    if new.polarity is not old.polarity:
        return Outcome.RESTATED if match is not Match.CLOSER else None
    if new.polarity is Polarity.NEGATIVE:
        return Outcome.SUPERSEDED if change is not Change.NONE else None
    if change is not Change.NONE or new.predicate == "mastered":  # learning is a change by itself
        return Outcome.SUPERSEDED
    return Outcome.DISPUTED if match is Match.EQUAL else None


def _occurrence(new: CandidateFact, old: Memory, change: Change, match: Match, *, opposite: bool) -> Outcome | None:
    """The same thing may happen again at another time; one still to come cannot be at two times."""
    mine = new.validity.at or new.validity.valid_from
    theirs = old.validity.at or old.validity.valid_from
    relation = value.times(theirs, mine) if mine and theirs else Match.EQUAL
    if relation is Match.DIFFERENT:
        if opposite:
            return None
        if change in _REPLACING:
            return Outcome.SUPERSEDED
        return (
            Outcome.DISPUTED
            if new.predicate in ("has_event", "deadline", "booked", "meets") and _still_to_come(theirs or "", old)
            else None
        )
    if opposite:
        return _opposed(new, change, match)
    if relation is Match.CLOSER or (mine and not theirs):
        return Outcome.REFINED
    return _agreeing(new, old, match)


def _still_to_come(time: str, old: Memory) -> bool:
    """True when the occurrence lay ahead at the moment it was told."""
    return time[:10] >= old.said_at.date().isoformat()[: len(time[:10])]


def _apart(new: Validity, old: Validity) -> bool:
    """True when both are bound to times that have no moment in common."""
    mine, theirs = _window(new), _window(old)
    if mine is None and theirs is None:
        return False
    if mine is None or theirs is None:
        # One holds now; the other is bound to a past that has ended.
        bound = new if mine else old
        return bound.valid_to is not None and bound.valid_from is not None
    return not value.overlap(mine, theirs)


def _window(validity: Validity) -> str | None:
    if validity.at:
        return validity.at
    if validity.valid_from and validity.valid_to:
        return f"{validity.valid_from}/{validity.valid_to}"
    return None


def _corrected(
    candidate: CandidateFact, predicate: Predicate, live: Sequence[Memory], change: Change, vocabulary: Vocabulary
) -> Decision:
    """An explicit correction whose old value is not named takes the latest of its predicate."""
    same = [
        m
        for m in live
        if m.subject == candidate.subject
        and m.predicate == candidate.predicate
        and m.polarity is candidate.polarity
        and not (predicate.single and m.object and occasions.elsewhere(m.object, candidate.object, vocabulary))
    ]
    if not same or (change is Change.RETRACTED and candidate.polarity is Polarity.POSITIVE):
        return STORED
    latest = max(same, key=lambda memory: (memory.said_at, memory.recorded_at))
    outcome = Outcome.RETRACTED if change is Change.RETRACTED else Outcome.SUPERSEDED
    return Decision(outcome, (latest.id,), _reason(outcome, candidate))


_QUESTIONS = {
    "en": "Earlier: “{known}”. Now: “{candidate}”. Which one is right?",
    "zh": "之前说的是“{known}”，现在说的是“{candidate}”，哪个是对的？",
}


def question_text(candidate: str, known: str, lang: str) -> str:
    """The question that settles a dispute, naming both statements."""
    return _QUESTIONS.get(lang, _QUESTIONS["en"]).format(
        candidate=candidate.strip().rstrip(".。"), known=known.strip().rstrip(".。")
    )
