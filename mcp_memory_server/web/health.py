"""How the back ends are: for readiness and for metrics, looked at no more than once a second."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse

from mcp_memory_server.errors import MemoryServerError, UnavailableError
from mcp_memory_server.limits import HTTP_LOOK_SECONDS
from mcp_memory_server.memory.archiving import ARCHIVE
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.web.answers import failed

if TYPE_CHECKING:
    from mcp_memory_server.bootstrap import Application
    from mcp_memory_server.storage.breaker import CircuitView

OK, LOADING, OFF, AWAY = "ok", "loading", "off", "unavailable"
LEDGER, MODEL = "ledger", "model"
CLOSED = "closed"  # the state of a circuit in which calls are made
_NOBODY = Tenancy("")  # no user has this name: asking for its rows shows whether an index answers, and nothing else
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Look:
    """What one look has found: the state of each back end, and what waits (rows by projection, unfinished erasures).

    `error` is why the ledger does not answer. `circuits` are those of what has a circuit breaker; `aside` counts
    rows by projection that failed too often.
    """

    states: Mapping[str, str]
    waiting: Mapping[str, int]
    erasures: int = 0
    error: MemoryServerError | None = None
    circuits: Mapping[str, CircuitView] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)

    @property
    def degraded(self) -> list[str]:
        """What recall does without at the moment, as it says itself."""
        names = [name for name, state in self.states.items() if state in (AWAY, LOADING)]
        return sorted({"vectors" if name == MODEL else name for name in names} - {LEDGER, ARCHIVE})


class Health:
    """Looks at the back ends of a runtime."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._one = anyio.CapacityLimiter(1)  # the others wait for the answer of the one that looks
        self._last: tuple[float, Look] | None = None

    async def look(self) -> Look:
        """The newest look; one that is a moment old will do, so that no probe is a burden to a server."""
        return await anyio.to_thread.run_sync(self._look, limiter=self._one)

    def _look(self) -> Look:
        if self._last is None or time.monotonic() - self._last[0] > HTTP_LOOK_SECONDS:
            self._last = (time.monotonic(), self._fresh())
        return self._last[1]

    def _fresh(self) -> Look:
        try:
            app = self._runtime.application()
            with app.backend.store.system() as system:
                waiting, erasures = system.backlog(), len(system.erasures(finished=False))
                aside = Counter(row.projection for row in system.set_aside())
        except MemoryServerError as error:
            return Look({LEDGER: AWAY}, {}, error=error)
        except Exception:  # noqa: BLE001 - a probe gets an answer in any case; the log has the fault
            _log.exception("the look at the back ends failed")
            return Look({LEDGER: AWAY}, {}, error=UnavailableError("the store cannot be opened"))
        states = {LEDGER: OK, **_projections(app), MODEL: _model(app)}
        return Look(states, waiting, erasures, None, app.guards.views(), aside)

    async def ready(self, _request: Request) -> JSONResponse:
        """The ledger answers; `degraded` names what recall does without, `back_ends` the state of each."""
        found = await self.look()
        circuits = {name: {"circuit": view.circuit.value} for name, view in found.circuits.items()}
        states = {name: {"state": state} | circuits.get(name, {}) for name, state in found.states.items()}
        if found.error is not None:
            return failed(found.error, 503, more={"back_ends": states})
        return JSONResponse({"status": "ready", "degraded": found.degraded, "back_ends": states})


def _projections(app: Application) -> dict[str, str]:
    """Ask each, but for those whose circuit is not closed: the worker tries them, and no probe has to wait for it."""
    back, circuits = app.backend, app.guards.views()
    asks: tuple[tuple[str, Callable[[], object]], ...] = (
        (back.text_index.name, lambda: back.text_index.digests(_NOBODY)),
        (back.graph_index.name, lambda: back.graph_index.digests(_NOBODY)),
        (back.vector_index.name, lambda: back.vector_index.models(_NOBODY)),
        (app.archive.name, lambda: app.archive.digests(_NOBODY)),
    )
    shut = {name for name, view in circuits.items() if view.circuit != CLOSED}
    return {name: AWAY if name in shut else _state(ask) for name, ask in asks}


def _state(ask: Callable[[], object]) -> str:
    try:
        ask()
    except MemoryServerError:
        return AWAY
    return OK


def _model(app: Application) -> str:
    if app.embedder is None:
        return OFF
    view = app.guards.views().get(MODEL)
    if view is not None and view.circuit != CLOSED:
        return AWAY
    return OK if app.embedder.ready() else LOADING


async def healthy(_request: Request) -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "ok"})
