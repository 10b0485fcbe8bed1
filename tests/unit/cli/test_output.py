from __future__ import annotations

import io
import json
import sys

import pytest

from mcp_memory_server.cli.output import Output, error_line, harmless, is_unicode, prepare_streams


def test_what_steers_a_terminal_or_hides_is_replaced() -> None:
    assert harmless("a\x1b[31mred\x07\u202eb\ud800") == "a�[31mred��b�"
    assert harmless("line\nline\ttab 猫 👩‍💻") == "line\nline tab 猫 👩‍💻"


def test_memory_text_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    Output("en").line("[bold]not bold[/bold] :smile:")
    assert capsys.readouterr().out == "[bold]not bold[/bold] :smile:\n"


def test_piped_lines_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    Output("en").line("word " * 100)
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "utf-8"])
def test_json_is_exact_on_every_console(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    prepare_streams()
    value = {"statement": "猫 🐈 ünï \ud800"}
    Output("en", as_json=True).data(value)
    assert json.loads(raw.getvalue().decode(encoding)) == value


def test_an_unknown_encoding_is_not_taken_for_unicode() -> None:
    class Odd(io.StringIO):
        encoding = None  # type: ignore[assignment]

    assert not is_unicode(Odd())


def test_progress_is_plain_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output("en")
    with out.progress("embedding", 200) as advance:
        for done in range(0, 201, 5):
            advance(done)
    with out.progress("importing") as advance:
        advance(3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Embedding: 0/200"
    assert lines[-2:] == ["Embedding: 200/200", "Importing: 3"]
    assert len(lines) == 12


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with Output("zh").progress("embedding", 2) as advance:
        advance(2)
    assert "2/2" in capsys.readouterr().err


def test_an_error_is_one_line_in_either_language() -> None:
    text = "not_found: no memory\nm_1. Take an id."
    assert error_line(text, "not_found", "en") == "not_found: no memory m_1. Take an id."
    assert error_line(text, "not_found", "zh") == "not_found: 没有找到。 no memory m_1. Take an id."
