"""One runner for the case file: what the plan gives to a finished issue must be played and hold."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import later
from tests.cases.expectations import CHECKS
from tests.cases.play import Play

FINISHED = {"server", "understanding"}  # issues whose cases must pass
# Cases of later issues that pass already, so that nothing can take it away again unseen.
ALREADY = {"ISO-02"}
# Cases played by tests of their own package, of an issue or one by one: every one has tests named after it.
_FEDERATION = "tests/federation/test_fed_cases.py"
ELSEWHERE = {"credentials": "tests/unit/credentials/test_cred_cases.py"}
ALONE = {"SIG-01": _FEDERATION, "SIG-02": _FEDERATION, "DID-01": _FEDERATION}

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
assert later.__all__  # importing it registers its checks


def _cases() -> dict[str, dict[str, Any]]:
    lines = (HERE / "data" / "cases_A.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def _plan() -> dict[str, str]:
    lines = (HERE / "data" / "plan.tsv").read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines if line and not line.startswith("#")}


CASES, PLAN = _cases(), _plan()


def played_in(name: str) -> str | None:
    """The file of tests that plays a case instead of the runner here."""
    return ALONE.get(name) or ELSEWHERE.get(PLAN[name])


def unmapped(case: dict[str, Any]) -> list[str]:
    """Steps and expectations of a case for which there is no code."""
    steps = [*case["input"], *(step["each"] for step in case["input"] if "each" in step)]
    verbs = [step["do"] for step in steps if not hasattr(Play, f"do_{step['do']}")]
    return verbs + [sentence for sentence in case["expected"] if (case["id"], sentence) not in CHECKS]


def _missing(issue: str, unplayed: list[str]) -> str:
    """Why a case cannot hold yet: what of it this product has no step or answer for, and which issue brings that."""
    return f"issue {issue}: " + (f"nothing yet for {unplayed[0]!r}" if unplayed else "played, and does not hold yet")


def _parameters() -> list[Any]:
    parameters = []
    for name, case in CASES.items():
        issue, missing = PLAN[name], unmapped(case)
        if played_in(name):
            continue
        if missing and issue in FINISHED:
            raise RuntimeError(f"case {name} of issue {issue} cannot be mapped: {missing}")
        done = issue in FINISHED or name in ALREADY
        marks: list[Any] = (
            []
            if done
            else [pytest.mark.xfail(strict=True, raises=(AssertionError, LookupError), reason=_missing(issue, missing))]
        )
        if any(step["do"] in ("start_stdio", "restart", "backup") for step in case["input"]):
            marks.append(pytest.mark.stdio)
        parameters.append(pytest.param(name, id=name, marks=marks))
    return parameters


@pytest.mark.parametrize("name", _parameters())
async def test_case(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    assert unmapped(case) == []
    play = Play(case, PLAN[name], tmp_path, caplog, monkeypatch)
    try:
        await play.run()
        for sentence in case["expected"]:
            CHECKS[name, sentence](play)
    finally:
        await play.close()


def test_every_case_has_an_issue_and_every_issue_a_case() -> None:
    assert set(CASES) == set(PLAN)


def test_every_check_belongs_to_a_sentence_of_the_file() -> None:
    sentences = {(name, sentence) for name, case in CASES.items() for sentence in case["expected"]}
    assert set(CHECKS) <= sentences


@pytest.mark.parametrize("name", [name for name in CASES if played_in(name)])
def test_a_case_that_is_played_elsewhere_has_tests_named_after_it(name: str) -> None:
    tree = ast.parse((ROOT / str(played_in(name))).read_text(encoding="utf-8"))
    start = f"test_{name.lower().replace('-', '_')}_"
    assert any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(start) for node in tree.body
    )
