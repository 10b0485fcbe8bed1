"""What a request brings: arguments from path, query and body, checked by the same code as those of a tool."""

from __future__ import annotations

import re
from typing import Any

import anyio
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from mcp_memory_server.errors import InvalidArgumentError, MemoryServerError, TooLargeError, UnsupportedError
from mcp_memory_server.limits import HTTP_BODY_SECONDS
from mcp_memory_server.tools.arguments import checked_by
from mcp_memory_server.tools.schemas import Schema
from mcp_memory_server.web.answers import TOO_SLOW, WRONG_TYPE
from mcp_memory_server.web.api.endpoints import IN_BODY, Endpoint

JSON = "application/json"
_WHOLE = re.compile(r"(-?[0-9]{1,18})(?:\.0{1,9})?")  # JSON has one kind of number: 8.0 is whole too
_FLAGS = {"true": True, "false": False}
_FORM = "Send one JSON object, as /openapi.json describes it"


class RequestError(Exception):
    """An error of the contract that has a more precise HTTP status than its code says."""

    def __init__(self, error: MemoryServerError, status: int) -> None:
        super().__init__(str(error))
        self.error = error
        self.status = status


async def arguments_of(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """The checked arguments of a call.

    Raises InvalidArgumentError, TooLargeError, RequestError for a wrong media type or a body that does not arrive.
    """
    if endpoint.method in IN_BODY:
        given = await _body(request, endpoint.body_bytes)
    else:
        given = query_of(request, endpoint.given)
    if endpoint.in_path is None:
        return checked_by(endpoint.given, given)
    name = endpoint.in_path[0]
    if name in given:  # the path says it; a second value could only contradict
        raise InvalidArgumentError(f"{name}: unknown argument", next_step="It stands in the path")
    return checked_by(endpoint.arguments, {**given, name: request.path_params["id"]})


def query_of(request: Request, schema: Schema) -> dict[str, Any]:
    """The query as values of the types that a schema says. Raises InvalidArgumentError for a name given twice."""
    given: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        if name in given:
            raise InvalidArgumentError(f"{name}: is given twice")
        given[name] = _value(text, schema["properties"].get(name, {}).get("type", "string"))
    return given


def _value(text: str, kind: str) -> Any:
    """A text of the query as a value; one that does not fit stays a text, which the check then refuses."""
    if kind == "integer" and (whole := _WHOLE.fullmatch(text)):
        return int(whole[1])
    if kind == "boolean":
        return _FLAGS.get(text, text)
    return text


async def _body(request: Request, limit: int) -> dict[str, Any]:
    _check_type(request)
    try:
        with anyio.fail_after(HTTP_BODY_SECONDS):
            text = await _bytes(request, limit)
    except TimeoutError as error:
        late = InvalidArgumentError("the body did not arrive in time", next_step="Send it again")
        raise RequestError(late, TOO_SLOW) from error
    except ClientDisconnect as error:
        raise InvalidArgumentError("the body ends early") from error
    try:
        given = from_json(text, allow_inf_nan=False)  # the parser of MCP's messages too: what it refuses is the same
    except ValueError as error:
        raise InvalidArgumentError("the body is no JSON", next_step=_FORM) from error
    if not isinstance(given, dict):
        raise InvalidArgumentError("the body is no JSON object", next_step=_FORM)
    return given


def _check_type(request: Request) -> None:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() != JSON or charset not in ("", "utf-8"):
        raise RequestError(UnsupportedError(f"the body must be {JSON}", next_step="Set content-type"), WRONG_TYPE)
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise RequestError(UnsupportedError("the body must not be encoded", next_step="Send it as it is"), WRONG_TYPE)


async def _bytes(request: Request, limit: int) -> bytes:
    too_large = TooLargeError(f"the body has at most {limit} bytes", next_step="Send less at a time")
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:19]) > limit:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limit:
            raise too_large
    return bytes(body)
