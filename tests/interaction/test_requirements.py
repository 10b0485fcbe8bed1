"""The manifest and the tests name the same requirements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

HERE = Path(__file__).parent


def _tests() -> Iterator[tuple[str, list[str]]]:
    """Every test function of this folder with the ids that it is marked with."""
    for path in HERE.glob("test_*.py"):
        if path != Path(__file__):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                    yield f"{path.name}::{node.name}", [name for mark in node.decorator_list for name in _ids(mark)]


def _ids(mark: ast.expr) -> list[str]:
    if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "requirement":
        return [one.value for one in mark.args if isinstance(one, ast.Constant)]
    return []


TESTS = dict(_tests())
USED = {name for names in TESTS.values() for name in names}


@pytest.mark.parametrize("name", sorted(REQUIREMENTS))
def test_every_requirement_has_a_test(name: str) -> None:
    assert name in USED


@pytest.mark.parametrize("name", sorted(TESTS))
def test_every_test_shows_a_requirement(name: str) -> None:
    assert TESTS[name]
    assert set(TESTS[name]) <= set(REQUIREMENTS)


def test_every_requirement_is_a_sentence_with_a_source() -> None:
    for source, sentence in REQUIREMENTS.values():
        assert source
        assert len(sentence.split()) > 3
