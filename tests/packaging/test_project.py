"""The project file and the checkout: versions without addresses, nothing that does not belong."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mcp_memory_server

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_no_module_is_longer_than_five_hundred_lines() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "sizes"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_version_of_the_package_is_that_of_the_project() -> None:
    assert mcp_memory_server.__version__ == PROJECT["project"]["version"]


def test_versions_are_pinned_without_addresses() -> None:
    pins = PROJECT["tool"]["uv"]["constraint-dependencies"]
    assert len(pins) > 40
    assert all(re.match(r"[A-Za-z0-9._-]+==[^\s/:@]+( ;.*)?$", pin) for pin in pins)
    assert "uv.lock" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_default_dependencies_stay_light() -> None:
    names = {re.split(r"[^\w-]", name)[0] for name in PROJECT["project"]["dependencies"]}
    assert not {"torch", "sentence-transformers", "neo4j", "weaviate-client", "psycopg", "boto3"} & names
    assert len(names) <= 25


@pytest.mark.parametrize("folder", ["mcp_memory_server", "federation", "credentials"])
def test_every_package_has_an_init_and_types(folder: str) -> None:
    assert (ROOT / folder / "py.typed").exists()
    for path in (ROOT / folder).rglob("*.py"):
        if "migrations" in path.parts:
            continue  # Alembic reads these as files
        assert (path.parent / "__init__.py").exists(), path.parent
