"""Sealing: every column has its place in decision 0020, and what is sealed opens only where it belongs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.at_rest import BOUND_TO, MATCHED, PLAIN, SEALED
from mcp_memory_server.storage.sql.sealing import Cipher, Sealed

KEY, OTHER = bytes(range(32)), bytes(32)


def sealed(key: bytes | None = KEY, *, write: bool = True) -> Sealed:
    return Sealed(lambda make: key, write=write)


@pytest.mark.parametrize("name", sorted(t.metadata.tables))
def test_every_column_is_sealed_matched_or_plain_and_nothing_twice(name: str) -> None:
    lists = [kind.get(name, frozenset()) for kind in (SEALED, MATCHED, PLAIN)]
    named = [column for one in lists for column in one]
    assert sorted(named) == sorted(column.name for column in t.metadata.tables[name].columns), name


def test_what_is_sealed_is_text_bound_to_a_column_of_its_row() -> None:
    for name, columns in [*SEALED.items(), *MATCHED.items()]:
        for column in columns:
            assert t.metadata.tables[name].columns[column].type.python_type is str, (name, column)
    for name in SEALED:
        assert BOUND_TO[name] in t.metadata.tables[name].columns


@given(st.text(alphabet=st.characters(), max_size=60), st.text(min_size=1, max_size=20))
def test_a_row_reads_back_as_it_was(text: str, name: str) -> None:
    row = {"id": name, "statement": text, "session": text, "reason": None, "count": 3}
    written = sealed().stored("memory", row)
    assert sealed().read("memory", written) == row
    assert (written["id"], written["reason"], written["count"]) == (name, None, 3)


def test_sealed_values_never_look_alike_and_matched_ones_always_do() -> None:
    row = {"id": "m_1", "statement": "I live in Porto.", "session": "s"}
    one, two = sealed().stored("memory", row), sealed().stored("memory", row)
    assert one["statement"] != two["statement"]
    assert one["session"] == two["session"] == sealed().compared("memory", "session", "s")
    assert one["session"] != Sealed(lambda _: OTHER, write=True).compared("memory", "session", "s")
    assert sealed().compared("memory", "channel", "s") != one["session"]
    assert sealed().compared("memory", "kind", "fact") == "fact"


def test_a_value_moved_to_another_row_does_not_open() -> None:
    one = sealed().stored("memory", {"id": "m_1", "statement": "I live in Porto."})
    with pytest.raises(UnavailableError, match="does not open"):
        sealed().read("memory", one | {"id": "m_2"})


@pytest.mark.parametrize("broken", ["", "1", "1AAAA", "1!!!", "I live in Porto.", "2" + "A" * 80, "1" + "A" * 80])
def test_what_is_not_ours_does_not_open(broken: str) -> None:
    with pytest.raises(UnavailableError, match="does not open"):
        Cipher(KEY).open(broken, b"place")
    with pytest.raises(UnavailableError, match="does not open"):
        Cipher(KEY).unmatch(broken, b"place")


def test_another_key_opens_nothing_and_no_key_finds_nothing() -> None:
    written = sealed().stored("memory", {"id": "m_1", "statement": "words", "session": "s"})
    with pytest.raises(UnavailableError, match="does not open"):
        sealed(OTHER).read("memory", written)
    without = sealed(None, write=False)
    assert without.compared("memory", "session", "s") not in (written["session"], "s")


def test_a_mention_names_its_entity_as_the_entity_is_named() -> None:
    entity = sealed().stored("entity", {"user": "ann", "key": "emil", "name": "Emil"})
    mention = sealed().stored("mention", {"user": "ann", "memory_id": "m_1", "entity_key": "emil", "role": "object"})
    assert mention["entity_key"] == entity["key"]
    assert sealed().read("entity", entity) == {"user": "ann", "key": "emil", "name": "Emil"}
