"""What sealing needs of a key store. An outside key service takes part by implementing `MasterKey`."""

from __future__ import annotations

from typing import Protocol


class MasterKey(Protocol):
    """The key that wraps the keys of users: in a file, in the system's keyring, or in a key service."""

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Seal a user's key; it opens with the same context only. Raises UnavailableError."""
        ...

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """The key of `wrap`. Raises UnavailableError for another master key, context or changed bytes."""
        ...

    def name(self, text: str) -> str:
        """A name for a text that gives nothing of it away without the master key: 32 hexadecimal digits."""
        ...


class UserKeys(Protocol):
    """One random key of 32 bytes for each user. Raises UnavailableError where the store of keys fails."""

    def of(self, user: str) -> bytes | None:
        """The key of a user as it is kept now, None when there is none."""
        ...

    def make(self, user: str) -> bytes:
        """A new key, or the one that another process made meanwhile."""
        ...

    def destroy(self, user: str) -> bool:
        """Destroy a key for good; answers whether there was one."""
        ...
