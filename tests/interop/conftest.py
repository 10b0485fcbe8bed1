"""Peers that no one here wrote: a Node process per request, Python packages in this process.

They skip with a reason where they are not installed; with CI in the environment that is a failure.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).resolve().parent
_SOURCE = _HERE.parent / "unit" / "credentials" / "conftest.py"
_NAME = "credentials_test_world"
_NODE_SECONDS = 100


def _load():
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(_NAME, _SOURCE)
        module = importlib.util.module_from_spec(spec)
        sys.modules[_NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


def absent(reason: str) -> None:
    """Skip, or fail where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


class Node:
    """Runs ``peer.mjs`` beside the installed packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copyfile(_HERE / "node" / "peer.mjs", folder / "peer.mjs")

    def __call__(self, command: str, **request: Any) -> dict[str, Any]:
        done = subprocess.run(
            ["node", "peer.mjs"],
            cwd=self.folder,
            input=json.dumps({"do": command, **request}),
            capture_output=True,
            text=True,
            timeout=_NODE_SECONDS,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def must(self, command: str, **request: Any) -> dict[str, Any]:
        answer = self(command, **request)
        assert answer["ok"], answer
        return answer


@pytest.fixture(scope="session")
def node() -> Node:
    folder = os.environ.get("INTEROP_NODE")
    if not folder or not (Path(folder) / "node_modules").is_dir():
        absent("the Node peers are not installed: run scripts/interop")
    if shutil.which("node") is None:
        absent("node is not installed")
    return Node(Path(folder))


@pytest.fixture
def python_peer():
    def load(name: str):
        try:
            return importlib.import_module(name)
        except ImportError:
            absent(f"the Python peer {name} is not installed: uv sync --group interop")

    return load


@pytest.fixture(scope="session")
def world():
    return _load().World()


@pytest.fixture
def now() -> int:
    """Peers read the real clock, so these tests do too, each its own: the whole folder takes longer than a leeway."""
    import time

    return int(time.time())
