"""Keys of users: one each, wrapped, outside the database, and gone when they are destroyed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.keys.master_key import FILE_NAME, LocalMasterKey, master_from_file, master_from_keyring
from mcp_memory_server.keys.user_keys import FolderUserKeys


class Keyring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.held.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.held[service_name, username] = password


def keys(folder: Path, master: LocalMasterKey | None = None) -> FolderUserKeys:
    return FolderUserKeys(folder, master or LocalMasterKey(bytes(32)))


def test_a_key_is_made_once_and_kept(tmp_path: Path) -> None:
    first = keys(tmp_path)
    assert first.of("ann") is None
    made = first.make("ann")
    assert len(made) == 32
    assert first.make("ann") == first.of("ann") == keys(tmp_path).of("ann") == made
    assert first.make("ben") != made


def test_no_file_tells_a_name_or_holds_a_key_as_it_is(tmp_path: Path) -> None:
    made = keys(tmp_path).make("ann@example.com")
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    assert "ann" not in files[0].name
    assert made not in files[0].read_bytes()
    assert b"ann" not in files[0].read_bytes()
    assert files[0].stat().st_mode & 0o777 == 0o600


def test_what_one_process_destroys_no_other_goes_on_using(tmp_path: Path) -> None:
    one, two = keys(tmp_path), keys(tmp_path)
    made = one.make("ann")
    assert two.of("ann") == made
    assert one.destroy("ann") is True
    assert two.of("ann") is None
    assert one.destroy("ann") is False
    assert list(tmp_path.iterdir()) == []
    assert two.make("ann") != made
    assert one.of("ann") == two.of("ann")


def test_a_file_under_another_users_name_does_not_open(tmp_path: Path) -> None:
    own = keys(tmp_path)
    own.make("ann")
    own.make("ben")
    ann, ben = own._path("ann"), own._path("ben")
    shutil.copy(ann, ben)
    with pytest.raises(UnavailableError, match="does not open"):
        keys(tmp_path).of("ben")


def test_another_master_key_opens_nothing(tmp_path: Path) -> None:
    master = LocalMasterKey(bytes(32))
    keys(tmp_path, master).make("ann")
    other = LocalMasterKey(bytes(31) + b"x")
    assert keys(tmp_path, other).of("ann") is None, "it does not even know the file's name"
    shutil.copy(keys(tmp_path, master)._path("ann"), keys(tmp_path, other)._path("ann"))
    with pytest.raises(UnavailableError, match="does not open"):
        keys(tmp_path, other).of("ann")


def test_a_passphrase_opens_the_master_key_again_and_another_does_not(tmp_path: Path) -> None:
    made = keys(tmp_path, master_from_file(tmp_path, b"correct horse")).make("ann")
    assert keys(tmp_path, master_from_file(tmp_path, b"correct horse")).of("ann") == made
    with pytest.raises(UnavailableError, match="does not open"):
        master_from_file(tmp_path, b"battery staple")
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_the_keyring_gives_the_same_master_key_again(tmp_path: Path) -> None:
    keyring = Keyring()
    made = keys(tmp_path, master_from_keyring("a", keyring)).make("ann")
    assert keys(tmp_path, master_from_keyring("a", keyring)).of("ann") == made
    assert keys(tmp_path, master_from_keyring("b", keyring)).of("ann") is None


def test_a_folder_that_cannot_be_used_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UnavailableError):
        master_from_file(tmp_path / "file" / "keys", b"words")
    with pytest.raises(UnavailableError):
        keys(tmp_path / "file" / "keys").make("ann")
