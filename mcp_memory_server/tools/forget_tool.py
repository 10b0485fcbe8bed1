"""The tool `forget`: it asks the user through the client where that is possible.

Its parameters are filled by the SDK from real annotations (a resolver defined inside a function), so
this module does without postponed evaluation of annotations.
"""

from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from mcp_memory_server.tools import memory_tools
from mcp_memory_server.tools.results import register, succeeded

if TYPE_CHECKING:
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import MemoryService
    from mcp_memory_server.tools.server import MemoryMCPServer


class ConfirmForget(BaseModel):
    """The one question that `forget` asks the user."""

    forget: bool = Field(description="Forget these memories for good?")


def can_ask(context: Context[Any, Any]) -> bool:
    """Whether the client can put a form before its user."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def add(server: "MemoryMCPServer") -> None:
    """Register the tool."""

    async def ask_user(
        ctx: Context[Any, Any],
        memory_id: str,
        query: str,
        category: str,
        event_type: str,
        source: str,
        session: str,
        channel: str,
        since: str,
        until: str,
        everything: bool,
        confirm: str,
    ) -> ConfirmForget | Elicit[ConfirmForget]:
        if confirm or memory_id or not can_ask(ctx):
            return ConfirmForget(forget=True)  # the tool itself decides what that allows
        given = _present(
            query=query,
            category=category,
            event_type=event_type,
            source=source,
            session=session,
            channel=channel,
            since=since,
            until=until,
            everything=everything,
        )
        principal = server.principal(ctx)
        found = await anyio.to_thread.run_sync(
            lambda: memory_tools.forget_plan(server.runtime.application().service, principal, given)
        )
        if not found.ids:
            return ConfirmForget(forget=True)
        lang = server.runtime.application().context.language
        return Elicit(memory_tools.forget_question(found, lang), ConfirmForget)

    async def forget(
        ctx: Context[Any, Any],
        answer: Annotated[ElicitationResult[ConfirmForget], Resolve(ask_user)],
        memory_id: str = "",
        query: str = "",
        category: str = "",
        event_type: str = "",
        source: str = "",
        session: str = "",
        channel: str = "",
        since: str = "",
        until: str = "",
        everything: bool = False,
        confirm: str = "",
        reason: str = "",
    ) -> CallToolResult:
        given = _present(
            memory_id=memory_id,
            query=query,
            category=category,
            event_type=event_type,
            source=source,
            session=session,
            channel=channel,
            since=since,
            until=until,
            everything=everything,
            confirm=confirm,
            reason=reason,
        )
        principal = server.principal(ctx)
        yes = isinstance(answer, AcceptedElicitation) and answer.data.forget
        asked = can_ask(ctx)
        result = await server.work(lambda service: _forget(service, principal, given, yes=yes, asked=asked))
        await server.announce("forget", principal.user, result)
        return succeeded(result)

    register(server, "forget", forget)


def _present(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value}


def _forget(
    service: "MemoryService", principal: "Principal", given: dict[str, Any], *, yes: bool, asked: bool
) -> dict[str, Any]:
    if not asked:
        return memory_tools.forget_unasked(service, principal, given)
    found = memory_tools.forget_plan(service, principal, given)
    if found.immediate:
        return service.forget(principal, found.ids)
    if not yes or not found.ids:
        return service.forget_nothing(found)
    return service.forget(principal, found.ids)
