"""The MCP server: both protocol eras, over stdio and streamable HTTP.

Only the SDK, the standard library and our schemas are imported here: the first answer must not wait
for the store or a model, which open in a worker right after it.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.caching import CacheHint
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    Completion,
    InputRequiredResult,
    Resource,
    ResourceTemplate,
    Tool,
)

from mcp_memory_server import __version__
from mcp_memory_server.errors import InternalError, MemoryServerError, NotFoundError
from mcp_memory_server.tools import forget_tool, memory_tools, resources, schemas
from mcp_memory_server.tools.arguments import checked
from mcp_memory_server.tools.results import READ_ONLY, failed, register, succeeded
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.subscriptions import UserBus, register_legacy

if TYPE_CHECKING:
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import MemoryService

_log = logging.getLogger(__name__)
_THREADS = 8  # calls that work at the same time in one process
_TOOLS_TTL_MS = 300_000  # how long a client may keep the list of tools
_CHANGED = ("memory://profile", "memory://questions")  # what every write may change
_FIRED = ("memory://triggers",)  # what a trigger that fires changes


class MemoryMCPServer(MCPServer[None]):
    """The SDK's server with our schemas, error texts, resources and per-user notifications."""

    def __init__(self, runtime: Runtime, **options: Any) -> None:
        self.runtime = runtime
        self.bus = UserBus(self.current_user)
        self._limiter: anyio.CapacityLimiter | None = None
        self._listens = False  # to what comes in from outside
        super().__init__(
            "consented-memory",
            title="Consented memory",
            description="The user's own long-term memory, shared by the assistants that the user attaches",
            instructions=schemas.INSTRUCTIONS,
            version=__version__,
            log_level=runtime.settings.log_level,
            cache_hints={"tools/list": CacheHint(ttl_ms=_TOOLS_TTL_MS, scope="public")},
            subscriptions=self.bus,
            middleware=[self._open_after_first_answer],
            **options,
        )
        register_legacy(self._lowlevel_server, self.bus)

    # -- who calls -------------------------------------------------------------------------------

    def current_user(self) -> str:
        """The user of the request: that of its access token, else that of the settings."""
        token = get_access_token()
        return token.subject if token is not None and token.subject else self.runtime.settings.user

    def principal(self, context: Context[Any, Any] | None) -> Principal:
        """User, agent and channel of a request."""
        from mcp_memory_server.identity.principal import Principal

        params = context.session.client_params if context is not None else None
        agent = params.client_info.name if params is not None else "unknown"
        token = get_access_token()
        scopes = frozenset(token.scopes) if token is not None else frozenset[str]()
        channel = self.runtime.settings.channel or agent
        return Principal(self.current_user(), agent[:200], channel[:200], scopes)

    async def _open_after_first_answer(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        try:
            return await call_next(ctx)
        finally:
            # The answer is written after this returns; opening starts a moment later, in a thread.
            self._soon(self.runtime.prepare)

    @staticmethod
    def _soon(start: Callable[[], None]) -> None:
        import asyncio

        asyncio.get_running_loop().call_later(0.05, start)

    async def work(self, call: Callable[[MemoryService], dict[str, Any]]) -> dict[str, Any]:
        """Run one unit of work in a thread."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        await self._listen()
        return await anyio.to_thread.run_sync(
            lambda: call(self.runtime.application().service), limiter=self._limiter, abandon_on_cancel=False
        )

    async def _listen(self) -> None:
        """From the first call on, hear of results that other programs send back, and notify their user's listeners."""
        if self._listens:
            return
        import asyncio

        loop = asyncio.get_running_loop()

        def arrived(user: str) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended with the server
                asyncio.run_coroutine_threadsafe(self.tell(user, (*_CHANGED[:1], *_FIRED)), loop)

        application = await anyio.to_thread.run_sync(self.runtime.application)
        if not self._listens:  # another call may have been quicker
            self._listens = True
            application.listeners.append(arrived)

    # -- tools -----------------------------------------------------------------------------------

    async def list_tools(self) -> list[Tool]:
        """The tools with our own schemas."""
        return [
            tool.model_copy(
                update={"input_schema": schemas.advertised(tool.name), "output_schema": schemas.OUTPUTS[tool.name]}
            )
            if tool.name in schemas.INPUTS
            else tool
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what goes wrong is a result that says so with the contract's code."""
        if self._tool_manager.get_tool(name) is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name}")
        if name not in schemas.INPUTS:
            return await super().call_tool(name, arguments, context)
        try:
            return await super().call_tool(name, checked(name, arguments), context)
        except MemoryServerError as error:
            return failed(error)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, MemoryServerError):
                return failed(cause)
            _log.exception("tool %s failed", name)
            return failed(InternalError("the call failed", next_step="Look into the server's log"))

    async def announce(self, name: str, user: str, answer: dict[str, Any]) -> None:
        """Notify a user's listeners of what the answer of a tool says that it has changed."""
        if name in READ_ONLY or (name == "forget" and not answer["forgotten"]):
            return
        await self.tell(user, (*_CHANGED, *_FIRED) if answer.get("triggers") else _CHANGED)

    async def tell(self, user: str, changed: Iterable[str] = _CHANGED) -> None:
        """Notify a user's listeners that memory has changed."""
        for uri in changed:
            await self.bus.publish_to(user, ResourceUpdated(uri=uri))

    # -- resources -------------------------------------------------------------------------------

    async def list_resources(self) -> list[Resource]:
        """The resources that exist for everybody."""
        return [*resources.RESOURCES, *await super().list_resources()]

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """The templates of resources."""
        return [*resources.TEMPLATES, *await super().list_resource_templates()]

    async def read_resource(
        self, uri: Any, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read one of our resources, or whatever an extension added."""
        wanted = resources.parse(str(uri))
        if wanted is None:
            return await super().read_resource(uri, context)
        principal = self.principal(context)
        try:
            found = await self.work(lambda service: resources.read(service, principal, wanted))
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        except MemoryServerError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        return [ReadResourceContents(content=found["text"], mime_type=found["mime_type"])]


def build_server(runtime: Runtime, **options: Any) -> MemoryMCPServer:
    """The server with all its tools, resources, prompts and completions."""
    server = MemoryMCPServer(runtime, **options)
    _add_simple_tools(server)
    forget_tool.add(server)
    _add_prompts(server)
    _add_completions(server)
    return server


def _add_simple_tools(server: MemoryMCPServer) -> None:
    async def run(name: str, given: dict[str, Any], ctx: Context[Any, Any]) -> CallToolResult:
        principal = server.principal(ctx)
        answer = await server.work(lambda service: memory_tools.CALLS[name](service, principal, given))
        await server.announce(name, principal.user, answer)
        return succeeded(answer)

    for name in memory_tools.CALLS:
        if name == "forget":
            continue  # it asks its user where it can
        register(server, name, _taking(name, functools.partial(run, name)))


def _taking(name: str, run: Callable[..., Awaitable[CallToolResult]]) -> Callable[..., Any]:
    """A function whose parameters are those of a tool's schema, as the SDK wants them."""
    import inspect

    kinds = {"string": str, "integer": int, "boolean": bool, "array": list[Any]}
    properties = schemas.INPUTS[name]["properties"]

    async def tool(ctx: Context[Any, Any], **given: Any) -> CallToolResult:
        return await run({key: value for key, value in given.items() if value is not None}, ctx)

    parameters = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context[Any, Any])]
    for key, spec in properties.items():
        annotation: Any = kinds[spec["type"]]
        parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=None))
    tool.__signature__ = inspect.Signature(parameters, return_annotation=CallToolResult)  # type: ignore[attr-defined]  # what `inspect` reads; no stub has it
    tool.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    tool.__annotations__["return"] = CallToolResult
    tool.__name__ = name
    return tool


def _add_prompts(server: MemoryMCPServer) -> None:
    from mcp_memory_server.tools import prompts

    prompts.add(server)


def _add_completions(server: MemoryMCPServer) -> None:
    @server.completion()  # type: ignore[no-untyped-call,untyped-decorator]  # the SDK's decorator has no types
    async def complete(ref: Any, argument: Any, context: Any) -> Completion:
        principal = server.principal(None)
        name, start = argument.name, argument.value
        fixed = {"section": schemas.SECTIONS, "category": schemas.CATEGORIES}
        if name in fixed:
            values = [value for value in fixed[name] if value.startswith(start)]
        elif name in ("id", "session"):
            found = await server.work(lambda service: {"values": resources.complete(service, principal, name, start)})
            values = found["values"]
        else:
            values = []
        return Completion(values=values[:100], total=len(values), has_more=len(values) > 100)
