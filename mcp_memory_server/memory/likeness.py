"""What one statement does to another by their words alone, where no rule reads both as facts.

Equal content restates, more detail refines, a stated change or end of the same thing supersedes, the same frame
with another single value (or denied) disputes; whatever is left is another matter. Every answer names its reason.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from mcp_memory_server.memory import support, value
from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.memory.wording import Overlap, Term, Wording, overlap, rivals

_ABOUT_THE_SAME = 1.0  # weight of shared terms below which two texts speak of different things
_CHANGED_SHARE = 0.3  # of the known text's weight that a text which states a change must name again
_FRAME_SHARE = 0.5  # of both texts' weight that a contradiction must share
_VALUE_TERMS = 3  # terms of the value that two texts put into one frame
_LIGHT = 0.5  # weight below which a term that only one text has adds nothing
_EMPTY = Vocabulary.parse({})


class Likeness(StrEnum):
    """What the new text does to the known one."""

    RESTATED = "restated"
    REFINED = "refined"
    SUPERSEDED = "superseded"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class Relation:
    """The answer with its reason; `closeness` (0 to 1) orders several known texts; None: another matter."""

    likeness: Likeness | None
    reason: str = ""
    closeness: float = 0.0
    literal: bool = False  # it repeats the known words, and what it adds is a name, a number, a time, or follows them


OTHER = Relation(None)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts and how they lie over each other."""

    known: Wording
    new: Wording
    over: Overlap
    numbers: str  # "", same, closer, conflict, added, dropped
    times: str
    replaced: tuple[Term, ...]  # terms of the known text in whose place the new one has another of their kind

    @property
    def cross(self) -> bool:
        return self.known.lang != self.new.lang

    @property
    def known_share(self) -> float:
        return _share(self.over.weight, self.missing)

    @property
    def new_share(self) -> float:
        return _share(self.over.weight, self.added)

    @property
    def missing(self) -> list[Term]:
        return self._comparable(self.over.only_known)

    @property
    def added(self) -> list[Term]:
        return self._comparable(self.over.only_new)

    def _comparable(self, terms: Iterable[Term]) -> list[Term]:
        same = {f"r:{owner.removeprefix('user.').partition(':')[0]}" for owner in self.known.owners | self.new.owners}
        return [term for term in terms if (term.known or not self.cross) and same.isdisjoint(term.marks)]

    @property
    def unread(self) -> tuple[int, int]:
        """How many terms of the known and of the new text cannot be compared, being in two languages."""
        known, new = ([t for t in terms if not t.known] for terms in (self.over.only_known, self.over.only_new))
        return (len(known), len(new)) if self.cross else (0, 0)


def _share(shared: float, rest: Iterable[Term]) -> float:
    total = shared + sum(term.weight for term in rest)
    return shared / total if total else 0.0


def relate(known: Wording, new: Wording, vocabulary: Vocabulary) -> Relation:
    """What the new text does to the known one."""
    if not _same_subject(known, new):
        return OTHER
    over = overlap(known, new, vocabulary)
    replaced = tuple(one for one in over.only_known if any(rivals(one, other, vocabulary) for other in over.only_new))
    pair = _Pair(known, new, over, _numbers(known, new), _times(known, new), replaced)
    moved = bool(replaced) and not new.changes.isdisjoint({"replaced", "corrected"})
    if over.weight < _ABOUT_THE_SAME and not _short_and_alike(pair) and not moved:
        return OTHER
    if pair.unread[0] and not (pair.unread[0] == 1 and over.weight > _ABOUT_THE_SAME):
        return OTHER  # what the known text is about may be in the words that cannot be compared
    closeness = (pair.known_share + pair.new_share) / 2
    for judge in (_changed, _opposed, _another_value, _agrees):
        found = judge(pair)
        if found is not None:
            return Relation(found[0], found[1], closeness, _repeats(pair)) if found[0] else OTHER
    return OTHER


def _repeats(pair: _Pair) -> bool:
    if not all(any(mark[0] in "wz" for mark in one.marks & other.marks) for one, other, _ in pair.over.shared):
        return False
    known = rx(r"[\W_]+$").sub("", pair.known.text)
    detail = {pair.numbers, pair.times} & {"added", "closer"} or any(term.name for term in pair.added)
    return bool(detail) or (known in pair.new.text and bool(pair.added))


_Found = tuple[Likeness | None, str] | None


def _short_and_alike(pair: _Pair) -> bool:
    """我会 and 我不会: very short sentences have nothing but light words."""
    return pair.over.weight > 0 and not pair.over.only_known and not pair.over.only_new


def _same_subject(known: Wording, new: Wording) -> bool:
    if known.roles and new.roles and known.roles.isdisjoint(new.roles):
        return False
    for one, other in ((known, new), (new, known)):
        if (
            one.roles
            and not other.roles
            and "user" not in one.owners
            and rx(r"\b(?:i|my|we|our)\b|我(?!家)").search(other.text)
        ):
            return False
    # My brother Anselm drives; Anselm, my brother, is a driver: the role may stand beside the subject.
    beside = bool(known.roles & new.roles) and "user" in known.owners | new.owners
    if (
        not beside
        and known.owners
        and new.owners
        and not any(_one_person(one, other) for one in known.owners for other in new.owners)
    ):
        named = {owner.lower() for owner in known.owners | new.owners if not owner.startswith("user")}
        return any(name in known.text and name in new.text for name in named)
    return True


_OPEN = ("child", "children", "partner")  # roles that may be the same person as a closer one


def _one_person(one: str, other: str) -> bool:
    """A child may be the daughter; a son is not. A named friend may be the friend of whom no name was said."""
    if support.owner(one) != support.owner(other):
        return False
    (role, _, name), (role_, _, name_) = (
        one.removeprefix("user.").partition(":"),
        other.removeprefix("user.").partition(":"),
    )
    return (role == role_ or role in _OPEN or role_ in _OPEN) and (not name or not name_ or name == name_)


# ---------------------------------------------------------------- change


def _says(pair: _Pair, *names: str) -> bool:
    return not pair.new.changes.isdisjoint(names)


def _over(new: Wording) -> bool:
    """不租了, 不学了: what was done is done no more."""
    return new.lang == "zh" and rx(r"不[^，,。；;]{0,8}了(?:[。！!，,；;]|$)").search(new.text) is not None


def _now(pair: _Pair) -> bool:
    """A change that only the tense tells: now, finally; a closing 了."""
    return _says(pair, "now") or (pair.new.lang == "zh" and rx(r"了[。！!]?$").search(pair.new.text) is not None)


def _changed(pair: _Pair) -> _Found:
    stated = _says(pair, "ended", "replaced", "corrected") or _over(pair.new) or _denies_the_known(pair)
    share = _share(pair.over.weight, [term for term in pair.missing if term not in pair.replaced])
    if not stated or (share < _CHANGED_SHARE and not pair.replaced) or _of_another_time(pair):
        return None
    if _says(pair, "more") and not _says(pair, "ended", "corrected"):
        return None
    if pair.known.changes & pair.new.changes & {"ended", "replaced"} and not pair.missing and not pair.added:
        return None  # the same change told twice
    return Likeness.SUPERSEDED, "the words state a change or an end of it"


def _denies_the_known(pair: _Pair) -> bool:
    """ "Catherine, not Katherine", 姓程，不姓郑: a value beside the denied one, which is the known one."""
    denied = rx(
        r"(?:,\s*not|\binstead of|\brather than)\s+(?:(?:in|on|at|the|a|an)\s+)*([\w'’-]+)|(?:不是|不姓|不叫|不在|而不是)([^，,。；;\s]{1,8})"
    )
    words = [match[1] or match[2] for match in denied.finditer(pair.new.text)]
    return bool(_heavy(pair.added)) and any(word and word in pair.known.text for word in words)


def _of_another_time(pair: _Pair) -> bool:
    """One tells of what is over, the other of what holds or lies ahead."""
    was = any(unit.past for unit in pair.known.units)
    return was != any(unit.past for unit in pair.new.units) and not _says(pair, "ended", "replaced", "corrected")


# ---------------------------------------------------------------- contradiction


def _opposed(pair: _Pair) -> _Found:
    if pair.known.negative is pair.new.negative:
        return None
    missing, added = _heavy(pair.missing), _heavy(pair.added)
    if min(pair.known_share, pair.new_share) < _FRAME_SHARE or _of_another_time(pair):
        return None, ""
    if (missing and pair.added) or (pair.missing and added):
        return None, ""  # it does not work, it opens the door: two things said of one
    if "conflict" in (pair.numbers, pair.times):
        return None, ""
    narrower = {how for _, _, how in pair.over.shared}
    # Denying the narrower does not deny the wider: no ginger beer is not no ginger.
    denied_is_narrower = (
        (added or Match.CLOSER in narrower) if pair.new.negative else (missing or Match.LOOSER in narrower)
    )
    if denied_is_narrower:
        return None, ""
    if _now(pair):
        return Likeness.SUPERSEDED, "it was otherwise before, as the words say"
    return Likeness.DISPUTED, "once affirmed and once denied"


def _another_value(pair: _Pair) -> _Found:
    if _says(pair, "more") and pair.added:
        return None
    conflict = "conflict" in (pair.numbers, pair.times)
    missing, added = _heavy(pair.missing), _heavy(pair.added)
    if conflict:
        if (missing and added) or _several_differ(pair.known, pair.new):
            return None, ""  # two parcels on two shelves are not one parcel that moved
        if min(pair.known_share, pair.new_share) < _FRAME_SHARE or _of_another_time(pair) or _happens_again(pair):
            return None, ""
        if _now(pair):
            return Likeness.SUPERSEDED, "another value holds now"
        return Likeness.DISPUTED, "another number or time was said before"
    if not pair.missing or not pair.added or _of_another_time(pair):
        return None
    if _says(pair, "now") and pair.known_share >= _FRAME_SHARE and pair.new_share >= _CHANGED_SHARE:
        return Likeness.SUPERSEDED, "another value holds now"
    if not missing or not added or not _single_valued(pair, missing, added):
        return None
    if _now(pair):
        return Likeness.SUPERSEDED, "another value holds now"
    return Likeness.DISPUTED, "another value was said before"


def _happens_again(pair: _Pair) -> bool:
    """What somebody did may be done again: ten kilometres run and then twelve."""
    return all(any(unit.done and unit.subject for unit in text.units) for text in (pair.known, pair.new)) or any(
        unit.done and not unit.plans for unit in pair.known.units
    ) != any(unit.done and not unit.plans for unit in pair.new.units)


_LINK_EN = r"(?:\b(?:is|are|was|were|am)\b|'s|'re|'m|’s|’m)\s+(?P<mid>(?:[\w'’-]+\s+){0,3}?)"
_LINK_ZH = r"(?:是|叫|姓|属|名叫|位于|放在|设在|定在|最喜欢|在|用的?)\s*"
_DEFINITE = r"^(?:my|our|the|this|that|his|her|their|its|[\w]+'s)\b"


def _single_valued(pair: _Pair, missing: list[Term], added: list[Term]) -> bool:
    """Whether both texts put another value into one frame that holds one value: heated with wood, heated with gas."""
    if pair.cross or max(len(missing), len(added)) > _VALUE_TERMS:
        return False
    return any(_holds(pair.known, term.text) for term in missing) and any(_holds(pair.new, term.text) for term in added)


def _holds(text: Wording, term: str) -> bool:
    if text.lang == "zh":
        return _holds_chinese(text, term)
    for unit in text.units:
        words = unit.text.lower()
        definite = rx(_DEFINITE).match(words) is not None
        linked = re.search(_LINK_EN + re.escape(term) + r"\b", words)
        if linked and (definite or not rx(r"\b(?:of|to|with|at|about|in|for|by|from|on)\b").search(linked["mid"])):
            return True
        if definite and re.search(
            r"\b\w+(?:s|ed)\s+(?:with|on|at|from|in|by)\s+(?:the\s+|an?\s+)?" + re.escape(term) + r"\b", words
        ):
            return True
    return False


def _holds_chinese(text: Wording, term: str) -> bool:
    for unit in text.units:
        linked = re.search(_LINK_ZH + re.escape(term), unit.text.lower())
        if linked and not (unit.subject == "user" and linked[0][0] in "在用"):
            return True
    return False


# ---------------------------------------------------------------- agreement


def _agrees(pair: _Pair) -> _Found:
    missing, added = _heavy(pair.missing), _heavy(pair.added)
    more = pair.numbers in ("closer", "added") or pair.times in ("closer", "added")
    kinds = {how for _, _, how in pair.over.shared}
    if _says(pair, "more") and "more" not in pair.known.changes:
        return None
    if _of_another_time(pair):
        return None
    if pair.cross and min(pair.known_share, pair.new_share) < _FRAME_SHARE:
        return None
    if not missing and (added or more or Match.CLOSER in kinds or pair.unread[1] > pair.unread[0] + 1):
        return Likeness.REFINED, "it agrees and adds detail"
    if not added and not more and not any(pair.unread):
        return Likeness.RESTATED, "the same was said before"
    return None


def _heavy(terms: Iterable[Term]) -> list[Term]:
    return [term for term in terms if term.weight >= _LIGHT]


# ---------------------------------------------------------------- numbers and times


def _several_differ(known: Wording, new: Wording) -> bool:
    """Whether more than one number of a text is another than in a text with as many."""
    if len(known.quantities) != len(new.quantities):
        return False
    pairs = zip(known.quantities, new.quantities, strict=True)
    return (
        sum(value.compare(_value(one), _value(other), _EMPTY) is Match.DIFFERENT for (one, _), (other, _) in pairs) > 1
    )


def _numbers(known: Wording, new: Wording) -> str:
    """How the numbers of a new text relate to those known."""
    if not new.quantities:
        return "dropped" if known.quantities else ""
    if not known.quantities:
        return "added"
    state = "same"
    for item, counted in new.quantities:
        alike = [other for other, theirs in known.quantities if counted == theirs and _comparable(item, other)]
        found = {value.compare(_value(other), _value(item), _EMPTY) for other in alike}
        if found & {Match.EQUAL, Match.LOOSER}:
            continue
        if Match.CLOSER in found:
            state = "closer" if state != "conflict" else state
        elif alike:
            return "conflict"
        else:
            state = "added" if state == "same" else state
    return state


def _comparable(item: Quantity, other: Quantity) -> bool:
    return "plain" in (item.kind, other.kind) or (
        item.kind == other.kind and (item.kind == "money" or value.comparable_units(item.unit, other.unit))
    )


def _value(item: Quantity) -> Value:
    return Value(ValueType.NUMBER, numerals.plain(item.value), item.unit or None, None, item.approx)


def _times(known: Wording, new: Wording) -> str:
    """How the times of a new text relate to those known."""
    if not new.times:
        return "dropped" if known.times else ""
    if not known.times:
        return "added"
    state, shared = "same", False
    for when, words in new.times:
        alike = [(other, text) for other, text in known.times if _same_bond(when, other)]
        found = {_time(other, text, when, words) for other, text in alike}
        if found & {Match.EQUAL, Match.LOOSER}:
            shared = True
            continue
        if Match.CLOSER in found:
            state = "closer" if state != "conflict" else state
        elif alike:
            state = "conflict"
        else:
            state = "added" if state == "same" else state
    # Next week, on Thursday: what is said beside a time that both have makes it closer.
    return "closer" if state == "conflict" and shared else state


def _same_bond(when: When, other: When) -> bool:
    return (when.bind in (Bind.REPEAT, Bind.CLOCK)) == (other.bind in (Bind.REPEAT, Bind.CLOCK)) and (
        when.bind is other.bind or when.bind not in (Bind.REPEAT, Bind.CLOCK)
    )


def _time(known: When, known_words: str, new: When, new_words: str) -> Match:
    if new.bind is Bind.REPEAT:
        return Match.EQUAL if known_words.lower() == new_words.lower() else Match.LOOSER
    if new.bind is Bind.CLOCK:
        return Match.EQUAL if known.hour == new.hour else Match.DIFFERENT
    found = {
        value.times(theirs, mine)
        for theirs in {known.future, known.past} - {""}
        for mine in {new.future, new.past} - {""}
    }
    for how in (Match.EQUAL, Match.CLOSER, Match.LOOSER):
        if how in found:
            return how
    return Match.DIFFERENT
