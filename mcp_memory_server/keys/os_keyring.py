"""The key of a sealed file in the keyring of the operating system (extra ``keyring``).

Keyrings hold short texts, so the ring itself stays in the sealed file and only its random key is there.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from pathlib import Path
from typing import Protocol

from credentials.errors import ConfigurationError, VaultError
from credentials.ports import Rng
from mcp_memory_server.keys.sealed_file import SealedFileVault

SERVICE = "consented-memory"
_KEY_BYTES = 32


class KeyringBackend(Protocol):
    """The two calls of the ``keyring`` package that are used."""

    def get_password(self, service_name: str, username: str) -> str | None:
        """The stored text, or ``None``."""

    def set_password(self, service_name: str, username: str, password: str) -> None:
        """Store a text."""


def system_keyring() -> KeyringBackend:
    """The operating system's keyring through the ``keyring`` package; ``extra_missing`` without it."""
    try:
        import keyring
    except ImportError as error:
        raise ConfigurationError("extra_missing", hint="install the extra 'keyring'") from error
    backend: KeyringBackend = keyring
    return backend


def keyring_secret(backend: KeyringBackend, account: str, *, rng: Rng = secrets.token_bytes) -> bytes:
    """The random key kept for an account, made at first use."""
    stored = backend.get_password(SERVICE, account)
    if stored is None:
        key = rng(_KEY_BYTES)
        backend.set_password(SERVICE, account, base64.b64encode(key).decode("ascii"))
        return key
    try:
        key = base64.b64decode(stored, validate=True)
    except binascii.Error as error:
        raise VaultError("envelope_wrong_key", "the keyring entry is not a key") from error
    if len(key) != _KEY_BYTES:
        raise VaultError("envelope_wrong_key", "the keyring entry is not a key")
    return key


def open_keyring_vault(
    path: Path, account: str, *, backend: KeyringBackend | None = None, rng: Rng = secrets.token_bytes
) -> SealedFileVault:
    """A sealed-file vault whose key is in the keyring."""
    chosen = system_keyring() if backend is None else backend
    return SealedFileVault(path, lambda: keyring_secret(chosen, account, rng=rng), passphrase=False, rng=rng)
