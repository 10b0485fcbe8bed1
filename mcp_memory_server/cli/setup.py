"""`setup CLIENT`: put this server into a client's configuration."""

import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from mcp_memory_server.cli import clients
from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import WrongUseError, output_of, settings_of
from mcp_memory_server.errors import UnavailableError


def add(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(setup)


def setup(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(clients.CLIENTS)}.")],
    print_only: Annotated[bool, typer.Option("--print", help="Only show what would be written, and where.")] = False,
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="DIR", help="For the project in this folder only (not claude-desktop)."),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Write the configuration of a client, keeping a copy of the old file."""
    if client not in clients.CLIENTS:
        raise WrongUseError(f"CLIENT: one of {', '.join(clients.CLIENTS)}")
    if project is not None and client == "claude-desktop":
        raise WrongUseError("--project: Claude Desktop has no configuration of a project")
    out = output_of(settings_of(config, data_dir), as_json=as_json)
    folder = str(project.expanduser().absolute()) if project else None
    target = Path(clients.config_path(client, sys.platform, os.environ, str(Path.home()), folder))
    entry = _entry(config, data_dir, user)
    if print_only:
        shown = {clients.section(client): {clients.NAME: clients.entry_json(client, entry)}}
        out.note("setup_print", path=target)
        out.data(shown)
        return
    answer = write(client, target, entry)
    out.show(answer, _written)


def _entry(config: Path | None, data_dir: Path | None, user: str | None) -> clients.Entry:
    """How a client has to start this very installation, with the options given here."""
    script = "mcp-memory-server" + (".exe" if sys.platform == "win32" else "")
    candidates = [shutil.which(sys.argv[0]) or sys.argv[0], str(Path(sys.executable).parent / script)]
    there = [name for name in candidates if Path(name).is_file()]
    command, args = clients.command_of(
        there[0] if there else "", sys.executable, sys.platform, there, shutil.which("uvx")
    )
    flags: list[str] = []
    for name, value in (("--config", config), ("--data-dir", data_dir)):
        if value is not None:
            flags += [name, str(value.expanduser().absolute())]
    return clients.Entry(command, (*args, *flags), (("MEMORY_USER", user),) if user else ())


def write(client: str, target: Path, entry: clients.Entry, now: datetime | None = None) -> dict[str, Any]:
    """Merge the entry into a client's file; the old one is kept beside it under a new name.

    Raises UnavailableError, InvalidArgumentError; then the file is as it was.
    """
    real = target.resolve()  # a linked file stays a link
    try:
        before = real.read_text(encoding="utf-8-sig") if real.exists() else None
        found = clients.merged(client, before or "", entry)
        answer: dict[str, Any] = {"client": client, "path": str(target), "changed": found.changed}
        if not found.changed:
            return answer
        real.parent.mkdir(parents=True, exist_ok=True)
        if before is not None:
            answer["backup"] = str(_keep(real, now or datetime.now(UTC)))
            answer["had_comments"] = found.had_comments
        _replace(real, found.text)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UnavailableError(f"{target} cannot be changed ({reason})", next_step="Use --print") from error
    return answer


def _keep(file: Path, now: datetime) -> Path:
    """A copy of the file that overwrites none of an earlier time."""
    stem = f"{file.name}.{now:%Y%m%dT%H%M%SZ}"
    for number in range(100):
        copy = file.with_name(f"{stem}.bak" if number == 0 else f"{stem}.{number}.bak")
        if not copy.exists():
            shutil.copy2(file, copy)
            return copy
    raise OSError(17, "too many copies of it are there")


def _replace(file: Path, text: str) -> None:
    """Write in one step: a client that reads meanwhile sees the old file or the new one."""
    part = file.with_name(file.name + ".part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.chmod(file.stat().st_mode if file.exists() else 0o600)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _written(out: Output, answer: dict[str, Any]) -> None:
    if not answer["changed"]:
        out.say("setup_unchanged", path=answer["path"])
        return
    out.say("setup_written", "green", path=answer["path"])
    if "backup" in answer:
        out.say("setup_backup", backup=answer["backup"])
    if answer.get("had_comments"):
        out.say("setup_comments", "yellow")
    out.say("setup_restart", client=clients.TITLES[answer["client"]])
