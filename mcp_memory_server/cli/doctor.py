"""`doctor`: is everything in order, and if not, what to do."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import typer

from mcp_memory_server.cli import checks
from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.checks import FAIL, OK, WARN, Check
from mcp_memory_server.cli.output import Output, error_line
from mcp_memory_server.cli.session import output_of
from mcp_memory_server.cli.stdio import prepare_process
from mcp_memory_server.errors import MemoryServerError, UnavailableError
from mcp_memory_server.settings import Settings, load

_STYLES = {OK: "green", WARN: "yellow", FAIL: "red"}


def add(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(doctor)


def doctor(config: o.Config = None, data_dir: o.DataDir = None, as_json: o.Json = False) -> None:
    """Check configuration, store, model, versions, disk and permissions; says what to do."""
    settings = load({"data_dir": data_dir}, config=config)
    out = output_of(settings, as_json=as_json)
    found: list[Check] = []
    for check in _checks(settings, config, out.lang):
        found.append(check)
        _print(out, check)
    failed = [check.name for check in found if check.state == FAIL]
    if as_json:
        rows = [asdict(check) | {"next": out.text(check.next) if check.next else ""} for check in found]
        out.data({"ok": not failed, "checks": rows})
    if failed:
        raise UnavailableError(f"not in order: {', '.join(failed)}", next_step="Do what the lines above say")


def _checks(settings: Settings, config: Path | None, lang: str) -> Iterator[Check]:
    """All checks in order; when the store cannot be opened, what needs it is left out."""
    before = list(checks.of_machine(settings, config))
    yield from before
    if any(check.state == FAIL for check in before):
        return
    prepare_process()
    from mcp_memory_server.bootstrap import build

    try:
        app = build(settings)
    except MemoryServerError as error:
        yield Check("store", FAIL, error_line(str(error), error.code, lang), "next_store")
        return
    try:
        yield from checks.of_store(app)
        yield checks.of_model(app)
        yield checks.of_refiner(app)
    finally:
        app.close()


def _print(out: Output, check: Check) -> None:
    out.line(
        f"{out.text(f'state_{check.state}')}  {out.text(f'check_{check.name}')}: {check.detail}", _STYLES[check.state]
    )
    if check.next:
        out.line(f"    -> {out.text(check.next)}")
