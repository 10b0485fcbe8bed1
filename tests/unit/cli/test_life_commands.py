"""The commands about the archive, open questions and the working memory of a session."""

from __future__ import annotations

import builtins
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_memory_server import clock
from mcp_memory_server.cli import life
from tests.cli_support import Cli


def move(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    """Let the machine's clock be so many days ahead."""
    monkeypatch.setattr(clock.SystemClock, "now", lambda _self: datetime.now(UTC) + timedelta(days=days))


def test_what_faded_is_listed_and_restored(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "I like oolong tea.")
    move(monkeypatch, 900)
    assert "2 archived" in cli("maintain").out
    assert cli("maintain", "--json").json["archived"] == 0
    (tea,) = [one["id"] for one in cli("list", "--status", "archived", "--kind", "fact", "--json").json["memories"]]
    assert cli("recall", "oolong tea", "--json").json["memories"] == []
    assert "Restored: 1" in cli("restore", tea).out
    assert cli("recall", "oolong tea", "--json").json["memories"][0]["id"] == tea
    assert "not archived" in cli("restore", tea).out
    assert cli("verify").code == 0


def test_all_of_an_archive_comes_back_only_after_a_yes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "I like oolong tea.")
    move(monkeypatch, 900)
    cli("maintain")
    assert cli("restore", "--all", "--json").error == "consent_required"
    answers = iter(["n", "y"])
    monkeypatch.setattr(builtins, "input", lambda *_: next(answers))
    assert "consent_required: nothing was restored" in cli("restore", "--all").err
    assert "Restored: 2" in cli("restore", "--all").out
    assert cli("restore", "--all", "--json").json == {"restored": [], "disputed": [], "kept": []}
    assert cli("restore").code == 2
    assert cli("restore", "m_1", "--all").code == 2
    assert cli("restore", "m_none").error == "not_found"


def test_what_speaks_against_a_restored_fact_is_asked_about(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "I like oolong tea.")
    move(monkeypatch, 900)
    cli("maintain")
    cli("remember", "I dislike oolong tea.")
    ran = cli("restore", "--all", "--yes")
    assert "Which one is right?" in ran.out
    assert "keep_second" in ran.out


def test_questions_are_listed_and_answered(cli: Cli) -> None:
    assert "No open questions" in cli("questions").out
    cli("remember", "I live in Graz.", "--occurred-at", "2026-05-01T09:00:00Z")
    cli("remember", "I live in Lyon.", "--occurred-at", "2026-05-02T09:00:00Z")
    assert "Lyon" in cli("questions").out
    (question,) = cli("questions", "--json").json["questions"]
    assert cli("questions", question["id"]).code == 2
    assert cli("questions", question["id"], "perhaps").code == 2
    assert cli("questions", "q_none", "keep_first").error == "not_found"
    answered = cli("questions", question["id"], "keep_second", "--json").json
    assert (answered["outcome"], answered["memory"]["object"]["value"]) == ("superseded", "Lyon")
    assert cli("questions", "--json").json == {"questions": []}


def test_a_question_may_be_answered_by_what_is_right(cli: Cli) -> None:
    cli("remember", "I live in Graz.", "--occurred-at", "2026-05-01T09:00:00Z")
    cli("remember", "I live in Lyon.", "--occurred-at", "2026-05-02T09:00:00Z")
    (question,) = cli("questions", "--json").json["questions"]
    ran = cli("questions", question["id"], "replace", "--statement", "I live in Nice.")
    assert ran.code == 0
    assert "Nice" in ran.out


def test_a_session_is_shown_and_rolled_back(cli: Cli) -> None:
    cli("remember", "I live in Graz.", "--session", "s")
    cli("remember", "I like oolong tea.", "--session", "s")
    ran = cli("session", "s")
    assert "I like oolong tea." in ran.out
    assert "2: " in ran.out
    back = cli("session", "s", "--rollback", "1", "--json").json
    assert (back["session"], back["version"]) == ("s", 3)
    assert "oolong" not in "".join(item["statement"] for item in back["items"])
    assert cli("session", "s", "--rollback", "9").error == "not_found"
    assert "may have ended" in cli("session", "nobody").out


def test_a_reference_is_shown_where_a_text_is_too_long(cli: Cli) -> None:
    cli("remember", "word " * 200, "--said-by", "assistant", "--session", "s")
    assert "memory://memories/" in cli("session", "s").out


def test_the_commands_are_there(cli: Cli) -> None:
    names: list[Any] = [life.questions, life.restore, life.session]
    for command in names:
        assert cli(command.__name__, "--help").code == 0
