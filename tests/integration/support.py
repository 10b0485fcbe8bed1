"""An application whose ledger is on the real PostgreSQL server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import Clock
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.keys.master_key import master_from_file
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.settings import StoreSettings
from tests.fakes import HashEmbedder
from tests.harness import settings_for

PASSPHRASE = "a passphrase of a test"


def store_settings(url: str, keys: Path, **more: Any) -> StoreSettings:
    """Settings of a ledger on the server."""
    return StoreSettings(ledger="postgres", url=SecretStr(url), keys=keys, passphrase=SecretStr(PASSPHRASE), **more)


def application(url: str, keys: Path, data: Path, clock: Clock | None = None, **store: Any) -> Application:
    """A server process's application; projections that `store` puts nowhere else lie in `data`."""
    settings = settings_for(data, store=store_settings(url, keys, **store))
    return build(settings, Overrides(clock=clock, embedder=HashEmbedder()))


def store_keys(folder: Path) -> FolderUserKeys:
    """The keys of users that an application has in a folder."""
    return FolderUserKeys(folder, master_from_file(folder, PASSPHRASE.encode()))


def principal(user: str = "ann") -> Principal:
    """The principal of a user."""
    return Principal(user, "tests", "tests")
