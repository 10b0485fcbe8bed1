"""Whom a verifier believes: small policy objects, each with one check that raises.

A valid signature says who spoke, never whether to believe it (SD-JWT VC, "Issuer Authorization").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from credentials.errors import ConfigurationError, CredentialError, IssuerRefusedError


class IssuerPolicy(Protocol):
    """Decides whether an issuer may issue credentials of these types."""

    def check(self, issuer: str, types: Collection[str]) -> None:
        """Return, or raise ``issuer_untrusted``, ``issuer_type_untrusted`` (SD-JWT VC, trust in issuers)."""


class TrustList:
    """Issuers by identifier with the types that each may issue.

    An empty list is allowed and trusts nobody. A type list of ``None`` is not: name the types.
    """

    __slots__ = ("_issuers",)

    def __init__(self, issuers: Mapping[str, Collection[str]]) -> None:
        self._issuers = {issuer: frozenset(types) for issuer, types in issuers.items()}

    def check(self, issuer: str, types: Collection[str]) -> None:
        """Require a listed issuer and a type that is listed for it (SD-JWT VC, "Issuer Authorization")."""
        allowed = self._issuers.get(issuer)
        if allowed is None:
            raise IssuerRefusedError("issuer_untrusted")
        if not allowed.intersection(types):
            raise IssuerRefusedError("issuer_type_untrusted")


class _Several:
    """Policies that decide together; an empty list is a mistake, not a decision."""

    __slots__ = ("_policies",)

    def __init__(self, policies: Iterable[IssuerPolicy]) -> None:
        self._policies = tuple(policies)
        if not self._policies:
            raise ConfigurationError("config_empty_policy")


class AllOf(_Several):
    """Every policy has to agree; an empty list is refused instead of being true of everything."""

    __slots__ = ()

    def check(self, issuer: str, types: Collection[str]) -> None:
        """Run each policy (SD-JWT VC, "Issuer Authorization"); the first refusal counts."""
        for policy in self._policies:
            policy.check(issuer, types)


class AnyOf(_Several):
    """One policy has to agree; an empty list is refused."""

    __slots__ = ()

    def check(self, issuer: str, types: Collection[str]) -> None:
        """One agreement is enough (SD-JWT VC, "Issuer Authorization"); else the last refusal counts."""
        refusal: CredentialError = IssuerRefusedError("issuer_untrusted")
        for policy in self._policies:
            try:
                policy.check(issuer, types)
            except IssuerRefusedError as error:
                refusal = error
            else:
                return
        raise refusal


class UnsafeAcceptAnyIssuer:
    """Trusts whoever signed. Only for showing what a credential says; never for acting on it."""

    def check(self, issuer: str, types: Collection[str]) -> None:
        """Accept (SD-JWT VC, "Issuer Authorization", is skipped on purpose)."""
