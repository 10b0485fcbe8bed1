from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_memory_server.errors import InvalidArgumentError, NotFoundError
from mcp_memory_server.identity import bearer
from mcp_memory_server.identity.bearer import StoredTokens
from tests.fakes import NOON, MemoryBackend, noon, seeded_ids


@pytest.fixture
def store() -> Any:
    return MemoryBackend().store


def make(store: Any, **changes: Any) -> str:
    given = {"name": "laptop", "user": "ann", **changes}
    return bearer.create(store, seeded_ids(), NOON, **given)[1]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the store every time."""
    monkeypatch.setattr(bearer, "_CACHE_SECONDS", -1.0)


def tokens(store: Any, now: datetime = NOON) -> StoredTokens:
    return StoredTokens(lambda: store, lambda: now)


@pytest.mark.anyio
async def test_a_token_opens_the_memory_of_its_user_and_no_other(store: Any, eager: None) -> None:
    secret = make(store)
    access = await tokens(store).verify_token(secret)
    assert access is not None
    assert (access.subject, access.expires_at) == ("ann", None)
    assert await tokens(store).verify_token(secret + "x") is None
    assert await tokens(store).verify_token("") is None
    assert await tokens(store).verify_token(secret * 20) is None


@pytest.mark.anyio
async def test_an_expired_token_opens_nothing(store: Any, eager: None) -> None:
    secret = make(store, days=1)
    assert await tokens(store, NOON + timedelta(hours=23)).verify_token(secret) is not None
    assert await tokens(store, NOON + timedelta(days=1)).verify_token(secret) is None


@pytest.mark.anyio
async def test_the_first_token_closes_the_door_for_good(store: Any, eager: None) -> None:
    found = tokens(store)
    assert not await found.required()
    secret = make(store)
    assert await found.required()
    bearer.revoke(store, noon().now(), "laptop")
    assert await found.required()
    assert await found.verify_token(secret) is None


@pytest.mark.anyio
async def test_a_look_at_the_store_serves_for_a_moment(store: Any) -> None:
    found = tokens(store)
    assert not await found.required()
    make(store)
    assert not await found.required()


def test_only_the_digest_is_kept(store: Any) -> None:
    secret = make(store)
    with store.system() as system:
        kept = system.tokens()
    assert [token.digest for token in kept] == [bearer.digest_of(secret)]
    assert secret not in repr(kept)


def test_two_tokens_are_never_alike(store: Any) -> None:
    assert make(store) != make(store)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_a_token_has_a_name(store: Any, name: str) -> None:
    with pytest.raises(InvalidArgumentError):
        make(store, name=name)


def test_what_is_not_there_cannot_be_revoked(store: Any) -> None:
    with pytest.raises(NotFoundError):
        bearer.revoke(store, NOON, "laptop")
