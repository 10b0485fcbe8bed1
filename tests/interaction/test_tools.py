"""What the tools do when they are called as they should be."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from mcp import Client

from mcp_memory_server.bootstrap import Overrides
from mcp_memory_server.errors import UnavailableError
from tests.fakes import HashEmbedder, noon, seeded_ids
from tests.harness import House, call, house
from tests.interaction.conftest import ask, fail, remembered
from tests.requirements import requirement

SAID = "I moved to Graz in May and I am allergic to peanuts."


@requirement("remember:outcomes", "results:schema", "results:lists")
async def test_every_statement_has_an_outcome_with_its_index(client: Client) -> None:
    answer = await ask(
        client, "remember", statements=["The van is at the garage.", "Omar prefers tea.", "Omar prefers tea."]
    )
    results = answer["results"]
    assert [(one["statement_index"], one["outcome"]) for one in results] == [
        (0, "stored"),
        (1, "stored"),
        (2, "duplicate_in_call"),
    ]
    assert results[1]["memory"]["id"] == results[2]["memory"]["id"]
    assert all(one["replaced"] == [] for one in results)
    again = await ask(client, "remember", statements=["The van is at the garage!"])
    assert again["results"][0]["outcome"] == "restated"
    assert again["results"][0]["memory"]["id"] == results[0]["memory"]["id"]
    assert (answer["intents"], answer["masked"], answer["events"]) == ([], [], [])


@requirement("remember:evidence", "results:schema")
async def test_a_grounded_statement_shows_the_words_that_support_it(client: Client) -> None:
    answer = await ask(
        client,
        "remember",
        statements=["The user is allergic to peanuts."],
        said=SAID,
        session="s1",
        occurred_at="2026-11-29T09:30:00+01:00",
    )
    memory = next(one["memory"] for one in answer["results"] if one.get("statement_index") == 0)
    assert memory["grounding"] == "grounded"
    assert memory["status"] == "current"
    assert memory["said_at"] == "2026-11-29T09:30:00+01:00"
    evidence = memory["evidence"]
    assert evidence["utterance"] == answer["utterance"]
    assert evidence["said_by"] == "user"
    assert SAID[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert "peanuts" in evidence["quote"]


@requirement("remember:unverified")
async def test_without_the_words_a_statement_stands_on_the_assistants_word(client: Client) -> None:
    answer = await ask(client, "remember", statements=["The user is allergic to peanuts."])
    memory = answer["results"][0]["memory"]
    assert (memory["grounding"], memory["source"], memory["status"]) == ("unverified", "assistant", "current")
    assert "evidence" not in memory
    assert "utterance" not in answer
    shown = await ask(client, "list_memories", detail="full")
    assert shown["memories"][0]["confidence"] <= 0.6


@requirement("remember:unverified")
async def test_what_others_say_and_where_words_come_from_make_no_current_fact_about_the_user(client: Client) -> None:
    for more in ({"said_by": "assistant"}, {"origin": "tool:web"}, {"said_by": "other", "said_by_name": "Ravi"}):
        await ask(client, "remember", statements=["The user is allergic to peanuts."], said=SAID, **more)
    listed = await ask(client, "list_memories", kind="fact", limit=100)
    assert [one for one in listed["memories"] if one.get("subject") == "user"] == []


@requirement("recall:answer", "results:lists")
async def test_recall_answers_with_evidence_and_a_citation(client: Client) -> None:
    await ask(client, "remember", said="My dentist is in Lyon.", occurred_at="2026-05-12T09:00:00Z")
    await remembered(client, "The van is at the garage.")
    answer = await ask(client, "recall", query="Where is my dentist?")
    first = answer["memories"][0]
    assert "Lyon" in first["statement"]
    assert first["citation"] == 'Since 2026-05-12, you said: "My dentist is in Lyon."'
    assert first["score"] > 0
    assert answer["truncated"] is False
    assert answer["degraded"] == []
    assert answer["total_matches"] >= 1
    empty = await ask(client, "recall", query="zeppelin")
    for name in ("memories", "related", "degraded", "open_questions", "suggestions"):
        assert isinstance(empty[name], list)


@requirement("recall:answer")
async def test_recall_answers_a_chinese_question_in_chinese(client: Client) -> None:
    await ask(client, "remember", said="护照放在书房的抽屉里。", occurred_at="2026-05-12T09:00:00Z")
    answer = await ask(client, "recall", query="护照在哪里？")
    assert answer["memories"][0]["citation"] == "自 2026-05-12 起，您说过：“护照放在书房的抽屉里。”"


@requirement("recall:truncated")
@pytest.mark.parametrize("max_chars", [200, 500, 1_000, 8_000])
async def test_a_result_stays_within_max_chars(client: Client, max_chars: int) -> None:
    for number in range(12):
        await ask(client, "remember", said=f"Apple harvest number {number}. " + "We picked apples all day long. " * 40)
    answer = await ask(client, "recall", query="apple harvest", limit=12, max_chars=max_chars)
    size = len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
    assert answer["truncated"] is True
    assert len(answer["memories"]) >= 1
    if max_chars >= 1_000:  # one memory with its evidence takes some room however short its text
        assert size <= max_chars
    assert answer["total_matches"] == 12


@requirement("recall:truncated")
async def test_results_are_short_unless_more_is_asked_for(client: Client) -> None:
    for number in range(30):
        await ask(client, "remember", said=f"Apple harvest number {number}. " + "We picked apples all day long. " * 40)
    for tool, given in (
        ("recall", {"query": "apple", "limit": 100}),
        ("list_memories", {"limit": 100}),
        ("get_profile", {}),
    ):
        reply = await call(client, tool, **given)
        assert len(reply.text) <= 9_000
    long = await call(client, "recall", query="apple", limit=100, max_chars=200_000)
    assert len(long.data["memories"]) == 30
    assert len(long.text) > 20_000


@requirement("recall:excerpt")
async def test_a_long_text_is_cut_around_the_best_match(client: Client, house: House) -> None:
    words = "Minutes of the garden club, nothing special. " * 300 + "The spare key is under the third flowerpot."
    await ask(client, "remember", said=words)
    house.app.projector.drain()
    answer = await ask(client, "recall", query="Where is the spare key?")
    first = answer["memories"][0]
    assert first["truncated"] is True
    assert "third flowerpot" in first["statement"]
    assert len(first["statement"]) < 1_300
    whole = await ask(client, "recall", query="Where is the spare key?", detail="full", max_chars=200_000)
    assert whole["memories"][0]["statement"] == words


@requirement("list:pages")
async def test_pages_cover_everything_once_newest_first(client: Client) -> None:
    ids = []
    for number in range(7):
        ids += await remembered(client, f"Choir song {number}.", occurred_at=f"2026-11-0{number + 1}T10:00:00Z")
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await ask(client, "list_memories", limit=3, **cursor)
        assert page["total"] == 7
        seen += [one["id"] for one in page["memories"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == ids[::-1]
    since = await ask(client, "list_memories", since="2026-11-03T10:00:00Z", until="2026-11-05T11:00:00+01:00")
    assert [one["id"] for one in since["memories"]] == [ids[3], ids[2]]


@requirement("list:fit")
async def test_a_page_holds_what_fits_and_its_cursor_continues_behind_it(client: Client) -> None:
    ids = []
    for number in range(20):
        ids += await remembered(client, f"Choir song {number}. " + "La la la. " * 50)
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    pages = 0
    while pages < 30:
        page = await ask(client, "list_memories", limit=0, max_chars=4_000, **cursor)
        assert len(json.dumps(page, ensure_ascii=False, separators=(",", ":"))) <= 4_200
        seen += [one["id"] for one in page["memories"]]
        pages += 1
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == ids[::-1]
    assert pages > 2


@requirement("results:text", "results:absent")
async def test_text_and_structure_say_the_same_and_nothing_is_null(client: Client) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"statements": ["The user is allergic to peanuts."], "said": SAID, "session": "s1"}),
        ("remember", {"said": "Why does the login fail again?", "session": "s1"}),
        ("recall", {"query": "peanuts", "detail": "full"}),
        ("list_memories", {"status": "any", "detail": "full"}),
        ("get_profile", {"detail": "full"}),
        ("forget", {"query": "peanuts"}),
    ]
    for tool, given in calls:
        result = await client.call_tool(tool, given)
        assert not result.is_error
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        assert "null" not in json.dumps(result.structured_content)


@requirement("correct:verdicts")
async def test_wrong_takes_a_memory_out_of_what_is_current(client: Client) -> None:
    (one,) = await remembered(client, "The lease ends in March.")
    answer = await ask(client, "correct_memory", memory_id=one, verdict="wrong")
    assert answer == {"outcome": "retracted", "replaced": [one]}
    assert (await ask(client, "recall", query="lease"))["memories"] == []
    past = await ask(client, "recall", query="lease", include="history")
    assert [found["id"] for found in past["memories"]] == [one]


@requirement("correct:verdicts")
async def test_replace_supersedes_with_the_right_statement(client: Client) -> None:
    (one,) = await remembered(client, "The lease ends in March.")
    answer = await ask(
        client,
        "correct_memory",
        memory_id=one,
        verdict="replace",
        statement="The lease ends in May.",
        said="No, the lease ends in May.",
    )
    assert answer["outcome"] == "superseded"
    assert answer["replaced"] == [one]
    assert answer["memory"]["statement"] == "The lease ends in May."
    shown = await ask(client, "list_memories", kind="fact", detail="full")
    assert [found["statement"] for found in shown["memories"]] == ["The lease ends in May."]
    old = await ask(client, "list_memories", kind="fact", status="superseded", detail="full")
    assert [found["superseded_by"] for found in old["memories"]] == [answer["memory"]["id"]]
    same = await ask(
        client,
        "correct_memory",
        memory_id=answer["memory"]["id"],
        verdict="replace",
        statement="The lease ends in May.",
    )
    assert same["outcome"] == "restated"


@requirement("correct:verdicts")
async def test_confirm_makes_a_pending_memory_current(client: Client) -> None:
    (one,) = await remembered(client, "Omar prefers tea.", origin="tool:web")
    assert (await ask(client, "list_memories", status="pending"))["memories"][0]["id"] == one
    answer = await ask(client, "correct_memory", memory_id=one, verdict="confirm")
    assert answer["outcome"] == "restated"
    assert answer["memory"]["status"] == "current"
    assert (await ask(client, "list_memories", status="pending"))["total"] == 0


@requirement("correct:verdicts")
async def test_do_not_mention_hides_until_it_is_named(client: Client) -> None:
    answer = await ask(client, "remember", statements=["The user lives in Graz."], said="I live in Graz.")
    one = answer["results"][0]["memory"]["id"]
    await ask(client, "correct_memory", memory_id=one, verdict="do_not_mention")
    assert "Graz" not in json.dumps(await ask(client, "get_profile"))
    assert (await ask(client, "recall", query="Where do I live?"))["memories"] == []
    assert (await ask(client, "recall", query="What about Graz?"))["memories"]
    assert (await ask(client, "list_memories"))["total"] >= 1


async def dispute(client: Client) -> dict[str, Any]:
    """Two homes, and the question about them."""
    await ask(client, "remember", said="I live in Graz.", occurred_at="2026-05-01T09:00:00Z", session="a")
    answer = await ask(client, "remember", said="I live in Lyon.", occurred_at="2026-05-02T09:00:00Z", session="b")
    asked = [one["question"] for one in answer["results"] if one["outcome"] == "disputed"]
    assert len(asked) == 1
    return dict(asked[0])


@requirement("correct:verdicts")
@pytest.mark.parametrize(
    ("verdict", "homes"),
    [("keep_first", {"Graz"}), ("keep_second", {"Lyon"}), ("keep_both", {"Graz", "Lyon"})],
)
async def test_the_answer_to_a_question_settles_it(client: Client, verdict: str, homes: set[str]) -> None:
    question = await dispute(client)
    assert verdict in question["answers"]
    recalled = await ask(client, "recall", query="Where do I live?")
    assert [one["id"] for one in recalled["open_questions"]] == [question["id"]]
    answer = await ask(client, "correct_memory", question_id=question["id"], verdict=verdict)
    assert len(answer["replaced"]) == 2 - len(homes)
    listed = await ask(client, "list_memories", kind="fact")
    assert {one["object"]["value"] for one in listed["memories"]} == homes
    assert all(one["status"] == "current" for one in listed["memories"])
    assert (await ask(client, "get_profile"))["open_questions"] == []
    await fail(client, "correct_memory", question_id=question["id"], verdict=verdict)


@requirement("correct:verdicts")
async def test_an_utterance_stays_as_it_was_said(client: Client) -> None:
    answer = await ask(client, "remember", said="I live in Graz.")
    reply = await fail(
        client, "correct_memory", memory_id=answer["utterance"], verdict="replace", statement="I live in Lyon."
    )
    assert reply.code == "invalid_argument"


@requirement("profile:sections")
async def test_the_profile_comes_by_section_with_a_prompt(client: Client) -> None:
    assert (await ask(client, "get_profile"))["prompt"] == ""
    await ask(client, "remember", said="I live in Graz. I am allergic to peanuts.", session="s1")
    await remembered(client, "Omar prefers tea.", category="preference")
    answer = await ask(client, "get_profile")
    names = [section["name"] for section in answer["sections"]]
    assert "health" in names
    assert "preferences" in names
    assert "peanuts" in answer["prompt"]
    assert [one["session"] for one in answer["recent_sessions"]] == ["s1"]
    only = await ask(client, "get_profile", section="health")
    assert [section["name"] for section in only["sections"]] == ["health"]
    assert "tea" not in json.dumps(only["sections"])


@requirement("profile:sections")
async def test_a_profile_that_is_too_long_loses_its_weakest_facts_and_says_so(client: Client) -> None:
    for number in range(40):
        await remembered(client, f"Omar likes tea number {number} very much indeed.")
    short = await ask(client, "get_profile", max_chars=3_000)
    assert short["truncated"] is True
    assert len(json.dumps(short, ensure_ascii=False, separators=(",", ":"))) <= 3_000
    assert short["sections"]


@requirement("users:apart")
async def test_no_tool_shows_or_touches_anything_of_another_user(house: House, mode: str) -> None:
    async with house.client("ann", mode) as ann, house.client("ben", mode) as ben:
        answer = await ask(
            ann, "remember", statements=["The user is allergic to peanuts."], said=SAID, session="s1", category="health"
        )
        ids = [answer["utterance"], answer["results"][0]["memory"]["id"]]
        for tool, given in (
            ("recall", {"query": "peanuts", "include": "all"}),
            ("list_memories", {"status": "any", "kind": "any"}),
            ("get_profile", {}),
            ("forget", {"query": "peanuts"}),
            ("forget", {"category": "health"}),
            ("forget", {"session": "s1"}),
        ):
            text = json.dumps(await ask(ben, tool, **given))
            assert "peanut" not in text
            assert not any(one in text for one in ids)
        for one in ids:
            assert (await fail(ben, "forget", memory_id=one)).code == "not_found"
            assert (await fail(ben, "correct_memory", memory_id=one, verdict="wrong")).code == "not_found"
        assert (await ask(ben, "remember", said=SAID, session="s1"))["utterance"] not in ids
        assert (await ask(ann, "list_memories", kind="any", status="any"))["total"] >= 2


@requirement("errors:internal")
async def test_a_fault_of_ours_answers_internal_and_shows_no_detail(tmp_path: Any, mode: str, caplog: Any) -> None:
    class Broken(HashEmbedder):
        def query(self, text: str, lang: str, document_lang: str) -> Any:
            raise RuntimeError("secret detail")

        def documents(self, texts: Any, langs: Any) -> Any:
            raise UnavailableError("the model is gone")

    overrides = Overrides(clock=noon(), embedder=Broken(), ids=seeded_ids())
    with house(tmp_path / "broken", overrides) as broken:
        async with broken.client(mode=mode) as client:
            await ask(client, "remember", said="My words stay out of the log.")
            reply = await fail(client, "recall", query="words")
    assert reply.code == "internal"
    assert "secret detail" not in reply.text
    assert any("recall failed" in record.getMessage() for record in caplog.records)
    assert not any("My words stay" in record.getMessage() for record in caplog.records)


@requirement("recall:answer")
async def test_without_a_model_recall_says_what_is_degraded_and_still_finds(tmp_path: Any, mode: str) -> None:
    clock = noon()
    with house(tmp_path / "plain", Overrides(clock=clock, embedder=None, ids=seeded_ids())) as plain:
        async with plain.client(mode=mode) as client:
            await ask(client, "remember", said="My dentist is in Lyon.")
            clock.advance(timedelta(days=1))
            answer = await ask(client, "recall", query="dentist")
    assert answer["degraded"] == ["vectors"]
    assert "Lyon" in answer["memories"][0]["statement"]
