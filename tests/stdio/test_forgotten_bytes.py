"""After forgetting no file holds the words any more (bar 7): store, log, copies, whenever the process died."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness import environment
from tests.stdio.pipe import Pipe, command, pipe

COUNT = 100
KEPT = 20
_ZH = "甲乙丙丁戊己庚辛壬癸"


def token(number: int) -> str:
    """A word that stands in one text only."""
    return f"quokka{number:03}zz"


def text(number: int) -> str:
    """One of the texts that will be forgotten."""
    if number % 3 == 0:
        characters = "".join(_ZH[int(digit)] for digit in f"{number:03}")
        return f"我把{token(number)}放在{characters}号柜子里。"
    if number % 3 == 1:
        return f"I keep the {token(number)} beside the lamp of Zebulon{number}."
    return f"{token(number)} " + f"is a long story about Ottoline{number} and the sea. " * 30


def traces(number: int) -> list[str]:
    """What must not be found of a text: its words, and what indexes make of them."""
    found = [text(number)[:60], token(number)]
    if number % 3 == 0:
        found.append("".join(_ZH[int(digit)] for digit in f"{number:03}") + "号柜子")
    elif number % 3 == 1:
        found += [f"Zebulon{number}.", f"zebulon{number} "]
    else:
        found += [f"Ottoline{number} ", f"ottoline{number} "]
    return found


def fill(server: Pipe) -> None:
    """The texts, as statements and as words said, and some that stay."""
    for number in range(COUNT):
        words = text(number)
        given: dict[str, Any] = {"said": words, "session": "doomed"}
        if number % 2:
            given["statements"] = [words[:400]]
        assert not server.call("remember", **given).get("isError")
    for number in range(KEPT):
        server.call("remember", said=f"I water the basil number {number} on Sundays.", session="kept")


def leftovers(*folders: Path) -> dict[str, list[str]]:
    """File name to texts that it still holds."""
    found: dict[str, list[str]] = {}
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        for number in range(COUNT):
            for words in traces(number):
                if any(words.encode(code) in content for code in ("utf-8", "utf-16-le", "utf-16-be")):
                    found.setdefault(path.name, []).append(words)
    return found


def forget_all(server: Pipe) -> str:
    """Ask for the session to be forgotten; the confirmation."""
    answer = server.call("forget", session="doomed")["structuredContent"]
    assert answer["state"] == "needs_confirmation"
    assert answer["matches"] >= COUNT
    return str(answer["confirm"])


def kept(data: Path) -> int:
    """How many of the texts that stay can be recalled."""
    done = command(data, "list", "--json", "--session", "kept", "--kind", "utterance", "--limit", "100")
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["total"])


@pytest.mark.slow
def test_no_byte_of_a_hundred_forgotten_texts_is_left_in_store_log_or_copy(data: Path) -> None:
    copies = data.parent / "copies"
    copies.mkdir()
    with pipe(data) as server:
        server.shake_hands()
        fill(server)
        assert command(data, "backup", str(copies / "early.db")).returncode == 0
        assert set(leftovers(data, copies)) >= {"memory.db", "early.db"}  # the search finds what is there
        done = server.call("forget", confirm=forget_all(server))["structuredContent"]
        assert done["state"] == "forgotten", done["receipt"]
        assert leftovers(data, copies) == {}  # with the server still running
        server.end()
    assert leftovers(data, copies) == {}
    assert kept(data) == KEPT
    assert command(data, "verify").returncode == 0


# Where a process can die while it forgets: what is patched kills the process before or after its work.
STAGES = {
    "before the rows go": ("mcp_memory_server.memory.service.erase", "_remove", "before"),
    "inside the transaction": ("mcp_memory_server.memory.service.erase", "_remove", "after"),
    "before the copies": ("mcp_memory_server.memory.service.erase", "_clear_copies", "before"),
    "after the copies": ("mcp_memory_server.memory.service.erase", "_clear_copies", "after"),
    "before the log is emptied": ("mcp_memory_server.storage.sqlite.store", "SqliteStore.scrub", "before"),
    "after the log is emptied": ("mcp_memory_server.storage.sqlite.store", "SqliteStore.scrub", "after"),
}
_DYING = """
import importlib, os, signal, sys
module_name, name, when = sys.argv[1:4]
owner = importlib.import_module(module_name)
*path, last = name.split(".")
for part in path:
    owner = getattr(owner, part)
real = getattr(owner, last)

def dying(*args, **kwargs):
    if when == "after":
        real(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(owner, last, dying)
sys.argv = ["mcp-memory-server"]
from mcp_memory_server.cli.main import main
main()
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data folder with all texts in it, and the confirmation that forgets them."""
    folder = tmp_path_factory.mktemp("full") / "data"
    with pipe(folder) as server:
        server.shake_hands()
        fill(server)
        confirm = forget_all(server)
        server.end()
    return folder, confirm


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_process_killed_while_it_forgets_leaves_nothing_that_maintain_does_not_clear(
    data: Path, full: tuple[Path, str], stage: str
) -> None:
    copies = data.parent / "copies"
    copies.mkdir()
    shutil.copytree(full[0], data)
    confirm = full[1]
    assert command(data, "backup", str(copies / "early.db")).returncode == 0
    assert set(leftovers(data, copies)) >= {"memory.db", "early.db"}
    process = subprocess.Popen(
        [sys.executable, "-c", _DYING, *STAGES[stage]],
        env=environment(data),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    meta = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": meta},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "forget", "arguments": {"confirm": confirm}},
        },
    ]
    assert process.stdin is not None
    process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    process.stdin.flush()
    assert process.wait(300) == -signal.SIGKILL
    process.communicate()
    done = command(data, "maintain", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pending"] == []
    assert leftovers(data, copies) == {}
    assert kept(data) == KEPT
    assert command(data, "verify").returncode == 0


def test_a_copy_that_cannot_be_reached_is_pending_until_it_can(data: Path) -> None:
    copy, away = data.parent / "copy.db", data.parent / "away.db"
    with pipe(data) as server:
        server.shake_hands()
        server.call("remember", statements=[text(1)])
        assert command(data, "backup", str(copy)).returncode == 0
        copy.rename(away)
        one = server.call("list_memories")["structuredContent"]["memories"][0]["id"]
        answer = server.call("forget", memory_id=one)["structuredContent"]
        assert answer["state"] == "pending"
        assert answer["receipt"]["pending"] == [f"backup: {copy}"]
        server.end()
    away.rename(copy)
    done = command(data, "maintain", "--json")
    assert json.loads(done.stdout)["pending"] == []
    assert leftovers(data.parent) == {}


def test_a_reader_in_another_process_makes_the_log_pending_and_maintain_empties_it(data: Path) -> None:
    from sqlcipher3 import dbapi2

    with pipe(data) as server:
        server.shake_hands()
        server.call("remember", statements=[text(1)])
        one = server.call("list_memories")["structuredContent"]["memories"][0]["id"]
        reader = dbapi2.connect(str(data / "memory.db"), isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memory").fetchall()
        answer = server.call("forget", memory_id=one)["structuredContent"]
        assert answer["state"] == "pending"
        assert answer["receipt"]["pending"][0].startswith("log")
        reader.execute("COMMIT")
        reader.close()
        done = command(data, "maintain", "--json")
        assert json.loads(done.stdout)["pending"] == []
        server.end()
    assert leftovers(data) == {}
