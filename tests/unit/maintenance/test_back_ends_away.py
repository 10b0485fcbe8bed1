"""A running server whose archive goes away and comes back: nobody does anything, and everything is made good."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.storage import breaker
from mcp_memory_server.storage.breaker import Circuit
from mcp_memory_server.storage.verify import verify
from tests.fakes import HashEmbedder, noon
from tests.fakes.archive import FaultyArchive
from tests.harness import settings_for

ANN = Principal("ann", "tests", "tests")
PATIENCE = 60.0  # seconds on a busy machine


class Running:
    """An application with its worker, and an archive that a test switches off."""

    def __init__(self, folder: Path) -> None:
        self.clock: FixedClock = noon()
        over = Overrides(clock=self.clock, embedder=HashEmbedder(), archive=self._keep)
        self.app: Application = build(settings_for(folder, upkeep=False), over)
        self.app.start()

    def _keep(self, archive: Archive) -> Archive:
        self.archive = FaultyArchive(archive)
        return self.archive  # type: ignore[return-value]  # it answers to every method of the port

    def until(self, done: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end, "it never came to that"
            self.clock.advance(timedelta(minutes=1))
            self.app.wake()
            time.sleep(0.05)

    @property
    def circuit(self) -> Circuit:
        return self.app.guards.views()["archive"].circuit

    def waiting(self) -> int:
        with self.app.backend.store.system() as system:
            return sum(system.backlog().values()) + len(system.erasures(finished=False))


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path / "data")
    yield made
    made.app.close()


def test_the_circuit_opens_and_closes_and_everything_is_caught_up_with(running: Running) -> None:
    app = running.app
    for words in ("I like oolong tea.", "My sister Anna works at Acme."):
        app.service.remember(ANN, RememberRequest(said=words))
    running.until(lambda: running.waiting() == 0)
    running.archive.away = {"put", "delete", "purge", "digests"}
    running.clock.advance(timedelta(days=900))
    app.service.keep_up(Tenancy("ann"))
    archived = app.service.archived(ANN)
    assert archived
    running.until(lambda: running.circuit is not Circuit.CLOSED)
    assert app.service.forget(ANN, (archived[0],))["receipt"]["state"] == "pending"
    running.archive.away = set()
    running.until(lambda: running.circuit is Circuit.CLOSED)
    running.until(lambda: running.waiting() == 0)
    assert app.guards.views()["archive"].opened == 1
    rows = verify(app.backend, app.embedder, archive=app.archive)
    assert all(row.clean and not row.waiting for row in rows)
    assert set(app.archive.digests(Tenancy("ann"))) == set(app.service.archived(ANN))


def test_while_it_is_open_the_worker_asks_now_and_then_only(running: Running) -> None:
    running.archive.away = {"put", "delete", "purge", "digests"}
    running.app.service.remember(ANN, RememberRequest(said="I like oolong tea."))
    running.clock.advance(timedelta(days=900))
    running.app.service.keep_up(Tenancy("ann"))
    running.until(lambda: running.circuit is not Circuit.CLOSED)
    asked: list[str] = []
    running.archive.before = asked.append
    end = time.monotonic() + breaker.FIRST_PAUSE_SECONDS
    while time.monotonic() < end:
        running.clock.advance(timedelta(minutes=1))
        running.app.wake()
        time.sleep(0.05)
    assert len(asked) <= 3, "one trial, and what it showed"
