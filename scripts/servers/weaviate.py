"""Weaviate from its Go module; the first build takes some minutes, later ones find the program in a cache folder.

It listens on loopback, but for two of its ports, which it opens on all addresses whatever it is told: gRPC, which
asks for the key, and that for other nodes, which has a password.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import ssl
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

from servers.common import FailedError, cache_folder, free_port
from servers.go import go_install

VERSION = "1.39.0"  # configs/compose.yaml has the same
_MODULE = f"github.com/weaviate/weaviate/cmd/weaviate-server@v{VERSION}"
_STOP_SECONDS = 20.0  # how long it may take to write what it holds


def _two_free_ports() -> int:
    """The first of two free ports side by side: a node expects some of its own ports one above another."""
    while True:
        first = free_port()
        with socket.socket() as probe, suppress(OSError, OverflowError):
            probe.bind(("127.0.0.1", first + 1))
            return first


def _runs(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.is_file() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")


class Weaviate:
    """One node with an API key, on loopback, with ports of its own for everything that it listens on."""

    def _program(self) -> Path:
        return cache_folder() / f"weaviate-{VERSION}" / "weaviate-server"

    def install(self) -> None:
        go_install(_MODULE, self._program(), GOTOOLCHAIN="auto")

    def start(self, folder: Path, **more: str) -> dict[str, Any]:
        state: dict[str, Any] = {
            "folder": str(folder), "data": str(folder / "data"), "key": secrets.token_urlsafe(24),
            "inner_key": secrets.token_urlsafe(24), "port": free_port(), "grpc": free_port(),
            "gossip": _two_free_ports(), "raft": _two_free_ports(), **more,
        }  # fmt: skip
        return self.launch(state)

    def launch(self, state: dict[str, Any]) -> dict[str, Any]:
        """Start with what a state holds: data, key, ports; encrypted when it has a `certificate` and its `secret`."""
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
        if "certificate" in state:
            options |= {"GRPC_CERT_FILE": state["certificate"], "GRPC_KEY_FILE": state["secret"]}
            command[2:] = ["https", "--tls-host", "127.0.0.1", "--tls-port", str(state["port"]),
                           "--tls-certificate", state["certificate"], "--tls-key", state["secret"]]  # fmt: skip
        log = str(Path(state["folder"]) / "log")
        # Not as a child that this program would have to look after: it goes on when this one ends.
        pid = os.posix_spawn(
            command[0], command, kept | {name: str(value) for name, value in options.items()}, setsid=True,
            file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                          (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                          (os.POSIX_SPAWN_DUP2, 1, 2)],
        )  # fmt: skip
        return state | {"pid": pid}

    def healthy(self, state: dict[str, Any]) -> bool:
        if not _runs(state["pid"]):
            text = (Path(state["folder"]) / "log").read_text(encoding="utf-8", errors="replace")
            raise FailedError(f"weaviate has ended: {text[-2000:]}")
        request = urllib.request.Request(
            f"{self._url(state)}/v1/schema", headers={"Authorization": f"Bearer {state['key']}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=2, context=self._context(state)) as answer:
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
        return f"{'https' if 'certificate' in state else 'http'}://127.0.0.1:{state['port']}"

    def _context(self, state: dict[str, Any]) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=state["certificate"]) if "certificate" in state else None

    def environment(self, state: dict[str, Any]) -> dict[str, str]:
        return {
            "MEMORY_TEST_WEAVIATE_URL": self._url(state), "MEMORY_TEST_WEAVIATE_GRPC": f"127.0.0.1:{state['grpc']}",
            "MEMORY_TEST_WEAVIATE_KEY": state["key"], "MEMORY_TEST_WEAVIATE_DATA": state["data"],
        }  # fmt: skip
