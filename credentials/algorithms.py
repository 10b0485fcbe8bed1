"""Which algorithm may be used for what; the key type decides, the header never does."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import Final

from credentials.errors import ConfigurationError, KeyRefusedError, ProofError


class KeyType(Enum):
    """The only kinds of keys that are accepted; the value is the JOSE curve name."""

    P256 = "P-256"
    ED25519 = "Ed25519"
    SECP256K1 = "secp256k1"
    P384 = "P-384"
    P521 = "P-521"


class Use(Enum):
    """What a signature is for; each use has its own list of algorithms."""

    CREDENTIAL = "credential"
    KEY_BINDING = "key binding"
    STATUS_LIST = "status list"
    DATA_INTEGRITY = "data integrity"
    WALLET = "wallet"


DEFAULT_ALGORITHM: Final = "ES256"

# RFC 9864 gave Ed25519 its own name; EdDSA is its older, ambiguous one and only read, never written.
_OF_KEY: Final[dict[KeyType, tuple[str, ...]]] = {
    KeyType.P256: ("ES256",),
    KeyType.ED25519: ("Ed25519", "EdDSA"),
    KeyType.SECP256K1: ("ES256K",),
    KeyType.P384: ("ES384",),
    KeyType.P521: ("ES512",),
}
# Issuers and holders of ours have these; keys of all other types are imported to verify with and sign nothing.
SIGNING: Final = frozenset({KeyType.P256, KeyType.ED25519})
_JOSE: Final = frozenset({"ES256", "Ed25519", "EdDSA"})
_OF_USE: Final[dict[Use, frozenset[str]]] = {
    Use.CREDENTIAL: _JOSE,
    Use.KEY_BINDING: _JOSE,
    Use.STATUS_LIST: _JOSE,
    Use.DATA_INTEGRITY: frozenset({"eddsa-jcs-2022", "ecdsa-jcs-2019"}),
    Use.WALLET: frozenset({"ES256K"}),
}
# Verified only where a policy names it: issuers on P-384 and the lists that they sign, never key bindings.
_ON_REQUEST: Final[dict[Use, frozenset[str]]] = {
    Use.CREDENTIAL: frozenset({"ES384"}),
    Use.STATUS_LIST: frozenset({"ES384"}),
}


def preferred(key_type: KeyType) -> str:
    """The algorithm name to write for a key of this type (RFC 7518 section 3.4, RFC 9864)."""
    return _OF_KEY[key_type][0]


class AllowList:
    """Algorithms allowed for one use (RFC 8725 sections 3.1 and 3.2).

    A configured list narrows the built-in one, or names what is verified only on request (``ES384`` of
    issuers). It may not be empty: an empty list is a set-up mistake that other libraries read as
    "anything goes" (``config_no_algorithm``).
    """

    __slots__ = ("names", "use")

    def __init__(self, use: Use, names: Collection[str] | None = None) -> None:
        chosen = _OF_USE[use] if names is None else frozenset(names)
        allowed = _OF_USE[use] | _ON_REQUEST.get(use, frozenset())
        if not chosen:
            raise ConfigurationError("config_no_algorithm")
        if not chosen <= allowed:
            raise ConfigurationError("config_invalid", f"not available for {use.value}: {sorted(chosen - allowed)}")
        self.use = use
        self.names = chosen

    def check(self, alg: object) -> str:
        """Return ``alg`` if it is allowed here, else raise ``alg_not_allowed`` (RFC 8725 section 3.1)."""
        if not isinstance(alg, str) or alg not in self.names:
            raise ProofError("alg_not_allowed", f"not allowed for {self.use.value}")
        return alg


def check_key(alg: str, key_type: KeyType) -> None:
    """Require that ``alg`` belongs to the key's type (RFC 8725 section 3.1: one key, one algorithm)."""
    if alg not in _OF_KEY[key_type]:
        raise KeyRefusedError("alg_key_mismatch", f"{key_type.value} keys do not do that algorithm")


ALLOWED: Final[dict[Use, AllowList]] = {use: AllowList(use) for use in Use}
