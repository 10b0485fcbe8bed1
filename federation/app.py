"""The gateway as one ASGI application; what it is made of is given to it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from federation.routes.answers import answer, not_found


async def _not_found(_request: Request, _error: Exception) -> Response:
    return not_found()


async def _wrong_method(_request: Request, error: Exception) -> Response:
    allowed: str = (getattr(error, "headers", None) or {}).get("Allow", "")
    body = {"error": {"code": "method_not_allowed", "message": "the address has no such method"}}
    return answer(body, 405, Allow=allowed)


def create_app(routes: Sequence[BaseRoute]) -> Starlette:
    """The application over the routes of ``federation.routes``. It looks at no Host field and redirects nowhere."""
    app = Starlette(routes=list(routes), exception_handlers={404: _not_found, 405: _wrong_method})
    app.router.redirect_slashes = False
    return app
