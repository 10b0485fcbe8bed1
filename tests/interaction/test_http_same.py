"""The common tests of the tools, through HTTP: the same arguments, answers and errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_memory_server.tools.schemas import INPUTS
from tests.harness import House
from tests.http_support import PATHS, HttpTools, calling, serving
from tests.interaction import test_arguments, test_feedback, test_forget, test_tools
from tests.requirements import requirement

# A query knows texts only: what kinds of values JSON can bring wrongly is tried where the body is JSON.
IN_BODY = [tool for tool in INPUTS if PATHS.get(tool, ("PATCH",))[0] != "GET"]
_NOT_HERE = {
    "test_every_wrong_kind_of_argument_is_refused_and_named",
    "test_null_and_the_empty_text_count_as_absent",
    "test_a_text_over_its_limit_is_refused",
    "test_what_does_not_go_together_is_refused",
    # These want an installation with a trigger, or a prompt of MCP.
    "test_a_pattern_that_is_completed_fires_once_and_is_listed",
    "test_a_result_is_in_the_next_profile_only",
    "test_the_prompt_personalize_shows_a_result_once_too",
    "test_the_last_sessions_are_summed_up",
}
_IN_PATH = ("memory_id", "question_id")


@pytest.fixture
def client(house: House) -> Iterator[HttpTools]:
    with serving(house) as base, calling(base) as http:
        yield HttpTools(http)


def _common() -> Iterator[tuple[str, Any]]:
    for module in (test_arguments, test_feedback, test_forget, test_tools):
        for name, test in vars(module).items():
            if name.startswith("test_") and inspect.isfunction(test) and name not in _NOT_HERE:
                wanted = set(inspect.signature(test).parameters)
                if "client" in wanted and "mode" not in wanted:
                    yield name, test


globals().update(dict(_common()))


@requirement("http:same")
def test_there_are_common_tests() -> None:
    """Should they be renamed or moved, this must not pass for nothing."""
    assert len(dict(_common())) > 25


ARGUMENTS = [
    (tool, name)
    for tool, name in test_arguments.ARGUMENTS
    if tool in IN_BODY and not (tool == "correct_memory" and name in _IN_PATH)
]


@requirement("http:same")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS)
async def test_every_wrong_kind_of_argument_in_a_body_is_refused(client: Any, tool: str, name: str) -> None:
    await test_arguments.test_every_wrong_kind_of_argument_is_refused_and_named(client, tool, name)


@requirement("http:same")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS)
async def test_null_and_the_empty_text_in_a_body_count_as_absent(client: Any, tool: str, name: str) -> None:
    await test_arguments.test_null_and_the_empty_text_count_as_absent(client, tool, name)


@requirement("http:same")
@pytest.mark.parametrize(("tool", "name"), [pair for pair in test_arguments.TEXTS if pair[1] not in _IN_PATH])
async def test_a_text_over_its_limit_is_refused_here_too(client: Any, tool: str, name: str) -> None:
    await test_arguments.test_a_text_over_its_limit_is_refused(client, tool, name)


# A path names exactly one memory or question, so both and neither cannot be said.
_TOGETHER = [
    (tool, given)
    for tool, given in test_arguments.test_what_does_not_go_together_is_refused.pytestmark[0].args[1]  # type: ignore[attr-defined]
    if tool != "correct_memory" or len({*_IN_PATH} & {*given}) == 1
]


@requirement("http:same")
@pytest.mark.parametrize(("tool", "given"), _TOGETHER, ids=str)
async def test_what_does_not_go_together_is_refused_here_too(client: Any, tool: str, given: dict[str, Any]) -> None:
    await test_arguments.test_what_does_not_go_together_is_refused(client, tool, given)
