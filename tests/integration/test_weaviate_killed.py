"""A Weaviate of a test's own that is killed and started again: what was acknowledged is there, and catches up."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import WeaviateSettings
from mcp_memory_server.storage.verify import verify
from tests import services
from tests.fakes import noon
from tests.integration.support import application, principal

_SCRIPTS = Path(__file__).parents[2] / "scripts"
_SECONDS = 60.0  # in which a server is healthy, on a busy machine

pytestmark = pytest.mark.slow


class Own:
    """A server that a test may kill."""

    def __init__(self, kind: Any, folder: Path) -> None:
        self._kind = kind
        self.state: dict[str, Any] = kind.start(folder)
        self._wait()

    def kill(self) -> None:
        os.kill(self.state["pid"], signal.SIGKILL)
        self._kind.stop(self.state)  # waits for its end

    def again(self) -> None:
        self.state = self._kind.launch(self.state)
        self._wait()

    def stop(self) -> None:
        self._kind.stop(self.state)

    def settings(self) -> WeaviateSettings:
        env = self._kind.environment(self.state)
        url, grpc, key = (env[f"MEMORY_TEST_WEAVIATE_{name}"] for name in ("URL", "GRPC", "KEY"))
        return WeaviateSettings(url=url, grpc=grpc, api_key=SecretStr(key))

    def _wait(self) -> None:
        assert eventually(lambda: self._kind.healthy(self.state), _SECONDS)


def eventually(holds_true: Callable[[], object], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Own]:
    services.variable("MEMORY_TEST_WEAVIATE_URL")  # where none can run, this is skipped
    monkeypatch.syspath_prepend(str(_SCRIPTS))
    folder = tmp_path / "server"
    folder.mkdir()
    made = Own(importlib.import_module("servers.weaviate").Weaviate(), folder)
    yield made
    made.stop()


def test_a_killed_server_comes_back_with_all_it_acknowledged_and_gets_the_rest(
    own: Own, database: services.Database, tmp_path: Path
) -> None:
    clock = noon()
    store: dict[str, Any] = {"vectors": "weaviate", "text": "weaviate", "weaviate": own.settings()}
    app = application(database.url, tmp_path / "keys", tmp_path / "data", clock, **store)
    try:
        for number in range(20):
            app.service.remember(principal(), RememberRequest(said=f"I keep {number + 2} parrots in house {number}."))
            app.projector.drain()
        own.kill()
        for number in range(5):
            app.service.remember(principal(), RememberRequest(said=f"我在{number + 1}号房子里养猫。"))
        app.projector.drain()
        with app.backend.store.system() as system:
            assert {"text", "vectors"} <= set(system.backlog())
        own.again()
        assert eventually(lambda: app.backend.text_index.digests(principal().tenancy))
        before = [row for row in verify(app.backend, app.embedder) if not row.clean]
        assert before == [], "nothing that was acknowledged is missing; what waits is late"
        clock.advance(timedelta(hours=2))
        app.projector.drain()
        assert [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting] == []
        found = app.service.recall(principal(), RecallRequest("我在3号房子里养什么？"))
        assert found["degraded"] == []
        assert any("3号房子" in one["statement"] for one in found["memories"])
    finally:
        app.close()
