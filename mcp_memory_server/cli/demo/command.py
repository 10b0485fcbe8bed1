"""The command `demo`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import WrongUseError
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.settings import language_of, load

_TAIL = 300  # characters of the servers' own errors that are shown when the demo fails


def add(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(demo)


def demo(
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="LANG", help="en or zh; default: the setting `language`."),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Play a real conversation with the real server: remember, recall, contradict, forget.

    Uses a throw-away data folder, or an empty --data-dir, which is then kept.
    """
    if language not in (None, "en", "zh", "auto"):
        raise WrongUseError("--language: en or zh")
    settings = load({"language": language}, config=config)
    out = Output(language_of(settings), as_json=as_json)
    with _folder(data_dir) as folder:
        report = _play(out, folder, config)
    if as_json:
        out.data(report)
        return
    out.line()
    out.say("demo_done", steps=len(report["steps"]), calls=report["calls"], seconds=report["seconds"])
    out.say("demo_kept" if data_dir else "demo_gone", folder=data_dir or "")
    out.say("demo_next")


def _play(out: Output, folder: Path, config: Path | None) -> dict[str, Any]:
    import anyio

    from mcp_memory_server.cli.demo.agents import DemoError
    from mcp_memory_server.cli.demo.play import play

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            return anyio.run(play, out, folder, config.absolute() if config else None, errors)
        except BaseException as error:
            cause = _anticipated(error)
            if cause is None:
                raise
            told = _tail(errors)
            if told and cause.code == DemoError.code:
                cause = DemoError(f"{cause.message} ({told})")
            raise cause from error


def _anticipated(error: BaseException) -> MemoryServerError | None:
    """Our own error, also inside the groups that task groups raise."""
    if isinstance(error, MemoryServerError):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for inner in error.exceptions if (found := _anticipated(inner))), None)
    return None


def _tail(errors: TextIO) -> str:
    errors.seek(0)
    return " ".join(errors.read().split())[-_TAIL:]


@contextmanager
def _folder(wanted: Path | None) -> Iterator[Path]:
    """The folder that was asked for, kept afterwards, or one that goes away."""
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="consented-memory-demo-", ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    folder = wanted.expanduser().absolute()
    if folder.exists() and any(folder.iterdir()):
        raise WrongUseError(f"--data-dir: {folder} is not empty", next_step="The demo needs a folder of its own")
    yield folder
