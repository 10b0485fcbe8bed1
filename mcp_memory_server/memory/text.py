"""Text as the memory sees it: clean form, equality key, language, and tokens for full-text search.

What is stored stays verbatim (but for characters that no store can hold); everything here serves
comparison and indexing only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HAN_RUN = re.compile(f"[{_HAN}]+")
_HAN_CHAR = re.compile(f"[{_HAN}]")
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A token is a run of Han, a run of anything else that is neither space nor closing punctuation.
_CHUNK = re.compile(f"[{_HAN}]+|[^\\s{_HAN}]+")
_PIECE = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_SENTENCE_MARKS = ".,;:!?()[]{}<>\"'`“”‘’«»…。，、；：！？（）【】《》「」『』〈〉—–·*_~|\\"
_INNER_NUMBER_MARK = re.compile(r"(?<=\d)[.,:/-](?=\d)")
_KEY_KEEP = frozenset("+#%@&/*-<>=^$?")  # marks that change what a text says: C++, 5%, -3, a question
# Joiners shape emoji and scripts; they are no hiding place when they stand between visible characters.
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")

STOP_WORDS_EN = frozenset(
    "a an and are as at be been being but by can could did do does doing done for from had has have he her hers him "
    "his how i if in into is it its just me my mine no nor not of off on or our ours out over own she should so some "
    "such than that the their theirs them then there these they this those to too under up us very was we were what "
    "when where which while who whom whose why will with would you your yours am about after again all also any "
    "because before between both during each few he'd he'll he's i'd i'll i'm i've isn't it's let's more most "
    "once only other same she's that's there's they're we're what's where's who's won't wouldn't you'd you're "
    "you've don't doesn't didn't aren't wasn't weren't can't couldn't".split()
)
# Interrogatives and particles split a Chinese query; they name nothing that could be looked up.
_ZH_SPLIT = re.compile(
    "什么时候|为什么|怎么样|什么|哪里|哪儿|哪个|哪些|哪种|哪座|哪家|哪|怎么|如何|多少|几个|几点|谁|是不是|有没有|"
    "请问|告诉我|吗|呢|吧|啊|呀|了|的|地|得|着|过|是|在|和|与|跟|把|被|就|都|也|还|很|我们|你们|他们|我|你|您|他|她|它|有"
)
# Prepositions, auxiliaries and adverbs: where a long piece of Chinese is no one word, it ends at these.
_ZH_JOINT = re.compile(
    "[到从去来要想会能给帮让对为向由以及或但而则才又再请比更最太没不这那]|因为|所以|如果|可以|应该|已经|一下|一个"
)
_ZH_WORD_CHARS = 6  # characters that such a piece has at most as one word
# For languages whose bare words mislead a stemmer nothing is done: only English is stemmed.
_EN_WORD = re.compile(r"[a-z]+")


def clean(text: str) -> tuple[str, int]:
    """`text` without what no store can hold, and how many hidden characters it contains.

    NUL and lone surrogates become U+FFFD. Invisible format characters (zero width, bidirectional
    controls, tags: Unicode categories Cf and Cs) are counted and kept, except joiners inside words.
    """
    if not any(map(_noteworthy, set(text))):
        return text, 0
    fixed = []
    hidden = 0
    for char in text:
        category = unicodedata.category(char)
        if char == "\0" or category == "Cs":
            fixed.append("\ufffd")
            hidden += 1
            continue
        if category == "Cf" and char not in _JOINERS:
            hidden += 1
        fixed.append(char)
    return "".join(fixed), hidden


@lru_cache(maxsize=8192)
def _noteworthy(char: str) -> bool:
    """True for the characters at which `clean` must look in their order."""
    return char == "\0" or unicodedata.category(char) in ("Cf", "Cs")


def is_blank(text: str) -> bool:
    """True when nothing visible is in `text` (spaces, controls and format characters only)."""
    return all(unicodedata.category(char)[0] in "ZC" for char in text)


def visible(text: str) -> str:
    """`text` in compatibility form without invisible format characters, for comparison and embedding.

    Control characters become spaces: an embedder may stop at a NUL.
    """
    shown = unicodedata.normalize("NFKC", text)
    return shown if shown.isprintable() else "".join(map(_shown, shown))


@lru_cache(maxsize=8192)
def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") and char not in _JOINERS else char


@lru_cache(maxsize=4096)
def key(text: str) -> str:
    """What two texts share when they differ only in case, width, spacing or sentence punctuation.

    Signs that change the meaning stay: `+ # % @ & / * - $ ?`, and marks between digits.
    """
    folded = visible(text).casefold()
    marks = {match.start() for match in _INNER_NUMBER_MARK.finditer(folded)}
    out = []
    for index, char in enumerate(folded):
        category = unicodedata.category(char)
        if category[0] in "LNMS" or index in marks or char in _KEY_KEEP:
            out.append(char)
        elif category[0] == "Z" or char.isspace() or char in ",;:、，。；：":
            out.append(" ")
    joined = " ".join("".join(out).split())
    return re.sub(f"(?<=[{_HAN}]) | (?=[{_HAN}])", "", joined)


def language(text: str) -> str:
    """`zh` when Han characters carry the text, else `en`."""
    if text.isascii():
        return "en"
    bare, runs = _HAN_RUN.subn(" ", text)
    han = len(text) - len(bare) + runs
    return "zh" if han and han >= len(_LATIN_WORD.findall(bare)) else "en"


def excerpt(text: str, around: Sequence[int], size: int) -> tuple[str, bool]:
    """At most `size` characters of `text` around the first of the offsets given; True when cut."""
    if len(text) <= size:
        return text, False
    centre = around[0] if around else 0
    start = max(0, min(centre - size // 3, len(text) - size))
    piece = text[start : start + size]
    return ("…" if start else "") + piece + ("…" if start + size < len(text) else ""), True


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball (Porter 2) stem of an English word; other words unchanged."""
    if not _EN_WORD.fullmatch(word):
        return word
    # A stemmer works on its own state, so two threads must not share one: each call takes one out of the idle ones.
    try:
        stemmer = _IDLE_STEMMERS.pop()
    except IndexError:
        stemmer = _new_stemmer()
    try:
        return stemmer.stemWord(word)
    finally:
        _IDLE_STEMMERS.append(stemmer)


def _new_stemmer() -> _Stemmer:
    import snowballstemmer

    fresh: _Stemmer = snowballstemmer.stemmer("english")
    return fresh


class _Stemmer:  # the part of snowballstemmer's interface that is used here
    def stemWord(self, word: str) -> str:  # noqa: N802 - the library's name
        raise AssertionError(word)


_IDLE_STEMMERS: list[_Stemmer] = []


@lru_cache(maxsize=1)
def _simplifier() -> dict[int, str]:
    """Single traditional characters to simplified ones, from OpenCC's tables."""
    import opencc

    converter = opencc.OpenCC("t2s")
    chars = "".join(chr(code) for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)))
    return {ord(a): b for a, b in zip(chars, converter.convert(chars), strict=True) if a != b}


@lru_cache(maxsize=8192)
def simplified(text: str) -> str:
    """`text` with traditional characters folded to simplified ones, one by one."""
    return text.translate(_simplifier()) if _HAN_CHAR.search(text) else text


def _chunk_tokens(chunk: str, *, query: bool) -> list[str]:
    if _HAN_CHAR.match(chunk):
        return _han_tokens(chunk, query=query)
    core = chunk.strip(_SENTENCE_MARKS)
    if not core:
        return [chunk] if any(unicodedata.category(c)[0] == "S" for c in chunk) else []
    pieces = [stem(piece.replace("’", "'")) for piece in _PIECE.findall(core)]
    whole = core.replace("’", "'")
    # An identifier such as abc-712, c++ or 50% is a token of its own beside its pieces.
    return pieces if pieces == [whole] or pieces == [stem(whole)] else [*pieces, whole]


def _han_tokens(run: str, *, query: bool) -> list[str]:
    run = simplified(run)
    if len(run) == 1:
        return [run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    # Single characters are indexed too, so that a one-character query finds them.
    return pairs if query else pairs + list(run)


def index_tokens(text: str) -> list[str]:
    """Tokens under which `text` is found: stemmed words, identifiers, Han bigrams and characters."""
    tokens: list[str] = []
    for chunk in _CHUNK.findall(visible(text).casefold()):
        tokens.extend(_chunk_tokens(chunk, query=False))
    return tokens


def query_tokens(text: str) -> list[str]:
    """Distinct tokens to look up for a question; stop words only when there is nothing else."""
    tokens: list[str] = []
    rest: list[str] = []
    for chunk in _CHUNK.findall(visible(text).casefold()):
        if _HAN_CHAR.match(chunk):
            parts = [part for part in _ZH_SPLIT.split(simplified(chunk)) if part]
            for part in parts:
                tokens.extend(_chunk_tokens(part, query=True))
            rest.extend(_chunk_tokens(chunk, query=True))
            continue
        for token in _chunk_tokens(chunk, query=True):
            (rest if token in _stop_stems() else tokens).append(token)
    return list(dict.fromkeys(tokens or rest))


def content_words(text: str) -> list[str]:
    """Words that carry a text, as written, in order, each once; of Chinese what stands between particles."""
    found: dict[str, str] = {}
    for chunk in _CHUNK.findall(visible(text)):
        if _HAN_CHAR.match(chunk):
            for part in _ZH_SPLIT.split(chunk):
                for word in _ZH_JOINT.split(part) if len(part) > _ZH_WORD_CHARS else (part,):
                    if len(word) > 1:
                        found.setdefault(simplified(word[:_ZH_WORD_CHARS]), word[:_ZH_WORD_CHARS])
            continue
        core = chunk.strip(_SENTENCE_MARKS)
        folded = core.casefold().replace("’", "'")
        if len(core) > 1 and folded not in STOP_WORDS_EN:
            found.setdefault(stem(folded), core)
    return list(found.values())


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    return STOP_WORDS_EN | {stem(word) for word in STOP_WORDS_EN}


def identifiers(text: str) -> list[str]:
    """Tokens that name one exact thing: they contain a digit together with a letter or mark, or 3+ digits."""
    found: list[str] = []
    shown = visible(text)
    if not any(map(str.isdigit, shown)):
        return found
    for chunk in _CHUNK.findall(shown.casefold()):
        core = chunk.strip(_SENTENCE_MARKS + "-/#@")
        digits = sum(c.isdigit() for c in core)
        if digits and (digits >= 3 or any(not c.isdigit() for c in core)) and not _HAN_CHAR.match(core):
            found.append(core)
    return found


def parts(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Ranges of at most `size` characters that cover `text`, cut at sentence ends where there are any."""
    if len(text) <= size:
        return [(0, len(text))]
    ranges, start = [], 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            cut = max(
                text.rfind(mark, start + size // 2, end) for mark in (". ", "。", "\n", "! ", "? ", "！", "？", " ")
            )
            end = cut + 1 if cut > start else end
        ranges.append((start, end))
        if end >= len(text):
            break
        start = max(end - overlap, start + 1)
    return ranges
