"""Four clients at work while the S3 server is killed, stopped and started again."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.maintenance.run import maintain
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import ArchiveSettings
from mcp_memory_server.storage.breaker import Circuit
from mcp_memory_server.storage.verify import verify
from tests import services
from tests.fakes import HashEmbedder, noon
from tests.harness import contents, settings_for
from tests.integration.support import principal, store_settings

CLIENTS = ("ann", "ben", "cem", "dia")
ROUNDS = 6  # of each client
RESTARTS = 3
PATIENCE = 60.0  # seconds for a server to be ready, and for a circuit to close


@pytest.fixture
def gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A server of the test's own, and what it is started with."""
    services.variable("MEMORY_TEST_S3_URL")  # where none can run, this is skipped
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    from servers.s3 import S3  # type: ignore[import-not-found]

    server = S3()
    (tmp_path / "s3").mkdir()
    state = server.start(tmp_path / "s3")
    _wait(lambda: server.healthy(state))
    yield server, state
    server.stop(state)
    for name in [name for name in sys.modules if name.partition(".")[0] == "servers"]:
        del sys.modules[name]


def _wait(done: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def app(gateway: Any, database: services.Database, tmp_path: Path) -> Iterator[tuple[Application, FixedClock]]:
    _, state = gateway
    url = f"http://127.0.0.1:{state['port']}"
    reach = {"aws_access_key_id": state["access"], "aws_secret_access_key": state["secret"]}
    client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **reach)
    client.create_bucket(Bucket="memory")
    client.close()
    chosen = ArchiveSettings(
        kind="s3", url=url, bucket="memory", region="us-east-1", access_key=SecretStr(state["access"]),
        secret_key=SecretStr(state["secret"]),
    )  # fmt: skip
    store = store_settings(database.url, tmp_path / "keys").model_copy(update={"archive": chosen})
    clock = noon()
    made = build(
        settings_for(tmp_path / "data", store=store, upkeep=False), Overrides(clock=clock, embedder=HashEmbedder())
    )
    made.start()
    yield made, clock
    made.close()


class Person:
    """One client: says things, lets them fade, restores and forgets; every error has to be `unavailable`."""

    def __init__(self, app: Application, clock: FixedClock, name: str) -> None:
        self.app, self.clock, self.who = app, clock, principal(name)
        self.said: list[str] = []
        self.forgotten: list[str] = []
        self.slowest = 0.0
        self.faults: list[BaseException] = []

    def run(self) -> None:
        chance = random.Random(self.who.user)
        for number in range(ROUNDS):
            try:
                self._round(number, chance)
            except UnavailableError:
                continue
            except Exception as error:
                self.faults.append(error)
                return

    def _round(self, number: int, chance: random.Random) -> None:
        words = f"The code word number {number} of {self.who.user} is heron{number}{self.who.user}."
        began = time.monotonic()
        self.app.service.remember(self.who, RememberRequest(said=words))
        self.app.service.recall(self.who, RecallRequest("What is the code word?"))
        self.slowest = max(self.slowest, time.monotonic() - began)
        self.said.append(f"heron{number}{self.who.user}")
        self.clock.advance(timedelta(days=400))
        self.app.service.keep_up(Tenancy(self.who.user))
        archived = self.app.service.archived(self.who)
        if archived and number % 2:
            one = chance.choice(archived)
            self.app.service.forget(self.who, (one,))
            self.forgotten.append(one)
        self.app.wake()
        time.sleep(0.3)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_nothing_is_lost_and_nothing_forgotten_comes_back(gateway: Any, app: tuple[Application, FixedClock]) -> None:
    server, state = gateway
    application, clock = app
    people = [Person(application, clock, name) for name in CLIENTS]
    threads = [threading.Thread(target=person.run) for person in people]
    for thread in threads:
        thread.start()
    for number in range(RESTARTS):
        time.sleep(1.0)
        server.stop(state)
        time.sleep(1.0 + number)
        state.update(server.launch(state))
        _wait(lambda: server.healthy(gateway[1]))
    for thread in threads:
        thread.join(200)
    assert [person.faults for person in people] == [[] for _ in people]
    _wait(lambda: application.guards.probe() or application.guards.views()["archive"].circuit is Circuit.CLOSED)
    clock.advance(timedelta(minutes=5))
    for _ in range(3):
        maintain(application)
        clock.advance(timedelta(minutes=5))
    with application.backend.store.system() as system:
        assert (system.erasures(finished=False), system.set_aside(), system.backlog()) == ([], [], {})
    rows = verify(application.backend, application.embedder, archive=application.archive)
    assert [row for row in rows if not row.clean or row.waiting] == []
    for person in people:
        copies = set(application.archive.digests(Tenancy(person.who.user)))
        assert copies == set(application.service.archived(person.who))
        assert not copies & set(person.forgotten)
        assert len(person.said) == ROUNDS, "no write has failed for an archive that is away"
        assert person.slowest < 20.0, "nor waited for one: this is the time of a busy machine"
    assert sum(len(person.forgotten) for person in people) > 0
    assert any(application.service.archived(person.who) for person in people)
    assert not [name for name, data in contents(Path(state["data"])) if b"heron" in data]


def test_an_erased_user_leaves_no_file_on_the_server(gateway: Any, app: tuple[Application, FixedClock]) -> None:
    _, state = gateway
    application, clock = app
    ann = Principal("ann", "tests", "tests")
    objects = Path(state["data"]) / "data" / "memory"
    application.service.remember(ann, RememberRequest(said="I like oolong tea."))
    clock.advance(timedelta(days=900))
    application.service.keep_up(Tenancy("ann"))
    maintain(application)
    assert [path for path in objects.rglob("*") if path.is_file()]
    application.service.erase_user(ann)
    maintain(application)
    assert [path for path in objects.rglob("*") if path.is_file()] == []
