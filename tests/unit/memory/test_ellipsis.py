"""Utterances that lean on what was said before."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from mcp_memory_server.memory.ellipsis import complete
from mcp_memory_server.memory.perceive import perceive
from tests.unit.memory.understanding import line, memories, said, vocabulary


def made(first: str, second: str) -> list[str]:
    words = said(second)
    return [line(fact) for fact in complete(perceive(words, vocabulary()), words, memories(first), vocabulary())]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Our revenue last year was $1.2M.", "Sorry, I mean $1.4M.", ["user.company revenue 1400000 USD"]),
        ("My rent is £900 a month.", "No, it's 950, not 900.", ["user regular_cost 950 GBP/month (rent)"]),
        ("I weigh 75 kg.", "I meant 72, not 75.", ["user weight 72 kg"]),
        ("My birthday is 3 June.", "Correction: it's 4 June, not 3 June.", ["user birthday --06-04"]),
        ("I live in Porto.", "No, I meant Braga, not Porto.", ["user lives_in Braga"]),
        ("我住在苏州。", "说错了，不是苏州，是无锡。", ["user lives_in 无锡"]),
        ("我们公司去年营收2.3亿。", "说错了，去年营收其实是2.8亿。", ["user.company revenue 280000000 CNY"]),
        ("My exam is on Monday.", "No, it's on Tuesday, not Monday.", ["user has_event exam"]),
        ("I live in Porto.", "No, it's 12, not 13.", []),
        ("I use Slack.", "I switched from Slack to something with less noise.", ["user uses_tool something with less noise"]),
        ("I like tea.", "No, not that.", []),
    ],
)  # fmt: skip
def test_what_is_missing_comes_from_the_memory_that_is_corrected(first: str, second: str, expected: list[str]) -> None:
    assert made(first, second) == expected
