"""Questions about what was asked, relatives, what is not to be mentioned; a dispute settled by a third word."""

from __future__ import annotations

from datetime import timedelta

from tests.unit.service.conftest import Desk


def statements(found: dict) -> list[str]:
    return [memory["statement"] for memory in found["memories"]]


def test_what_was_asked_yesterday_is_found_without_a_shared_word(desk: Desk) -> None:
    desk.say("医保异地报销要什么材料？", session="a")
    desk.clock.advance(timedelta(days=1))
    desk.say("我喜欢下棋。", session="b")
    assert statements(desk.recall("我昨天问你什么来着", limit=1)) == ["医保异地报销要什么材料？"]
    assert "医保异地报销要什么材料？" in statements(desk.recall("What did I ask you last time?", limit=2))


def test_a_relative_is_found_in_the_other_language(desk: Desk) -> None:
    desk.say("我奶奶有白内障。")
    desk.say("My grandfather has Parkinson's disease.")
    assert "白内障" in statements(desk.recall("What illness does my grandmother have?", limit=1))[0]


def test_a_third_word_settles_a_dispute(desk: Desk) -> None:
    desk.say("I have two children.")
    assert desk.say("I have three children.")["results"][0]["outcome"] == "disputed"
    settled = desk.say("Actually no, I have four children.")["results"][0]
    assert settled["outcome"] == "superseded"
    assert len(settled["replaced"]) == 2
    found = desk.recall("How many children do I have?")
    assert found["open_questions"] == []
    assert [memory["object"]["value"] for memory in desk.list(kind="fact")] == ["4"]


def test_one_side_told_anew_as_a_change_leaves_one_fact(desk: Desk) -> None:
    desk.say("我投资比较保守。")
    desk.say("我投资比较激进。")
    assert desk.say("我现在改变想法了，投资偏激进。")["results"][0]["outcome"] == "superseded"
    assert [memory["object"]["value"] for memory in desk.list(kind="fact")] == ["激进"]


def test_a_corrected_journey_keeps_its_day(desk: Desk) -> None:
    desk.say("我订了12月11日北京南到上海虹桥的高铁票。")
    desk.say("那趟高铁从天津南出发，不是北京南。")
    (start,) = [memory for memory in desk.list(kind="fact") if memory["predicate"] == "departs_from"]
    assert (start["object"]["value"], start["object"]["scope"], start["at"]) == ("天津南", "高铁票", "2026-12-11")


def test_what_is_not_to_be_mentioned_is_told_when_its_subject_is_named(desk: Desk) -> None:
    told = desk.remember("The user's ex-wife lives in Bath.", said="My ex-wife lives in Bath.")
    desk.correct(memory_id=told["results"][0]["memory"]["id"], verdict="do_not_mention")
    assert statements(desk.recall("Recommend a hotel in Bath")) == []
    assert statements(desk.recall("Where does my ex-wife live?"))[0] == "The user's ex-wife lives in Bath."


def test_a_hidden_fact_of_a_relative_is_told_when_the_relative_is_named(desk: Desk) -> None:
    told = desk.say("我妈妈有高血压。")
    desk.correct(memory_id=told["results"][0]["memory"]["id"], verdict="do_not_mention")
    assert statements(desk.recall("家里谁身体不好")) == []
    assert "高血压" in statements(desk.recall("我母亲有什么病"))[0]
