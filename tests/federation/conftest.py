"""What the gateway's tests share: an authority, servers, a time that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from federation.storage.database import Database
from tests import services
from tests.federation.servers import Authority, Handler, RawServer

HOST = "gateway.example"


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def serve(authority: Authority) -> Iterator[Callable[..., RawServer]]:
    """Starts raw servers: with TLS for a host, or without for None."""
    started: list[RawServer] = []

    def start(handler: Handler, host: str | None = HOST) -> RawServer:
        server = RawServer(handler, authority.files(host) if host else None)
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()


class Clock:
    """Seconds since the epoch that a test moves."""

    def __init__(self, at: float = 1_790_000_000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextmanager
def _file(folder: Path) -> Iterator[Path | str]:
    yield folder / "federation" / "gateway.db"


@contextmanager
def _postgres(_folder: Path) -> Iterator[Path | str]:
    with services.postgres() as made:
        yield made.url


PLACES = {"sqlite": _file, "postgres": _postgres}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.service)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """Where a database of this test's own is: a file, or an address on the real server."""
    with PLACES[request.param](tmp_path) as found:
        yield found


@pytest.fixture
def database(place: Path | str) -> Iterator[Database]:
    made = Database(place)
    yield made
    made.close()
