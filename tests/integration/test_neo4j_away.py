"""A Neo4j server that ends, is killed or hangs: nothing waits for it, and nothing is lost."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from mcp_memory_server.bootstrap import Application
from mcp_memory_server.cli.checks import of_store
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.storage.verify import verify
from mcp_memory_server.web.health import Health
from tests import services
from tests.harness import OpenRuntime
from tests.integration.neo4j_support import OwnServer, application, own_server, rows
from tests.integration.support import principal
from tests.integration.test_postgres_sealing import fill
from tests.services import Database

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_QUESTION = "Where does Wilhelmina live?"
_CATCH_UP_SECONDS = 90.0  # until a server that is back has everything; a breaker may leave it alone for a while


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    services.variable("MEMORY_TEST_NEO4J_URL")  # where none can run, this is skipped
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder)) as made:
        yield made


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))


@pytest.fixture
def app(server: OwnServer, database: Database, tmp_path: Path, clock: FixedClock) -> Iterator[Application]:
    rows(server.settings, "MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    made = application(database.url, tmp_path, server.settings, clock)
    yield made
    made.close()


def timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def backlog(app: Application) -> int:
    with app.backend.store.system() as system:
        return system.backlog().get("graph", 0)


def catch_up(app: Application, clock: FixedClock) -> None:
    """Work off what waits, as the worker does time and again."""
    until = time.monotonic() + _CATCH_UP_SECONDS
    while backlog(app) and time.monotonic() < until:
        app.guards.probe()
        clock.advance(timedelta(hours=2))
        app.projector.drain()
        time.sleep(0.2)
    assert backlog(app) == 0


def whole(app: Application) -> None:
    """Every projection holds what the ledger has, and recall does without nothing."""
    in_time(app, lambda: not [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting])
    in_time(app, lambda: not degraded(app))


def in_time(app: Application, holds_true: Callable[[], bool]) -> None:
    """Wait for what comes by itself once the circuit is closed again."""
    until = time.monotonic() + _CATCH_UP_SECONDS
    while not holds_true():
        assert time.monotonic() < until
        app.guards.probe()
        time.sleep(0.2)


def degraded(app: Application) -> list[str]:
    names: list[str] = app.service.recall(principal(), RecallRequest(_QUESTION))["degraded"]
    return names


def test_a_server_that_is_stopped_delays_nothing_and_catches_up(
    server: OwnServer, app: Application, clock: FixedClock
) -> None:
    fill(app)
    app.projector.drain()
    whole(app)
    server.stop()
    try:
        assert timed(lambda: app.service.remember(principal(), RememberRequest(said="Wilhelmina has a cat."))) < 3
        assert backlog(app) > 0
        app.projector.drain()
        assert backlog(app) > 0, "put off, not lost"
        found = app.service.recall(principal(), RecallRequest("What does Wilhelmina have?"))
        assert found["degraded"] == ["graph"]
        assert "cat" in found["memories"][0]["statement"]
        assert timed(lambda: degraded(app)) < 3
        assert anyio.run(Health(OpenRuntime(app.settings, app)).look).states["graph"] == "unavailable"
        (told,) = [one for one in of_store(app) if one.name == "graph-server"]
        assert told.state == "warn"
        assert "127.0.0.1" not in told.detail
    finally:
        server.resume()
    catch_up(app, clock)
    whole(app)
    in_time(app, lambda: anyio.run(Health(OpenRuntime(app.settings, app)).look).states["graph"] == "ok")
    (told,) = [one for one in of_store(app) if one.name == "graph-server"]
    assert (told.state, told.detail.split()[0]) == ("ok", "Neo4j")


def test_an_erasure_while_it_is_away_names_the_graph_and_is_finished_later(
    server: OwnServer, app: Application, clock: FixedClock
) -> None:
    fill(app)
    fill(app, "ben")
    app.projector.drain()
    server.stop()
    try:
        receipts = app.service.erase_user(principal())
        assert [one["state"] for one in receipts] == ["pending"]
        assert any(place.startswith("graph") for place in receipts[0]["pending"])
    finally:
        server.resume()
    catch_up(app, clock)
    in_time(app, lambda: app.finish_erasures() == 0)
    assert rows(server.settings, "MATCH (n) WHERE n.user = 'ann' RETURN n") == []
    assert rows(server.settings, "MATCH (n) WHERE n.user = 'ben' RETURN count(n) > 4 AS some") == [{"some": True}]
    whole(app)


def test_a_server_that_is_killed_has_what_it_acknowledged(
    server: OwnServer, app: Application, clock: FixedClock
) -> None:
    fill(app)
    app.projector.drain()
    os.kill(server.state["pid"], signal.SIGKILL)
    server.stop()  # waits until it is gone
    app.service.remember(principal(), RememberRequest(said="Wilhelmina has a parrot."))
    app.projector.drain()
    server.resume()
    catch_up(app, clock)
    whole(app)


def test_a_server_that_hangs_holds_up_no_longer_than_the_limit_says(server: OwnServer, app: Application) -> None:
    fill(app)
    app.projector.drain()
    os.kill(server.state["pid"], signal.SIGSTOP)
    try:
        assert timed(lambda: app.service.remember(principal(), RememberRequest(said="Wilhelmina has a dog."))) < 3
        took = timed(lambda: degraded(app))
    finally:
        os.kill(server.state["pid"], signal.SIGCONT)
    assert took < 10
