"""What the English rules share: objects cut to the shortest phrase, lists taken apart, drafts made."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mcp_memory_server.memory.model import Change, Value
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.english import Frame
from mcp_memory_server.memory.perceive.lexicon import alternation, once, templated
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(frozen=True)
class Context:
    """What a rule may look at beside its frame."""

    vocabulary: Vocabulary
    currency: str
    sentence: str  # the whole sentence, prepared
    text: str = ""  # the whole utterance, prepared

    def words(self, name: str) -> str:
        """A word table as an alternation."""
        return once(self.vocabulary, ("alt", name), lambda v: alternation(v.words("en", name)))

    def rx(self, template: str, flags: int = re.IGNORECASE) -> Rx:
        """The pattern of a template with word tables; see `templated`."""
        return templated(self.vocabulary, "en", template, flags)

    def has(self, name: str, text: str) -> bool:
        """True when the text is one of the words of a table."""
        table = once(self.vocabulary, ("set", name), lambda v: frozenset(v.words("en", name)))
        return text.lower() in table


Rule = Callable[[Frame, Context], Iterator[Draft]]


@lru_cache(maxsize=1)
def _tail() -> Rx:
    return Rx(
        r"(?:\s*[,;]?\s*\b(?:rather than|instead of|because|but|so that|so|since|which|who|that|when|whenever|while|if|as well|as long as|at last|at long last|by now|these days|of late|of mine|too|now|anymore|any more|at all|a lot|very much|"
        r"these days|nowadays|though|right now|at the moment|again|please|either|so much|the most|more than anything|anyway|or something|or so|in case|instead|"
        r"even though|although|except|especially|just like|like my|as of|as a child|for years|for ages|for now|for good|for life|of all|by the way|"
        r"to be honest|to be fair|honestly|lol|then|already|yet|well enough|fluently|every|each|all the time|from time to time|now and then|most of the time)\b.*"
        r"|\s*[,;:!?.]+\s*$|\s+(?:for me|to me|of mine|myself|ourselves|with you)\s*$)",
        re.IGNORECASE,
    )


_LEAD = re.compile(
    r"^(?:(?:a|an|the|my|our|your|his|her|their|its|some|any|this|that|these|those|both|all|just|only|mainly|mostly|such|certain|quite a few|a few|lots of|a lot of|a bit of|a couple of|plenty of|any kind of|all kinds of|eating|drinking)\s+)+",
    re.IGNORECASE,
)


def clean(text: str, *, keep_lead: bool = False) -> str:
    """The shortest phrase: no article or possessive, no trailing clause, adverb or mark."""
    text = patterns.split(r"[,;:!?](?:\s|$)", text.replace("\ufffc", " ").strip(" ,;:"), maxsplit=1)[0]
    text = _tail().sub("", text).strip(" \t,;:.!?\"'()-–—")
    if not keep_lead:
        text = _LEAD.sub("", text)
    return patterns.sub(r"\s+", " ", text).strip()


def items(text: str) -> list[tuple[str, bool]]:
    """The parts of a list with whether each is denied ("but no Spanish"); one part where it is no list."""
    text = (
        patterns.sub(r"\s*,?\s*\b(?:but|and)?\s*(?:not|no|never)\s+(?=\w)", " ¬", text)
        if patterns.search(r"\b(?:but|and) (?:not|no)\b|, (?:not|no) ", text, re.IGNORECASE)
        else text
    )
    found: list[tuple[str, bool]] = []
    for index, chunk in enumerate(text.split("¬")):
        denied = index > 0
        parts = patterns.split(
            r"\s*,\s*(?:and|or|nor|plus)?\s*|\s+(?:and|or|nor|plus|as well as|along with|&)\s*,?\s+|\s*/\s*", chunk
        )
        pieces = [
            patterns.sub(
                r"^(?:also|even|then|sometimes|occasionally|to|of|in|with|at|for|on)\s+",
                "",
                part.strip(" .!?"),
                flags=re.IGNORECASE,
            )
            for part in parts
        ]
        pieces = [
            piece
            for piece in pieces
            if piece
            and not patterns.fullmatch(
                r"(?:\w+ )?\w+ly|etc|so on|such|more|others?|the like|things like that", piece, re.IGNORECASE
            )
        ]
        if len(pieces) > 1 and any(len(piece.split()) > 5 for piece in pieces):
            pieces = pieces[:1]
        found += [(piece, denied) for piece in pieces]
    return found


def each(
    frame: Frame,
    predicate: str,
    text: str,
    *,
    negative: bool | None = None,
    entity: bool = False,
    scope: str = "",
    subject: str | None = None,
    **marks: object,
) -> Iterator[Draft]:
    """A draft for each part of a list."""
    base = frame.negative if negative is None else negative
    text = patterns.split(r"\s(?:because|since|so|although|though|whatever|even)\b", text, maxsplit=1)[0]
    for part, denied in items(text):
        value = clean(part)
        denied = denied or (base and patterns.match(r"(?:only|just|but)\b", part) is not None)
        if good_object(value):
            yield draft(
                frame,
                predicate,
                text_value(value, entity=entity, scope=scope),
                negative=base != denied,
                subject=subject,
                **marks,
            )


def good_object(text: str) -> bool:
    """False for what names nothing: pronouns, fragments, whole clauses."""
    if not text or len(text) > 60 or len(text.split()) > 7:
        return False
    return not patterns.fullmatch(
        r"(?:it|that|this|them|those|these|him|her|me|you|us|one|ones|so|there|here|what|much|more|most|things?|stuff|something|anything|everything|nothing|"
        r"someone|anyone|everyone|people|others?|way|kind|lot|bit|not|too|do|to|of|and|or|in|at|on|for|home|out|up|down|well|sure|fine|ok|okay|i|we|mine|time|both|all|either)(?: one)?",
        text,
        re.IGNORECASE,
    )


def draft(
    frame: Frame,
    predicate: str,
    value: Value,
    *,
    negative: bool | None = None,
    subject: str | None = None,
    **marks: object,
) -> Draft:
    """A draft with the subject, polarity and tense of its frame."""
    denied = frame.negative if negative is None else negative
    change = marks.pop("change", Change.NONE)
    past = marks.pop("past", frame.past)
    begins = marks.pop("begins", frame.started or frame.tense == "perfect")
    ends = marks.pop("ends", frame.ended or frame.used_to)
    if frame.used_to and negative is None:
        denied = not denied
    return Draft(
        subject=frame.path if subject is None else subject,
        predicate=predicate,
        value=value,
        clause=frame.clause,
        negative=denied,
        past=bool(past),
        ends=bool(ends),
        begins=bool(begins),
        change=change if isinstance(change, Change) else Change.NONE,
        **marks,  # type: ignore[arg-type]  # times and timeless, as the callers give them
    )


def is_proper(text: str) -> bool:
    """True when a phrase is a name: its first word that counts has a capital, or it is Chinese."""
    words = [
        word
        for word in patterns.findall(r"[\w'’&.\-]+", text)
        if word.lower() not in ("the", "a", "an", "of", "and", "de", "la")
    ]
    return bool(words) and (
        words[0][:1].isupper()
        or bool(patterns.match(r"[\u4e00-\u9fff]", words[0]))
        or any(c.isupper() for c in words[0])
    )


def place(text: str) -> str:
    """A place as the shortest phrase: no distance, direction or company."""
    text = patterns.sub(
        r"^(?:right |just |far |a bit |somewhere )?(?:in|at|to|near|around|outside|by|from|into|on|over|out|up|down|north of|south of|east of|west of|the middle of)\s+",
        "",
        text.strip(),
        flags=re.IGNORECASE,
    )
    text = patterns.split(
        r"\s(?:with|for|by|on|from|until|till|as|where|together|alone|twice|once|(?:two|three|four|five|\d+|several|many|a few|countless) times|and back|(?=back)|to (?:be|work|study|live|see|visit|meet|join)|because|and (?:i|we|work|have|am|is|was|it|there)|but|near|via|after|before|during|in (?:a|an|the (?!hague)\w+)|working|doing|again|half|most of|part of|all year|full-time|coming|planned|booked|lined|scheduled|of all places)\b",
        text, maxsplit=1, flags=re.IGNORECASE,
    )[0]  # fmt: skip
    return clean(text)


def states(frame: Frame) -> bool:
    """True when a clause states a fact of now or of the past, no plan, order or supposition."""
    return not (frame.would or frame.intends or frame.obliged or frame.imperative)
