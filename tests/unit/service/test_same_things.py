"""Which persons and things of two calls are the same, and whose word wins."""

from __future__ import annotations

import pytest

from tests.unit.service.conftest import Desk


def outcomes(answer: dict) -> list[str]:  # type: ignore[type-arg]
    return [one["outcome"] for one in answer["results"]]


def test_two_facts_of_one_clause_are_both_kept(desk: Desk) -> None:
    answer = desk.say("I'm a nurse in Bergen and I like chess.")
    assert len(answer["results"]) >= 2
    assert "duplicate_in_call" not in outcomes(answer)


def test_one_person_under_two_spellings_is_one(desk: Desk) -> None:
    desk.say("My friend Zoë lives in Lyon.", session="a")
    assert outcomes(desk.say("My friend Zoe lives in Lyon.", session="b")) == ["restated"]
    desk.say("我同事王伟住在苏州。", session="a")
    assert outcomes(desk.say("我同事王偉住在苏州。", session="b")) == ["restated"]
    assert {one["subject"] for one in desk.list(kind="fact")} == {"user.friend:Zoë", "user.colleague:王伟"}


def test_two_people_of_one_name_are_two(desk: Desk) -> None:
    desk.say("My colleague Ana lives in Split.")
    assert outcomes(desk.say("My friend Ana lives in Zadar.")) == ["stored"]


def test_what_is_pointed_at_is_another_thing_in_another_session(desk: Desk) -> None:
    first, second = "That hall seats 200 people.", "That hall seats 300 people."
    desk.remember(first, said=first, session="a")
    assert outcomes(desk.remember(second, said=second, session="b")) == ["stored"]
    third = "That hall seats 400 people."
    assert outcomes(desk.remember(third, said=third, session="a")) == ["disputed"]


def test_a_pronoun_is_the_animal_just_spoken_of(desk: Desk) -> None:
    desk.say("I have a cat called Miso.", session="a", occurred_at="2026-11-30T10:00:00Z")
    answer = desk.say("It is three years old.", session="a", occurred_at="2026-11-30T10:01:00Z")
    assert [one["memory"]["subject"] for one in answer["results"]] == ["user.pet:Miso"]
    assert desk.say("It is five years old.", session="b", occurred_at="2026-11-30T10:02:00Z")["results"] == []
    assert desk.say("It is six years old.", session="a", occurred_at="2026-11-30T12:02:00Z")["results"] == []


def test_the_users_own_words_win_over_what_was_stated_for_them(desk: Desk) -> None:
    desk.remember("The user lives in Porto.")
    answer = desk.say("I live in Braga.")
    assert outcomes(answer) == ["superseded"]
    assert "question" not in answer["results"][0]
    assert [one["object"]["value"] for one in desk.list(kind="fact", status="current")] == ["Braga"]


def test_what_no_rule_reads_is_compared_by_its_words(desk: Desk) -> None:
    def tell(words: str, session: str) -> list[str]:
        return outcomes(desk.remember(words, said=words, session=session))

    assert tell("The barn is heated with wood.", "a") == ["stored"]
    assert tell("The barn is heated with wood, by an old stove.", "b") == ["refined"]
    assert tell("The barn is heated with oil.", "c") == ["disputed"]
    assert tell("水管在漏水。", "a") == ["stored"]
    assert tell("水管不漏水了。", "b") == ["superseded"]


def test_a_repetition_with_more_detail_keeps_the_detail(desk: Desk) -> None:
    first, second = "My neighbour has a dog.", "My neighbour has a dog called Pickles."
    desk.remember(first, said=first, session="a")
    assert outcomes(desk.remember(second, said=second, session="b")) == ["refined"]
    assert [one["statement"] for one in desk.list(kind="fact", status="current")] == [second]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The Falcon team reviews its figures on Monday morning.",
            "The Heron team reviews its figures on Friday.",
        ),
        ("猎鹰小组周一上午复盘指标。", "苍鹭小组周五下午复盘指标。"),
        ("苍鹭项目去年春天搬到了里昂，现在远程办公。", "猎鹰项目去年春天搬到了大阪，现在远程办公。"),
        ("Heron-7 的数据保存在 PostgreSQL 里。", "Heron-7 部署在法兰克福机房。"),
    ],
)
def test_statements_of_two_things_are_two_memories_however_alike(desk: Desk, one: str, other: str) -> None:
    for statement in (one, other):
        assert outcomes(desk.remember(statement))[0] == "stored"


def test_a_statement_of_the_same_thing_with_another_value_is_asked_about(desk: Desk) -> None:
    desk.remember("The code of the garage door at the lake is 4711.")
    answer = desk.remember("The code of the garage door at the lake is 5522.")["results"][0]
    assert answer["outcome"] == "disputed"
