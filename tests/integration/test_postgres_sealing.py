"""What stands on the server's disk, before and after an erasure, and what opens it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import psycopg
import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.interchange import native
from mcp_memory_server.memory.ports import MemoryFilter, Tenancy
from mcp_memory_server.memory.service import CorrectRequest, RecallRequest, RememberRequest
from mcp_memory_server.storage.verify import verify
from tests.fakes import HashEmbedder
from tests.harness import contents, holds, settings_for
from tests.integration.support import application, principal
from tests.services import Database
from tests.support import memory, utterance

ANN = Tenancy("ann")
SAID = (
    "I live in Valparaiso with Wilhelmina Okonkwo.",
    "My budget for the train is 48271936 euros.",
    "我住在乌鲁木齐。",
)
WORDS = ("Valparaiso", "Wilhelmina", "wilhelmina", "48271936", "乌鲁木齐", "valparaiso")


def fill(app: Application, user: str = "ann") -> None:
    for said in SAID:
        app.service.remember(principal(user), RememberRequest(said=said, session=f"about {WORDS[0]}"))
    app.service.remember(principal(user), RememberRequest(said="I live in Trondheim."))


def flushed(database: Database) -> None:
    """Everything that the server has in memory is on its disk."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")


def told(place: Path) -> list[str]:
    """The words of ann that stand in any file of a folder."""
    return [f"{word} in {name}" for word in WORDS for name in holds(place, word)]


def test_nothing_that_was_said_stands_on_the_servers_disk_or_beside_it(
    app: Application, database: Database, tmp_path: Path
) -> None:
    fill(app)
    app.projector.drain()
    app.service.recall(principal(), RecallRequest("Where does Wilhelmina live?"))
    flushed(database)
    assert told(database.data) == []
    assert told(tmp_path) == []
    with psycopg.connect(database.url) as connection:
        count = connection.execute("SELECT count(*) FROM memory WHERE \"user\" = 'ann'").fetchone()
    assert count is not None
    assert count[0] > 4


def test_an_erased_users_key_is_gone_and_nothing_else_opens_what_is_left(
    app: Application, database: Database, tmp_path: Path
) -> None:
    fill(app)
    fill(app, "ben")
    app.projector.drain()
    app.service.recall(principal(), RecallRequest("Where do I live?"))
    backup = tmp_path / "copy.db"
    app.backend.store.backup(str(backup))
    with psycopg.connect(database.url) as connection:
        rows = connection.execute("SELECT statement FROM memory WHERE \"user\" = 'ann'").fetchall()
    keys = {path: path.read_bytes() for path in (tmp_path / "keys").glob("*.key")}
    assert len(keys) == 2
    receipts = app.service.erase_user(principal())
    assert [receipt["state"] for receipt in receipts] == ["done"]
    assert "key" in receipts[0]["places"]
    left = list((tmp_path / "keys").glob("*.key"))
    assert len(left) == 1
    (gone,) = set(keys) - set(left)
    flushed(database)
    assert told(database.data) == []
    assert told(tmp_path) == []
    # The server's log still holds the sealed rows; neither they nor a copy open with anything that is there.
    assert not [name for name in holds(tmp_path, keys[gone].hex()) if name]
    assert all(keys[gone] not in data for _, data in contents(database.data))
    for (statement,) in rows:
        assert statement.startswith("1")
    closed = pytest.raises(UnavailableError, match="does not open")
    with app.backend.store.copy(str(backup)) as copy, closed, copy.store.read(ANN) as unit:
        unit.page(wanted=MemoryFilter(), limit=10)
    # Ben, who said the same, has lost nothing; and ann may begin anew.
    assert app.service.recall(principal("ben"), RecallRequest("Where does Wilhelmina Okonkwo live?"))["memories"]
    fill(app)
    assert app.service.recall(principal(), RecallRequest("Where do I live?"))["memories"]


def test_forgetting_one_memory_reaches_every_projection_at_once(app: Application) -> None:
    fill(app)
    app.projector.drain()
    found = app.service.recall(principal(), RecallRequest("What is my budget for the train?"))["memories"][0]
    receipt = app.service.forget(principal(), (found["id"],))["receipt"]
    assert receipt["state"] == "done"
    assert "key" not in receipt["places"]
    asked = app.service.recall(principal(), RecallRequest("What is my budget for the train?"))
    assert "48271936" not in json.dumps(asked)
    app.projector.drain()
    assert [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting] == []


def test_what_is_not_projected_yet_is_found_all_the_same(app: Application) -> None:
    fill(app)
    with app.backend.store.system() as system:
        assert system.backlog()
    found = app.service.recall(principal(), RecallRequest("Where does Wilhelmina live?"))["memories"]
    assert any("Wilhelmina" in one["statement"] for one in found)


def test_contradictions_questions_and_corrections_work_on_sealed_rows(app: Application) -> None:
    app.service.remember(principal(), RememberRequest(said="I live in Paris."))
    app.service.remember(principal(), RememberRequest(said="I live in Lyon."))
    asked = app.service.questions(principal())[0]
    assert "Paris" in json.dumps(asked)
    app.service.correct(principal(), CorrectRequest(question_id=asked["id"], verdict="keep_second"))
    assert app.service.questions(principal()) == []
    with app.backend.store.read(ANN) as unit:
        ((_question, answer, _at),) = unit.answered()
    assert answer == "keep_second"


def test_another_folder_of_keys_opens_nothing_and_writes_nothing(
    app: Application, database: Database, tmp_path: Path
) -> None:
    fill(app)
    other = application(database.url, tmp_path / "other keys", tmp_path / "elsewhere")
    try:
        with pytest.raises(UnavailableError, match="key"):
            other.service.remember(principal(), RememberRequest(said="I live in Oslo."))
        with pytest.raises(UnavailableError, match="key"), other.backend.store.read(ANN) as unit:
            unit.page(wanted=MemoryFilter(), limit=10)
        assert other.backend.store.check() == ["the key of ann is not there"]
    finally:
        other.close()
    assert app.backend.store.check() == []
    assert "Oslo" not in json.dumps(app.service.recall(principal(), RecallRequest("Where do I live?")))


def test_a_value_moved_to_another_row_in_the_database_does_not_open(app: Application, database: Database) -> None:
    with app.backend.store.write(ANN) as unit:
        unit.add(memory("m_1", "one"))
        unit.add(memory("m_2", "two"))
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(
            "UPDATE memory SET statement = (SELECT statement FROM memory WHERE id = 'm_1') WHERE id = 'm_2'"
        )
    with app.backend.store.read(ANN) as unit:
        assert unit.get(["m_1"])["m_1"].statement == "one"
        with pytest.raises(UnavailableError, match="does not open"):
            unit.get(["m_2"])


def test_texts_that_no_text_column_holds_are_kept(app: Application) -> None:
    odd = "a NUL \0, a lone half \ud800, and 🫖"
    with app.backend.store.write(ANN) as unit:
        unit.add(utterance("u_1", odd, session="s\0"))
    with app.backend.store.read(ANN) as unit:
        assert unit.get(["u_1", "u\0", "\ud800"])["u_1"].statement == odd
        assert [one.id for one in unit.containing("NUL \0,", 5)] == ["u_1"]
        assert unit.next_position("s\0") == 1


def exported(app: Application) -> list[dict[str, object]]:
    file = io.BytesIO()
    native.export(app.backend, ANN, file, app.clock.now())
    return [json.loads(line) for line in file.getvalue().splitlines()[1:]]


def test_export_from_the_embedded_store_and_import_loses_nothing(app: Application, tmp_path: Path) -> None:
    old = build(settings_for(tmp_path / "old"), Overrides(embedder=HashEmbedder()))
    fill(old)
    asked = old.service.questions(principal())
    old.service.correct(principal(), CorrectRequest(question_id=asked[0]["id"], verdict="keep_second"))
    old.service.remember(principal(), RememberRequest(said="I live in Oslo."))
    file = io.BytesIO()
    native.export(old.backend, ANN, file, old.clock.now())
    before = exported(old)
    file.seek(0)
    report = native.load(app.backend, app.context.model, ANN, file, app.clock.now())
    assert (report.skipped, report.complete) == (0, True)
    assert exported(app) == before
    app.projector.drain()
    assert [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting] == []
    old.close()
