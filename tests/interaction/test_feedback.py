"""`give_feedback`, suggestions and triggers through the client of both eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourceUpdated

from mcp_memory_server.settings import TriggerSettings
from tests.harness import House
from tests.harness import house as open_house
from tests.interaction.conftest import ask, fail, remembered
from tests.interaction.test_notifications import LEGACY, Inbox
from tests.interaction.test_resources import read
from tests.requirements import requirement

TRIGGERS = "memory://triggers"
QUESTION = "How do I get a refund for my ticket?"


async def strengths(client: Client) -> dict[str, float]:
    found = await ask(client, "list_memories", kind="any", detail="full")
    return {one["id"]: one["strength"] for one in found["memories"]}


@requirement("feedback:verdicts")
async def test_feedback_says_what_changed_and_changes_it_once(client: Client) -> None:
    first, second = await remembered(client, "The blue folder holds the lease.", "The green folder holds the lease.")
    before = await strengths(client)
    found = await ask(client, "recall", query="Which folder holds the lease?")
    given = {"recall_id": found["recall_id"], "used": [first], "wrong": [second], "task": "done"}
    answer = await ask(client, "give_feedback", **given)
    after = await strengths(client)
    assert [(one["id"], one["verdict"]) for one in answer["changed"]] == [(first, "used"), (second, "wrong")]
    assert {one["id"]: one["strength"] for one in answer["changed"]} == after
    assert after[first] > before[first]
    assert after[second] < before[second]
    again = await ask(client, "give_feedback", **given)
    assert (again["changed"], sorted(again["unchanged"])) == ([], sorted((first, second)))
    assert await strengths(client) == after


@requirement("feedback:unknown")
async def test_feedback_names_a_known_recall_and_what_it_showed(client: Client) -> None:
    (first,) = await remembered(client, "The blue folder holds the lease.")
    found = await ask(client, "recall", query="Which folder holds the lease?")
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("not_found", {"recall_id": "r_none", "used": [first]}),
        ("invalid_argument", {"recall_id": found["recall_id"], "used": ["m_none"]}),
        ("invalid_argument", {"recall_id": found["recall_id"], "used": [first], "wrong": [first]}),
        ("invalid_argument", {"recall_id": found["recall_id"]}),
        ("too_many", {"recall_id": found["recall_id"], "used": [first] * 101}),
    ]
    for code, given in wrong:
        assert (await fail(client, "give_feedback", **given)).code == code


@requirement("feedback:spoken")
@pytest.mark.parametrize("words", ["That's not what I meant.", "不是这个意思。"])
async def test_not_what_i_meant_is_feedback_on_the_recall_before(client: Client, words: str) -> None:
    (first,) = await remembered(client, "The blue folder holds the lease.")
    found = await ask(client, "recall", query="Which folder holds the lease?")
    answer = await ask(client, "remember", said=words)
    assert answer["feedback"]["recall_id"] == found["recall_id"]
    assert [(one["id"], one["verdict"]) for one in answer["feedback"]["changed"]] == [(first, "not_needed")]


@requirement("recall:suggestions")
async def test_an_answer_comes_with_what_belongs_to_it_and_a_suggestion(client: Client) -> None:
    await ask(client, "remember", said="我订了12月11日北京南到上海虹桥的高铁票，要二等座。", session="a")
    await ask(client, "remember", said="高铁票还没付款。", session="b")
    found = await ask(client, "recall", query="我订的高铁票是什么时候的", limit=1)
    joined = {line.get("link") for line in found["related"]}
    assert "payment" in joined
    assert joined & {"journey", "fare"}  # by the order or by its payment, whichever is the answer
    assert "要二等座" in {line["statement"] for line in found["related"]}
    assert found["suggestions"] == ["“高铁票”还没有付款（2026-12-11），现在支付吗？"]


@pytest.fixture
def house(tmp_path: Path) -> Any:
    with open_house(tmp_path / "data", triggers=[TriggerSettings(name="twice", count=2)]) as made:
        yield made


async def asked_twice(client: Client) -> list[dict[str, Any]]:
    out = []
    for session in ("a", "b", "c"):
        out.append((await ask(client, "remember", said=QUESTION, session=session))["triggers"])
    assert [len(found) for found in out] == [0, 1, 0]
    return out[1]


@requirement("triggers:once")
async def test_a_pattern_that_is_completed_fires_once_and_is_listed(client: Client) -> None:
    (firing,) = await asked_twice(client)
    kind, text = await read(client, TRIGGERS)
    assert kind == "text/markdown"
    assert f"twice (local, {firing['id']}): question (3 times): " in text
    assert "refund" in text


@requirement("profile:results")
async def test_a_result_is_in_the_next_profile_only(client: Client, house: House) -> None:
    (firing,) = await asked_twice(client)
    house.app.service.trigger_result(house.principal(), firing["id"], "On Tuesday.")
    await read(client, "memory://profile")  # looking at the resource does not use it up
    first = await ask(client, "get_profile")
    assert [one["result"] for one in first["trigger_results"]] == ["On Tuesday."]
    assert "On Tuesday." in first["prompt"]
    second = await ask(client, "get_profile")
    assert second["trigger_results"] == []
    assert "On Tuesday." not in second["prompt"]
    assert "On Tuesday." in (await read(client, TRIGGERS))[1]


@requirement("profile:results")
async def test_the_prompt_personalize_shows_a_result_once_too(client: Client, house: House) -> None:
    (firing,) = await asked_twice(client)
    house.app.service.trigger_result(house.principal(), firing["id"], "On Tuesday.")
    texts = [str((await client.get_prompt("personalize")).messages[0].content) for _ in range(2)]
    assert ["On Tuesday." in text for text in texts] == [True, False]


@requirement("profile:summaries")
async def test_the_last_sessions_are_summed_up(client: Client) -> None:
    await ask(client, "remember", said="I live in Graz. How do I get a refund?", session="a")
    found = await ask(client, "get_profile")
    (session,) = found["recent_sessions"]
    assert session["summary"] == "2026-11-30: 1 utterance, 1 fact, 1 question - Graz, get, refund"
    known = str((await client.get_prompt("what_do_you_know")).messages[0].content)
    assert session["summary"] in known
    text = (await read(client, "memory://profile/recent_sessions"))[1]
    assert f"- a: {session['summary']}" in text
    assert session["events"][0]["summary"] in text


@requirement("notifications:triggers")
async def test_a_listener_hears_of_a_firing_and_of_its_result(house: House) -> None:
    async with house.client() as client, client.listen(resource_subscriptions=[TRIGGERS]) as events:
        (firing,) = await asked_twice(client)
        with anyio.fail_after(20):
            assert await anext(events) == ResourceUpdated(uri=TRIGGERS)
        house.app.service.trigger_result(house.principal(), firing["id"], "On Tuesday.")
        await anyio.to_thread.run_sync(house.app.tell, "ann")  # as the courier does from its thread
        with anyio.fail_after(20):
            assert await anext(events) == ResourceUpdated(uri=TRIGGERS)


@requirement("notifications:triggers")
@LEGACY
async def test_a_subscriber_of_the_older_era_hears_of_a_firing(house: House) -> None:
    inbox = Inbox()
    async with house.client(mode="legacy", message_handler=inbox) as client:
        await client.subscribe_resource(TRIGGERS)
        await asked_twice(client)
        with anyio.fail_after(20):
            await inbox.arrived.wait()
        inbox.arrived = anyio.Event()
        await anyio.to_thread.run_sync(house.app.tell, "ann")
        with anyio.fail_after(20):
            await inbox.arrived.wait()
    assert inbox.uris == [TRIGGERS, TRIGGERS]
