"""Neo4j from Maven's repository."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from servers.common import FailedError, apt_install, cache_folder, free_port, run

VERSION = "5.26.30"  # long-term support; configs/compose.yaml starts the same line
STOP_SECONDS = 30.0  # a server that is asked to end and is still there by then is killed
_STARTER = Path(__file__).with_name("Neo4jServer.java")
_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>local</groupId><artifactId>servers</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{VERSION}</version>
  </dependency></dependencies>
</project>
"""
_OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent")
_children: dict[int, subprocess.Popen[bytes]] = {}  # started by this process
# Bolt's greeting: a magic number and the four newest versions that the client speaks.
_GREETING = bytes.fromhex("6060b017" + "00080805" + "00020404" + "00000000" + "00000000")


class Neo4j:
    """Neo4j 5.26 Community with a password, and with TLS where a client asks for it."""

    def _libraries(self) -> Path:
        return cache_folder() / f"neo4j-{VERSION}"

    def install(self) -> None:
        """Fetch the server once for all checkouts; Java and Maven come from Debian where they are absent."""
        if not shutil.which("javac"):  # a JDK: the starter is run from its source
            apt_install("openjdk-17-jdk-headless")
        target = self._libraries()
        if target.is_dir():
            return
        if not shutil.which("mvn"):
            apt_install("maven")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as made:
            pom, libraries = Path(made) / "pom.xml", Path(made) / "lib"
            pom.write_text(_POM, encoding="utf-8")
            run(["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={libraries}"])
            with contextlib.suppress(OSError):  # another checkout was faster
                libraries.rename(target)

    def start(self, folder: Path) -> dict[str, Any]:
        certificates = folder / "certificates"
        certificates.mkdir()
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost",
                   "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(certificates / "private.key"),
                   "-out", str(certificates / "public.crt")]  # fmt: skip
        run(request)
        state = {"port": free_port(), "password": secrets.token_urlsafe(18), "folder": str(folder)}
        return self.resume(state)

    def resume(self, state: dict[str, Any]) -> dict[str, Any]:
        """Start the process, also again after `stop`: on the same port, with the data that is there."""
        folder = Path(state["folder"])
        self._ready(state).unlink(missing_ok=True)
        flags = [flag for package in _OPENED for flag in ("--add-opens", f"{package}=ALL-UNNAMED")]
        classes = f"{self._libraries()}{os.sep}*"
        quick = ("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # tests start it more than they ask it
        command = ["java", *quick, *flags, "-cp", classes, str(_STARTER), str(folder / "data"), str(state["port"]),
                   str(folder / "certificates"), str(self._ready(state))]  # fmt: skip
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        assert process.stdin is not None
        process.stdin.write(state["password"].encode() + b"\n")  # not in the command line, which everybody can read
        process.stdin.close()
        _children[process.pid] = process
        return state | {"pid": process.pid}

    def _ready(self, state: dict[str, Any]) -> Path:
        return Path(state["folder"]) / "ready"

    def healthy(self, state: dict[str, Any]) -> bool:
        if not _alive(state["pid"]):
            log = (Path(state["folder"]) / "log").read_text(encoding="utf-8", errors="replace")
            raise FailedError(f"neo4j has ended: {log[-2000:]}")
        return self._ready(state).exists() and _greets(state["port"])

    def stop(self, state: dict[str, Any]) -> None:
        until = time.monotonic() + STOP_SECONDS
        for wanted, seconds in ((signal.SIGTERM, until), (signal.SIGKILL, until + 5)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(state["pid"], wanted)
            while _alive(state["pid"]) and time.monotonic() < seconds:
                time.sleep(0.1)

    def environment(self, state: dict[str, Any]) -> dict[str, str]:
        folder = Path(state["folder"])
        return {
            "MEMORY_TEST_NEO4J_URL": f"bolt://127.0.0.1:{state['port']}", "MEMORY_TEST_NEO4J_USER": "neo4j",
            "MEMORY_TEST_NEO4J_PASSWORD": state["password"], "MEMORY_TEST_NEO4J_DATA": str(folder / "data"),
            "MEMORY_TEST_NEO4J_CA": str(folder / "certificates" / "public.crt"),
        }  # fmt: skip


def _alive(pid: int) -> bool:
    if pid in _children:  # our own leave an entry behind until they are asked for
        return _children[pid].poll() is None
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # a system without /proc
        return True


def _greets(port: int) -> bool:
    """Whether a Bolt server answers behind TLS."""
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE  # is it there? who it is, tests look at
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as plain, anybody.wrap_socket(plain) as secure:
            secure.sendall(_GREETING)
            return len(secure.recv(4)) == 4
    except OSError:
        return False
