"""Running a command of the configuration: no shell, the message on standard input, a time-out, a bounded answer."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from mcp_memory_server.delivery.message import Message
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import COMMAND_SECONDS, DELIVERY_BYTES

_PART_BYTES = 65_536  # read at a time
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")


def check_command(command: Sequence[str]) -> None:
    """Raises ValueError for a command that is not run: what it runs must not hang on where we were started."""
    if not Path(command[0]).is_absolute():
        raise ValueError("command: begins with the absolute path of a program")
    if any("\0" in part for part in command):
        raise ValueError("command: holds a NUL")


class Command:
    """The Destination port over a process. The environment is a short list: no setting or secret of ours is in it."""

    def __init__(self, command: Sequence[str], seconds: float = COMMAND_SECONDS) -> None:
        check_command(command)
        self._command = list(command)
        self._seconds = seconds
        self._running: subprocess.Popen[bytes] | None = None

    def send(self, message: Message) -> bytes:
        """Run the command; what it prints. Raises UnavailableError unless it ends with 0 in time."""
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= {"IDEMPOTENCY_KEY": message.id, "TRIGGER": message.trigger}
        try:
            process = subprocess.Popen(  # noqa: S603 - the owner's own configuration names it, and no shell reads it
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise UnavailableError(f"the command of {message.trigger} cannot be run ({error.strerror})") from error
        self._running = process
        timer = threading.Timer(self._seconds, _kill, (process,))
        timer.daemon = True
        timer.start()
        try:
            printed = _exchange(process, message.body)
            _ended(process)
        finally:
            timer.cancel()
            _kill(process)  # what it has left running goes too, before its number can be another's
            status = process.wait()
            self._running = None
        if status != 0:
            raise UnavailableError(f"the command of {message.trigger} ended with {status}")
        return printed if len(printed) <= DELIVERY_BYTES else b""

    def stop(self) -> None:
        """Kill a command that still runs."""
        if (process := self._running) is not None:
            _kill(process)


def _exchange(process: subprocess.Popen[bytes], body: bytes) -> bytes:
    """Write the message, read what is printed; a program may do without either."""
    if process.stdin is None or process.stdout is None:
        raise UnavailableError("the command has no standard input or output")
    with suppress(BrokenPipeError):
        process.stdin.write(body)
    with suppress(BrokenPipeError):
        process.stdin.close()
    printed = b""
    with process.stdout:
        # What is too much is read all the same: a full pipe would stop a program that has done its work.
        while part := process.stdout.read(_PART_BYTES):
            printed = (printed + part)[: DELIVERY_BYTES + 1]
    return printed


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process, and leave its number to it."""
    if os.name == "nt":
        process.wait()
    else:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
