"""Asking the person at the terminal."""

from __future__ import annotations

import sys

from mcp_memory_server.cli.output import Output, harmless

_YES = frozenset({"y", "yes", "j", "是", "好", "确认", "对"})


def confirmed(out: Output, name: str, **values: object) -> bool:
    """A question that only a clear yes answers; the end of input is a no. Asked on standard error."""
    sys.stderr.write(f"{harmless(out.text(name, **values))} [y/N] ")
    sys.stderr.flush()
    try:
        return input().strip().casefold() in _YES
    except EOFError:
        return False
