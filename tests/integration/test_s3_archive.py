"""The archive on a real S3 server, of an application whose ledger is on a real PostgreSQL server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.maintenance.run import maintain
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import ArchiveSettings
from mcp_memory_server.storage import breaker
from mcp_memory_server.storage.archive.s3 import ATTEMPTS, CONNECT_SECONDS, READ_SECONDS
from mcp_memory_server.storage.breaker import Circuit
from mcp_memory_server.storage.verify import verify
from tests import services
from tests.fakes import HashEmbedder, noon
from tests.fakes.cable import Cable, cable
from tests.harness import holds, settings_for
from tests.integration.support import principal, store_settings

ANN, BEN = principal("ann"), principal("ben")
SAID = "I like oolong tea. My sister Anna works at Acme."


class House:
    """An application with a way to its S3 server that can be cut."""

    def __init__(self, app: Application, clock: FixedClock, way: Cable, data: Path) -> None:
        self.app, self.clock, self.way, self.data = app, clock, way, data

    def fade(self) -> list[str]:
        self.clock.advance(timedelta(days=900))
        self.app.service.keep_up(Tenancy("ann"))
        return self.app.service.archived(ANN)

    def minutes(self, count: int) -> None:
        self.clock.advance(timedelta(minutes=count))

    def copies(self, user: str = "ann") -> set[str]:
        return set(self.app.archive.digests(Tenancy(user)))

    def is_sound(self) -> bool:
        rows = verify(self.app.backend, self.app.embedder, archive=self.app.archive)
        return all(row.clean and not row.waiting for row in rows)


@pytest.fixture
def house(request: pytest.FixtureRequest, database: services.Database, tmp_path: Path) -> Iterator[House]:
    data = Path(services.variable("MEMORY_TEST_S3_DATA"))
    with services.bucket(versions=getattr(request, "param", False)) as reach, cable(reach["url"]) as way:
        chosen = ArchiveSettings(
            kind="s3", url=way.url, bucket=reach["bucket"], region=reach["region"], prefix="archive",
            access_key=SecretStr(reach["access_key"]), secret_key=SecretStr(reach["secret_key"]),
        )  # fmt: skip
        store = store_settings(database.url, tmp_path / "keys").model_copy(update={"archive": chosen})
        clock = noon()
        app = build(settings_for(tmp_path / "data", store=store), Overrides(clock=clock, embedder=HashEmbedder()))
        yield House(app, clock, way, data)
        app.close()


def test_words_never_reach_the_server_and_come_back_whole(house: House) -> None:
    app = house.app
    app.service.remember(ANN, RememberRequest(said=SAID))
    gone = house.fade()
    maintain(app)
    assert house.copies() == set(gone)
    for words in ("oolong", "Anna", "Acme"):
        assert holds(house.data, words) == []
    assert house.is_sound()
    assert app.service.restore(ANN, gone)["restored"] == gone
    app.projector.drain()
    assert house.copies() == set()
    assert house.is_sound()


@pytest.mark.parametrize("house", [False, True], ids=["plain", "versions"], indirect=True)
def test_an_erased_user_leaves_no_object_and_no_version_and_the_other_stays(house: House) -> None:
    app = house.app
    for who in (ANN, BEN):
        app.service.remember(who, RememberRequest(said=SAID))
    house.fade()
    maintain(app)
    assert house.copies()
    before = sum(path.is_file() for path in house.data.rglob("*"))
    receipts = app.service.erase_user(ANN)
    assert all(receipt["state"] == "done" for receipt in receipts)
    assert {"archive", "key"} <= set(receipts[-1]["places"])
    maintain(app)
    assert house.copies() == set()
    assert house.copies("ben")
    assert sum(path.is_file() for path in house.data.rglob("*")) < before
    assert house.is_sound()


def test_a_server_that_is_away_holds_nobody_up_and_a_forgetting_is_finished_later(house: House) -> None:
    app = house.app
    app.service.remember(ANN, RememberRequest(said=SAID))
    gone = house.fade()
    maintain(app)
    house.way.cut()
    began = time.monotonic()
    app.service.remember(ANN, RememberRequest(said="I live in Porto."))
    assert app.service.recall(ANN, RecallRequest("Where do I live?"))["memories"]
    assert app.service.recall(ANN, RecallRequest("Where do I live?"))["degraded"] == []
    assert app.service.forget(ANN, tuple(gone[:1]))["receipt"]["pending"]
    for _ in range(breaker.FAILURES):
        app.projector.drain()
        house.minutes(5)
    assert app.guards.views()["archive"].circuit is not Circuit.CLOSED
    assert time.monotonic() - began < 20
    house.way.mend()
    time.sleep(breaker.FIRST_PAUSE_SECONDS * 3)
    maintain(app)
    assert app.guards.views()["archive"].circuit is Circuit.CLOSED
    with app.backend.store.system() as system:
        assert system.erasures(finished=False) == []
    assert house.is_sound()


def test_a_server_that_hangs_costs_one_time_out(house: House) -> None:
    app = house.app
    app.service.remember(ANN, RememberRequest(said=SAID))
    house.fade()
    house.way.hang = True
    began = time.monotonic()
    app.projector.drain()
    assert READ_SECONDS * 0.9 < time.monotonic() - began < (CONNECT_SECONDS + READ_SECONDS + 5) * ATTEMPTS
    assert app.guards.views()["archive"].circuit is Circuit.OPEN
    began = time.monotonic()
    for _ in range(20):
        app.projector.drain()
        app.service.remember(ANN, RememberRequest(said="I live in Porto."))
    assert time.monotonic() - began < READ_SECONDS
    house.way.cut()
    house.way.mend()
    time.sleep(breaker.FIRST_PAUSE_SECONDS * 1.5)
    app.guards.probe()
    house.minutes(5)
    app.projector.drain()
    assert house.copies() == set(app.service.archived(ANN))
