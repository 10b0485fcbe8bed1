from __future__ import annotations

import re
import string
from typing import Any

import pytest
import typer

from mcp_memory_server.cli import app, help_texts, texts
from mcp_memory_server.cli.demo.script import CHINESE, ENGLISH
from mcp_memory_server.errors import MemoryServerError

_HAN = re.compile(r"[\u4e00-\u9fff]")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("name", texts.MESSAGES)
def test_each_message_says_the_same_in_both_languages(name: str) -> None:
    english, chinese = texts.MESSAGES[name]
    assert fields(english) == fields(chinese)
    assert _HAN.search(chinese)
    assert not _HAN.search(english)


def test_every_error_code_has_a_meaning_in_chinese() -> None:
    def codes(base: type[MemoryServerError]) -> set[str]:
        return {base.code}.union(*(codes(below) for below in base.__subclasses__()))

    assert codes(MemoryServerError) <= set(texts.CODES)


def commands(command: Any) -> list[Any]:
    return [command, *(one for below in getattr(command, "commands", {}).values() for one in commands(below))]


def test_every_help_text_is_translated() -> None:
    shown = []
    for command in commands(typer.main.get_command(app.build())):
        shown += [command.help, *(getattr(parameter, "help", None) for parameter in command.params)]
    assert [text for text in shown if text and not _HAN.search(help_texts.translated(text))] == []
    assert help_texts.translated("One of a, b.") == "可选：a, b"


def test_no_translation_is_left_over() -> None:
    shown = {"Show this message and exit."}
    for command in commands(typer.main.get_command(app.build())):
        shown |= {command.help, *(getattr(parameter, "help", None) for parameter in command.params)}
    assert set(help_texts.CHINESE) - shown == set()


def test_the_demo_has_the_same_steps_in_both_languages() -> None:
    for part in ("says", "titles", "explains"):
        english, chinese = getattr(ENGLISH, part), getattr(CHINESE, part)
        assert {name: fields(text) for name, text in english.items()} == {
            name: fields(text) for name, text in chinese.items()
        }
