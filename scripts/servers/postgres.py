"""PostgreSQL from Debian's package."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from servers.common import FailedError, apt_install, free_port, run


class Postgres:
    """PostgreSQL 15 from Debian's package, with a cluster of its own; the distribution's is left alone."""

    package = "postgresql-15"
    account = "postgres"  # the package's user: the server refuses to run as root
    role = "memory"

    def _program(self, name: str) -> str:
        found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
        return str(found[-1]) if found else (shutil.which(name) or "")

    def install(self) -> None:
        if not self._program("initdb"):
            apt_install(self.package)
        if not self._program("initdb"):
            raise FailedError(f"{self.package} brings no initdb")

    def start(self, folder: Path) -> dict[str, Any]:
        password, port = secrets.token_urlsafe(18), free_port()
        data, sockets, log = folder / "data", folder / "sockets", folder / "log"
        word = folder / "password"
        word.touch(mode=0o600)
        word.write_text(password, encoding="utf-8")
        sockets.mkdir()
        if os.geteuid() == 0:
            for path in (folder, word, sockets):
                shutil.chown(path, self.account, self.account)
        initdb = [self._program("initdb"), "-D", str(data), "-U", self.role, "-E", "UTF8", "--locale=C.UTF-8",
                  "-A", "scram-sha-256", f"--pwfile={word}", "--no-sync"]  # fmt: skip
        run(initdb, user=self.account)
        word.unlink()
        certificate, key = folder / "server.pem", folder / "server.key"
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                   "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
        run(request, user=self.account)
        key.chmod(0o600)
        # No fsync: a killed server loses nothing by it, only a machine without power does, and tests are faster.
        options = {
            "port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": sockets, "fsync": "off",
            "synchronous_commit": "off", "full_page_writes": "off", "max_connections": 200, "ssl": "on",
            "ssl_cert_file": certificate, "ssl_key_file": key,
        }  # fmt: skip
        given = " ".join(f"-c {name}={value}" for name, value in options.items())
        try:
            control = [self._program("pg_ctl"), "-D", str(data), "-l", str(log), "-w", "-o", given, "start"]
            run(control, user=self.account)
        except FailedError as failure:
            raise FailedError(f"{failure}\n{log.read_text(encoding='utf-8')[-2000:]}") from failure
        return {"port": port, "password": password, "data": str(data), "ca": str(certificate)}

    def _url(self, state: dict[str, Any]) -> str:
        return f"postgresql://{self.role}:{state['password']}@127.0.0.1:{state['port']}/postgres"

    def healthy(self, state: dict[str, Any]) -> bool:
        try:
            run([self._program("psql"), self._url(state), "-tAc", "SELECT 1"])
        except FailedError:
            return False
        return True

    def stop(self, state: dict[str, Any]) -> None:
        pid_file = Path(state["data"]) / "postmaster.pid"
        if pid_file.exists():
            run([self._program("pg_ctl"), "-D", state["data"], "-m", "fast", "-w", "stop"], user=self.account)

    def environment(self, state: dict[str, Any]) -> dict[str, str]:
        return {
            "MEMORY_TEST_POSTGRES_URL": self._url(state), "MEMORY_TEST_POSTGRES_DATA": state["data"],
            "MEMORY_TEST_POSTGRES_CA": state["ca"],
        }  # fmt: skip
