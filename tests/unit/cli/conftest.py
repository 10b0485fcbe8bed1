from __future__ import annotations

from pathlib import Path

import pytest

from mcp_memory_server import bootstrap
from mcp_memory_server.cli.app import main
from tests.cli_support import Cli, Ran
from tests.fakes import HashEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder of the commands of one test."""
    return tmp_path / "data"


@pytest.fixture
def cli(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in English on a store of its own, with a fake model."""
    monkeypatch.setenv("MEMORY_DATA_DIR", str(folder))
    monkeypatch.setenv("MEMORY_LANGUAGE", "en")
    monkeypatch.setenv("MEMORY_TIME_ZONE", "UTC")
    monkeypatch.setattr(bootstrap, "embedder_of", lambda _settings: HashEmbedder())

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(list(arguments))
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run
