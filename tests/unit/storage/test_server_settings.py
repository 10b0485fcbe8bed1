"""A ledger on a server that is set up wrongly says what is wrong, and never the password."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import backend_of
from mcp_memory_server.errors import InvalidArgumentError, UnavailableError, UnsupportedError
from mcp_memory_server.settings import StoreSettings, load
from tests.harness import settings_for


def store(url: str | None, passphrase: str = "of a test") -> StoreSettings:
    return StoreSettings(ledger="postgres", url=SecretStr(url) if url else None, passphrase=SecretStr(passphrase))


@pytest.mark.parametrize(
    "url", [None, "no address with hunter2", "mysql://me:hunter2@127.0.0.1/x", "postgresql:///hunter2"]
)
def test_an_address_that_is_none_is_refused_without_quoting_it(tmp_path: Path, url: str | None) -> None:
    with pytest.raises(InvalidArgumentError, match=r"store\.url") as refused:
        backend_of(settings_for(tmp_path / "data", store=store(url)))
    assert "hunter2" not in str(refused.value)


def test_a_server_that_is_not_there_is_unavailable_and_is_not_named(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound and not listening: nothing answers there
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://me:hunter2@127.0.0.1:{taken.getsockname()[1]}/x"
        with pytest.raises(UnavailableError) as refused:
            backend_of(settings_for(tmp_path / "data", store=store(url)))
    assert "hunter2" not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "psycopg" else real(name))
    with pytest.raises(UnsupportedError, match="postgres") as refused:
        backend_of(settings_for(tmp_path / "data", store=store("postgresql://me@127.0.0.1/x")))
    assert "pip install" in refused.value.next_step


def test_another_passphrase_is_refused_before_the_database_is_asked(tmp_path: Path) -> None:
    closed = "postgresql://me@127.0.0.1:1/x"
    for passphrase, wrong in (("first", "failed"), ("second", "does not open")):
        with pytest.raises(UnavailableError, match=wrong):
            backend_of(settings_for(tmp_path / "data", store=store(closed, passphrase)))


def test_paths_in_a_file_are_meant_from_where_it_lies(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('data_dir = "data"\n[store]\nledger = "postgres"\nkeys = "own/keys"\n', encoding="utf-8")
    assert load({}, {}, file).store.keys == tmp_path / "own" / "keys"
