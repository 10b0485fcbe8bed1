"""The tools on the command line: remember, recall, list, forget, profile, graph."""

import sys
from typing import Annotated, Any

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli import views
from mcp_memory_server.cli.ask import confirmed
from mcp_memory_server.cli.session import Call, WrongUseError, arguments, calling
from mcp_memory_server.errors import ConsentRequiredError
from mcp_memory_server.tools import schemas


def add(app: typer.Typer) -> None:
    """Add these commands."""
    app.command()(remember)
    app.command()(recall)
    app.command("list")(list_)
    app.command()(forget)
    app.command()(profile)
    app.command()(graph)


def remember(
    said: Annotated[
        str | None, typer.Argument(metavar="[WORDS]", help="The words as said; - reads standard input.")
    ] = None,
    statement: Annotated[
        list[str] | None,
        typer.Option("--statement", "-s", metavar="TEXT", help="A self-contained fact; may be repeated."),
    ] = None,
    said_by: Annotated[
        str | None, typer.Option("--said-by", metavar="WHO", help="user (default), assistant or other.")
    ] = None,
    said_by_name: Annotated[
        str | None, typer.Option("--said-by-name", metavar="NAME", help="The speaker's name.")
    ] = None,
    category: o.Category = None,
    occurred_at: Annotated[
        str | None, typer.Option("--occurred-at", metavar="TIME", help="When it was said (ISO 8601).")
    ] = None,
    time_zone: Annotated[str | None, typer.Option("--time-zone", metavar="ZONE", help="An IANA time zone.")] = None,
    session: o.Session = None,
    origin: Annotated[
        str | None,
        typer.Option("--origin", metavar="NAME", help="Where the words come from, if not from your own mouth."),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Store what was said, and the facts in it."""
    words = sys.stdin.read() if said == "-" else said
    if not words and not statement:
        raise WrongUseError("give the words, or --statement", next_step='Try: remember "I live in Berlin"')
    given = arguments(
        "remember",
        statements=statement or [],
        said=words,
        said_by=said_by,
        said_by_name=said_by_name,
        category=category,
        occurred_at=occurred_at,
        time_zone=time_zone,
        session=session,
        origin=origin,
    )
    with calling(config, data_dir, user=user, as_json=as_json, model=True) as call:
        from mcp_memory_server.tools import memory_tools

        answer = memory_tools.remember(call.service, call.principal, given)
        call.settle()
        call.out.show(answer, views.remembered)


def recall(
    query: Annotated[str, typer.Argument(metavar="QUESTION", help="A question or keywords.")],
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most so many memories (1 to 100).")
    ] = None,
    max_chars: o.MaxChars = None,
    category: o.Category = None,
    kind: o.Kind = None,
    event_type: o.EventType = None,
    since: o.Since = None,
    until: o.Until = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="What was true at that time.")] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", metavar="TIME", help="What was recorded by that time.")
    ] = None,
    include: Annotated[
        str | None, typer.Option("--include", metavar="WHAT", help="current (default), history or all.")
    ] = None,
    session: o.Session = None,
    full: o.Full = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Find what is remembered about something."""
    given = arguments(
        "recall",
        query=query,
        limit=limit,
        max_chars=max_chars,
        category=category,
        kind=kind,
        event_type=event_type,
        since=since,
        until=until,
        as_of=as_of,
        known_at=known_at,
        include=include,
        session=session,
        detail="full" if full else None,
    )
    with calling(config, data_dir, user=user, as_json=as_json, model=True) as call:
        from mcp_memory_server.tools import memory_tools

        call.settle()
        call.out.show(memory_tools.recall(call.service, call.principal, given), views.recalled)


def list_(
    category: o.Category = None,
    kind: o.Kind = None,
    event_type: o.EventType = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="NAME", help=f"One of {', '.join((*schemas.STATUSES, 'any'))}."),
    ] = None,
    source: o.Source = None,
    session: o.Session = None,
    since: o.Since = None,
    until: o.Until = None,
    cursor: Annotated[str | None, typer.Option("--cursor", metavar="VALUE", help="Continue a listing.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most so many memories (0 to 100).")
    ] = None,
    max_chars: o.MaxChars = None,
    full: o.Full = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """List memories, newest first."""
    given = arguments(
        "list_memories",
        category=category,
        kind=kind,
        event_type=event_type,
        status=status,
        source=source,
        session=session,
        since=since,
        until=until,
        cursor=cursor,
        limit=limit,
        max_chars=max_chars,
        detail="full" if full else None,
    )
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        from mcp_memory_server.tools import memory_tools

        call.out.show(memory_tools.list_memories(call.service, call.principal, given), views.listed)


def forget(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory, which is forgotten at once.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="WORDS", help="What to forget, in words.")
    ] = None,
    category: o.Category = None,
    event_type: o.EventType = None,
    source: o.Source = None,
    session: o.Session = None,
    channel: Annotated[str | None, typer.Option("--channel", metavar="NAME", help="What came in by a channel.")] = None,
    since: o.Since = None,
    until: o.Until = None,
    everything: Annotated[bool, typer.Option("--everything", help="All that is stored of you.")] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", metavar="VALUE", help="Confirm an earlier preview.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why.")] = None,
    yes: o.Yes = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Erase memories for good, with history and copies."""
    given = arguments(
        "forget",
        memory_id=memory_id,
        query=query,
        category=category,
        event_type=event_type,
        source=source,
        session=session,
        channel=channel,
        since=since,
        until=until,
        everything=True if everything else None,
        confirm=confirm,
        reason=reason,
    )
    if not set(given) - {"reason"}:
        raise WrongUseError("give an ID, filters such as --query, or --everything")
    with calling(config, data_dir, user=user, as_json=as_json, model=query is not None) as call:
        _forget(call, given, yes=yes)
        call.settle()


def _forget(call: Call, given: dict[str, Any], *, yes: bool) -> None:
    """Forget at once, after a yes, or leave a confirmation behind where nobody can be asked."""
    from mcp_memory_server.tools import memory_tools

    found = memory_tools.forget_plan(call.service, call.principal, given)
    if found.immediate or (found.ids and yes):
        call.out.show(call.service.forget(call.principal, found.ids), views.forgotten)
        return
    if not found.ids:
        call.out.show(call.service.forget_nothing(found), views.forgotten)
        return
    if call.out.as_json or not sys.stdin.isatty():
        answer = call.service.forget_later(call.principal, found)
        if call.out.as_json:
            call.out.data(answer)
        else:
            views.preview(call.out, answer["preview"])
        raise ConsentRequiredError(
            f"{len(found.ids)} memories wait for your yes",
            next_step=f"Run it again with --yes, or `forget --confirm {answer['confirm']}` within ten minutes",
        )
    views.preview(call.out, found.preview)
    if not confirmed(call.out, "forget_these", count=len(found.ids)):
        call.out.show(call.service.forget_nothing(found), views.forgotten)
        return
    call.out.show(call.service.forget(call.principal, found.ids), views.forgotten)


def profile(
    section: Annotated[
        str | None,
        typer.Option("--section", metavar="NAME", help=f"One of {', '.join(('all', *schemas.SECTIONS))}."),
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print only the text that personalises a model.")] = False,
    max_chars: o.MaxChars = None,
    full: o.Full = False,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Show what is known of you, by section."""
    given = arguments("get_profile", section=section, max_chars=max_chars, detail="full" if full else None)
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        from mcp_memory_server.tools import memory_tools

        answer = memory_tools.get_profile(call.service, call.principal, given)
        if prompt and not as_json:
            call.out.line(answer["prompt"])
        else:
            call.out.show(answer, views.profile)


def graph(
    config: o.Config = None,
    data_dir: o.DataDir = None,
    user: o.User = None,
    as_json: o.Json = False,
) -> None:
    """Show the entities that your memories name, and how they are related."""
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        call.out.show(call.service.graph(call.principal), views.graph)
