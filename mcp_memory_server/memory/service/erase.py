"""Making a forgetting real: ledger, projections, logs and copies, with a receipt.

In three steps, each of which can be taken up again after a crash: the wish is written down (ids
only), the rows are removed in one transaction, then what engines and copies still keep is cleared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.limits import FORGET_MAX
from mcp_memory_server.memory.indexing import equality_key
from mcp_memory_server.memory.model import Evidence, Kind, Memory, Span
from mcp_memory_server.memory.ports import Backend, Erasure, LedgerUnit, MemoryFilter, Tenancy
from mcp_memory_server.memory.projecting import project, unproject
from mcp_memory_server.memory.redact import Redacted, occurrences, redact
from mcp_memory_server.memory.service.context import Context
from mcp_memory_server.memory.text import language
from mcp_memory_server.memory.view import JsonObject, iso_utc

PLACES = (
    "ledger", "history", "questions", "feedback", "triggers", "graph", "vectors", "text", "outbox",
    "working", "archive", "caches", "log",
)  # fmt: skip
_BACKUP = "backup: "  # a copy that is pending, with its path
_SHORTEST_COPY = 8  # characters of a statement below which other utterances are not searched for it
_READ_ONCE_ABOVE = 20  # memories to forget from which on all utterances are read once, not asked for each
_COPIES = 1_000  # other utterances searched for the words of one memory


@dataclass(slots=True)
class _Plan:
    """What goes, and what is left of the utterances that stay."""

    doomed: dict[str, Memory] = field(default_factory=dict)
    cuts: dict[str, set[Span]] = field(default_factory=lambda: defaultdict(set))
    words: set[str] = field(default_factory=set)
    spoken: dict[str, str] | None = None  # all utterances, read once when many memories go


def erase(context: Context, tenancy: Tenancy, memory_ids: Sequence[str]) -> Erasure:
    """Forget memories for good. What cannot be reached now is `pending` in the receipt."""
    now = context.clock.now()
    wish = Erasure(context.ids.new("e", now), tenancy.user, "requested", tuple(memory_ids), now)
    with context.backend.store.system(write=True) as system:
        system.save_erasure(wish)
    return finish(context, wish, again=False)


def finish(context: Context, erasure: Erasure, *, again: bool = True) -> Erasure:
    """Carry out or complete a forgetting; safe to repeat. `again`: it may have been begun before."""
    tenancy = Tenancy(erasure.user)
    context.recalls.settle(context.backend.store, context.clock.now())  # written later they would name what is gone
    with context.backend.store.write(tenancy) as unit:
        gone, rewritten = _remove(context.backend, unit, context.model, erasure.memory_ids, erasure, context)
        unit.audit(context.clock.now(), "forget", erasure.id, sorted(gone))
        copied = _archive_work(context, unit, [*gone, *rewritten], again=again)
        left = bool(unit.ids(MemoryFilter(), 1))
    ids = tuple(dict.fromkeys([*erasure.memory_ids, *gone]))
    done = replace(erasure, memory_ids=ids)
    pending = [
        *_clear_outside(context, done),
        *_clear_archive(context, tenancy, [*ids, *copied], left=left),
        *_clear_copies(context, done),
    ]
    if not _scrubbed(context):
        pending.append("log: another process still reads; `maintain` finishes it")
    try:
        shredded = context.backend.store.shred(tenancy)
    except MemoryServerError:
        shredded = False
        pending.append("key: it could not be destroyed; `maintain` finishes it")
    if shredded:  # and with the key, what copies hold of this user, wherever they were moved to
        pending = [place for place in pending if not place.startswith(_BACKUP)]
    finished = None if pending else context.clock.now()
    done = replace(
        done,
        state="pending" if pending else "done",
        finished_at=finished,
        places=(*PLACES, "key") if shredded else PLACES,
        pending=tuple(pending),
    )
    with context.backend.store.system(write=True) as system:
        system.save_erasure(done)
    context.deferred()  # utterances that lost words wait for a new vector
    return done


def _scrubbed(context: Context) -> bool:
    try:
        return context.backend.store.scrub()
    except MemoryServerError:
        return False


def _clear_outside(context: Context, erasure: Erasure) -> list[str]:
    """Forget at once in the projections that have no part in the ledger's transaction.

    The outbox holds the same work: it is done again should a projector have brought something back meanwhile.
    """
    tenancy, pending = Tenancy(erasure.user), []
    for index in (context.backend.text_index, context.backend.vector_index, context.backend.graph_index):
        if not index.transactional:
            try:
                index.delete(tenancy, erasure.memory_ids)
            except MemoryServerError:
                pending.append(f"{index.name}: it does not answer; `maintain` finishes it")
    return pending


def _archive_work(context: Context, unit: LedgerUnit, memory_ids: Sequence[str], *, again: bool) -> list[str]:
    """Put the archive's part into the outbox; answers which copies are not what they should be now.

    They are removed at once too. The outbox does it again, since a copy may be on its way there at this moment,
    and writes what was only rewritten. What an earlier try has rewritten still waits in it.
    """
    if context.archive is None:
        return []
    unit.defer(memory_ids, context.archive.name)
    return unit.deferred(context.archive.name) if again else list(memory_ids)


def _clear_archive(context: Context, tenancy: Tenancy, memory_ids: Sequence[str], *, left: bool) -> list[str]:
    """Forget at once in the archive; of a user of whom nothing is left, whatever else lies there goes too."""
    archive = context.archive
    if archive is None:
        return []
    try:
        if left:
            archive.delete(tenancy, memory_ids)
        else:
            archive.purge(tenancy)
    except MemoryServerError:
        return [f"{archive.name}: it does not answer; `maintain` finishes it"]
    return []


def _clear_copies(context: Context, erasure: Erasure) -> list[str]:
    """Forget in every backup that is still known; what cannot be reached is named."""
    with context.backend.store.system() as system:
        paths = system.backups()
    pending = []
    for path in paths:
        try:
            with context.backend.store.copy(path) as copy, copy.store.write(Tenancy(erasure.user)) as unit:
                _remove(copy, unit, context.model, erasure.memory_ids, erasure, context)
        except MemoryServerError:
            pending.append(f"{_BACKUP}{path}")
    return pending


def _remove(
    backend: Backend,
    unit: LedgerUnit,
    model: str | None,
    memory_ids: Sequence[str],
    erasure: Erasure,
    context: Context,
) -> tuple[list[str], list[str]]:
    """Remove memories and what they replaced, and take their words out of the utterances that stay.

    Answers the ids of what is gone and of what was rewritten.
    """
    plan = _Plan()
    _doom(unit, plan, unit.get(memory_ids).values())
    redacted = _redact(unit, plan)
    rewritten = _rewrite(backend, unit, model, plan, redacted)
    gone = list(plan.doomed)
    unit.remove(gone, erasure.id, context.clock.now())
    unproject(backend, unit, gone)  # after the ledger, which takes a memory's work out of the outbox
    return gone, rewritten


def _doom(unit: LedgerUnit, plan: _Plan, memories: Iterable[Memory]) -> None:
    """Add memories, the chain of what they superseded, and what rests on nothing else."""
    waiting = [memory for memory in memories if memory.id not in plan.doomed]
    while waiting:
        plan.doomed.update({memory.id: memory for memory in waiting})
        ids = [memory.id for memory in waiting]
        follow = unit.get(unit.superseded_by(ids))
        resting = unit.facts_of([memory.id for memory in waiting if memory.kind is Kind.UTTERANCE])
        for memory in (one for found in resting.values() for one in found):
            if all(item.utterance_id in plan.doomed for item in memory.evidence):
                follow[memory.id] = memory
        for memory in waiting:
            _cut(unit, plan, memory)
        waiting = [memory for memory in follow.values() if memory.id not in plan.doomed]


def _cut(unit: LedgerUnit, plan: _Plan, memory: Memory) -> None:
    """Note where the words of a memory stand in utterances."""
    for item in memory.evidence:
        plan.cuts[item.utterance_id].add(Span(item.start, item.end))
    if memory.kind is Kind.EVENT:
        return
    plan.words.add(memory.statement)
    if len(memory.statement) >= _SHORTEST_COPY:
        for utterance_id, text in _copies(unit, plan, memory.statement):
            plan.cuts[utterance_id].update(occurrences(text, memory.statement))


def _copies(unit: LedgerUnit, plan: _Plan, words: str) -> list[tuple[str, str]]:
    """Other utterances that hold the same words."""
    if len(plan.doomed) <= _READ_ONCE_ABOVE:
        return [(other.id, other.statement) for other in unit.containing(words, _COPIES)]
    if plan.spoken is None:
        ids = unit.ids(MemoryFilter(kinds=(Kind.UTTERANCE,)), FORGET_MAX * 10)
        plan.spoken = {one: memory.statement for one, memory in unit.get(ids).items()}
    return [(one, text) for one, text in plan.spoken.items() if one not in plan.doomed and words in text]


def _redact(unit: LedgerUnit, plan: _Plan) -> dict[str, tuple[Memory, Redacted]]:
    """The utterances that stay, as they read afterwards; those with nothing left are doomed too."""
    out: dict[str, tuple[Memory, Redacted]] = {}
    waiting = [one for one in plan.cuts if one not in plan.doomed]
    while waiting:
        present = unit.get(waiting)
        for utterance in present.values():
            found = redact(utterance.statement, plan.cuts[utterance.id])
            if found.is_empty:
                _doom(unit, plan, [utterance])  # may add cuts elsewhere
            out[utterance.id] = (utterance, found)
        # Look again at what got new cuts; evidence on utterances that are gone already is passed over.
        waiting = [
            one
            for one in plan.cuts
            if one not in plan.doomed and one not in waiting and (one not in out or _is_stale(plan, out[one]))
        ]
    return {one: found for one, found in out.items() if one not in plan.doomed}


def _is_stale(plan: _Plan, known: tuple[Memory, Redacted]) -> bool:
    return redact(known[0].statement, plan.cuts[known[0].id]) != known[1]


def _rewrite(
    backend: Backend,
    unit: LedgerUnit,
    model: str | None,
    plan: _Plan,
    redacted: dict[str, tuple[Memory, Redacted]],
) -> list[str]:
    """Write the utterances that stay, and move or drop the evidence of everything else on them."""
    changed: dict[str, Memory] = {}
    for utterance, found in redacted.values():
        changed[utterance.id] = replace(
            utterance, statement=found.text, key=equality_key(found.text), lang=language(found.text)
        )
    touched = {*redacted, *(one for one, memory in plan.doomed.items() if memory.kind is Kind.UTTERANCE)}
    resting = {m.id: m for found in unit.facts_of(sorted(touched)).values() for m in found if m.id not in plan.doomed}
    for memory in resting.values():
        changed[memory.id] = _without(memory, plan, redacted)
    for memory in changed.values():
        unit.update(memory)
    fresh = list(changed.values())
    if fresh:
        tenancy = Tenancy(unit.user)
        if backend.vector_index.transactional:
            backend.vector_index.delete(tenancy, [memory.id for memory in fresh], unit)
        project(backend, unit, model, fresh, unit.mentions([memory.id for memory in fresh]), {})
    return list(changed)


def _without(memory: Memory, plan: _Plan, redacted: dict[str, tuple[Memory, Redacted]]) -> Memory:
    """A memory that stays, without the words that go."""
    evidence = []
    for item in memory.evidence:
        if item.utterance_id in plan.doomed:
            continue
        if item.utterance_id in redacted:
            moved = redacted[item.utterance_id][1].moved(Span(item.start, item.end))
            if moved is None and memory.kind is not Kind.EVENT:
                continue
            moved = moved or Span(0, len(redacted[item.utterance_id][1].text))
            item = Evidence(item.utterance_id, moved.start, moved.end)
        evidence.append(item)
    statement = memory.statement
    if memory.kind is Kind.EVENT and evidence:
        latest = redacted.get(evidence[-1].utterance_id)
        statement = latest[1].text if latest else statement
    elif any(words and words in statement for words in plan.words) and memory.object is not None:
        # It was said in the very words that go: its content is kept in the words of the vocabulary.
        statement = f"{memory.subject} {memory.predicate} {memory.object.value}"
    return replace(memory, evidence=tuple(evidence), statement=statement, key=_key_of(memory, statement))


def _key_of(memory: Memory, statement: str) -> str:
    return memory.key if statement == memory.statement or memory.kind is Kind.EVENT else equality_key(statement)


def receipt_view(erasure: Erasure) -> JsonObject:
    """A receipt as the contract shows it."""
    out: JsonObject = {
        "id": erasure.id,
        "state": erasure.state,
        "requested_at": iso_utc(erasure.requested_at),
        "places": list(erasure.places),
        "pending": list(erasure.pending),
    }
    if erasure.finished_at:
        out["finished_at"] = iso_utc(erasure.finished_at)
    return out
