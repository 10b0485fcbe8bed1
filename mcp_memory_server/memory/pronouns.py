"""Sentences that open with it, he, she, 它, 他, 她: whom they mean is taken from the facts just told.

The pronoun is put back as the words for the person or animal, and the sentence read again. Nothing is guessed:
where two of those who were just spoken of would fit, or none, there is no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_memory_server.memory.model import CandidateFact, Memory, Polarity, Said, Span
from mcp_memory_server.memory.perceive import perceive
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.vocabulary import Vocabulary

_FEMALE = frozenset("mother wife girlfriend grandmother daughter sister aunt niece".split())
_MALE = frozenset("father husband boyfriend grandfather son brother uncle nephew".split())
_THINGS = frozenset(("company", "team", "children", "parents"))
_OPENS = r"(?i)^(?:and |but |so )?(?P<en>it|he|she)(?P<is>['’]s)?(?= )|^(?P<zh>[它他她])(?!们)"


def opens_with_one(text: str) -> bool:
    """True when a text begins with a pronoun of the third person."""
    return rx(_OPENS).search(text) is not None


def resolve(said: Said, session: Sequence[Memory], vocabulary: Vocabulary) -> tuple[CandidateFact, ...]:
    """The facts of a sentence about somebody whom only `session` names: facts told just before, newest first."""
    opening = rx(_OPENS).search(said.text)
    if not opening:
        return ()
    word = (opening["en"] or opening["zh"]).lower()
    fitting = dict.fromkeys(path for memory in session for path in _paths(memory, vocabulary) if _fits(word, path))
    named = {path for path in fitting if ":" in path}
    paths = [path for path in fitting if not any(other.startswith(f"{path}:") for other in named)]
    if len(paths) != 1:
        return ()
    lang = language(said.text)
    phrase = _phrase(paths[0], lang, session, vocabulary)
    if not phrase:
        return ()
    verb = " is" if opening["is"] else ""
    whole = said.text[: opening.start()] + phrase + verb + said.text[opening.end() :]
    found = perceive(replace(said, text=whole), vocabulary).facts
    role = paths[0].partition(":")[0]
    span = Span(0, len(said.text))
    return tuple(replace(fact, span=span, subject=paths[0]) for fact in found if fact.subject.partition(":")[0] == role)


def _paths(memory: Memory, vocabulary: Vocabulary) -> Iterator[str]:
    """The subject paths of those that a fact tells of beside the user."""
    subject = memory.subject or ""
    if subject.startswith("user.") and subject.removeprefix("user.").partition(":")[0] not in _THINGS:
        yield subject
    if memory.object is None or memory.polarity is Polarity.NEGATIVE or subject != "user":
        return
    if memory.predicate == "has_pet":
        name = _pet_name(memory)
        yield f"user.pet:{name}" if name else "user.pet"
    if memory.predicate == "family_member":
        for lang in ("en", "zh"):
            role = vocabulary.mapping(lang, "roles").get(memory.object.value.lower())
            if role:
                yield f"user.{role}"


def _pet_name(memory: Memory) -> str:
    named = rx(r"\b(?:called|named)\s+([A-Z][\w'’-]+)|(?:名叫|叫做?)\s*([\u4e00-\u9fff]{1,4}|[A-Z][a-z]+)").search(
        memory.statement
    )
    return (named[1] or named[2]) if named else ""


def _fits(word: str, path: str) -> bool:
    role = path.removeprefix("user.").partition(":")[0]
    if word in ("it", "它"):
        return role == "pet"
    if word in ("she", "她"):
        return role not in _MALE
    return role not in _FEMALE


def _phrase(path: str, lang: str, session: Sequence[Memory], vocabulary: Vocabulary) -> str:
    """The words for a person or animal by which a rule knows them again."""
    role, _, name = path.removeprefix("user.").partition(":")
    if role == "pet":
        word = next(
            (m.object.value for m in session if m.predicate == "has_pet" and m.object),
            "pet" if lang == "en" else "宠物",
        )
    else:
        word = next((word for word, other in vocabulary.mapping(lang, "roles").items() if other == role), "")
    if not word:
        return ""
    return f"My {word} {name}".strip() if lang == "en" else f"我家{word}"
