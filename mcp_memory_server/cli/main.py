"""The command `mcp-memory-server`: without a subcommand the server on stdio, else one of the commands."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point."""
    arguments = sys.argv[1:]
    options = _stdio_options(arguments)
    if options is None:
        from mcp_memory_server.cli.app import run

        run(arguments)
        return
    from pathlib import Path

    from mcp_memory_server.cli.stdio import run as run_stdio
    from mcp_memory_server.errors import MemoryServerError

    try:
        run_stdio(*(Path(value) if value else None for value in options))
    except MemoryServerError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from error
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _stdio_options(arguments: list[str]) -> tuple[str, str] | None:
    """`--data-dir` and `--config` when nothing else is given; None when there is a subcommand."""
    found = {"--data-dir": "", "--config": ""}
    rest = list(arguments)
    while rest:
        name, joined, value = rest.pop(0).partition("=")
        if name not in found or not (joined or rest):
            return None
        found[name] = value if joined else rest.pop(0)
    return found["--data-dir"], found["--config"]


if __name__ == "__main__":
    main()
