"""S3: the Versity gateway, built from its Go module, over a folder."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from servers.common import cache_folder, free_port
from servers.go import go_install

_MODULE = "github.com/versity/versitygw/cmd/versitygw"
_VERSION = "1.8.0"
_STOP_SECONDS = 10.0  # a gateway that has not ended by then is killed
_HEALTH = "/health"


class S3:
    """The Versity gateway: objects are files, what they are described by lies beside them (`--sidecar`).

    Old versions are kept where a bucket asks for that, as in production: a deletion has to reach them.
    """

    region = "us-east-1"

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[bytes]] = []

    def _program(self) -> Path:
        return cache_folder() / f"versitygw-{_VERSION}" / "versitygw"

    def install(self) -> None:
        go_install(f"{_MODULE}@v{_VERSION}", self._program())

    def start(self, folder: Path) -> dict[str, Any]:
        for name in ("data", "sidecar", "versions"):
            (folder / name).mkdir()
        return self.launch({
            "port": free_port(), "access": secrets.token_hex(10), "secret": secrets.token_urlsafe(30),
            "data": str(folder),
        })  # fmt: skip

    def launch(self, state: dict[str, Any]) -> dict[str, Any]:
        """Start with the data, the keys and the port of a state."""
        folder = Path(state["data"])
        command = [
            str(self._program()), "--port", f"127.0.0.1:{state['port']}", "--health", _HEALTH, "--region", self.region,
            "posix", "--sidecar", str(folder / "sidecar"), "--versioning-dir", str(folder / "versions"),
            str(folder / "data"),
        ]  # fmt: skip
        # Keys go by the environment: arguments can be read by everybody on the machine.
        env = os.environ | {"ROOT_ACCESS_KEY": state["access"], "ROOT_SECRET_KEY": state["secret"]}
        with (folder / "log").open("ab") as out:
            started = subprocess.Popen(
                command, cwd="/", env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        self._started.append(started)
        return state | {"pid": started.pid}

    def healthy(self, state: dict[str, Any]) -> bool:
        try:
            with urllib.request.urlopen(f"{self._url(state)}{_HEALTH}", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, state: dict[str, Any]) -> None:
        """End the process, if the number is still that of ours."""
        pid = int(state["pid"])
        end = time.monotonic() + _STOP_SECONDS
        for sent in (signal.SIGTERM, signal.SIGKILL):
            if not self._runs(pid, state):
                break
            os.kill(pid, sent)
            while self._runs(pid, state) and time.monotonic() < end:
                time.sleep(0.05)
        for one in self._started:
            if one.pid == pid:
                one.wait(_STOP_SECONDS)

    def _runs(self, pid: int, state: dict[str, Any]) -> bool:
        try:
            return f"127.0.0.1:{state['port']}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False

    def _url(self, state: dict[str, Any]) -> str:
        return f"http://127.0.0.1:{state['port']}"

    def environment(self, state: dict[str, Any]) -> dict[str, str]:
        return {
            "MEMORY_TEST_S3_URL": self._url(state), "MEMORY_TEST_S3_KEY": state["access"],
            "MEMORY_TEST_S3_SECRET": state["secret"], "MEMORY_TEST_S3_DATA": state["data"],
        }  # fmt: skip
