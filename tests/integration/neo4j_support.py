"""Applications whose graph is on a real Neo4j server, and a server of a test's own that may be stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from neo4j import GraphDatabase
from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import Clock
from mcp_memory_server.settings import Neo4jSettings
from tests.fakes import HashEmbedder
from tests.harness import settings_for
from tests.integration.support import store_settings

_START_SECONDS = 150.0  # a Java program that starts on a busy machine
_SCRIPTS = Path(__file__).parents[2] / "scripts"


def application(url: str, folder: Path, graph: Neo4jSettings, clock: Clock | None = None) -> Application:
    """A server process's application: the ledger at `url`, the graph on Neo4j, keys and data in `folder`."""
    store = store_settings(url, folder / "keys").model_copy(update={"graph": "neo4j", "neo4j": graph})
    settings = settings_for(folder / "data", store=store)
    return build(settings, Overrides(embedder=HashEmbedder(), clock=clock))


def rows(graph: Neo4jSettings, statement: str, **values: Any) -> list[dict[str, Any]]:
    """What a statement of a test's own answers, past everything of ours."""
    assert graph.password is not None
    auth = (graph.user, graph.password.get_secret_value())
    with GraphDatabase.driver(graph.url, auth=auth) as driver:
        return [row.data() for row in driver.execute_query(statement, values).records]


class OwnServer:
    """A Neo4j server that is stopped and started again with its data."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(_SCRIPTS))
        try:
            from servers.neo4j import Neo4j
        finally:
            sys.path.remove(str(_SCRIPTS))
        self._service = Neo4j()
        self._service.install()
        self.state = self._service.start(folder)
        self._wait()

    @property
    def settings(self) -> Neo4jSettings:
        found = self._service.environment(self.state)
        password = SecretStr(found["MEMORY_TEST_NEO4J_PASSWORD"])
        return Neo4jSettings(url=found["MEMORY_TEST_NEO4J_URL"], password=password)

    def stop(self) -> None:
        self._service.stop(self.state)

    def resume(self) -> None:
        self.state = self._service.resume(self.state)
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while not self._service.healthy(self.state):
            assert time.monotonic() < until, "the server is not healthy"
            time.sleep(0.2)


@contextmanager
def own_server(folder: Path) -> Iterator[OwnServer]:
    """A server that is gone at the end."""
    made = OwnServer(folder)
    try:
        yield made
    finally:
        made.stop()
    left = [one for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or ())]
    assert left == []
