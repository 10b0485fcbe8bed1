"""Tests that start the real server as a process."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.stdio.pipe")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.stdio)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "data"
