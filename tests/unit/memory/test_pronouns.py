"""Whom it, she and 他 mean."""

from __future__ import annotations

import pytest

from mcp_memory_server.memory.pronouns import opens_with_one, resolve
from tests.unit.memory.understanding import line, memories, said, vocabulary


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("I have a cat called Miso.", "It is three years old.", ["user.pet:Miso age 3 year"]),
        ("我有一只猫叫豆包。", "它三岁了。", ["user.pet:豆包 age 3 year"]),
        ("My sister Kaja lives in Bergen.", "She is a nurse.", ["user.sister:Kaja job_title nurse"]),
        ("My friend Ana lives in Split.", "She's a lawyer.", ["user.friend:Ana job_title lawyer"]),
        ("我妹妹住在苏州。", "她是护士。", ["user.sister job_title 护士"]),
        ("My brother lives in Cork. My sister lives in Galway.", "He is a nurse.", ["user.brother job_title nurse"]),
        ("My brother lives in Cork.", "She is a nurse.", []),
        ("我同事王伟住在苏州。我同学李雷住在无锡。", "他是医生。", []),
        ("I live in Porto.", "It is lovely.", []),
        ("I have a cat called Miso.", "Miso is three.", []),
    ],
)
def test_a_pronoun_means_the_only_one_just_spoken_of(first: str, second: str, expected: list[str]) -> None:
    told = list(reversed(memories(first)))
    assert [line(fact) for fact in resolve(said(second), told, vocabulary())] == expected


def test_only_an_opening_pronoun_counts() -> None:
    assert opens_with_one("And she is a nurse.")
    assert opens_with_one("它三岁了。")
    assert not opens_with_one("他们搬走了。")
    assert not opens_with_one("The cat likes it.")
