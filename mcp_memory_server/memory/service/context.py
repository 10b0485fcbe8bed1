"""What every use case is given: the back end, the model, the policy, the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mcp_memory_server import limits
from mcp_memory_server.clock import Clock
from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.decay import HalfLives, strength
from mcp_memory_server.memory.feedback import FeedbackWeights, usefulness
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.links import LinkRule, Suggestion
from mcp_memory_server.memory.model import Evidence, Kind, Memory
from mcp_memory_server.memory.periods import parse_moment
from mcp_memory_server.memory.personal import Binding, PromptRule
from mcp_memory_server.memory.ports import Backend, Embedder, LedgerUnit, MemoryFilter
from mcp_memory_server.memory.refining.port import Refiner
from mcp_memory_server.memory.rendering import Renderer
from mcp_memory_server.memory.service.recalls import PendingRecalls
from mcp_memory_server.memory.triggers import TriggerRule
from mcp_memory_server.memory.upkeep import Rules
from mcp_memory_server.memory.view import JsonObject, brief, full
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(slots=True)
class Context:
    """The parts that use cases work with; wired once, in `bootstrap`.

    `embedder` is None when vectors are switched off. `deferred` is called when work waits in the outbox;
    `was_read` takes a user and the memories just shown; `wait_for_model` returns when the model is loaded, or
    nobody is loading it, or the seconds are over.
    """

    backend: Backend
    embedder: Embedder | None
    vocabulary: Vocabulary
    half_lives: HalfLives
    clock: Clock
    ids: Ids
    time_zone: str
    language: str
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    prompt_rules: tuple[PromptRule, ...] = ()
    keep_utterances: bool = True
    refiner: Refiner | None = None  # asked where rules cover less than `refiner_share` of what was said
    refiner_share: float = limits.REFINER_SHARE
    feedback: FeedbackWeights = field(default_factory=FeedbackWeights)
    links: tuple[LinkRule, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    triggers: tuple[TriggerRule, ...] = ()
    renderer: Renderer | None = None
    archive: Archive | None = None  # copies of archived memories; fed by the outbox
    recalls: PendingRecalls = field(default_factory=PendingRecalls)
    deferred: Callable[[], None] = lambda: None
    was_read: Callable[[str, Sequence[str]], None] = lambda _user, _ids: None
    wait_for_model: Callable[[float], None] = lambda _seconds: None
    rules: Rules = field(init=False)  # what upkeep goes by

    def __post_init__(self) -> None:
        single = frozenset(predicate.name for predicate in self.vocabulary.predicates.values() if predicate.single)
        self.rules = Rules(self.half_lives, single)

    @property
    def model(self) -> str | None:
        """The id of the embedding model, None when vectors are off."""
        return self.embedder.model if self.embedder else None

    def zone(self, name: str | None) -> tzinfo:
        """The zone by name, or the default. Raises InvalidArgumentError."""
        try:
            return ZoneInfo(name or self.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise InvalidArgumentError(
                f"time_zone: {name!r} is no IANA time zone", next_step="Use a name such as Europe/Paris"
            ) from error

    def moment(self, text: str | None, field: str, zone: tzinfo) -> datetime | None:
        """An ISO 8601 argument as an aware datetime. Raises InvalidArgumentError naming the field."""
        if text is None:
            return None
        try:
            return parse_moment(text, zone)
        except ValueError as error:
            raise InvalidArgumentError(
                f"{field}: {text!r} is no ISO 8601 time",
                next_step="Use a form such as 2026-05-31T10:00:00+08:00",
            ) from error

    def strength(self, memory: Memory) -> float:
        """How much the memory counts now."""
        return strength(memory, self.clock.now(), self.half_lives)


def utterances_of(unit: LedgerUnit, memories: Iterable[Memory]) -> dict[str, Memory]:
    """The utterances that memories rest on, by id."""
    known = {memory.id: memory for memory in memories if memory.kind is Kind.UTTERANCE}
    wanted = {item.utterance_id for memory in memories for item in memory.evidence} - set(known)
    return known | unit.get(sorted(wanted))


def newest(unit: LedgerUnit, wanted: MemoryFilter, limit: int) -> list[Memory]:
    """The newest memories that match. A page would also count the others, which takes longer the more there are."""
    ids = unit.ids(wanted, limit)
    found = unit.get(ids)
    return [found[one] for one in ids]


def views(context: Context, unit: LedgerUnit, memories: Sequence[Memory], detail: str = "brief") -> list[JsonObject]:
    """Memories as the contract shows them."""
    utterances = utterances_of(unit, memories)
    if detail == "full":
        tallies = unit.tallies([memory.id for memory in memories])
        weight = {memory.id: usefulness(tallies.get(memory.id), context.feedback) for memory in memories}
        return [full(memory, utterances, context.strength(memory) * weight[memory.id]) for memory in memories]
    return [brief(memory, utterances) for memory in memories]


def spans_of(memory: Memory, utterance_id: str) -> list[Evidence]:
    """The evidence of a memory in one utterance."""
    return [item for item in memory.evidence if item.utterance_id == utterance_id]
