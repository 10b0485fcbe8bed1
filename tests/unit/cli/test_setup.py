from __future__ import annotations

import json
import os
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_memory_server.cli import setup
from mcp_memory_server.cli.clients import NAME, Entry
from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from tests.cli_support import Cli

ENTRY = Entry("/bin/memory")
AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def test_the_old_file_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    target = tmp_path / "mcp.json"
    target.write_text('{"a": 1}', encoding="utf-8")
    answer = setup.write("cursor", target, ENTRY, AT)
    assert Path(answer["backup"]).read_text(encoding="utf-8") == '{"a": 1}'
    assert json.loads(target.read_text(encoding="utf-8"))["a"] == 1
    again = setup.write("cursor", target, Entry("/bin/other"), AT)
    assert again["backup"] != answer["backup"]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".bak", ".bak", ".json"]


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "mcp.json"
    assert setup.write("vscode", target, ENTRY)["changed"]
    before = target.stat().st_mtime_ns
    assert setup.write("vscode", target, ENTRY) == {"client": "vscode", "path": str(target), "changed": False}
    assert target.stat().st_mtime_ns == before
    assert [path.name for path in target.parent.iterdir()] == ["mcp.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    setup.write("cursor", link, ENTRY)
    assert link.is_symlink()
    assert NAME in real.read_text(encoding="utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_cannot_be_read_or_written_is_left_alone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"{ no json")
    with pytest.raises(InvalidArgumentError):
        setup.write("cursor", broken, ENTRY)
    assert broken.read_bytes() == b"{ no json"
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnavailableError):
        setup.write("cursor", broken, ENTRY)
    with pytest.raises(UnavailableError):
        setup.write("cursor", broken / "below.json", ENTRY)


def test_the_command_writes_and_prints(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("XDG_CONFIG_HOME", "APPDATA", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    shown = cli("setup", "cursor", "--print", "--user", "ann", "--data-dir", "data")
    entry = shown.json["mcpServers"][NAME]
    assert os.path.isabs(entry["command"])
    assert entry["args"][-2:] == ["--data-dir", str(Path("data").absolute())]
    assert entry["env"] == {"MEMORY_USER": "ann"}
    assert not (tmp_path / ".cursor").exists()
    assert "Restart Cursor" in cli("setup", "cursor").out
    assert "Nothing to change" in cli("setup", "cursor").out
    commented = tmp_path / "project" / ".vscode" / "mcp.json"
    commented.parent.mkdir(parents=True)
    commented.write_text("{ // mine\n}", encoding="utf-8")
    ran = cli("setup", "vscode", "--project", str(tmp_path / "project"))
    assert "Comments" in ran.out
    assert cli("setup", "vscode", "--project", str(tmp_path / "project"), "--json").json["changed"] is False
    assert cli("setup", "claude-desktop", "--project", ".").code == 2
