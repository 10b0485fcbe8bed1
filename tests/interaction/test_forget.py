"""Forgetting through the tool: at once, after asking, or by a confirmation in a second call."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitResult

from mcp_memory_server.clock import FixedClock
from tests.harness import House, call
from tests.interaction.conftest import ask, fail, remembered
from tests.requirements import requirement

PLACES = {"ledger", "history", "graph", "vectors", "text", "outbox", "caches"}


class User:
    """Answers every question the same way, and remembers what was asked."""

    def __init__(self, action: str, content: dict[str, Any] | None = None) -> None:
        self.action, self.content = action, content
        self.asked: list[Any] = []

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        return ElicitResult(action=self.action, content=self.content)  # type: ignore[arg-type]


async def teas(client: Client) -> list[str]:
    """Three memories about tea and one about a van."""
    await remembered(client, "The van is at the garage.", category="other")
    return await remembered(
        client, "Omar prefers green tea.", "Nora prefers black tea.", "Emil drinks no tea.", category="preference"
    )


async def left(client: Client) -> int:
    return int((await ask(client, "list_memories", kind="any", status="any"))["total"])


@requirement("forget:one")
async def test_one_memory_is_forgotten_at_once_with_a_receipt(client: Client) -> None:
    ids = await teas(client)
    answer = await ask(client, "forget", memory_id=ids[0], reason="no longer wanted")
    assert answer["state"] == "forgotten"
    assert answer["forgotten"] == [ids[0]]
    assert set(answer["receipt"]["places"]) >= PLACES
    assert answer["receipt"]["pending"] == []
    assert answer["receipt"]["finished_at"] == "2026-11-30T12:00:00Z"
    assert await left(client) == 3
    assert (await fail(client, "forget", memory_id=ids[0])).code == "not_found"


@requirement("forget:accept")
@pytest.mark.parametrize(
    "given", [{"category": "preference"}, {"query": "tea"}, {"source": "assistant", "category": "preference"}]
)
async def test_after_the_yes_what_was_shown_is_forgotten(house: House, mode: str, given: dict[str, str]) -> None:
    user = User("accept", {"forget": True})
    async with house.client(mode=mode, elicitation_callback=user) as client:
        ids = await teas(client)
        answer = await ask(client, "forget", **given)
        assert answer["state"] == "forgotten"
        assert set(answer["forgotten"]) == set(ids)
        assert await left(client) == 1
    assert len(user.asked) == 1
    assert "Omar prefers green tea." in user.asked[0].message
    properties = user.asked[0].requested_schema["properties"]
    assert {name: spec["type"] for name, spec in properties.items()} == {"forget": "boolean"}


@requirement("forget:accept")
async def test_everything_is_forgotten_after_the_yes(house: House, mode: str) -> None:
    async with house.client(mode=mode, elicitation_callback=User("accept", {"forget": True})) as client:
        await teas(client)
        await ask(client, "remember", said="My dentist is in Lyon.")
        answer = await ask(client, "forget", everything=True)
        assert answer["state"] == "forgotten"
        assert await left(client) == 0


@requirement("forget:refuse")
@pytest.mark.parametrize(
    "user", [User("accept", {"forget": False}), User("decline"), User("cancel")], ids=["no", "decline", "cancel"]
)
async def test_without_the_yes_everything_stays(house: House, mode: str, user: User) -> None:
    async with house.client(mode=mode, elicitation_callback=user) as client:
        await teas(client)
        answer = await ask(client, "forget", category="preference")
        assert answer["state"] == "kept"
        assert answer["forgotten"] == []
        assert "confirm" not in answer
        assert len(answer["preview"]) == 3
        assert (await ask(client, "forget", everything=True))["state"] == "kept"
        assert await left(client) == 4
    assert user.asked


@requirement("forget:nothing")
async def test_nothing_to_forget_asks_nobody(house: House, mode: str) -> None:
    user = User("accept", {"forget": True})
    async with house.client(mode=mode, elicitation_callback=user) as client:
        await teas(client)
        answer = await ask(client, "forget", category="health")
        assert (answer["state"], answer["forgotten"], answer["preview"]) == ("kept", [], [])
        assert (await ask(client, "forget", query="zeppelin"))["state"] == "kept"
    assert user.asked == []


@requirement("forget:nothing")
async def test_nothing_to_forget_needs_no_confirmation(client: Client) -> None:
    answer = await ask(client, "forget", category="health")
    assert (answer["state"], answer["forgotten"], answer["preview"]) == ("kept", [], [])
    assert "confirm" not in answer


@requirement("forget:confirm")
async def test_a_client_that_cannot_ask_confirms_in_a_second_call_once(client: Client) -> None:
    ids = await teas(client)
    first = await ask(client, "forget", category="preference")
    assert first["state"] == "needs_confirmation"
    assert {line["id"] for line in first["preview"]} == set(ids)
    assert first["matches"] == 3
    assert await left(client) == 4
    second = await ask(client, "forget", confirm=first["confirm"])
    assert second["state"] == "forgotten"
    assert set(second["forgotten"]) == set(ids)
    assert await left(client) == 1
    assert (await fail(client, "forget", confirm=first["confirm"])).code == "conflict"


@requirement("forget:bound")
async def test_a_confirmation_reaches_what_was_shown_and_nothing_newer(client: Client) -> None:
    ids = await teas(client)
    first = await ask(client, "forget", category="preference")
    (later,) = await remembered(client, "Dana prefers coffee.", category="preference")
    second = await ask(client, "forget", confirm=first["confirm"])
    assert set(second["forgotten"]) == set(ids)
    assert later in [one["id"] for one in (await ask(client, "list_memories"))["memories"]]


@requirement("forget:bound")
@pytest.mark.parametrize("value", ["x", "", "0" * 24, "'; --"])
async def test_a_confirmation_that_was_never_given_is_refused(client: Client, value: str) -> None:
    await teas(client)
    await ask(client, "forget", category="preference")
    assert (await fail(client, "forget", confirm=value)).code in ("conflict", "invalid_argument")
    assert await left(client) == 4


@requirement("forget:expiry")
@pytest.mark.parametrize(("seconds", "good"), [(599, True), (600, False), (86_400, False)])
async def test_a_confirmation_is_good_for_ten_minutes(client: Client, house: House, seconds: int, good: bool) -> None:
    await teas(client)
    first = await ask(client, "forget", category="preference")
    assert isinstance(house.clock, FixedClock)
    house.clock.advance(timedelta(seconds=seconds))
    reply = await call(client, "forget", confirm=first["confirm"])
    assert (reply.error is None) is good
    assert reply.code in (None, "conflict")
    assert await left(client) == (1 if good else 4)


@requirement("forget:owner")
async def test_a_confirmation_of_another_user_is_refused_and_stays_good(house: House, mode: str) -> None:
    async with house.client("ann", mode) as ann, house.client("ben", mode) as ben:
        await teas(ann)
        first = await ask(ann, "forget", category="preference")
        assert (await fail(ben, "forget", confirm=first["confirm"])).code == "conflict"
        assert await left(ann) == 4
        assert (await ask(ann, "forget", confirm=first["confirm"]))["state"] == "forgotten"


@requirement("forget:everything")
async def test_everything_is_not_allowed_to_a_client_that_cannot_ask(client: Client) -> None:
    await teas(client)
    reply = await fail(client, "forget", everything=True)
    assert reply.code == "not_allowed"
    assert "erase" in reply.text
    assert "dashboard" in reply.text
    assert await left(client) == 4


@requirement("forget:confirm")
async def test_words_that_ask_to_forget_are_previewed_and_nothing_is_gone_before_the_yes(client: Client) -> None:
    await teas(client)
    answer = await ask(client, "remember", said="Please forget that Omar prefers green tea.")
    assert answer["speech_act"] == "forget_request"
    assert "Omar prefers green tea." in [line["statement"] for line in answer["forget"]["preview"]]
    before = await left(client)
    done = await ask(client, "forget", confirm=answer["forget"]["confirm"])
    assert done["state"] == "forgotten"
    assert await left(client) < before
