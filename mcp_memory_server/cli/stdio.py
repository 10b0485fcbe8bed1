"""The server on stdio: the form every client configuration uses.

Kept apart from the other commands, so that nothing but the SDK is imported before the first answer.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

from mcp_memory_server.settings import Settings, load

_ON_A_TERMINAL = """\
This is an MCP server: it waits for a client on standard input.
To try it here:            mcp-memory-server demo
To attach it to a client:  mcp-memory-server setup claude-desktop
To stop it:                Ctrl-C
"""


def prepare_process() -> None:
    """Settings of the process that must stand before any numeric library loads."""
    # Several threads make short scans slower on a busy machine; see docs/adr/0002-embedded-store.md.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(name, "1")


def log_to_stderr(level: str) -> None:
    """Structured lines on standard error; standard output belongs to the protocol."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)


class _JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message; no memory text is ever logged."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        import json
        from datetime import UTC, datetime

        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


def run(data_dir: Path | None = None, config: Path | None = None) -> None:
    """Serve on stdio until the client closes. Raises InvalidArgumentError for wrong settings."""
    settings = load({"data_dir": data_dir}, config=config)
    prepare_process()
    log_to_stderr(settings.log_level)
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(_ON_A_TERMINAL)
        # The reader of standard input cannot be interrupted: leave at once. Every commit is complete by itself.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    serve(settings)


def serve(settings: Settings) -> None:
    """Serve these settings on stdio."""
    from mcp_memory_server.tools.runtime import Runtime
    from mcp_memory_server.tools.server import build_server

    runtime = Runtime(settings)
    try:
        build_server(runtime).run("stdio")
    finally:
        runtime.close()
