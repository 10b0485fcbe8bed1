"""One maintenance run: finish erasures, do what time has made due, embed what waits, retire old models, empty the log.

Every step can be repeated: it looks at what is left to do, and finds nothing the second time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.maintenance.schedule import is_due
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service.upkeep import Upkeep

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application

_KEPT_UP = "kept_up_at"  # the store's note of the last daily run, ISO 8601

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, and what it had to leave. `elsewhere`: another run is at work, this one did nothing.

    `promoted` to `sessions` are memories, and ended sessions, of all users; zero when the daily run was not due.
    """

    elsewhere: bool = False
    promoted: int = 0
    expired: int = 0
    archived: int = 0
    merged: int = 0
    asked: int = 0
    sessions: int = 0
    embedded: int = 0
    delivered: int = 0
    waiting: int = 0
    retired_models: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    log_emptied: bool = True


def _quiet(_done: int) -> None:
    """Tell nobody."""


def maintain(
    app: Application, progress: Progress = _quiet, looking: Progress = _quiet, *, daily: bool = False
) -> Report:
    """Run once, alone. `progress` is told of embeddings made, `looking` of memories looked at.

    With `daily` what time has made due is done only when the time of day in the policy has come since the last
    run. Raises UnavailableError, StoreNewerError.
    """
    with app.backend.store.alone("maintain") as free:
        if not free:
            return Report(elsewhere=True)
        app.finish_erasures()
        app.flush_reads()
        done = keep_up(app, looking) if not daily or _due(app) else Upkeep()
        app.settle_recalls()
        delivered = app.courier.drain()
        embedded = _embed(app, progress)
        retired = app.projector.retire_models() if app.embedder is not None else []
        emptied = app.backend.store.scrub()
        return Report(
            **asdict(done),
            embedded=embedded,
            delivered=delivered,
            waiting=_waiting(app),
            retired_models=tuple(retired),
            pending=pending(app),
            log_emptied=emptied,
        )


def keep_up(app: Application, looking: Progress = _quiet) -> Upkeep:
    """Do for every user what time has made due. The caller holds the lock."""
    with app.backend.store.system() as system:
        users = system.users()
    done, before = Upkeep(), 0
    for user in users:
        seen = 0

        def looked(count: int, before: int = before) -> None:
            nonlocal seen
            seen = count
            looking(before + count)

        done += app.service.keep_up(Tenancy(user), looked)
        before += seen
    with contextlib.suppress(MemoryServerError):  # an archive that is away is looked at tomorrow
        app.projector.tidy_archive()
    with app.backend.store.system(write=True) as system:
        system.set_meta(_KEPT_UP, app.clock.now().isoformat())
    return done


def keep_up_when_due(app: Application) -> bool:
    """The daily run of a server: whether it was due and nobody else was at it."""
    if not _due(app):
        return False
    with app.backend.store.alone("maintain") as free:
        if not free or not _due(app):
            return False
        keep_up(app)
    return True


def _due(app: Application) -> bool:
    with app.backend.store.system() as system:
        noted = system.meta(_KEPT_UP)
    last = datetime.fromisoformat(noted) if noted else None
    return is_due(last, app.clock.now(), app.maintain_at, app.context.zone(None))


def _embed(app: Application, progress: Progress) -> int:
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
