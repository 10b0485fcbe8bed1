"""Running something again and again until the process is asked to stop."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable

from mcp_memory_server.errors import MemoryServerError

_log = logging.getLogger(__name__)


def repeat(step: Callable[[], None], seconds: float, stop: threading.Event | None = None) -> None:
    """Run `step` now and every `seconds`; SIGTERM and Ctrl-C end it between two steps.

    An anticipated failure is logged and tried again next time.
    """
    stopping = stop or threading.Event()
    previous = _on_terminate(stopping)
    try:
        while True:
            try:
                step()
            except MemoryServerError as error:
                _log.warning("maintenance put off: %s", error)
            if stopping.wait(seconds):
                return
    except KeyboardInterrupt:
        return
    finally:
        if previous is not None:
            signal.signal(signal.SIGTERM, previous)


def _on_terminate(stopping: threading.Event) -> signal.Handlers | Callable[..., object] | int | None:
    """Let SIGTERM set `stopping`; only a process's main thread can do that."""
    if threading.current_thread() is not threading.main_thread():
        return None
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    return before
