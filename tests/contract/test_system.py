"""Bookkeeping of the whole store, and copies of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.memory.ports import Backend, Erasure, Tenancy, TextDocument, Token
from tests.fakes import NOON
from tests.support import memory

LATER = NOON + timedelta(minutes=10)


def test_users_are_those_who_wrote(backend: Backend, ann: Tenancy, ben: Tenancy) -> None:
    for tenancy, name in ((ben, "m_2"), (ann, "m_1")):
        with backend.store.write(tenancy) as unit:
            unit.add(memory(name, user=tenancy.user))
    with backend.store.system() as system:
        assert sorted(system.users()) == ["ann", "ben"]


def test_settings_of_the_store_are_kept(backend: Backend) -> None:
    with backend.store.system(write=True) as system:
        assert system.meta(name="embedder") is None
        system.set_meta(name="embedder", value="a")
        system.set_meta("embedder", "b")
    with backend.store.system() as system:
        assert system.meta("embedder") == "b"


def test_a_bookkeeping_unit_that_fails_leaves_nothing(backend: Backend) -> None:
    with pytest.raises(RuntimeError), backend.store.system(write=True) as system:
        system.set_meta("embedder", "a")
        raise RuntimeError
    with backend.store.system() as system:
        assert system.meta("embedder") is None


def test_deferred_work_comes_due_in_order_and_after_failures_later(
    backend: Backend, ann: Tenancy, ben: Tenancy
) -> None:
    for tenancy, ids in ((ann, ["m_1", "m_2"]), (ben, ["m_3"])):
        with backend.store.write(tenancy) as unit:
            unit.defer(ids, "vectors")
    with backend.store.write(ann) as unit:
        unit.defer(["m_1"], "graph")
    with backend.store.system() as system:
        rows = system.due(projection="vectors", now=NOON, limit=10)
        assert [(row.user, row.memory_id, row.attempts) for row in rows] == [
            ("ann", "m_1", 0),
            ("ann", "m_2", 0),
            ("ben", "m_3", 0),
        ]
        assert len(system.due("vectors", NOON, 2)) == 2
        assert system.backlog() == {"vectors": 3, "graph": 1}
    with backend.store.system(write=True) as system:
        system.retry(seq=rows[0].seq, next_at=LATER, error="unavailable")
        system.done(seqs=[rows[2].seq])
    with backend.store.system() as system:
        assert [row.memory_id for row in system.due("vectors", NOON, 10)] == ["m_2"]
        late = system.due("vectors", LATER, 10)
        assert [(row.memory_id, row.attempts) for row in late] == [("m_1", 1), ("m_2", 0)]
        assert system.backlog() == {"vectors": 2, "graph": 1}


def test_receipts_are_replaced_and_found_by_their_end(backend: Backend) -> None:
    wish = Erasure("e_1", "ann", "requested", ("m_1",), NOON)
    done = Erasure("e_1", "ann", "done", ("m_1", "m_2"), NOON, LATER, ("ledger", "text"), ())
    other = Erasure("e_2", "ben", "pending", ("m_3",), LATER, None, ("ledger",), ("backup: x",))
    with backend.store.system(write=True) as system:
        system.save_erasure(erasure=other)
        system.save_erasure(wish)
    with backend.store.system() as system:
        assert system.erasures(finished=False) == [wish, other]
        assert system.erasures(finished=True) == []
    with backend.store.system(write=True) as system:
        system.save_erasure(done)
    with backend.store.system() as system:
        assert system.erasures(finished=True) == [done]
        assert system.erasures(finished=False) == [other]


def test_copies_are_remembered_until_they_are_dropped(backend: Backend) -> None:
    with backend.store.system(write=True) as system:
        system.add_backup(path="/b", made_at=LATER)
        system.add_backup("/a", NOON)
        system.add_backup("/a", NOON)
        assert system.backups() == ["/a", "/b"]
        system.drop_backup(path="/a")
        system.drop_backup("/nobody")
    with backend.store.system() as system:
        assert system.backups() == ["/b"]


def test_a_confirmation_is_taken_once_by_its_own_user_in_its_time(backend: Backend) -> None:
    with backend.store.system(write=True) as system:
        for name in ("one", "two", "three"):
            system.save_confirmation(digest=name, user="ann", memory_ids=["m_1", "m_2"], expires_at=LATER)
    with backend.store.system(write=True) as system:
        assert system.take_confirmation(digest="one", user="ben", now=NOON) is None
        assert system.take_confirmation("one", "ann2", NOON) is None
        assert system.take_confirmation("nobody", "ann", NOON) is None
        assert system.take_confirmation("one", "ann", NOON) == ("m_1", "m_2")
        assert system.take_confirmation("one", "ann", NOON) is None
    with backend.store.system(write=True) as system:
        assert system.take_confirmation("two", "ann", LATER - timedelta(microseconds=1)) == ("m_1", "m_2")
        assert system.take_confirmation("three", "ann", LATER) is None


def test_tokens_are_kept_by_id_oldest_first(backend: Backend) -> None:
    first = Token("t_1", "laptop", "ann", "d1", NOON)
    second = Token("t_2", "phone", "ben", "d2", LATER, LATER, None)
    with backend.store.system(write=True) as system:
        system.save_token(token=second)
        system.save_token(first)
    revoked = Token("t_1", "laptop", "ann", "d1", NOON, None, LATER)
    with backend.store.system(write=True) as system:
        assert system.tokens() == [first, second]
        system.save_token(revoked)
    with backend.store.system() as system:
        assert system.tokens() == [revoked, second]


def test_a_copy_is_a_store_of_its_own(backend: Backend, ann: Tenancy, tmp_path: Path) -> None:
    with backend.store.write(ann) as unit:
        unit.add(memory("m_1"))
        backend.text_index.upsert(ann, [TextDocument("m_1", ("word",), "d")], unit)
    path = tmp_path / "copy.db"
    backend.store.backup(path=str(path))
    with backend.store.copy(path=str(path)) as copy, copy.store.write(ann) as unit:
        assert set(unit.get(["m_1"])) == {"m_1"}
        unit.remove(["m_1"], "e_1", NOON)
        copy.text_index.delete(ann, ["m_1"], unit)
    with backend.store.copy(str(path)) as copy:
        with copy.store.read(ann) as unit:
            assert unit.get(["m_1"]) == {}
        assert copy.text_index.search(ann, ["word"], 10) == ()
    with backend.store.read(ann) as unit:
        assert set(unit.get(["m_1"])) == {"m_1"}
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["copy.db"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_copy_is_never_written_over_a_file_or_into_nowhere(backend: Backend, tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidArgumentError):
        backend.store.backup(str(path))
    assert path.read_text(encoding="utf-8") == "mine"
    with pytest.raises(InvalidArgumentError):
        backend.store.backup(str(tmp_path / "no" / "such" / "folder"))


def test_a_copy_that_is_gone_is_unavailable(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError), backend.store.copy(str(tmp_path / "gone")):
        pass


def test_a_sound_store_has_no_faults_and_can_be_scrubbed(backend: Backend, ann: Tenancy) -> None:
    with backend.store.write(ann) as unit:
        unit.add(memory("m_1"))
        backend.text_index.upsert(ann, [TextDocument("m_1", ("word",), "d")], unit)
    assert backend.store.scrub() is True
    assert backend.store.check() == []
    about = backend.store.about()
    assert about["engine"]
    assert about["schema"]
