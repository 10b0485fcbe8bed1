"""What the gateway's tests share: an authority, servers, a time that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
