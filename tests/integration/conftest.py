"""Tests on the real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_memory_server.bootstrap import Application
from tests import services
from tests.integration.support import application


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.service)


@pytest.fixture
def database() -> Iterator[services.Database]:
    with services.postgres() as made:
        yield made


@pytest.fixture
def app(database: services.Database, tmp_path: Path) -> Iterator[Application]:
    made = application(database.url, tmp_path / "keys", tmp_path / "data")
    yield made
    made.close()
