"""Answers of the gateway: JSON with one shape for errors, and documents that others may keep."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from credentials.encoding import json_encode
from federation.errors import FederationError
from federation.limits import METADATA_SECONDS

JSON: Final = "application/json"
_ALWAYS: Final = {"X-Content-Type-Options": "nosniff"}


def answer(value: dict[str, Any], status: int = 200, **headers: str) -> Response:
    """JSON that nobody keeps."""
    fields = {"Cache-Control": "no-store"} | _ALWAYS | {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(json_encode(value), status, fields, JSON)


def refused(error: FederationError, status: int, **headers: str) -> Response:
    """The one shape of an error: ``{"error": {"code", "message"}}``."""
    return answer({"error": {"code": error.code, "message": error.message}}, status, **headers)


def not_found() -> Response:
    """The same for whatever is not there, so that nobody learns what else might be."""
    return answer({"error": {"code": "not_found", "message": "there is nothing at this address"}}, 404)


def document(request: Request, value: dict[str, Any], media_type: str = JSON) -> Response:
    """A public document: may be kept for a while, is told by its tag, and read by pages of any origin."""
    body = json_encode(value)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {
        "Cache-Control": f"public, max-age={METADATA_SECONDS}",
        "ETag": tag,
        "Access-Control-Allow-Origin": "*",
    } | _ALWAYS
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(None, 304, headers)
    return Response(body, 200, headers, media_type)
