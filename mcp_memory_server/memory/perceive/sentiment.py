"""The feeling that shows in the words, with its intensity."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re

from mcp_memory_server.memory.model import Sentiment
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.rx import Rx, rx
from mcp_memory_server.memory.perceive.source import BLOCK
from mcp_memory_server.memory.vocabulary import Vocabulary

_EMOJI = {
    "happy": "😀😃😄😁😆😊🙂😍🥰🥳🎉🎊😎🤩💃🕺❤💕💖😻✨🌟🤗",
    "satisfied": "👍👌🙏😌💯✅",
    "sad": "😢😭😞😔🥺😿💔☹🙁😓😥",
    "frustrated": "😤😩😫🙄😒😑🤦😖😣",
    "angry": "😡😠🤬👿",
}
_FACES = f"[{''.join(_EMOJI.values())}]"
_STRONG_EN = r"(?i)\b(?:so|very|really|extremely|absolutely|totally|completely|incredibly|utterly|beyond|too|such|worst|never|ever|whole|entire|hours|again)\b"
_STRONG_ZH = (
    r"太|特别|非常|超级?|极|十分|简直|死了|透了|爆|到极点|实在|真的|整整|完全|彻底|又|好(?=烦|气|难|想)|谁受得了|!|！"
)
_NOT_EN = r"(?i)\b(?:not|n't|never|no|isn't|wasn't|aren't|don't|without|hardly)(?: \w+){0,2} $"
_NOT_ZH = r"(?:麻|不|没|没有|(?<!特)别|不是|不太|不用|不要)(?:再|那么|怎么|很|太)?$"
_OPPOSITE = {"happy": "sad", "satisfied": "frustrated"}
_BASE = {"happy": 0.6, "satisfied": 0.4, "sad": 0.5, "frustrated": 0.55, "angry": 0.7}


def _pattern(vocabulary: Vocabulary, lang: str) -> Rx:
    def make(vocabulary: Vocabulary) -> Rx:
        words = alternation(vocabulary.mapping(lang, "sentiment"))
        return Rx(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])" if lang == "en" else words, re.IGNORECASE)

    return once(vocabulary, ("sentiment", lang), make)


def feel(text: str, vocabulary: Vocabulary, lang: str) -> Sentiment:
    """The strongest feeling of a prepared text; neutral where none shows.

    A denied happy word counts as its opposite, a denied unhappy one as nothing.
    """
    text = text.replace(BLOCK, " ")
    scores: dict[str, float] = {}
    table = vocabulary.mapping(lang, "sentiment")
    for match in _pattern(vocabulary, lang).finditer(text):
        label = table[match[0].lower()] if match[0].lower() in table else table.get(match[0], "")
        before = text[max(0, match.start() - 24) : match.start()]
        if rx(_NOT_ZH if lang == "zh" else _NOT_EN).search(before):
            label = _OPPOSITE.get(label, "")
        if label:
            scores[label] = scores.get(label, 0.0) + (0.3 if label in scores else _BASE[label])
    for label, faces in _EMOJI.items() if rx(_FACES).search(text) else ():
        count = sum(text.count(face) for face in faces)
        if count:
            scores[label] = scores.get(label, 0.0) + 0.45 + 0.1 * min(count, 3)
    if not scores:
        return Sentiment()
    if "angry" in scores and "frustrated" in scores:
        scores["angry"] += 0.3 * scores["frustrated"]
    if any(label in scores for label in ("sad", "frustrated", "angry")) and "satisfied" in scores:
        scores["satisfied"] *= 0.5  # thanks are often said out of politeness
    label = max(scores, key=lambda name: (scores[name], name))
    strong = (
        len(rx(_STRONG_ZH if lang == "zh" else _STRONG_EN).findall(text))
        + text.count("!")
        + (2 if rx(r"[A-Z]{4,} [A-Z]{3,}").search(text) else 0)
    )
    return Sentiment(label, round(min(1.0, min(scores[label], 0.85) + 0.06 * min(strong, 4)), 2))
