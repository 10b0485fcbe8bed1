"""Recall as pure functions: from the hits of the indexes to a ranked, explained list.

The recipe was measured on LoCoMo and MemDaily (`docs/adr/0005-recall.md`): full text and dense scores,
each scaled to its best hit, neighbours in the conversation, and the conversation itself as context.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.ports import GraphHit, Hit, VectorHits
from mcp_memory_server.memory.text import identifiers, visible

TEXT_WEIGHT = 1.0
VECTOR_WEIGHT = 1.0
SESSION_WEIGHT = 0.7  # the three best hits of a conversation lift all of it
NEIGHBOUR_WEIGHT = 0.15  # of each neighbour's text score
GRAPH_WEIGHTS = {1: 0.15, 2: 0.05}  # by hops from an entity that the question names
PREFERRED_SESSION = 0.1  # of the session that the caller named
STRENGTH_SPAN = 0.1  # strength moves a score by at most so much, up or down
FACT_SHARE = 0.5  # a fact stands for its utterance when it scores at least this share of it
SMALL_STORE = 30  # memories of a language below which the model's constants standardise
SESSION_HITS = 3
EXACT_RANK = 3  # an exact identifier enters the first so many


@dataclass(slots=True)
class Scored:
    """A memory with its score and the reasons for it."""

    memory: Memory
    score: float = 0.0
    text: float = 0.0
    vector: float = 0.0
    text_rank: int | None = None
    vector_rank: int | None = None
    graph: GraphHit | None = None
    exact: bool = False
    covers: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Signals:
    """What the indexes and the ledger say about one question.

    `around` gives the utterance before and after one; `utterance_of` the utterance of a fact or
    event; `standard` mean and deviation of scores to expect in a small store, by language.
    """

    query: str
    text: Sequence[Hit]
    vectors: Mapping[str, VectorHits]
    standard: Mapping[str, tuple[float, float]]
    graph: Sequence[GraphHit]
    around: Mapping[str, tuple[str | None, str | None]]
    session: str | None
    strengths: Mapping[str, float]


def standardised(vectors: Mapping[str, VectorHits], standard: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Dense scores of several languages on one scale: deviations above the mean of their language."""
    out: dict[str, float] = {}
    for lang, found in vectors.items():
        mean, deviation = standard[lang]
        if found.count >= SMALL_STORE and found.mean is not None and found.deviation:
            mean, deviation = found.mean, found.deviation
        for hit in found.hits:
            out[hit.memory_id] = max(out.get(hit.memory_id, 0.0), (hit.score - mean) / max(deviation, 1e-6))
    return out


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores from 0 to 1, the best of them 1; none where no score is above 0."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return {}
    return {memory_id: max(0.0, score) / best for memory_id, score in scores.items()}


def rank(memories: Iterable[Memory], signals: Signals) -> list[Scored]:
    """All memories by score, best first; a fact and its utterance are still two."""
    pool = {memory.id: Scored(memory) for memory in memories}
    text = _with_neighbours({hit.memory_id: hit.score for hit in signals.text}, pool, signals)
    _take_ranks(pool, signals)
    text, dense = scaled(text), scaled(standardised(signals.vectors, signals.standard))
    sessions = _sessions({hit.memory_id: hit.score for hit in signals.text}, pool)
    wanted = identifiers(signals.query)
    for memory_id, item in pool.items():
        item.text, item.vector = text.get(memory_id, 0.0), _dense(item.memory, dense)
        score = TEXT_WEIGHT * item.text + VECTOR_WEIGHT * item.vector
        score += SESSION_WEIGHT * sessions.get(item.memory.session or "", 0.0)
        if item.graph:
            score += GRAPH_WEIGHTS[item.graph.hops]
        if signals.session and item.memory.session == signals.session:
            score += PREFERRED_SESSION
        item.score = score * (1 + STRENGTH_SPAN * (2 * signals.strengths.get(memory_id, 0.5) - 1))
        item.exact = bool(wanted) and _holds(item.memory.statement, wanted)
    return sorted(pool.values(), key=_order)


def _order(item: Scored) -> tuple[float, float, str]:
    # Equal scores: the newer first, then by id, so that the order never depends on the run.
    return (-item.score, -item.memory.said_at.timestamp(), item.memory.id)


def _take_ranks(pool: Mapping[str, Scored], signals: Signals) -> None:
    for position, hit in enumerate(signals.text, start=1):
        if hit.memory_id in pool:
            pool[hit.memory_id].text_rank = position
    for found in signals.vectors.values():
        for position, hit in enumerate(found.hits, start=1):
            if hit.memory_id in pool:
                pool[hit.memory_id].vector_rank = position
    for reached in signals.graph:
        if reached.memory_id in pool:
            pool[reached.memory_id].graph = reached


def _dense(memory: Memory, dense: Mapping[str, float]) -> float:
    """A fact whose own vector is not made yet, or that is most of its utterance, has its utterance's score."""
    own = dense.get(memory.id)
    if own is not None or memory.kind is Kind.UTTERANCE or len(memory.evidence) != 1:
        return own or 0.0
    return dense.get(memory.evidence[0].utterance_id, 0.0)


def _with_neighbours(scores: dict[str, float], pool: Mapping[str, Scored], signals: Signals) -> dict[str, float]:
    """What is said before and after in the same conversation counts a little for an utterance."""
    out = dict(scores)
    for memory_id, (before, after) in signals.around.items():
        if memory_id in pool:
            near = scores.get(before or "", 0.0) + scores.get(after or "", 0.0)
            if near:
                out[memory_id] = scores.get(memory_id, 0.0) + NEIGHBOUR_WEIGHT * near
    return out


def _sessions(scores: Mapping[str, float], pool: Mapping[str, Scored]) -> dict[str, float]:
    """How much each conversation is about the question: its best few hits, the best conversation 1."""
    by_session: dict[str, list[float]] = defaultdict(list)
    for memory_id, score in scores.items():
        item = pool.get(memory_id)
        if item and item.memory.session and item.memory.kind is Kind.UTTERANCE:
            by_session[item.memory.session].append(score)
    return scaled({name: sum(sorted(found)[-SESSION_HITS:]) for name, found in by_session.items()})


def _holds(statement: str, wanted: Sequence[str]) -> bool:
    folded = visible(statement).casefold()
    return any(name in folded for name in wanted)


def collapsed(ranked: Sequence[Scored]) -> list[Scored]:
    """A fact and its utterance become one, and the fact stays, if the fact answers as well.

    An event never takes the place of its utterance.
    """
    best_fact: dict[str, Scored] = {}
    for item in ranked:
        if item.memory.kind is Kind.FACT:
            for evidence in item.memory.evidence:
                best_fact.setdefault(evidence.utterance_id, item)
    out: list[Scored] = []
    for item in ranked:
        fact = best_fact.get(item.memory.id) if item.memory.kind is Kind.UTTERANCE else None
        if fact is None or fact.score < FACT_SHARE * item.score:
            out.append(item)
        else:
            fact.score = max(fact.score, item.score)
            fact.covers.append(item.memory.id)
    return sorted(out, key=_order)


def chosen(ranked: Sequence[Scored], limit: int) -> list[Scored]:
    """The first `limit`, exact identifiers among the first three, then current before disputed before pending."""
    exact = [item for item in ranked if item.exact][:EXACT_RANK]
    head = list(ranked[:EXACT_RANK])
    missing = [item for item in exact if item not in head]
    if missing:
        keep = [item for item in head if item.exact] + [item for item in head if not item.exact]
        head = sorted([*keep[: EXACT_RANK - len(missing)], *missing], key=_order)
    rest = [item for item in ranked if item not in head]
    taken = [*head, *rest][:limit]
    order = {Status.CURRENT: 0, Status.DISPUTED: 2, Status.PENDING: 3, Status.QUARANTINED: 3}
    return sorted(taken, key=lambda item: order.get(item.memory.status, 1))


def held_at(memory: Memory, moment: datetime, begins: datetime, ends: datetime | None) -> bool:
    """Whether a memory was true at `moment`, given when it began and when it ended (None: it has not)."""
    return begins <= moment and (ends is None or ends > moment)


def known_at(memory: Memory, moment: datetime) -> bool:
    """Whether we held the memory to be true at `moment`."""
    return memory.recorded_at <= moment and (memory.superseded_at is None or memory.superseded_at > moment)
