"""A statement is about the user only when it says so, or leaves its subject out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mcp_memory_server.memory.perceive import perceive_statement
from mcp_memory_server.policy import load_policy

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("statement", "subject"),
    [
        ("用户对花生过敏。", "user"),
        ("我对花生过敏。", "user"),
        ("对花生过敏。", "user"),
        ("我妈对花生过敏。", "user.mother"),
        ("林舟对花生过敏。", "林舟"),
        ("The user is allergic to peanuts.", "user"),
        ("Nora is allergic to peanuts.", "Nora"),
    ],
)
def test_the_subject_is_who_the_statement_names(statement: str, subject: str) -> None:
    found = perceive_statement(statement, NOON, "UTC", load_policy().vocabulary)
    assert found is not None
    assert (found.subject, found.predicate) == (subject, "allergic_to")


@pytest.mark.parametrize("statement", ["远岫工作室对花生过敏。", "三号小组住在北京。", "隔壁那只猫喜欢吃鱼。"])
def test_what_no_rule_knows_is_not_the_user(statement: str) -> None:
    found = perceive_statement(statement, NOON, "UTC", load_policy().vocabulary)
    assert found is None or found.subject != "user"
