"""What a statement joins must have been said together, and of the same person."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.ground import ground
from tests.unit.memory.understanding import said, vocabulary


def reason(words: str, statement: str) -> str:
    found = ground(statement, said(words), vocabulary())
    assert found.grounded == (found.reason in ("", "the words as said"))
    return found.reason


@pytest.mark.parametrize(
    ("words", "statement", "why"),
    [
        ("Ida plays the flute and Otto plays the cello.", "Otto plays the flute.", "not said of the same"), ("The lamp cost 40 and the chair cost 90.", "The chair cost 40.", "not said of the same"),
        ("台灯四十，椅子九十。", "椅子四十元。", "not said of the same"), ("我三月去了昆明，五月去了大理。", "用户三月去了大理。", "was not said"),
        ("My aunt's just been made head of the choir.", "The user has been made head of the choir.", "aunt, not of user"), ("Greta is allergic to wool.", "The user is allergic to wool.", "it was said of Greta"),
        ("小赵对羊毛过敏。", "用户对羊毛过敏。", "小赵"), ("I lived in Gent as a student.", "The user lives in Gent.", "of the past"), ("上高中的时候我住在保定。", "用户住在保定。", "of the past"),
        ("我真想住在山里。", "用户住在山里。", "plan"), ("我们店在昆山边上。", "用户的店在昆山。", "more than was said"), ("Our dog is nine.", "The user is nine years old.", "pet"),
        ("If it snows we'll close the shop.", "The shop will not be closed if it snows.", "the opposite"), ("不堵车的话，我七点能到。", "如果堵车，用户七点能到。", "the opposite"),
        ("I swim every Tuesday.", "The user swims every Thursday.", "was not said"), ("Roughly sixty people came.", "About 61 people came.", "was not said"),
    ],
)  # fmt: skip
def test_what_is_joined_or_moved_is_held_back(words: str, statement: str, why: str) -> None:
    found = reason(words, statement)
    assert why in found


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        ("Ida plays the flute and Otto plays the cello.", "Otto plays the cello."), ("The lamp cost 40 and the chair cost 90.", "The chair cost 90."), ("我三月去了昆明，五月去了大理。", "用户五月去了大理。"),
        ("I ran eight kilometres in forty minutes.", "The user ran 8 km in 40 minutes."), ("The walk took two and a half hours.", "The walk took 150 minutes."),
        ("I swim every Tuesday.", "The user swims on Tuesdays."), ("I've lived in Gent since 2019.", "The user lives in Gent since 2019."), ("Our dog is nine.", "The user's dog is nine years old."),
        ("我特别喜欢爬山。", "用户喜欢爬山。"), ("女儿学了四年舞蹈。", "用户的女儿学舞蹈四年了。"), ("No onions for me please, I'm allergic to them.", "The user is allergic to onions."),
    ],
)  # fmt: skip
def test_what_stands_together_is_grounded(words: str, statement: str) -> None:
    assert reason(words, statement) == ""
