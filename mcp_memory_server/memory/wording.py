"""A text as the terms that carry it, comparable within a language and across two.

A term is a word or short phrase with its marks: its stem, the senses and concepts that it names in either
language. Two terms are the same when they share a mark; one is closer when it names a kind of the other.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_memory_server.memory import support, support_values
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.outline import Unit, outline
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.quantity import find as find_quantities
from mcp_memory_server.memory.perceive.rx import Rx, rx
from mcp_memory_server.memory.perceive.when import When
from mcp_memory_server.memory.senses import PHRASE, chinese_words, kin, lemma, phrases
from mcp_memory_server.memory.support_words import FUNCTION_ZH
from mcp_memory_server.memory.text import STOP_WORDS_EN, language, query_tokens, simplified, stem
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Vocabulary

_TOKENS = 80  # tokens of one look-up
_FEW_KINDS = 12  # kinds of a thing that are looked up with it
# Senses that very many sentences share: alone they make no two sentences speak of the same thing.
_LIGHT = frozenset(
    "s:own s:go s:plan s:make s:bring s:give s:start s:end s:find s:habit s:daily s:use s:try s:take_transport s:like s:prefer s:tell s:talk s:buy "
    "s:live s:eat s:drink s:employ s:change s:quit s:last s:month s:year s:weekly s:children s:member s:name s:cost s:spend s:learn s:house s:meet".split()
)
# Words that leave open what the next sentence may say.
_VAGUE = frozenset(
    "something someone somewhere somebody some several many few couple bunch lot lots kind type sort thing things certain various number certain exact exactly "
    "name full user users whole never you'll i'll we'll he'll she'll they'll it'll i'd you'd we'd they'd he'd she'd one ones now new currently still recently just soon always usually already called named instead anymore longer switched changed "
    "replaced moved sorry wrong correction actually too also again another besides second other last next coming ago around about roughly nearly almost approximately".split()
)
_VAGUE_ZH = "我们|我家|我|咱们|咱|你们|你|他们|她们|他|她|它|是|要|种|辆|门|只|台|张|条|把|件|位|款|套|间|平方米|平米|平|快|快要|这个|这份|那个|那份|这|那|一种|一门|一个|某个|某种|某|一些|几个|几|东西|具体|大概|大约|左右|平时|目前|现在|已经|终于|刚才|更正一下|更正|说错了|记错了|我记错了|说错|记错|一共|总共|准确|其实|特别|尤其是|尤其|一般|通常|习惯"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase; `name` when it is written like a name or code, `known` when it has a sense or concept."""

    text: str
    marks: frozenset[str]
    name: bool = False

    @property
    def known(self) -> bool:
        """True when it can be compared across languages."""
        return any(mark[:2] in ("s:", "c:", "r:") for mark in self.marks)

    @property
    def weight(self) -> float:
        """How much it says about what a sentence is about."""
        return 0.3 if any(mark in _LIGHT for mark in self.marks) else 1.0


@dataclass(frozen=True, slots=True)
class Wording:
    """A text read for comparison with another one. `text` is folded to small letters."""

    text: str
    lang: str
    units: tuple[Unit, ...]
    terms: tuple[Term, ...]
    quantities: tuple[tuple[Quantity, str], ...]  # with what is counted where it tells numbers apart: 号, 楼
    times: tuple[tuple[When, str], ...]  # with the words of each
    owners: frozenset[str]
    roles: frozenset[str]
    negative: bool
    changes: frozenset[str]


def read(said: Said, vocabulary: Vocabulary) -> Wording:
    """The terms, numbers, times, persons, polarity and words of change of a text."""
    units = outline(said.text, said.said_at, said.time_zone, vocabulary, statement=True)
    lang = units[0].lang if units else "en"
    terms = [term for unit in units for term in _terms(unit, vocabulary)]
    terms += [term for unit in units for when in unit.times for term in _due(unit, when, vocabulary)]
    return Wording(
        said.text.lower(),
        lang,
        tuple(units),
        tuple({term.marks: term for term in terms}.values()),
        tuple(
            (item, _ordinal(item, unit))
            for unit in units
            for item in support_values.quantities(unit)
            if _is_number(item, unit)
        ),
        tuple(
            (when, unit.text[max(0, when.start - unit.start) : when.end - unit.start])
            for unit in units
            for when in unit.times
        ),
        frozenset(unit.subject for unit in units if unit.subject and unit.subject != "other"),
        frozenset().union(*(support.roles_in(unit.text, unit.lang, vocabulary) for unit in units)),
        support.negated([unit for unit in units if not unit.blocked]),
        frozenset(name for name, pattern in _patterns(vocabulary) if pattern.search(said.text)),
    )


def _due(unit: Unit, when: When, vocabulary: Vocabulary) -> list[Term]:
    """What a phrase of time says beside the time: 9月30号到期."""
    words = unit.text[max(0, when.start - unit.start) : when.end - unit.start]
    found = " ".join(rx(r"(?i)到期|截止|\b(?:due|expires?|ends?)\b").findall(words))
    return _terms(replace(unit, body=found), vocabulary) if found else []


def lookup_tokens(text: str, vocabulary: Vocabulary) -> list[str]:
    """Tokens under which a text index holds what may say the same: the words of a text, and in both languages those
    of the same senses and concepts. At most `_TOKENS`."""
    terms = _chinese(text, vocabulary) if language(text) == "zh" else _english(text, vocabulary)
    words = once(vocabulary, "words of marks", _words_of_marks)
    tokens = [token for term in terms for token in query_tokens(term.text)]
    for term in sorted(terms, key=lambda term: -term.weight):
        for mark in sorted(term.marks):
            wider = vocabulary.kinds.get(mark[2:], ()) if mark.startswith("c:") else ()
            for name in (mark, *(f"c:{wide}" for wide in sorted(wider))):
                tokens += words.get(name, ())
    return list(dict.fromkeys(tokens))[:_TOKENS]


def _words_of_marks(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The tokens of the words of each sense and concept; of what has few kinds, of these too."""
    words: dict[str, list[str]] = {f"s:{sense}": list(found) for sense, found in vocabulary.senses.items()}
    for word, concepts in vocabulary.concept_words.items():
        for concept in concepts:
            words.setdefault(f"c:{concept}", []).append(word)
    for wide, narrower in vocabulary.concept_data["kinds"].items():
        if len(narrower) <= _FEW_KINDS:
            words.setdefault(f"c:{wide}", []).extend(word.replace("_", " ") for word in narrower)
    return {
        mark: tuple(dict.fromkeys(token for word in found for token in query_tokens(word)))
        for mark, found in words.items()
    }


def _is_number(item: Quantity, unit: Unit) -> bool:
    """ "One" and 一 are mostly articles."""
    return item.value != 1 or item.kind == "money" or "1" in unit.body[item.start : item.end]


def _ordinal(item: Quantity, unit: Unit) -> str:
    """What a Chinese number counts off: 16楼 and 16号 are no two values of one thing."""
    after = rx(r"\s*([号楼排座层路级班届期线章页栋]|单元)").match(unit.body, item.end) if item.end else None
    return after[1] if after else ""


def _patterns(vocabulary: Vocabulary) -> Sequence[tuple[str, Rx]]:
    made: Sequence[tuple[str, Rx]] = once(
        vocabulary,
        "changes",
        lambda v: [
            (
                name,
                rx(
                    rf"(?i)(?<![A-Za-z'])(?:{alternation(w for w in words if w.isascii())})(?![A-Za-z])"
                    rf"|(?:{alternation(w for w in words if not w.isascii())})"
                ),
            )
            for name, words in v.changes.items()
        ],
    )
    return made


# ---------------------------------------------------------------- terms


def terms_of(text: str, lang: str, vocabulary: Vocabulary) -> list[Term]:
    """The terms of a piece of text, words for relatives among them."""
    return _chinese(text, vocabulary) if lang == "zh" else _english(text, vocabulary)


def _terms(unit: Unit, vocabulary: Vocabulary) -> list[Term]:
    body = unit.body
    for item in reversed(list(find_quantities(body, unit.lang))):
        body = body[: item.start] + " " * (item.end - item.start) + body[item.end :]
    found = _chinese(body, vocabulary) if unit.lang == "zh" else _english(body, vocabulary)
    if unit.subject == "user":
        return found
    # Words for a relative say whom the clause is about; where the user is, they are what it is about.
    return [term for term in found if term.text not in kin(vocabulary, unit.lang)]


def _english(body: str, vocabulary: Vocabulary) -> list[Term]:
    table = once(vocabulary, "english phrases", phrases)
    gone = [(number.start, number.end) for number in numerals.english(body)]
    words = [
        match
        for match in rx(
            r"[A-Za-z]*\d[\w.\-]*[A-Za-z][\w]*|[A-Za-z]+\d[\w\-]*|[^\W\d_]+-(?=[^\W\d_])|[^\W\d_][^\W\d_'’]*(?:['’][^\W\d_]+)?"
        ).finditer(body)
        if not any(start <= match.start() < end for start, end in gone)
    ]
    lemmas = [lemma(match[0], vocabulary) for match in words]
    out: list[Term] = []
    index = 0
    while index < len(words):
        for size in range(min(PHRASE, len(words) - index), 0, -1):
            marks = table.get(tuple(lemmas[index : index + size]))
            if marks and (size > 1 or words[index][0].lower() not in STOP_WORDS_EN):
                piece = [match[0] for match in words[index : index + size]]
                out.append(_term(" ".join(piece), marks, vocabulary, opens=index == 0))
                index += size
                break
        else:
            word = words[index][0]
            bare = word.lower().replace("’", "'").removesuffix("'s")
            if bare not in STOP_WORDS_EN and bare not in _VAGUE and len(bare) > 1:
                out.append(_term(word, set(), vocabulary, opens=index == 0))
            index += 1
    return [term for term in out if term.text not in _VAGUE]


def _term(text: str, marks: set[str], vocabulary: Vocabulary, *, opens: bool) -> Term:
    own = {f"w:{lemma(word, vocabulary)}" for word in [text] if " " not in text}
    code = rx(r"\d").search(text) is not None
    return Term(text.lower(), frozenset(marks | own), code or (text[:1].isupper() and not opens and not marks))


def _chinese_table(vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Words with a sense, and function words and vague ones, which have none."""
    empty = dict.fromkeys(FUNCTION_ZH.split("|"), frozenset[str]())
    return empty | chinese_words(vocabulary) | dict.fromkeys(_VAGUE_ZH.split("|"), frozenset[str]())


def _chinese(body: str, vocabulary: Vocabulary) -> list[Term]:
    table = once(vocabulary, "chinese terms", _chinese_table)
    pattern = once(vocabulary, "chinese term pattern", lambda _: rx(alternation(table)))
    text = simplified(body)
    for number in reversed(list(numerals.chinese(text))):
        text = text[: number.start] + " " + text[number.end :]
    out: list[Term] = []
    place = 0
    for match in pattern.finditer(text):
        out += _unknown(text[place : match.start()], vocabulary)
        if table[match[0]]:
            out.append(Term(match[0], table[match[0]] | {f"z:{match[0]}"}))
        place = match.end()
    return out + _unknown(text[place:], vocabulary)


def _unknown(text: str, vocabulary: Vocabulary) -> list[Term]:
    """Chinese words that no table has, and Latin words within Chinese."""
    table = once(vocabulary, "english phrases", phrases)
    han = [Term(run, frozenset({f"z:{run}"})) for run in rx(r"[\u4e00-\u9fff]+").findall(text)]
    latin = rx(r"[A-Za-z][\w.+#\-]*").findall(text)
    return han + [_term(word, table.get((lemma(word, vocabulary),), set()), vocabulary, opens=False) for word in latin]


# ---------------------------------------------------------------- comparison


def match(known: Term, new: Term, vocabulary: Vocabulary) -> Match:
    """How a term of the new text relates to one of the known text."""
    if known.marks & new.marks:
        return Match.EQUAL
    mine = {mark[2:] for mark in known.marks if mark.startswith("c:")}
    theirs = {mark[2:] for mark in new.marks if mark.startswith("c:")}
    if any(vocabulary.is_kind_of(narrow, wide) for narrow in theirs for wide in mine):
        return Match.CLOSER
    if any(vocabulary.is_kind_of(narrow, wide) for narrow in mine for wide in theirs):
        return Match.LOOSER
    return _like(known.text, new.text)


def rivals(known: Term, new: Term, vocabulary: Vocabulary) -> bool:
    """True for two of one kind: two towns of a country, two instruments."""
    mine, theirs = ({mark[2:] for mark in term.marks if mark.startswith("c:")} for term in (known, new))
    return any(
        not vocabulary.kinds.get(one, frozenset()).isdisjoint(vocabulary.kinds.get(other, frozenset()))
        for one in mine
        for other in theirs
        if one != other
    )


_PLACE_END = ("边", "市", "省", "县", "区", "镇", "村", "路")


def _like(one: str, other: str) -> Match:
    """Forms of one word: teach and teacher. Chinese words by their characters: the last ones say what it is."""
    if rx(r"[\u4e00-\u9fff]").match(one) and rx(r"[\u4e00-\u9fff]").match(other):
        short, long = sorted((one, other), key=len)
        if len(short) > 1 and long.endswith(short):
            return Match.CLOSER if short == one else Match.LOOSER
        same_place = long.startswith(short) and long[len(short) :] in _PLACE_END
        enough = _common(short, long) >= max(2, -(-2 * len(long) // 3))
        return (
            Match.EQUAL
            if len(short) > 1 and (same_place or (enough and not long.startswith(short)))
            else Match.DIFFERENT
        )
    short, long = sorted((stem(one), stem(other)), key=len)
    alike = short.isalpha() and len(short) >= 5 and long.startswith(short[:-1]) and len(long) - len(short) <= 4
    return Match.EQUAL if alike else Match.DIFFERENT


def _common(short: str, long: str) -> int:
    """The length of the longest run of characters that both share."""
    return max(
        (
            size
            for size in range(len(short), 0, -1)
            for at in range(len(short) - size + 1)
            if short[at : at + size] in long
        ),
        default=0,
    )


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two texts share: pairs of terms with how they relate, and the terms that only one has."""

    shared: tuple[tuple[Term, Term, Match], ...]
    only_known: tuple[Term, ...]
    only_new: tuple[Term, ...]

    @property
    def weight(self) -> float:
        """How much is shared."""
        return sum(min(one.weight, other.weight) for one, other, _ in self.shared)


def overlap(known: Wording, new: Wording, vocabulary: Vocabulary) -> Overlap:
    """Match the terms of two texts. Across languages only terms that both languages know count as missing."""
    shared: list[tuple[Term, Term, Match]] = []
    left: list[Term] = []
    for term in known.terms:
        found = [(other, match(term, other, vocabulary)) for other in new.terms]
        found = [item for item in found if item[1] is not Match.DIFFERENT]
        if found:
            other, how = min(found, key=lambda item: item[1] is not Match.EQUAL)
            shared.append((term, other, how))
        else:
            left.append(term)
    taken = {id(other) for _, other, _ in shared}
    right = [
        term
        for term in new.terms
        if id(term) not in taken and all(match(other, term, vocabulary) is Match.DIFFERENT for other in known.terms)
    ]
    return Overlap(tuple(shared), tuple(left), tuple(right))
