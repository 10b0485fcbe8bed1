"""mcp_memory_server."""
