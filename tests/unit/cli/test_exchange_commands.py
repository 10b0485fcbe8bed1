from __future__ import annotations

import io
import json
import stat
import sys
from pathlib import Path

import pytest

from tests.cli_support import Cli


class Bytes(io.StringIO):
    """A standard stream with bytes below it."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__()
        self.buffer = io.BytesIO(data)  # type: ignore[misc]


def test_a_round_trip_into_another_store(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "I am allergic to peanuts.", "--session", "a")
    cli("remember", "I live in Berlin.", "--session", "a")
    cli("remember", "I live in Lisbon.", "--session", "b")
    file, other = tmp_path / "me.jsonl", str(tmp_path / "other")
    exported = cli("export", str(file), "--json").json
    assert (exported["memories"], exported["questions"]) == (6, 1)
    assert "Created 7, updated 0, unchanged 0, skipped 0" in cli("import", "native", str(file), "--data-dir", other).out
    again = cli("import", "native", str(file), "--data-dir", other, "--json").json
    assert (again["created"], again["unchanged"], again["complete"]) == (0, 7, True)
    assert cli("verify", "--data-dir", other).code == 0
    assert (
        cli("list", "--status", "any", "--full", "--json").json
        == cli("list", "--status", "any", "--full", "--json", "--data-dir", other).json
    )


def test_a_file_is_private_and_not_replaced_by_accident(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    assert "Exported 0" in cli("export", str(file)).out
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cli("export", str(file)).error == "conflict"
    assert cli("export", str(file), "--force").code == 0
    assert cli("export", str(tmp_path / "no" / "me.jsonl")).error == "invalid_argument"
    assert [path.name for path in tmp_path.glob("me*")] == ["me.jsonl"]


def test_skipped_lines_are_named(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "-s", "I like tea.")
    file = tmp_path / "me.jsonl"
    cli("export", str(file))
    cli("forget", cli("list", "--json").json["memories"][0]["id"])
    lines = file.read_text(encoding="utf-8").splitlines()
    broken = ["no json"] * 25
    file.write_text("\n".join([lines[0], *broken, *lines[1:]]) + "\n", encoding="utf-8")
    ran = cli("import", "native", str(file))
    assert "skipped 26" in ran.out
    assert "line 2: invalid_argument: no JSON" in ran.out
    reasons = cli("import", "native", str(file), "--json").json["reasons"]
    assert reasons[-1]["line"] == 27
    assert "forgotten" in reasons[-1]["reason"]


def test_a_file_that_ends_early_is_told(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "-s", "I like tea.")
    file = tmp_path / "me.jsonl"
    cli("export", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(lines[:-1]), encoding="utf-8")
    ran = cli("import", "native", str(file), "--data-dir", str(tmp_path / "other"))
    assert (ran.code, ran.error) == (1, "invalid_argument")
    assert "Created 1" in ran.out


def test_standard_streams_serve_as_files(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cli("remember", "-s", "I like tea.")
    out = Bytes()
    monkeypatch.setattr(sys, "stdout", out)
    from mcp_memory_server.cli.app import main

    assert main(["export", "-"]) == 0
    data = out.buffer.getvalue()
    assert json.loads(data.splitlines()[-1])["memories"] == 1
    monkeypatch.setattr(sys, "stdin", Bytes(data))
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert main(["import", "native", "-", "--data-dir", str(tmp_path / "other"), "--json"]) == 0


def test_what_cannot_be_read_is_told(cli: Cli, tmp_path: Path) -> None:
    assert cli("import", "native", str(tmp_path)).error == "unavailable"
    other = tmp_path / "other.json"
    other.write_text("{}\n", encoding="utf-8")
    assert cli("import", "native", str(other)).error == "invalid_argument"
    other.write_text('{"type":"header","format":"consented-memory","version":99}\n', encoding="utf-8")
    assert cli("import", "native", str(other)).error == "unsupported"
    if sys.platform != "win32":
        assert cli("export", "/proc/nothing.jsonl").error == "unavailable"


def test_feedback_goes_into_a_file_only_when_asked_for(cli: Cli, tmp_path: Path) -> None:
    from mcp_memory_server.bootstrap import build
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import FeedbackRequest
    from mcp_memory_server.settings import load

    cli("remember", "I live in Berlin.")
    found = cli("recall", "Where do I live?", "--json").json  # the command ends, its recall stays known
    settings = load()
    app = build(settings)
    request = FeedbackRequest(found["recall_id"], used=(found["memories"][0]["id"],))
    assert len(app.service.give_feedback(Principal(settings.user, "cli"), request)["changed"]) == 1
    app.close()
    assert cli("export", str(tmp_path / "without"), "--json").json["feedback"] == 0
    assert cli("export", str(tmp_path / "with"), "--feedback", "--json").json["feedback"] == 1
    assert b'"verdict":"used"' not in (tmp_path / "without").read_bytes()
    assert b'"verdict":"used"' in (tmp_path / "with").read_bytes()
