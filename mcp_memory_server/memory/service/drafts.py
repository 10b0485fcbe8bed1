"""From a call of `remember` to drafts: guarded, perceived and grounded, before anything is written."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, TooLargeError, TooManyError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory import pronouns
from mcp_memory_server.memory.ellipsis import complete, tells_a_change
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard_all
from mcp_memory_server.memory.indexing import SELF, equality_key
from mcp_memory_server.memory.model import (
    CandidateFact,
    Category,
    Change,
    Evidence,
    Guarded,
    Kind,
    Memory,
    Perception,
    Said,
    Source,
    Span,
    Speaker,
    SpeechAct,
    Status,
)
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from mcp_memory_server.memory.ports import MemoryFilter
from mcp_memory_server.memory.refining.check import same
from mcp_memory_server.memory.service.context import Context, newest
from mcp_memory_server.memory.service.refine import Refined, refine
from mcp_memory_server.memory.text import clean, is_blank, language

_log = logging.getLogger(__name__)
_RECENT = 40  # facts that an utterance may lean on
_JUST_NOW = timedelta(minutes=30)  # for how long a pronoun may mean who was spoken of


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """The arguments of `remember`, absent ones None."""

    statements: tuple[str, ...] = ()
    said: str | None = None
    said_by: Speaker = Speaker.USER
    said_by_name: str | None = None
    category: Category | Literal["auto"] = "auto"
    occurred_at: str | None = None
    time_zone: str | None = None
    session: str | None = None
    origin: str | None = None


@dataclass(slots=True)
class Draft:
    """A fact that may be stored. `index` is that of the statement; None: only the rules found it."""

    memory: Memory
    candidate: CandidateFact | None
    index: int | None = None
    change: Change = Change.NONE

    @property
    def held(self) -> bool:
        """Whether it waits for the user's confirmation."""
        return self.memory.status is Status.PENDING


@dataclass(slots=True)
class Drafts:
    """What one call is about to write."""

    request: RememberRequest
    said_at: datetime
    offset: int
    utterance: Memory | None = None
    guarded: Guarded | None = None
    perception: Perception = field(default_factory=Perception)
    facts: list[Draft] = field(default_factory=list)
    refined: Refined | None = None  # what a refiner did; None: there is none, or it was not asked


def check(request: RememberRequest) -> None:
    """Raises InvalidArgumentError, TooManyError or TooLargeError, naming the field."""
    if not request.statements and request.said is None:
        raise InvalidArgumentError("statements: give statements, or the user's words in said, or both")
    if len(request.statements) > limits.STATEMENTS:
        raise TooManyError(f"statements: at most {limits.STATEMENTS}", next_step="Send the rest in another call")
    for index, statement in enumerate(request.statements):
        if is_blank(statement):
            raise InvalidArgumentError(f"statements[{index}]: is empty")
        if len(statement) > limits.STATEMENT_CHARS:
            raise TooLargeError(
                f"statements[{index}]: at most {limits.STATEMENT_CHARS} characters",
                next_step="Split it into facts, or give the words as said",
            )
    if request.said is not None and is_blank(request.said):
        raise InvalidArgumentError("said: is empty")
    if request.said is not None and len(request.said) > limits.SAID_CHARS:
        raise TooLargeError(f"said: at most {limits.SAID_CHARS} characters", next_step="Split it")


def draft(context: Context, principal: Principal, request: RememberRequest) -> Drafts:
    """Guard, perceive and ground the words of one call. Raises like `check`."""
    check(request)
    zone = context.zone(request.time_zone)
    said_at = context.moment(request.occurred_at, "occurred_at", zone)
    if said_at is None:
        said_at = context.clock.now().astimezone(zone).replace(microsecond=0)
    offset = said_at.utcoffset()
    out = Drafts(request, said_at, round(offset.total_seconds() / 60) if offset else 0)
    texts = [clean(text)[0] for text in ([request.said] if request.said else []) + list(request.statements)]
    guarded = guard_all(texts)
    if request.said is not None:
        out.guarded = guarded.pop(0)
        _draft_said(context, principal, out)
    for index, statement in enumerate(guarded):
        _draft_statement(context, principal, out, index, statement)
    _refine(context, principal, out)
    return out


def _base(context: Context, principal: Principal, drafts: Drafts, kind: Kind, statement: str) -> Memory:
    """A memory with the provenance of this call."""
    request, now = drafts.request, context.clock.now()
    return Memory(
        id=context.ids.new("u" if kind is Kind.UTTERANCE else "m", now),
        user=principal.user,
        kind=kind,
        statement=statement,
        key=equality_key(statement),
        category=Category.OTHER if request.category == "auto" else request.category,
        status=Status.CURRENT,
        source=Source.USER if request.said_by is Speaker.USER else Source.ASSISTANT,
        said_at=drafts.said_at,
        said_offset=drafts.offset,
        recorded_at=now,
        confidence=1.0,
        lang=language(statement),
        session=request.session,
        channel=principal.channel,
        agent=principal.agent,
        origin=request.origin,
        speaker=request.said_by,
        speaker_name=request.said_by_name,
    )


def _draft_said(context: Context, principal: Principal, drafts: Drafts) -> None:
    guarded, request = drafts.guarded, drafts.request
    if guarded is None:
        return
    said = _said(drafts)
    drafts.perception = _perceived(said, context)
    utterance = replace(
        _base(context, principal, drafts, Kind.UTTERANCE, guarded.text),
        sentiment=drafts.perception.sentiment if drafts.perception.sentiment.label != "neutral" else None,
        grounded=True,
    )
    if guarded.instruction:
        utterance = replace(utterance, status=Status.PENDING, reason="instruction")
    drafts.utterance = utterance
    if guarded.instruction or request.origin or request.said_by is Speaker.ASSISTANT:
        return  # such words are kept, and make no fact
    for candidate in _completed(context, principal, said, drafts):
        drafts.facts.append(_found(context, principal, drafts, utterance, candidate, Source.RULE))


def _found(
    context: Context, principal: Principal, drafts: Drafts, utterance: Memory, candidate: CandidateFact, source: Source
) -> Draft:
    """A fact that was found in the words said: its clause is the statement."""
    memory = replace(
        _base(context, principal, drafts, Kind.FACT, candidate.span.of(utterance.statement)),
        source=source,
        confidence=limits.RULE_CONFIDENCE if source is Source.RULE else limits.REFINER_CONFIDENCE,
        grounded=True,
        evidence=(Evidence(utterance.id, candidate.span.start, candidate.span.end),),
    )
    return Draft(_typed(memory, candidate, drafts.request), candidate, change=candidate.change)


def _refine(context: Context, principal: Principal, drafts: Drafts) -> None:
    """Add what a refiner sees in words of the user that rules and statements left untouched."""
    utterance = drafts.utterance
    if context.refiner is None or utterance is None or utterance.status is not Status.CURRENT:
        return
    if drafts.request.origin or drafts.request.said_by is not Speaker.USER:
        return
    grounded = [item for item in drafts.facts if item.memory.grounded]
    spans = [Span(e.start, e.end) for item in grounded for e in item.memory.evidence]
    known = [item.candidate for item in grounded if item.candidate is not None]
    drafts.refined = refine(context, _said(drafts), drafts.perception, known, spans)
    for candidate in drafts.refined.facts if drafts.refined else ():
        drafts.facts.append(_found(context, principal, drafts, utterance, candidate, Source.REFINER))


def _perceived(said: Said, context: Context) -> Perception:
    """What the rules find. A rule that fails must not lose what the user said: it is kept without facts."""
    try:
        return perceive(said, context.vocabulary)
    except Exception:  # noqa: BLE001 - whatever goes wrong in a rule, the words are kept
        _log.exception("perception failed on a text of %d characters", len(said.text))
        return Perception()


def _completed(context: Context, principal: Principal, said: Said, drafts: Drafts) -> tuple[CandidateFact, ...]:
    """The facts of the utterance, with those that lean on what was said just before ("no, I mean 1.4")."""
    perception = drafts.perception
    pronoun = not perception.facts and pronouns.opens_with_one(said.text)
    leans = pronoun or perception.speech_act is SpeechAct.CORRECT or tells_a_change(said.text)
    if not perception.facts and not leans:
        return ()
    wanted = MemoryFilter(kinds=(Kind.FACT,), statuses=(Status.CURRENT, Status.DISPUTED))
    with context.backend.store.read(principal.tenancy) as unit:
        recent = newest(unit, wanted, _RECENT)
    here = [memory for memory in recent if memory.session == drafts.request.session]
    facts = complete(perception, said, here or recent, context.vocabulary)
    if pronoun and not facts:
        just_told = [memory for memory in here if abs(said.said_at - memory.said_at) <= _JUST_NOW]
        return pronouns.resolve(said, just_told, context.vocabulary)
    return facts


def _said(drafts: Drafts) -> Said:
    request = drafts.request
    return Said(
        drafts.guarded.text if drafts.guarded else "",
        drafts.said_at,
        request.time_zone,
        request.said_by,
        request.said_by_name,
    )


def _typed(memory: Memory, candidate: CandidateFact, request: RememberRequest) -> Memory:
    """The memory with what perception knows of it."""
    subject = candidate.subject
    if subject == "other" and request.said_by_name:
        subject = request.said_by_name
    return replace(
        memory,
        subject=subject,
        predicate=candidate.predicate,
        object=candidate.object,
        polarity=candidate.polarity,
        validity=candidate.validity,
        category=candidate.category if request.category == "auto" else request.category,
    )


def _draft_statement(context: Context, principal: Principal, drafts: Drafts, index: int, guarded: Guarded) -> None:
    request = drafts.request
    candidate = perceive_statement(guarded.text, drafts.said_at, request.time_zone, context.vocabulary)
    memory = _base(context, principal, drafts, Kind.FACT, guarded.text)
    if candidate is not None:
        memory = _typed(memory, candidate, request)
    memory, span = _stand(context, drafts, memory, guarded)
    twin = _twin(drafts, candidate)
    if span is None and twin is not None and memory.grounded:
        span = twin.candidate.span if twin.candidate else None
    if memory.grounded and drafts.utterance is not None:
        where = span or Span(0, len(drafts.utterance.statement))
        memory = replace(memory, evidence=(Evidence(drafts.utterance.id, where.start, where.end),))
    change = candidate.change if candidate else Change.NONE
    if twin is not None:
        drafts.facts.remove(twin)  # found both ways is one result
        change = twin.change if change is Change.NONE else change
    drafts.facts.append(Draft(memory, candidate, index, change))


def _twin(drafts: Drafts, candidate: CandidateFact | None) -> Draft | None:
    """The fact of the rules that says the same as a statement."""
    if candidate is None:
        return None
    for other in drafts.facts:
        found = other.candidate
        if other.index is None and found is not None and same(found, candidate):
            return other
    return None


def _stand(context: Context, drafts: Drafts, memory: Memory, guarded: Guarded) -> tuple[Memory, Span | None]:
    """On whose word a statement stands: confidence, source, status, and the words that support it."""
    request = drafts.request
    about_user = memory.subject is None or memory.subject.split(".")[0] == SELF
    if guarded.instruction:
        return _pending(memory, "instruction"), None
    if request.origin:
        return _pending(memory, "untrusted_origin"), None
    if request.said_by is not Speaker.USER and about_user:
        return _pending(memory, "not_said_by_user"), None
    if drafts.utterance is None:
        unverified = replace(memory, source=Source.ASSISTANT, confidence=limits.UNVERIFIED_CONFIDENCE, grounded=False)
        return unverified, None
    found = ground(guarded.text, _said(drafts), context.vocabulary)
    if not found.grounded:
        return _pending(memory, found.reason or "not_supported"), found.span
    return replace(memory, confidence=limits.GROUNDED_CONFIDENCE, grounded=True), found.span


def _pending(memory: Memory, reason: str) -> Memory:
    return replace(
        memory,
        status=Status.PENDING,
        source=Source.ASSISTANT,
        confidence=limits.UNVERIFIED_CONFIDENCE,
        grounded=False,
        reason=reason,
    )
