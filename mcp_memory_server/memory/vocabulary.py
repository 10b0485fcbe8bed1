"""The closed vocabulary: predicates, roles of persons, and the word tables of the rules.

All of it comes from a data file that a user may extend (`defaults/predicates.toml`); this module only
checks it and answers questions about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mcp_memory_server.memory.model import Category, ValueType
from mcp_memory_server.memory.text import key, stem

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_DAY = re.compile(r"(?:\d{4}-)?\d{2}-\d{2}")
LANGUAGES = ("en", "zh")
WORD_CHARS = 200  # characters of one word or phrase of a table


@dataclass(frozen=True)
class Predicate:
    """One kind of fact.

    `scope` says what a value is for (None: the predicate has no scope). `counters` are predicates
    that the same object contradicts, such as `likes` and `dislikes`. `stages` are concepts that follow one
    another in the world (unpaid, paid, refunded): going on is a change, going back a contradiction. `labels`
    name the predicate in questions to the user, by language.
    """

    name: str
    object_types: tuple[ValueType, ...]
    cardinality: str
    scope: str | None
    category: Category
    counters: tuple[str, ...] = ()
    occurrence: bool = False
    stages: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def single(self) -> bool:
        """True when one subject has one value at a time (in one scope)."""
        return self.cardinality == "single"

    @property
    def typed(self) -> bool:
        """True when the value is a number, sum, date, period or boolean."""
        return not {ValueType.TEXT, ValueType.ENTITY} & set(self.object_types)


@dataclass(frozen=True)
class Signs:
    """The words, by language, one of which shows a predicate in a clause.

    `units` are those that its number may have; `period` says that its sum means nothing without one (a month, a year).
    """

    words: Mapping[str, tuple[str, ...]]
    units: frozenset[str] = frozenset()
    period: bool = False


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Predicates by name, roles of persons, and word tables by language and name.

    `senses` are words of both languages that may say the same; `changes` the words by which a text says
    that something known is `ended`, `replaced`, `corrected`, holds `now`, or is one `more`.
    """

    predicates: Mapping[str, Predicate]
    roles_one: frozenset[str]
    roles_many: frozenset[str]
    tables: Mapping[str, Mapping[str, tuple[str, ...] | Mapping[str, str]]]
    holidays: Mapping[str, str]
    concept_data: Mapping[str, Mapping[str, tuple[str, ...]]]
    kinds: Mapping[str, frozenset[str]]
    signs: Mapping[str, Signs] = field(default_factory=dict)  # by predicate: those that a refiner may propose
    senses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    made: dict[object, object] = field(default_factory=dict, repr=False)  # what rules built from it

    @staticmethod
    def parse(data: Mapping[str, object]) -> Vocabulary:
        """The vocabulary in a parsed data file; ValueError names the entry that is wrong."""
        predicates = {name: _predicate(name, entry) for name, entry in _table(data, "predicates").items()}
        for predicate in predicates.values():
            for other in predicate.counters:
                if other not in predicates:
                    raise ValueError(f"predicates.{predicate.name}.counters: there is no predicate {other!r}")
        subjects = _table(data, "subjects")
        one = frozenset(_words(subjects.get("one", []), "subjects.one"))
        many = frozenset(_words(subjects.get("many", []), "subjects.many"))
        if both := one & many:
            raise ValueError(f"subjects: {min(both)!r} is in both `one` and `many`")
        tables = {lang: _language(_table(data, lang), lang) for lang in LANGUAGES}
        for lang, table in tables.items():
            for word, role in _as_map(table.get("roles", {}), f"{lang}.roles").items():
                if role not in one | many:
                    raise ValueError(f"{lang}.roles: {word!r} has the unknown role {role!r}")
        return Vocabulary(
            predicates=MappingProxyType(predicates),
            roles_one=one,
            roles_many=many,
            tables=MappingProxyType({lang: MappingProxyType(table) for lang, table in tables.items()}),
            holidays=MappingProxyType(_holidays(_table(data, "holidays"))),
            concept_data={name: _lists(data, name) for name in ("concepts", "kinds")},
            kinds=MappingProxyType(_kinds(_table(data, "kinds"))),
            signs=MappingProxyType(_signs(_table(data, "signs"), predicates)),
            senses=MappingProxyType(_lists(data, "senses")),
            changes=MappingProxyType(_lists(data, "changes")),
        )

    def get(self, name: str) -> Predicate | None:
        """The predicate of this name, or None."""
        return self.predicates.get(name)

    def words(self, lang: str, name: str) -> tuple[str, ...]:
        """A word list of a language; KeyError names a missing one."""
        entry = self._entry(lang, name)
        return entry if isinstance(entry, tuple) else tuple(entry)

    def mapping(self, lang: str, name: str) -> Mapping[str, str]:
        """A word table of a language (word to meaning); KeyError names a missing one."""
        return _as_map(self._entry(lang, name), f"{lang}.{name}")

    @property
    def concept_words(self) -> Mapping[str, frozenset[str]]:
        """Every name of a thing in its normal form, with the concepts it names; made at the first use."""
        if "concept words" not in self.made:
            self.made["concept words"] = _concepts(self.concept_data)
        return self.made["concept words"]  # type: ignore[return-value]  # made just above

    def concepts(self, text: str) -> frozenset[str]:
        """The concepts that a word or short phrase names, whatever its language."""
        folded = key(text)
        found = self.concept_words.get(folded)
        if found is None:
            bare = re.sub(r"^(?:the|a|an|my|our|some) ", "", folded)
            found = (
                self.concept_words.get(bare) or self.concept_words.get(" ".join(map(stem, bare.split()))) or frozenset()
            )
        return found

    def is_kind_of(self, narrow: str, wide: str) -> bool:
        """True when every instance of one concept is one of the other (a beagle is a dog)."""
        seen, level = {narrow}, {narrow}
        while level:
            level = {upper for item in level for upper in self.kinds.get(item, ())} - seen
            if wide in level:
                return True
            seen |= level
        return False

    def _entry(self, lang: str, name: str) -> tuple[str, ...] | Mapping[str, str]:
        try:
            return self.tables[lang][name]
        except KeyError:
            raise KeyError(f"the vocabulary has no table {lang}.{name}") from None

    def many(self, role: str) -> bool:
        """True for roles that several persons can have (a name is then part of the subject)."""
        return role in self.roles_many


def _table(data: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = data.get(name, {})
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: a table is expected, not {type(value).__name__}")
    return value


def _lists(data: Mapping[str, object], name: str) -> dict[str, tuple[str, ...]]:
    return {key_: _words(value, f"{name}.{key_}") for key_, value in _table(data, name).items()}


def _concepts(data: Mapping[str, Mapping[str, tuple[str, ...]]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}

    def name(word: str, concept: str) -> None:
        folded = key(word)
        for form in {folded, " ".join(map(stem, folded.split()))}:
            found.setdefault(form, set()).add(concept)

    for concept, words in data["concepts"].items():
        for word in (concept.replace("_", " "), *words):
            name(word, concept)
    for wide, narrower in data["kinds"].items():
        name(wide.replace("_", " "), wide)
        for word in narrower:
            name(word.replace("_", " "), word.replace(" ", "_"))
    return {word: frozenset(concepts) for word, concepts in found.items()}


def _kinds(data: Mapping[str, object]) -> dict[str, frozenset[str]]:
    upper: dict[str, set[str]] = {}
    for wide, narrower in data.items():
        for word in _words(narrower, f"kinds.{wide}"):
            upper.setdefault(word.replace(" ", "_"), set()).add(wide)
    return {word: frozenset(wider) for word, wider in upper.items()}


def _signs(data: Mapping[str, object], predicates: Mapping[str, Predicate]) -> dict[str, Signs]:
    found = {}
    for name, entry in data.items():
        where = f"signs.{name}"
        if name not in predicates:
            raise ValueError(f"{where}: there is no predicate {name!r}")
        if not isinstance(entry, Mapping):
            raise ValueError(f"{where}: a table is expected")
        if unknown := set(entry) - {"units", "period", *LANGUAGES}:
            raise ValueError(f"{where}: unknown key {min(unknown)!r}; known are {', '.join(LANGUAGES)}, units, period")
        words = {lang: _words(entry[lang], f"{where}.{lang}") for lang in LANGUAGES if lang in entry}
        if not words:
            raise ValueError(f"{where}: words are expected in {' or '.join(LANGUAGES)}")
        units = frozenset(_words(entry.get("units", ()), f"{where}.units"))
        found[name] = Signs(MappingProxyType(words), units, entry.get("period") is True)
    return found


def _holidays(data: Mapping[str, object]) -> dict[str, str]:
    for name, days in data.items():
        if not isinstance(days, str) or not all(_DAY.fullmatch(day) for day in days.split()):
            raise ValueError(f"holidays.{name}: days are expected as MM-DD, or YYYY-MM-DD for each year, not {days!r}")
    return {name: str(days) for name, days in data.items()}


def _words(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{where}: a list of words is expected")
    words = tuple(value)
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise ValueError(f"{where}: {word!r} is no word")
        if len(word) > WORD_CHARS:
            raise ValueError(f"{where}: {word[:20]!r}… has more than {WORD_CHARS} characters")
    return words


def _as_map(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: a table of words is expected")
    return value


def _language(data: Mapping[str, object], lang: str) -> dict[str, tuple[str, ...] | Mapping[str, str]]:
    tables: dict[str, tuple[str, ...] | Mapping[str, str]] = {}
    for name, value in data.items():
        where = f"{lang}.{name}"
        if isinstance(value, Mapping):
            inverted: dict[str, str] = {}
            for meaning, words in value.items():
                for word in _words(words, f"{where}.{meaning}"):
                    if inverted.setdefault(word, meaning) != meaning:
                        raise ValueError(f"{where}: {word!r} is under both {inverted[word]!r} and {meaning!r}")
            tables[name] = MappingProxyType(inverted)
        else:
            tables[name] = _words(value, where)
    return tables


def _predicate(name: str, entry: object) -> Predicate:
    where = f"predicates.{name}"
    if not _NAME.fullmatch(name):
        raise ValueError(f"{where}: a name has small letters, digits and _ only, at most 40")
    if not isinstance(entry, Mapping):
        raise ValueError(f"{where}: a table is expected")
    known = {"objects", "cardinality", "scope", "category", "counters", "occurrence", "stages", *LANGUAGES}
    if unknown := set(entry) - known:
        raise ValueError(f"{where}: unknown key {min(unknown)!r}; known are {', '.join(sorted(known))}")
    try:
        types = tuple(ValueType(kind) for kind in _words(entry.get("objects", ()), f"{where}.objects"))
    except ValueError as error:
        raise ValueError(f"{where}.objects: {error}") from None
    if not types:
        raise ValueError(f"{where}.objects: at least one type is needed")
    cardinality = entry.get("cardinality")
    if cardinality not in ("single", "multi"):
        raise ValueError(f"{where}.cardinality: it is 'single' or 'multi', not {cardinality!r}")
    try:
        category = Category(entry.get("category", "other"))
    except ValueError as error:
        raise ValueError(f"{where}.category: {error}") from None
    scope = entry.get("scope")
    if scope is not None and not isinstance(scope, str):
        raise ValueError(f"{where}.scope: a text is expected")
    return Predicate(
        name=name,
        object_types=types,
        cardinality=str(cardinality),
        scope=scope,
        category=category,
        counters=_words(entry.get("counters", ()), f"{where}.counters"),
        occurrence=entry.get("occurrence") is True,
        stages=_words(entry.get("stages", ()), f"{where}.stages"),
        labels={lang: str(entry[lang]) for lang in LANGUAGES if lang in entry},
    )
