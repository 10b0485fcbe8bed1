"""Objects as files below a folder that only the account of the server can enter."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.storage.archive.objects import ObjectStore

_PART = ".part"  # ends the name of a file that is being written


class FileObjects:
    """Each object a file. What is removed is overwritten first, as far as the disk below allows that."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, body: bytes) -> None:
        """Write beside, sync, move into place: a crash leaves the old file or the new one."""
        path = self._folder / key
        part = path.with_name(path.name + _PART)  # the same for every try: a second one leaves no first
        try:
            _make(path.parent)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
            _sync(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise _unavailable(error) from error

    def get(self, key: str) -> bytes | None:
        """The content of a file, None where there is none."""
        try:
            return (self._folder / key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unavailable(error) from error

    def keys(self, prefix: str) -> list[str]:
        """Names of all files below a folder."""
        try:
            found = [path for path in self._files(prefix) if path.suffix != _PART]
        except OSError as error:
            raise _unavailable(error) from error
        return sorted(path.relative_to(self._folder).as_posix() for path in found)

    def remove(self, prefix: str, but: str = "") -> None:
        """Overwrite and remove files, and the folders that are empty then."""
        kept = self._folder / but if but else None
        try:
            for path in self._files(prefix):
                if path != kept:
                    _shred(path)
            if kept is None:
                _drop_folders(self._folder / prefix, self._folder)
        except OSError as error:
            raise _unavailable(error) from error

    def _files(self, prefix: str) -> Iterator[Path]:
        for folder, _, names in os.walk(self._folder / prefix, onerror=_not_there):
            for name in names:
                yield Path(folder) / name


def _make(folder: Path) -> None:
    """Make a folder and those above it, each for its owner alone."""
    for one in [*reversed(folder.parents), folder]:
        if not one.is_dir():
            one.mkdir(mode=0o700, exist_ok=True)


def _not_there(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _shred(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # another process was faster
        with path.open("r+b") as file:
            file.write(b"\0" * path.stat().st_size)
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def _drop_folders(folder: Path, root: Path) -> None:
    """Remove empty folders from the deepest up to `root`; one that another process uses stays."""
    below = [Path(one) for one, _, _ in os.walk(folder, topdown=False, onerror=_not_there)]
    for one in [*below, *folder.parents]:
        if one == root or not one.is_relative_to(root):
            break
        try:
            one.rmdir()
        except OSError:
            break


def _sync(folder: Path) -> None:
    """Make the new name durable; Windows cannot open folders."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _unavailable(error: OSError) -> UnavailableError:
    return UnavailableError(
        f"the archive's folder cannot be used ({error.strerror})",
        next_step="Check the disk and the rights of the folder",
    )


_PORT: type[ObjectStore] = FileObjects  # the type checker holds the adapter to its port
