"""`import` and `export`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import AGENT, WrongUseError, calling
from mcp_memory_server.errors import ConflictError, InvalidArgumentError, NotFoundError, UnavailableError

SOURCES = ("native",)
_SHOWN = 20  # skipped lines that are shown to people; JSON has them all


def add(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("import")(import_)
    app.command()(export)


def import_(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help=f"The form of the file: {', '.join(SOURCES)}.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to read.")],
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Bring memories in; a second time changes nothing."""
    if source not in SOURCES:
        raise WrongUseError(f"SOURCE: one of {', '.join(SOURCES)}")
    with _reading(file) as stream, calling(config, data_dir, user=user, as_json=as_json) as call:
        from mcp_memory_server.interchange import native

        app = call.app
        model = app.context.model
        with call.out.progress("importing") as advance:
            report = native.load(
                app.backend, model, call.principal.tenancy, stream, app.clock.now(), advance, agent=AGENT
            )
        with suppress(UnavailableError):  # the daily run does it, too
            app.projector.tidy_archive()
        if app.embedder is not None and report.created + report.updated:
            _embed(call)
        call.out.show(asdict(report), _imported)
        if not report.complete:
            raise InvalidArgumentError("the file ends early; what it holds was brought in", next_step="Export it again")


def _embed(call: Any) -> None:
    """Make the vectors now; if the model is not there, the server makes them later."""
    try:
        call.app.embedder.load()
    except UnavailableError as error:
        call.out.note("model_missing", details=error.message)
        return
    with call.app.backend.store.system() as system:
        total = sum(system.backlog().values())
    with call.out.progress("embedding", total or None) as advance:
        call.app.projector.drain(advance)


def _imported(out: Output, report: dict[str, Any]) -> None:
    out.say("imported", "green", **{name: report[name] for name in ("created", "updated", "unchanged", "skipped")})
    for reason in report["reasons"][:_SHOWN]:
        out.say("skipped_line", "yellow", **reason)
    if report["skipped"] > _SHOWN:
        out.line(f"… {report['skipped'] - _SHOWN}")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where it goes; - is standard output.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    feedback: Annotated[bool, typer.Option("--feedback", help="Also what give_feedback said of memories.")] = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Write everything that is stored of you to a file, without loss.

    The file is yours: `forget` does not reach it.
    """
    to_stdout = str(file) == "-"
    with calling(config, data_dir, user=user, as_json=as_json) as call, _writing(file, force=force) as stream:
        from mcp_memory_server.interchange import native

        app = call.app
        with call.out.progress("exporting") as advance:
            counts = native.export(
                app.backend, call.principal.tenancy, stream, app.clock.now(), advance, feedback=feedback
            )
    if not to_stdout:
        answer = {"file": str(file.expanduser().absolute()), **counts}
        call.out.show(answer, lambda out, found: out.say("exported", "green", **found))


@contextmanager
def _reading(file: Path) -> Iterator[BinaryIO]:
    """The file, or standard input for `-`. Raises NotFoundError, UnavailableError."""
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = file.expanduser().open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(f"no file {file}") from error
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read ({error.strerror})") from error
    with stream:
        yield stream


@contextmanager
def _writing(file: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file that only its owner can read and that is there only when it is complete."""
    if str(file) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = file.expanduser().absolute()
    if not target.parent.is_dir():
        raise InvalidArgumentError(f"the folder {target.parent} does not exist", next_step="Make it first")
    if target.exists() and not force:
        raise ConflictError(f"{target} exists already", next_step="Choose another name, or give --force")
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise UnavailableError(f"{part} cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        part.replace(target)
    except OSError as error:
        raise UnavailableError(f"{target} cannot be written ({error.strerror})") from error
    finally:
        part.unlink(missing_ok=True)
