"""Words that open against what was said before correct what comes right behind them, and nothing else."""

from __future__ import annotations

import pytest

from tests.unit.service.conftest import Desk


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("I live in Graz.", "No, I live in Lyon."),
        ("I live in Graz.", "Sorry, I live in Lyon."),
        ("I live in Graz.", "Actually I live in Lyon."),
        ("我住在成都。", "不对，我住在西安。"),
        ("我住在成都。", "其实我住在西安。"),
    ],
)
def test_an_objection_corrects(desk: Desk, known: str, said: str) -> None:
    desk.say(known, session="a")
    assert [one["outcome"] for one in desk.say(said, session="b")["results"]] == ["superseded"]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("I live in Graz.", "No problem, I live in Lyon."),
        ("I live in Graz.", "No thanks. I live in Lyon."),
        ("I live in Graz.", "Sorry, I was away. I live in Lyon."),
        ("我住在成都。", "抱歉打扰了，我住在西安。"),
    ],
)
def test_politeness_corrects_nothing_and_is_asked_about(desk: Desk, known: str, said: str) -> None:
    desk.say(known, session="a")
    (result,) = desk.say(said, session="b")["results"]
    assert result["outcome"] == "disputed"
    assert result["question"]
