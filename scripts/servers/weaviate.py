"""Weaviate from its Go module; the first build takes some minutes, later ones find the program in a cache folder."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

from servers.common import FailedError, apt_install, free_port, run

VERSION = "1.39.0"  # configs/compose.yaml has the same
_MODULE = f"github.com/weaviate/weaviate/cmd/weaviate-server@v{VERSION}"
_GO = (1, 26)  # what the module asks for; an older Go fetches that one by itself from 1.21 on
_OLDEST_GO = (1, 21)
_STOP_SECONDS = 20.0  # how long it may take to write what it holds


def _go_version() -> tuple[int, int]:
    found = re.search(r"go(\d+)\.(\d+)", run(["go", "version"]) if shutil.which("go") else "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _two_free_ports() -> int:
    """The first of two free ports side by side: a node expects some of its own ports one above another."""
    while True:
        first = free_port()
        with socket.socket() as probe, suppress(OSError, OverflowError):
            probe.bind(("127.0.0.1", first + 1))
            return first


def _runs(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.is_file() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")


class Weaviate:
    """One node with an API key, on loopback, with ports of its own for everything that it listens on."""

    def _folder(self) -> Path:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cache / "consented-memory-servers" / f"weaviate-{VERSION}"

    def _program(self) -> Path:
        return self._folder() / "weaviate-server"

    def install(self) -> None:
        if self._program().is_file():
            return
        if _go_version() < _OLDEST_GO:
            apt_install("golang-go")
        if _go_version() < _OLDEST_GO:
            raise FailedError(f"Weaviate {VERSION} is built with Go {_GO[0]}.{_GO[1]}, and there is none; see go.dev")
        self._folder().mkdir(parents=True, exist_ok=True)
        run(["go", "install", _MODULE], env={"GOBIN": str(self._folder()), "GOTOOLCHAIN": "auto"})

    def start(self, folder: Path) -> dict[str, Any]:
        state: dict[str, Any] = {
            "folder": str(folder), "data": str(folder / "data"), "key": secrets.token_urlsafe(24),
            "inner_key": secrets.token_urlsafe(24), "port": free_port(), "grpc": free_port(),
            "gossip": _two_free_ports(), "raft": _two_free_ports(),
        }  # fmt: skip
        return self.launch(state)

    def launch(self, state: dict[str, Any]) -> dict[str, Any]:
        """Start with the data, the key and the ports of a state."""
        options = {
            "PERSISTENCE_DATA_PATH": state["data"], "DEFAULT_VECTORIZER_MODULE": "none", "ENABLE_MODULES": "",
            "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false", "AUTHENTICATION_APIKEY_ENABLED": "true",
            "AUTHENTICATION_APIKEY_ALLOWED_KEYS": state["key"], "AUTHENTICATION_APIKEY_USERS": "memory",
            "AUTHORIZATION_ADMINLIST_ENABLED": "true", "AUTHORIZATION_ADMINLIST_USERS": "memory",
            "AUTOSCHEMA_ENABLED": "false", "DISABLE_TELEMETRY": "true", "LOG_LEVEL": "warning",
            "CLUSTER_HOSTNAME": "node1", "CLUSTER_IN_LOCALHOST": "true", "CLUSTER_BIND_ADDR": "127.0.0.1",
            "CLUSTER_ADVERTISE_ADDR": "127.0.0.1", "CLUSTER_GOSSIP_BIND_PORT": state["gossip"],
            "CLUSTER_DATA_BIND_PORT": state["gossip"] + 1, "CLUSTER_BASIC_AUTH_USERNAME": "node",
            "CLUSTER_BASIC_AUTH_PASSWORD": state["inner_key"], "RAFT_PORT": state["raft"],
            "RAFT_INTERNAL_RPC_PORT": state["raft"] + 1, "RAFT_BOOTSTRAP_EXPECT": 1, "GRPC_PORT": state["grpc"],
            "GO_PROFILING_DISABLE": "true",
            "GOMEMLIMIT": "1GiB", "GOMAXPROCS": 2,
        }  # fmt: skip
        kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
        command = [str(self._program()), "--scheme", "http", "--host", "127.0.0.1", "--port", str(state["port"])]
        with (Path(state["folder"]) / "log").open("ab") as log:
            server = subprocess.Popen(
                command, cwd=state["folder"], env=kept | {name: str(value) for name, value in options.items()},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        return state | {"pid": server.pid}

    def healthy(self, state: dict[str, Any]) -> bool:
        if not _runs(state["pid"]):
            text = (Path(state["folder"]) / "log").read_text(encoding="utf-8", errors="replace")
            raise FailedError(f"weaviate has ended: {text[-2000:]}")
        request = urllib.request.Request(
            f"{self._url(state)}/v1/schema", headers={"Authorization": f"Bearer {state['key']}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop(self, state: dict[str, Any]) -> None:
        for number, seconds in ((signal.SIGTERM, _STOP_SECONDS), (signal.SIGKILL, 5.0)):
            end = time.monotonic() + seconds
            if _runs(state["pid"]):
                os.kill(state["pid"], number)
            while _runs(state["pid"]) and time.monotonic() < end:
                time.sleep(0.1)

    def _url(self, state: dict[str, Any]) -> str:
        return f"http://127.0.0.1:{state['port']}"

    def environment(self, state: dict[str, Any]) -> dict[str, str]:
        return {
            "MEMORY_TEST_WEAVIATE_URL": self._url(state), "MEMORY_TEST_WEAVIATE_GRPC": f"127.0.0.1:{state['grpc']}",
            "MEMORY_TEST_WEAVIATE_KEY": state["key"], "MEMORY_TEST_WEAVIATE_DATA": state["data"],
        }  # fmt: skip
