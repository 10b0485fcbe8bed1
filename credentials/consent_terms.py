"""The closed lists of terms in consent records, from the Data Privacy Vocabulary (DPV 2)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

DPV: Final = "https://w3id.org/dpv#"

PURPOSES: Final = frozenset(
    f"dpv:{name}"
    for name in (
        "ServiceProvision",
        "RequestedServiceProvision",
        "ServicePersonalisation",
        "Personalisation",
        "CustomerCare",
        "PersonalisedBenefits",
        "AcademicResearch",
        "ServiceOptimisation",
    )
)
LEGAL_BASES: Final = frozenset({"dpv:Consent", "dpv:ExpressedConsent", "dpv:ExplicitlyExpressedConsent"})


class ConsentState(Enum):
    """States of a consent with their DPV terms (ISO/IEC TS 27560 event states)."""

    REQUESTED = "dpv:ConsentRequested"
    GIVEN = "dpv:ConsentGiven"
    REFUSED = "dpv:ConsentRefused"
    RENEWED = "dpv:RenewedConsentGiven"
    EXPIRED = "dpv:ConsentExpired"
    WITHDRAWN = "dpv:ConsentWithdrawn"
    REVOKED = "dpv:ConsentRevoked"
    INVALIDATED = "dpv:ConsentInvalidated"


_S: Final = ConsentState
_ENDINGS: Final = frozenset({_S.RENEWED, _S.EXPIRED, _S.WITHDRAWN, _S.REVOKED, _S.INVALIDATED})

# Withdrawn is what the person does, revoked what the receiving or issuing side does; both are final.
TRANSITIONS: Final[Mapping[ConsentState | None, frozenset[ConsentState]]] = {
    None: frozenset({_S.REQUESTED, _S.GIVEN}),
    _S.REQUESTED: frozenset({_S.GIVEN, _S.REFUSED, _S.EXPIRED, _S.INVALIDATED}),
    _S.GIVEN: _ENDINGS,
    _S.RENEWED: _ENDINGS,
    _S.EXPIRED: frozenset({_S.RENEWED, _S.INVALIDATED}),
    _S.REFUSED: frozenset(),
    _S.WITHDRAWN: frozenset(),
    _S.REVOKED: frozenset(),
    _S.INVALIDATED: frozenset(),
}
IN_FORCE: Final = frozenset({_S.GIVEN, _S.RENEWED})
