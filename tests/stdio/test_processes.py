"""Several processes on one store: nothing lost, nothing mixed, nothing open to others."""

from __future__ import annotations

import json
import random
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2

from mcp_memory_server.bootstrap import build
from mcp_memory_server.embedding.bundled import bundled
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.service import ListRequest
from mcp_memory_server.storage.verify import verify
from tests.harness import settings_for
from tests.stdio.pipe import Pipe, command, pipe

KILLS = 50
_IN_FLIGHT = 6  # requests that wait for their answer when a process is killed


def statements(data: Path, user: str = "ann") -> dict[str, str]:
    """Id to words of every fact in the store."""
    app = build(settings_for(data, user))
    found: dict[str, str] = {}
    cursor = None
    while True:
        request = ListRequest(kind="fact", status="any", limit=100, max_chars=200_000, cursor=cursor)
        page = app.service.list_memories(Principal(user), request)
        found |= {one["id"]: one["statement"] for one in page["memories"]}
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    app.close()
    return found


class Writer:
    """One place at which server processes come and go, with all that they acknowledged."""

    def __init__(self, data: Path, name: str, seed: int) -> None:
        self.data, self.name = data, name
        self.random = random.Random(seed)
        self.acknowledged: dict[str, str] = {}
        self.sent = 0
        self.kills = 0
        self.errors: list[str] = []

    def live(self, kills: int) -> None:
        """Start, write, be killed in the middle; again and again."""
        try:
            for _ in range(kills):
                self._once(self.random.randint(1, 12))
                self.kills += 1
            self._once(5, kill=False)
        except Exception as error:
            self.errors.append(repr(error))

    def _once(self, answers: int, *, kill: bool = True) -> None:
        with pipe(self.data) as server:
            server.shake_hands()
            waiting: dict[int, str] = {}
            for _ in range(answers + (_IN_FLIGHT if kill else 0)):
                self.sent += 1
                words = f"Writer {self.name} notes that parcel {self.sent} went to shelf {self.sent * 7}."
                waiting[server.post("remember", statements=[words])] = words
            for _ in range(answers):
                self._take(server, waiting)
            if kill:
                server.kill()  # with requests at work
            else:
                server.end()

    def _take(self, server: Pipe, waiting: dict[int, str]) -> None:
        message = server.answer()
        result = message["result"]
        assert not result.get("isError"), result
        memory = result["structuredContent"]["results"][0]["memory"]
        self.acknowledged[memory["id"]] = waiting[message["id"]]


@pytest.mark.slow
def test_fifty_kills_lose_nothing_that_was_acknowledged(data: Path) -> None:
    writers = [Writer(data, "one", 11), Writer(data, "two", 22)]
    threads = [threading.Thread(target=writer.live, args=(KILLS // 2,)) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.errors for writer in writers] == [[], []]
    assert sum(writer.kills for writer in writers) == KILLS
    stored = statements(data)
    for writer in writers:
        assert writer.acknowledged
        assert {one: stored.get(one) for one in writer.acknowledged} == writer.acknowledged
    assert len(set(stored.values())) == len(stored)  # and nothing twice
    app = build(settings_for(data))
    assert app.backend.store.check() == []
    embedder = bundled()
    embedder.load()
    app.projector.adopt_model()
    app.projector.drain()
    assert [row for row in verify(app.backend, embedder) if not row.clean] == []
    assert [row.waiting for row in verify(app.backend, embedder)] == [0, 0, 0]
    app.close()
    done = command(data, "verify", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["ok"] is True


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_start_at_once_on_a_new_store_all_work(data: Path, attempt: int) -> None:
    servers = [Pipe(data) for _ in range(4)]
    try:
        for server in servers:
            server.shake_hands()
        numbers = [
            server.post("remember", statements=[f"Process {number} keeps parcel {attempt}{number}."])
            for number, server in enumerate(servers)
        ]
        for server, number in zip(servers, numbers, strict=True):
            result = server.answer(number)["result"]
            assert not result.get("isError"), result
            assert result["structuredContent"]["results"][0]["outcome"] == "stored"
        for server in servers:
            assert server.end() == 0
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.kill()
    assert len(statements(data)) == 4
    assert [path.name for path in data.iterdir() if "before" in path.name] == []


def raw(data: Path, *sql: str) -> list[tuple[Any, ...]]:
    """Run SQL on the store, behind everybody's back."""
    connection = dbapi2.connect(str(data / "memory.db"), isolation_level=None)
    try:
        rows: list[tuple[Any, ...]] = []
        for statement in sql:
            rows = connection.execute(statement).fetchall()
        return rows
    finally:
        connection.close()


def test_an_older_program_beside_a_newer_store_says_so_and_writes_nothing(data: Path) -> None:
    with pipe(data) as running:
        running.shake_hands()
        assert not running.call("remember", statements=["The van is red."]).get("isError")
        before = raw(data, "UPDATE alembic_version SET version_num = '9999'", "SELECT COUNT(*) FROM memory")
        with pipe(data) as starting:
            starting.shake_hands()
            for server in (running, starting):
                for tool, given in (
                    ("remember", {"statements": ["The choir meets on Monday."]}),
                    ("recall", {"query": "van"}),
                    ("list_memories", {}),
                    ("forget", {"category": "other"}),
                    ("get_profile", {}),
                ):
                    result = server.call(tool, **given)
                    assert result["isError"]
                    assert result["content"][0]["text"].startswith("store_newer: "), tool
            assert starting.end() == 0
        assert running.end() == 0
    assert raw(data, "SELECT COUNT(*) FROM memory") == before
    assert raw(data, "SELECT version_num FROM alembic_version") == [("9999",)]
    for arguments in (["list"], ["remember", "Hello."], ["verify"], ["backup", str(data.parent / "copy.db")]):
        done = command(data, *arguments)
        assert done.returncode == 1
        assert b"store_newer: " in done.stderr
    raw(data, "UPDATE alembic_version SET version_num = '0001'")
    assert len(statements(data)) == 1


def test_files_are_their_owners_alone(data: Path) -> None:
    with pipe(data) as server:
        server.shake_hands()
        server.call("remember", statements=["The van is red."])
        copy = data.parent / "copy.db"
        assert command(data, "backup", str(copy)).returncode == 0
        assert command(data, "maintain").returncode == 0
        server.call("remember", statements=["The choir meets on Monday."])
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [data, copy, *data.rglob("*")]}
        assert {"memory.db", "memory.db-wal", "memory.db.lock"} <= {path.name for path in modes}
        for path, mode in modes.items():
            assert mode == (0o700 if path.is_dir() else 0o600), path.name
        server.end()


def test_a_second_process_sees_what_the_first_wrote_at_once(data: Path) -> None:
    with pipe(data) as first, pipe(data) as second:
        first.shake_hands()
        second.shake_hands()
        for number in range(10):
            words = f"Parcel {number} stands on shelf {number * 7}."
            writer, reader = (first, second) if number % 2 else (second, first)
            writer.call("remember", statements=[words])
            shown = reader.call("recall", query=words, limit=1)["structuredContent"]["memories"]
            assert [one["statement"] for one in shown] == [words]
        first.end()
        second.end()
