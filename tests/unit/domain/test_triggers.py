"""When a pattern over events is complete."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mcp_memory_server.memory.triggers import Occurrence, TriggerRule, completed
from tests.fakes import NOON

ANY = TriggerRule("thrice", frozenset({"question"}), count=3)


def said(name: str, days: float = 0, words: str = "How do I cancel?") -> Occurrence:
    return Occurrence(name, NOON + timedelta(days=days), words)


def test_the_third_time_completes_it_and_the_second_does_not() -> None:
    seen = [said("u_1"), said("u_2", 1), said("u_3", 2)]
    assert completed(ANY, seen[:2], seen[1]) is None
    assert completed(ANY, seen, seen[2]) == 3


def test_one_utterance_counts_once() -> None:
    assert completed(ANY, [said("u_1"), said("u_1"), said("u_2")], said("u_2")) is None


def test_only_what_lies_in_the_window_before_counts() -> None:
    rule = TriggerRule("thrice", frozenset({"question"}), count=3, days=7)
    near = [said("u_1", 1), said("u_2", 5), said("u_3", 7)]
    assert completed(rule, near, near[-1]) == 3
    far = [said("u_1", 0), said("u_2", 5), said("u_3", 7.5)]
    assert completed(rule, far, far[-1]) is None


def test_what_was_said_later_does_not_count() -> None:
    assert completed(ANY, [said("u_1"), said("u_2", 1), said("u_3", 9)], said("u_2", 1)) is None


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("refund", ("How do refunds work?", "When is my refund paid?", "Why was the refund refused?")),
        ("退票", ("怎么退票？", "高铁退票要钱吗？", "我昨天申请的退票到账了吗？")),
    ],
)
def test_a_topic_is_told_in_many_words(about: str, words: tuple[str, ...]) -> None:
    rule = TriggerRule("refunds", frozenset({"question"}), about, 3)
    seen = [said(f"u_{n}", n, text) for n, text in enumerate(words)]
    assert completed(rule, seen, seen[-1]) == 3
    other = said("u_9", 9, "Where is the station?")
    assert completed(rule, [*seen, other], other) is None
    assert completed(rule, [*seen[:2], other], seen[1]) is None


def test_a_rule_fires_once_for_a_topic_or_once_for_its_own() -> None:
    assert ANY.key_of("k1") != ANY.key_of("k2")
    about = TriggerRule("refunds", frozenset({"question"}), "refund")
    assert about.key_of("k1") == about.key_of("k2")
