"""What became of memories: the archive, open questions, and the working memory of a session."""

from typing import Annotated, Any

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli import views
from mcp_memory_server.cli.ask import confirmed
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import WrongUseError, arguments, calling
from mcp_memory_server.errors import ConsentRequiredError
from mcp_memory_server.tools import schemas

_SHOWN = 20  # memories named before all of an archive comes back


def add(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (questions, restore, session):
        app.command()(command)


def questions(
    question: Annotated[str | None, typer.Argument(metavar="[ID]", help="The question to answer.")] = None,
    verdict: Annotated[
        str | None,
        typer.Argument(metavar="[ANSWER]", help=f"One of {', '.join(schemas.VERDICTS)}."),
    ] = None,
    statement: Annotated[
        str | None,
        typer.Option("--statement", "-s", metavar="TEXT", help="With the answer replace: what is right."),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """List the open questions, or answer one."""
    if question is None:
        with calling(config, data_dir, user=user, as_json=as_json) as call:
            call.out.show({"questions": call.service.questions(call.principal)}, _listed)
        return
    if verdict is None:
        raise WrongUseError("ANSWER: is missing", next_step="Run `questions` alone to see which answers there are")
    given = arguments("correct_memory", question_id=question, verdict=verdict, statement=statement)
    with calling(config, data_dir, user=user, as_json=as_json, model=statement is not None) as call:
        from mcp_memory_server.tools import memory_tools

        answer = memory_tools.correct_memory(call.service, call.principal, given)
        call.settle()
        call.out.show(answer, views.became)


def _listed(out: Output, answer: dict[str, Any]) -> None:
    views.questions(out, answer["questions"])
    if not answer["questions"]:
        out.say("no_questions")


def restore(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Archived memories.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything in the archive.")] = False,
    yes: o.Yes = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Bring back from the archive what faded; never what was erased."""
    if bool(ids) == everything:
        raise WrongUseError("give ids, or --all", next_step="See `list --status archived`")
    with calling(config, data_dir, user=user, as_json=as_json, model=True) as call:
        wanted = ids or call.service.archived(call.principal)
        asking = everything and wanted and not yes
        if asking and (as_json or not confirmed(call.out, "restore_all", count=len(wanted))):
            raise ConsentRequiredError("nothing was restored", next_step="Say yes, or give --yes")
        answer = call.service.restore(call.principal, wanted)
        call.settle()
        call.out.show(answer, _restored)


def _restored(out: Output, answer: dict[str, Any]) -> None:
    out.say("restored", "green", count=len(answer["restored"]))
    for one in answer["disputed"]:
        out.line(f"? {one['text']}", "yellow")
        out.line(f"  {one['question']}: keep_first, keep_second, keep_both", "dim")
    for one in answer["kept"][:_SHOWN]:
        out.line(f"- {one['id']}: {one['reason']}", "yellow")


def session(
    name: Annotated[str, typer.Argument(metavar="ID", help="A conversation.")],
    rollback: Annotated[
        int | None,
        typer.Option(
            "--rollback", metavar="VERSION", min=1, help="Make this version of its working memory the newest."
        ),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Show the working memory of a session with its versions, or roll it back."""
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        if rollback is not None:
            found = call.service.rollback(call.principal, name, rollback)
        else:
            found = call.service.working(call.principal, name)
        call.out.show({"session": name, **found}, _session)


def _session(out: Output, found: dict[str, Any]) -> None:
    if not found["versions"]:
        out.say("no_session", session=found["session"])
        return
    for item in found["items"]:
        out.line(f"- {item.get('statement') or item['reference']}")
        out.line(f"  {item['id']}", "dim")
    for version in found["versions"]:
        mark = " *" if version["version"] == found["version"] else ""
        out.line(f"{version['version']}: {version['at']} {version['action']}{mark}", "dim")
