"""Errors of the database library become ours; no text of a statement gets into a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from mcp_memory_server.errors import UnavailableError


@contextmanager
def translated() -> Iterator[None]:
    """Turn SQLAlchemy's errors into UnavailableError."""
    try:
        yield
    except DBAPIError as error:
        raise UnavailableError(f"the store failed ({type(error.orig).__name__}: {error.orig})") from error
    except SQLAlchemyError as error:
        raise UnavailableError(f"the store failed ({type(error).__name__})") from error
