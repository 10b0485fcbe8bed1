"""Access tokens for small installations without an identity provider.

A token is shown once, when it is made; the store keeps its SHA-256 only. Its user is the tenant of
every call that comes with it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import anyio.to_thread
from mcp.server.auth.provider import AccessToken, TokenVerifier

from mcp_memory_server.errors import InvalidArgumentError, NotFoundError
from mcp_memory_server.limits import NAME_CHARS
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.ports import Store, Token

_PREFIX = "cmem_"  # lets a scanner of leaked secrets recognise ours
_BYTES = 32  # random bytes of a token
_LONGEST = 512  # characters of what a client may send as a token
_CACHE_SECONDS = 1.0  # a revoked token works at most so much longer


def digest_of(secret: str) -> str:
    """What is kept of a token: the SHA-256 of 256 random bits needs no salt and no stretching."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create(
    store: Store, ids: Ids, now: datetime, *, name: str, user: str, days: int | None = None
) -> tuple[Token, str]:
    """Make a token; answers it with the secret, which is not kept. Raises InvalidArgumentError."""
    if not name.strip() or len(name) > NAME_CHARS:
        raise InvalidArgumentError(f"name: 1 to {NAME_CHARS} characters")
    secret = _PREFIX + secrets.token_urlsafe(_BYTES)
    expires = now + timedelta(days=days) if days is not None else None
    token = Token(ids.new("t", now), name, user, digest_of(secret), now, expires)
    with store.system(write=True) as system:
        system.save_token(token)
    return token, secret


def revoke(store: Store, now: datetime, which: str) -> Token:
    """Revoke a token by its id, or by its name when only one valid token has it.

    Raises NotFoundError, InvalidArgumentError when the name is not enough.
    """
    with store.system(write=True) as system:
        valid = [token for token in system.tokens() if token.revoked_at is None]
        found = [token for token in valid if token.id == which] or [t for t in valid if t.name == which]
        if not found:
            raise NotFoundError(f"no valid token {which}", next_step="See `token list`")
        if len(found) > 1:
            raise InvalidArgumentError(f"{len(found)} tokens are called {which}", next_step="Give the id")
        revoked = replace(found[0], revoked_at=now)
        system.save_token(revoked)
    return revoked


def is_valid(token: Token, now: datetime) -> bool:
    """Whether a token opens anything at this moment."""
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


class StoredTokens(TokenVerifier):
    """The SDK's verifier on the tokens of a store. Each look at the store serves for one second."""

    def __init__(self, store: Callable[[], Store], now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now
        self._known: dict[str, Token] = {}
        self._read_at = float("-inf")

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access of a token; None for one that is unknown, revoked or expired."""
        if len(token) > _LONGEST:
            return None
        found = (await self._tokens()).get(digest_of(token))
        if found is None or not is_valid(found, self._now()):
            return None
        return AccessToken(
            token=token,
            client_id=found.id,
            scopes=[],
            expires_at=int(found.expires_at.timestamp()) if found.expires_at else None,
            subject=found.user,
        )

    async def required(self) -> bool:
        """Whether calls need a token: from the first token on, revoked ones included.

        Revoking the last token must not open the door again.
        """
        return bool(await self._tokens())

    async def _tokens(self) -> dict[str, Token]:
        if time.monotonic() - self._read_at > _CACHE_SECONDS:
            self._known = await anyio.to_thread.run_sync(self._read)
            self._read_at = time.monotonic()
        return self._known

    def _read(self) -> dict[str, Token]:
        with self._store().system() as system:
            return {token.digest: token for token in system.tokens()}
