"""`remember`: from words to memories, one transaction a call and one savepoint a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.errors import MemoryServerError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory import upkeep
from mcp_memory_server.memory.indexing import SELF, equality_key
from mcp_memory_server.memory.model import (
    CandidateEvent,
    CandidateFact,
    Category,
    Evidence,
    Kind,
    Layer,
    Memory,
    Source,
    Speaker,
    SpeechAct,
    Status,
    Validity,
)
from mcp_memory_server.memory.names import entity_key
from mcp_memory_server.memory.occasions import of_same_occasion
from mcp_memory_server.memory.perceive.events import order_free
from mcp_memory_server.memory.ports import LedgerUnit, Question
from mcp_memory_server.memory.projecting import Embedded, embed, inline
from mcp_memory_server.memory.reconcile import (
    Decision,
    Outcome,
    arbitrate,
    question_text,
    reconcile,
    related,
)
from mcp_memory_server.memory.service.changes import Changes
from mcp_memory_server.memory.service.context import Context, utterances_of
from mcp_memory_server.memory.service.drafts import Draft, Drafts, RememberRequest, draft
from mcp_memory_server.memory.service.feedback import is_rejection, reject_latest
from mcp_memory_server.memory.service.forget import propose
from mcp_memory_server.memory.service.refine import NAME as REFINER
from mcp_memory_server.memory.service.resemblance import by_words
from mcp_memory_server.memory.service.triggers import fire, firing_view
from mcp_memory_server.memory.service.upkeep import is_confirmed
from mcp_memory_server.memory.service.working import use
from mcp_memory_server.memory.view import JsonObject, brief, iso_local

_KNOWN = 200  # facts of one subject that a new one is compared with


@dataclass(slots=True)
class Result:
    """What became of one fact."""

    outcome: Outcome
    index: int | None = None
    memory: Memory | None = None
    replaced: tuple[str, ...] = ()
    reason: str = ""
    code: str | None = None
    question: Question | None = None


@dataclass(slots=True)
class _Work:
    """The state of one call inside its transaction."""

    changes: Changes
    drafts: Drafts
    seen: dict[object, Memory] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    events: list[Memory] = field(default_factory=list)

    @property
    def context(self) -> Context:
        return self.changes.context

    @property
    def unit(self) -> LedgerUnit:
        return self.changes.unit


def remember(context: Context, principal: Principal, request: RememberRequest) -> JsonObject:
    """Store what was said and stated; answers what happened to each statement.

    Raises InvalidArgumentError, TooManyError, TooLargeError, UnavailableError, StoreNewerError.
    """
    drafts = draft(context, principal, request)
    vectors = _vectors(context, drafts)
    rejects = _said_by_user(drafts) and is_rejection(drafts.perception.intents)
    if rejects:
        _settle_recalls(context)
    with context.backend.store.write(principal.tenancy) as unit:
        work = _Work(Changes(context, principal, unit), drafts)
        _write_utterance(work)
        for item in drafts.facts:
            work.results.append(_write_safely(work, item))
        _write_events(work)
        fired = fire(work.changes, drafts.utterance, work.events) if drafts.utterance else []
        work.changes.finish(vectors, "remember")
        _use(work, request.session)
        answer = _answer(work) | {"triggers": [firing_view(firing) for firing in fired]}
        if rejects and (rejected := reject_latest(context, principal, unit, request.session, context.clock.now())):
            answer["feedback"] = rejected
    if drafts.perception.speech_act is SpeechAct.FORGET_REQUEST and request.said_by is Speaker.USER:
        own = [work.drafts.utterance, *work.events, *(result.memory for result in work.results)]
        found = propose(context, principal, request.said or "", exclude=own, session=request.session)
        if found:
            answer["forget"] = found
    if work.changes.late or fired:
        context.deferred()
    return answer


def _use(work: _Work, session: str | None) -> None:
    """What this call was about goes into the session's working memory."""
    if session is None:
        return
    touched = [work.drafts.utterance] if work.drafts.utterance and work.context.keep_utterances else []
    touched += [*work.events, *(result.memory for result in work.results if result.memory)]
    use(work.context, work.unit, session, touched, "remember")


def _said_by_user(drafts: Drafts) -> bool:
    """Whether the words are the user's own, from no other source, and give no orders to a model."""
    request, utterance = drafts.request, drafts.utterance
    kept = utterance is not None and utterance.status is Status.CURRENT
    return kept and request.said_by is Speaker.USER and not request.origin


def _settle_recalls(context: Context) -> None:
    """Write the recalls that the words may be about; what is said is stored also where that fails."""
    try:
        context.recalls.settle(context.backend.store, context.clock.now())
    except UnavailableError:
        return


def _vectors(context: Context, drafts: Drafts) -> dict[str, Embedded]:
    """Vectors made before the store is locked: of the utterance and of statements.

    Facts that rules found wait for the outbox: until then their utterance answers for them. So does everything where
    the vectors are kept elsewhere.
    """
    inside = context.backend.vector_index.transactional
    if not inside or context.embedder is None or not context.embedder.ready():
        return {}
    given = [item.memory for item in drafts.facts if item.index is not None]
    utterance = [drafts.utterance] if drafts.utterance and context.keep_utterances else []
    try:
        return embed(context.embedder, inline([*utterance, *given]))
    except UnavailableError:
        return {}  # the outbox makes them when the model answers again


def _write_utterance(work: _Work) -> None:
    utterance = work.drafts.utterance
    if utterance is None or not work.context.keep_utterances:
        return
    for known in work.unit.by_key(utterance.key, Kind.UTTERANCE):
        same = (known.statement, known.speaker, known.session) == (
            utterance.statement,
            utterance.speaker,
            utterance.session,
        )
        if same and known.said_at == utterance.said_at:
            work.drafts.utterance = known  # a retry of the same call
            _repoint(work, utterance.id, known.id)
            return
    if utterance.session is not None:
        utterance = replace(utterance, position=work.unit.next_position(utterance.session))
    work.drafts.utterance = utterance
    work.changes.add(utterance)


def _repoint(work: _Work, old: str, new: str) -> None:
    for item in work.drafts.facts:
        evidence = tuple(Evidence(new, e.start, e.end) if e.utterance_id == old else e for e in item.memory.evidence)
        item.memory = replace(item.memory, evidence=evidence)


def _write_safely(work: _Work, item: Draft) -> Result:
    """One fact in its own savepoint: what fails leaves nothing behind and does not harm the others."""
    fresh, touched, returned = (
        dict(work.changes.fresh), dict(work.changes.touched), dict(work.changes.returned)
    )  # fmt: skip
    try:
        with work.unit.savepoint():
            return _write_fact(work, item)
    except MemoryServerError as error:
        work.changes.fresh, work.changes.touched, work.changes.returned = fresh, touched, returned
        return Result(Outcome.FAILED, item.index, reason=error.message, code=error.code)


def _write_fact(work: _Work, item: Draft) -> Result:
    if (same := _said_already(item)) in work.seen:
        return Result(Outcome.DUPLICATE_IN_CALL, item.index, work.seen[same])
    memory = replace(item.memory, layer=work.context.half_lives.layer(item.memory.category))
    if work.drafts.utterance is not None and memory.session is not None:
        memory = replace(memory, position=work.drafts.utterance.position)
    if not work.context.keep_utterances:
        memory = replace(memory, evidence=())
    memory, candidate = _same_person(work, memory, item.candidate)
    item = replace(item, candidate=candidate)
    known = work.unit.by_key(memory.key, Kind.FACT)
    if memory.subject is not None and memory.predicate is not None:
        predicates = related(memory.predicate, work.context.vocabulary)
        ids = {one.id for one in known}
        known += [m for m in work.unit.by_subject(memory.subject, predicates, _KNOWN) if m.id not in ids]
    said = work.drafts.utterance.statement if work.drafts.utterance else memory.statement
    decision = reconcile(item.candidate, memory.statement, known, work.context.vocabulary, item.change, said)
    if item.index is not None:
        decision = by_words(work.changes, replace(item, memory=memory), decision, known)
    decision = arbitrate(memory, decision, {one.id: one for one in known})
    if decision.outcome is Outcome.STORED and (returned := _from_archive(work, item, memory)):
        work.seen[same] = returned
        return Result(Outcome.RESTATED, item.index, returned, reason="it was archived and is current again")
    result = _apply(work, replace(item, memory=memory), decision, {one.id: one for one in known})
    if result.memory is not None:
        work.seen[same] = result.memory
    return result


def _same_person(work: _Work, memory: Memory, candidate: CandidateFact | None) -> tuple[Memory, CandidateFact | None]:
    """The fact with the spelling under which its subject is known: Zoe is Zoë, 王偉 is 王伟."""
    role, mark, name = (memory.subject or "").rpartition(":")
    if not name or name == SELF or name.startswith(f"{SELF}."):
        return memory, candidate
    known = work.unit.entities([entity_key(name)]).get(entity_key(name), name)
    if known == name or entity_key(known) != entity_key(name):
        return memory, candidate
    subject = f"{role}{mark}{known}"
    return replace(memory, subject=subject), replace(candidate, subject=subject) if candidate else None


def _said_already(item: Draft) -> object:
    """What makes a fact a second one in a call: the same words, and where rules found several in them the same fact."""
    found = item.candidate if item.index is None else None
    return (item.memory.key, found.subject, found.predicate, found.object, found.polarity) if found else item.memory.key


def _apply(work: _Work, item: Draft, decision: Decision, known: dict[str, Memory]) -> Result:
    targets = [known[one] for one in decision.targets if one in known]
    memory = item.memory
    if decision.outcome is Outcome.RESTATED and targets:
        return Result(Outcome.RESTATED, item.index, _support(work, targets[0], memory), reason=decision.reason)
    if decision.outcome is Outcome.RETRACTED:
        for target in targets:
            _retract(work, target, memory)
        return Result(Outcome.RETRACTED, item.index, None, tuple(t.id for t in targets), decision.reason)
    if len(targets) == 1 and memory.predicate is not None:
        memory = of_same_occasion(memory, targets[0], work.context.vocabulary.get(memory.predicate))
        item = replace(item, memory=memory)
    if decision.outcome is Outcome.DISPUTED and targets:
        return _dispute(work, item, targets, decision.reason)
    if decision.outcome is Outcome.PENDING or item.held:
        memory = replace(memory, status=Status.PENDING, reason=decision.reason or memory.reason)
        work.changes.add(memory)
        return Result(Outcome.PENDING, item.index, memory, reason=memory.reason)
    work.changes.add(memory)
    for target in targets:
        work.changes.supersede(target, memory, decision.outcome.value)
    return Result(decision.outcome, item.index, memory, tuple(t.id for t in targets), decision.reason)


def _retract(work: _Work, old: Memory, by: Memory) -> None:
    """What is taken back stops with the moment of speaking, and nothing comes in its place."""
    ends = by.validity.valid_from or iso_local(by.said_at, by.said_offset)
    ended = replace(old, validity=replace(old.validity, valid_to=old.validity.valid_to or ends))
    work.changes.supersede(ended, None, Outcome.RETRACTED.value)


def _support(work: _Work, known: Memory, again: Memory) -> Memory:
    """A new utterance of the user supports a fact, at most once a session; nothing else does."""
    if not _confirms(again) or not again.evidence or not _is_new_occasion(work, known, again):
        return known
    confidence = limits.SUPPORT_OLD_WEIGHT * known.confidence + limits.SUPPORT_NEW_WEIGHT * again.confidence
    status = Status.CURRENT if known.status is Status.PENDING else known.status
    evidence = known.evidence + again.evidence
    supported = replace(
        known,
        status=status,
        layer=_promoted(work, known, evidence),
        reason="" if status is not known.status else known.reason,
        source=known.source if known.grounded else again.source,
        grounded=True,
        confidence=max(known.confidence, confidence),
        confirmations=known.confirmations + 1,
        supported_at=work.context.clock.now(),
        evidence=evidence,
    )
    return work.changes.change(known, supported, "restated", again.evidence[0].utterance_id)


def _confirms(memory: Memory) -> bool:
    """Whether a fact stands on the user's own words of this call."""
    return memory.grounded and memory.speaker is Speaker.USER and memory.status is not Status.PENDING


def _promoted(work: _Work, known: Memory, evidence: Sequence[Evidence]) -> Layer:
    """The layer of a fact with one more mention. History is read only where it can make a difference."""
    may = upkeep.promoted(known.layer, len(evidence), confirmed=True)
    if may is known.layer:
        return may
    confirmed = known.status is Status.PENDING or is_confirmed(work.unit, known.id)
    return upkeep.promoted(known.layer, len(evidence), confirmed)


def _from_archive(work: _Work, item: Draft, memory: Memory) -> Memory | None:
    """An archived fact that the user says again is current again, with all that it stands on.

    What a model says does not bring it back: it is then a new statement on the model's word.
    """
    if not _confirms(memory) or item.held:
        return None
    found = work.unit.archived_by_key(memory.key, Kind.FACT)
    if memory.subject is not None and memory.predicate is not None:
        predicates = related(memory.predicate, work.context.vocabulary)
        ids = {one.id for one in found}
        found += [one for one in work.unit.archived_by_subject(memory.subject, predicates, _KNOWN) if one.id not in ids]
    as_if = [replace(one, status=Status.CURRENT) for one in found]
    decision = reconcile(item.candidate, memory.statement, as_if, work.context.vocabulary, item.change)
    if decision.outcome is not Outcome.RESTATED or not decision.targets:
        return None
    known = next(one for one in found if one.id == decision.targets[0])
    evidence = known.evidence + memory.evidence
    returned = replace(
        known,
        status=Status.CURRENT,
        reason="",
        layer=_promoted(work, known, evidence),
        source=known.source if known.grounded else memory.source,
        grounded=True,
        confidence=max(known.confidence, memory.confidence),
        confirmations=known.confirmations + _is_new_occasion(work, known, memory),
        supported_at=work.context.clock.now(),
        evidence=evidence,
    )
    other = memory.evidence[0].utterance_id if memory.evidence else None
    return work.changes.change(known, returned, "returned", other)


def _is_new_occasion(work: _Work, known: Memory, again: Memory) -> bool:
    """Whether the words come from a session (without one: a day) that has not supported the fact yet."""
    own = {item.utterance_id for item in again.evidence}
    for other in utterances_of(work.unit, [known]).values():
        if other.id in own:
            return False
        if again.session is not None and other.session == again.session:
            return False
        if again.session is None and other.session is None and other.said_at.date() == again.said_at.date():
            return False
    return True


def _dispute(work: _Work, item: Draft, targets: Sequence[Memory], reason: str) -> Result:
    memory = replace(item.memory, status=Status.DISPUTED, reason=reason)
    work.changes.add(memory)
    for target in targets:
        if target.status is not Status.DISPUTED:
            work.changes.change(target, replace(target, status=Status.DISPUTED), "disputed", memory.id)
    now = work.context.clock.now()
    question = Question(
        work.context.ids.new("q", now),
        question_text(memory.statement, targets[0].statement, memory.lang),
        (targets[0].id, memory.id),
        ("keep_first", "keep_second", "keep_both"),
        now,
    )
    work.unit.ask(question)
    return Result(Outcome.DISPUTED, item.index, memory, (), reason, question=question)


def _write_events(work: _Work) -> None:
    """Events of an utterance; the same event again is one with a count."""
    utterance, request = work.drafts.utterance, work.drafts.request
    if utterance is None or utterance.status is not Status.CURRENT or not work.context.keep_utterances:
        return
    if request.said_by is Speaker.ASSISTANT or request.origin:
        return
    for event in work.drafts.perception.events:
        work.events.append(_write_event(work, utterance, event))


def _write_event(work: _Work, utterance: Memory, event: CandidateEvent) -> Memory:
    key = equality_key(f"{event.event_type.value}: {order_free(event.topic)}")
    evidence = Evidence(utterance.id, event.span.start, event.span.end)
    for known in work.unit.by_key(key, Kind.EVENT) or work.unit.archived_by_key(key, Kind.EVENT)[-1:]:
        if any(item.utterance_id == utterance.id for item in known.evidence):
            return known
        again = replace(
            known,
            status=Status.CURRENT,
            count=known.count + 1,
            statement=utterance.statement,
            supported_at=work.context.clock.now(),
            evidence=(*known.evidence, evidence),
            validity=replace(known.validity, at=event.at or known.validity.at),
        )
        changed = work.changes.change(known, again, "again", utterance.id)
        work.changes.fresh[changed.id] = changed  # its words are those of the latest utterance
        return changed
    memory = replace(
        utterance,
        id=work.context.ids.new("m", work.context.clock.now()),
        kind=Kind.EVENT,
        key=key,
        source=Source.RULE,
        category=Category.EVENT,
        event_type=event.event_type,
        validity=Validity(at=event.at),
        confidence=limits.RULE_CONFIDENCE,
        evidence=(evidence,),
    )
    return work.changes.add(memory)


def _answer(work: _Work) -> JsonObject:
    memories = [result.memory for result in work.results if result.memory]
    utterances = utterances_of(work.unit, memories)
    order = sorted(work.results, key=lambda r: (r.index is None, r.index or 0))
    drafts = work.drafts
    answer: dict[str, Any] = {
        "results": [_result_view(result, utterances) for result in order],
        "speech_act": drafts.perception.speech_act.value,
        "intents": [
            {"name": i.name, "confidence": i.confidence, "slots": dict(i.slots)} for i in drafts.perception.intents
        ],
        "sentiment": {
            "label": drafts.perception.sentiment.label,
            "intensity": drafts.perception.sentiment.intensity,
        },
        "masked": [
            {"kind": m.kind, "start": m.start, "end": m.end, "placeholder": m.placeholder}
            for m in (drafts.guarded.masks if drafts.guarded else ())
        ],
        "events": [
            {"id": e.id, "event_type": e.event_type.value if e.event_type else "other", "count": e.count}
            for e in work.events
        ],
        "degraded": [],
    }
    if drafts.refined is not None:
        answer["refiner"] = drafts.refined.view()
        if drafts.refined.failed:
            answer["degraded"].append(REFINER)
    if drafts.utterance is not None and work.context.keep_utterances:
        answer["utterance"] = drafts.utterance.id
    if drafts.guarded and drafts.guarded.hidden:
        answer["hidden_characters"] = drafts.guarded.hidden
    return answer


def _result_view(result: Result, utterances: dict[str, Memory]) -> JsonObject:
    out: JsonObject = {"outcome": result.outcome.value, "replaced": list(result.replaced)}
    if result.index is not None:
        out["statement_index"] = result.index
    if result.code:
        out["code"] = result.code
    if result.reason:
        out["reason"] = result.reason
    if result.memory is not None:
        out["memory"] = brief(result.memory, utterances)
    if result.question is not None:
        out["question"] = question_view(result.question)
    return out


def question_view(question: Question) -> JsonObject:
    """An open question as the contract shows it."""
    return {
        "id": question.id,
        "text": question.text,
        "memory_ids": list(question.memory_ids),
        "answers": list(question.answers),
    }
