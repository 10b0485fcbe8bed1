"""The error tree of the memory server: one base class, one stable code per class.

Codes are those of the contract; texts are for people and may change. Foreign exceptions never cross
a port: adapters turn them into one of these.
"""

from __future__ import annotations

from typing import ClassVar


class MemoryServerError(Exception):
    """Base of every anticipated failure: a stable `code`, what is wrong, and what to do next."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        """`CODE: what is wrong. What to do next.`"""
        text = f"{self.code}: {self.message.rstrip('.')}."
        return f"{text} {self.next_step.rstrip('.')}." if self.next_step else text


class InvalidArgumentError(MemoryServerError):
    """An input that has the wrong type, form or range; names the field."""

    code = "invalid_argument"


class NotFoundError(MemoryServerError):
    """An id that names nothing of this user."""

    code = "not_found"


class TooLargeError(MemoryServerError):
    """A text or payload over its limit."""

    code = "too_large"


class TooManyError(MemoryServerError):
    """A list over its limit."""

    code = "too_many"


class UnsupportedError(MemoryServerError):
    """Well-formed, but not offered here."""

    code = "unsupported"


class UnauthenticatedError(MemoryServerError):
    """No valid credential came with the call."""

    code = "unauthenticated"


class NotAllowedError(MemoryServerError):
    """The caller is known and may not do this."""

    code = "not_allowed"


class ConsentRequiredError(MemoryServerError):
    """The user has to agree first."""

    code = "consent_required"


class ConflictError(MemoryServerError):
    """The state changed, or the same thing is being done elsewhere."""

    code = "conflict"


class DamagedError(ConflictError):
    """A copy is not what was written: its checksum says so. Nothing was changed by it."""


class RateLimitedError(MemoryServerError):
    """Too many calls in too short a time."""

    code = "rate_limited"


class UnavailableError(MemoryServerError):
    """A back end does not answer now; trying again later may help."""

    code = "unavailable"


class ReindexNeededError(MemoryServerError):
    """Vectors of another model are in the way of the work asked for."""

    code = "reindex_needed"


class StoreNewerError(MemoryServerError):
    """The store was written by a newer version; this one must not write to it."""

    code = "store_newer"


class InternalError(MemoryServerError):
    """A fault of ours; details are in the log."""

    code = "internal"
