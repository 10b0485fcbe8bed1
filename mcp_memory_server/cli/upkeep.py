"""Keeping the store sound: backup, maintain, verify, rebuild, reindex, erase."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli import views
from mcp_memory_server.cli.ask import confirmed
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import Call, WrongUseError, calling
from mcp_memory_server.cli.stdio import log_to_stderr
from mcp_memory_server.errors import ConflictError, ConsentRequiredError, UnavailableError, UnsupportedError

PROJECTIONS = ("text", "vectors", "graph", "archive")
_SHOWN_IDS = 5  # ids named in a line about drift


def add(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (backup, maintain, verify, rebuild, reindex, erase):
        app.command()(command)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the copy goes; must not exist yet.")],
    gone: Annotated[
        bool,
        typer.Option("--gone", help="You have destroyed this copy: `forget` need not reach it any more."),
    ] = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Write a consistent copy while servers run; forgetting reaches it."""
    target = file.expanduser().absolute()
    with calling(config, data_dir, as_json=as_json) as call:
        store = call.app.backend.store
        if gone:
            _drop(call, target)
            return
        if target.exists():
            raise ConflictError(f"{target} exists already", next_step="Choose another name")
        # Known before it is written: a copy that `forget` does not know of must never come to be.
        with store.system(write=True) as system:
            system.add_backup(str(target), call.app.clock.now())
        try:
            store.backup(str(target))
        except BaseException:
            if not target.exists():
                with store.system(write=True) as system:
                    system.drop_backup(str(target))
            raise
        answer = {"file": str(target), "bytes": target.stat().st_size}
        call.out.show(answer, lambda out, found: out.say("backup_done", "green", **found))


def _drop(call: Call, target: Path) -> None:
    if target.exists():
        raise ConflictError(f"{target} is still there", next_step="Delete it first")
    with call.app.backend.store.system(write=True) as system:
        if str(target) not in system.backups():
            raise WrongUseError(f"no copy at {target} is known", next_step="`doctor` names the known copies")
        system.drop_backup(str(target))
    call.out.show({"file": str(target), "gone": True}, lambda out, found: out.say("backup_gone", file=found["file"]))


def maintain(
    daemon: Annotated[bool, typer.Option("--daemon", help="Go on until it is stopped.")] = False,
    every: Annotated[
        int, typer.Option("--every", metavar="MINUTES", min=1, max=10_080, help="With --daemon: how often.")
    ] = 60,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Do what is due: archive, expire, merge, ask; finish erasures and embeddings; empty the log.

    As a daemon, what time has made due is done once a day, at `maintain.at` of the policy.
    """
    from mcp_memory_server.maintenance import loop

    with calling(config, data_dir, as_json=as_json, model=True) as call:
        from mcp_memory_server.maintenance.run import maintain as run

        def once() -> None:
            with call.out.progress("looking") as looking, call.out.progress("embedding") as advance:
                report = run(call.app, advance, looking, daily=daemon)
            call.out.show(asdict(report), _maintained)

        if daemon:
            log_to_stderr(call.app.settings.log_level)
            loop.repeat(once, every * 60)
        else:
            once()


_DONE = ("promoted", "expired", "archived", "merged", "asked", "sessions", "embedded", "waiting")


def _maintained(out: Output, report: dict[str, Any]) -> None:
    if report["elsewhere"]:
        out.say("maintain_elsewhere", "yellow")
        return
    out.say("maintain_done", "green", **{name: report[name] for name in _DONE})
    for model in report["retired_models"]:
        out.say("model_retired", model=model)
    for place in report["pending"]:
        out.say("pending", "yellow", place=place)
    if not report["log_emptied"]:
        out.say("log_busy", "yellow")


def verify(config: o.Config = None, data_dir: o.DataDir = None, as_json: o.Json = False) -> None:
    """Compare every projection with the ledger; exit code 1 when something differs."""
    with calling(config, data_dir, as_json=as_json) as call:
        from mcp_memory_server.storage.verify import verify as compare

        store = call.app.backend.store
        faults = store.check()
        with store.system() as system:
            users = len(system.users())
        with call.out.progress("verifying", users) as advance:
            rows = compare(call.app.backend, call.app.embedder, _counter(advance), call.app.archive)
        drift = [row for row in rows if not row.clean]
        found = [asdict(row) for row in rows]
        answer = {"ok": not faults and not drift, "faults": faults, "users": users, "projections": found}
        call.out.show(answer, _verified)
    if faults:
        raise UnavailableError("the store itself is damaged", next_step="Stop all servers and restore a backup")
    if drift:
        raise ConflictError("projections differ from the ledger", next_step="Run `mcp-memory-server rebuild`")


def _verified(out: Output, answer: dict[str, Any]) -> None:
    for fault in answer["faults"]:
        out.say("fault", "red", fault=fault)
    for row in answer["projections"]:
        counts = {name: len(row[name]) for name in ("missing", "stale", "surplus")}
        if any(counts.values()):
            out.say("drift", "red", user=row["user"], projection=row["projection"], **counts)
            for name in counts:
                if row[name]:
                    more = " …" if counts[name] > _SHOWN_IDS else ""
                    out.line(f"  {name}: {', '.join(row[name][:_SHOWN_IDS])}{more}")
        if row["fault"]:
            out.say("not_compared", "red", user=row["user"], projection=row["projection"], code=row["fault"])
        if row["waiting"]:
            out.say("waiting", user=row["user"], projection=row["projection"], count=row["waiting"])
    if answer["ok"]:
        out.say("verify_ok", "green", users=answer["users"])


def _counter(advance: Any) -> Any:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        advance(done)

    return step


def rebuild(
    projection: Annotated[
        str | None, typer.Argument(metavar="[PROJECTION]", help="text, vectors, graph or archive; default: all.")
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Make projections anew from the ledger."""
    if projection is not None and projection not in PROJECTIONS:
        raise WrongUseError(f"PROJECTION: one of {', '.join(PROJECTIONS)}")
    chosen = (projection,) if projection else PROJECTIONS
    with calling(config, data_dir, as_json=as_json, model="vectors" in chosen) as call:
        from mcp_memory_server.storage.verify import rebuild as make

        with call.app.backend.store.system() as system:
            users = len(system.users())
        with call.out.progress("rebuilding", users) as advance:
            written = make(call.app.backend, call.app.embedder, chosen, _counter(advance), call.app.archive)
        embedded = _drain(call, written)
        answer = {"projections": list(chosen), "memories": written, "embedded": embedded}
        call.out.show(answer, lambda out, found: out.say("rebuilt", "green", **found))


def reindex(
    everything: Annotated[
        bool, typer.Option("--all", help="Also what has a vector of the current model already.")
    ] = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Embed now everything that has no vector of the current model, and drop those of other models."""
    with calling(config, data_dir, as_json=as_json, model=True) as call:
        app = call.app
        if app.embedder is None:
            raise UnsupportedError("vectors are switched off", next_step="Change the setting `embedder.kind`")
        from mcp_memory_server.storage.verify import rebuild as make

        queued = make(app.backend, app.embedder, ("vectors",)) if everything else app.projector.adopt_model()
        embedded = _drain(call, queued)
        retired = app.projector.retire_models()
        answer = {"model": app.embedder.model, "embedded": embedded, "retired_models": retired}
        call.out.show(answer, lambda out, found: out.say("reindexed", "green", **found))


def _drain(call: Call, expected: int) -> int:
    """Embed what is queued. Raises UnavailableError when some of it could not be embedded."""
    with call.out.progress("embedding", expected or None) as advance:
        done = call.app.projector.drain(advance)
    name = call.app.backend.vector_index.name
    with call.app.backend.store.system() as system:
        left = system.backlog().get(name, 0)
    if left:
        raise UnavailableError(f"{left} memories could not be embedded", next_step="See `doctor`, then run it again")
    return done


def erase(
    user: Annotated[str, typer.Option("--user", metavar="USER", help="Whose memory is erased, all of it.")],
    yes: o.Yes = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Erase everything of a user for good; prints the receipts."""
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        count = len(call.service.plan_everything(call.principal).ids)
        if count and not yes:
            _ask_to_erase(call, count, user)
        receipts = call.service.erase_user(call.principal) if count else []
        call.out.show({"user": user, "memories": count, "receipts": receipts}, _erased)


def _ask_to_erase(call: Call, count: int, user: str) -> None:
    """Raises ConsentRequiredError unless the person at the terminal says yes."""
    asked = sys.stdin.isatty() and not call.out.as_json
    if not asked or not confirmed(call.out, "erase_user", count=count, user=user):
        raise ConsentRequiredError(f"nothing was erased of {user}", next_step="Say yes, or give --yes")


def _erased(out: Output, answer: dict[str, Any]) -> None:
    if not answer["receipts"]:
        out.say("nothing_to_erase", user=answer["user"])
        return
    out.say("erased", "green", user=answer["user"], count=answer["memories"])
    for found in answer["receipts"]:
        views.receipt(out, found)
