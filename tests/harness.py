"""The application in process, and real server processes, both behind the SDK's client."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult
from pydantic import SecretStr

from mcp_memory_server import bootstrap
from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import Clock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.settings import Settings, StoreSettings
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.server import MemoryMCPServer, build_server
from tests import services
from tests.fakes import HashEmbedder, noon, seeded_ids

# Reading the packaged policy takes longer than most tests; it never changes.
bootstrap.load_policy = functools.cache(bootstrap.load_policy)

MODES = ("auto", "legacy")  # 2026-07-28 and 2025-11-25
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
_KEPT = ("PATH", "HOME", "LANG", "SYSTEMROOT", "TEMP", "TMP", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")


def settings_for(folder: Path, user: str = "ann", **changes: Any) -> Settings:
    """Settings of a test installation: English, UTC."""
    return Settings(data_dir=folder, user=user, language="en", time_zone="UTC", **changes)


class OpenRuntime(Runtime):
    """A runtime over an application that is open already, so that several users share one process."""

    def __init__(self, settings: Settings, application: Application) -> None:
        super().__init__(settings)
        self._shared = application

    def application(self) -> Application:
        return self._shared

    def prepare(self) -> None:
        return None

    def close(self) -> None:
        return None


@dataclass(frozen=True)
class Reply:
    """What a tool answered: the structure, or the text of the error."""

    data: dict[str, Any]
    error: str | None = None

    @property
    def code(self) -> str | None:
        """The contract's code of an error."""
        return self.error.partition(":")[0] if self.error else None

    @property
    def text(self) -> str:
        """Everything that the caller sees."""
        import json

        return self.error or json.dumps(self.data, ensure_ascii=False)


def reply_of(result: CallToolResult) -> Reply:
    """A tool's result as a reply."""
    text = "\n".join(getattr(part, "text", "") for part in result.content)
    if result.is_error:
        return Reply({}, text)
    assert result.structured_content is not None
    return Reply(result.structured_content)


@functools.cache
def _empty_store() -> bytes:
    """An empty store: making one takes longer than copying it, and hundreds of tests need one."""
    from mcp_memory_server.bootstrap import embedded_backend

    with tempfile.TemporaryDirectory() as folder:
        backend = embedded_backend(Path(folder))
        backend.store.backup(str(Path(folder) / "empty"))
        backend.store.close()
        return (Path(folder) / "empty").read_bytes()


def _on_server(folder: Path) -> StoreSettings:
    """The ledger on the server, or with the profile `server` all parts; a folder that is new begins with nothing."""
    known = services.known(folder / "database")
    database = known or services.emptied()
    (folder / "database").write_text(database.url, encoding="utf-8")
    far: dict[str, Any] = {}
    if services.PROFILE == "server":
        if known is None:
            with services.emptied_graph():
                pass
        far = {
            "graph": "neo4j", "neo4j": services.neo4j_settings(),
            "vectors": "weaviate", "text": "weaviate", "weaviate": services.weaviate_settings(),
            "archive": services.archive_settings(str(folder)),
        }  # fmt: skip
    return StoreSettings(ledger="postgres", url=SecretStr(database.url), passphrase=SecretStr("of a test"), **far)


class House:
    """One application in process; each user has a server of their own in front of it."""

    def __init__(self, folder: Path, overrides: Overrides | None = None, **settings: Any) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        over = overrides or Overrides(clock=noon(), embedder=HashEmbedder(), ids=seeded_ids())
        file = folder / ("memory.db" if services.PROFILE == "embedded" else "projections.db")
        if not file.exists():
            file.write_bytes(_empty_store())
        if services.PROFILE != "embedded":
            self.settings = settings_for(folder, store=_on_server(folder), **settings)
            self.app = build(self.settings, over)
            # No worker runs here: what is committed gets into the projections at once.
            self.app.context.deferred = self.app.projector.drain
            return
        self.settings = settings_for(folder, **settings)
        self.app = build(self.settings, over)

    def server(self, user: str = "ann", **changes: Any) -> MemoryMCPServer:
        """The server that a user's client is attached to."""
        settings = self.settings.model_copy(update={"user": user, **changes})
        return build_server(OpenRuntime(settings, self.app))

    @asynccontextmanager
    async def client(self, user: str = "ann", mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
        """A client of a user."""
        async with Client(self.server(user), mode=mode, **options) as client:
            yield client

    def principal(self, user: str = "ann") -> Principal:
        """The principal of a user."""
        return Principal(user, "tests", "tests")

    @property
    def clock(self) -> Clock:
        """The clock that the application was given."""
        return self.app.clock


@contextmanager
def house(folder: Path, overrides: Overrides | None = None, **settings: Any) -> Iterator[House]:
    """An application that is closed at the end."""
    made = House(folder, overrides, **settings)
    try:
        yield made
    finally:
        made.app.close()


async def call(client: Client, tool: str, **arguments: Any) -> Reply:
    """Call a tool."""
    return reply_of(await client.call_tool(tool, arguments))


def environment(folder: Path, user: str = "ann", env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a server process: nothing of the caller's memory settings."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {"MEMORY_DATA_DIR": str(folder), "MEMORY_USER": user, "MEMORY_TIME_ZONE": "UTC", "MEMORY_LANGUAGE": "en"}
    return kept | own | dict(env or {})


def process(folder: Path, user: str = "ann", env: Mapping[str, str] | None = None) -> StdioServerParameters:
    """The real server on stdio."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "mcp_memory_server.cli.main"],
        env=environment(folder, user, env),
        encoding="utf-8",
    )


def holds(folder: Path, words: str) -> list[str]:
    """The files below a folder that hold a text, as UTF-8 or UTF-16."""
    needles = (words.encode(), words.encode("utf-16-le"), words.encode("utf-16-be"))
    return [name for name, data in contents(folder) if any(needle in data for needle in needles)]


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every file below a folder; a running server may remove one meanwhile."""
    for path in sorted(Path(where, name) for where, _, names in os.walk(folder) for name in names):
        try:
            data = path.read_bytes() if path.is_file() else None
        except FileNotFoundError:
            continue
        if data is not None:
            yield path.name, data
