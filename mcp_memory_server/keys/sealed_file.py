"""A key ring in a sealed file: the vault of a machine without a keyring, opened by a passphrase or a key.

The ring and its encryption are ``credentials.vault``; this adapter only reads, writes and locks.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from credentials.algorithms import KeyType
from credentials.errors import VaultError
from credentials.keys import PublicKey
from credentials.limits import MAX_ENVELOPE_BYTES
from credentials.ports import KeyVault, Rng, Signer
from credentials.vault import KeyRing, LocalSigner, StoredKey, needs_passphrase, seal, unseal

Secret = Callable[[], bytes]
"""Gives the passphrase or key when the vault is opened; it is not kept."""


class SealedFileVault:
    """``KeyVault`` in one file. Every change is written whole, synced and renamed into place."""

    def __init__(self, path: Path, secret: Secret, *, passphrase: bool, rng: Rng = secrets.token_bytes) -> None:
        self._path = path
        self._secret = secret
        self._passphrase = passphrase
        self._rng = rng
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether a vault was made here before."""
        return self._path.is_file()

    def ring(self) -> KeyRing:
        """Open the file; a missing one is an empty ring, a wrong secret ``envelope_wrong_key``."""
        if not self.exists:
            return KeyRing()
        with self._path.open("rb") as file:
            envelope = file.read(MAX_ENVELOPE_BYTES + 1)
        if needs_passphrase(envelope) != self._passphrase:
            raise VaultError("envelope_wrong_key", "the file was sealed with another kind of secret")
        return KeyRing.from_bytes(unseal(envelope, self._secret()))

    @contextlib.contextmanager
    def change(self) -> Iterator[KeyRing]:
        """Open, let the caller change, and write back; nothing is written when the caller raises."""
        with self._lock, _file_lock(self._path):
            ring = self.ring()
            yield ring
            sealed = seal(ring.to_bytes(), self._secret(), rng=self._rng, passphrase=self._passphrase)
            _write_atomically(self._path, sealed)

    def signer(self, purpose: str, *, did: str | None = None) -> Signer:
        """The active signer of a purpose; with ``did`` its key id is that DID's fragment."""
        stored = self.ring().active(purpose)
        return LocalSigner(stored.key, f"{did}#{stored.name}" if did else stored.name)

    def rotate(self, purpose: str, *, now: int, key_type: KeyType = KeyType.P256) -> Signer:
        """Make a new active key; the one before stays published until it is dropped."""
        with self.change() as ring:
            stored = ring.rotate(purpose, now=now, rng=self._rng, key_type=key_type)
        return LocalSigner(stored.key, stored.name)

    def published(self, purpose: str) -> list[PublicKey]:
        """Public keys for the DID document, the active one first."""
        return [stored.key.public for stored in self.stored(purpose)]

    def stored(self, purpose: str) -> list[StoredKey]:
        """Published keys with names and states, the active one first."""
        return self.ring().published(purpose)


_PORT: type[KeyVault] = SealedFileVault  # the type checker holds the adapter to its port


def _write_atomically(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600 from the start
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Keep a second process from writing at the same time; where locks are missing, the thread lock stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("ab") as lock:
        try:
            import fcntl
        except ImportError:  # Windows: the rename alone keeps the file whole
            yield
            return
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
