"""Recall as pure functions: from the hits of the indexes to a ranked, explained list.

The recipe was measured on LoCoMo and MemDaily (`docs/adr/0005-recall.md`): full text and dense scores,
each scaled to its best hit, neighbours in the conversation, and the conversation itself as context.
Ranking works on outlines; whole memories are read only of what is shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_memory_server.limits import NOISE_WEIGHT
from mcp_memory_server.memory import periods
from mcp_memory_server.memory.asking import Asked
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import Kind, Speaker, Status
from mcp_memory_server.memory.ports import GraphHit, Hit, Outline, VectorHits

TEXT_WEIGHT = 1.0
VECTOR_WEIGHT = 1.0
SESSION_WEIGHT = 0.7  # the three best hits of a conversation lift all of it
NEIGHBOUR_WEIGHT = 0.15  # of each neighbour's text score
GRAPH_WEIGHTS = {1: 0.15, 2: 0.05}  # by hops from an entity that the question names
WINDOW_WEIGHT = 0.25  # of what was said, or happened, in the time that the question names
ASSISTANT_WEIGHT = 0.25  # of the assistant's words, when the question is about them
QUESTION_WEIGHT = 0.25  # of what the user asked, when the question is about that
PERSON_WEIGHT = 0.4  # of what tells of a relative whom the question names
NEWEST_WEIGHT = 0.5  # of the newest among the good answers, when the question asks for it
NEWEST_SHARE = 0.6  # a good answer scores at least this share of the best
FAR_SCORE = 0.001  # of the nearest vector that is no nearer than chance: shown only when little else is there
COMMON = 10  # memories naming one entity from which on that counts for less
PREFERRED_SESSION = 0.1  # of the session that the caller named
STRENGTH_SPAN = 0.1  # strength moves a score by at most so much, up or down
FACT_SHARE = 0.5  # a fact stands for its utterance when it scores at least this share of it
SMALL_STORE = 30  # memories of a language below which the model's constants standardise
SESSION_HITS = 3
EXACT_RANK = 3  # an exact identifier enters the first so many
_ORDER = {Status.CURRENT.value: 0, Status.DISPUTED.value: 2, Status.PENDING.value: 3, Status.QUARANTINED.value: 3}


@dataclass(slots=True, eq=False)
class Scored:
    """A memory with its score and the reasons for it."""

    outline: Outline
    score: float = 0.0
    text: float = 0.0
    vector: float = 0.0
    text_rank: int | None = None
    vector_rank: int | None = None
    graph: GraphHit | None = None
    exact: bool = False
    covers: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.outline.id


@dataclass(frozen=True, slots=True)
class Signals:
    """What the indexes and the ledger say about one question.

    `standard` gives mean and deviation of scores to expect in a small store, by language; `around`
    the utterance before and after one; `exact` the memories that hold an identifier of the question; `noisy`
    the events that happened too often in too short a time.
    """

    text: Sequence[Hit] = ()
    vectors: Mapping[str, VectorHits] = field(default_factory=dict)
    standard: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    graph: Sequence[GraphHit] = ()
    exact: frozenset[str] = frozenset()
    session: str | None = None
    asked: Asked = field(default_factory=Asked)
    around: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    strengths: Mapping[str, float] = field(default_factory=dict)
    noisy: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()  # what the user asked before, when the question is about that
    relatives: frozenset[str] = frozenset()  # of the entities that the question names: "mother", "grandfather"


def standardised(vectors: Mapping[str, VectorHits], standard: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Dense scores of several languages on one scale: deviations above the mean of their language."""
    out: dict[str, float] = {}
    for lang, found in vectors.items():
        mean, deviation = standard[lang]
        if found.count >= SMALL_STORE and found.mean is not None and found.deviation:
            mean, deviation = found.mean, found.deviation
        deviation = max(deviation, 1e-6)
        for hit in found.hits:
            above = (hit.score - mean) / deviation
            if above > out.setdefault(hit.memory_id, 0.0):
                out[hit.memory_id] = above
    return out


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores from 0 to 1, the best of them 1; none where no score is above 0."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return {}
    return {memory_id: score / best if score > 0 else 0.0 for memory_id, score in scores.items()}


def promising(signals: Signals, count: int) -> list[str]:
    """Ids of the candidates worth reading, from the hits alone: the best `count` by text and dense score,
    and whatever the graph or an identifier names. Best first.
    """
    text = scaled({hit.memory_id: hit.score for hit in signals.text})
    dense = scaled(standardised(signals.vectors, signals.standard))
    scores = {one: text.get(one, 0.0) + dense.get(one, 0.0) for one in (*text, *dense)}
    best = sorted(scores, key=lambda one: (-scores[one], one))[:count]
    return list(dict.fromkeys([*best, *sorted(signals.exact), *(hit.memory_id for hit in signals.graph)]))


def rank(outlines: Iterable[Outline], signals: Signals) -> list[Scored]:
    """All memories by score, best first; a fact and its utterance are still two."""
    pool = {outline.id: Scored(outline) for outline in outlines}
    raw = {hit.memory_id: hit.score for hit in signals.text}
    _take_ranks(pool, signals)
    text = scaled(_with_neighbours(raw, pool, signals))
    dense = scaled(standardised(signals.vectors, signals.standard))
    sessions = _sessions(raw, pool)
    rarity = _rarity(signals.graph)
    for memory_id, item in pool.items():
        item.text, item.vector = text.get(memory_id, 0.0), _dense(item.outline, dense)
        score = TEXT_WEIGHT * item.text + VECTOR_WEIGHT * item.vector
        session = item.outline.session
        if session is not None:
            score += SESSION_WEIGHT * sessions.get(session, 0.0)
            if session == signals.session:
                score += PREFERRED_SESSION
        if item.graph:
            score += GRAPH_WEIGHTS[item.graph.hops] * rarity[item.graph.via[0]]
            if item.graph.hops == 1 and item.graph.via[0] in signals.relatives:
                score += PERSON_WEIGHT
        if signals.asked.of_assistant and item.outline.speaker == Speaker.ASSISTANT:
            score += ASSISTANT_WEIGHT
        if memory_id in signals.questions:
            score += QUESTION_WEIGHT
        inside = signals.asked.window is not None and _inside(item.outline, signals.asked.window)
        if score > 0 and inside:
            score += WINDOW_WEIGHT
        strength = min(1.0, signals.strengths.get(memory_id, 0.5))  # feedback may lift it above
        item.score = score * (1 + STRENGTH_SPAN * (2 * strength - 1))
        if memory_id in signals.noisy:
            item.score *= 1 - NOISE_WEIGHT
        if item.score <= 0 and (item.vector_rank or inside):
            item.score = FAR_SCORE / (item.vector_rank or 1)
        item.exact = memory_id in signals.exact
    if signals.asked.newest:
        _prefer_newest(list(pool.values()))
    return sorted(pool.values(), key=_order)


def _rarity(graph: Sequence[GraphHit]) -> dict[str, float]:
    """How much it says that a memory names an entity: less, the more memories name it too."""
    named = Counter(hit.via[0] for hit in graph if hit.hops == 1)
    return {hit.via[0]: min(1.0, COMMON / max(1, named[hit.via[0]])) for hit in graph}


def _inside(outline: Outline, window: tuple[int, int]) -> bool:
    """Whether a memory was said, or what it tells happened, in a window of time."""
    if window[0] <= outline.said_at < window[1]:
        return True
    moment = _event_time(outline)
    return moment is not None and window[0] <= moment < window[1]


def _event_time(outline: Outline) -> int | None:
    """When what a memory tells happens or begins, if that was said."""
    spoken_of = outline.at or outline.valid_from
    if not spoken_of:
        return None
    try:
        edges = periods.bounds(spoken_of)
    except ValueError:
        return None
    return to_micros(edges[0]) if edges else None


def _prefer_newest(items: list[Scored]) -> None:
    """Lift the newest of the good answers, by the time they tell of, else the time they were said."""
    best = max((item.score for item in items), default=0.0)
    good = [item for item in items if item.score > 0 and item.score >= NEWEST_SHARE * best]
    good.sort(key=lambda item: (_event_time(item.outline) or item.outline.said_at, item.outline.said_at, item.id))
    for position, item in enumerate(good, start=1):
        item.score += NEWEST_WEIGHT * position / len(good)


def _order(item: Scored) -> tuple[float, int, str]:
    # Equal scores: the newer first, then by id, so that the order never depends on the run.
    return (-item.score, -item.outline.said_at, item.outline.id)


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


def _dense(outline: Outline, dense: Mapping[str, float]) -> float:
    """A fact whose own vector is not made yet has its utterance's score."""
    own = dense.get(outline.id)
    if own is not None or outline.kind == Kind.UTTERANCE or not outline.utterances or " " in outline.utterances:
        return own or 0.0
    return dense.get(outline.utterances, 0.0)


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
        if item and item.outline.session is not None and item.outline.kind == Kind.UTTERANCE:
            by_session[item.outline.session].append(score)
    return scaled({name: sum(sorted(found)[-SESSION_HITS:]) for name, found in by_session.items()})


def collapsed(ranked: Sequence[Scored]) -> list[Scored]:
    """One entry for what was said once: a fact stays in the place of its utterance if it answers as well.

    An event never takes the place of its utterance, and goes where that is an answer itself. A second fact
    of the same utterance that no word of the question speaks for comes after everything else.
    """
    spoken = {item.id for item in ranked if item.outline.kind == Kind.UTTERANCE}
    best_fact: dict[str, Scored] = {}
    for item in ranked:
        if item.outline.kind == Kind.FACT:
            for utterance_id in item.outline.utterances.split():
                best_fact.setdefault(utterance_id, item)
    out: list[Scored] = []
    for item in ranked:
        own = item.outline.utterances.split()
        if item.outline.kind == Kind.EVENT and spoken.intersection(own):
            continue
        if item.outline.kind == Kind.FACT and item.text <= 0 and own and all(best_fact[one] is not item for one in own):
            item.score = min(item.score, FAR_SCORE / len(ranked))
        fact = best_fact.get(item.id) if item.outline.kind == Kind.UTTERANCE else None
        if fact is None or fact.score < FACT_SHARE * item.score:
            out.append(item)
        else:
            fact.score = max(fact.score, item.score)
            fact.covers.append(item.id)
    return sorted(out, key=_order)


def chosen(ranked: Sequence[Scored], limit: int) -> list[Scored]:
    """The first `limit`, exact identifiers among the first three, then current before disputed before pending."""
    head = list(ranked[:EXACT_RANK])
    missing = [item for item in ranked if item.exact][:EXACT_RANK]
    missing = [item for item in missing if item not in head]
    if missing:
        keep = [item for item in head if item.exact] + [item for item in head if not item.exact]
        head = sorted([*keep[: EXACT_RANK - len(missing)], *missing], key=_order)
    first = {item.id for item in head}
    taken = head + [item for item in ranked[: limit + EXACT_RANK] if item.id not in first]
    return sorted(taken[:limit], key=lambda item: _ORDER.get(item.outline.status, 1))
