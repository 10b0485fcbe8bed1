"""The OpenAPI document: valid, made of the tools' schemas, and the same as the routes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from starlette.routing import Route

from mcp_memory_server import errors
from mcp_memory_server.settings import Settings
from mcp_memory_server.tools.runtime import Runtime
from mcp_memory_server.tools.schemas import INPUTS, OUTPUTS
from mcp_memory_server.web.answers import STATUS
from mcp_memory_server.web.api import openapi
from mcp_memory_server.web.api.endpoints import ENDPOINTS
from mcp_memory_server.web.http import MCP_PATH, build_http

DOCUMENT = openapi.document()
TOOLS = {
    "remember": ("post", "/api/memories"),
    "recall": ("post", "/api/recall"),
    "list_memories": ("get", "/api/memories"),
    "forget": ("post", "/api/memory/forget"),
    "get_profile": ("get", "/api/profile"),
    "give_feedback": ("post", "/api/feedback"),
}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            yield method, path, operation


def plain(schema: Any) -> Any:
    """A schema with what its references stand for."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return plain(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        return {key: plain(value) for key, value in schema.items()}
    return [plain(value) for value in schema] if isinstance(schema, list) else schema


def test_the_document_is_valid_openapi_3_1() -> None:
    validate(DOCUMENT, cls=OpenAPIV31SpecValidator)


def test_a_broken_document_would_be_found() -> None:
    broken = {**DOCUMENT, "paths": {"/x": {"get": {"responses": {"200": {}}}}}}
    with pytest.raises(Exception, match="description"):
        validate(broken, cls=OpenAPIV31SpecValidator)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tools_path_has_the_tools_schemas(tool: str) -> None:
    method, path = TOOLS[tool]
    operation = DOCUMENT["paths"][path][method]
    assert plain(operation["responses"]["200"]["content"]["application/json"]["schema"]) == OUTPUTS[tool]
    if method == "post":
        assert plain(operation["requestBody"]["content"]["application/json"]["schema"]) == INPUTS[tool]
        assert operation["parameters"] == []
        return
    given = {one["name"]: one for one in operation["parameters"]}
    assert set(given) == set(INPUTS[tool]["properties"])
    for name, spec in INPUTS[tool]["properties"].items():
        shown = given[name]["schema"] | ({"description": spec["description"]} if "description" in spec else {})
        assert (given[name]["in"], given[name]["required"], shown) == ("query", False, spec)


def test_routes_and_document_have_the_same_paths_and_methods(tmp_path: Path) -> None:
    app: Any = build_http(Runtime(Settings(data_dir=tmp_path)))
    served = {
        (method, route.path.replace(":path", ""))
        for route in app._open.router.routes
        if isinstance(route, Route) and route.path != MCP_PATH
        for method in route.methods or ()
        if method != "HEAD"
    }
    listed = {(method.upper(), path) for method, path, _ in operations()}
    assert served == listed | {("GET", openapi.PATH)}


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(names)) == len(names)
    assert {one.name for one in ENDPOINTS} <= set(names)
    for _, path, operation in operations():
        assert operation["summary"].endswith("."), path


def test_every_error_has_the_one_shape() -> None:
    for _, path, operation in operations():
        for status, response in operation["responses"].items():
            if status != "200":
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Error"}, path
                assert response["description"]


def test_every_code_of_the_contract_has_a_status() -> None:
    codes = {
        one.code for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.MemoryServerError)
    }
    assert set(STATUS) == codes
    assert all(400 <= status < 600 for status in STATUS.values())


def test_what_is_not_there_yet_is_not_listed() -> None:
    assert not [path for _, path, _ in operations() if "consents" in path]
