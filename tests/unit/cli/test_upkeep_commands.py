from __future__ import annotations

from pathlib import Path

import pytest

from mcp_memory_server import bootstrap
from mcp_memory_server.bootstrap import embedded_backend
from mcp_memory_server.embedding import bundled
from mcp_memory_server.errors import UnavailableError
from tests.cli_support import Cli
from tests.fakes import FailingEmbedder, HashEmbedder


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """The commands on a store that holds an utterance and two facts."""
    cli("remember", "I am allergic to peanuts. I live in Berlin.")
    return cli


def use(monkeypatch: pytest.MonkeyPatch, embedder: object) -> None:
    monkeypatch.setattr(bootstrap, "embedder_of", lambda _settings: embedder)


def break_text(folder: Path, statement: str) -> None:
    """Take something out of a projection behind the ledger's back."""
    from mcp_memory_server.bootstrap import embedded_backend
    from mcp_memory_server.memory.ports import MemoryFilter, Tenancy

    backend = embedded_backend(folder)
    with backend.store.write(Tenancy("me")) as unit:
        ids = [one.id for one in unit.page(MemoryFilter(), 10).memories if statement in one.statement]
        backend.text_index.delete(Tenancy("me"), ids, unit)
    backend.store.close()


def test_a_sound_store_verifies(filled: Cli) -> None:
    ran = filled("verify")
    assert (ran.code, ran.out) == (0, "Everything agrees; users: 1.\n")
    answer = filled("verify", "--json").json
    assert answer["ok"] is True
    assert {row["projection"] for row in answer["projections"]} == {"text", "vectors", "graph", "archive"}


def test_drift_is_named_and_mended(filled: Cli, folder: Path) -> None:
    break_text(folder, "peanuts")
    ran = filled("verify")
    assert (ran.code, ran.error) == (1, "conflict")
    assert "me, text: 2 missing" in ran.out
    as_json = filled("verify", "--json")
    assert as_json.code == 1
    assert as_json.json["ok"] is False
    assert filled("rebuild", "text").code == 0
    assert filled("verify").code == 0
    assert filled("rebuild", "--json").json["projections"] == ["text", "vectors", "graph", "archive"]


def test_faults_of_the_file_are_told(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.storage.sqlite.store import SqliteStore

    monkeypatch.setattr(SqliteStore, "check", lambda _self: ["page 7 is torn"])
    ran = filled("verify")
    assert (ran.code, ran.error) == (1, "unavailable")
    assert "page 7 is torn" in ran.out


def test_a_backup_is_known_to_forget(filled: Cli, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert filled("backup", str(copy)).code == 0
    assert b"peanuts" in copy.read_bytes()
    assert filled("backup", str(copy)).error == "conflict"
    assert filled("forget", "--query", "peanuts", "--yes").code == 0
    assert b"peanuts" not in copy.read_bytes()
    assert filled("backup", str(copy), "--gone").error == "conflict"
    copy.unlink()
    assert "no longer known" in filled("backup", str(copy), "--gone").out.lower()
    assert filled("backup", str(copy), "--gone").code == 2


def test_a_backup_into_nowhere_leaves_nothing_behind(filled: Cli, tmp_path: Path) -> None:
    ran = filled("backup", str(tmp_path / "nowhere" / "copy.db"))
    assert (ran.code, ran.error) == (1, "invalid_argument")
    checks = {check["name"]: check for check in filled("doctor", "--json").json["checks"]}
    assert checks["backups"]["detail"] == "-"


def test_a_missing_backup_keeps_a_forgetting_pending(filled: Cli, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    filled("backup", str(copy))
    copy.rename(tmp_path / "moved.db")
    forgotten = filled("forget", "--query", "peanuts", "--yes")
    assert "Still pending: backup:" in forgotten.out
    report = filled("maintain", "--json").json
    assert report["pending"] == [f"backup: {copy}"]
    assert "Still pending" in filled("maintain").out
    checks = {check["name"]: check["state"] for check in filled("doctor", "--json").json["checks"]}
    assert (checks["erasures"], checks["backups"]) == ("warn", "warn")
    (tmp_path / "moved.db").rename(copy)
    assert filled("maintain", "--json").json["pending"] == []
    assert b"peanuts" not in copy.read_bytes()


def test_maintenance_twice_changes_nothing(filled: Cli) -> None:
    first = filled("maintain", "--json").json
    assert first["log_emptied"] is True
    assert filled("maintain", "--json").json == first | {"embedded": 0}
    assert "Done" in filled("maintain").out


def test_of_two_maintenance_runs_one_does_nothing(filled: Cli, folder: Path) -> None:
    other = embedded_backend(folder).store
    with other.alone("maintain") as free:
        assert free
        ran = filled("maintain")
    other.close()
    assert ran.code == 0
    assert "Another maintenance run" in ran.out


def test_the_daemon_ends_when_it_is_told(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.maintenance import loop

    seconds = []
    monkeypatch.setattr(loop, "repeat", lambda step, every: (step(), seconds.append(every)))
    assert filled("maintain", "--daemon", "--every", "5").code == 0
    assert seconds == [300]


def test_another_model_is_embedded_now(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, HashEmbedder("fake-b", 32))
    checks = {check["name"]: check for check in filled("doctor", "--json").json["checks"]}
    assert checks["vectors"]["state"] == "warn"
    assert "fake-a" in checks["vectors"]["detail"]
    assert "fake-b" in checks["vectors"]["detail"]
    assert filled("reindex", "--json").json == {"model": "fake-b", "embedded": 3, "retired_models": ["fake-a"]}
    assert filled("reindex", "--json").json["embedded"] == 0
    assert filled("reindex", "--all", "--json").json["embedded"] == 3
    assert filled("verify").code == 0


def test_a_model_that_fails_leaves_the_work_for_later(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, FailingEmbedder())
    ran = filled("reindex", "--all")
    assert (ran.code, ran.error) == (1, "unavailable")
    assert "Berlin" in filled("recall", "Where do I live in Berlin?").out


def test_without_vectors_there_is_nothing_to_reindex(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, None)
    assert filled("reindex").error == "unsupported"
    assert filled("rebuild", "--json").json["embedded"] == 0
    assert filled("maintain").code == 0
    checks = {check["name"]: check["detail"] for check in filled("doctor", "--json").json["checks"]}
    assert checks["model"] == "off"


def test_a_missing_model_is_named(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(HashEmbedder):
        def load(self) -> None:
            raise UnavailableError("the model is not there")

        def ready(self) -> bool:
            return False

    use(monkeypatch, Missing())
    ran = filled("recall", "peanuts")
    assert ran.code == 0
    assert "the model is not there" in ran.err
    broken = filled("doctor")
    assert (broken.code, broken.error) == (1, "unavailable")
    assert "embedder.kind" in broken.out


def test_a_user_is_erased_with_receipts(filled: Cli) -> None:
    refused = filled("erase", "--user", "me")
    assert (refused.code, refused.error) == (1, "consent_required")
    ran = filled("erase", "--user", "me", "--yes")
    assert "Erased everything of me (memories: 3)" in ran.out
    assert "Receipt" in ran.out
    assert "Nothing is stored" in filled("erase", "--user", "me").out
    assert filled("erase", "--user", "me", "--json").json == {"user": "me", "memories": 0, "receipts": []}


def test_the_bundled_model_is_found_by_the_shipped_wiring() -> None:
    assert isinstance(bundled.bundled().dimension, int)
