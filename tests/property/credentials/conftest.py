"""The same small world as the unit tests, loaded by path: test folders are no packages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_SOURCE = Path(__file__).resolve().parents[2] / "unit" / "credentials" / "conftest.py"
_NAME = "credentials_test_world"


def _load():
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(_NAME, _SOURCE)
        module = importlib.util.module_from_spec(spec)
        sys.modules[_NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


@pytest.fixture(scope="session")
def world():
    return _load().World()


@pytest.fixture(scope="session")
def code():
    return _load().code_of
