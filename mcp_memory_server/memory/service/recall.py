"""`recall`: understand the question, gather candidates under the tenancy, rank, cut, explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, TooLargeError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory import names, periods
from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.ports import Hit, LedgerUnit, MemoryFilter, Vector, VectorHits
from mcp_memory_server.memory.recall import Scored, Signals, chosen, collapsed, held_at, known_at, rank
from mcp_memory_server.memory.service.budget import fit
from mcp_memory_server.memory.service.context import Context, utterances_of
from mcp_memory_server.memory.text import is_blank, language, query_tokens, visible
from mcp_memory_server.memory.view import JsonObject, best_match, brief, citation, full

LANGUAGES = ("en", "zh")
_FILTERED_CANDIDATES = 1_000  # hits asked of each index when a filter will drop many
_NEIGHBOURED = 60  # text hits whose neighbours become candidates too
_RELATED = 8  # linked facts shown beside the answer
_PAST = frozenset({Status.SUPERSEDED, Status.EXPIRED, Status.ARCHIVED})


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The arguments of `recall`, absent ones None."""

    query: str
    limit: int = limits.RECALL_LIMIT_DEFAULT
    max_chars: int = limits.MAX_CHARS_DEFAULT
    category: str | None = None
    kind: str = "any"
    event_type: str | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    known_at: str | None = None
    include: str = "current"
    session: str | None = None
    detail: str = "brief"


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a request, resolved."""

    since: datetime | None
    until: datetime | None
    as_of: datetime | None
    known_at: datetime | None


def recall(context: Context, principal: Principal, request: RecallRequest) -> JsonObject:
    """The memories that answer a question, best first, with the words that support them.

    Raises InvalidArgumentError, TooLargeError, UnavailableError, StoreNewerError.
    """
    times = _check(context, request)
    degraded: list[str] = []
    vectors = _query_vectors(context, request.query, degraded)
    with context.backend.store.read(principal.tenancy) as unit:
        ranked = search(context, principal, unit, request, times, vectors, degraded)
        picked = chosen(ranked, request.limit)
        return _answer(context, unit, request, picked, len(ranked), degraded)


def _check(context: Context, request: RecallRequest) -> Times:
    if is_blank(request.query):
        raise InvalidArgumentError("query: is empty", next_step="Ask a question, or use list_memories")
    if len(request.query) > limits.QUERY_CHARS:
        raise TooLargeError(f"query: at most {limits.QUERY_CHARS} characters", next_step="Shorten it")
    zone = context.zone(None)
    return Times(
        context.moment(request.since, "since", zone),
        context.moment(request.until, "until", zone),
        context.moment(request.as_of, "as_of", zone),
        context.moment(request.known_at, "known_at", zone),
    )


def _query_vectors(context: Context, query: str, degraded: list[str]) -> dict[str, Vector]:
    """The question as a vector for the documents of each language; none while the model is not there."""
    if context.embedder is None or not context.embedder.ready():
        degraded.append("vectors")
        return {}
    lang = language(query)
    try:
        first = context.embedder.query(query, lang, LANGUAGES[0])
    except UnavailableError:
        degraded.append("vectors")
        return {}
    return dict.fromkeys(LANGUAGES, first)


def search(
    context: Context,
    principal: Principal,
    unit: LedgerUnit,
    request: RecallRequest,
    times: Times,
    vectors: dict[str, Vector],
    degraded: list[str],
) -> list[Scored]:
    """All candidates that may be shown, ranked; a fact and its utterance are one."""
    narrow = any((request.category, request.event_type, times.since, times.until)) or request.kind != "any"
    count = _FILTERED_CANDIDATES if narrow or times.as_of or times.known_at else limits.CANDIDATES
    tenancy, back = principal.tenancy, context.backend
    text_hits = back.text_index.search(tenancy, query_tokens(request.query), count, unit)
    vector_hits = _vector_hits(context, principal, unit, vectors, count, degraded)
    entities = unit.entities(names.spans(request.query))
    graph_hits = back.graph_index.neighbours(tenancy, list(entities), limits.GRAPH_HOPS, limits.GRAPH_NEIGHBOURS, unit)
    ids = [hit.memory_id for hit in text_hits]
    ids += [hit.memory_id for found in vector_hits.values() for hit in found.hits]
    ids += [hit.memory_id for hit in graph_hits]
    around = _around(unit, text_hits, ids)
    ids += [one for pair in around.values() for one in pair if one]
    memories = unit.get(ids)
    shown = [m for m in memories.values() if _matches(m, request, times) and _stands(m, request, times)]
    shown = _without_dead_utterances(unit, shown, request, times)
    shown = _mentionable(shown, request.query)
    standard = {lang: context.embedder.standard(lang) for lang in vector_hits} if context.embedder else {}
    signals = Signals(
        request.query,
        text_hits,
        vector_hits,
        standard,
        graph_hits,
        around,
        request.session,
        {memory.id: context.strength(memory) for memory in shown},
    )
    ranked = [item for item in rank(shown, signals) if item.score > 0]
    return collapsed(ranked) if request.kind == "any" else ranked


def _vector_hits(
    context: Context,
    principal: Principal,
    unit: LedgerUnit,
    vectors: dict[str, Vector],
    count: int,
    degraded: list[str],
) -> dict[str, VectorHits]:
    if context.embedder is None or not vectors:
        return {}
    index, tenancy, model = context.backend.vector_index, principal.tenancy, context.embedder.model
    try:
        found = {lang: index.search(tenancy, model, lang, vector, count, unit) for lang, vector in vectors.items()}
        if not any(hits.hits for hits in found.values()) and index.models(tenancy, unit):
            degraded.append("vectors")  # there are vectors, but of another model: they are never mixed
    except UnavailableError:
        degraded.append("vectors")
        return {}
    return found


def _around(unit: LedgerUnit, text_hits: Sequence[Hit], ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
    """Neighbours of every candidate, and of the neighbours of the best text hits."""
    around = unit.around(ids)
    best = {hit.memory_id for hit in text_hits[:_NEIGHBOURED]}
    known = set(ids)
    more = [one for owner, pair in around.items() if owner in best for one in pair if one and one not in known]
    return around | unit.around(more) if more else around


def _matches(memory: Memory, request: RecallRequest, times: Times) -> bool:
    if request.kind != "any" and memory.kind.value != request.kind:
        return False
    if request.category and memory.category.value != request.category:
        return False
    if request.event_type and (memory.event_type is None or memory.event_type.value != request.event_type):
        return False
    return (times.since is None or memory.said_at >= times.since) and (
        times.until is None or memory.said_at < times.until
    )


def _stands(memory: Memory, request: RecallRequest, times: Times) -> bool:
    """Whether the status of a memory lets it be shown: now, or at the moment asked about."""
    if times.known_at is not None and not known_at(memory, times.known_at):
        return False
    if times.as_of is not None:
        return memory.status is not Status.ARCHIVED and _held(memory, times.as_of)
    if times.known_at is not None:
        return memory.status is not Status.ARCHIVED
    if request.include == "history":
        return memory.status in _PAST or memory.kind is Kind.UTTERANCE
    return request.include == "all" or memory.status not in _PAST


def _held(memory: Memory, moment: datetime) -> bool:
    """Whether a memory was true at `moment`; without a stated start it holds since it was said."""
    if memory.kind is not Kind.FACT:
        return memory.said_at <= moment
    begins, ends = memory.said_at, None
    if memory.validity.valid_from and (edges := periods.bounds(memory.validity.valid_from)):
        begins = edges[0]
    if memory.validity.valid_to and (edges := periods.bounds(memory.validity.valid_to)):
        ends = edges[1]
    if memory.status is Status.SUPERSEDED and ends is None and memory.superseded_at is not None:
        ends = memory.superseded_at
    return held_at(memory, moment, begins, ends)


def _without_dead_utterances(
    unit: LedgerUnit, memories: list[Memory], request: RecallRequest, times: Times
) -> list[Memory]:
    """Drop utterances all of whose facts are superseded or retracted, unless history is asked for."""
    if request.include in ("history", "all"):
        return memories
    facts = unit.facts_of([memory.id for memory in memories if memory.kind is Kind.UTTERANCE])
    kept = []
    for memory in memories:
        own = [fact for fact in facts.get(memory.id, ()) if fact.kind is Kind.FACT]
        asked = times.as_of is not None or times.known_at is not None
        if not own or any(_stands(fact, request, times) if asked else fact.status not in _PAST for fact in own):
            kept.append(memory)
    return kept


def _mentionable(memories: Iterable[Memory], query: str) -> list[Memory]:
    """What the user asked not to have brought up stays out, unless the question names its subject."""
    folded = visible(query).casefold()
    return [memory for memory in memories if not memory.hidden or _names(folded, memory)]


def _names(folded_query: str, memory: Memory) -> bool:
    about = [memory.object.value] if memory.object else []
    if memory.subject and memory.subject != "user":
        about.append(memory.subject.rsplit(".", 1)[-1].rsplit(":", 1)[-1])
    return any(visible(word).casefold() in folded_query for word in about if word)


def _answer(
    context: Context,
    unit: LedgerUnit,
    request: RecallRequest,
    picked: Sequence[Scored],
    total: int,
    degraded: list[str],
) -> JsonObject:
    memories = [item.memory for item in picked]
    utterances = utterances_of(unit, memories)
    terms = tuple(piece for token in query_tokens(request.query) for piece in (token,))
    shown = [_view(context, request, item, utterances, terms) for item in picked]
    answer: dict[str, Any] = {
        "recall_id": context.ids.new("r", context.clock.now()),
        "memories": shown,
        "related": _related(context, unit, memories),
        "total_matches": total,
        "truncated": False,
        "degraded": list(dict.fromkeys(degraded)),
        "open_questions": [
            {
                "id": question.id,
                "text": question.text,
                "memory_ids": list(question.memory_ids),
                "answers": list(question.answers),
            }
            for question in unit.questions([memory.id for memory in memories])
        ]
        if memories
        else [],
        "suggestions": [],
    }
    return fit(answer, request.max_chars, ("related", "memories"))


def _view(
    context: Context,
    request: RecallRequest,
    item: Scored,
    utterances: dict[str, Memory],
    terms: tuple[str, ...],
) -> JsonObject:
    memory = item.memory
    if request.detail == "full":
        out = full(memory, utterances, context.strength(memory))
    else:
        out = brief(memory, utterances, around=best_match(memory.statement, terms))
    out["score"] = round(item.score, 4)
    quoted = replace(memory, statement=out["statement"])
    evidence = out.get("evidence")
    if evidence and memory.kind is Kind.UTTERANCE:
        # The quote of an utterance is the part that is shown: the whole would be the text twice.
        evidence["quote"] = out["statement"]
    out["citation"] = citation(quoted, evidence, language(request.query))
    if request.detail == "full":
        out["why"] = _why(item)
    return out


def _why(item: Scored) -> JsonObject:
    why: JsonObject = {}
    if item.vector_rank:
        why["vector_rank"] = item.vector_rank
    if item.text_rank:
        why["text_rank"] = item.text_rank
    if item.graph:
        why["graph_path"] = list(item.graph.via)
    if item.memory.validity.at:
        why["time"] = item.memory.validity.at
    return why


def _related(context: Context, unit: LedgerUnit, memories: Sequence[Memory]) -> list[JsonObject]:
    """Facts about the same things as the first answers, that are not among the answers."""
    mentions = unit.mentions([memory.id for memory in memories[:3]])
    entities = list(dict.fromkeys(key for found in mentions.values() for key, _ in found))
    if not entities:
        return []
    from mcp_memory_server.memory.ports import Tenancy

    shown = {memory.id for memory in memories}
    hits = context.backend.graph_index.neighbours(Tenancy(unit.user), entities, 1, limits.GRAPH_NEIGHBOURS, unit)
    linked = unit.get([hit.memory_id for hit in hits if hit.memory_id not in shown][: 4 * _RELATED])
    current = [linked[hit.memory_id] for hit in hits if hit.memory_id in linked]
    current = [memory for memory in current if memory.status is Status.CURRENT and not memory.hidden][:_RELATED]
    return [{"id": memory.id, "statement": memory.statement[:200]} for memory in current]


def matching_ids(unit: LedgerUnit, wanted: MemoryFilter) -> list[str]:
    """Ids of what a filter names, newest first."""
    return unit.ids(wanted, limits.FORGET_MAX)
