"""The archive in files: processes that are killed, disks that are full, and what is left of what was erased."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.maintenance.run import maintain
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.storage.archive.files import FileObjects
from mcp_memory_server.storage.verify import verify
from tests.fakes import NOON, HashEmbedder, noon
from tests.harness import holds, settings_for
from tests.unit.storage.dying import LATER, SAID

ROOT = Path(__file__).parents[3]
ANN = Principal("ann", "tests", "tests")
MOMENTS = ["half a copy", "copies, no ledger", "half removed"]


def opened(folder: Path) -> Application:
    """The next process, some minutes later."""
    clock = noon()
    clock.set(NOON + LATER + timedelta(minutes=5))
    return build(settings_for(folder), Overrides(clock=clock, embedder=HashEmbedder()))


@pytest.fixture
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Application]:
    """An application over what a killed process has left."""
    folder = tmp_path / "data"
    ran = subprocess.run(
        [sys.executable, "-m", "tests.unit.storage.dying", str(folder), request.param], cwd=ROOT, capture_output=True,
        text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    app = opened(folder)
    yield app
    app.close()


def copies(app: Application) -> list[Path]:
    return [path for path in (app.settings.data_dir / "archive").rglob("*") if path.is_file()]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("killed", MOMENTS[:2], indirect=True)
def test_a_killed_process_loses_nothing_and_the_next_one_goes_on(killed: Application) -> None:
    assert copies(killed), "it was killed with something of the archive on the disk"
    archived = killed.service.archived(ANN)
    assert archived
    maintain(killed)
    assert all(row.clean and not row.waiting for row in verify(killed.backend, killed.embedder, archive=killed.archive))
    assert len(copies(killed)) == len(archived)
    assert killed.service.restore(ANN, archived)["restored"]
    killed.projector.drain()
    assert copies(killed) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("killed", MOMENTS, indirect=True)
def test_nothing_of_what_a_killed_process_wrote_survives_an_erasure(killed: Application) -> None:
    folder = killed.settings.data_dir
    killed.finish_erasures()
    receipts = killed.service.erase_user(ANN)
    assert all(receipt["state"] == "done" for receipt in receipts)
    maintain(killed)
    assert copies(killed) == []
    assert holds(folder, "oolong") == []
    assert killed.service.archived(ANN) == []


def test_a_full_disk_leaves_no_half_copy_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = noon()
    app = build(settings_for(tmp_path / "data"), Overrides(clock=clock, embedder=HashEmbedder()))
    app.service.remember(ANN, RememberRequest(said=SAID))
    sync = os.fsync

    def full(handle: Any) -> None:
        if str(tmp_path / "data" / "archive") in os.readlink(f"/proc/self/fd/{handle}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    if sys.platform != "linux":
        pytest.skip("the name of an open file is not to be had")
    monkeypatch.setattr(os, "fsync", full)
    clock.advance(LATER)
    for _ in range(10):
        maintain(app)
        clock.advance(timedelta(minutes=2))
    archived = app.service.archived(ANN)
    assert archived
    assert copies(app) == []
    with app.backend.store.system() as system:
        assert system.backlog() == {"archive": len(archived)}
        assert system.set_aside() == []
    monkeypatch.undo()
    clock.advance(timedelta(minutes=2))
    maintain(app)
    assert len(copies(app)) == len(archived)
    app.close()


def test_a_folder_that_is_in_the_way_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder", encoding="utf-8")
    objects = FileObjects(tmp_path / "archive")
    for call in (lambda: objects.put("a/b", b"x"), lambda: objects.keys("a/"), lambda: objects.remove("a/")):
        with pytest.raises(UnavailableError, match="archive"):
            call()
    assert objects.get("a/b") is None


def test_what_is_removed_is_overwritten_first(tmp_path: Path) -> None:
    objects = FileObjects(tmp_path)
    objects.put("aa/user/m_1/digest", b"words of a person")
    (tmp_path / "aa/user/m_1/digest").with_suffix(".part").write_bytes(b"half of the words")
    same = tmp_path / "another name of the same file"
    os.link(tmp_path / "aa/user/m_1/digest", same)
    assert objects.keys("aa/") == ["aa/user/m_1/digest"]
    objects.remove("aa/user/")
    assert same.read_bytes() == bytes(len(b"words of a person"))
    assert [path.name for path in tmp_path.rglob("*")] == [same.name], "empty folders go too"
