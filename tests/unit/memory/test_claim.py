"""The same object with another predicate is another claim."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.model import Said
from mcp_memory_server.policy import load_policy

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def grounded(said: str, statement: str) -> bool:
    return ground(statement, Said(said, NOON, "UTC"), load_policy().vocabulary).grounded


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("I like boats.", "The user owns a boat."),
        ("I visited Porto.", "The user lives in Porto."),
        ("I want a dog.", "The user has a dog."),
        ("I saw a Tesla.", "The user owns a Tesla."),
        ("I use Python daily.", "The user likes Python."),
        ("我去过北京。", "用户住在北京。"),
        ("我喜欢猫。", "用户养了猫。"),
    ],
)
def test_another_claim_about_the_same_thing_is_not_grounded(said: str, statement: str) -> None:
    assert not grounded(said, statement)


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("I bought a kayak.", "The user owns a kayak."),
        ("I have a dog.", "The user owns a dog."),
        ("I hate tea.", "The user dislikes tea."),
        ("My sister loves tea.", "The user's sister loves tea."),
        ("I live in Porto and work at Acme.", "The user lives in Porto."),
        ("我住在北京。", "用户住在北京。"),
        ("我对花生过敏。", "用户对花生过敏。"),
    ],
)
def test_the_same_claim_in_other_words_is_grounded(said: str, statement: str) -> None:
    assert grounded(said, statement)
