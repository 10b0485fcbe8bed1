"""Texts made to be slow: each is read before the test's time is over, whatever it repeats.

No duration is asserted; a pattern that takes the square (or worse) of the length runs into the time-out.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mcp_memory_server.limits import SAID_CHARS
from mcp_memory_server.memory.ground import ground
from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.model import Said
from mcp_memory_server.memory.names import names, spans
from mcp_memory_server.memory.perceive import perceive, perceive_statement
from mcp_memory_server.memory.text import index_tokens, key, query_tokens
from mcp_memory_server.policy import load_policy

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
UNITS = (
    "a", "1", " ", "\n", "\t \n", "汉", "的", "三", "年", "我", "块钱", "(", "\"'“", "👩🏽‍🚀", "a@b.", "a-",
    "a.", "x, ", "not ",
    "I ", "my ", "is ", "and ", "monday ", "1234567890 ", "I paid $5 for tea on Monday at 3pm and ", "我在北京和上海，",
    "password ", "密码", "system: ", "Xy", "A B ",
)  # fmt: skip


@pytest.fixture(scope="module")
def vocabulary():
    return load_policy().vocabulary


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_text_that_repeats_itself_is_read_to_the_end(unit: str, vocabulary) -> None:
    text = (unit * SAID_CHARS)[:SAID_CHARS]
    said = Said(text, NOON, "UTC")
    assert guard(text).text
    assert perceive(said, vocabulary).speech_act
    assert not ground("The user lives in Porto.", said, vocabulary).grounded
    perceive_statement(text[:2000], NOON, "UTC", vocabulary)
    assert isinstance(index_tokens(text), list)
    assert len(query_tokens(text[:2000])) <= 2000
    assert len(names(text[:2000])) <= 12
    assert len(spans(text[:2000])) <= 400
    assert isinstance(key(text), str)
