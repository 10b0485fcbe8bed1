"""What the ledger keeps for upkeep: the archive, readings, and working memory, on every back end."""

from __future__ import annotations

from datetime import timedelta

from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.ports import Backend, Tenancy, WorkingVersion
from tests.fakes import NOON
from tests.support import memory, utterance


def put(backend: Backend, tenancy: Tenancy, *memories: Memory) -> None:
    with backend.store.write(tenancy) as unit:
        for one in memories:
            unit.add(one)


def version(number: int, *ids: str, session: str = "s", minutes: int = 0) -> WorkingVersion:
    return WorkingVersion(session, number, NOON + timedelta(minutes=minutes), "remember", ids)


def test_archived_memories_are_found_by_text_and_by_subject(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    faded = {"status": Status.ARCHIVED, "subject": "user", "predicate": "likes"}
    put(
        backend,
        ann,
        memory("m_1", "I like tea.", **faded),
        memory("m_2", "I like rice.", **faded),
        memory("m_3", "I like tea.", subject="user", predicate="likes"),
        memory("m_4", "I like tea.", kind=Kind.EVENT, status=Status.ARCHIVED),
        memory("m_5", "I own tea.", **faded | {"predicate": "owns"}),
    )
    key = memory("m", "I like tea.").key
    with backend.store.read(ann) as unit:
        assert [one.id for one in unit.archived_by_key(key, Kind.FACT)] == ["m_1"]
        assert [one.id for one in unit.archived_by_key(key, Kind.EVENT)] == ["m_4"]
        assert [one.id for one in unit.archived_by_subject("user", ["likes"], 10)] == ["m_2", "m_1"]
        assert [one.id for one in unit.archived_by_subject("user", ["likes", "owns"], 1)] == ["m_5"]
    with backend.store.read(ben) as unit:
        assert unit.archived_by_key(key, Kind.FACT) == []
        assert unit.archived_by_subject("user", ["likes"], 10) == []


def test_a_reading_is_kept_without_a_new_version(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    put(backend, ann, memory("m_1"), memory("m_2"))
    with backend.store.write(ben) as unit:
        unit.note_read(["m_1"], NOON)
    with backend.store.write(ann) as unit:
        unit.note_read(["m_2", "nobody"], NOON + timedelta(days=3))
    with backend.store.read(ann) as unit:
        found = unit.get(["m_1", "m_2"])
        assert (found["m_1"].read_at, found["m_1"].version) == (None, 1)
        assert (found["m_2"].read_at, found["m_2"].version) == (NOON + timedelta(days=3), 1)


def test_each_version_of_working_memory_reads_back(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    made = [
        version(1, "m_1", "m_2"),
        version(2, "m_1", "m_2", "m_3", minutes=1),
        version(3, "m_2", "m_3", "m_1", minutes=2),
        version(4, minutes=3),
        version(5, "m_1", "m_2", minutes=4),
    ]
    for one in made:
        with backend.store.write(ann) as unit:
            unit.save_working(one, 20)
    with backend.store.read(ann) as unit:
        assert unit.working("s") == made[-1]
        assert [unit.working("s", one.version) for one in made] == made
        assert unit.working("s", 6) is None
        assert unit.working("other") is None
        assert [(one.version, one.memory_ids) for one in unit.working_versions("s")] == [(n, ()) for n in range(1, 6)]
        assert unit.working_ids() == ["m_1", "m_2", "m_3"]
    with backend.store.read(ben) as unit:
        assert unit.working("s") is None
        assert unit.working_ids() == []


def test_old_versions_go(backend: Backend, ann: Tenancy) -> None:
    for number in range(1, 8):
        with backend.store.write(ann) as unit:
            unit.save_working(version(number, f"m_{number}", "m_0"), 2)
    with backend.store.read(ann) as unit:
        assert [one.version for one in unit.working_versions("s")] == [5, 6, 7]
        assert unit.working("s", 5) == version(5, "m_5", "m_0")
        assert unit.working_ids() == ["m_0", "m_5", "m_6", "m_7"]


def test_idle_sessions_are_named_and_cleared(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.save_working(version(1, "m_1"), 5)
        unit.save_working(version(2, "m_1", "m_2", minutes=10), 5)
        unit.save_working(version(1, "m_1", session="t", minutes=1), 5)
    with backend.store.read(ben) as unit:
        assert unit.idle_sessions(NOON + timedelta(days=1)) == []
    with backend.store.write(ann) as unit:
        assert unit.idle_sessions(NOON + timedelta(minutes=1)) == []
        assert unit.idle_sessions(NOON + timedelta(minutes=5)) == ["t"]
        unit.clear_working("t")
    with backend.store.read(ann) as unit:
        assert unit.working("t") is None
        assert unit.working_versions("t") == []
        assert unit.working("s") == version(2, "m_1", "m_2", minutes=10)


def test_what_is_removed_leaves_every_version_and_an_empty_session_goes(backend: Backend, ann: Tenancy) -> None:
    put(backend, ann, utterance("u_1"), memory("m_1"), memory("m_2"))
    with backend.store.write(ann) as unit:
        unit.save_working(version(1, "u_1", "m_1"), 5)
        unit.save_working(version(2, "m_1", "m_2"), 5)
        unit.save_working(version(1, "m_1", session="a secret name"), 5)
    with backend.store.write(ann) as unit:
        unit.remove(["m_1", "u_1"], "e_1", NOON)
    with backend.store.read(ann) as unit:
        assert unit.working("s", 1) == version(1)
        assert unit.working("s") == version(2, "m_2")
        assert unit.working("a secret name") is None
        assert unit.working_versions("a secret name") == []
        assert unit.working_ids() == ["m_2"]
