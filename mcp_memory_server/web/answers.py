"""How answers and errors look over HTTP: one shape, one status for each code of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from mcp_memory_server.errors import MemoryServerError, NotFoundError, UnauthenticatedError, UnsupportedError

STATUS: dict[str, int] = {
    "invalid_argument": 400,
    "too_many": 400,
    "unauthenticated": 401,
    "not_allowed": 403,
    "consent_required": 403,
    "not_found": 404,
    "conflict": 409,
    "reindex_needed": 409,
    "too_large": 413,
    "rate_limited": 429,
    "internal": 500,
    "unsupported": 501,
    "unavailable": 503,
    "store_newer": 503,
}
WRONG_METHOD, TOO_SLOW, WRONG_TYPE, WRONG_HOST = 405, 408, 415, 421  # more precise than the status of their code
_RETRY_SECONDS = "1"  # after which a caller may try again
_RETRY = (429, 503)
_PRIVATE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def error_body(error: MemoryServerError) -> dict[str, Any]:
    """`{"error": {"code", "message", "next"}}`."""
    return {"error": {"code": error.code, "message": error.message, "next": error.next_step}}


def succeeded(answer: Mapping[str, Any]) -> JSONResponse:
    """An answer that no cache keeps."""
    return JSONResponse(answer, headers=_PRIVATE)


def failed(
    error: MemoryServerError,
    status: int | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """An error with the status of its code, or with the one given; `more` stands beside it in the body."""
    code = status or STATUS.get(error.code, 500)
    again = {"retry-after": _RETRY_SECONDS} if code in _RETRY else {}
    return JSONResponse({**error_body(error), **(more or {})}, code, headers={**_PRIVATE, **again, **(headers or {})})


def unauthenticated() -> JSONResponse:
    """The answer to a call without a valid access token."""
    error = UnauthenticatedError(
        "a valid access token is needed", next_step="Send `Authorization: Bearer TOKEN`; `token create` makes one"
    )
    return failed(error, headers={"www-authenticate": 'Bearer realm="consented-memory"'})


def no_such_route(_request: Request, error: Exception) -> JSONResponse:
    """Unknown paths and methods, in the one shape of errors."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    headers = error.headers if isinstance(error, HTTPException) else None
    if status == WRONG_METHOD:
        return failed(
            UnsupportedError("this path does not take this method", next_step="See /openapi.json"),
            status,
            headers=headers,
        )
    return failed(NotFoundError("there is nothing at this path", next_step="See /openapi.json"), 404, headers=headers)
