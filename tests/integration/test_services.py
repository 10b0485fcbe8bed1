"""`scripts/services` starts a healthy server, says how to reach it, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.services import variable

_SCRIPT = Path(__file__).parents[2] / "scripts" / "services"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """The script with its servers in another folder than those of the other tests."""
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    return subprocess.run([sys.executable, str(_SCRIPT), *command], capture_output=True, text=True, env=env)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, as a socket needs one, which the server's own user can get through."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o711)
        yield Path(made)


def test_a_server_is_started_once_and_stopped_without_a_trace(folder: Path) -> None:
    variable("MEMORY_TEST_POSTGRES_URL")  # where none can run, this is skipped
    assert run(folder, "env").returncode == 1
    assert run(folder, "status").returncode == 1
    try:
        started = run(folder, "start", "postgres")
        assert started.returncode == 0, started.stderr
        assert run(folder, "status", "postgres").returncode == 0
        assert "ready" not in run(folder, "start", "postgres").stdout, "it runs already"
        (line,) = [one for one in run(folder, "env").stdout.splitlines() if "POSTGRES_URL" in one]
        url = line.partition("=")[2]
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW password_encryption").fetchone() == ("scram-sha-256",)
            assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
    finally:
        stopped = run(folder, "stop")
    assert stopped.returncode == 0, stopped.stderr
    assert list(folder.iterdir()) == []
    left = [one for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or ())]
    assert left == []
