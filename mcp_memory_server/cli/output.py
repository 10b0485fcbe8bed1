"""What commands print: text for people through Rich, JSON for programs, progress, one-line errors.

Memory texts are somebody's words: they are printed as data, never as markup or terminal codes, and
never stop a command because a console's code page has no character for them.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from mcp_memory_server.cli.texts import code_meaning, message

_JOINER = "\u200d"  # holds composed emoji together
_PLAIN_STEP = 10  # per cent between two plain lines of progress


def prepare_streams() -> None:
    """Make the standard streams write what they have no character for as an escape, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="backslashreplace")


def harmless(text: object) -> str:
    """A text without characters that steer a terminal or hide; line breaks stay."""
    return "".join(
        char if char.isprintable() or char in ("\n", _JOINER) else " " if char == "\t" else "\ufffd"
        for char in str(text)
    )


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream can carry every character."""
    return (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")


def speakable(lang: str) -> str:
    """The language itself, or English where the console has no characters for it."""
    try:
        "记忆，".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "en"
    return lang


class Output:
    """Where one command writes: results to standard output, everything else to standard error."""

    def __init__(self, lang: str, *, as_json: bool = False) -> None:
        self.lang = speakable(lang)
        self.as_json = as_json
        self._out = Console(highlight=False, markup=False, emoji=False)
        self._err = Console(highlight=False, markup=False, emoji=False, stderr=True)

    def data(self, value: Any) -> None:
        """One JSON document; on a console without Unicode its characters are escaped."""
        text = json.dumps(value, ensure_ascii=not is_unicode(sys.stdout), indent=2)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def line(self, text: str = "", style: str = "") -> None:
        """A line of the result for people; left out when JSON was asked for."""
        if not self.as_json:
            self._print(self._out, text, style)

    def say(self, name: str, style: str = "", **values: object) -> None:
        """One of our messages as a line of the result."""
        self.line(message(self.lang, name, **values), style)

    def note(self, name: str, **values: object) -> None:
        """One of our messages beside the result, on standard error."""
        self._print(self._err, message(self.lang, name, **values), "dim")

    def show(self, value: Any, view: Callable[[Output, Any], None]) -> None:
        """A result: as JSON where that was asked for, else by its view."""
        if self.as_json:
            self.data(value)
        else:
            view(self, value)

    def text(self, name: str, **values: object) -> str:
        """One of our messages."""
        return message(self.lang, name, **values)

    @staticmethod
    def _print(console: Console, text: str, style: str) -> None:
        # Piped output keeps its lines whole; on a terminal Rich wraps at words.
        console.print(Text(harmless(text), style=style), soft_wrap=not console.is_terminal)

    @contextlib.contextmanager
    def progress(self, name: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """A bar on a terminal, plain lines elsewhere; call what it yields with how much is done."""
        label = message(self.lang, name)
        if not self._err.is_terminal:
            yield _plain(label, total)
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._err, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda done: bar.update(task, completed=done)


def _plain(label: str, total: int | None) -> Callable[[int], None]:
    """Lines such as `Embedding: 40 of 200`, at most one for each tenth."""
    shown = -1

    def advance(done: int) -> None:
        nonlocal shown
        if total:
            step = min(100, 100 * done // total) // _PLAIN_STEP
            if step == shown:
                return
            shown = step
            sys.stderr.write(f"{label}: {done}/{total}\n")
        else:
            sys.stderr.write(f"{label}: {done}\n")
        sys.stderr.flush()

    return advance


def error_line(text: str, code: str, lang: str) -> str:
    """An error as one line; in Chinese with the meaning of its code before the details."""
    details = " ".join(harmless(text).split())
    if lang != "zh":
        return details
    return f"{code}: {code_meaning(code)} {details.removeprefix(f'{code}: ')}"
