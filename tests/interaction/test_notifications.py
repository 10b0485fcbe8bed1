"""Change notifications in both protocol eras, and whom they never reach."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from tests.harness import House
from tests.interaction.conftest import ask, remembered, token_of
from tests.requirements import requirement

PROFILE = "memory://profile"
# The client says that the older era's way is going; servers have to serve it all the same.
LEGACY = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


class Inbox:
    """Notifications that a client of the older era received."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self.arrived = anyio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.append(str(message.params.uri))
            self.arrived.set()


@requirement("notifications:modern")
async def test_a_listener_hears_of_every_kind_of_change(house: House) -> None:
    async with house.client() as client, client.listen(resource_subscriptions=[PROFILE]) as events:
        (one,) = await remembered(client, "The lease ends in March.")
        for change in (
            None,
            ("correct_memory", {"memory_id": one, "verdict": "confirm"}),
            ("forget", {"memory_id": one}),
        ):
            if change is not None:
                await ask(client, change[0], **change[1])
            with anyio.fail_after(20):
                assert await anext(events) == ResourceUpdated(uri=PROFILE)


@requirement("notifications:legacy")
@LEGACY
async def test_a_subscriber_of_the_older_era_hears_of_a_change(house: House) -> None:
    inbox = Inbox()
    async with house.client(mode="legacy", message_handler=inbox) as client:
        await client.subscribe_resource(PROFILE)
        await remembered(client, "The lease ends in March.")
        with anyio.fail_after(20):
            await inbox.arrived.wait()
    assert inbox.uris == [PROFILE]


@requirement("notifications:unsubscribe")
@LEGACY
async def test_after_unsubscribing_nothing_is_heard(house: House) -> None:
    inbox = Inbox()
    async with house.client(mode="legacy", message_handler=inbox) as client:
        await client.subscribe_resource(PROFILE)
        await client.subscribe_resource("memory://questions")
        await client.unsubscribe_resource(PROFILE)
        await remembered(client, "The lease ends in March.")
        with anyio.fail_after(20):
            await inbox.arrived.wait()  # of the questions, which are told after the profile
    assert inbox.uris == ["memory://questions"]


async def as_user(user: str, client: Client, *statements: str) -> None:
    """Remember something in a request that carries the user's token."""
    with token_of(user):
        await remembered(client, *statements)


@requirement("notifications:isolation")
async def test_a_listener_never_hears_of_another_users_change(house: House) -> None:
    server, heard, arrived = house.server(), [], anyio.Event()
    with token_of("ben"):
        async with Client(server) as ben, ben.listen(resource_subscriptions=[PROFILE]) as events:

            async def listen() -> None:
                async for event in events:
                    heard.append(event)
                    arrived.set()

            async with anyio.create_task_group() as group, Client(server) as ann:
                group.start_soon(listen)
                await as_user("ann", ann, "The lease ends in March.")
                # A round trip on the stream that events come by: what was sent before it has arrived.
                assert (await ask(ben, "list_memories"))["total"] == 0
                assert heard == []
                await as_user("ben", ben, "The van is at the garage.")
                with anyio.fail_after(20):
                    await arrived.wait()
                group.cancel_scope.cancel()
    assert set(heard) == {ResourceUpdated(uri=PROFILE)}


@requirement("notifications:isolation")
@LEGACY
async def test_a_subscriber_of_the_older_era_never_hears_of_another_users_change(house: House) -> None:
    server, inbox = house.server(), Inbox()
    with token_of("ben"):
        async with Client(server, mode="legacy", message_handler=inbox) as ben, Client(server, mode="legacy") as ann:
            await ben.subscribe_resource(PROFILE)
            await as_user("ann", ann, "The lease ends in March.")
            assert (await ask(ben, "list_memories"))["total"] == 0
            assert inbox.uris == []
            await as_user("ben", ben, "The van is at the garage.")
            with anyio.fail_after(20):
                await inbox.arrived.wait()
    assert inbox.uris == [PROFILE]
