"""Grounding: weaker is allowed, stronger is not."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.model import Speaker
from tests.unit.memory.understanding import said, vocabulary

SUPPORTED = [
    ("I've been at Quillmark Press since March.", "The user has worked at Quillmark Press since March."),
    ("My sister Kaja teaches Norwegian in Bergen.", "The user's sister Kaja teaches Norwegian in Bergen."),
    ("I don't eat pork or beef.", "The user eats neither pork nor beef."),
    ("The plumber comes tomorrow at ten.", "The plumber comes on 5 June 2025 at 10:00."),
    ("We can pay up to 2.4k for the boiler.", "The maximum budget for the boiler is 2,400."),
    ("I'm 180 cm tall.", "The user is 1.8 m tall."),
    ("My weight's around 70 kilos.", "The user weighs about 70 kg."),
    ("If the visa comes through, I'll move to Toronto.", "The user will move to Toronto if the visa comes through."),
    ("My doctor wants me to eat less salt.", "The user's doctor wants the user to eat less salt."),
    ("I quit smoking in 2020.", "The user stopped smoking in 2020."),
    ("I live in Porto and work in Braga.", "The user lives in Porto."),
    ("我在盐城做会计。", "用户在盐城做会计。"),
    ("我姐在昆明开民宿。", "用户的姐姐在昆明经营民宿。"),
    ("预算一万二，含机票。", "用户的预算是12000元，包含机票。"),
    ("半年没喝酒了。", "用户已经有六个月没有喝酒。"),
    ("不加班的话，我六点能到。", "如果不加班，用户六点能到。"),
    ("我对花生过敏。", "The user is allergic to peanuts."),
    ("I'm allergic to peanuts.", "用户对花生过敏。"),
    ("I live in Riga.", "I live in Riga."),
]


@pytest.mark.parametrize(("words", "statement"), SUPPORTED)
def test_what_follows_from_the_words_is_grounded(words: str, statement: str) -> None:
    found = ground(statement, said(words), vocabulary())
    assert found.grounded, found.reason
    assert found.span is not None
    assert 0 <= found.span.start < found.span.end <= len(words)


UNSUPPORTED = [
    ("The rent is 1,140.", "The user's rent is 1,410."), ("The can holds 3 litres and costs CHF 40.", "The can holds 3 gallons."),
    ("The can holds 3 litres and costs CHF 40.", "The can costs SEK 40."), ("The workshop is next Tuesday.", "The workshop takes place on 11 June 2025."),
    ("I live near Bordeaux.", "The user lives in Bordeaux."), ("I like Thai food.", "Thai food is the user's favourite."),
    ("I'm not allergic to anything.", "The user is allergic to nuts."), ("I'm allergic to nuts.", "The user is not allergic to nuts."),
    ("We're meeting Lotte on Wednesday and Sofie on Friday.", "The user is meeting Lotte on Friday."),
    ("If I had a garden, I'd grow tomatoes.", "The user grows tomatoes."), ("My flatmate says I snore.", "The user snores."),
    ("I used to work at Corvane.", "The user works at Corvane."), ("I might switch jobs.", "The user has switched jobs."),
    ("I bought the grey sofa.", "The user bought the green sofa."), ("My uncle raises bees.", "The user raises bees."),
    ("My uncle raises bees.", "The user's brother raises bees."), ("I had two espressos this morning.", "The user drinks two espressos every morning."),
    ("Thanks, that's perfect.", "The user likes the hotel in Prague."), ("About 70 people came.", "Exactly 70 people came."), ("Should I buy a car?", "The user buys a car."),
    ("我妈血压高，我爸心脏不好。", "用户的母亲心脏不好。"), ("我在青岛待过几年。", "用户住在青岛。"), ("报名费是380。", "报名费是830元。"), ("后天去接我姑。", "用户2025年6月5日去接姑姑。"),
    ("我有两个姐姐。", "用户有两个姐姐和一个弟弟。"), ("我吃不了太辣。", "用户完全不吃辣。"), ("你觉得我该不该买车？", "用户打算买车。"), ("要是能重来，我想学医。", "用户学的是医学。"),
    ("我对花生过敏。", "The user is allergic to milk."), ("我住在苏州。", "The user lives in Hangzhou."), ("I live in Riga.", ""), ("", "The user lives in Riga."),
]  # fmt: skip


@pytest.mark.parametrize(("words", "statement"), UNSUPPORTED)
def test_what_adds_or_changes_a_detail_is_held_back_with_a_reason(words: str, statement: str) -> None:
    found = ground(statement, said(words), vocabulary())
    assert not found.grounded
    assert found.reason


def test_the_assistants_words_ground_nothing_about_the_user() -> None:
    assert not ground(
        "The user lives in Oslo.",
        said("You live in Oslo, the user lives in Oslo.", speaker=Speaker.ASSISTANT),
        vocabulary(),
    ).grounded


@settings(max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_are_judged(statement: str, words: str) -> None:
    found = ground(statement, said(words), vocabulary())
    if found.span is not None:
        assert 0 <= found.span.start <= found.span.end <= len(words)
