"""Linked facts beside an answer, suggestions, and summaries of the last sessions, through the service."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_memory_server.policy import load_policy
from mcp_memory_server.rendering.jinja import JinjaRenderer
from tests.unit.service.conftest import Desk

POLICY = load_policy()


@pytest.fixture
def traveller(desk_with: Callable[..., Desk]) -> Desk:
    desk = desk_with(links=POLICY.links, suggestions=POLICY.suggestions, renderer=JinjaRenderer())
    desk.say("我订了12月11日北京南到上海虹桥的高铁票，要二等座。", session="a")
    desk.say("高铁票还没付款。", session="b")
    return desk


def predicates(desk: Desk, lines: list[dict[str, Any]]) -> set[tuple[str, str]]:
    known = {one["id"]: one["predicate"] for one in desk.list(kind="fact")}
    return {(known[line["id"]], line["link"]) for line in lines if "link" in line}


def test_an_order_shows_its_seat_and_its_payment_and_asks_to_pay(traveller: Desk) -> None:
    found = traveller.recall("我订了哪天的高铁票", limit=1)
    assert predicates(traveller, found["related"]) >= {("payment_status", "payment"), ("seat_class", "journey")}
    assert found["suggestions"] == ["“高铁票”还没有付款（2026-12-11），现在支付吗？"]
    ids = {one["id"] for one in traveller.list(kind="fact")}
    assert {line["of"] for line in found["related"] if "link" in line} <= ids


def test_the_question_decides_the_language(traveller: Desk) -> None:
    assert traveller.recall("高铁票 payment, what about my train ticket?", limit=2)["suggestions"] == [
        '"高铁票" is not paid yet (2026-12-11). Pay now?'
    ]


def test_what_is_paid_or_over_or_in_the_past_suggests_nothing(traveller: Desk) -> None:
    assert traveller.recall("高铁票", include="history")["suggestions"] == []
    assert traveller.recall("高铁票", as_of="2026-11-30")["suggestions"] == []
    traveller.clock.advance(timedelta(days=14))
    assert traveller.recall("高铁票")["suggestions"] == []


def test_after_payment_nothing_is_suggested(traveller: Desk) -> None:
    unpaid = next(one for one in traveller.list(kind="fact") if one["predicate"] == "payment_status")
    traveller.correct(memory_id=unpaid["id"], verdict="wrong")
    traveller.say("高铁票已付款。", session="c")
    found = traveller.recall("高铁票")
    assert found["suggestions"] == []


def test_another_thing_brings_no_suggestion(traveller: Desk) -> None:
    traveller.say("I like green tea.", session="c")
    assert traveller.recall("green tea", limit=1)["suggestions"] == []


def test_what_must_not_be_mentioned_is_not_linked(traveller: Desk) -> None:
    unpaid = next(one for one in traveller.list(kind="fact") if one["predicate"] == "payment_status")
    traveller.correct(memory_id=unpaid["id"], verdict="do_not_mention")
    found = traveller.recall("我订的高铁票", limit=1)
    assert ("payment_status", "payment") not in predicates(traveller, found["related"])
    assert found["suggestions"] == []


def test_a_memory_in_full_names_its_links(traveller: Desk) -> None:
    order = next(one for one in traveller.list(kind="fact") if one["predicate"] == "booked")
    shown = traveller.service.memory(traveller.me, order["id"])
    assert {link["link"] for link in shown["links"]} == {"payment", "journey"}
    found = traveller.recall("我订的高铁票", detail="full", limit=3)
    linked = next(one for one in found["memories"] if one["id"] == order["id"])
    assert {link["link"] for link in linked["links"]} == {"payment", "journey"}


def test_the_last_three_sessions_are_summed_up(traveller: Desk) -> None:
    for day, name in enumerate(("c", "d", "e")):
        traveller.clock.advance(timedelta(days=day + 1))
        traveller.say("How do I get a refund for my ticket?", session=name)
    found = traveller.profile()
    assert [one["session"] for one in found["recent_sessions"]] == ["e", "d", "c"]
    first = found["recent_sessions"][-1]
    assert "refund" in first["events"][0]["summary"]
    assert first["summary"].startswith("2026-12-01")
    assert not any(one["summary"] in found["prompt"] for one in found["recent_sessions"])  # no lines to hand back
    assert found == traveller.profile()  # the same from the same


def test_a_summary_says_nothing_that_must_not_be_mentioned(desk_with: Callable[..., Desk]) -> None:
    desk = desk_with(renderer=JinjaRenderer())
    desk.say("I like green tea. My divorce lawyer is Mr Stone. How do I get a divorce?", session="a")
    told = next(one for one in desk.list(kind="fact") if one["predicate"] == "likes")
    assert "green tea" in str(desk.profile()["recent_sessions"])
    desk.correct(memory_id=told["id"], verdict="do_not_mention")
    shown = str(desk.profile()["recent_sessions"])
    assert "green tea" not in shown
    assert "divorce" not in shown


def test_a_small_profile_drops_sessions_at_last(traveller: Desk) -> None:
    found = traveller.profile(max_chars=300)
    assert found["recent_sessions"] == []
    assert found["truncated"] is True


def test_what_is_forgotten_is_in_no_summary(traveller: Desk) -> None:
    assert "高铁票" in str(traveller.profile())
    traveller.forget(*[one["id"] for one in traveller.list(kind="any")])
    assert "高铁票" not in str(traveller.profile())
