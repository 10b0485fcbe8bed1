"""Names in a text: the entities that the graph connects memories by.

A name is a capitalised word or run of words, an identifier, a quoted title, or Latin words inside
Chinese text. Nothing is guessed about what kind of thing it names.
"""

from __future__ import annotations

import re
import unicodedata

from mcp_memory_server.memory.text import STOP_WORDS_EN, key, simplified, visible

_MAX_NAMES = 12  # names taken from one text
_WORD = r"[^\W\d_][\w'’.&+-]*"
_CAPITALISED = re.compile(
    r"(?:(?<=\s)|(?<=^)|(?<=[(\"“'‘]))[A-ZÀ-ÖØ-Þ][\w'’&+-]*(?:\s+(?:of|de|von|van|der|la)?\s*[A-ZÀ-ÖØ-Þ0-9][\w'’&+-]*)*"
)
_IDENTIFIER = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?![\w-])|(?<![\w])[A-Z]{2,}[0-9]*(?![\w])")
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]{2,60})[”\"」』》]")
_HAN = "\u3400-\u9fff"
_LATIN_IN_HAN = re.compile(
    rf"[A-Za-z][\w.+#-]*(?:\s[A-Za-z0-9][\w.+#-]*)*(?=\s*[{_HAN}])|(?<=[{_HAN}])\s*[A-Za-z][\w.+#-]*(?:\s[A-Za-z0-9][\w.+#-]*)*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|\n\s*|[\"“(])$")
_ACCENT = re.compile("[\u0300-\u036f]")
_POSSESSIVE = re.compile(r"['’]s?$")
# Words that English capitalises without naming anything that two memories could share.
_COMMON = STOP_WORDS_EN | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december user assistant hi hello hey thanks thank please yes okay ok sure note "
    "today tomorrow yesterday mr mrs ms dr here everyone everybody someone somebody anyone anybody nobody one "
    "everything something nothing".split()
)


def names(text: str) -> list[str]:
    """Distinct names in the order in which they stand, at most a dozen."""
    found: list[tuple[int, str]] = []
    for match in _CAPITALISED.finditer(text):
        found.extend(_capitalised(text, match))
    for pattern in (_IDENTIFIER, _LATIN_IN_HAN):
        found.extend((match.start(), match[0].strip()) for match in pattern.finditer(text))
    found.extend((match.start(1), match[1]) for match in _QUOTED.finditer(text))
    out: dict[str, str] = {}
    for _, name in sorted(found):
        folded = entity_key(name)
        if folded and folded not in _COMMON and len(name) > 1:
            out.setdefault(folded, name)
    return list(out.values())[:_MAX_NAMES]


def _capitalised(text: str, match: re.Match[str]) -> list[tuple[int, str]]:
    """A run of capitalised words, without a common word that only opens the sentence."""
    words = match[0].split()
    start = match.start()
    while words and words[0].casefold().rstrip(".,") in _COMMON:
        start += len(words[0]) + 1
        words.pop(0)
    if not words:
        return []
    opens = bool(_SENTENCE_START.search(text[: match.start()])) and start == match.start()
    # A single word at the start of a sentence is a name only if the sentence goes on as after one.
    owner = bool(_POSSESSIVE.search(words[0]))
    if opens and len(words) == 1 and not owner and not _reads_as_subject(text[match.end() :]):
        return []
    return [(start, _POSSESSIVE.sub("", " ".join(words)))]


_AFTER_NAME = re.compile(
    r"\s*(?:,|and\b|is\b|was\b|has\b|had\b|will\b|can\b|likes?\b|loves?\b|wants?\b|[a-z]+s\b(?!\s+(?:are|were|have)\b))"
)


def _reads_as_subject(rest: str) -> bool:
    return bool(_AFTER_NAME.match(rest))


def entity_key(name: str) -> str:
    """One key for a name whatever its case, width, hyphens, accents, possessive, or form of Chinese characters."""
    folded = key(_POSSESSIVE.sub("", name).replace("-", " ").replace("_", " "))
    return simplified(_ACCENT.sub("", unicodedata.normalize("NFD", folded)))


def spans(text: str, limit: int = 400) -> list[str]:
    """Keys of all short word sequences of a question, to look known entities up by."""
    # A change of script ends a word: Larkspur-12用的 holds the name larkspur 12.
    folded = re.sub(rf"(?<=[{_HAN}])(?=[^{_HAN}\s])|(?<=[^{_HAN}\s])(?=[{_HAN}])", " ", visible(text).casefold())
    folded = re.sub(r"[-_?？。，,!！.;；:：]+(?=\s|$)|[-_]", " ", folded)
    out: dict[str, None] = {}
    words = [_POSSESSIVE.sub("", word) for word in folded.split()]
    for size in (1, 2, 3, 4):
        for start in range(len(words) - size + 1):
            piece = words[start : start + size]
            if size > 1 or piece[0] not in _COMMON:
                out[" ".join(piece)] = None
    for run in re.findall(rf"[{_HAN}]+", folded):
        for size in range(2, 9):
            for start in range(len(run) - size + 1):
                out[run[start : start + size]] = None
    return list(out)[:limit]
