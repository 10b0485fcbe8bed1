"""The words of the domain as types: what a memory is, what supports it, and the state it is in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """What kind of memory it is."""

    FACT = "fact"
    EVENT = "event"
    UTTERANCE = "utterance"


class Status(StrEnum):
    """Where a memory stands in its life."""

    CURRENT = "current"
    PENDING = "pending"
    DISPUTED = "disputed"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"


class Source(StrEnum):
    """On whose word a memory stands."""

    USER = "user"
    RULE = "rule"
    REFINER = "refiner"  # the user's own words, in which a model saw the fact and our checks confirmed it
    ASSISTANT = "assistant"
    IMPORT = "import"
    CREDENTIAL = "credential"
    REVIEWER = "reviewer"


class Speaker(StrEnum):
    """Who said an utterance."""

    USER = "user"
    ASSISTANT = "assistant"
    OTHER = "other"


class Polarity(StrEnum):
    """Whether a fact affirms or denies."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Layer(StrEnum):
    """The layer a memory lives in; it decides the half-life, never existence."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


class Category(StrEnum):
    """The closed list of categories."""

    IDENTITY = "identity"
    PREFERENCE = "preference"
    HEALTH = "health"
    FINANCE = "finance"
    EDUCATION = "education"
    TRAVEL = "travel"
    WORK = "work"
    RELATIONSHIP = "relationship"
    PLAN = "plan"
    EMOTION = "emotion"
    EVENT = "event"
    OTHER = "other"


class SpeechAct(StrEnum):
    """What an utterance does."""

    ASSERT = "assert"
    CORRECT = "correct"
    RETRACT = "retract"
    ASK = "ask"
    PLAN = "plan"
    COMPLAIN = "complain"
    SMALL_TALK = "small_talk"
    FORGET_REQUEST = "forget_request"


class EventType(StrEnum):
    """The closed list of event types."""

    QUESTION = "question"
    REQUEST = "request"
    FAILURE = "failure"
    PREFERENCE = "preference"
    PROPOSAL = "proposal"
    CONFUSION = "confusion"
    FEEDBACK = "feedback"
    COMPLAINT = "complaint"
    GREETING = "greeting"
    SMALL_TALK = "small_talk"
    DEBUG = "debug"
    APPOINTMENT = "appointment"
    OTHER = "other"


class ValueType(StrEnum):
    """How an object is to be read."""

    TEXT = "text"
    ENTITY = "entity"
    NUMBER = "number"
    MONEY = "money"
    DATE = "date"
    PERIOD = "period"
    BOOLEAN = "boolean"


class Change(StrEnum):
    """How the words relate a fact to what was known before."""

    NONE = "none"
    CHANGED = "changed"  # a change in the world is stated: "I moved", "now", 换成
    CORRECTED = "corrected"  # an earlier statement was wrong: "actually", 说错了
    ENDED = "ended"  # the state is over: "no longer", 不再
    RETRACTED = "retracted"  # the statement is taken back without a new value


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points in a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words in the span."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Value:
    """A typed object. `value` is canonical: ISO 8601, plain decimals, `true`, or the words used."""

    type: ValueType
    value: str
    unit: str | None = None
    scope: str | None = None
    approx: bool = False


@dataclass(frozen=True, slots=True)
class Validity:
    """When a fact is true, each part in the precision said (see `periods`)."""

    valid_from: str | None = None
    valid_to: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A fact that perception found in words, before it is grounded and reconciled.

    `subject` is `user`, a path such as `user.mother`, `other`, or a plain name. `span` is the clause
    of the utterance that says it, in code points of the text perceived.
    """

    subject: str
    predicate: str
    object: Value
    span: Span
    polarity: Polarity = Polarity.POSITIVE
    category: Category = Category.OTHER
    validity: Validity = Validity()
    change: Change = Change.NONE


@dataclass(frozen=True, slots=True)
class CandidateEvent:
    """An event that perception found: a question, failure, complaint, request, appointment…"""

    event_type: EventType
    topic: str
    span: Span
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """What the user wants to be done, with its slots."""

    name: str
    confidence: float
    slots: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sentiment:
    """The feeling that shows in the words; intensity from 0 to 1."""

    label: str = "neutral"
    intensity: float = 0.0


@dataclass(frozen=True, slots=True)
class Said:
    """Words as said, with what is needed to understand them.

    `said_at` is aware; its offset or `time_zone` (an IANA name) gives the local day that relative
    dates count from.
    """

    text: str
    said_at: datetime
    time_zone: str | None = None
    speaker: Speaker = Speaker.USER
    speaker_name: str | None = None


@dataclass(frozen=True, slots=True)
class Perception:
    """All that perception found in one utterance."""

    facts: tuple[CandidateFact, ...] = ()
    events: tuple[CandidateEvent, ...] = ()
    intents: tuple[Intent, ...] = ()
    speech_act: SpeechAct = SpeechAct.ASSERT
    sentiment: Sentiment = Sentiment()


@dataclass(frozen=True, slots=True)
class Mask:
    """A secret or identifier that was masked: offsets of the text as given."""

    kind: str
    start: int
    end: int
    placeholder: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """A text after the guard: `text` is safe to store; `instruction` marks orders to a model."""

    text: str
    masks: tuple[Mask, ...] = ()
    hidden: int = 0
    instruction: bool = False


@dataclass(frozen=True, slots=True)
class Grounding:
    """Whether a statement follows from what was said; `span` of the words that support it."""

    grounded: bool
    reason: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of an utterance that supports a memory."""

    utterance_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory with its life, as the ledger keeps it. Times are aware UTC datetimes.

    `said_at` is when the words were said, `said_offset` the offset they were given with, in minutes.
    `superseded_at` is when we learned that it no longer holds; `invalid_at` when it stopped being so.
    """

    id: str
    user: str
    kind: Kind
    statement: str
    category: Category
    status: Status
    source: Source
    said_at: datetime
    recorded_at: datetime
    confidence: float
    subject: str | None = None
    predicate: str | None = None
    object: Value | None = None
    polarity: Polarity = Polarity.POSITIVE
    validity: Validity = Validity()
    layer: Layer = Layer.EPISODIC
    event_type: EventType | None = None
    count: int = 1
    confirmations: int = 1
    grounded: bool = False
    key: str = ""
    lang: str = "en"
    session: str | None = None
    channel: str | None = None
    agent: str | None = None
    origin: str | None = None
    speaker: Speaker = Speaker.USER
    speaker_name: str | None = None
    said_offset: int = 0
    position: int = 0
    superseded_at: datetime | None = None
    superseded_by: str | None = None
    supported_at: datetime | None = None
    read_at: datetime | None = None  # when recall last showed it, within a week
    sentiment: Sentiment | None = None
    reason: str = ""
    hidden: bool = False  # the user asked not to have it brought up
    version: int = 1
    evidence: tuple[Evidence, ...] = ()
