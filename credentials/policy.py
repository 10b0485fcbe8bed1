"""What a verifier requires; incomplete requirements are refused before anything is verified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from credentials.algorithms import ALLOWED, AllowList, Use
from credentials.did.resolve import StaticResolver
from credentials.errors import ConfigurationError
from credentials.issuer_keys import IssuerKeys, KeySource
from credentials.legacy.model import LegacyEngine
from credentials.ports import ReplayGuard, Resolver
from credentials.schemas import TypeRegistry
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status.bits import StatusList
from credentials.times import TimeRules
from credentials.trust import IssuerPolicy

StatusLookup = Callable[[str], StatusList | None]


def no_lists(uri: str) -> StatusList | None:
    """A lookup without lists (Token Status List section 8.3): any status is then ``status_unavailable``."""
    return None


@dataclass(frozen=True, slots=True)
class StatusPolicy:
    """How the status is established; by default a status that is named has to be known.

    ``issuers`` may sign status lists for others; a credential's own issuer always may.
    """

    lookup: StatusLookup = no_lists
    required: bool = False
    max_staleness: float = 0  # seconds beyond the ttl of a list, never beyond its expiry
    issuers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UnsafeIgnoreStatus(StatusPolicy):
    """Never looks at the status. Only for showing what a credential says."""


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """The consent that must cover a use: the signed record, who receives, and why."""

    credential: str | None  # the consent as SD-JWT VC, as the presenter sent it
    vct: str
    grantee: str  # our own identifier
    purpose: str

    def __post_init__(self) -> None:
        if not (self.vct and self.grantee and self.purpose):
            raise ConfigurationError("config_invalid", "type, grantee and purpose are needed")


@dataclass(frozen=True, slots=True)
class VerificationPolicy:
    """Everything a verification depends on besides the bytes and the time."""

    issuers: IssuerPolicy | None
    resolver: Resolver = field(default_factory=StaticResolver)
    issuer_keys: Mapping[str, IssuerKeys] = field(default_factory=dict)
    types: TypeRegistry | None = None
    times: TimeRules = field(default_factory=TimeRules)
    status: StatusPolicy = field(default_factory=StatusPolicy)
    key_binding: KeyBindingPolicy | None = None
    consent: ConsentPolicy | None = None
    replay: ReplayGuard | None = None
    algorithms: AllowList = ALLOWED[Use.CREDENTIAL]
    contexts: Collection[str] = ()
    legacy: LegacyEngine | None = None
    audience: str | None = None  # our own name, for credentials that name whom they are for
    holder_is_subject: bool = True  # presentations: each credential is about the holder

    def __post_init__(self) -> None:
        if self.issuers is None:
            raise ConfigurationError("config_empty_policy", "no issuer policy")

    @property
    def keys(self) -> KeySource:
        """Where issuer keys come from."""
        return KeySource(self.resolver, self.issuer_keys)
