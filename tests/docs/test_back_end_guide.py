"""The guide to a back end of one's own: its example passes the contract and works in a wired application."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Overrides, build
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.storage.breaker import FAILURES, Circuit
from mcp_memory_server.storage.composed import Composed
from mcp_memory_server.storage.verify import verify
from tests.fakes import HashEmbedder, noon
from tests.harness import settings_for

ROOT = Path(__file__).parents[2]
ANN = Principal("ann", "tests", "tests")


def blocks() -> dict[str, str]:
    """The pieces of code in the guide, by the file that each belongs into."""
    page = (ROOT / "docs" / "guide" / "develop-a-back-end.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.DOTALL))


def test_the_folder_and_the_fixture_are_all_that_the_contract_needs(tmp_path: Path) -> None:
    found = blocks()
    folder = tmp_path / "storage" / "mine"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "graph_index.py").write_text(found["mcp_memory_server/storage/mine/graph_index.py"], encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "contract", tmp_path / "contract", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "conftest.py").write_text(
        f"import mcp_memory_server.storage as place\nplace.__path__.append({str(folder.parent)!r})\n", encoding="utf-8"
    )
    conftest = tmp_path / "contract" / "conftest.py"
    text = conftest.read_text(encoding="utf-8")
    text = text.replace("# Later back ends are", f"{found['tests/contract/conftest.py']}\n\n# Later back ends are")
    text = re.sub(r"(BACKENDS: .*?\n)\}", r'\1    "mine": _mine,\n}', text, count=1, flags=re.DOTALL)
    conftest.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-k", "mine", "-c", str(ROOT / "pyproject.toml"), "--rootdir",
            str(tmp_path), "-p", "no:cacheprovider", *(str(tmp_path / "contract" / f"test_{name}.py") for name in (
                "graph_index", "text_index", "vector_index", "ledger"
            )),
        ],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-3_000:]
    passed = re.search(r"(\d+) passed", ran.stdout)
    assert passed is not None
    assert int(passed[1]) > 50, "the suites of all ports have run on it"
    assert "failed" not in ran.stdout


@pytest.fixture
def example() -> Any:
    spaces: dict[str, Any] = {"__name__": "mine"}
    exec(blocks()["mcp_memory_server/storage/mine/graph_index.py"], spaces)
    return spaces["MineGraphIndex"]()


def test_it_is_fed_guarded_compared_and_cleared_without_another_line(
    tmp_path: Path, example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mine(found: Backend) -> Backend:
        whole = Composed(found.store, found.text_index, found.vector_index, found.graph_index)
        return replace(whole, graph_index=example)

    app = build(settings_for(tmp_path / "data"), Overrides(clock=noon(), embedder=HashEmbedder(), backend=mine))
    app.service.remember(ANN, RememberRequest(said="My sister Anna works at Acme."))
    app.projector.drain()
    assert example.digests(Tenancy("ann"))
    assert all(row.clean and not row.waiting for row in verify(app.backend, app.embedder))

    def away(*_given: Any) -> Any:
        raise UnavailableError("away")

    monkeypatch.setattr(example, "neighbours", away)
    monkeypatch.setattr(example, "linked", away)
    for _ in range(FAILURES):
        answer = app.service.recall(ANN, RecallRequest("Where does Anna work?"))
        assert (bool(answer["memories"]), answer["degraded"]) == (True, ["graph"])
    assert app.guards.views()["graph"].circuit is Circuit.OPEN
    assert all(receipt["state"] == "pending" for receipt in app.service.erase_user(ANN)), "it is left alone"
    monkeypatch.undo()
    app.close()
    again = build(settings_for(tmp_path / "data"), Overrides(clock=noon(), embedder=HashEmbedder(), backend=mine))
    assert again.finish_erasures() == 0
    assert example.digests(Tenancy("ann")) == {}
    again.close()


def test_the_line_in_bootstrap_is_like_the_others_there() -> None:
    text = (ROOT / "mcp_memory_server" / "bootstrap" / "stores.py").read_text(encoding="utf-8")
    line = blocks()["mcp_memory_server/bootstrap/stores.py"].strip()
    assert re.fullmatch(r"HashedGraphIndex\(\w+\(\), keys\.of\),", line)
    assert re.search(r"HashedGraphIndex\([^\n]+, keys\.of\)", text), "wired like the one that is there"
