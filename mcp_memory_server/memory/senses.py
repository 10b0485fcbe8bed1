"""The words of both languages that may say the same: senses, concepts, relatives; by stem or by character."""

from __future__ import annotations

from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import stem
from mcp_memory_server.memory.vocabulary import Vocabulary

PHRASE = 4  # words of the longest phrase that has a sense
KIN = frozenset(
    "mother father parents wife husband partner girlfriend boyfriend grandmother grandfather children child son "
    "daughter brother sister cousin uncle aunt nephew niece".split()
)


def lemma(word: str, vocabulary: Vocabulary) -> str:
    """The stem of the base form of an English word."""
    bare = word.lower().replace("’", "'").removesuffix("'s")
    if bare.endswith("-"):
        return stem(bare[:-1])  # left-handed: no form of leave
    return stem(once(vocabulary, "irregular", lambda v: v.mapping("en", "irregular")).get(bare, bare))


def phrases(vocabulary: Vocabulary) -> dict[tuple[str, ...], set[str]]:
    """English words and phrases by their stems, with their marks."""
    found: dict[tuple[str, ...], set[str]] = {}

    def put(words: str, mark: str) -> None:
        parts = tuple(lemma(word, vocabulary) for word in rx(r"[A-Za-z][A-Za-z'’+#]*").findall(words))
        if parts and words.isascii():
            found.setdefault(parts, set()).add(mark)

    for word in kin(vocabulary, "en"):
        put(word, f"r:{vocabulary.mapping('en', 'roles')[word]}")
    for sense, words in vocabulary.senses.items():
        for word in words:
            put(word, f"s:{sense}")
    for word, concepts in vocabulary.concept_words.items():
        for concept in concepts:
            put(word, f"c:{concept}")
    return found


def kin(vocabulary: Vocabulary, lang: str) -> frozenset[str]:
    """Words for relatives: they say whom a text is about, not what it says."""
    return once(
        vocabulary,
        ("kin", lang),
        lambda v: frozenset(word for word, role in v.mapping(lang, "roles").items() if role in KIN),
    )


def chinese_words(vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Chinese words with their marks."""
    found: dict[str, set[str]] = {}
    for sense, words in vocabulary.senses.items():
        for word in words:
            if not word.isascii():
                found.setdefault(word, set()).add(f"s:{sense}")
    for word, concepts in vocabulary.concept_words.items():
        if rx(r"[\u4e00-\u9fff]").match(word):
            found.setdefault(word, set()).update(f"c:{concept}" for concept in concepts)
    for word in kin(vocabulary, "zh"):
        found.setdefault(word, set()).add(f"r:{vocabulary.mapping('zh', 'roles')[word]}")
    return {word: frozenset(marks) for word, marks in found.items()}


def senses_in(text: str, lang: str, vocabulary: Vocabulary) -> dict[str, set[str]]:
    """The senses that a text has, each with the words (small letters) that have it."""
    found: dict[str, set[str]] = {}
    if lang == "zh":
        table = once(vocabulary, "chinese words", chinese_words)
        pattern = once(vocabulary, "chinese senses", lambda v: rx(alternation(w for w, m in table.items() if m)))
        for match in pattern.finditer(text):
            for mark in table[match[0]]:
                found.setdefault(mark, set()).add(match[0])
        return found
    table_en = once(vocabulary, "english phrases", phrases)
    words = rx(r"[^\W\d_][^\W\d_'’]*(?:['’][^\W\d_]+)?").findall(text)
    lemmas = [lemma(word, vocabulary) for word in words]
    for size in range(1, PHRASE + 1):
        for start in range(len(words) - size + 1):
            for mark in table_en.get(tuple(lemmas[start : start + size]), ()):
                found.setdefault(mark, set()).update(word.lower() for word in words[start : start + size])
    return found
