"""What the domain needs of a refiner, and what may be asked of it: closed lists, made of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.model import Polarity, ValueType
from mcp_memory_server.memory.perceive.lexicon import once
from mcp_memory_server.memory.vocabulary import Predicate, Vocabulary


class Cause(StrEnum):
    """Why a refiner gave nothing that can be used."""

    BUSY = "busy"  # as many questions as are allowed at a time wait already
    PAUSED = "paused"  # it failed several times in a row and is left alone for a while
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    REDIRECT = "redirect"
    STATUS = "status"  # an HTTP status other than 200
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    WRONG_SHAPE = "wrong_shape"  # JSON, but not of the schema that was asked for


class RefinerError(UnavailableError):
    """A refiner that is absent, slow or wrong; the rules stand alone then."""

    def __init__(self, cause: Cause, message: str) -> None:
        super().__init__(message, next_step="Check `refiner.base_url` with `mcp-memory-server doctor`")
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Proposal:
    """One fact as a model proposes it; nothing in it is believed before `check` has found it in the words.

    `quote` are words of the text, `value` those among them that are the object (`true` for a boolean);
    `subject` is `user` or a path such as `user.mother`, without a name.
    """

    quote: str
    subject: str
    predicate: str
    value_type: ValueType
    value: str
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class Choices:
    """The closed lists that a proposal chooses from."""

    subjects: tuple[str, ...]
    predicates: tuple[Predicate, ...]

    @property
    def value_types(self) -> tuple[ValueType, ...]:
        """The types that the predicates take."""
        return tuple(kind for kind in ValueType if any(kind in one.object_types for one in self.predicates))


class Refiner(Protocol):
    """A model that proposes facts about a text."""

    model: str

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        """At most `limits.REFINER_FACTS` proposals about a masked text. Raises RefinerError.

        It may wait as long as its settings allow, so that no transaction may be open around it.
        """
        ...


def choices_of(vocabulary: Vocabulary) -> Choices:
    """What a refiner may choose: predicates whose signs in the words are known, persons by their role."""

    def make(vocabulary: Vocabulary) -> Choices:
        roles = sorted(vocabulary.roles_one | vocabulary.roles_many)
        offered = tuple(one for name, one in vocabulary.predicates.items() if name in vocabulary.signs)
        return Choices(("user", *(f"user.{role}" for role in roles)), offered)

    return once(vocabulary, "refiner choices", make)
