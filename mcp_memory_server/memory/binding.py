"""Does what a statement says together stand together in what was said?

"The sofa cost 800 and the rug cost 300" holds every word of "the rug cost 800", yet does not say it. The words
are cut into their parallel parts; what a statement joins must stand in one part, where the parts are rivals: each
has a number, a time, or the same verb of its own. And what a part says of somebody named first is not the user's.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.lexicon import once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.senses import KIN
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Vocabulary
from mcp_memory_server.memory.wording import Term, match, terms_of

_CUT_EN = r"(?i)\s*[,;]?\s+(?:and|but|while|whereas|though|or)\s+|[,;]\s+"
_CUT_ZH = r"[，,；;、]|而且|而|但是?|和|跟"


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the parallel parts of a text."""

    text: str
    lang: str
    terms: tuple[Term, ...]
    numbers: frozenset[tuple[str, str]]  # value and unit
    times: frozenset[str]


def _parts(units: Sequence[Unit], vocabulary: Vocabulary) -> list[_Part]:
    found = []
    for unit in units:
        place = 0
        cut = rx(_CUT_ZH if unit.lang == "zh" else _CUT_EN)
        for start, end in [*((m.start(), m.end()) for m in cut.finditer(unit.text)), (len(unit.text), len(unit.text))]:
            if unit.text[place:start].strip():
                found.append(_part(unit, place, start, vocabulary))
            place = end
    return found


def _part(unit: Unit, start: int, end: int, vocabulary: Vocabulary) -> _Part:
    text = unit.text[start:end]
    mine = [when for when in unit.times if start <= when.start - unit.start < end]
    bare = text
    for when in reversed(mine):
        bare = bare[: max(0, when.start - unit.start - start)] + " " + bare[max(0, when.end - unit.start - start) :]
    numbers = quantity.find(bare, unit.lang)
    return _Part(
        text.strip(),
        unit.lang,
        tuple(terms_of(bare, unit.lang, vocabulary)),
        frozenset((numerals.plain(item.value), item.unit or item.kind) for item in numbers if item.value != 1),
        frozenset(when.future or str(when.hour) for when in mine),
    )


def torn(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary) -> str:
    """Two things that a statement joins though they were said of different ones; empty when there are none."""
    said = _parts(have, vocabulary)
    if len(said) < 2:
        return ""
    for part in _parts(want, vocabulary):
        marks = [(term.text, _where(term, said, vocabulary), "word") for term in part.terms]
        marks += [
            (n[0], {i for i, other in enumerate(said) if any(n[0] == m[0] for m in other.numbers)}, "numbers")
            for n in part.numbers
        ]
        marks += [(time, {i for i, other in enumerate(said) if time in other.times}, "times") for time in part.times]
        marks = [mark for mark in marks if mark[1]]
        for index, (one, places, kind) in enumerate(marks):
            for other, others, kind_ in marks[index + 1 :]:
                if places.isdisjoint(others) and _rivals(said, places, others, {kind, kind_}, part, vocabulary):
                    return f"{one!r} and {other!r} were not said of the same"
    return ""


def _where(term: Term, said: Sequence[_Part], vocabulary: Vocabulary) -> set[int]:
    """The parts that hold a term, and those after them that leave out the person or thing by which they open."""
    places = {
        index
        for index, part in enumerate(said)
        if any(match(other, term, vocabulary) is not Match.DIFFERENT for other in part.terms)
    }
    for index in sorted(places):
        first = said[index].terms[0]
        person = any(mark.startswith("r:") for mark in term.marks)
        if not person and (said[index].lang == "zh" or match(first, term, vocabulary) is Match.DIFFERENT):
            continue
        for later in range(index + 1, len(said)):
            if _opens_anew(said[later]):
                break
            places.add(later)
    return places


def _opens_anew(part: _Part) -> bool:
    """Whether a part has a subject of its own: our dog, Ruben, the rug; 我爸, 她."""
    if part.lang == "zh":
        return rx(r"^(?:我|你|他|她|它|咱|我们)|[阿小老][\u4e00-\u9fff]").match(part.text) is not None or any(
            mark.startswith("r:") for term in part.terms for mark in term.marks
        )
    return (
        rx(r"^(?:(?i:the|a|an|my|our|your|his|her|their|its|i|we|you|he|she|it|they|this|that)\b|[A-Z])").match(
            part.text
        )
        is not None
    )


def _rivals(
    said: Sequence[_Part], places: set[int], others: set[int], kinds: set[str], part: _Part, vocabulary: Vocabulary
) -> bool:
    """Whether every two places have the thing in question of their own."""
    for one in places:
        for other in others:
            a, b = said[one], said[other]
            if "numbers" in kinds and not any(_one_kind(m[1], n[1]) for m in a.numbers for n in b.numbers):
                return False
            if "times" in kinds and not (a.times and b.times):
                return False
            if kinds == {"word"} and not _same_verb(a, b, part, vocabulary):
                return False
    return True


def _one_kind(unit: str, other: str) -> bool:
    """Kilometres and minutes may tell of one thing, two sums do not; a bare number may be either."""
    return unit == other or "plain" in (unit, other)


def _same_verb(a: _Part, b: _Part, part: _Part, vocabulary: Vocabulary) -> bool:
    """Both parts say the same of two things, and the statement says it too: plays … and plays …"""
    if len(a.terms) < 2 or len(b.terms) < 2:
        return False
    return any(
        any(match(one, term, vocabulary) is Match.EQUAL for one in a.terms)
        and any(match(other, term, vocabulary) is Match.EQUAL for other in b.terms)
        for term in part.terms
    )


# ---------------------------------------------------------------- of whom


def of_another(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary) -> str:
    """Who is named first in the part that a statement about the user rests on; empty when it is the user's own."""
    stated = " ".join(unit.text for unit in want)
    if not rx(r"(?i)^\s*(?:the\s+)?user\b(?!['’]s)|^\s*(?:该)?用户(?!的|们)").search(stated):
        return ""
    terms = [term for unit in want for term in terms_of(unit.body, unit.lang, vocabulary)]
    numbers = {value for part in _parts(want, vocabulary) for value, _ in part.numbers}
    owned = {unit.subject.removeprefix("user.").partition(":")[0] for unit in have if unit.subject}
    if owned and owned <= {"pet", "company", "team"}:
        return "" if _role_in_any(owned, stated, vocabulary) else f"the user's {min(owned)}"
    best, who = 0.0, ""
    for unit in have:
        for part in _parts([unit], vocabulary):
            weight = sum(
                term.weight
                for term in terms
                if any(match(other, term, vocabulary) is not Match.DIFFERENT for other in part.terms)
            ) + len(numbers & {value for value, _ in part.numbers})
            if weight > best:
                best, who = weight, _named(part.text, unit.lang, vocabulary)
    return who if who and who.lower() not in stated.lower() and not _role_in(who, stated, vocabulary) else ""


def _role_in(who: str, stated: str, vocabulary: Vocabulary) -> bool:
    """Whether the statement names the person in another word or the other language."""
    for lang in ("en", "zh"):
        table = vocabulary.mapping(lang, "roles")
        role = table.get(who.lower(), "")
        if role and any(
            word in stated.lower()
            for other in ("en", "zh")
            for word, r in vocabulary.mapping(other, "roles").items()
            if r == role
        ):
            return True
    return False


def _role_in_any(roles: set[str], stated: str, vocabulary: Vocabulary) -> bool:
    """Whether the statement also names what the words are about: "the user has a dog" of "our dog"."""
    words = {word for lang in ("en", "zh") for word, role in vocabulary.mapping(lang, "roles").items() if role in roles}
    return (
        any(word in stated.lower() for word in words)
        or rx(r"(?i)\b(?:has|have|owns?|works?)\b|有|养").search(stated) is not None
    )


_OPENERS = (
    "i we my our it he she they you this that these those there the a an yes no not please thanks well so and but if when before after since because "
    "as at on in for with from last next every each some most all both none nobody everyone somebody today tomorrow yesterday".split()
)


def _named(text: str, lang: str, vocabulary: Vocabulary) -> str:
    """The person by whom a part opens, where the part does not also speak of the user."""
    if lang == "zh":
        return _named_chinese(text, vocabulary)
    found = rx(
        r"(?i)^(?:and |but |so |because |plus )*my (?:\w+ )?(?P<role>[a-z]+)(?P<s>['’]s)?\s+(?P<next>\w+)"
    ).match(text)
    if found and vocabulary.mapping("en", "roles").get(found["role"].lower()) in KIN:
        rest = text[found.end("role") :]
        owned = found["s"] and not rx(
            r"(?i)^(?:just|been|now|not|always|a|an|the|in|at|on|very|so|never|also|got|\w+ing|\w+ed|\d+)$"
        ).match(found["next"])
        if not owned and not rx(r"(?i)\b(?:i|me|my|we|us|our)\b").search(rest):
            return str(found["role"])
    name = rx(r"^(?P<name>[A-Z][a-z]+)(?:['’]s)? (?:is|was|has|had|will|can|does|plays?|[a-z]{3,}(?:s|ed))\b").match(
        text
    )
    if name and name["name"].lower() not in _OPENERS and not rx(r"(?i)\b(?:i|me|my|we|us|our)\b").search(text):
        return str(name["name"])
    return ""


def _named_chinese(text: str, vocabulary: Vocabulary) -> str:
    names = once(
        vocabulary, "surnames", lambda v: "".join(word for word in v.words("zh", "surnames") if len(word) == 1)
    )
    found = rx(
        rf"^(?P<name>[阿小老][\u4e00-\u9fff]|[{names}][\u4e00-\u9fff]{{1,2}}?)(?=对|是|有|在|说|喜欢|爱|会|要|去|想|刚|也|不|得|弹|打|住|买|养|学|教|做|当|来|开|吃|喝)"
    ).match(text)
    return str(found["name"]) if found and not rx(r"我|咱").search(text) else ""
