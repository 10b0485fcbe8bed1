"""`token create|list|revoke`: access tokens for `serve`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import calling


def add(app: typer.Typer) -> None:
    """Add this group of commands."""
    group = typer.Typer(help="Access tokens for `serve`.", no_args_is_help=True, rich_markup_mode="rich")
    group.command("create")(create)
    group.command("list")(list_)
    group.command("revoke")(revoke)
    app.add_typer(group, name="token")


def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the token is for, such as `laptop`.")],
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="USER", help="Whose memory it opens; default: the setting `user`."),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option("--days", metavar="N", min=1, max=3650, help="Days until it expires; default: never."),
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Make a token and print it, this once."""
    with calling(config, data_dir, user=user, as_json=as_json) as call:
        from mcp_memory_server.identity import bearer

        context = call.app.context
        token, secret = bearer.create(
            call.app.backend.store,
            context.ids,
            call.app.clock.now(),
            name=name,
            user=call.principal.user,
            days=days,
        )
        call.out.show(_view(token) | {"token": secret}, _created)


def _created(out: Output, token: dict[str, Any]) -> None:
    out.line(token["token"])
    out.note("token_created", id=token["id"], user=token["user"])


def list_(config: o.Config = None, data_dir: o.DataDir = None, as_json: o.Json = False) -> None:
    """List the tokens; the secrets themselves are not kept."""
    with calling(config, data_dir, as_json=as_json) as call:
        from mcp_memory_server.identity.bearer import is_valid

        with call.app.backend.store.system() as system:
            found = system.tokens()
        now = call.app.clock.now()
        call.out.show([_view(token) | {"valid": is_valid(token, now)} for token in found], _listed)


def _listed(out: Output, found: list[dict[str, Any]]) -> None:
    for token in found:
        state = out.text("token_valid" if token["valid"] else "token_void")
        until = token.get("expires_at", "")[:10]
        out.line(f"{token['id']}  {token['name']}  {token['user']}  {state} {until}".rstrip())
    if not found:
        out.say("token_none")


def revoke(
    which: Annotated[str, typer.Argument(metavar="ID", help="The id of a token, or its name.")],
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Make a token worthless, within a second."""
    with calling(config, data_dir, as_json=as_json) as call:
        from mcp_memory_server.identity import bearer

        token = bearer.revoke(call.app.backend.store, call.app.clock.now(), which)
        call.out.show(_view(token), lambda out, found: out.say("token_revoked", id=found["id"], label=found["name"]))


def _view(token: Any) -> dict[str, Any]:
    """A token without its digest."""
    from mcp_memory_server.memory.view import iso_utc

    known = {name: value for name, value in asdict(token).items() if name != "digest" and value is not None}
    return {name: iso_utc(value) if name.endswith("_at") else value for name, value in known.items()}
