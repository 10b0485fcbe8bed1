"""When two values are the same, one closer than the other, or different: units, times, words."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from mcp_memory_server.memory import periods
from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.text import key, simplified, stem
from mcp_memory_server.memory.vocabulary import Vocabulary


class Match(StrEnum):
    """How a new value relates to a known one."""

    EQUAL = "equal"
    CLOSER = "closer"  # the new one says more
    LOOSER = "looser"  # the new one says less
    DIFFERENT = "different"


_UNITS: dict[str, tuple[str, Decimal]] = {
    "m": ("length", Decimal(1)), "cm": ("length", Decimal("0.01")), "in": ("length", Decimal("0.0254")), "ft": ("length", Decimal("0.3048")),
    "km": ("length", Decimal(1000)), "mile": ("length", Decimal("1609.344")), "li": ("length", Decimal(500)),
    "kg": ("mass", Decimal(1)), "g": ("mass", Decimal("0.001")), "jin": ("mass", Decimal("0.5")), "lb": ("mass", Decimal("0.45359237")),
    "stone": ("mass", Decimal("6.35029318")), "mg": ("mass", Decimal("0.000001")),
    "l": ("volume", Decimal(1)), "ml": ("volume", Decimal("0.001")), "gallon": ("volume", Decimal("3.785411784")),
    "year": ("duration", Decimal(12)), "month": ("duration", Decimal(1)), "week": ("duration", Decimal(12) / Decimal("52.1775")),
    "day": ("duration", Decimal(12) / Decimal("365.2425")), "hour": ("time", Decimal(60)), "minute": ("time", Decimal(1)),
}  # fmt: skip
_PER = {"year": 1, "quarter": 4, "month": 12, "week": 52, "day": 365, "night": 365}
_TOLERANCE = Decimal("0.005")  # of a conversion between units
_ABOUT = Decimal("0.1")  # what "about" leaves open


def compare(known: Value, new: Value, vocabulary: Vocabulary) -> Match:
    """How `new` relates to `known`, by the kind of the values; scopes are not looked at."""
    numeric = {ValueType.NUMBER, ValueType.MONEY}
    if known.type in numeric and new.type in numeric:
        return _numbers(known, new)
    dated = {ValueType.DATE, ValueType.PERIOD}
    if known.type in dated and new.type in dated:
        return times(known.value, new.value)
    if ValueType.BOOLEAN in (known.type, new.type):
        return Match.EQUAL if known.value == new.value else Match.DIFFERENT
    return words(known.value, new.value, vocabulary)


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 40 else None


def _numbers(known: Value, new: Value) -> Match:
    first, second = _decimal(known.value), _decimal(new.value)
    if first is None or second is None:
        return Match.EQUAL if key(known.value) == key(new.value) else Match.DIFFERENT
    left, right, exact = _same_unit(first, known.unit or "", second, new.unit or "")
    if left is None or right is None:
        return Match.DIFFERENT
    size = max(abs(left), abs(right))
    apart = abs(left - right)
    if apart <= (Decimal("1e-9") if exact else _TOLERANCE) * size:
        if known.approx and not new.approx:
            return Match.CLOSER
        return Match.LOOSER if new.approx and not known.approx else Match.EQUAL
    if (known.approx or new.approx) and apart <= _ABOUT * size:
        return (
            Match.CLOSER
            if known.approx and not new.approx
            else Match.LOOSER
            if new.approx and not known.approx
            else Match.EQUAL
        )
    return Match.DIFFERENT


def _same_unit(first: Decimal, unit: str, second: Decimal, other: str) -> tuple[Decimal | None, Decimal | None, bool]:
    """Both numbers in one unit, and whether no conversion was needed; None where there is no common unit."""
    if unit == other or not unit or not other:
        return first, second, True
    a, _, per_a = unit.partition("/")
    b, _, per_b = other.partition("/")
    if a == b:
        if not per_a or not per_b:
            return first, second, True
        if per_a in _PER and per_b in _PER:
            return first * _PER[per_a], second * _PER[per_b], False
        return None, None, False
    left, right = _UNITS.get(a), _UNITS.get(b)
    if left and right and left[0] == right[0]:
        return first * left[1], second * right[1], False
    return None, None, False


def comparable_units(unit: str, other: str) -> bool:
    """True when numbers of both units can be put into one: metres and feet, but not metres and kilograms."""
    return _same_unit(Decimal(1), unit, Decimal(1), other)[0] is not None


def times(known: str, new: str) -> Match:
    """How a new time relates to a known one: equal, inside it, around it, or elsewhere."""
    if known == new:
        return Match.EQUAL
    if known.startswith("--") or new.startswith("--"):
        full, partial = (new, known) if known.startswith("--") else (known, new)
        if len(full) >= 10 and full[4:10] == partial[1:] and not full.startswith("--"):
            return Match.CLOSER if full is new else Match.LOOSER
        return Match.DIFFERENT
    try:
        first, second = periods.bounds(known), periods.bounds(new)
    except ValueError:
        return Match.DIFFERENT
    if first is None or second is None:
        return Match.DIFFERENT
    if first == second:
        return Match.EQUAL
    if _day_of(known) and _day_of(known) == _day_of(new):
        return (
            Match.CLOSER
            if "T" in new and "T" not in known
            else Match.LOOSER
            if "T" in known and "T" not in new
            else Match.DIFFERENT
        )
    if first[0] <= second[0] and second[1] <= first[1]:
        return Match.CLOSER
    if second[0] <= first[0] and first[1] <= second[1]:
        return Match.LOOSER
    return Match.DIFFERENT


def _day_of(text: str) -> str:
    """The local day of a date or full time; empty for anything coarser or longer."""
    return text[:10] if len(text) >= 10 and "/" not in text and text[4] == "-" else ""


def overlap(known: str, new: str) -> bool:
    """True when two times have a moment in common (or one of them names none)."""
    try:
        first, second = periods.bounds(known), periods.bounds(new)
    except ValueError:
        return True
    if first is None or second is None:
        return True
    return (first[0] < second[1] and second[0] < first[1]) or first[0] == second[0]


# ---------------------------------------------------------------- words

_EN_EMPTY = frozenset(
    "a an the my our your his her its their some any of to in at on for with and very really quite more most this that these those "
    "kind sort type lot bit new own got have be am is are do doing i we user".split()
)
_ZH_EMPTY = re.compile(r"[的了呢吧啊呀地得着过一这那个些点儿]|用户|有点|特别|非常|比较")
_ZH_LIGHT = re.compile(r"^(?:吃|喝|坐|做|看|打|学|玩|养|去|用|有|是|到|在|当|干|上|买|开|听)(?=\S)")


def bag(text: str) -> frozenset[str]:
    """The words that carry a text: stems without small words; for Chinese its characters."""
    folded = key(text)
    han = "".join(re.findall(r"[\u3400-\u9fff]+", folded))
    latin = re.findall(r"[^\W_\u3400-\u9fff]+(?:[+#]+)?", folded)
    found = {stem(word) for word in latin if word not in _EN_EMPTY}
    found |= set(_ZH_EMPTY.sub("", simplified(han)))
    return frozenset(found) or frozenset(latin) or frozenset(folded)


def normal(text: str) -> str:
    """The form in which two wordings of one thing are equal: case, articles, plural, light verbs."""
    folded = key(text)
    if re.search(r"[\u3400-\u9fff]", folded):
        bare = _ZH_EMPTY.sub("", simplified(folded))
        return _ZH_LIGHT.sub("", bare) or bare or folded
    parts = [stem(word) for word in re.split(r"[\s\-]+", folded) if word and word not in _EN_EMPTY]
    return " ".join(parts) or folded


def words(known: str, new: str, vocabulary: Vocabulary) -> Match:
    """How a new wording relates to a known one: the same thing, a kind of it, or another."""
    first, second = normal(known), normal(new)
    if first == second or first.replace(" ", "") == second.replace(" ", ""):
        return Match.EQUAL
    concepts = vocabulary.concepts(known), vocabulary.concepts(new)
    if concepts[0] and concepts[1]:
        if concepts[0] & concepts[1]:
            return Match.EQUAL
        if any(vocabulary.is_kind_of(n, k) for n in concepts[1] for k in concepts[0]):
            return Match.CLOSER
        if any(vocabulary.is_kind_of(k, n) for n in concepts[1] for k in concepts[0]):
            return Match.LOOSER
    if named := _by_name(first, second, vocabulary) or _by_name(second, first, vocabulary):
        return Match.CLOSER if named == second else Match.LOOSER
    shared = _after_shared_verb(first, second)
    if shared and (found := words(*shared, vocabulary)) is not Match.DIFFERENT:
        return found
    left, right = bag(known), bag(new)
    if left and right and left != right:
        if left < right and _may_extend(known, new):
            return Match.CLOSER
        if right < left and _may_extend(new, known):
            return Match.LOOSER
    return Match.EQUAL if left == right and left and sorted(first) == sorted(second) else Match.DIFFERENT


def _by_name(short: str, long: str, vocabulary: Vocabulary) -> str:
    """`long` where it only adds the town to its province (四川宜宾) or the kind of firm to its name (禾木传媒)."""
    if not long.startswith(short):
        return ""
    rest = long[len(short) :]
    narrower = any(
        vocabulary.is_kind_of(narrow, wide)
        for narrow in vocabulary.concepts(rest)
        for wide in vocabulary.concepts(short)
    )
    return long if narrower or (len(short) > 1 and rest in vocabulary.words("zh", "firms")) else ""


def _after_shared_verb(first: str, second: str) -> tuple[str, str] | None:
    """`drink wine` and `drink alcohol` compare by what is drunk; 喝酒 and 喝茶 likewise."""
    a, b = first.split(), second.split()
    if (
        len(a) > 1
        and len(b) > 1
        and a[0] == b[0]
        and a[0] in ("drink", "eat", "play", "read", "take", "watch", "speak", "learn", "ride", "wear")
    ):
        return " ".join(a[1:]), " ".join(b[1:])
    return None


def _may_extend(short: str, long: str) -> bool:
    """More words make a value closer only when they narrow the same thing: its last word stays last.

    `olive oil` is no kind of `olives`, `green tea` is a kind of `tea`; 橄榄油 is none of 橄榄.
    """
    a, b = normal(short), normal(long)
    if re.search(r"[\u3400-\u9fff]", a):
        return b.endswith(a)
    return b.split()[-1] == a.split()[-1] or (
        b.split()[0] == a.split()[0]
        and any(w in key(long).split() for w in ("in", "at", "of", "for", "with", "before", "after", "by"))
    )
