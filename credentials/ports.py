"""What this package asks of others: signatures from a vault, documents that were fetched, replay memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from credentials.did.document import DidDocument
    from credentials.keys import PublicKey

Rng = Callable[[int], bytes]
"""Gives that many cryptographically random bytes; ``secrets.token_bytes`` outside tests."""


@runtime_checkable
class Signer(Protocol):
    """A key that signs without showing itself: in memory, in a keyring, in a hardware module."""

    @property
    def kid(self) -> str | None:
        """The key identifier to write into headers, for DIDs the absolute DID URL (RFC 7515 4.1.4)."""

    @property
    def alg(self) -> str:
        """The JOSE algorithm name of the key (RFC 7515 section 4.1.1)."""

    @property
    def public(self) -> PublicKey:
        """The public half."""

    def sign(self, data: bytes) -> bytes:
        """The raw signature in JOSE form (RFC 7518 section 3.4, RFC 8032)."""


class KeyVault(Protocol):
    """Signing keys by purpose, with rotation; the adapters are files and the OS keyring, elsewhere."""

    def signer(self, purpose: str) -> Signer:
        """The active key of a purpose (RFC 7517 section 4.5); ``key_not_found`` when there is none."""

    def rotate(self, purpose: str, *, now: int) -> Signer:
        """Make a new active key (RFC 7517 4.5); the old one stays published until its credentials expired."""

    def published(self, purpose: str) -> list[PublicKey]:
        """Active and retired keys for the DID document (DID 1.0 section 5.2); revoked ones are left out."""


class Resolver(Protocol):
    """Gives the DID document of an issuer or holder from what was fetched before."""

    def document(self, did: str) -> DidDocument:
        """The document (DID 1.0 section 7.1), or ``did_unresolved``; never does input or output."""


class ReplayGuard(Protocol):
    """Remembers which presentations were used (RFC 9901 section 7.3, OpenID4VP replay prevention)."""

    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        """True once per (audience, nonce) (RFC 9901 7.3); not keyed on signatures, which are malleable."""
