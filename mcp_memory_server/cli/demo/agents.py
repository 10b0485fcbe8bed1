"""Agents of the demo: MCP clients, each with a server process of its own on one data folder."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import anyio
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import stdio_client
from mcp.types import ElicitRequestParams, ElicitResult, Implementation

from mcp_memory_server import __version__
from mcp_memory_server.errors import UnavailableError

_START_SECONDS = 30  # for a server to answer on a busy machine
_CALL_SECONDS = 30
_MODEL_SECONDS = 20  # for the embedding model to load
_POLL_SECONDS = 0.2


class DemoError(UnavailableError):
    """A step did not do what it says."""

    code = "internal"


@dataclass(slots=True)
class World:
    """What all agents of a demo share."""

    folder: Path
    config: Path | None
    lang: str
    errors: TextIO
    on_question: Callable[[str], bool]
    calls: int = 0
    processes: int = 0


@dataclass(slots=True)
class Agent:
    """A connected agent."""

    name: str
    number: int
    client: Client
    world: World

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool. Raises DemoError with the server's words when it fails."""
        self.world.calls += 1
        result = await self.client.call_tool(tool, arguments, read_timeout_seconds=_CALL_SECONDS)
        if result.is_error or result.structured_content is None:
            text = " ".join(getattr(part, "text", "") for part in result.content)
            raise DemoError(f"{tool} answered: {text}")
        found: dict[str, Any] = result.structured_content
        return found

    async def recall(self, query: str) -> dict[str, Any]:
        """Ask, and ask again while the model of a fresh process is still loading."""
        found = await self.call("recall", query=query)
        with anyio.move_on_after(_MODEL_SECONDS):
            while found["degraded"]:
                await anyio.sleep(_POLL_SECONDS)
                found = await self.call("recall", query=query)
        return found


@asynccontextmanager
async def agent(world: World, name: str) -> AsyncIterator[Agent]:
    """Start an agent; its server process ends with the block."""
    world.processes += 1
    arguments = ["-m", "mcp_memory_server.cli.main", "--data-dir", str(world.folder)]
    if world.config is not None:
        arguments += ["--config", str(world.config)]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, env={"MEMORY_LANGUAGE": world.lang, "PYTHONUTF8": "1"}
    )
    client = Client(
        stdio_client(server, errlog=world.errors),
        client_info=Implementation(name=name, version=__version__),
        elicitation_callback=_asking(world),
        read_timeout_seconds=_START_SECONDS,
    )
    async with client:
        yield Agent(name, world.processes, client, world)


def _asking(world: World) -> ElicitationFnT:
    async def ask(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        yes = world.on_question(params.message)
        return ElicitResult(action="accept", content={"forget": yes})

    return ask
