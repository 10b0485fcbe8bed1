"""Keys of users in a folder, each in a file of its own, wrapped by a master key.

They are kept outside the database on purpose: what a database deletes stays in its log and its old pages
for a while, and a wrapped key found there would still open with the master key.
"""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path

from credentials.ports import Rng
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.keys.master_key import sync_folder, write_once
from mcp_memory_server.keys.ports import MasterKey, UserKeys

KEY_BYTES = 32  # of a user's key
_CACHED = 10_000  # users whose keys a process holds at most


class FolderUserKeys:
    """`UserKeys` in a folder, which all server processes of one store share.

    A key is held in memory only as long as its file is the one that it was read from: what one process
    destroys, no other goes on using.
    """

    def __init__(self, folder: Path, master: MasterKey, rng: Rng = secrets.token_bytes) -> None:
        self._folder = folder
        self._master = master
        self._rng = rng
        self._lock = threading.Lock()
        self._held: dict[str, tuple[tuple[int, int], bytes]] = {}

    def _path(self, user: str) -> Path:
        return self._folder / f"{self._master.name(user)}.key"

    def of(self, user: str) -> bytes | None:
        """The key of a user, None when there is none. Raises UnavailableError."""
        path = self._path(user)
        try:
            found = path.stat()
            mark = (found.st_ino, found.st_mtime_ns)
            with self._lock:
                held = self._held.get(user)
            if held is not None and held[0] == mark:
                return held[1]
            key = self._master.unwrap(path.read_bytes(), user.encode("utf-8", "surrogatepass"))
        except FileNotFoundError:
            with self._lock:
                self._held.pop(user, None)
            return None
        except OSError as error:
            raise UnavailableError(f"the keys of users cannot be read ({error.strerror})") from error
        with self._lock:
            while len(self._held) >= _CACHED:
                del self._held[next(iter(self._held))]
            self._held[user] = (mark, key)
        return key

    def make(self, user: str) -> bytes:
        """A new key, or the one that is there. Raises UnavailableError."""
        wrapped = self._master.wrap(self._rng(KEY_BYTES), user.encode("utf-8", "surrogatepass"))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_once(self._path(user), wrapped)
        except OSError as error:
            raise UnavailableError(f"a user's key cannot be written ({error.strerror})") from error
        key = self.of(user)
        if key is None:
            raise UnavailableError("a user's key was destroyed while it was made", next_step="Try again")
        return key

    def destroy(self, user: str) -> bool:
        """Overwrite and remove the file of a key; answers whether there was one. Raises UnavailableError."""
        path = self._path(user)
        try:
            with path.open("r+b") as file:
                file.write(b"\0" * path.stat().st_size)
                file.flush()
                os.fsync(file.fileno())
            path.unlink()
            sync_folder(self._folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise UnavailableError(f"a user's key cannot be destroyed ({error.strerror})") from error
        finally:
            with self._lock:
                self._held.pop(user, None)
        return True


_PORT: type[UserKeys] = FolderUserKeys  # the type checker holds the adapter to its port
