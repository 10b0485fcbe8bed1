"""The server in process, in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from mcp_memory_server.tools import schemas
from tests.harness import MODES, House, Reply, call
from tests.harness import house as open_house

_VALIDATORS = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.OUTPUTS.items()}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """`auto` speaks 2026-07-28, `legacy` 2025-11-25."""
    return str(request.param)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "data") as made:
        yield made


@pytest.fixture
async def client(house: House, mode: str) -> AsyncIterator[Client]:
    """A client that cannot ask its user."""
    async with house.client(mode=mode) as made:
        yield made


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed; what it answers matches its schema."""
    reply = await call(client, tool, **arguments)
    assert reply.error is None, reply.error
    _VALIDATORS[tool].validate(reply.data)
    return reply.data


async def fail(client: Client, tool: str, **arguments: Any) -> Reply:
    """Call a tool that must answer an error."""
    reply = await call(client, tool, **arguments)
    assert reply.error is not None, f"{tool} {arguments} was taken: {reply.data}"
    return reply


async def remembered(client: Client, *statements: str, **arguments: Any) -> list[str]:
    """Ids of statements that are stored."""
    answer = await ask(client, "remember", statements=list(statements), **arguments)
    return [result["memory"]["id"] for result in answer["results"]]


@contextmanager
def token_of(user: str) -> Iterator[None]:
    """Requests made inside come with an access token of this user."""
    token = AccessToken(token="t", client_id="tests", scopes=[], subject=user)
    reset = auth_context_var.set(AuthenticatedUser(token))
    try:
        yield
    finally:
        auth_context_var.reset(reset)
