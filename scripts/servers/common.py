"""What the real servers for tests have in common; see `scripts/services`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Protocol


class FailedError(Exception):
    """A server cannot be installed, started or reached; the text is for people."""


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(command: list[str], *, user: str | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program to its end, as another user when we are root. Raises FailedError with what it printed."""
    more: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if user and os.geteuid() == 0 else {}
    done = subprocess.run(
        command, cwd="/", env=os.environ | (env or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, **more,
    )  # fmt: skip
    if done.returncode:
        raise FailedError(f"{command[0]} failed: {done.stdout.strip()[-2000:]}")
    return done.stdout


def apt_install(package: str) -> None:
    """Install a Debian package. Raises FailedError where that does not work."""
    if not shutil.which("apt-get"):
        raise FailedError(f"{package} is not installed, and there is no apt-get")
    run(["apt-get", "update", "-qq"])
    run(["apt-get", "install", "-y", "-qq", package], env={"DEBIAN_FRONTEND": "noninteractive"})


def cache_folder() -> Path:
    """Where what was fetched or built is kept between runs and checkouts, by version."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "consented-memory-servers"


class Service(Protocol):
    """One kind of server. What `start` answers is kept and given back to the other methods."""

    def install(self) -> None: ...
    def start(self, folder: Path) -> dict[str, Any]: ...
    def healthy(self, state: dict[str, Any]) -> bool: ...
    def stop(self, state: dict[str, Any]) -> None: ...
    def environment(self, state: dict[str, Any]) -> dict[str, str]: ...
