"""Whatever a client sends as an argument, the answer is one of the contract (bar 6)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client

from mcp_memory_server.tools.schemas import INPUTS
from tests.harness import Reply, call
from tests.interaction.conftest import ask, fail
from tests.requirements import requirement

CODES = {
    "invalid_argument", "not_found", "too_large", "too_many", "unsupported", "unauthenticated", "not_allowed",
    "consent_required", "conflict", "rate_limited", "unavailable", "reindex_needed", "store_newer",
}  # fmt: skip
# What each tool is called with beside the argument under test, so that nothing else is wrong.
FITTING: dict[str, dict[str, Any]] = {
    "remember": {"statements": ["The van is at the garage."]},
    "recall": {"query": "van"},
    "list_memories": {},
    "forget": {},
    "correct_memory": {"memory_id": "m_none", "verdict": "confirm"},
    "get_profile": {},
    "give_feedback": {"recall_id": "r_none", "task": "done"},
}
VALUES: dict[str, list[Any]] = {
    "string": ["a text", "7", "true", "[1]", "{}"],
    "integer": [7, -1, 0, 2**70],
    "number": [1.5, 1e308, -0.5],
    "boolean": [True, False],
    "array": [[], ["a"], [1], [None], [[]], [{}]],
    "object": [{}, {"a": 1}, {"$ref": "#"}],
}
ARGUMENTS = [(tool, name) for tool in INPUTS for name in INPUTS[tool]["properties"]]


def wrong_for(kind: str) -> list[Any]:
    """Values of every other type."""
    others = {key: values for key, values in VALUES.items() if key != kind}
    if kind == "integer":
        others["number"] = [1.5, -0.5]
    return [value for values in others.values() for value in values]


def proper(reply: Reply, *words: str) -> None:
    """An error of the contract that names what is wrong and shows nothing of our insides."""
    assert reply.code in CODES, reply.error
    assert reply.error is not None
    assert re.fullmatch(r"[a-z_]+: .+\.", reply.error, re.DOTALL), reply.error
    for inside in ("Traceback", "pydantic", 'File "', "Error executing", "validation error", "sqlite"):
        assert inside not in reply.error
    for word in words:
        assert word in reply.error


@requirement("arguments:kinds")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS, ids=lambda value: value)
async def test_every_wrong_kind_of_argument_is_refused_and_named(client: Client, tool: str, name: str) -> None:
    spec = INPUTS[tool]["properties"][name]
    for value in wrong_for(spec["type"]):
        reply = await fail(client, tool, **{**FITTING[tool], name: value})
        proper(reply, name)
        assert reply.code == "invalid_argument"


@requirement("arguments:items")
@pytest.mark.parametrize("items", [[7], [None], [True], [["a"]], [{"text": "a"}], ["good", 7]])
async def test_wrong_items_of_a_list_are_refused_and_named(client: Client, items: list[Any]) -> None:
    reply = await fail(client, "remember", statements=items)
    proper(reply, f"statements[{len(items) - 1}]")
    assert (await ask(client, "list_memories", kind="any", status="any"))["total"] == 0


CHOICES = [(tool, name) for tool, name in ARGUMENTS if "enum" in INPUTS[tool]["properties"][name]]


@requirement("arguments:choices")
@pytest.mark.parametrize(("tool", "name"), CHOICES, ids=lambda value: value)
async def test_a_value_outside_a_closed_list_is_refused_and_the_list_named(
    client: Client, tool: str, name: str
) -> None:
    spec = INPUTS[tool]["properties"][name]
    for value in ("no_such", spec["enum"][0].upper(), f"{spec['enum'][0]} ", "\0"):
        proper(await fail(client, tool, **{**FITTING[tool], name: value}), name, spec["enum"][-1])
    for value in spec["enum"]:
        reply = await call(client, tool, **{**FITTING[tool], name: value})
        assert reply.code in (None, "not_found", "invalid_argument")
        assert "must be one of" not in (reply.error or "")


NUMBERS = [(tool, name) for tool, name in ARGUMENTS if INPUTS[tool]["properties"][name]["type"] == "integer"]


@requirement("arguments:ranges")
@pytest.mark.parametrize(("tool", "name"), NUMBERS, ids=lambda value: value)
async def test_numbers_outside_their_range_are_refused(client: Client, tool: str, name: str) -> None:
    spec = INPUTS[tool]["properties"][name]
    for value in (spec["minimum"] - 1, spec["maximum"] + 1, -(2**63), 2**63, 10**30):
        proper(await fail(client, tool, **{**FITTING[tool], name: value}), name)
    for value in (spec["minimum"], spec["maximum"], float(spec["minimum"])):
        await ask(client, tool, **{**FITTING[tool], name: value})


TEXTS = [(tool, name) for tool, name in ARGUMENTS if INPUTS[tool]["properties"][name]["type"] == "string"]


@requirement("arguments:lengths")
@pytest.mark.parametrize(("tool", "name"), TEXTS, ids=lambda value: value)
async def test_a_text_over_its_limit_is_refused(client: Client, tool: str, name: str) -> None:
    limit = INPUTS[tool]["properties"][name].get("maxLength", 500)
    reply = await fail(client, tool, **{**FITTING[tool], name: "x" * (limit + 1)})
    proper(reply, name)
    if "enum" not in INPUTS[tool]["properties"][name]:
        assert reply.code == "too_large"


@requirement("arguments:lengths")
async def test_a_list_over_its_limit_is_refused_and_one_at_its_limit_is_not(client: Client) -> None:
    reply = await fail(client, "remember", statements=[f"The van number {n} is red." for n in range(51)])
    proper(reply, "statements")
    assert reply.code == "too_many"
    reply = await fail(client, "remember", statements=["fits", "x" * 2_001])
    proper(reply, "statements[1]")
    assert reply.code == "too_large"
    assert (await ask(client, "list_memories", kind="any", status="any"))["total"] == 0
    answer = await ask(client, "remember", statements=[f"The van number {n} is red." for n in range(50)])
    assert len(answer["results"]) == 50
    await ask(client, "remember", said="y" * 20_000)
    await ask(client, "remember", statements=["z" * 2_000])


@requirement("arguments:absent")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS, ids=lambda value: value)
async def test_null_and_the_empty_text_count_as_absent(client: Client, tool: str, name: str) -> None:
    rest = {key: value for key, value in FITTING[tool].items() if key != name}
    without = await call(client, tool, **rest)
    empty = [None, ""] if INPUTS[tool]["properties"][name]["type"] == "string" else [None]
    for value in empty:
        reply = await call(client, tool, **{**rest, name: value})
        assert reply.code == without.code
        if reply.error:
            proper(reply)


@requirement("arguments:unknown")
@pytest.mark.parametrize("tool", INPUTS)
async def test_unknown_arguments_are_refused(client: Client, tool: str) -> None:
    for name in ("user", "user_id", "Query", "scope", "ctx", "answer", "context", "self"):
        proper(await fail(client, tool, **{**FITTING[tool], name: "ben"}), name)


@requirement("arguments:verbatim")
@pytest.mark.parametrize(
    "text", ['["a"]', '{"a": 1}', "7", "true", "null", '"quoted"', "1e5", "[1, 2", "\0", "a\0b", "👩‍👩‍👧", "e\u0301"]
)
async def test_a_text_that_looks_like_something_else_stays_that_text(client: Client, text: str) -> None:
    expected = text.replace("\0", "\ufffd")
    answer = await ask(client, "remember", said=f"Note {text} here", session=text)
    found = await ask(client, "list_memories", kind="utterance", detail="full", session=text)
    assert [one["statement"] for one in found["memories"]] == [f"Note {expected} here"]
    assert answer["utterance"] == found["memories"][0]["id"]
    await ask(client, "recall", query=f"here {text}")
    reply = await call(client, "remember", statements=[text, f"Note {text}"])
    assert reply.code in (None, "invalid_argument")


TIMES = [("remember", "occurred_at"), ("recall", "since"), ("recall", "until"), ("recall", "as_of"),
         ("recall", "known_at"), ("list_memories", "since"), ("list_memories", "until"), ("forget", "since"),
         ("forget", "until")]  # fmt: skip
NO_TIMES = [
    "yesterday",
    "2026-13-01",
    "2026-02-30",
    "31/12/2026",
    "1764504000",
    "2026-11-30T25:00",
    "now",
    "２０２６",
    "T",
]
FAR_TIMES = [
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01",
    "9999-12-31",
    "1969-12-31T23:59:59.999999Z",
]


@requirement("arguments:times")
@pytest.mark.parametrize(("tool", "name"), TIMES, ids=lambda value: value)
async def test_a_text_that_is_no_time_is_refused_and_named(client: Client, tool: str, name: str) -> None:
    await ask(client, "remember", statements=["The van is at the garage."])
    for value in NO_TIMES:
        reply = await fail(client, tool, **{**FITTING[tool], name: value})
        proper(reply, name)
        assert reply.code == "invalid_argument"
    for value in FAR_TIMES:
        reply = await call(client, tool, **{**FITTING[tool], name: value})
        assert reply.code in (None, "invalid_argument"), reply.error


@requirement("arguments:times")
@pytest.mark.parametrize("zone", ["Mars/Phobos", "../../etc/passwd", "/etc/localtime", "UTC+8", "\0", "é", "."])
async def test_a_zone_that_is_none_is_refused(client: Client, zone: str) -> None:
    proper(await fail(client, "remember", statements=["The van is red."], time_zone=zone), "time_zone")


@requirement("arguments:together")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("remember", {}),
        ("remember", {"statements": []}),
        ("remember", {"statements": ["  "]}),
        ("remember", {"said": " \u200b"}),
        ("remember", {"said_by": "user"}),
        ("recall", {"query": "\u3000\u200b"}),
        ("forget", {}),
        ("forget", {"reason": "because"}),
        ("forget", {"memory_id": "m_1", "query": "tea"}),
        ("forget", {"memory_id": "m_1", "confirm": "x"}),
        ("forget", {"confirm": "x", "category": "health"}),
        ("forget", {"everything": True, "category": "health"}),
        ("forget", {"everything": True, "memory_id": "m_1"}),
        ("forget", {"everything": False}),
        ("correct_memory", {"verdict": "wrong"}),
        ("correct_memory", {"memory_id": "m_1", "question_id": "q_1", "verdict": "wrong"}),
        ("correct_memory", {"memory_id": "m_1", "verdict": "replace"}),
        ("correct_memory", {"memory_id": "m_1", "verdict": "wrong", "statement": "The van is red."}),
        ("list_memories", {"cursor": "not ours"}),
    ],
    ids=str,
)
async def test_what_does_not_go_together_is_refused(client: Client, tool: str, given: dict[str, Any]) -> None:
    reply = await fail(client, tool, **given)
    proper(reply)
    assert reply.code == "invalid_argument"


@requirement("arguments:together")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("forget", {"memory_id": "m_none"}),
        ("correct_memory", {"memory_id": "m_none", "verdict": "wrong"}),
        ("correct_memory", {"question_id": "q_none", "verdict": "keep_first"}),
    ],
    ids=str,
)
async def test_ids_of_nothing_are_not_found(client: Client, tool: str, given: dict[str, Any]) -> None:
    reply = await fail(client, tool, **given)
    proper(reply, next(iter(given)))
    assert reply.code == "not_found"
