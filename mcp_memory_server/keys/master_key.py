"""The master key on this machine: sealed in a file by a passphrase, or held by the system's keyring."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from credentials.errors import CredentialError
from credentials.limits import MAX_ENVELOPE_BYTES
from credentials.ports import Rng
from credentials.vault import seal, unseal
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.keys.os_keyring import KeyringBackend, keyring_secret, system_keyring
from mcp_memory_server.keys.ports import MasterKey

FILE_NAME = "master"
_KEY_BYTES = 32


class LocalMasterKey:
    """A master key in memory."""

    def __init__(self, key: bytes, rng: Rng = secrets.token_bytes) -> None:
        self._key = key
        self._rng = rng

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Seal a user's key together with a digest of the context that it belongs to."""
        return seal(_digest(context) + key, self._key, rng=self._rng, passphrase=False)

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """The key of `wrap`. Raises UnavailableError for another master key, context or changed bytes."""
        try:
            found = unseal(wrapped, self._key)
        except CredentialError as error:
            raise _refused("a user's key") from error
        if not hmac.compare_digest(found[:_KEY_BYTES], _digest(context)):
            raise _refused("a user's key")
        return found[_KEY_BYTES:]

    def name(self, text: str) -> str:
        """A keyed hash of a text, as 32 hexadecimal digits."""
        own = hashlib.blake2b(b"names", key=self._key, digest_size=_KEY_BYTES).digest()
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=own, digest_size=16).hexdigest()


_PORT: type[MasterKey] = LocalMasterKey  # the type checker holds the adapter to its port


def _digest(context: bytes) -> bytes:
    return hashlib.sha256(context).digest()


def _refused(what: str) -> UnavailableError:
    return UnavailableError(
        f"{what} does not open: another passphrase or master key, or a changed file",
        next_step="Give the passphrase and the folder of keys that this store was made with",
    )


def master_from_file(folder: Path, passphrase: bytes, rng: Rng = secrets.token_bytes) -> LocalMasterKey:
    """The master key in a folder, sealed by a passphrase (scrypt); made at first use, by one process only.

    Raises UnavailableError for a wrong passphrase or a file that cannot be read.
    """
    path = folder / FILE_NAME
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            write_once(path, seal(rng(_KEY_BYTES), passphrase, rng=rng, passphrase=True))
        envelope = path.read_bytes()[: MAX_ENVELOPE_BYTES + 1]
    except OSError as error:
        raise UnavailableError(f"{path} cannot be used ({error.strerror})") from error
    try:
        return LocalMasterKey(unseal(envelope, passphrase), rng)
    except CredentialError as error:
        raise _refused("the master key") from error


def master_from_keyring(
    account: str, backend: KeyringBackend | None = None, rng: Rng = secrets.token_bytes
) -> LocalMasterKey:
    """The master key in the system's keyring (extra `keyring`), made at first use. Raises UnavailableError."""
    try:
        chosen = system_keyring() if backend is None else backend
        return LocalMasterKey(keyring_secret(chosen, account, rng=rng), rng)
    except CredentialError as error:
        raise UnavailableError(
            f"there is no master key ({error.code})",
            next_step="Give a passphrase with `MEMORY_STORE__PASSPHRASE_FILE`, or install the extra 'keyring'",
        ) from error


def write_once(path: Path, data: bytes) -> bool:
    """Make a file with mode 0600, whole and synced, unless there is one; answers whether it was made."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)  # fails where another process was first: its file stays
        except FileExistsError:
            return False
        sync_folder(path.parent)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names in a folder last, where folders can be synced."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
