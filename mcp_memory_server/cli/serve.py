"""`serve`: MCP over streamable HTTP, and the HTTP API."""

import contextlib
import signal
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_memory_server.cli import options as o
from mcp_memory_server.cli.output import Output
from mcp_memory_server.cli.session import output_of
from mcp_memory_server.cli.stdio import log_to_stderr, prepare_process
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.settings import Settings, load

if TYPE_CHECKING:
    from mcp_memory_server.tools.runtime import Runtime

_SHUTDOWN_SECONDS = 5  # how long open streams may take to end


def add(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(serve)


def serve(
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Address to bind; default 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="PORT", help="Port; 0 takes a free one; default 8765.")
    ] = None,
    config: o.Config = None,
    data_dir: o.DataDir = None,
    as_json: o.Json = False,
) -> None:
    """Serve MCP at /mcp and the HTTP API at /api, with /healthz, /readyz and /metrics."""
    server = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = load({"data_dir": data_dir, "server": server}, config=config)
    prepare_process()
    log_to_stderr(settings.log_level)
    from mcp_memory_server.tools.runtime import Runtime

    runtime = Runtime(settings)
    try:
        _serve(runtime, settings, output_of(settings, as_json=as_json))
    finally:
        runtime.close()


def _serve(runtime: "Runtime", settings: Settings, out: Output) -> None:
    from mcp_memory_server.web.http import MCP_PATH, build_http, check_host

    app = runtime.application()
    check_host(settings.server.host, app.backend.store, app.clock.now())
    web = build_http(runtime)

    import uvicorn

    class Announcing(uvicorn.Server):
        """Says where it listens once it does: with port 0 nobody knows before."""

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            if self.started:
                _announce(out, _url(self, settings.server.host, MCP_PATH), str(settings.data_dir))

    config = uvicorn.Config(
        web,
        host=settings.server.host.strip("[]"),
        port=settings.server.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    server = Announcing(config)
    _end_quietly()
    with contextlib.suppress(SystemExit):  # also uvicorn's way of saying that it could not bind
        server.run()
    if not server.started:
        address = f"{settings.server.host}:{settings.server.port}"
        raise UnavailableError(f"cannot listen on {address}", next_step="Choose another --port or --host")


def _end_quietly() -> None:
    """When it has shut down, uvicorn raises the signal that stopped it once more: then the command is done."""

    def done(*_: object) -> None:
        raise SystemExit(0)

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, done)


def _url(server: Any, host: str, path: str) -> str:
    port = server.servers[0].sockets[0].getsockname()[1]
    name = host.strip("[]")
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{path}"


def _announce(out: Output, url: str, folder: str) -> None:
    if out.as_json:
        out.data({"url": url, "data_dir": folder})
    else:
        out.say("serving", "green", url=url)
        sys.stdout.flush()
