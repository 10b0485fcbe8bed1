"""Usefulness stays within its bounds, and more of the same never turns it round."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.memory.feedback import HIGHEST, LOWEST, FeedbackWeights, usefulness
from mcp_memory_server.memory.signals import Tally

WEIGHTS = FeedbackWeights()
COUNTS = st.integers(0, 10_000)
TALLIES = st.builds(Tally, COUNTS, COUNTS, COUNTS)


def test_nothing_said_is_neutral() -> None:
    assert usefulness(None, WEIGHTS) == usefulness(Tally(), WEIGHTS) == 1.0


@given(TALLIES)
def test_it_stays_within_its_bounds(tally: Tally) -> None:
    assert LOWEST <= usefulness(tally, WEIGHTS) <= HIGHEST


@given(TALLIES)
def test_one_more_moves_it_the_right_way(tally: Tally) -> None:
    now = usefulness(tally, WEIGHTS)
    assert usefulness(tally._replace(used=tally.used + 1), WEIGHTS) >= now
    assert usefulness(tally._replace(not_needed=tally.not_needed + 1), WEIGHTS) <= now
    assert usefulness(tally._replace(wrong=tally.wrong + 1), WEIGHTS) <= now


def test_untrue_weighs_more_than_beside_the_point() -> None:
    assert usefulness(Tally(wrong=1), WEIGHTS) < usefulness(Tally(not_needed=1), WEIGHTS) < 1.0


@pytest.mark.parametrize(
    "table",
    [{"useful": 1}, {"used": "much"}, {"used": True}, {"used": -1}, {"wrong": 1}, {"not_needed": 1}, {"steadiness": 0}],
)
def test_a_wrong_table_is_refused_with_its_name(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="feedback"):
        FeedbackWeights.parse(table)


def test_a_table_replaces_what_it_names() -> None:
    assert FeedbackWeights.parse({"used": 3}) == FeedbackWeights(used=3.0)
