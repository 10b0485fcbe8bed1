"""Bar 4: running maintenance late, twice, or in two steps comes to the same, and what is said again returns."""

from __future__ import annotations

import functools
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory_server import limits
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.decay import outline_strength, outline_strengths
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import (
    Category,
    EventType,
    Evidence,
    Kind,
    Layer,
    Memory,
    Status,
    Validity,
    Value,
    ValueType,
)
from mcp_memory_server.memory.outline import outline_of
from mcp_memory_server.memory.ports import HistoryEntry, Tenancy, WorkingVersion
from mcp_memory_server.memory.projecting import project
from mcp_memory_server.memory.service import Context, MemoryService, RecallRequest, RememberRequest
from mcp_memory_server.memory.service.upkeep import Upkeep
from mcp_memory_server.policy import load_policy
from tests.fakes import NOON, HashEmbedder, MemoryBackend, seeded_ids
from tests.fakes.state import State
from tests.support import memory

ANN = Tenancy("ann")
_policy = functools.cache(load_policy)
# Small bounds, so that a handful of memories goes over them.
_SMALL = {"EVENTS_PER_USER": 4, "STALE_QUESTIONS": 2}
_WORDS = (
    "where is my order",
    "where is my parcel order now",
    "where is my order 7",
    "hello there",
    "早上好",
    "我的订单在哪里",
)

_LONG = ("why does the deployment of the billing service fail with a time-out", "我的快递为什么还没有送到公司前台")

days = st.integers(0, 500)
# Often close together, so that some are alike within a week.
back = st.integers(-700, 0) | st.integers(-8, 0)
moments = st.builds(lambda day, hour: NOON + timedelta(days=day, hours=hour), back, st.integers(0, 23))
event_types = st.just(EventType.QUESTION) | st.sampled_from(EventType)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Any memory that can stand in a store, whether or not today's write path would make it."""
    kind = draw(st.sampled_from(Kind))
    recorded = draw(moments)
    later = st.none() | st.builds(lambda day: recorded + timedelta(days=day), st.integers(0, 300))
    day = (recorded + timedelta(days=draw(st.integers(-30, 60)))).date().isoformat()
    fact, event = kind is Kind.FACT, kind is Kind.EVENT
    changes: dict[str, Any] = {
        "kind": kind,
        "recorded_at": recorded,
        "supported_at": draw(later),
        "read_at": draw(later),
        "said_offset": draw(st.sampled_from((0, 480, -300))),
        "confidence": draw(st.sampled_from((0.2, 0.6, 0.95, 1.0))),
        "status": draw(
            st.sampled_from((Status.CURRENT, Status.CURRENT, Status.PENDING, Status.SUPERSEDED, Status.DISPUTED))
        ),
        "category": draw(st.sampled_from(Category)),
        "layer": draw(st.sampled_from((Layer.EPISODIC, Layer.SEMANTIC))),
        "predicate": draw(st.sampled_from((None, "likes", "lives_in", "feels", "meets", "deadline"))) if fact else None,
        "subject": "user" if fact else None,
        "object": Value(ValueType.TEXT, "tea") if fact else None,
        "event_type": draw(event_types) if event else None,
        "validity": Validity(None, draw(st.none() | st.just(day)), draw(st.none() | st.just(day))),
        "hidden": draw(st.booleans()),
    }
    words = draw(st.sampled_from(_WORDS))
    return memory("x", words, **changes)


def _burst(begins: datetime, hours: list[int], words: str) -> list[Memory]:
    """The same question in a few words' difference, again and again."""
    texts = [f"{words} {'today please ' * (number % 2)}" for number in range(len(hours))]
    return [
        memory("x", text, kind=Kind.EVENT, event_type=EventType.QUESTION, recorded_at=begins + timedelta(hours=hour))
        for text, hour in zip(texts, hours, strict=True)
    ]


bursts = st.just([]) | st.builds(
    _burst, moments, st.lists(st.integers(0, 300), min_size=3, max_size=6), st.sampled_from(_LONG)
)
mentioned = st.builds(
    lambda at, category: memory(
        "x", recorded_at=at, category=category, confirmations=3, subject="user", predicate="likes"
    ),
    moments,
    st.sampled_from(Category),
)


@st.composite
def stores(draw: st.DrawFn) -> State:
    """A store with some memories of Ann, projected, with history and evidence and a session under way."""
    backend = MemoryBackend()
    found = draw(st.lists(memories(), max_size=12)) + draw(bursts) + draw(st.lists(mentioned, max_size=2))
    with backend.store.write(ANN) as unit:
        made = []
        for number, one in enumerate(found):
            evidence = ()
            spoken = [other.id for other in made if other.kind is Kind.UTTERANCE]
            if one.kind is not Kind.UTTERANCE and spoken:
                most = len(spoken) if one.confirmations > 1 else 3
                chosen = draw(st.lists(st.sampled_from(spoken), min_size=0, max_size=most, unique=True))
                chosen = spoken if one.confirmations > 1 else chosen
                evidence = tuple(Evidence(other, 0, 4) for other in chosen)
            named = _named(one, f"m_{number}", evidence)
            unit.add(named)
            made.append(named)
            for action in ("stored", *draw(st.lists(st.just("confirmed"), max_size=1))):
                unit.record(HistoryEntry(named.id, named.recorded_at, action, "test", None, {"to": "current"}))
        project(backend, unit, "fake-a", made, {}, {})
        if made:
            unit.save_working(WorkingVersion("s", 1, draw(moments), "remember", (made[0].id,)), 20)
    return backend.store.state


def _named(one: Memory, name: str, evidence: tuple[Evidence, ...]) -> Memory:
    from dataclasses import replace

    return replace(one, id=name, evidence=evidence, said_at=one.recorded_at)


def service_over(state: State, clock: FixedClock) -> MemoryService:
    policy = _policy(None)
    return MemoryService(
        Context(
            backend=MemoryBackend(state.copied()),
            embedder=HashEmbedder(),
            vocabulary=policy.vocabulary,
            half_lives=policy.half_lives,
            clock=clock,
            ids=seeded_ids(),
            time_zone="UTC",
            language="en",
        )
    )


def run(state: State, *at: datetime) -> tuple[dict[str, Any], Upkeep]:
    """What is in the store after maintenance at these moments, without the log of the runs; and the last report."""
    clock = FixedClock(NOON)
    service = service_over(state, clock)
    report = Upkeep()
    for moment in at:
        clock.set(moment)
        report = service.keep_up(ANN)
    backend: Any = service.context.backend
    mine = backend.store.state.users.get("ann")
    if mine is None:
        return {}, report
    found = {
        name: getattr(mine, name)
        for name in ("memories", "questions", "answers", "text", "vectors", "graph", "working")
    }
    found["history"] = {one: [entry for entry in mine.history if entry.memory_id == one] for one in mine.memories}
    found["outbox"] = set(mine.outbox)
    return found, report


slow = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@slow
@given(stores(), days)
def test_maintenance_twice_is_maintenance_once(state: State, day: int) -> None:
    at = NOON + timedelta(days=day)
    with patch.multiple(limits, **_SMALL):
        once, _ = run(state, at)
        twice, report = run(state, at, at)
    assert once == twice
    assert report == Upkeep()


@slow
@given(stores(), days, days, days)
def test_maintenance_on_the_way_changes_nothing(state: State, first: int, second: int, third: int) -> None:
    early, middle, late = (NOON + timedelta(days=day) for day in sorted((first, second, third)))
    with patch.multiple(limits, **_SMALL):
        direct, _ = run(state, late)
        stepwise, _ = run(state, early, middle, late)
    assert direct == stepwise


@slow
@given(stores(), days)
def test_what_is_archived_is_in_no_index_and_the_rest_is(state: State, day: int) -> None:
    with patch.multiple(limits, **_SMALL):
        found, _ = run(state, NOON + timedelta(days=day))
    standing = {one for one, found_one in found.get("memories", {}).items() if found_one.status is not Status.ARCHIVED}
    assert set(found.get("text", {})) == standing
    assert {one for one, _ in found.get("outbox", ())} <= standing


@slow
@given(st.lists(memories(), max_size=6), days)
def test_the_strengths_of_many_are_those_of_each(many: list[Memory], day: int) -> None:
    half_lives, now = _policy(None).half_lives, to_micros(NOON + timedelta(days=day))
    outlines = [outline_of(one)._replace(id=f"m_{number}") for number, one in enumerate(many)]
    each = {one.id: outline_strength(one, now, half_lives) for one in outlines}
    assert outline_strengths(outlines, now, half_lives) == each


@slow
@given(memories(), days, days)
def test_strength_only_falls_and_is_what_the_archive_goes_by(one: Memory, first: int, more: int) -> None:
    from mcp_memory_server.memory import decay

    half_lives = _policy(None).half_lives
    early, late = NOON + timedelta(days=first), NOON + timedelta(days=first + more)
    assert decay.strength(one, late, half_lives) <= decay.strength(one, early, half_lives)
    falls = decay.falls_below(outline_of(one), limits.GONE_STRENGTH, half_lives)
    if falls is not None:
        at = decay.outline_strength(outline_of(one), falls, half_lives)
        assert at <= limits.GONE_STRENGTH + 1e-9
        before = decay.outline_strength(outline_of(one), falls - 1_000_000, half_lives)
        assert before >= limits.GONE_STRENGTH - 1e-9 or falls == decay.supported(outline_of(one))
    else:
        assert to_micros(late) >= 0


SAYINGS = (
    ("I like oolong tea.", "What tea do I like?", "oolong"),
    ("I love hiking in the Tatra mountains.", "Where do I love hiking?", "Tatra"),
    ("我喜欢喝无糖乌龙茶。", "我喜欢喝什么茶？", "乌龙"),
    ("我讨厌香菜。", "我讨厌什么？", "香菜"),
)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SAYINGS), st.integers(400, 2_000), st.integers(0, 400), st.booleans())
def test_a_restated_archived_memory_returns(saying: tuple[str, str, str], away: int, more: int, named: bool) -> None:
    words, question, key = saying
    clock = FixedClock(NOON)
    service, ann = service_over(State(), clock), Principal("ann", "test")
    session = "s" if named else None
    first = service.remember(ann, RememberRequest(said=words, session=session))["results"][0]["memory"]["id"]
    clock.advance(timedelta(days=away))
    assert service.keep_up(ANN).archived >= 2
    assert service.memory(ann, first)["status"] == "archived"
    assert not [m for m in service.recall(ann, RecallRequest(question))["memories"] if key in m["statement"]]
    clock.advance(timedelta(days=more))
    said = service.remember(ann, RememberRequest(said=words, session=session))["results"][0]
    assert (said["outcome"], said["memory"]["id"], said["memory"]["status"]) == ("restated", first, "current")
    assert [entry["action"] for entry in service.memory(ann, first)["history"]][-2:] == ["archived", "returned"]
    assert service.recall(ann, RecallRequest(question, kind="fact"))["memories"][0]["id"] == first
    assert service.keep_up(ANN).archived == 0
