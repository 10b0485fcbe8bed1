from __future__ import annotations

import io
import sys

import pytest

from mcp_memory_server.cli import memory
from tests.cli_support import Cli


def test_what_is_remembered_is_recalled_listed_and_shown(cli: Cli) -> None:
    stored = cli("remember", "I am allergic to peanuts.", "--session", "s1")
    assert stored.code == 0
    assert "stored: I am allergic to peanuts" in stored.out
    assert "I am allergic to peanuts" in cli("recall", "What am I allergic to?").out
    assert "2 of 2" in cli("list").out
    assert "Health" in cli("profile").out
    assert "allergic" in cli("profile", "--prompt").out
    assert "user -[allergic_to]-> peanuts" in cli("graph").out


def test_json_is_what_the_tool_answers(cli: Cli) -> None:
    answer = cli("remember", "--statement", "I like tea.", "--said", "I like tea.", "--json")
    assert answer.code == 2  # the words are an argument, not an option
    answer = cli("remember", "I like tea.", "-s", "I like tea.", "-s", "I play chess.", "--json")
    outcomes = {result.get("statement_index"): result["outcome"] for result in answer.json["results"]}
    assert outcomes == {0: "stored", 1: "pending"}
    assert cli("recall", "tea", "--json", "--limit", "1").json["memories"][0]["statement"].startswith("I like tea")
    listed = cli("list", "--kind", "fact", "--full", "--json").json
    assert listed["memories"][0]["agent"] == "cli"
    assert listed["memories"][0]["channel"] == "cli"
    assert cli("graph", "--json").json["entities"]
    assert cli("profile", "--section", "preferences", "--json").json["sections"]


def test_words_come_from_standard_input_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("I live in Lisbon."))
    assert "Lisbon" in cli("remember", "-").out


def test_a_contradiction_shows_its_question(cli: Cli) -> None:
    cli("remember", "I live in Berlin.", "--session", "a")
    again = cli("remember", "I live in Lisbon.", "--session", "b")
    assert "disputed" in again.out
    assert "keep_first" in again.out
    assert "Open questions" in cli("profile").out
    assert "Open questions" in cli("recall", "Where do I live?").out


def test_nothing_found_and_nothing_known_are_said(cli: Cli) -> None:
    assert "Nothing found" in cli("recall", "anything").out
    assert "Nothing is known" in cli("profile").out
    assert "0 of 0" in cli("list").out
    assert "no fact" in cli("remember", "Hm, well.").out


def test_masked_words_and_a_wish_to_forget_are_named(cli: Cli) -> None:
    shown = cli("remember", "My card is 4111 1111 1111 1111.").out
    assert "Masked" in shown
    cli("remember", "I am allergic to peanuts.")
    assert "forget --confirm" in cli("remember", "Please forget that I am allergic to peanuts.").out


def test_pages_continue(cli: Cli) -> None:
    for name in ("tea", "chess", "snow"):
        cli("remember", "-s", f"I like {name}.")
    first = cli("list", "--limit", "2", "--json").json
    assert "--cursor" in cli("list", "--limit", "2").out
    rest = cli("list", "--limit", "2", "--cursor", first["next_cursor"], "--json").json
    assert len(first["memories"]) == 2
    assert len(rest["memories"]) == 1


def test_one_memory_is_forgotten_at_once(cli: Cli) -> None:
    found = cli("remember", "-s", "I like tea.", "--json").json["results"][0]["memory"]
    shown = cli("forget", found["id"])
    assert "Forgotten: 1" in shown.out
    assert "Receipt" in shown.out
    assert cli("list", "--json").json["total"] == 0


def test_a_wider_forgetting_needs_a_yes(cli: Cli) -> None:
    cli("remember", "I am allergic to peanuts.")
    asked = cli("forget", "--query", "peanuts")
    assert (asked.code, asked.error) == (1, "consent_required")
    assert "allergic" in asked.out
    as_json = cli("forget", "--query", "peanuts", "--json")
    assert as_json.code == 1
    assert as_json.json["state"] == "needs_confirmation"
    assert cli("forget", "--confirm", as_json.json["confirm"]).code == 0
    assert cli("forget", "--query", "peanuts", "--yes").out.strip() == "Nothing was forgotten."


@pytest.mark.parametrize(("answer", "left"), [("no", 2), ("", 2), ("yes", 0), ("是", 0)])
def test_the_person_at_the_terminal_is_asked(cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: str, left: int) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    cli("remember", "I am allergic to peanuts.")
    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n" if answer else ""))
    ran = cli("forget", "--everything")
    assert ran.code == 0
    assert "[y/N]" in ran.err
    assert cli("list", "--json").json["total"] == left


def test_everything_is_forgotten_with_yes(cli: Cli) -> None:
    cli("remember", "I am allergic to peanuts.")
    assert cli("forget", "--everything", "--yes").code == 0
    assert cli("list", "--status", "any", "--json").json["total"] == 0
    assert cli("forget", "--everything", "--category", "health", "--yes").error == "invalid_argument"


def test_users_do_not_see_each_other(cli: Cli) -> None:
    cli("remember", "I like tea.", "--user", "ann")
    assert cli("list", "--user", "ben", "--json").json["total"] == 0
    assert cli("list", "--user", "ann", "--json").json["total"] == 2


def test_every_argument_of_a_tool_is_an_option() -> None:
    import inspect

    from mcp_memory_server.tools.schemas import INPUTS

    for tool, command in (
        ("remember", memory.remember),
        ("recall", memory.recall),
        ("list_memories", memory.list_),
        ("forget", memory.forget),
        ("get_profile", memory.profile),
    ):
        options = set(inspect.signature(command).parameters) | {"statements", "detail"}
        assert set(INPUTS[tool]["properties"]) <= options
