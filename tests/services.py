"""The real servers that `scripts/services start` runs. A test whose server is absent skips with the reason, never in CI."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

_ROOT = Path(__file__).resolve().parent.parent
# Read when the tests are collected: later no variable of ours is left in the environment.
_GIVEN = {name: value for name, value in os.environ.items() if name.startswith("MEMORY_TEST_")}
_REQUIRED = bool(_GIVEN.get("MEMORY_TEST_SERVICES"))  # set by .ci/run


@cache
def _environment() -> dict[str, str]:
    """What `scripts/services env` prints, or what the environment says."""
    if "MEMORY_TEST_POSTGRES_URL" in _GIVEN:
        return _GIVEN
    command = [sys.executable, str(_ROOT / "scripts" / "services"), "env"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    words = (shlex.split(line)[-1] for line in found.stdout.splitlines() if line.startswith("export "))
    return {name: value for name, _, value in (word.partition("=") for word in words)} | _GIVEN


def variable(name: str) -> str:
    """A variable of a running server; skips the test when there is none, fails it where servers are required."""
    value = _environment().get(name)
    if not value:
        if _REQUIRED:
            pytest.fail(f"{name} is not set, and no server may be missing here")
        pytest.skip(f"{name} is not set: `scripts/services start` runs the servers")
    return value


@dataclass(frozen=True)
class Database:
    """A database of a test's own, and the folder in which its server keeps everything."""

    url: str
    data: Path


@contextmanager
def postgres() -> Iterator[Database]:
    """An empty database on the running server, dropped at the end."""
    import psycopg

    server, name = variable("MEMORY_TEST_POSTGRES_URL"), f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    try:
        base = server.rpartition("/")[0]
        yield Database(f"{base}/{name}", Path(variable("MEMORY_TEST_POSTGRES_DATA")))
    finally:
        with suppress(psycopg.OperationalError), psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
