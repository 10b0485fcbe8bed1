"""Signing keys with rotation, and the sealed envelope that an adapter writes to a file or a keyring.

Bytes in, bytes out: where the envelope is kept, and where the secret comes from, is the caller's.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from credentials.algorithms import KeyType
from credentials.encoding import b64url_decode, b64url_encode, json_encode, json_object
from credentials.errors import CredentialError, LimitError, VaultError
from credentials.keys import PrivateKey, PublicKey
from credentials.limits import MAX_ENVELOPE_BYTES
from credentials.ports import Rng

_MAGIC: Final = b"memory-vault\x01"
_FROM_KEY: Final = b"k"
_FROM_PASSPHRASE: Final = b"p"
_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32
_TAG_BYTES: Final = 16
# RFC 7914 section 2: 2**15 blocks of 8 kB are 32 MiB for one guess.
_SCRYPT_N: Final = 2**15
_SCRYPT_R: Final = 8
_SCRYPT_P: Final = 1
_HEADER_BYTES: Final = len(_MAGIC) + 1 + _SALT_BYTES + _NONCE_BYTES


@dataclass(frozen=True, slots=True)
class LocalSigner:
    """A ``Signer`` whose key is in memory."""

    key: PrivateKey
    kid: str | None = None

    @property
    def alg(self) -> str:
        """The JOSE algorithm name (RFC 7515 section 4.1.1)."""
        return self.key.alg

    @property
    def public(self) -> PublicKey:
        """The public half (RFC 7517)."""
        return self.key.public

    def sign(self, data: bytes) -> bytes:
        """The raw signature (RFC 7518 section 3.4, RFC 8032)."""
        return self.key.sign(data)


def _derive(kind: bytes, secret: bytes, salt: bytes) -> bytes:
    if kind == _FROM_KEY:
        if len(secret) != _KEY_BYTES:
            raise VaultError("envelope_wrong_key", f"a key has {_KEY_BYTES} bytes")
        return secret
    return Scrypt(salt=salt, length=_KEY_BYTES, n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P).derive(secret)


def seal(content: bytes, secret: bytes, *, rng: Rng, passphrase: bool) -> bytes:
    """Seal bytes with AES-256-GCM (NIST SP 800-38D), the key from scrypt (RFC 7914) for a passphrase.

    Without ``passphrase`` the secret is a random key of 32 bytes, as an OS keyring keeps it.
    """
    if passphrase and not secret:
        raise VaultError("envelope_wrong_key", "an empty passphrase")
    if len(content) > MAX_ENVELOPE_BYTES - _HEADER_BYTES - _TAG_BYTES:
        raise LimitError("too_large", f"more than {MAX_ENVELOPE_BYTES} bytes")
    kind = _FROM_PASSPHRASE if passphrase else _FROM_KEY
    salt, nonce = rng(_SALT_BYTES), rng(_NONCE_BYTES)
    header = _MAGIC + kind + salt + nonce
    return header + AESGCM(_derive(kind, secret, salt)).encrypt(nonce, content, header)


def unseal(envelope: bytes, secret: bytes) -> bytes:
    """Open an envelope of ``seal`` (NIST SP 800-38D 7.2); a wrong secret and a change look the same."""
    if len(envelope) > MAX_ENVELOPE_BYTES:
        raise LimitError("too_large", f"more than {MAX_ENVELOPE_BYTES} bytes")
    kind = envelope[len(_MAGIC) : len(_MAGIC) + 1]
    if len(envelope) < _HEADER_BYTES + _TAG_BYTES or not envelope.startswith(_MAGIC):
        raise VaultError("envelope_malformed")
    if kind not in (_FROM_KEY, _FROM_PASSPHRASE):
        raise VaultError("envelope_malformed", "unknown kind of secret")
    header, sealed = envelope[:_HEADER_BYTES], envelope[_HEADER_BYTES:]
    salt = header[len(_MAGIC) + 1 : -_NONCE_BYTES]
    try:
        return AESGCM(_derive(kind, secret, salt)).decrypt(header[-_NONCE_BYTES:], sealed, header)
    except InvalidTag as error:
        raise VaultError("envelope_wrong_key") from error


def needs_passphrase(envelope: bytes) -> bool:
    """Whether an envelope of ``seal`` asks for a passphrase (RFC 7914) rather than for a key."""
    return envelope[: len(_MAGIC) + 1] == _MAGIC + _FROM_PASSPHRASE


class KeyState(Enum):
    """The life of a signing key: it signs, it only verifies, it is not trusted any more."""

    ACTIVE = "active"
    RETIRED = "retired"
    REVOKED = "revoked"


@dataclass(slots=True)
class StoredKey:
    """One key of a ring with its purpose, state and times (seconds since the epoch)."""

    purpose: str
    name: str
    key: PrivateKey
    state: KeyState
    created: int
    ended: int | None = None


class KeyRing:
    """Keys by purpose; one is active, older ones verify until they are dropped."""

    def __init__(self, keys: list[StoredKey] | None = None) -> None:
        self._keys = list(keys or [])

    def __iter__(self) -> Any:
        return iter(self._keys)

    def active(self, purpose: str) -> StoredKey:
        """The key that signs now (RFC 7517 section 4.5 names keys for rollover)."""
        for stored in self._keys:
            if stored.purpose == purpose and stored.state is KeyState.ACTIVE:
                return stored
        raise VaultError("key_not_found")

    def find(self, name: str) -> StoredKey:
        """A key by its name (RFC 7517 section 4.5)."""
        for stored in self._keys:
            if hmac.compare_digest(stored.name, name):
                return stored
        raise VaultError("key_not_found")

    def sign(self, name: str, data: bytes) -> bytes:
        """Sign with a named key (RFC 7515 section 5.1); ``key_not_active`` once it is retired."""
        stored = self.find(name)
        if stored.state is not KeyState.ACTIVE:
            raise VaultError("key_not_active")
        return stored.key.sign(data)

    def rotate(self, purpose: str, *, now: int, rng: Rng | None = None, key_type: KeyType = KeyType.P256) -> StoredKey:
        """Make a new active key; the one before is retired, not forgotten (RFC 7517 section 4.5)."""
        for stored in self._keys:
            if stored.purpose == purpose and stored.state is KeyState.ACTIVE:
                stored.state, stored.ended = KeyState.RETIRED, now
        key = PrivateKey.generate(key_type, rng=rng)
        stored = StoredKey(purpose, key.public.thumbprint()[:16], key, KeyState.ACTIVE, now)
        self._keys.append(stored)
        return stored

    def revoke(self, name: str, *, now: int) -> None:
        """Take a compromised key out of every published document (Data Integrity 1.0 section 5.3)."""
        stored = self.find(name)
        stored.state, stored.ended = KeyState.REVOKED, now

    def published(self, purpose: str) -> list[StoredKey]:
        """Active and retired keys of a purpose, newest first: what a DID document lists (DID 1.0 5.2)."""
        found = [k for k in self._keys if k.purpose == purpose and k.state is not KeyState.REVOKED]
        return sorted(found, key=lambda stored: (stored.state is not KeyState.ACTIVE, -stored.created))

    def drop_retired(self, *, before: int) -> int:
        """Forget keys that ended before a time, when their last credential has expired (DID 1.0 9.6)."""
        kept = [k for k in self._keys if k.ended is None or k.ended >= before]
        dropped = len(self._keys) - len(kept)
        self._keys = kept
        return dropped

    def to_bytes(self) -> bytes:
        """Serialise for ``seal``: private JWK members (RFC 7517); never write this unsealed."""
        return json_encode(
            {
                "keys": [
                    {
                        "purpose": k.purpose,
                        "name": k.name,
                        "type": k.key.key_type.value,
                        "secret": b64url_encode(k.key.secret),
                        "state": k.state.value,
                        "created": k.created,
                        "ended": k.ended,
                    }
                    for k in self._keys
                ]
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> KeyRing:
        """Read what ``to_bytes`` wrote (RFC 7517 private members)."""
        try:
            return cls([_stored(item) for item in json_object(data)["keys"]])
        except (KeyError, TypeError, ValueError, CredentialError) as error:
            raise VaultError("envelope_malformed", "not a key ring") from error


def _stored(item: dict[str, Any]) -> StoredKey:
    key = PrivateKey.from_secret(KeyType(item["type"]), b64url_decode(item["secret"]))
    ended = item["ended"]
    return StoredKey(
        str(item["purpose"]),
        str(item["name"]),
        key,
        KeyState(item["state"]),
        int(item["created"]),
        None if ended is None else int(ended),
    )
