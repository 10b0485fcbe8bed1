from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mcp_memory_server import __version__
from mcp_memory_server.cli import app
from tests.cli_support import Cli


def test_options_for_all_commands_may_stand_before_the_command() -> None:
    assert app.hoisted(["--data-dir", "d", "recall", "x"]) == ["recall", "x", "--data-dir", "d"]
    assert app.hoisted(["--config=c", "token", "list"]) == ["token", "list", "--config=c"]
    assert app.hoisted(["--data-dir", "d", "recall", "--", "-x"]) == ["recall", "--data-dir", "d", "--", "-x"]
    assert app.hoisted(["recall", "--data-dir", "d"]) == ["recall", "--data-dir", "d"]


def test_the_version_is_printed(cli: Cli) -> None:
    ran = cli("--version")
    assert (ran.code, ran.out) == (0, f"{__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["recall"],
        ["recall", "x", "--bogus"],
        ["recall", "x", "--limit", "0"],
        ["recall", "x", "--limit", "many"],
        ["recall", "x", "--kind", "dream"],
        ["remember"],
        ["forget"],
        ["setup", "netscape"],
        ["import", "mem0", "file"],
        ["rebuild", "pyramids"],
        ["demo", "--language", "tlh"],
        ["erase"],
        ["token", "create", "x", "--days", "0"],
    ],
)
def test_wrong_use_is_one_line_with_a_code_and_exit_code_2(cli: Cli, arguments: list[str]) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.error) == (2, "invalid_argument")
    assert len(ran.err.splitlines()) == 1
    assert ran.out == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["list", "--config", "nowhere.toml"], "invalid_argument"),
        (["recall", "x" * 2_001], "too_large"),
        (["forget", "m_unknown"], "not_found"),
        (["backup", "no/folder/copy.db"], "invalid_argument"),
        (["import", "native", "nowhere.jsonl"], "not_found"),
        (["token", "revoke", "nobody"], "not_found"),
        (["serve", "--host", "0.0.0.0"], "not_allowed"),
    ],
)
def test_failures_are_one_line_with_a_code_and_exit_code_1(cli: Cli, arguments: list[str], code: str) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.error) == (1, code)
    assert len(ran.err.splitlines()) == 1


def test_a_fault_of_ours_is_a_line_without_its_text(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.memory.service import MemoryService

    def broken(*_: object) -> None:
        raise RuntimeError("the user likes secret things")

    monkeypatch.setattr(MemoryService, "graph", broken)
    ran = cli("graph")
    assert (ran.code, ran.error) == (1, "internal")
    assert "secret things" not in ran.err
    monkeypatch.setenv("MEMORY_LOG_LEVEL", "DEBUG")
    assert "Traceback" in cli("graph").err


def test_an_interrupt_ends_with_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.memory.service import MemoryService

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MemoryService, "graph", interrupted)
    assert cli("graph").code == 130


def test_errors_and_help_follow_the_language(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "zh.toml"
    config.write_text('language = "zh"\n', encoding="utf-8")
    monkeypatch.delenv("MEMORY_LANGUAGE")
    ran = cli("forget", "m_unknown", "--config", str(config))
    assert ran.err.startswith("not_found: 没有找到。")
    assert "列出记忆" in cli("list", "--help", f"--config={config}").out
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "列出记忆" in cli("list", "--help").out
    assert "列出记忆" in cli("list", "--help", "--config", "nowhere").out


def test_chinese_texts_give_way_to_english_on_a_console_that_cannot_show_them(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_LANGUAGE", "zh")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    assert app.main(["remember", "--statement", "ünï 我 🐈"]) == 0
    sys.stdout.flush()
    shown = raw.getvalue().decode("cp1252")
    assert "ünï" in shown
    assert "\\u6211" in shown
    assert not any(line.startswith("\\u5df2") for line in shown.splitlines())
