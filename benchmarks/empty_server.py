"""An MCP server that does nothing: the floor of every tool call."""

from mcp.server import MCPServer

server = MCPServer("empty", log_level="WARNING")


@server.tool()
async def empty() -> str:
    """Do nothing."""
    return ""


if __name__ == "__main__":
    server.run("stdio")
