"""The OpenAPI 3.1 document, made of the table of endpoints and the tools' schemas."""

from __future__ import annotations

import functools
from typing import Any

from mcp_memory_server import __version__
from mcp_memory_server.tools.schemas import Schema
from mcp_memory_server.web.answers import STATUS, TOO_SLOW, WRONG_HOST, WRONG_TYPE
from mcp_memory_server.web.api import schemas as s
from mcp_memory_server.web.api.endpoints import ENDPOINTS, IN_BODY, Endpoint
from mcp_memory_server.web.api.exporting import MEDIA_TYPE
from mcp_memory_server.web.api.reading import JSON

PATH = "/openapi.json"
EXPORT_PATH = "/api/export"
EXPORT_QUERY = s.closed({"feedback": s.FEEDBACK})

_ABOUT = (
    "The user's own long-term memory over HTTP: the same functions, names, limits and errors as the MCP tools. "
    'An argument of `null` or `""` counts as absent; unknown arguments are refused. '
    "Once an access token was made, every call needs one."
)
_ALWAYS = {400, 401, 403, 409, 413, 429, 500, 501, 503, WRONG_HOST}  # statuses that any call may answer
_WITH_BODY = {404, TOO_SLOW, WRONG_TYPE}
_MEANINGS = {
    status: ", ".join(code for code, its in STATUS.items() if its == status) for status in sorted(set(STATUS.values()))
} | {TOO_SLOW: "invalid_argument", WRONG_TYPE: "unsupported", WRONG_HOST: "not_allowed"}


@functools.cache
def document() -> dict[str, Any]:
    """The document; the same for every installation of a version."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    paths[EXPORT_PATH] = {"get": _export()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Consented memory",
            "version": __version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {}],
        "paths": dict(sorted(paths.items())) | _PROBES,
        "components": {
            "schemas": {name: _inside(schema) for name, schema in s.NAMED.items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Made by `token create`"},
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": endpoint.name, "summary": endpoint.summary, "parameters": []}
    if endpoint.in_path:
        operation["parameters"].append(_parameter("id", endpoint.in_path[1], "path", required=True))
    statuses = set(_ALWAYS)
    if endpoint.in_path:
        statuses.add(404)
    if endpoint.method in IN_BODY:
        body = {JSON: {"schema": _referring(endpoint.given)}}
        operation["requestBody"] = {"required": True, "content": body}
        statuses |= _WITH_BODY
    else:
        operation["parameters"] += _query(endpoint.given)
    operation["responses"] = {
        "200": {"description": "Done", "content": {JSON: {"schema": _referring(endpoint.answer)}}},
        **_errors(statuses),
    }
    return operation


def _export() -> dict[str, Any]:
    return {
        "operationId": "export",
        "summary": "Everything of the caller in the native format, one JSON object a line; the last has type `end`.",
        "parameters": _query(EXPORT_QUERY),
        "responses": {
            "200": {"description": "Done", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
            **_errors(_ALWAYS),
        },
    }


def _query(schema: Schema) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [_parameter(name, spec, "query", required=name in required) for name, spec in schema["properties"].items()]


def _parameter(name: str, spec: Schema, where: str, *, required: bool) -> dict[str, Any]:
    described = {"description": spec["description"]} if "description" in spec else {}
    schema = {key: value for key, value in spec.items() if key != "description"}
    return {"name": name, "in": where, "required": required, **described, "schema": schema}


def _errors(statuses: set[int]) -> dict[str, Any]:
    content = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {str(status): {"description": _MEANINGS[status], "content": content} for status in sorted(statuses)}


def _referring(schema: Any) -> Any:
    """A schema with references where one of the named ones stands."""
    for name, named in s.NAMED.items():
        if schema is named:
            return {"$ref": f"#/components/schemas/{name}"}
    return _inside(schema)


def _inside(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _referring(value) for key, value in schema.items()}
    return [_referring(value) for value in schema] if isinstance(schema, list) else schema


def _probe(name: str, summary: str, answer: Schema, media: str = JSON, *, may_fail: bool = True) -> dict[str, Any]:
    responses: dict[str, Any] = {"200": {"description": "Done", "content": {media: {"schema": answer}}}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "security": [{}] if media == JSON else [{"token": []}, {}],
            "responses": responses | (_errors({503} if media == JSON else _ALWAYS) if may_fail else {}),
        }
    }


_STATE = s.open_object(
    {
        "state": {"type": "string", "enum": ["ok", "loading", "off", "unavailable"]},
        "circuit": {"type": "string", "enum": ["closed", "open", "half_open"]},
    },
    ("state",),
)
_READY = s.open_object(
    {
        "status": {"type": "string"},
        "degraded": {"type": "array", "items": {"type": "string"}},
        "back_ends": {"type": "object", "additionalProperties": _STATE},
    },
    ("status", "degraded", "back_ends"),
)
_PROBES = {
    "/healthz": _probe(
        "health", "The process answers.", s.open_object({"status": {"type": "string"}}, ("status",)), may_fail=False
    ),
    "/readyz": _probe("readiness", "The ledger answers; the state of each back end.", _READY),
    "/metrics": _probe("metrics", "Counts for a monitoring system.", {"type": "string"}, "text/plain"),
}
