"""How results look, and how a tool is registered with our schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent, ToolAnnotations

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.tools import schemas

if TYPE_CHECKING:
    from mcp_memory_server.tools.server import MemoryMCPServer

READ_ONLY = frozenset({"recall", "list_memories", "get_profile"})


def failed(error: MemoryServerError) -> CallToolResult:
    """An error result: `CODE: what is wrong. What to do next.`"""
    return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)


def succeeded(answer: dict[str, Any]) -> CallToolResult:
    """A result whose text and structure say the same."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)


def _annotations(name: str) -> ToolAnnotations:
    return ToolAnnotations(
        title=schemas.TITLES[name],
        read_only_hint=name in READ_ONLY,
        destructive_hint=name == "forget",
        idempotent_hint=name != "correct_memory",
        open_world_hint=False,
    )


def register(server: MemoryMCPServer, name: str, function: Callable[..., Any]) -> None:
    """Register a tool under our descriptions and the schema that clients see."""
    server.add_tool(
        function,
        name=name,
        title=schemas.TITLES[name],
        description=schemas.DESCRIPTIONS[name],
        annotations=_annotations(name),
        structured_output=False,
    )
    tool = server._tool_manager.get_tool(name)
    if tool is not None:
        tool.parameters = schemas.advertised(name)
