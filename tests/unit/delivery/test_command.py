"""Running a command: no shell, a short environment, a time-out, and an end with all that it started."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mcp_memory_server.delivery.command import Command, check_command
from mcp_memory_server.delivery.message import Message
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import DELIVERY_BYTES

Program = Callable[[str], list[str]]


def test_a_command_reads_the_message_and_answers(program: Program, message: Message) -> None:
    command = program("import sys; sys.stdout.write('{\"result\": ' + repr(len(sys.stdin.read())) + '}')")
    assert Command(command).send(message) == b'{"result": 12}'


def test_no_shell_reads_the_arguments(program: Program, message: Message, tmp_path: Path) -> None:
    command = [*program("import sys; print(sys.argv[1])"), f"$HOME; touch {tmp_path}/made"]
    assert Command(command).send(message).decode().strip() == f"$HOME; touch {tmp_path}/made"
    assert not (tmp_path / "made").exists()


def test_the_environment_holds_nothing_of_ours(
    program: Program, message: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_EMBEDDER__API_KEY", "secret")
    seen = json.loads(Command(program("import json, os; print(json.dumps(dict(os.environ)))")).send(message))
    assert seen["IDEMPOTENCY_KEY"] == "f_1"
    assert seen["TRIGGER"] == "thrice"
    assert not [name for name in seen if name.startswith("MEMORY_")]


def test_a_command_that_fails_is_tried_again_later(program: Program, message: Message) -> None:
    with pytest.raises(UnavailableError, match="3"):
        Command(program("raise SystemExit(3)")).send(message)


def test_a_program_that_is_not_there_is_unavailable(message: Message, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError):
        Command([str(tmp_path / "no-such-program")]).send(message)


def test_a_program_may_leave_the_message_unread(program: Program) -> None:
    Command(program("import os; os.close(0)")).send(Message("f_1", "thrice", b"x" * 500_000))


_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


def alive(path: Path) -> bool:
    pid = int(path.read_text(encoding="utf-8"))
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def wait_for(check: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not check():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_after_the_time_out_it_ends_with_all_that_it_started(
    program: Program, message: Message, tmp_path: Path
) -> None:
    with pytest.raises(UnavailableError):
        Command([*program(_CHILD), str(tmp_path / "pid")], seconds=2.0).send(message)
    wait_for(lambda: not alive(tmp_path / "pid"))


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_stopping_ends_a_command_that_runs(program: Program, message: Message, tmp_path: Path) -> None:
    command, failed = Command([*program(_CHILD), str(tmp_path / "pid")]), []

    def run() -> None:
        try:
            command.send(message)
        except UnavailableError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text(encoding="utf-8")))
    command.stop()
    thread.join(20)
    assert len(failed) == 1
    wait_for(lambda: not alive(tmp_path / "pid"))


def test_endless_output_is_given_up_and_too_much_is_no_answer(program: Program, message: Message) -> None:
    endless = "import sys\nwhile True:\n    sys.stdout.write('x' * 1000)"
    with pytest.raises(UnavailableError):
        Command(program(endless), seconds=1.0).send(message)
    assert Command(program(f"print('x' * {DELIVERY_BYTES * 2})")).send(message) == b""


@pytest.mark.parametrize("command", [["program"], ["./program"], [sys.executable, "a\0b"]])
def test_what_hangs_on_where_we_were_started_is_refused(command: list[str]) -> None:
    with pytest.raises(ValueError, match="command"):
        check_command(command)
