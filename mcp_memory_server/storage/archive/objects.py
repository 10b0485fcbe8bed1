"""The Archive port over any store of objects: names, form, checksum and sealing are the same for all.

An object is named `hh/HASH/MEMORY/DIGEST`: the SHA-256 of the user's name (its first two digits first, so that
folders stay short), the memory's id, and its fingerprint. So a listing alone tells what is there, and a copy that
is written twice is written to the same place. The content begins with one line, `consented-memory archive 1
SHA256`, the checksum of what follows: a memory in the native format, sealed where there are keys of users.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from urllib.parse import quote, unquote

from mcp_memory_server.errors import DamagedError
from mcp_memory_server.interchange.records import RecordError, memory_of, memory_record
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.archiving import ARCHIVE, fingerprint
from mcp_memory_server.memory.model import Memory
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.storage.sql.sealing import Cipher

_HEAD = b"consented-memory archive 1 "
_LISTED_ONCE_ABOVE = 50  # copies to remove from which on the user's whole part is listed, not asked for each
_DIGEST = b"archive.digest"
_SAFE_NAME = str.maketrans("+/=", "-_.")  # digits of base64 that names of objects should not have, and back
_SEALED_NAME = str.maketrans("-_.", "+/=")

KeyOf = Callable[[str], bytes | None]
"""The key of a user as it is kept now, None when there is none."""


class ObjectStore(Protocol):
    """Bytes under names with slashes. Raises UnavailableError where it does not answer."""

    def put(self, key: str, body: bytes) -> None:
        """Write an object, whole or not at all; one of this name is replaced."""
        ...

    def get(self, key: str) -> bytes | None:
        """The content of an object, None where there is none."""
        ...

    def keys(self, prefix: str) -> list[str]:
        """Names of all objects below `prefix`, which ends with a slash."""
        ...

    def remove(self, prefix: str, but: str = "") -> None:
        """Remove all objects below `prefix` but one, with older versions and half-written ones."""
        ...


class ObjectArchive:
    """Copies of archived memories in a store of objects. With `key_of` they are sealed under the key of their user."""

    name = ARCHIVE

    def __init__(self, objects: ObjectStore, key_of: KeyOf | None = None) -> None:
        self._objects = objects
        self._key_of = key_of

    def put(self, tenancy: Tenancy, memories: Sequence[Memory]) -> None:
        """Add or replace copies; of a user whose key is gone there is nothing to add."""
        cipher = self._cipher(tenancy)
        if cipher is None and self._key_of is not None:
            return
        for memory in memories:
            below = _below(tenancy, memory.id)
            key = below + _digest_name(cipher, fingerprint(memory))
            self._objects.put(key, _written(cipher, memory))
            self._objects.remove(below, but=key)  # an older copy, after the new one is there

    def get(self, tenancy: Tenancy, memory_id: str, digest: str) -> Memory | None:
        """The copy with this fingerprint. Raises DamagedError, UnavailableError."""
        cipher = self._cipher(tenancy)
        if cipher is None and self._key_of is not None:
            return None
        body = self._objects.get(_below(tenancy, memory_id) + _digest_name(cipher, digest))
        if body is None:
            return None
        memory = _read(cipher, body, memory_id, tenancy.user)
        if fingerprint(memory) != digest:
            raise _damaged(memory_id)
        return memory

    def delete(self, tenancy: Tenancy, memory_ids: Sequence[str]) -> None:
        """Remove copies; unknown ids are passed over."""
        wanted = dict.fromkeys(memory_ids)
        if len(wanted) > _LISTED_ONCE_ABOVE:
            kept = {_memory_in(key) for key in self._objects.keys(_of_user(tenancy))}
            wanted = {one: None for one in wanted if one in kept}
        for one in wanted:
            self._objects.remove(_below(tenancy, one))

    def purge(self, tenancy: Tenancy) -> None:
        """Remove everything of a user."""
        self._objects.remove(_of_user(tenancy))

    def digests(self, tenancy: Tenancy) -> Mapping[str, str]:
        """Memory id to fingerprint; of a user whose key is gone, whatever stands there."""
        cipher = self._cipher(tenancy)
        found = {_memory_in(key): key.rpartition("/")[2] for key in self._objects.keys(_of_user(tenancy))}
        if cipher is None:
            return found
        return {one: cipher.unmatch(name.translate(_SEALED_NAME), _DIGEST) for one, name in found.items()}

    def _cipher(self, tenancy: Tenancy) -> Cipher | None:
        key = None if self._key_of is None else self._key_of(tenancy.user)
        return None if key is None else Cipher(key)


def _of_user(tenancy: Tenancy) -> str:
    name = hashlib.sha256(tenancy.user.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:2]}/{name}/"


def _below(tenancy: Tenancy, memory_id: str) -> str:
    # A dot too: two of them are a folder above.
    return f"{_of_user(tenancy)}{quote(memory_id, safe='').replace('.', '%2E')}/"


def _memory_in(key: str) -> str:
    return unquote(key.split("/")[-2])


def _digest_name(cipher: Cipher | None, digest: str) -> str:
    """The fingerprint as a name; sealed, a guessed text cannot be checked against it."""
    return digest if cipher is None else cipher.match(digest, _DIGEST).translate(_SAFE_NAME)


def _written(cipher: Cipher | None, memory: Memory) -> bytes:
    text = json.dumps(memory_record(memory, (), ()), ensure_ascii=True, separators=(",", ":"))
    body = (text if cipher is None else cipher.seal(text, _place(memory.id))).encode("ascii")
    return _HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _read(cipher: Cipher | None, content: bytes, memory_id: str, user: str) -> Memory:
    head, _, body = content.partition(b"\n")
    if head != _HEAD + hashlib.sha256(body).hexdigest().encode():
        raise _damaged(memory_id)
    try:
        text = body.decode("ascii")
        memory, _, _ = memory_of(json.loads(text if cipher is None else cipher.open(text, _place(memory_id))), user)
    except (ValueError, RecordError) as error:
        raise _damaged(memory_id) from error
    return memory


def _place(memory_id: str) -> bytes:
    return b"archive\0" + memory_id.encode("utf-8", "surrogatepass")


def _damaged(memory_id: str) -> DamagedError:
    return DamagedError(
        f"the archive's copy of {memory_id} is not what was written",
        next_step="Run `mcp-memory-server rebuild archive`",
    )


_PORT: type[Archive] = ObjectArchive  # the type checker holds the adapter to its port
