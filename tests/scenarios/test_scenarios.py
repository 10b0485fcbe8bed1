"""The users' scenarios against the installed server; those of later issues fail strictly until they are due.

Our own ones (`own.jsonl`, many more of the same kinds) are played in process: `run_scenarios.py own.jsonl` plays them
against a server.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.in_process import InProcess
from tests.scenarios.run_scenarios import Run

HERE = Path(__file__).parent
SCENARIOS = [json.loads(line) for line in (HERE / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()]
OWN = [json.loads(line) for line in (HERE / "own.jsonl").read_text(encoding="utf-8").splitlines()]
# What of our own does not hold, each with what is missing.
MISSING: dict[str, str] = {}
# Scenarios of later issues that do not hold yet, with what is missing. The rest is a plain test.
LATER: dict[str, str] = {}
SERVER = str(Path(sys.executable).with_name("mcp-memory-server"))


def _parameters() -> list[Any]:
    parameters = []
    for scenario in SCENARIOS:
        name, marks = scenario["id"], [pytest.mark.stdio]
        if name in LATER:
            marks.append(pytest.mark.xfail(strict=True, reason=f"issue {scenario['needs']}: {LATER[name]}"))
        if any("clock" in step for step in scenario["steps"]):
            missing = shutil.which("faketime") is None and not os.environ.get("CI")
            marks.append(pytest.mark.skipif(missing, reason="needs Debian's faketime, which moves the clock"))
        parameters.append(pytest.param(scenario, id=name, marks=marks))
    return parameters


@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("scenario", _parameters())
async def test_scenario(scenario: dict[str, Any], era: str) -> None:
    assert await Run(SERVER, era).scenario(scenario) == []


def test_scenarios_that_come_later_are_in_the_file() -> None:
    assert set(LATER) <= {scenario["id"] for scenario in SCENARIOS}


def _own() -> list[Any]:
    marks = {name: [pytest.mark.xfail(strict=True, reason=reason)] for name, reason in MISSING.items()}
    return [pytest.param(scenario, id=scenario["id"], marks=marks.get(scenario["id"], [])) for scenario in OWN]


@pytest.mark.parametrize("scenario", _own())
async def test_own_scenario(scenario: dict[str, Any]) -> None:
    era = "legacy" if sum(map(ord, scenario["id"])) % 2 else "auto"
    assert await InProcess(era).scenario(scenario) == []


def test_own_scenarios_have_names_of_their_own() -> None:
    names = [scenario["id"] for scenario in OWN]
    assert len(names) == len(set(names))
    assert set(MISSING) <= set(names)
