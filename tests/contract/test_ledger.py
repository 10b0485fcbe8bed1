"""The ledger: what every back end must keep of memories, and keep apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory_server.errors import ConflictError, InvalidArgumentError, MemoryServerError, NotFoundError
from mcp_memory_server.memory.micros import to_micros
from mcp_memory_server.memory.model import (
    Category,
    EventType,
    Evidence,
    Kind,
    Layer,
    Memory,
    Polarity,
    Sentiment,
    Source,
    Speaker,
    Status,
    Validity,
    Value,
    ValueType,
)
from mcp_memory_server.memory.ports import Backend
from mcp_memory_server.memory.records import HistoryEntry, MemoryFilter, Outline, Question, Session, Tenancy
from tests.fakes import NOON
from tests.support import memory, utterance


def put(backend: Backend, tenancy: Tenancy, *memories: Memory) -> None:
    with backend.store.write(tenancy) as unit:
        for one in memories:
            unit.add(replace(one, user=tenancy.user))


def question(name: str, *ids: str, minutes: int = 0) -> Question:
    return Question(name, "Which one?", ids, ("keep_first", "keep_second"), NOON + timedelta(minutes=minutes))


def test_a_memory_with_every_field_set_reads_back_as_it_was(backend: Backend, ann: Tenancy) -> None:
    whole = memory(
        "m_1",
        "护照 “X” naïve 🫖\nline two\ttab",
        subject="user",
        predicate="owns",
        object=Value(ValueType.MONEY, "12.50", "EUR", "train", True),
        polarity=Polarity.NEGATIVE,
        validity=Validity("2024-05", "2025", "2024-06-01"),
        layer=Layer.SEMANTIC,
        event_type=EventType.APPOINTMENT,
        count=3,
        confirmations=4,
        grounded=True,
        lang="zh",
        session="s 1",
        channel="wechat",
        agent="agent",
        origin="tool:web",
        speaker=Speaker.OTHER,
        speaker_name="Ravi",
        said_offset=-330,
        position=7,
        superseded_at=NOON + timedelta(microseconds=1),
        superseded_by="m_2",
        supported_at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        sentiment=Sentiment("happy", 0.75),
        reason="because",
        hidden=True,
        version=5,
        category=Category.FINANCE,
        status=Status.SUPERSEDED,
        source=Source.REVIEWER,
        said_at=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        evidence=(Evidence("u_1", 0, 4), Evidence("u_2", 2, 9)),
    )
    put(backend, ann, whole)
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1", "unknown", "m_1"]) == {"m_1": whole}


def test_a_memory_with_no_optional_field_reads_back_as_it_was(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1"))
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"])["m_1"] == memory("m_1")


def test_an_id_is_used_once(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    put(backend, ann, memory("m_1"))
    with pytest.raises(ConflictError), backend.store.write(ann) as unit:
        unit.add(memory("m_1", "other words"))
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"])["m_1"].statement == "statement of m_1"


def test_a_unit_that_fails_leaves_nothing(backend: Backend, ann: Tenancy) -> None:
    with pytest.raises(RuntimeError), backend.store.write(ann) as unit:
        unit.add(memory("m_1"))
        unit.ask(question("q_1", "m_1"))
        unit.defer(memory_ids=["m_1"], projection="vectors")
        raise RuntimeError
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"]) == {}
        assert unit.questions() == []
        assert unit.deferred("vectors") == []
        assert unit.epoch() == (0, 0)


def test_a_savepoint_that_fails_takes_only_its_own_writes_back(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.add(memory("m_1"))
        with pytest.raises(RuntimeError), unit.savepoint():
            unit.add(memory("m_2"))
            unit.mention("m_2", [("emil", "Emil", "object")])
            raise RuntimeError
        with unit.savepoint():
            unit.add(memory("m_3"))
    with backend.store.read(ann) as unit:
        assert set(unit.get(["m_1", "m_2", "m_3"])) == {"m_1", "m_3"}
        assert unit.entities(["emil"]) == {}


def test_a_reader_sees_what_was_committed_before_it_began(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1"))
    with backend.store.read(ann) as unit:
        assert set(unit.get(["m_1", "m_2"])) == {"m_1"}
        put(backend, ann, memory("m_2"))
        assert set(unit.get(["m_1", "m_2"])) == {"m_1"}
    with backend.store.read(ann) as unit:
        assert set(unit.get(["m_1", "m_2"])) == {"m_1", "m_2"}


def test_an_update_replaces_the_memory_and_its_evidence_and_counts_the_version(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1", evidence=(Evidence("u_1", 0, 3),)))
    after = memory("m_1", "other", evidence=(Evidence("u_2", 1, 2), Evidence("u_1", 0, 3)))
    with backend.store.write(ann) as unit:
        unit.update(after)
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"])["m_1"] == replace(after, version=2)


def test_an_update_of_a_version_that_is_past_is_a_conflict(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1"))
    with backend.store.write(ann) as unit:
        unit.update(memory("m_1", "second"))
    with pytest.raises(ConflictError), backend.store.write(ann) as unit:
        unit.update(memory("m_1", "third"))


def test_an_update_of_what_is_not_there_is_not_found(backend: Backend, ann: Tenancy) -> None:
    with pytest.raises(NotFoundError), backend.store.write(ann) as unit:
        unit.update(memory("m_1"))


def test_by_key_finds_equal_texts_that_stand_and_are_of_the_kind(backend: Backend, ann: Tenancy) -> None:
    words = "The gate code is in the blue folder."
    put(
        backend,
        ann,
        memory("m_1", words),
        memory("m_2", words, status=Status.SUPERSEDED),
        memory("m_3", words, status=Status.PENDING),
        utterance("u_1", words),
        memory("m_4", "something else"),
    )
    with backend.store.read(ann) as unit:
        assert [m.id for m in unit.by_key(memory("x", words).key, Kind.FACT)] == ["m_1", "m_3"]
        assert [m.id for m in unit.by_key(memory("x", words).key, Kind.UTTERANCE)] == ["u_1"]


def test_by_subject_gives_the_newest_facts_that_can_agree_or_disagree(backend: Backend, ann: Tenancy) -> None:
    def fact(name: str, **changes: object) -> Memory:
        return memory(name, **{"subject": "user", "predicate": "likes", **changes})

    put(
        backend,
        ann,
        fact("m_1"),
        fact("m_2", status=Status.DISPUTED),
        fact("m_3", status=Status.SUPERSEDED),
        fact("m_4", predicate="dislikes", status=Status.PENDING),
        fact("m_5", predicate="owns"),
        fact("m_6", subject="user.mother"),
        fact("m_7", kind=Kind.EVENT),
    )
    with backend.store.read(ann) as unit:
        found = unit.by_subject("user", ["likes", "dislikes"], 10)
        assert [m.id for m in found] == ["m_4", "m_2", "m_1"]
        assert [m.id for m in unit.by_subject("user", ["likes", "dislikes"], 2)] == ["m_4", "m_2"]
        assert unit.by_subject("user", [], 10) == []


def test_facts_of_gives_what_rests_on_each_utterance_once(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        utterance("u_1"),
        utterance("u_2"),
        memory("m_1", evidence=(Evidence("u_1", 0, 3), Evidence("u_1", 5, 9))),
        memory("m_2", evidence=(Evidence("u_1", 0, 3), Evidence("u_2", 0, 1))),
    )
    with backend.store.read(ann) as unit:
        found = unit.facts_of(["u_1", "u_2", "u_3"])
        assert {one: sorted(m.id for m in facts) for one, facts in found.items()} == {
            "u_1": ["m_1", "m_2"],
            "u_2": ["m_2"],
        }
        assert sorted(unit.evidence_on("u_1"), key=lambda pair: (pair[0], pair[1].start)) == [
            ("m_1", Evidence("u_1", 0, 3)),
            ("m_1", Evidence("u_1", 5, 9)),
            ("m_2", Evidence("u_1", 0, 3)),
        ]


def test_around_gives_the_neighbours_in_the_same_session_only(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        *(utterance(f"a_{n}", session="a", position=n) for n in range(3)),
        utterance("b_1", session="b", position=1),
        utterance("alone"),
        memory("m_1", session="a", position=1),
    )
    with backend.store.read(ann) as unit:
        assert unit.around(["a_0", "a_1", "a_2", "b_1"]) == {
            "a_0": (None, "a_1"),
            "a_1": ("a_0", "a_2"),
            "a_2": ("a_1", None),
            "b_1": (None, None),
        }
        assert unit.around(["alone", "m_1", "unknown"]) == {}


def test_positions_in_a_session_count_from_nought(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    put(backend, ann, utterance("u_1", session="a", position=0), memory("m_1", session="a", position=9))
    with backend.store.read(ann) as unit:
        assert (unit.next_position("a"), unit.next_position("b")) == (1, 0)
    with backend.store.read(ben) as unit:
        assert unit.next_position("a") == 0


def test_pages_go_from_new_to_old_and_cover_everything_once(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, *(memory(f"m_{n}", minutes=n // 3) for n in range(10)))
    seen: list[str] = []
    cursor = None
    with backend.store.read(ann) as unit:
        while True:
            page = unit.page(wanted=MemoryFilter(), limit=3, cursor=cursor)
            assert page.total == 10
            seen += [m.id for m in page.memories]
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == [f"m_{n}" for n in range(9, -1, -1)]
        assert unit.page(MemoryFilter(), 10).cursor is None
        first = unit.page(MemoryFilter(), 4).memories
        again = unit.page(MemoryFilter(), 10, unit.cursor_after(first[1]))
        assert [m.id for m in again.memories] == seen[2:]
        assert unit.ids(wanted=MemoryFilter(), limit=3) == seen[:3]


def test_a_page_survives_what_is_added_between(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, *(memory(f"m_{n}", minutes=n) for n in range(4)))
    with backend.store.read(ann) as unit:
        page = unit.page(MemoryFilter(), 2)
    put(backend, ann, memory("new", minutes=60))
    with backend.store.read(ann) as unit:
        rest = unit.page(MemoryFilter(), 10, page.cursor)
        assert [m.id for m in rest.memories] == ["m_1", "m_0"]


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "!!!", "MTIz", "ё", "MS4y.x", "\ud800", "0" * 1000])
def test_a_cursor_that_is_not_ours_is_refused(backend: Backend, ann: Tenancy, cursor: str) -> None:
    put(backend, ann, memory("m_1"))
    with backend.store.read(ann) as unit, pytest.raises(InvalidArgumentError):
        unit.page(MemoryFilter(), 10, cursor)


FILTERS = {
    "ids": (MemoryFilter(ids=("m_1", "m_3", "nobody")), {"m_1", "m_3"}),
    "no ids": (MemoryFilter(ids=()), set()),
    "kinds": (MemoryFilter(kinds=(Kind.EVENT, Kind.UTTERANCE)), {"m_2", "m_3"}),
    "statuses": (MemoryFilter(statuses=(Status.PENDING,)), {"m_4"}),
    "category": (MemoryFilter(category="health"), {"m_1"}),
    "event type": (MemoryFilter(event_type="question"), {"m_2"}),
    "source": (MemoryFilter(source="assistant"), {"m_4"}),
    "session": (MemoryFilter(session="s1"), {"m_3"}),
    "channel": (MemoryFilter(channel="web"), {"m_1"}),
    "subject": (MemoryFilter(subject="user.mother"), {"m_1"}),
    "since is inclusive": (MemoryFilter(since=NOON + timedelta(minutes=2)), {"m_3", "m_4"}),
    "until is exclusive": (MemoryFilter(until=NOON + timedelta(minutes=2)), {"m_1", "m_2"}),
    "other zones": (MemoryFilter(since=datetime.fromisoformat("2026-11-30T20:03:00+08:00")), {"m_4"}),
    "all of them hold": (MemoryFilter(category="health", channel="app"), set()),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_keep_what_they_say(backend: Backend, ann: Tenancy, name: str) -> None:
    put(
        backend,
        ann,
        memory("m_1", category=Category.HEALTH, channel="web", subject="user.mother", minutes=0),
        memory("m_2", kind=Kind.EVENT, event_type=EventType.QUESTION, minutes=1),
        utterance("m_3", session="s1", minutes=2),
        memory("m_4", status=Status.PENDING, source=Source.ASSISTANT, minutes=3),
    )
    wanted, expected = FILTERS[name]
    with backend.store.read(ann) as unit:
        page = unit.page(wanted, 10)
        assert {m.id for m in page.memories} == expected
        assert page.total == len(expected)
        assert set(unit.ids(wanted, 10)) == expected


def test_questions_are_open_until_they_are_answered(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.ask(question("q_2", "m_1", "m_2", minutes=1))
        unit.ask(question=question("q_1", "m_3", "m_4"))
    with backend.store.read(ann) as unit:
        assert [q.id for q in unit.questions()] == ["q_1", "q_2"]
        assert unit.questions(memory_ids=["m_2", "m_9"]) == [question("q_2", "m_1", "m_2", minutes=1)]
        assert unit.questions([]) == []
    with backend.store.write(ann) as unit:
        unit.answer(question_id="q_1", answer="keep_first", at=NOON)
    with backend.store.read(ann) as unit:
        assert [q.id for q in unit.questions()] == ["q_2"]
    with pytest.raises(NotFoundError), backend.store.write(ann) as unit:
        unit.answer("q_1", "keep_second", NOON)


def test_answered_questions_keep_their_answer_and_its_time(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        for name in ("q_3", "q_1", "q_2"):
            unit.ask(question(name, "m_1"))
        unit.answer("q_2", "keep_second", NOON + timedelta(minutes=3))
        unit.answer("q_1", "keep_first", NOON + timedelta(minutes=5))
    with backend.store.read(ann) as unit:
        assert unit.answered() == [
            (question("q_1", "m_1"), "keep_first", NOON + timedelta(minutes=5)),
            (question("q_2", "m_1"), "keep_second", NOON + timedelta(minutes=3)),
        ]


def test_outlines_say_what_ranking_needs(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        utterance("u_1", session="s", speaker=Speaker.ASSISTANT),
        memory(
            "m_1",
            evidence=(Evidence("u_1", 0, 3), Evidence("u_2", 0, 1)),
            validity=Validity("2024", "2025", "2024-06-01"),
            category=Category.HEALTH,
            status=Status.SUPERSEDED,
            superseded_at=NOON + timedelta(seconds=1),
            supported_at=NOON,
            read_at=NOON,
            layer=Layer.SEMANTIC,
            predicate="has_condition",
            said_offset=120,
            hidden=True,
        ),
        memory("m_2", kind=Kind.EVENT, event_type=EventType.QUESTION, evidence=(Evidence("u_1", 0, 3),)),
    )
    micros = 1_796_040_000_000_000
    whole = Outline(
        "m_1", "fact", "superseded", "health", None, None, micros, micros, micros, micros + 1_000_000, 0.9, True,
        "2024", "2025", "2024-06-01", "user", "u_1 u_2", "semantic", "has_condition", 120, micros,
    )  # fmt: skip
    plain = Outline(
        "u_1", "utterance", "current", "other", None, "s", micros, micros, None, None, 0.9, False, None, None, None,
        "assistant", "",
    )  # fmt: skip
    with backend.store.read(ann) as unit:
        found = unit.outlines(["m_1", "u_1", "nobody"])
        assert found == {"m_1": whole, "u_1": plain}
        assert isinstance(found["m_1"].hidden, bool | int)
        resting = unit.resting(["u_1", "nobody"])
        assert sorted((one, outline.id, outline.event_type) for one, outline in resting if outline.id == "m_2") == [
            ("u_1", "m_2", "question")
        ]
        assert {outline.id for _, outline in resting} == {"m_1", "m_2"}
        assert unit.outlines([]) == {}
        assert unit.resting([]) == []


def test_history_keeps_the_order_in_which_things_happened(backend: Backend, ann: Tenancy) -> None:
    entries = [
        HistoryEntry("m_1", NOON, "stored", "agent", None, {"to": "current", "confidence": 0.9}),
        HistoryEntry("m_1", NOON, "superseded", "agent", "m_2"),
    ]
    with backend.store.write(ann) as unit:
        for entry in entries:
            unit.record(entry=entry)
        unit.record(HistoryEntry("m_2", NOON, "stored", "agent"))
    with backend.store.read(ann) as unit:
        assert unit.history(memory_id="m_1") == entries
        assert unit.history("nobody") == []


def test_entities_are_known_by_key_and_keep_their_first_name(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1"), memory("m_2"))
    with backend.store.write(ann) as unit:
        unit.mention("m_1", [("emil", "Emil", "subject"), ("porto", "Porto", "object"), ("emil", "EMIL", "mention")])
        unit.mention("m_2", [("emil", "emil!", "object")])
    with backend.store.read(ann) as unit:
        assert unit.entities(["emil", "porto", "nobody"]) == {"emil": "Emil", "porto": "Porto"}
        names, links = unit.graph()
        assert names == {"emil": "Emil", "porto": "Porto"}
        assert sorted(links) == [
            ("m_1", "emil", "subject"),
            ("m_1", "porto", "object"),
            ("m_2", "emil", "object"),
        ]
        assert {one: sorted(found) for one, found in unit.mentions(["m_1", "m_2", "m_3"]).items()} == {
            "m_1": [("emil", "subject"), ("porto", "object")],
            "m_2": [("emil", "object")],
        }


def test_sessions_come_newest_first_with_their_times(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        utterance("u_1", session="old", minutes=0),
        utterance("u_2", session="old", minutes=2),
        utterance("u_3", session="new", minutes=5),
        utterance("u_4"),
        memory("m_1", session="facts only"),
    )
    with backend.store.read(ann) as unit:
        later = NOON + timedelta(minutes=5)
        assert unit.sessions(limit=9) == [
            Session("new", later, later, 1),
            Session("old", NOON, NOON + timedelta(minutes=2), 2),
        ]
        assert [session.id for session in unit.sessions(1)] == ["new"]


def test_the_epoch_moves_with_writes_and_marks_removals(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.read(ann) as unit:
        start = unit.epoch()
    put(backend, ann, memory("m_1"))
    with backend.store.read(ann) as unit:
        written = unit.epoch()
    with backend.store.write(ann) as unit:
        unit.remove(["m_1"], "e_1", NOON)
    with backend.store.read(ann) as unit:
        removed = unit.epoch()
    with backend.store.read(ben) as unit:
        assert unit.epoch() == (0, 0)
    assert start == (0, 0)
    assert written[0] > start[0]
    assert written[1] == start[1]
    assert removed[0] > written[0]
    assert removed[1] > written[1]


def test_deferred_work_is_kept_once_and_in_order(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.defer(memory_ids=["m_1", "m_2", "m_1"], projection="vectors")
        unit.defer(["m_3"], "vectors")
        unit.defer(["m_1"], "graph")
        unit.undefer(memory_ids=["m_2", "nobody"], projection="vectors")
    with backend.store.read(ann) as unit:
        assert unit.deferred("vectors") == ["m_1", "m_3"]
        assert unit.deferred("graph") == ["m_1"]


def test_indexed_ids_are_all_but_the_archived(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, *(memory(f"m_{status.value}", status=status) for status in Status))
    with backend.store.read(ann) as unit:
        assert set(unit.indexed_ids()) == {f"m_{status.value}" for status in Status} - {"m_archived"}


def test_containing_finds_utterances_with_exactly_these_words(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        utterance("u_1", "Nora works with Emil, 100% sure_ly."),
        utterance("u_2", "nora works with emil"),
        memory("m_1", "Nora works with Emil"),
    )
    with backend.store.read(ann) as unit:
        assert [m.id for m in unit.containing(words="works with Emil", limit=10)] == ["u_1"]
        assert [m.id for m in unit.containing("works with", 10)] == ["u_1", "u_2"]
        assert len(unit.containing("works with", 1)) == 1
        assert unit.containing("1__%", 10) == []


def test_superseded_by_goes_one_step_back(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        memory("m_1", superseded_by="m_2", status=Status.SUPERSEDED),
        memory("m_2", superseded_by="m_3", status=Status.SUPERSEDED),
        memory("m_3"),
    )
    with backend.store.read(ann) as unit:
        assert unit.superseded_by(["m_3"]) == ["m_2"]
        assert sorted(unit.superseded_by(["m_2", "m_3"])) == ["m_1", "m_2"]
        assert unit.superseded_by([]) == []


def test_removing_leaves_nothing_that_hangs_on_a_memory(backend: Backend, ann: Tenancy) -> None:
    put(
        backend,
        ann,
        utterance("u_1"),
        memory("m_1", evidence=(Evidence("u_1", 0, 3),)),
        memory("m_2", evidence=(Evidence("u_1", 0, 3), Evidence("u_9", 0, 1))),
        memory("m_3", superseded_by="m_1", status=Status.SUPERSEDED),
    )
    with backend.store.write(ann) as unit:
        unit.mention("m_1", [("emil", "Emil", "object"), ("nora", "Nora", "subject")])
        unit.mention("m_2", [("nora", "Nora", "subject")])
        unit.record(HistoryEntry("m_1", NOON, "stored", "agent"))
        unit.record(HistoryEntry("m_2", NOON, "stored", "agent"))
        unit.ask(question("q_1", "m_1", "m_2"))
        unit.ask(question("q_2", "m_2", "m_3"))
        unit.defer(["m_1", "m_2"], "vectors")
        unit.audit(at=NOON, action="remember", agent="agent", memory_ids=["m_1"])
    with backend.store.write(ann) as unit:
        unit.remove(memory_ids=["m_1", "u_1", "nobody"], erasure_id="e_1", at=NOON)
    with backend.store.read(ann) as unit:
        left = unit.get(["u_1", "m_1", "m_2", "m_3"])
        assert set(left) == {"m_2", "m_3"}
        assert left["m_2"].evidence == (Evidence("u_9", 0, 1),)
        assert left["m_3"].superseded_by is None
        assert unit.entities(["emil", "nora"]) == {"nora": "Nora"}
        assert unit.mentions(["m_1"]) == {}
        assert unit.history("m_1") == []
        assert len(unit.history("m_2")) == 1
        assert [q.id for q in unit.questions()] == ["q_2"]
        assert unit.deferred("vectors") == ["m_2"]
        assert unit.page(MemoryFilter(), 10).total == 2
        assert unit.forgotten(["m_1", "u_1", "m_2", "nobody"]) == {"m_1", "u_1"}
    with backend.store.read(Tenancy("ben")) as unit:
        assert unit.forgotten(["m_1"]) == set()


def test_the_audit_log_is_a_chain_and_comes_newest_first_in_pages(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        for number in range(5):
            unit.audit(at=NOON, action=f"step {number}", agent="agent", memory_ids=[f"m_{number}", "m_x"])
    with backend.store.write(Tenancy("ben")) as unit:
        unit.audit(at=NOON, action="step", agent="agent", memory_ids=["m_ben"])
    with backend.store.read(ann) as unit:
        found = unit.audited(10)
        assert [one.action for one in found] == [f"step {number}" for number in (4, 3, 2, 1, 0)]
        assert (found[0].memory_ids, found[0].agent, found[0].at) == (("m_4", "m_x"), "agent", NOON)
        assert [one.previous for one in found] == [*(one.digest for one in found[1:]), ""]
        assert len({one.digest for one in found}) == 5
        first = unit.audited(2)
        assert first == found[:2]
        assert unit.audited(10, first[-1].seq) == found[2:]
        assert unit.audited(10, found[-1].seq) == []
    with backend.store.read(Tenancy("nobody")) as unit:
        assert unit.audited(10) == []


def test_removing_again_does_no_harm(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, memory("m_1"))
    for _ in range(2):
        with backend.store.write(ann) as unit:
            unit.remove(["m_1"], "e_1", NOON)
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"]) == {}


def test_many_ids_at_once_are_no_problem(backend: Backend, ann: Tenancy) -> None:
    many = [f"m_{n:05}" for n in range(1_500)]
    put(backend, ann, *(memory(one) for one in many))
    with backend.store.write(ann) as unit:
        unit.defer(many, "vectors")
    with backend.store.read(ann) as unit:
        assert len(unit.get(many)) == 1_500
        assert unit.deferred("vectors") == many
    with backend.store.write(ann) as unit:
        unit.remove(many, "e_1", NOON)
    with backend.store.read(ann) as unit:
        assert unit.page(MemoryFilter(), 1).total == 0


USERS = ["ben", "ann2", "an", "ANN", "ann ", "team-blue.1:x", "安", "' OR 1=1 --"]


@pytest.mark.parametrize("other", USERS)
def test_no_reading_method_shows_anything_of_another_user(backend: Backend, ann: Tenancy, other: str) -> None:
    shared = {"session": "s", "subject": "user", "predicate": "likes", "evidence": (Evidence("u_1", 0, 3),)}
    put(backend, ann, utterance("u_1", "secret words", session="s"), memory("m_1", "secret fact", **shared))
    put(backend, ann, memory("m_0", superseded_by="m_1", status=Status.SUPERSEDED))
    with backend.store.write(ann) as unit:
        unit.mention("m_1", [("emil", "Emil", "object")])
        unit.ask(question("q_1", "m_1", "m_2"))
        unit.record(HistoryEntry("m_1", NOON, "stored", "agent"))
        unit.defer(["m_1"], "vectors")
        of_ann = unit.get(["m_1"])["m_1"]
    with backend.store.read(Tenancy(other)) as unit:
        assert unit.get(["m_1", "u_1"]) == {}
        assert unit.outlines(["m_1", "u_1"]) == {}
        assert unit.resting(["u_1"]) == []
        assert unit.answered() == []
        assert unit.by_key(of_ann.key, Kind.FACT) == []
        assert unit.by_subject("user", ["likes"], 10) == []
        assert unit.facts_of(["u_1"]) == {}
        assert unit.around(["u_1"]) == {}
        assert unit.page(MemoryFilter(), 10).total == 0
        assert unit.page(MemoryFilter(ids=("m_1",)), 10).memories == ()
        assert unit.ids(MemoryFilter(), 10) == []
        assert unit.questions() == []
        assert unit.questions(["m_1"]) == []
        assert unit.history("m_1") == []
        assert unit.entities(["emil"]) == {}
        assert unit.graph() == ({}, [])
        assert unit.mentions(["m_1"]) == {}
        assert unit.sessions(10) == []
        assert unit.next_position("s") == 0
        assert unit.deferred("vectors") == []
        assert unit.indexed_ids() == []
        assert unit.containing("secret", 10) == []
        assert unit.superseded_by(["m_1"]) == []
        assert unit.evidence_on("u_1") == []
        assert unit.epoch() == (0, 0)


def _attempts() -> dict[str, object]:
    return {
        "update": lambda unit: unit.update(memory("m_1", "taken over")),
        "add with the same id": lambda unit: unit.add(replace(memory("m_1", "taken over"), user="ben")),
        "answer": lambda unit: unit.answer("q_1", "keep_first", NOON),
        "remove": lambda unit: unit.remove(["m_1"], "e_1", NOON),
        "undefer": lambda unit: unit.undefer(["m_1"], "vectors"),
    }


@pytest.mark.parametrize("name", sorted(_attempts()))
def test_no_writing_method_reaches_another_user(backend: Backend, ann: Tenancy, ben: Tenancy, name: str) -> None:
    put(backend, ann, memory("m_1", "mine", evidence=(Evidence("u_1", 0, 1),)))
    with backend.store.write(ann) as unit:
        unit.ask(question("q_1", "m_1"))
        unit.defer(["m_1"], "vectors")
    try:
        with backend.store.write(ben) as unit:
            _attempts()[name](unit)  # type: ignore[operator]
    except MemoryServerError:
        pass
    with backend.store.read(ann) as unit:
        assert unit.get(["m_1"])["m_1"].statement == "mine"
        assert unit.get(["m_1"])["m_1"].evidence == (Evidence("u_1", 0, 1),)
        assert [q.id for q in unit.questions()] == ["q_1"]
        assert unit.deferred("vectors") == ["m_1"]


def test_an_outline_says_what_the_memory_says(backend: Backend, ann: Tenancy) -> None:
    words = memory("u_1", kind=Kind.UTTERANCE, session="s")
    fact = memory("m_1", evidence=(Evidence("u_1", 0, 4), Evidence("u_2", 1, 2)), session="s")
    with backend.store.write(ann) as unit:
        unit.add(words)
        unit.add(fact)
    with backend.store.read(ann) as unit:
        found = unit.outlines(["m_1", "u_1", "absent"])
        resting = unit.resting(["u_1"])
    assert set(found) == {"m_1", "u_1"}
    outline = found["m_1"]
    assert (outline.kind, outline.status, outline.session) == (fact.kind.value, fact.status.value, "s")
    assert outline.said_at == to_micros(fact.said_at)
    assert outline.confidence == fact.confidence
    assert outline.utterances.split() == ["u_1", "u_2"]
    assert found["u_1"].utterances == ""
    assert [(one, rests.id) for one, rests in resting] == [("u_1", "m_1")]


def test_outlines_are_of_the_user_alone(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.add(memory("m_1", evidence=(Evidence("u_1", 0, 4),)))
    with backend.store.read(ben) as unit:
        assert unit.outlines(["m_1"]) == {}
        assert unit.resting(["u_1"]) == []
