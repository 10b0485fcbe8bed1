"""What a rewrite of the file drops that deleting rows does not (bar 7), in process."""

from __future__ import annotations

from pathlib import Path

from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.records import MemoryFilter
from mcp_memory_server.memory.service import RememberRequest
from tests.harness import house
from tests.stdio.test_forgotten_bytes import COUNT, KEPT, leftovers, text


def test_pages_keep_no_word_of_a_hundred_forgotten_texts(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with house(data) as open_house:
        service, principal = open_house.app.service, open_house.principal()
        for number in range(COUNT):
            words = text(number)
            statements = (words[:400],) if number % 2 else ()
            service.remember(principal, RememberRequest(statements=statements, said=words, session="doomed"))
        for number in range(KEPT):
            service.remember(principal, RememberRequest(said=f"I water the basil number {number} on Sundays."))
        with open_house.app.backend.store.read(principal.tenancy) as unit:
            doomed = unit.ids(MemoryFilter(session="doomed"), 10_000)
        assert len(leftovers(data)["memory.db-wal"]) + len(leftovers(data).get("memory.db", [])) > COUNT
        answer = service.forget(principal, tuple(doomed))
        assert answer["state"] == "forgotten"
        assert leftovers(data) == {}
        with open_house.app.backend.store.read(principal.tenancy) as unit:
            assert len(unit.ids(MemoryFilter(kinds=(Kind.UTTERANCE,)), 1_000)) == KEPT
    assert leftovers(data) == {}
