from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_memory_server import bootstrap
from mcp_memory_server.bootstrap import embedded_backend
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.memory.records import SET_ASIDE_AT
from mcp_memory_server.settings import Settings
from mcp_memory_server.storage.composed import Composed
from tests.cli_support import Cli


def states(cli: Cli) -> dict[str, str]:
    ran = cli("doctor", "--json")
    assert ran.out, ran.err
    return {check["name"]: check["state"] for check in ran.json["checks"]}


def test_a_new_installation_is_in_order(cli: Cli, folder: Path) -> None:
    ran = cli("doctor")
    assert ran.code == 0
    assert str(folder) in ran.out
    assert "SQLite 3." in ran.out
    found = states(cli)
    assert set(found.values()) == {"ok"}
    assert {"version", "packages", "configuration", "folder", "disk", "store", "file", "vectors", "outbox"} <= set(
        found
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_a_store_that_others_can_read_is_told(cli: Cli, folder: Path) -> None:
    cli("list")
    folder.chmod(0o755)
    (folder / "memory.db").chmod(0o644)
    found = states(cli)
    assert (found["folder"], found["file"]) == ("warn", "warn")
    assert "chmod 700" in cli("doctor").out


def test_a_file_in_the_place_of_the_folder_is_told(cli: Cli, folder: Path) -> None:
    folder.write_text("no folder", encoding="utf-8")
    ran = cli("doctor")
    assert (ran.code, ran.error) == (1, "unavailable")
    assert "FAIL" in ran.out


def test_a_folder_that_cannot_be_written_is_told(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's refusal is played: nothing is forbidden to whoever runs the tests as root."""
    folder.mkdir(mode=0o700)
    really = os.open

    def refusing(path: object, flags: int, *more: int, **named: int) -> int:
        if str(path).startswith(str(folder)) and flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return really(path, flags, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refusing)
    ran = cli("doctor")
    assert ran.code == 1
    assert "FAIL" in ran.out


def test_a_store_that_cannot_be_opened_is_told(cli: Cli, folder: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "memory.db").write_bytes(b"this is no database, but long enough to be looked at" * 100)
    ran = cli("doctor")
    assert ran.code == 1
    assert "backup" in ran.out


def test_a_full_disk_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(100, 99, 1))
    assert states(cli)["disk"] == "warn"


def test_chinese_is_spoken(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_LANGUAGE", "zh")
    assert "数据文件夹" in cli("doctor").out


def test_triggers_are_told_with_what_waits_for_them(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_TRIGGERS", '[{"name": "once", "count": 1, "webhook": "http://127.0.0.1:9/"}]')
    cli("remember", "How do I get a refund?")
    found = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert (found["triggers"]["state"], found["triggers"]["detail"]) == ("ok", "once: 1")
    monkeypatch.delenv("MEMORY_TRIGGERS")
    found = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert (found["triggers"]["state"], found["triggers"]["detail"]) == ("warn", "once: 1")
    assert found["triggers"]["next"]


def test_what_does_not_answer_and_what_is_set_aside_are_told(cli: Cli, folder: Path) -> None:
    cli("remember", "I like oolong tea.")
    backend = embedded_backend(folder)
    with backend.store.write(Tenancy("me")) as unit:
        unit.defer(["m_1"], "archive")
    with backend.store.system(write=True) as system:
        (row,) = system.due("archive", datetime.now(UTC), 1)
        system.retry(row.seq, SET_ASIDE_AT, "internal")
    backend.store.close()
    (folder / "archive").mkdir()
    nobody = hashlib.sha256(b"").hexdigest()
    (folder / "archive" / nobody[:2]).write_text("no folder", encoding="utf-8")
    found = states(cli)
    assert (found["projections"], found["aside"]) == ("warn", "warn")
    ran = cli("doctor")
    assert "archive m_1 (internal)" in ran.out
    assert "rebuild PROJECTION" in ran.out


def test_the_servers_of_projections_are_named_and_one_that_is_away_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> str:
        raise UnavailableError("Weaviate does not answer")

    real = bootstrap.backend_of

    def with_engines(settings: Settings) -> Backend:
        made = real(settings)
        engines = {"vectors": lambda: "Weaviate 1.39.0, TLS", "text": away}
        return Composed(made.store, made.text_index, made.vector_index, made.graph_index, engines)

    monkeypatch.setattr(bootstrap, "backend_of", with_engines)
    found = states(cli)
    assert (found["vectors-server"], found["text-server"]) == ("ok", "warn")
    assert "Weaviate 1.39.0, TLS" in cli("doctor").out
