"""The object of a proposal, found in its clause and read by our own rules: words, sums, measures, dates."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re

from mcp_memory_server import limits
from mcp_memory_server.memory.model import Said, Span, Value, ValueType
from mcp_memory_server.memory.perceive import lexicon, quantity
from mcp_memory_server.memory.perceive.lexicon import once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.quantity import local_currency
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import BLOCK
from mcp_memory_server.memory.text import STOP_WORDS_EN
from mcp_memory_server.memory.vocabulary import Predicate, Signs, Vocabulary

_HAN = r"[\u3400-\u9fff]"
_WORD = r"[A-Za-z\u00c0-\u024f0-9][A-Za-z\u00c0-\u024f0-9+#]*(?:['’&./\-][A-Za-z\u00c0-\u024f0-9+#]+)*"
_LEAD = r"(?i)(?:(?:a|an|the|my|our|some|one|of|to|at|in|on|for|with)\s+)+"
_LEAD_ZH = r"(?:我们?的?|了|的|一[个只台把本辆款件家条份]|这[个只台把本辆款件家条份])"
# Chinese words that name nothing themselves.
_EMPTY_ZH = r"(?:别人|大家|这里|那里|这儿|那儿|这个?|那个?|东西|地方|自己|什么|一切)+"
# What an object neither begins nor ends with, what it does not hold, and what a name does not hold either.
_EDGE_ZH = r"[叫了着过的是在把被对跟和也就很又再还我你他她它们个条只台份款碗杯本件辆]"
_START_ZH = rf"{_EDGE_ZH}|早就|已经|一直|一样|来说|从来|经常|非常|特别|相当|实在|真的|比较|所有"
_END_ZH = rf"(?:{_EDGE_ZH}|[里上下中]|早就|已经|一直|来说|非常|特别|相当|实在|真的|比较|最近|现在|目前)$"
_INSIDE_ZH = r"[我你他她咱把被]|了(?!解)"
_NAME_ZH = r"[的是在了着过]"
# Between which words an object may stand where there is neither a mark nor a sign: behind a verb it has two characters.
_BEFORE_ZH = r"(?:[在到是把被对跟和给了的个条只台份款碗杯本件辆门种些]|我|我们|咱们?|也|都|就|很|叫)$"
_VERB_ZH = r"[吃喝碰沾闻看听读学买卖用坐住去玩做养]$"
_AFTER_ZH = r"[了吗吧呢啊呀的是也都就很挺真太超极让给对跟和与或里这那我]|相当|非常|特别|实在|比较|一直|已经|早就"
_OWN = r"(?i)\b(?:i|me|my|mine|we|us|our|you|your)\b"  # an object that holds one is a piece of the sentence
_APART = r"(?i)(?:\b(?:than|instead of|rather than|except(?: for)?|but|unlike|besides|apart from|without|not)\s+(?:(?:the|a|an|my)\s+)?|比起?|除了?|不是|而非|不像)$"


def spans_of(words: str, unit: Unit) -> list[Span]:
    """Where `words` stand in a clause (offsets of the clause): whole words only, whatever their case."""
    parts = words.split()
    if not parts:
        return []
    left = r"(?<![^\W_])" if rx(r"^[^\W_]").match(words) and not rx(_HAN).match(words) else ""
    right = r"(?![^\W_])" if rx(r"[^\W_]$").search(words) and not rx(rf"{_HAN}$").search(words) else ""
    # Made of a model's words, so that it is not kept in the cache of the rules' patterns.
    pattern = re.compile(left + r"\s+".join(map(re.escape, parts)) + right, re.IGNORECASE)
    return [Span(*match.span()) for match in pattern.finditer(unit.text)]


def persons_in(text: str, lang: str, vocabulary: Vocabulary) -> bool:
    """Whether a text has a word for a person or a group, whoever's it is."""
    found = once(
        vocabulary,
        ("role words", lang),
        lambda v: (lexicon.english if lang == "en" else lexicon.chinese)(v.mapping(lang, "roles")),
    )
    return found.search(text) is not None


def words_value(
    kind: ValueType, span: Span, unit: Unit, sign: Span, vocabulary: Vocabulary
) -> tuple[Value, Span] | None:
    """The object in the words used; None where the words are cut out of a longer phrase, or name nothing."""
    span = _trimmed(span, unit)
    words = span.of(unit.text)
    if not words or len(words) > limits.REFINER_VALUE_CHARS or BLOCK in words or "[" in words:
        return None
    if rx(_APART).search(unit.text[: span.start]) or persons_in(words, unit.lang, vocabulary):
        return None
    whole = _whole_zh if rx(_HAN).search(words) else _whole_en
    if not whole(kind, span, unit, sign):
        return None
    return Value(kind, words), span


def _trimmed(span: Span, unit: Unit) -> Span:
    """Without times at its edges, articles at its front, marks around it."""
    start, end = span.start, span.end
    changed = True
    while changed and start < end:
        before = (start, end)
        for when in unit.times:
            first, last = when.start - unit.start, when.end - unit.start
            if first < end <= last:
                end = max(start, first)
            if first <= start < last:
                start = min(end, last)
        piece = unit.text[start:end]
        lead = rx(_LEAD).match(piece) or rx(_LEAD_ZH).match(piece)
        start += lead.end() if lead else 0
        piece = unit.text[start:end]
        bare = piece.strip(" ,.;:!?、，。；：！？\"'“”‘’()（）-")
        start += piece.find(bare) if bare else len(piece)
        end = start + len(bare)
        changed = before != (start, end)
    return Span(start, end)


def _whole_en(kind: ValueType, span: Span, unit: Unit, sign: Span) -> bool:
    """A phrase from one small word (or sign, or edge) to the next; a name from capital to capital."""
    tokens = [(m.start(), m.end(), m[0]) for m in rx(_WORD).finditer(unit.text)]
    mine = [t for t in tokens if span.start <= t[0] and t[1] <= span.end]
    if not mine or mine[0][0] != span.start or mine[-1][1] != span.end:
        return False
    if _small(mine[0][2]) or _small(mine[-1][2]) or rx(_OWN).search(span.of(unit.text)):
        return False
    before = max((t for t in tokens if t[1] <= span.start), default=None)
    after = min((t for t in tokens if t[0] >= span.end), default=None)
    named = kind is ValueType.ENTITY
    if named and not all(_capital(word) or word in _LINKS for _, _, word in mine):
        return False
    times = [Span(when.start - unit.start, when.end - unit.start) for when in unit.times]
    for token, gap in (
        (before, (before[1], span.start) if before else None),
        (after, (span.end, after[0]) if after else None),
    ):
        if token is None or gap is None or unit.text[gap[0] : gap[1]].strip():
            continue  # an edge of the clause, or a mark between
        inside = any(one.start <= token[0] < one.end for one in (*times, sign))
        if inside or _small(token[2]):
            continue
        if not named or _capital(token[2]):
            return False
    return True


def _capital(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


_LINKS = frozenset("of the and de da du di van von der den del la le el al upon on sur".split())  # inside a name


def _small(word: str) -> bool:
    return word.lower().replace("’", "'") in STOP_WORDS_EN


def _whole_zh(kind: ValueType, span: Span, unit: Unit, sign: Span) -> bool:
    """Chinese has no spaces: on both sides of the words stands an edge, a mark, a sign, a time, or a word that parts."""
    words = span.of(unit.text)
    if rx(_EMPTY_ZH).fullmatch(words) or rx(_START_ZH).match(words) or rx(_END_ZH).search(words):
        return False
    if rx(_INSIDE_ZH).search(words) or (kind is ValueType.ENTITY and (len(words) < 2 or rx(_NAME_ZH).search(words))):
        return False
    free = [sign, *(Span(when.start - unit.start, when.end - unit.start) for when in unit.times)]
    left, right = unit.text[: span.start], unit.text[span.end :]
    opens = (
        not rx(rf"{_HAN}$").search(left)
        or any(one.end == span.start for one in free)
        or rx(_BEFORE_ZH).search(left) is not None
        or (len(words) > 1 and rx(_VERB_ZH).search(left) is not None)
    )
    closes = (
        not rx(rf"^{_HAN}").search(right)
        or any(one.start == span.end for one in free)
        or rx(_AFTER_ZH).match(right) is not None
    )
    return opens and closes


def number_value(predicate: Predicate, span: Span, unit: Unit, said: Said, signs: Signs) -> Value | None:
    """The one sum or measure that the words name, in canonical form; None where there is none, or more than one."""
    near = [one for one in quantity.find(_timeless(unit), unit.lang) if one.start < span.end and span.start < one.end]
    if len(near) != 1 or not any(char.isalnum() for char in span.of(unit.text)):
        return None
    item = near[0]
    if ValueType.MONEY in predicate.object_types:
        if item.kind == "measure":
            return None
        if signs.period and not item.per:
            return None  # by the year or by the month: the words do not say
        currency = item.unit or local_currency(said.time_zone, unit.lang)
        return item.as_value(currency=currency)
    if item.kind == "money" or (signs.units and item.unit not in signs.units):
        return None
    return item.as_value()


def _timeless(unit: Unit) -> str:
    """The clause with its times blanked, of equal length: the number of a date is no measure."""
    text = unit.text
    for when in unit.times:
        start, end = max(0, when.start - unit.start), max(0, when.end - unit.start)
        text = text[:start] + " " * len(text[start:end]) + text[end:]
    return text
