"""What a verification answers: one typed result with the path of checks that were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from credentials.errors import CredentialError
from credentials.keys import PublicKey


class Check(NamedTuple):
    """One check in the order it was made; ``code`` says why it failed."""

    name: str
    ok: bool
    code: str | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The form of the command line (contract section 1)."""
        extra = {"code": self.code, "detail": self.detail}
        return {"name": self.name, "ok": self.ok} | {k: v for k, v in extra.items() if v is not None}


@dataclass(frozen=True, slots=True)
class Accepted:
    """What holds after every check passed; nothing of it exists when one failed."""

    issuer: str
    types: tuple[str, ...]
    claims: dict[str, Any]
    subject: str | None = None
    holder: PublicKey | None = None
    disclosed: tuple[tuple[str | int, ...], ...] = ()
    consent: dict[str, Any] | None = None
    credentials: tuple[Verification, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: ``ok``, the first failing ``code``, every check made, and the content when ok."""

    format: str | None
    checks: tuple[Check, ...]
    accepted: Accepted | None = None
    status_uri: str | None = None  # list to fetch when the code is status_unavailable

    @property
    def ok(self) -> bool:
        """True only when every check passed and there is content."""
        return self.accepted is not None

    @property
    def code(self) -> str | None:
        """The code of the check that failed."""
        return next((check.code for check in self.checks if not check.ok), None)

    def require(self) -> Accepted:
        """The content, or the refusal as an error, never partial data (VCDM 2.0 section 7.1)."""
        if self.accepted is None:
            failed = next(check for check in self.checks if not check.ok)
            raise CredentialError(failed.code or "malformed", failed.detail)
        return self.accepted

    def to_json(self) -> dict[str, Any]:
        """``{ok, code, checks[]}`` of the command line (contract section 1)."""
        content: dict[str, Any] = {"ok": self.ok, "code": self.code, "format": self.format}
        content["checks"] = [check.to_json() for check in self.checks]
        if self.accepted is not None:
            content["issuer"] = self.accepted.issuer
            content["types"] = list(self.accepted.types)
            content["subject"] = self.accepted.subject
            content["claims"] = self.accepted.claims
            content["credentials"] = [inner.to_json() for inner in self.accepted.credentials]
        return content


@dataclass(slots=True)
class Trail:
    """Collects checks while they are made; the one open when an error comes is the one that failed."""

    checks: list[Check] = field(default_factory=list)
    open: str | None = None
    status_uri: str | None = None

    def begin(self, name: str) -> None:
        """Close the check before as passed and open the next (contract section 1, ``checks``)."""
        self.done()
        self.open = name

    def done(self) -> None:
        """Close the open check as passed (contract section 1, ``checks``)."""
        if self.open is not None:
            self.checks.append(Check(self.open, True))
            self.open = None

    def skip(self, name: str, why: str) -> None:
        """Note a check that the policy leaves out, so that its absence shows (contract section 1)."""
        self.done()
        self.checks.append(Check(name, True, detail=why))

    def fail(self, error: CredentialError) -> None:
        """Close the open check as failed (contract section 1, ``code``)."""
        detail = error.message if str(error) != error.code else None
        self.checks.append(Check(self.open or "structure", False, error.code, detail))
        self.open = None
