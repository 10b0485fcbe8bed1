"""Scenarios against the application in process: the same tools and schemas, without a server process for each."""

from __future__ import annotations

import functools
import re
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mcp import Client

from mcp_memory_server.bootstrap import Overrides, build, embedder_of
from mcp_memory_server.memory.ports import Embedder
from mcp_memory_server.settings import Settings
from mcp_memory_server.tools.server import build_server
from tests.harness import OpenRuntime
from tests.scenarios import run_scenarios

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "": 1}


class MovedClock:
    """The machine's clock as `faketime` would move it: `+90d` from now, or `@2026-05-11 10:00:00`; it goes on."""

    def __init__(self, moved: str | None) -> None:
        self._started = time.monotonic()
        self._at = datetime.now(UTC)
        if moved and moved.startswith("@"):
            self._at = datetime.fromisoformat(moved[1:]).replace(tzinfo=UTC)
        elif moved:
            match = re.fullmatch(r"\+(\d+)([dhm]?)", moved)
            assert match, moved
            self._at += timedelta(seconds=int(match[1]) * _UNITS[match[2]])

    def now(self) -> datetime:
        """The moved moment."""
        return self._at + timedelta(seconds=time.monotonic() - self._started)


@functools.cache
def _embedder() -> Embedder | None:
    with tempfile.TemporaryDirectory() as folder:
        made = embedder_of(Settings(data_dir=Path(folder)))
    if made is not None:
        made.load()
    return made


class InProcess(run_scenarios.Run):
    """The runner with an application in process in the place of a server process."""

    def __init__(self, mode: str) -> None:
        super().__init__("", mode)

    def params(self, d: str, step: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """What `client` is given instead of the parameters of a process."""
        return d, step

    async def scenario(self, sc: dict[str, Any]) -> list[str]:
        """The problems of a scenario, none when it holds."""
        assert not any(step.get("env") for step in sc["steps"]), "the environment is that of a process"
        kept, run_scenarios.Client = run_scenarios.Client, _client
        try:
            return await super().scenario({**sc, "steps": list(sc["steps"])})
        finally:
            run_scenarios.Client = kept


@asynccontextmanager
async def _client(params: tuple[str, Mapping[str, Any]], mode: str, **options: Any) -> AsyncIterator[Client]:
    folder, step = params
    settings = Settings(data_dir=Path(folder), user=step.get("user") or f"u-{Path(folder).name}")
    application = build(settings, Overrides(clock=MovedClock(step.get("clock")), embedder=_embedder()))
    application.context.deferred = application.projector.drain  # no worker runs here
    try:
        async with Client(build_server(OpenRuntime(settings, application)), mode=mode, **options) as client:
            yield client
    finally:
        application.close()
