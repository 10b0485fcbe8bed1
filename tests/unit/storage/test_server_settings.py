"""A ledger on a server that is set up wrongly says what is wrong, and never the password."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from mcp_memory_server.bootstrap import archive_of, backend_of
from mcp_memory_server.errors import InvalidArgumentError, UnavailableError, UnsupportedError
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.settings import ArchiveSettings, StoreSettings, load
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


def test_an_archive_on_s3_needs_a_ledger_whose_keys_seal_it(tmp_path: Path) -> None:
    chosen = StoreSettings(archive=ArchiveSettings(kind="s3", bucket="b"))
    with pytest.raises(InvalidArgumentError, match=r"store\.archive"):
        archive_of(settings_for(tmp_path / "data", store=chosen))


@pytest.mark.parametrize(
    "wrong",
    [
        {"bucket": ""},
        {"bucket": "b", "url": "ftp://127.0.0.1"},
        {"bucket": "b", "url": "https://me:hunter2@127.0.0.1"},
        {"bucket": "b", "access_key": "hunter2"},
        {"bucket": "b", "secret_key": "hunter2"},
    ],
)
def test_a_bucket_that_is_set_up_wrongly_is_refused_without_quoting_keys(tmp_path: Path, wrong: dict[str, str]) -> None:
    flags = {"data_dir": tmp_path, "store": {"archive": {"kind": "s3", **wrong}}}
    with pytest.raises(InvalidArgumentError, match=r"store\.archive") as refused:
        load(flags, {})
    assert "hunter2" not in str(refused.value)


def test_keys_of_a_bucket_come_from_files(tmp_path: Path) -> None:
    env = {"MEMORY_DATA_DIR": str(tmp_path), "MEMORY_STORE__ARCHIVE__KIND": "s3", "MEMORY_STORE__ARCHIVE__BUCKET": "b"}
    for name in ("ACCESS_KEY", "SECRET_KEY"):
        (tmp_path / name).write_text(f"{name} in a file\n", encoding="utf-8")
        env[f"MEMORY_STORE__ARCHIVE__{name}_FILE"] = str(tmp_path / name)
    found = load({}, env).store.archive
    assert found.access_key is not None
    assert found.secret_key is not None
    assert found.access_key.get_secret_value() == "ACCESS_KEY in a file"
    assert found.secret_key.get_secret_value() == "SECRET_KEY in a file"
    assert "in a file" not in repr(found)


def test_without_the_extra_s3_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "boto3" else real(name))
    chosen = StoreSettings(ledger="postgres", archive=ArchiveSettings(kind="s3", bucket="b"))
    with pytest.raises(UnsupportedError, match="s3") as refused:
        archive_of(settings_for(tmp_path / "data", store=chosen))
    assert "pip install" in refused.value.next_step


def test_an_endpoint_that_is_not_there_is_unavailable_soon_and_is_not_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        bucket = ArchiveSettings(
            kind="s3", bucket="b", url=f"http://127.0.0.1:{port}", region="us-east-1", access_key=SecretStr("hunter2"),
            secret_key=SecretStr("hunter2"),
        )  # fmt: skip
        archive = archive_of(settings_for(tmp_path / "data", store=StoreSettings(ledger="postgres", archive=bucket)))
        with pytest.raises(UnavailableError) as refused:
            archive.purge(Tenancy("ann"))
    assert not {"hunter2", str(port)} & set(str(refused.value).split())
