"""One maintenance run: finish erasures, embed what waits, retire old models, empty the log.

Every step can be repeated: it looks at what is left to do, and finds nothing the second time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_memory_server.errors import MemoryServerError

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, and what it had to leave. `elsewhere`: another run is at work, this one did nothing."""

    elsewhere: bool = False
    embedded: int = 0
    waiting: int = 0
    retired_models: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    log_emptied: bool = True


def maintain(app: Application, progress: Callable[[int], None] = lambda _done: None) -> Report:
    """Run once, alone. Raises UnavailableError, StoreNewerError."""
    with app.backend.store.alone("maintain") as free:
        if not free:
            return Report(elsewhere=True)
        app.finish_erasures()
        embedded = _embed(app, progress)
        retired = app.projector.retire_models() if app.embedder is not None else []
        emptied = app.backend.store.scrub()
        return Report(
            embedded=embedded,
            waiting=_waiting(app),
            retired_models=tuple(retired),
            pending=pending(app),
            log_emptied=emptied,
        )


def _embed(app: Application, progress: Callable[[int], None]) -> int:
    """Work off the outbox; embed what has no vector of the current model too."""
    if app.embedder is not None:
        try:
            app.embedder.load()
        except MemoryServerError:
            return 0  # the report says what still waits
        app.projector.adopt_model()
    return app.projector.drain(progress)


def _waiting(app: Application) -> int:
    with app.backend.store.system() as system:
        return sum(system.backlog().values())


def pending(app: Application) -> tuple[str, ...]:
    """What unfinished erasures have not reached yet."""
    with app.backend.store.system() as system:
        left = system.erasures(finished=False)
    return tuple(sorted({place for erasure in left for place in (erasure.pending or (erasure.id,))}))
