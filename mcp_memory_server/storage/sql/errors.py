"""Errors of the database library become ours; no text of a statement gets into a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from mcp_memory_server.errors import UnavailableError

# SQLSTATE: somebody else held a lock too long, or two transactions got in each other's way.
_BUSY = frozenset({"55P03", "40001", "40P01"})


@contextmanager
def translated() -> Iterator[None]:
    """Turn SQLAlchemy's errors into UnavailableError."""
    try:
        yield
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", "")
        if state in _BUSY:
            raise UnavailableError("the store is busy", next_step="Try again") from error
        if state != "":
            # The messages of a server quote values and name hosts: they stay in the chain, for the log.
            raise UnavailableError(f"the store failed ({type(error.orig).__name__}, {state or '-'})") from error
        raise UnavailableError(f"the store failed ({type(error.orig).__name__}: {error.orig})") from error
    except SQLAlchemyError as error:
        raise UnavailableError(f"the store failed ({type(error).__name__})") from error
