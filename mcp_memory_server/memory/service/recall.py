"""`recall`: understand the question, gather candidates under the tenancy, rank, cut, explain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_memory_server import limits
from mcp_memory_server.errors import InvalidArgumentError, TooLargeError, UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory import names, periods
from mcp_memory_server.memory.asking import relatives, understand
from mcp_memory_server.memory.decay import last_sign, outline_strengths
from mcp_memory_server.memory.feedback import usefulness
from mcp_memory_server.memory.links import Link
from mcp_memory_server.memory.micros import DAY, to_micros
from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.noise import is_noise
from mcp_memory_server.memory.ports import GraphHit, Hit, LedgerUnit, MemoryFilter, Outline, Tenancy, Vector, VectorHits
from mcp_memory_server.memory.recall import EXACT_RANK, Scored, Signals, chosen, collapsed, promising, rank
from mcp_memory_server.memory.service.budget import fit
from mcp_memory_server.memory.service.context import Context, utterances_of
from mcp_memory_server.memory.service.linking import chained, suggested
from mcp_memory_server.memory.service.timely import asked_before, in_window
from mcp_memory_server.memory.service.waiting import with_waiting
from mcp_memory_server.memory.signals import Recalled, session_mark
from mcp_memory_server.memory.text import identifiers, index_tokens, is_blank, language, query_tokens, visible
from mcp_memory_server.memory.upkeep import has_ended
from mcp_memory_server.memory.view import JsonObject, best_match, brief, citation, full

LANGUAGES = ("en", "zh")
_READ = 160  # candidates read for one question
_FILTERED_CANDIDATES = 1_000  # hits asked of each index when a filter will drop many
_NEIGHBOURED = 60  # text hits whose neighbours become candidates too
_RELATED = 6  # linked facts shown beside the answer
_RELATED_LOOKED_AT = 30  # linked facts that these are chosen from
_RELATED_TO = 3  # answers whose linked facts are shown
_NEAR = 0.5  # of the best score: what is less of an answer brings no linked facts and suggestions
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
    archive: bool = False  # also what is in the archive; no argument of the tool


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a request, resolved: microseconds UTC."""

    since: int | None
    until: int | None
    as_of: int | None
    known_at: int | None


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
        answer = _answer(context, unit, request, picked, len(ranked), degraded)
    unread = _unread(context, [item.outline for item in picked])
    if unread:
        context.was_read(principal.user, unread)
    if answer["memories"]:
        context.recalls.note(_recalled(context, principal, request, answer))
    return answer


def _recalled(context: Context, principal: Principal, request: RecallRequest, answer: JsonObject) -> Recalled:
    """What feedback needs to know of an answer: which memories it shows."""
    shown = [item["id"] for item in (*answer["memories"], *answer["related"])]
    now = context.clock.now()
    return Recalled(
        answer["recall_id"],
        principal.user,
        now,
        tuple(dict.fromkeys(shown)),
        principal.agent,
        session_mark(request.session),
    )


def _check(context: Context, request: RecallRequest) -> Times:
    if is_blank(request.query):
        raise InvalidArgumentError("query: is empty", next_step="Ask a question, or use list_memories")
    if len(request.query) > limits.QUERY_CHARS:
        raise TooLargeError(f"query: at most {limits.QUERY_CHARS} characters", next_step="Shorten it")
    zone = context.zone(None)

    def resolved(name: str) -> int | None:
        moment = context.moment(getattr(request, name), name, zone)
        return None if moment is None else to_micros(moment)

    return Times(resolved("since"), resolved("until"), resolved("as_of"), resolved("known_at"))


def _query_vectors(context: Context, query: str, degraded: list[str]) -> dict[str, Vector]:
    """The question as a vector for the documents of each language; none while the model is not there."""
    if context.embedder is not None and not context.embedder.ready():
        context.wait_for_model(limits.MODEL_WAIT_SECONDS)
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
    tokens = query_tokens(request.query)
    text_hits = with_waiting(back.text_index, unit, tokens, back.text_index.search(tenancy, tokens, count, unit))
    if request.archive or request.include in ("history", "all"):
        text_hits = (*text_hits, *_archived(unit, tokens, text_hits))
    vector_hits = _vector_hits(context, principal, unit, vectors, count, degraded)
    persons = relatives(request.query, context.vocabulary)
    graph_hits = _graph_hits(context, principal, unit, [*names.spans(request.query), *sorted(persons)], degraded)
    exact = back.text_index.search(tenancy, identifiers(request.query), EXACT_RANK, unit)
    asked = understand(request.query, context.clock.now(), context.time_zone, context.vocabulary)
    questions, timely = asked_before(unit, asked), in_window(unit, asked)
    signals = Signals(
        text=text_hits,
        vectors=vector_hits,
        standard={lang: context.embedder.standard(lang) for lang in vector_hits} if context.embedder else {},
        graph=graph_hits,
        exact=frozenset(hit.memory_id for hit in exact),
        session=request.session,
        relatives=persons,
        questions=frozenset(questions),
        asked=asked,
    )
    likely = promising(signals, _FILTERED_CANDIDATES if count > limits.CANDIDATES else _READ)
    found = unit.outlines(list(dict.fromkeys([*likely, *questions, *timely])))
    around = _around(unit, text_hits, found)
    now = to_micros(context.clock.now())
    # What is known from an utterance stands or falls with it, also before it has a vector of its own.
    resting = unit.resting([one.id for one in found.values() if one.kind == Kind.UTTERANCE])
    found.update({fact.id: fact for _, fact in resting})
    found = {one: _as_of(context, outline, now) for one, outline in found.items()}
    resting = [(one, _as_of(context, fact, now)) for one, fact in resting]
    shown = [one for one in found.values() if _matches(one, request, times) and _stands(one, request, times)]
    shown = _without_dead_utterances(resting, shown, request, times)
    shown = _mentionable(unit, shown, request.query, persons)
    strengths = outline_strengths(shown, now, context.half_lives)
    for one, tally in unit.tallies([one.id for one in shown]).items():
        strengths[one] *= usefulness(tally, context.feedback)
    signals = replace(signals, around=around, strengths=strengths, noisy=_noisy(unit, shown))
    ranked = [item for item in rank(shown, signals) if item.score > 0]
    return collapsed(ranked) if request.kind == "any" else ranked


def _as_of(context: Context, one: Outline, now: int) -> Outline:
    """A memory whose stated end has passed counts as expired, whether or not `maintain` has written it down."""
    return one._replace(status=Status.EXPIRED.value) if has_ended(one, now, context.rules) else one


def _archived(unit: LedgerUnit, tokens: Sequence[str], hits: Sequence[Hit]) -> list[Hit]:
    """What the archive holds for a question about the past: it is in no index, so its words are compared here."""
    wanted = set(tokens)
    memories = unit.get(unit.ids(MemoryFilter(statuses=(Status.ARCHIVED,)), limits.ARCHIVE_SEARCHED))
    shares = {one: len(wanted & set(index_tokens(memory.statement))) for one, memory in memories.items()}
    best = max((hit.score for hit in hits), default=1.0)
    found = [Hit(one, best * share / len(wanted)) for one, share in shares.items() if share]
    return sorted(found, key=lambda hit: (-hit.score, hit.memory_id))[: limits.CANDIDATES]


def _noisy(unit: LedgerUnit, outlines: Sequence[Outline]) -> frozenset[str]:
    """The events among these that happened too often in too short a time."""
    often = {one.id: one.utterances.split() for one in outlines if one.kind == Kind.EVENT}
    often = {one: spoken for one, spoken in often.items() if len(spoken) >= limits.NOISE_TIMES}
    said = unit.outlines(sorted({one for spoken in often.values() for one in spoken}))
    return frozenset(
        one for one, spoken in often.items() if is_noise(said[other].said_at for other in spoken if other in said)
    )


def _unread(context: Context, outlines: Sequence[Outline]) -> list[str]:
    """What was shown and has not been read or repeated for a while: only of that a reading is noted."""
    before = to_micros(context.clock.now()) - limits.READ_NOTED_DAYS * DAY
    return [one.id for one in outlines if last_sign(one) < before]


def _graph_hits(
    context: Context, principal: Principal, unit: LedgerUnit, keys: Sequence[str], degraded: list[str]
) -> tuple[GraphHit, ...]:
    """Facts within two hops of the entities that a question names."""
    named = unit.entities(list(dict.fromkeys(keys)))
    index = context.backend.graph_index
    try:
        return index.neighbours(principal.tenancy, list(named), limits.GRAPH_HOPS, limits.GRAPH_NEIGHBOURS, unit)
    except UnavailableError:
        degraded.append("graph")
        return ()


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


def _around(
    unit: LedgerUnit, text_hits: Sequence[Hit], found: dict[str, Outline]
) -> dict[str, tuple[str | None, str | None]]:
    """Neighbours of every utterance found; those of the best text hits become candidates too."""
    spoken = [one.id for one in found.values() if one.kind == Kind.UTTERANCE and one.session is not None]
    around = unit.around(spoken)
    best = {hit.memory_id for hit in text_hits[:_NEIGHBOURED]}
    more = {one for owner, pair in around.items() if owner in best for one in pair if one and one not in found}
    if not more:
        return around
    found.update(unit.outlines(sorted(more)))
    return around | unit.around(sorted(more))


def _matches(one: Outline, request: RecallRequest, times: Times) -> bool:
    if request.kind not in ("any", one.kind):
        return False
    if request.category not in (None, one.category) or request.event_type not in (None, one.event_type):
        return False
    return (times.since is None or one.said_at >= times.since) and (times.until is None or one.said_at < times.until)


def _stands(one: Outline, request: RecallRequest, times: Times) -> bool:
    """Whether the status of a memory lets it be shown: now, or at the moment asked about."""
    if times.known_at is not None and not (
        one.recorded_at <= times.known_at and (one.superseded_at is None or one.superseded_at > times.known_at)
    ):
        return False
    if times.as_of is not None:
        return one.status != Status.ARCHIVED and _held(one, times.as_of)
    if times.known_at is not None:
        return one.status != Status.ARCHIVED
    if request.include == "history":
        return one.status in _PAST or one.kind == Kind.UTTERANCE
    if request.archive and one.status == Status.ARCHIVED:
        return True
    return request.include == "all" or one.status not in _PAST


def _held(one: Outline, moment: int) -> bool:
    """Whether a memory was true at `moment`; without a stated start it holds since it was said."""
    if one.kind != Kind.FACT:
        return one.said_at <= moment
    begins, ends = one.said_at, None
    if one.valid_from and (edges := periods.bounds(one.valid_from)):
        begins = to_micros(edges[0])
    if one.valid_to and (edges := periods.bounds(one.valid_to)):
        ends = to_micros(edges[1])
    if one.status == Status.SUPERSEDED and ends is None:
        ends = one.superseded_at
    return begins <= moment and (ends is None or ends > moment)


def _without_dead_utterances(
    resting: Sequence[tuple[str, Outline]], outlines: list[Outline], request: RecallRequest, times: Times
) -> list[Outline]:
    """Drop utterances all of whose facts are superseded or retracted, unless history is asked for."""
    if request.include in ("history", "all"):
        return outlines
    asked = times.as_of is not None or times.known_at is not None
    facts: dict[str, list[bool]] = {}
    for utterance_id, fact in resting:
        if fact.kind == Kind.FACT:
            # What is over or has faded was said all the same: only what was taken back or replaced is dead.
            stands = _stands(fact, request, times) if asked else fact.status != Status.SUPERSEDED
            facts.setdefault(utterance_id, []).append(stands)
    return [one for one in outlines if one.id not in facts or any(facts[one.id])]


def _mentionable(unit: LedgerUnit, outlines: list[Outline], query: str, persons: frozenset[str]) -> list[Outline]:
    """What the user asked not to have brought up stays out, unless the question names its subject."""
    hidden = unit.get([one.id for one in outlines if one.hidden])
    if not hidden:
        return outlines
    folded = visible(query).casefold()
    return [one for one in outlines if not one.hidden or _names(folded, hidden[one.id], persons)]


_OWN = re.compile(
    r"(?i)^(?:the user's|my|our) (?P<en>[\w\-]+)"
    r"|^(?:用户|我们?)的?(?P<zh>前?[\u4e00-\u9fff]{1,5}?)(?=以前|曾|现在|已经|去年|今年|[在是有叫住得被做开去说病])"
)


def _names(folded_query: str, memory: Memory, persons: frozenset[str]) -> bool:
    """Whether a question names what a memory tells of: its value, its subject, or whom its words begin with."""
    about = [memory.object.value] if memory.object else []
    if memory.subject and memory.subject != "user":
        role, _, name = memory.subject.rpartition(".")[2].partition(":")
        if role in persons and (not name or visible(name).casefold() not in folded_query):
            return True
        about.append(name or role)
    elif memory.subject is None and (own := _OWN.match(memory.statement)):
        about.append(own["en"] or own["zh"])
    return any(visible(word).casefold() in folded_query for word in about if word)


def _answer(
    context: Context,
    unit: LedgerUnit,
    request: RecallRequest,
    picked: Sequence[Scored],
    total: int,
    degraded: list[str],
) -> JsonObject:
    terms = tuple(query_tokens(request.query))
    found = unit.get([item.id for item in picked])
    for item in picked:
        if item.outline.status == Status.EXPIRED:
            found[item.id] = replace(found[item.id], status=Status.EXPIRED)
    utterances = utterances_of(unit, found.values())
    shown: dict[str, JsonObject] = {}
    for item in picked:
        memory = _fuller(found[item.id], item, utterances, terms)
        if memory.id not in shown:
            shown[memory.id] = _view(context, request, item, memory, utterances, terms)
    memories = [found.get(one) or utterances[one] for one in shown]
    present = request.include == "current" and request.as_of is None and request.known_at is None
    best = max((item.score for item in picked), default=0.0)
    near = {one for item in picked if item.score >= _NEAR * best for one in (item.id, *item.covers)}
    first = [memory for memory in memories[:_RELATED_TO] if memory.id in near]
    linked = chained(context, unit, first) if present else []
    if request.detail == "full":
        for link in linked:
            if link.of.id in shown:
                shown[link.of.id]["links"].append({"id": link.memory.id, "link": link.name})
    answer: dict[str, Any] = {
        "recall_id": context.ids.new("r", context.clock.now()),
        "memories": list(shown.values()),
        "related": _related(context, unit, memories, linked),
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
        if any(memory.status is Status.DISPUTED for memory in memories)
        else [],
        "suggestions": suggested(context, linked, language(request.query)),
    }
    return fit(answer, request.max_chars, ("related", "suggestions", "open_questions", "memories"))


def _fuller(memory: Memory, item: Scored, utterances: dict[str, Memory], terms: tuple[str, ...]) -> Memory:
    """The utterance in the place of its fact, when its words answer more of the question than the fact's clause."""
    best, most = memory, len(set(terms) & set(index_tokens(memory.statement))) if item.covers else 0
    for one in item.covers:
        hits = len(set(terms) & set(index_tokens(utterances[one].statement))) if one in utterances else 0
        if hits > most:
            best, most = utterances[one], hits
    return best


def _view(
    context: Context,
    request: RecallRequest,
    item: Scored,
    memory: Memory,
    utterances: dict[str, Memory],
    terms: tuple[str, ...],
) -> JsonObject:
    if request.detail == "full":
        out = full(memory, utterances, context.strength(memory))
    else:
        out = brief(memory, utterances, around=best_match(memory.statement, terms))
    out["score"] = round(item.score, 4)
    evidence = out.get("evidence")
    if evidence and memory.kind is Kind.UTTERANCE:
        # The quote of an utterance is the part that is shown: the whole would be the text twice.
        evidence["quote"] = out["statement"]
    out["citation"] = citation(memory, out["statement"], evidence, language(request.query))
    if request.detail == "full":
        out["why"] = _why(item, memory)
    return out


def _why(item: Scored, memory: Memory) -> JsonObject:
    why: JsonObject = {}
    if item.vector_rank:
        why["vector_rank"] = item.vector_rank
    if item.text_rank:
        why["text_rank"] = item.text_rank
    if item.graph:
        why["graph_path"] = list(item.graph.via)
    if memory.validity.at:
        why["time"] = memory.validity.at
    return why


def _related(
    context: Context, unit: LedgerUnit, memories: Sequence[Memory], linked: Sequence[Link]
) -> list[JsonObject]:
    """Facts that rules join to the first answers, then those about the same things; none that is an answer itself."""
    known = {memory.id for memory in memories}
    out: dict[str, JsonObject] = {}
    for link in linked:
        if link.memory.id not in known:
            line = {"id": link.memory.id, "statement": link.memory.statement[:200], "link": link.name, "of": link.of.id}
            out.setdefault(link.memory.id, line)
    index, first = context.backend.graph_index, [memory.id for memory in memories[:_RELATED_TO]]
    try:
        ids = index.linked(Tenancy(unit.user), first, _RELATED_LOOKED_AT, unit)
    except UnavailableError:
        ids = ()
    around = unit.get([one for one in ids if one not in known][: _RELATED + 4])
    for memory in (around[one] for one in ids if one in around):
        if memory.status is Status.CURRENT and not memory.hidden:
            out.setdefault(memory.id, {"id": memory.id, "statement": memory.statement[:200]})
    return list(out.values())[:_RELATED]
