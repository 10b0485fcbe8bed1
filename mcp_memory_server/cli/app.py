"""The commands of `mcp-memory-server`, and how they end: 0 done, 1 failed, 2 wrong use."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

import typer

from mcp_memory_server import __version__
from mcp_memory_server.cli import doctor, exchange, help_texts, life, memory, serve, setup, tokens, upkeep
from mcp_memory_server.cli.demo import command as demo
from mcp_memory_server.cli.output import error_line, prepare_streams, speakable
from mcp_memory_server.cli.session import WrongUseError
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.settings import Settings, language_of, load

PROGRAM = "mcp-memory-server"
_GLOBAL = ("--config", "--data-dir")


def build() -> typer.Typer:
    """The commands in the order in which help shows them."""
    app = typer.Typer(
        name=PROGRAM,
        help="Your own long-term memory for AI assistants. Without a command: the MCP server on stdio.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_root)
    for module in (demo, serve, setup, memory, life, exchange, upkeep, doctor, tokens):
        module.add(app)
    return app


def _root(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    if version:
        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


def run(arguments: list[str]) -> None:
    """Run a command line and exit with its code."""
    raise SystemExit(main(arguments))


def main(arguments: list[str]) -> int:
    """Run a command line; answers the exit code. What goes wrong is one line on standard error."""
    prepare_streams()
    given = hoisted(arguments)
    lang = speakable(language_for(given))
    command: Any = help_texts.localized(typer.main.get_command(build()), lang)
    try:
        code = command.main(args=given, prog_name=PROGRAM, standalone_mode=False)
    except MemoryServerError as error:
        return _failed(str(error), error.code, lang, 2 if isinstance(error, WrongUseError) else 1)
    except KeyboardInterrupt:
        return 130
    except (BrokenPipeError, typer.Abort):
        return 1
    except Exception as error:  # noqa: BLE001 - the last stop: a person gets a line, not a traceback
        if hasattr(error, "format_message"):  # only errors of the command line itself have one
            return _wrong_use(error, lang)
        return _unexpected(error, lang)
    return code if isinstance(code, int) else 0


def _failed(text: str, code: str, lang: str, status: int) -> int:
    sys.stderr.write(error_line(text, code, lang) + "\n")
    return status


def _unexpected(error: Exception, lang: str) -> int:
    """A fault of ours: its text may quote memories, so it is shown only when details were asked for."""
    if os.environ.get("MEMORY_LOG_LEVEL", "").upper() == "DEBUG":
        traceback.print_exception(error)
    text = f"internal: unexpected {type(error).__name__}. Set MEMORY_LOG_LEVEL=DEBUG to see where."
    return _failed(text, "internal", lang, 1)


def _wrong_use(error: Any, lang: str) -> int:
    """An error of the command line: unknown options, missing arguments."""
    text = error.format_message()
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(f"{text}\n" if text else "")
        return 2
    path = context.command_path if context is not None else PROGRAM
    details = f"{text.rstrip('.')}. See `{path} --help`."
    return _failed(f"invalid_argument: {details}", "invalid_argument", lang, int(getattr(error, "exit_code", 2)))


def hoisted(arguments: list[str]) -> list[str]:
    """Options for all commands may stand before the command too: move them behind it."""
    moved: list[str] = []
    rest = list(arguments)
    while rest and rest[0].partition("=")[0] in _GLOBAL:
        name = rest.pop(0)
        moved.append(name)
        if "=" not in name and rest:
            moved.append(rest.pop(0))
    if "--" in rest:
        cut = rest.index("--")
        return [*rest[:cut], *moved, *rest[cut:]]
    return [*rest, *moved]


def language_for(arguments: list[str]) -> str:
    """The language of help and errors, before the command line is parsed."""
    config = None
    for name, value in zip(arguments, [*arguments[1:], ""], strict=True):
        if name == "--config":
            config = Path(value)
        elif name.startswith("--config="):
            config = Path(name.partition("=")[2])
    try:
        return language_of(load(config=config))
    except MemoryServerError:
        return language_of(Settings(data_dir=Path()))
