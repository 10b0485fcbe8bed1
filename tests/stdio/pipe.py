"""A server process spoken to in raw lines: what a client sends and receives, byte for byte."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.harness import environment

COMMAND = [sys.executable, "-m", "mcp_memory_server.cli.main"]
_PATIENCE = 60  # seconds for one answer, before a hanging process fails the test
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}


class Pipe:
    """The server on stdio."""

    def __init__(self, folder: Path, user: str = "ann", env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            env=environment(folder, user, env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self.errors = b""
        self._number = 0
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, notify: bool = False) -> int:
        """Send a request (or a notification) without waiting."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        if not notify:
            self._number += 1
            message["id"] = self._number
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._number

    def line(self) -> bytes:
        """The next line of standard output; empty at its end."""
        assert self.process.stdout is not None
        timer = threading.Timer(_PATIENCE, self.process.kill)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        if line:
            self.lines.append(line)
        return line

    def answer(self, number: int | None = None) -> dict[str, Any]:
        """The next response, or the one to a request."""
        while line := self.line():
            message: dict[str, Any] = json.loads(line)
            if "id" in message and "method" not in message and number in (None, message["id"]):
                return message
        raise EOFError(self.errors.decode(errors="replace"))

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its result."""
        message = self.answer(self.send(method, params))
        assert "error" not in message, message
        return dict(message["result"])

    def shake_hands(self) -> dict[str, Any]:
        """The handshake of 2025-11-25."""
        result = self.request("initialize", _CLIENT)
        self.send("notifications/initialized", notify=True)
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and wait for its result."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def post(self, tool: str, **arguments: Any) -> int:
        """Call a tool without waiting."""
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def kill(self) -> None:
        """End the process with no chance to tidy up."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.wait()

    def end(self) -> int:
        """Close standard input, as a client does, and wait for the process to end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """Wait for the end, read what is left, close everything."""
        code = self.process.wait(_PATIENCE)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.lines += self.process.stdout.readlines()
        self._reader.join(_PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        return code


@contextmanager
def pipe(folder: Path, user: str = "ann", env: Mapping[str, str] | None = None) -> Iterator[Pipe]:
    """A server process that is gone at the end, whatever happened."""
    made = Pipe(folder, user, env)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.kill()
        elif made.process.stdout is not None and not made.process.stdout.closed:
            made.wait()


def command(folder: Path, *arguments: str, user: str = "ann", env: Mapping[str, str] | None = None) -> Any:
    """Run one command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=environment(folder, user, env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
