"""Metadata by which OpenID wallets find an issuer: credential issuer and authorization server of each agent.

Each agent is an issuer of its own, and its own authorization server. The documents are published only by a
gateway that issues: metadata for endpoints that answer nothing would be a lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from federation.settings import AgentSettings, FederationSettings

PRE_AUTHORIZED: Final = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
_SIGNING: Final = ("ES256",)
_PROOFS: Final = ("ES256", "EdDSA", "Ed25519")


@dataclass(frozen=True, slots=True)
class Issuing:
    """What a gateway that issues publishes: types by configuration id, and how many a wallet gets at once."""

    types: Mapping[str, str]
    batch_size: int = 1
    token_path: str = "token"  # noqa: S105 - an address, no secret
    credential_path: str = "credential"
    nonce_path: str = "nonce"


def credential_issuer(settings: FederationSettings, agent: AgentSettings, issuing: Issuing) -> dict[str, Any]:
    """OpenID4VCI 1.0 section 12.2.4. Served at the well-known path with the agent's path behind it."""
    url = settings.agent_url(agent.id)
    metadata: dict[str, Any] = {
        "credential_issuer": url,
        "credential_endpoint": f"{url}/{issuing.credential_path}",
        "nonce_endpoint": f"{url}/{issuing.nonce_path}",
        "display": [{"name": agent.name}],
        "credential_configurations_supported": {
            name: {
                "format": "dc+sd-jwt",
                "vct": vct,
                "cryptographic_binding_methods_supported": ["jwk"],
                "credential_signing_alg_values_supported": list(_SIGNING),
                "proof_types_supported": {"jwt": {"proof_signing_alg_values_supported": list(_PROOFS)}},
                "credential_metadata": {
                    "display": [
                        {"name": "A shared memory", "locale": "en"},
                        {"name": "分享的记忆", "locale": "zh-CN"},
                    ]
                },
            }
            for name, vct in issuing.types.items()
        },
    }
    if issuing.batch_size > 1:
        metadata["batch_credential_issuance"] = {"batch_size": issuing.batch_size}
    return metadata


def authorization_server(settings: FederationSettings, agent: AgentSettings, issuing: Issuing) -> dict[str, Any]:
    """RFC 8414 section 2 with the one grant that is offered (OpenID4VCI 1.0 section 12.3)."""
    url = settings.agent_url(agent.id)
    return {
        "issuer": url,
        "token_endpoint": f"{url}/{issuing.token_path}",
        "grant_types_supported": [PRE_AUTHORIZED],
        "response_types_supported": [],
        "token_endpoint_auth_methods_supported": ["none"],
        "pre-authorized_grant_anonymous_access_supported": True,
    }
