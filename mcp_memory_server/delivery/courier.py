"""The courier: takes due deliveries out of the outbox, hands them over at least once, and brings results back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_memory_server.delivery.message import Destination, Message, message_of, result_in
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.limits import COMMAND_SECONDS, DELIVERY_ATTEMPTS, OUTBOX_BATCH, WEBHOOK_SECONDS
from mcp_memory_server.memory.ports import OutboxRow, Tenancy
from mcp_memory_server.memory.service import Context
from mcp_memory_server.memory.service.summaries import event_summary
from mcp_memory_server.memory.service.triggers import PROJECTION, take_result
from mcp_memory_server.memory.signals import Delivery, Firing

_log = logging.getLogger(__name__)
_FIRST_RETRY = timedelta(seconds=5)
_LONGEST_RETRY = timedelta(hours=1)
# Longer than one delivery takes: what a process that died had claimed is taken up by another after it.
_LEASE = timedelta(seconds=2 * max(WEBHOOK_SECONDS, COMMAND_SECONDS))
_IDLE_SECONDS = 5.0  # between two looks at the outbox when nobody wakes the courier


@dataclass(frozen=True, slots=True)
class Route:
    """Where the firings of a trigger go, and whether words of the memory go along."""

    destination: Destination
    words: bool = False


class Courier:
    """Delivers the triggers that this process has routes for; others are left to processes that have theirs."""

    def __init__(
        self, context: Context, routes: Mapping[str, Route], arrived: Callable[[str], None] = lambda _user: None
    ) -> None:
        self._context = context
        self._routes = dict(routes)
        self._arrived = arrived  # is told the user whose result has come

    def drain(self) -> int:
        """Deliver everything that is due; answers how many were handed over."""
        return sum(self._deliver_all(name, route) for name, route in self._routes.items())

    def _deliver_all(self, name: str, route: Route) -> int:
        done, clock = 0, self._context.clock
        # One at a time: a lease covers one delivery, and what waits behind it can go to another process.
        for _ in range(OUTBOX_BATCH):
            now = clock.now()
            with self._context.backend.store.system() as system:
                if not system.due(PROJECTION + name, now, 1):
                    return done
            with self._context.backend.store.system(write=True) as system:
                rows = system.claim(PROJECTION + name, now, now + _LEASE, 1)
            if not rows:
                return done
            done += self._deliver(rows[0], route)
        return done

    def _deliver(self, row: OutboxRow, route: Route) -> bool:
        tenancy = Tenancy(row.user)
        message = self._message(tenancy, row.memory_id, route)
        if message is None:  # forgotten meanwhile
            self._settle(row, None)
            return False
        try:
            answer = route.destination.send(message)
        except MemoryServerError as error:
            self._put_off(row, error)
            return False
        self._settle(row, Delivery.DELIVERED)
        self._take(row.user, row.memory_id, result_in(answer))
        return True

    def _message(self, tenancy: Tenancy, firing_id: str, route: Route) -> Message | None:
        with self._context.backend.store.read(tenancy) as unit:
            firing = unit.firing(firing_id)
            event = unit.get([firing.memory_id]).get(firing.memory_id) if firing is not None else None
            if firing is None or event is None:
                return None
            summary = event_summary(self._context, unit, event) if route.words and not event.hidden else None
            return message_of(firing, tenancy.user, event.event_type.value if event.event_type else "other", summary)

    def _take(self, user: str, firing_id: str, text: str) -> None:
        if not text:
            return
        try:
            take_result(self._context, Tenancy(user), firing_id, text)
        except MemoryServerError as error:
            _log.warning("a trigger's result was not taken: %s", error.code)
            return
        self._arrived(user)

    def _settle(self, row: OutboxRow, state: Delivery | None) -> None:
        with self._context.backend.store.write(Tenancy(row.user)) as unit:
            unit.undefer([row.memory_id], row.projection)
            firing: Firing | None = unit.firing(row.memory_id)
            if firing is not None and state is not None:
                unit.change_firing(replace(firing, state=state))

    def _put_off(self, row: OutboxRow, error: MemoryServerError) -> None:
        _log.warning("delivery of %s put off: %s", row.projection, error.message)
        if row.attempts + 1 >= DELIVERY_ATTEMPTS:
            self._settle(row, Delivery.FAILED)
            return
        wait = min(_FIRST_RETRY * 2 ** min(row.attempts, 16), _LONGEST_RETRY)
        with self._context.backend.store.system(write=True) as system:
            system.retry(row.seq, self._context.clock.now() + wait, error.code)

    def stop(self) -> None:
        """End what is under way."""
        for route in self._routes.values():
            route.destination.stop()


class CourierThread:
    """A thread of its own: a slow receiver must not hold up the embedding of what was said."""

    def __init__(self, courier: Courier) -> None:
        self._courier = courier
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory-courier", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look at the outbox now."""
        self._wake.set()

    def stop(self) -> None:
        """Stop; a delivery that is cut off stays in the outbox."""
        self._stopping.set()
        self._wake.set()
        self._courier.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=WEBHOOK_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._courier.drain()
            except MemoryServerError as error:
                _log.warning("deliveries put off: %s", error.code)
            except Exception:  # noqa: BLE001 - the thread must live on; the fault is in the log
                _log.exception("delivery failed")
            self._wake.wait(_IDLE_SECONDS)
            self._wake.clear()
