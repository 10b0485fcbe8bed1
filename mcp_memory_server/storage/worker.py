"""A thread that loads the model, finishes what was left open, and keeps the outbox short."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.memory.ports import Embedder
from mcp_memory_server.storage.projector import Projector

_log = logging.getLogger(__name__)
_IDLE_SECONDS = 5.0  # between two looks at the outbox when nobody wakes the worker


class Worker:
    """A thread that loads the model, finishes what was left open, and keeps the outbox short."""

    def __init__(
        self,
        projector: Projector,
        embedder: Embedder | None,
        start: Callable[[], object],
        warm_up: Callable[[], object],
        chores: Callable[[], object] = lambda: None,
        probe: Callable[[], object] = lambda: None,
    ) -> None:
        self._projector = projector
        self._embedder = embedder
        self._start = start
        self._warm_up = warm_up
        self._chores = chores
        self._probe = probe
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._loaded = threading.Event()  # set too when loading has failed: there is nothing to wait for
        self._thread = threading.Thread(target=self._run, name="memory-worker", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look at the outbox now."""
        self._wake.set()

    def wait_for_model(self, seconds: float) -> None:
        """Wait while the thread loads the model, at most so long."""
        if self._thread.is_alive() and self._embedder is not None:
            self._loaded.wait(seconds)

    def stop(self) -> None:
        """Stop after the step at hand."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        self._guarded(self._start)
        if self._embedder is not None:
            self._guarded(self._embedder.load)
            self._loaded.set()
        self._guarded(self._warm_up)
        adopted = self._embedder is None
        retiring = self._embedder is not None
        while not self._stopping.is_set():
            self._guarded(self._probe)
            # Where the vectors are away it is tried again: nothing else finds what has none.
            adopted = adopted or self._guarded(self._projector.adopt_model)
            self._guarded(self._projector.drain)
            if retiring:
                # Old models go once all memories have new vectors; then there is nothing to look for.
                self._guarded(self._projector.retire_models)
                retiring = self._projector.has_old_models()
            self._guarded(self._chores)
            self._wake.wait(_IDLE_SECONDS)
            self._wake.clear()

    @staticmethod
    def _guarded(step: Callable[[], object]) -> bool:
        """Whether a step came to its end."""
        try:
            step()
            return True
        except MemoryServerError as error:
            _log.warning("background work put off: %s", error.code)
        except Exception:  # noqa: BLE001 - the thread must live on; the fault is in the log
            _log.exception("background work failed")
        return False
