"""An application whose ledger is on the real PostgreSQL server."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.settings import StoreSettings
from tests.fakes import HashEmbedder
from tests.harness import settings_for

PASSPHRASE = "a passphrase of a test"


def store_settings(url: str, keys: Path) -> StoreSettings:
    """Settings of a ledger on the server."""
    return StoreSettings(ledger="postgres", url=SecretStr(url), keys=keys, passphrase=SecretStr(PASSPHRASE))


def application(url: str, keys: Path, data: Path) -> Application:
    """A server process's application; its projections lie in `data`."""
    settings = settings_for(data, store=store_settings(url, keys))
    return build(settings, Overrides(embedder=HashEmbedder()))


def principal(user: str = "ann") -> Principal:
    """The principal of a user."""
    return Principal(user, "tests", "tests")
