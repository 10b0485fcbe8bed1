"""Our server with the fixtures of the conformance suite, on a free port of loopback: prints its address."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import uvicorn

from mcp_memory_server.settings import Settings
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.server import build_server
from mcp_memory_server.web.http import MCP_PATH, build_http
from tests.conformance import fixtures


class _Announcing(uvicorn.Server):
    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        sys.stdout.write(f"http://127.0.0.1:{port}{MCP_PATH}\n")
        sys.stdout.flush()


def main() -> None:
    """Serve until stopped."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        settings = Settings(data_dir=Path(folder) / "data", language="en", time_zone="UTC")
        runtime = Runtime(settings)
        server = build_server(runtime)
        fixtures.add(server)
        config = uvicorn.Config(
            build_http(runtime, server), host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=2
        )
        try:
            _Announcing(config).run()
        finally:
            runtime.close()


if __name__ == "__main__":
    main()
