"""did:pkh of Ethereum accounts: an address, not a key; it verifies by recovery only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from credentials.errors import DidError

_EIP155: Final = re.compile(r"did:pkh:eip155:([1-9][0-9]{0,31}):(0x[0-9a-fA-F]{40})\Z")
_METHOD_TYPE: Final = "EcdsaSecp256k1RecoveryMethod2020"


@dataclass(frozen=True, slots=True)
class PkhAccount:
    """An account on a chain; the address is kept as written and compared in lower case."""

    did: str
    chain_id: int
    address: str

    def same_address(self, other: str) -> bool:
        """Compare addresses without case (EIP-55 case is only a checksum)."""
        return self.address.lower() == other.lower()


def parse(did: str) -> PkhAccount:
    """Read a did:pkh of namespace eip155 (did:pkh draft, CAIP-10); other namespaces are refused."""
    match = _EIP155.match(did)
    if match is None:
        known = did.startswith("did:pkh:") and not did.startswith("did:pkh:eip155:")
        raise DidError("did_method_refused" if known else "did_malformed")
    return PkhAccount(did, int(match[1]), match[2])


def pkh_document(did: str) -> dict[str, Any]:
    """The document of an account (did:pkh draft "Read"): a recovery method without a public key."""
    account = parse(did)
    url = f"{did}#blockchainAccountId"
    return {
        "@context": [
            "https://www.w3.org/ns/did/v1",
            {
                "blockchainAccountId": "https://w3id.org/security#blockchainAccountId",
                _METHOD_TYPE: f"https://identity.foundation/EcdsaSecp256k1RecoverySignature2020#{_METHOD_TYPE}",
            },
        ],
        "id": did,
        "verificationMethod": [
            {
                "id": url,
                "type": _METHOD_TYPE,
                "controller": did,
                "blockchainAccountId": f"eip155:{account.chain_id}:{account.address}",
            }
        ],
        "authentication": [url],
        "assertionMethod": [url],
        "capabilityDelegation": [url],
        "capabilityInvocation": [url],
    }
