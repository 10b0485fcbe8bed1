"""The A2A agent card with our extension, signed (A2A 1.0 sections 4.4 and 8.4).

A card is a claim that anybody can serve; its signature is a JWS over the canonical JSON (RFC 8785) of the card
without its signatures and without empty values. Checking one takes the DID document of who is said to sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import rfc8785

from credentials.algorithms import ALLOWED, Use
from credentials.did.document import ASSERTION, DidDocument
from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.jws import parse, sign_bytes, verify
from credentials.limits import MAX_METADATA_BYTES
from credentials.ports import Signer
from federation.errors import SignatureError
from federation.identity import Identity
from federation.settings import AgentSettings

EXTENSION: Final = "urn:x-consented-memory:a2a:memory-credentials:1"
BINDING: Final = "urn:x-consented-memory:a2a:memory-inbox:1"
FORMATS: Final = ("dc+sd-jwt",)
_PROTOCOL: Final = "1.0"
_CARD_VERSION: Final = "1"
_TYP: Final = "JOSE"
_MEDIA: Final = "application/json"
_MAX_SIGNATURES: Final = 8


def build_card(identity: Identity, agent: AgentSettings, vcts: Sequence[str]) -> dict[str, Any]:
    """The card of an agent, signed by its active key. Nothing in it is empty, false or a number.

    The only interface that it offers is the memory inbox: no A2A task can be sent here, and none is promised.
    """
    settings = identity.settings
    inbox, url = settings.inbox_url(agent.id), settings.agent_url(agent.id)
    params: dict[str, Any] = {"did": identity.did(agent.id), "inbox": inbox, "issuer": url, "formats": list(FORMATS)}
    if vcts:
        params["vctValues"] = list(vcts)
    card: dict[str, Any] = {
        "name": agent.name,
        "description": agent.description or agent.name,
        "version": _CARD_VERSION,
        "supportedInterfaces": [{"url": inbox, "protocolBinding": BINDING, "protocolVersion": _PROTOCOL}],
        "capabilities": {
            "extensions": [
                {
                    "uri": EXTENSION,
                    "description": "Shares a user's memories as verifiable credentials, under the user's consent.",
                    "params": params,
                }
            ]
        },
        "defaultInputModes": [_MEDIA],
        "defaultOutputModes": [_MEDIA],
        "skills": [
            {
                "id": "share-memory",
                "name": "Share memory",
                "description": "Gives and takes memories that their user has agreed to share.",
                "tags": ["memory", "consent", "verifiable-credentials"],
            }
        ],
    }
    return card | {"signatures": [sign_card(card, identity.signer(agent.id))]}


def _present(value: Any) -> Any:
    """The value without empty texts, lists and objects, as both sides canonicalize it (A2A 1.0 section 8.4.1)."""
    if isinstance(value, dict):
        kept = {key: shown for key, one in value.items() if (shown := _present(one)) is not None}
        return kept or None
    if isinstance(value, list):
        return [shown for one in value if (shown := _present(one)) is not None] or None
    return None if value == "" else value


def _canonical(card: dict[str, Any]) -> bytes:
    try:
        return rfc8785.dumps(_present({key: value for key, value in card.items() if key != "signatures"}))
    except (rfc8785.CanonicalizationError, RecursionError) as error:
        raise SignatureError("signature_malformed", "the card has no canonical form") from error


def sign_card(card: dict[str, Any], signer: Signer) -> dict[str, str]:
    """One entry of ``signatures`` (A2A 1.0 section 8.4.2)."""
    header = {"alg": signer.alg, "typ": _TYP, "kid": signer.kid}
    protected, _, signature = sign_bytes(header, _canonical(card), signer).split(".")
    return {"protected": protected, "signature": signature}


def check_card(card: dict[str, Any], document: DidDocument) -> None:
    """Require a signature by a key that the document lists for assertions (A2A 1.0 section 8.4.3).

    ``card`` comes from strict JSON. Signatures by others are passed over. Raises SignatureError.
    """
    entries = card.get("signatures")
    if not isinstance(entries, list) or not 0 < len(entries) <= _MAX_SIGNATURES:
        raise SignatureError("signature_missing")
    payload = b64url_encode(_canonical(card))
    refusal = SignatureError("signature_missing", "none by this identifier")
    for entry in entries:
        parts = (entry.get("protected"), entry.get("signature")) if isinstance(entry, dict) else (None, None)
        if not isinstance(parts[0], str) or not isinstance(parts[1], str):
            raise SignatureError("signature_malformed")
        try:
            jws = parse(f"{parts[0]}.{payload}.{parts[1]}", typ=None, limit=2 * MAX_METADATA_BYTES)
            if jws.kid is None or not jws.kid.startswith(f"{document.did}#"):
                continue
            verify(jws, document.key(jws.kid, ASSERTION), ALLOWED[Use.CREDENTIAL])
        except CredentialError as error:
            refusal = SignatureError("signature_invalid", error.code)
        else:
            return
    raise refusal
