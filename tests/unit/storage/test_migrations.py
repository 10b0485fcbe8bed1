"""A store of an earlier version is brought up to date when it is opened, and keeps what is in it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from mcp_memory_server.memory.service import FeedbackRequest, RecallRequest, RememberRequest
from mcp_memory_server.storage.sqlite.store import FILE_NAME
from tests.harness import house

_LATER = ("memory_by_id", "memory_by_successor", "memory_by_kind", "question_by_id", "tombstone_by_user")


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
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(FILE_NAME + ".before")] == []


def test_a_store_of_the_second_version_gets_the_tables_of_feedback_and_triggers(tmp_path: Path) -> None:
    with house(tmp_path) as opened:
        opened.app.service.remember(opened.principal(), RememberRequest(said="I live in Paris."))
        fresh = schema(opened)
        with opened.app.backend.store.system(write=True) as system:
            for name in ("recall", "feedback", "firing"):
                system.connection.execute(text(f"DROP TABLE {name}"))
            system.connection.execute(text("UPDATE alembic_version SET version_num = '0002'"))
    with house(tmp_path) as opened:
        assert schema(opened) == fresh
        found = opened.app.service.recall(opened.principal(), RecallRequest("Where do I live?"))
        request = FeedbackRequest(found["recall_id"], used=(found["memories"][0]["id"],))
        assert len(opened.app.service.give_feedback(opened.principal(), request)["changed"]) == 1
