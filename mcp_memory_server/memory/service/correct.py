"""`correct_memory`: the user's verdict on a memory or on an open question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, NotFoundError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Kind, Memory, Source, Status
from mcp_memory_server.memory.ports import LedgerUnit, Question
from mcp_memory_server.memory.projecting import Embedded, embed, inline
from mcp_memory_server.memory.service.changes import Changes
from mcp_memory_server.memory.service.context import Context, utterances_of
from mcp_memory_server.memory.service.drafts import Draft, Drafts, RememberRequest, draft
from mcp_memory_server.memory.upkeep import promoted
from mcp_memory_server.memory.view import JsonObject, brief

VERDICTS = ("replace", "wrong", "confirm", "keep_both", "keep_first", "keep_second", "do_not_mention")
_REVIEWED = ("cli", "dashboard")  # channels in which the person acts without a model in between


@dataclass(frozen=True, slots=True)
class CorrectRequest:
    """The arguments of `correct_memory`, absent ones None."""

    verdict: str
    memory_id: str | None = None
    question_id: str | None = None
    statement: str | None = None
    said: str | None = None


def correct(context: Context, principal: Principal, request: CorrectRequest) -> JsonObject:
    """Apply a verdict; answers like one result of `remember`.

    Raises InvalidArgumentError, NotFoundError, ConflictError, UnavailableError, StoreNewerError.
    """
    _check(request)
    drafts = _drafts(context, principal, request)
    made = [item.memory for item in drafts.facts if item.index == 0] if drafts else []
    made += [drafts.utterance] if drafts and drafts.utterance else []
    vectors = _vectors(context, made)
    with context.backend.store.write(principal.tenancy) as unit:
        changes = Changes(context, principal, unit)
        question = _question(unit, request)
        utterance = drafts.utterance if drafts else None
        if utterance is not None and context.keep_utterances:
            changes.add(utterance)
        if request.verdict.startswith("keep_"):
            outcome, memory, replaced = _keep(changes, question, request.verdict)
        else:
            target = _target(unit, request, question)
            outcome, memory, replaced = _judge(changes, target, request, drafts)
        changes.finish(vectors, "correct", replaced)
        answer: JsonObject = {"outcome": outcome, "replaced": list(replaced)}
        if memory is not None:
            answer["memory"] = brief(memory, utterances_of(unit, [memory]))
    if changes.late:
        context.deferred()
    return answer


def _vectors(context: Context, made: Sequence[Memory]) -> dict[str, Embedded]:
    """Vectors made before the store is locked; what has none waits for the outbox."""
    inside = context.backend.vector_index.transactional
    if not made or not inside or context.embedder is None or not context.embedder.ready():
        return {}
    try:
        return embed(context.embedder, inline(made))
    except UnavailableError:
        return {}


def _check(request: CorrectRequest) -> None:
    if request.verdict not in VERDICTS:
        raise InvalidArgumentError(f"verdict: one of {', '.join(VERDICTS)}")
    if (request.memory_id is None) == (request.question_id is None):
        raise InvalidArgumentError("memory_id: give either memory_id or question_id")
    if request.verdict == "replace" and request.statement is None:
        raise InvalidArgumentError("statement: the verdict replace needs the right statement")
    if request.verdict != "replace" and request.statement is not None:
        raise InvalidArgumentError("statement: goes with the verdict replace only")


def _drafts(context: Context, principal: Principal, request: CorrectRequest) -> Drafts | None:
    if request.statement is None and request.said is None:
        return None
    statements = (request.statement,) if request.statement is not None else ()
    return draft(context, principal, RememberRequest(statements=statements, said=request.said))


def _question(unit: LedgerUnit, request: CorrectRequest) -> Question | None:
    if request.question_id is not None:
        found = [question for question in unit.questions() if question.id == request.question_id]
        if not found:
            raise NotFoundError(
                f"question_id: no open question {request.question_id}", next_step="Read memory://questions"
            )
        return found[0]
    open_ones = unit.questions([request.memory_id or ""])
    return open_ones[0] if open_ones else None


def _target(unit: LedgerUnit, request: CorrectRequest, question: Question | None) -> Memory:
    wanted = request.memory_id or (question.memory_ids[0] if question else "")
    memory = unit.get([wanted]).get(wanted)
    if memory is None:
        raise NotFoundError(f"memory_id: no memory {wanted}", next_step="Take an id from recall or list_memories")
    return memory


def _keep(changes: Changes, question: Question | None, verdict: str) -> tuple[str, Memory | None, tuple[str, ...]]:
    if question is None:
        raise InvalidArgumentError(f"verdict: {verdict} answers an open question, and there is none")
    unit, now = changes.unit, changes.context.clock.now()
    pair = [memory for memory in unit.get(question.memory_ids).values()]
    pair.sort(key=lambda memory: question.memory_ids.index(memory.id))
    unit.answer(question.id, verdict, now)
    if verdict == "keep_both":
        kept = [_current(changes, memory, verdict) for memory in pair]
        return "stored", kept[0] if kept else None, ()
    first = verdict == "keep_first"
    winner, losers = (pair[0], pair[1:]) if first else (pair[-1], pair[:-1])
    kept_memory = _current(changes, winner, verdict)
    for loser in losers:
        changes.supersede(loser, kept_memory, "superseded")
    return "superseded", kept_memory, tuple(memory.id for memory in losers)


def _current(changes: Changes, memory: Memory, action: str) -> Memory:
    """The memory as one that the user has just confirmed."""
    confirmed = replace(
        memory,
        status=Status.CURRENT,
        reason="",
        confidence=max(memory.confidence, limits.GROUNDED_CONFIDENCE),
        confirmations=memory.confirmations + 1,
        layer=promoted(memory.layer, len(memory.evidence), confirmed=True),
        supported_at=changes.context.clock.now(),
    )
    return changes.change(memory, confirmed, action)


def _judge(
    changes: Changes, target: Memory, request: CorrectRequest, drafts: Drafts | None
) -> tuple[str, Memory | None, tuple[str, ...]]:
    if request.verdict == "confirm":
        changes.settle(target.id, "confirm")
        fresh = changes.unit.get([target.id])[target.id]
        return "restated", _current(changes, fresh, "confirmed"), ()
    if request.verdict == "wrong":
        changes.supersede(target, None, "retracted")
        return "retracted", None, (target.id,)
    if request.verdict == "do_not_mention":
        return "restated", _hide(changes, target), ()
    if target.kind is not Kind.FACT:
        raise InvalidArgumentError("memory_id: only a fact can be replaced; what was said stays as it was said")
    stated = next(item for item in drafts.facts if item.index == 0) if drafts else None
    if stated is None:
        raise InvalidArgumentError("statement: the verdict replace needs the right statement")
    return _replace(changes, target, stated)


def _replace(changes: Changes, target: Memory, stated: Draft) -> tuple[str, Memory | None, tuple[str, ...]]:
    memory = stated.memory
    if memory.key == target.key:
        return "restated", _current(changes, target, "confirmed"), ()
    reviewed = memory.channel in _REVIEWED
    memory = replace(
        memory,
        subject=memory.subject or target.subject,
        predicate=memory.predicate or (target.predicate if memory.object else None),
        status=Status.CURRENT,
        reason="",
        source=Source.REVIEWER if reviewed else memory.source,
        grounded=memory.grounded or reviewed,
        confidence=limits.GROUNDED_CONFIDENCE if reviewed else memory.confidence,
        layer=changes.context.half_lives.layer(memory.category),
    )
    added = changes.add(memory)
    changes.supersede(target, added, "superseded")
    return "superseded", added, (target.id,)


def _hide(changes: Changes, target: Memory) -> Memory:
    """The memory and its utterances leave profile, prompt and recall; listings still show them."""
    for utterance in utterances_of(changes.unit, [target]).values():
        if utterance.id != target.id and not utterance.hidden:
            changes.change(utterance, replace(utterance, hidden=True), "hidden")
    return changes.change(target, replace(target, hidden=True), "hidden")
