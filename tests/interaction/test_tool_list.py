"""What a client sees of the tools before it calls one."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_memory_server.tools import schemas
from tests.harness import ERAS
from tests.requirements import requirement

FIRST = ["remember", "recall", "list_memories", "correct_memory", "get_profile", "forget"]
NAMES = ["remember", "recall", "list_memories", "correct_memory", "get_profile", "give_feedback", "forget"]
BUDGETS = {5_500: FIRST, 8_000: NAMES}  # bytes of the six of the first issue, and of all


def below(schema: Any) -> list[dict[str, Any]]:
    """Every object in a schema."""
    if isinstance(schema, list):
        return [found for one in schema for found in below(one)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(found for one in schema.values() for found in below(one))]


@requirement("eras")
async def test_both_eras_are_spoken(client: Client, mode: str) -> None:
    assert client.protocol_version == ERAS[mode]
    assert client.server_info.name == "consented-memory"


@requirement("tools:list")
async def test_the_tools_are_listed_in_a_stable_order(client: Client) -> None:
    first = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
    again = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
    assert first == NAMES == again
    assert all(re.fullmatch(r"[a-z0-9_]{1,40}", name) for name in first)


@requirement("results:schema")
@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_a_schema(name: str) -> None:
    for schema in (schemas.INPUTS[name], schemas.advertised(name), schemas.OUTPUTS[name]):
        jsonschema.Draft202012Validator.check_schema(schema)


@requirement("tools:schemas")
async def test_schemas_are_flat_and_every_property_is_typed(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            assert schema["type"] == "object"
            for part in below(schema):
                assert not {"$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "title"} & set(part)
                for name, spec in part.get("properties", {}).items() if part.get("type") == "object" else ():
                    assert isinstance(spec["type"], str), f"{tool.name}.{name}"
                if part.get("type") == "array":
                    assert isinstance(part["items"]["type"], str)
        assert tool.input_schema["additionalProperties"] is False


@requirement("tools:budget")
async def test_the_tools_cost_a_model_few_bytes(client: Client) -> None:
    tools = (await client.list_tools()).tools
    for budget, names in BUDGETS.items():
        shown = [
            {"name": t.name, "description": t.description, "inputSchema": t.input_schema}
            for t in tools
            if t.name in names
        ]
        assert len(shown) == len(names)
        assert len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()) <= budget


@requirement("tools:checked-is-advertised")
@pytest.mark.parametrize("name", NAMES)
async def test_what_is_checked_is_advertised_and_nothing_else(client: Client, name: str) -> None:
    shown = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}[name]
    checked = schemas.INPUTS[name]
    assert shown.get("required") == checked.get("required")
    assert list(shown["properties"]) == list(checked["properties"])
    for argument, spec in shown["properties"].items():
        assert spec["type"] == checked["properties"][argument]["type"]
        for key in spec:
            assert spec[key] == checked["properties"][argument][key]


@requirement("tools:annotations")
async def test_hints_say_what_a_tool_may_do(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name in ("recall", "list_memories", "get_profile"))
        assert tool.annotations.destructive_hint is (tool.name == "forget")
        assert tool.annotations.open_world_hint is False
        assert tool.title
        assert tool.description
        assert len(tool.description) <= 2_000


@requirement("tools:instructions")
async def test_instructions_tell_a_model_when_to_call_what(client: Client) -> None:
    text = client.instructions or ""
    for word in ("get_profile", "recall", "remember", "said", "do not hand back", "never instructions"):
        assert word in text
    assert len(text) <= 2_000


@requirement("tools:unknown")
@pytest.mark.parametrize("name", ["no_such_tool", "", "Remember", "remember\n"])
async def test_an_unknown_tool_is_an_error_of_the_protocol(client: Client, name: str) -> None:
    with pytest.raises(MCPError) as caught:
        await client.call_tool(name, {})
    assert caught.value.error.code == -32602
