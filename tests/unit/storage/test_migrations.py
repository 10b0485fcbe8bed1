"""A store of an earlier version is brought up to date when it is opened, and keeps what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.memory.service import FeedbackRequest, RecallRequest, RememberRequest
from mcp_memory_server.storage.sql.migrate import HEAD
from mcp_memory_server.storage.sqlite import store
from mcp_memory_server.storage.sqlite.store import FILE_NAME, SqliteStore
from tests.fakes import HashEmbedder, noon, seeded_ids
from tests.harness import house

_LATER = ("memory_by_id", "memory_by_successor", "memory_by_kind", "question_by_id", "tombstone_by_user")


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(FILE_NAME + ".before"))


def schema(opened: object) -> dict[str, str]:
    with opened.app.backend.store.system() as system:  # type: ignore[attr-defined]
        rows = system.connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        return {name: " ".join(sql.split()) for name, sql in rows}


def test_a_store_of_the_first_version_gets_the_later_indexes(tmp_path: Path) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
        fresh = schema(opened)
        with opened.app.backend.store.system(write=True) as system:
            for name in _LATER:
                system.connection.execute(text(f"DROP INDEX {name}"))
            system.connection.execute(text('CREATE INDEX tombstone_by_user ON tombstone ("user")'))
            system.connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    with house(tmp_path) as opened:
        assert schema(opened) == fresh
        found = opened.app.service.recall(opened.principal(), RecallRequest("Where do I live?"))
        assert found["memories"][0]["object"]["value"] == "Paris"
    assert copies(tmp_path) == []


def test_a_store_of_the_second_version_gets_readings_and_working_memory(tmp_path: Path) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
        fresh = schema(opened)
        with opened.app.backend.store.system(write=True) as system:
            for statement in (
                "ALTER TABLE memory DROP COLUMN read_at",
                "DROP TABLE working_item",
                "DROP TABLE working_version",
                "UPDATE alembic_version SET version_num = '0002'",
            ):
                system.connection.execute(text(statement))
    over = Overrides(clock=noon(), embedder=HashEmbedder(), ids=seeded_ids(8))
    with house(tmp_path, over) as opened:
        migrated = schema(opened)
        assert set(migrated) == set(fresh)
        assert {name for name in fresh if migrated[name] != fresh[name]} == {"memory"}  # the column stands last now
        service, ann = opened.app.service, opened.principal()
        service.remember(ann, RememberRequest(said="I like oolong tea.", session="s"))
        assert service.working(ann, "s")["version"] == 1
        found = service.recall(ann, RecallRequest("Where do I live?"))["memories"][0]
        assert found["object"]["value"] == "Paris"
        service.note_read(ann.tenancy, [found["id"]])
        with opened.app.backend.store.read(ann.tenancy) as unit:
            assert unit.get([found["id"]])[found["id"]].read_at == opened.clock.now()
            assert unit.outlines([found["id"]])[found["id"]].read_at is not None


def test_a_store_of_the_third_version_gets_the_tables_of_feedback_and_triggers(tmp_path: Path) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
        fresh = schema(opened)
        with opened.app.backend.store.system(write=True) as system:
            for name in ("recall", "feedback", "firing"):
                system.connection.execute(text(f"DROP TABLE {name}"))
            system.connection.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    with house(tmp_path) as opened:
        assert schema(opened) == fresh
        found = opened.app.service.recall(opened.principal(), RecallRequest("Where do I live?"))
        request = FeedbackRequest(found["recall_id"], used=(found["memories"][0]["id"],))
        assert len(opened.app.service.give_feedback(opened.principal(), request)["changed"]) == 1


def test_the_copy_that_a_crash_after_a_migration_left_is_removed(tmp_path: Path) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
    (tmp_path / f"{FILE_NAME}.before-{HEAD}").write_bytes(b"all that was remembered")
    (tmp_path / f"{FILE_NAME}.before-9999").write_bytes(b"of a later program, which is at it")
    with house(tmp_path):
        assert copies(tmp_path) == [f"{FILE_NAME}.before-9999"]


def test_a_migration_that_fails_changes_nothing_and_keeps_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
        with opened.app.backend.store.system(write=True) as system:
            system.connection.execute(text("DROP INDEX memory_by_id"))
            system.connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))

    def fail(_connection: object, _begin: str) -> None:
        raise RuntimeError("the power is gone")

    with monkeypatch.context() as patch:
        patch.setattr(store, "migrate", fail)
        with pytest.raises(RuntimeError):
            SqliteStore(tmp_path / FILE_NAME)
    assert copies(tmp_path) == [f"{FILE_NAME}.before-{HEAD}"]
    with house(tmp_path) as opened:
        assert opened.app.service.recall(opened.principal(), RecallRequest("Where do I live?"))["memories"]
        assert copies(tmp_path) == []
