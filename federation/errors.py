"""One error tree for the gateway; every refusal carries a stable code.

Codes are a public contract, texts are only for people. A code that is not in ``CODES`` cannot be raised.
Errors of ``credentials`` pass through as they are: they have their own codes.
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # configuration
    "config_origin": "the origin is not https with a public host name and without a path",
    "config_agent": "an agent's name is not usable in an address, or is there twice",
    "config_invalid": "a setting has a value that cannot be meant",
    # fetch
    "fetch_url": "the address is not one that may be fetched",
    "fetch_address": "the name leads to an address that is not public",
    "fetch_unresolved": "the name has no address",
    "fetch_failed": "the connection could not be made or broke",
    "fetch_timeout": "the answer took longer than allowed",
    "fetch_redirect": "the answer is a redirect, and none is followed",
    "fetch_status": "the answer has another status than success",
    "fetch_type": "the answer has another content type than expected",
    "fetch_encoded": "the answer is compressed, which was not asked for",
    "fetch_too_large": "the answer is larger than allowed",
    # message signatures
    "signature_missing": "there is no signature for this use",
    "signature_malformed": "the signature fields are not well formed",
    "signature_ambiguous": "there is more than one signature for this use",
    "signature_parameter": "a parameter of the signature is missing, unknown or of the wrong form",
    "signature_component": "a covered component is unknown, repeated, or not part of the message",
    "signature_coverage": "the signature does not cover what it has to cover",
    "signature_time": "the signature is not valid at this time",
    "signature_key": "the key of the signature is not one of its owner's keys for this purpose",
    "signature_algorithm": "the algorithm does not belong to the key",
    "signature_invalid": "the signature does not verify",
    "digest_missing": "the message has a body and no digest of it",
    "digest_malformed": "the digest field is not well formed or has no supported algorithm",
    "digest_mismatch": "the digest is not that of the body",
    "replayed": "this request was received before",
    "replay_full": "no more requests can be remembered now",
    # peers and pairing
    "peer_unknown": "the sender is not a peer of this agent",
    "peer_blocked": "the peer is blocked",
    "peer_type": "the peer is not trusted with this credential type",
    "peer_purpose": "the peer is not trusted with this purpose",
    "peer_tenant": "the peer is not trusted for this user",
    "peer_invalid": "a property of the peer has a value that cannot be meant",
    "pairing_unknown": "there is no such open invitation",
    "pairing_state": "the pairing is not at this step",
    "pairing_commitment": "what was revealed is not what was committed to",
    "pairing_invitation": "the invitation is not well formed",
    "pairing_answer": "the inviting gateway answered something that is no part of a pairing",
    # messages
    "agent_unknown": "there is no such agent here",
    "message_malformed": "the message does not have the form of its type",
    "message_type": "the type of the message is not on the list",
    "message_sender": "the message names another sender than the one who signed",
    "message_recipient": "the message is for somebody else",
    "message_conflict": "another message with the same id was received before",
    "message_too_large": "the message is larger than allowed",
    "message_media_type": "the message is not JSON",
    "busy": "too many messages are being worked on, try again",
    "did_refused": "the identifier cannot be resolved here",
    # store
    "store_unavailable": "the store does not answer now",
    "store_newer": "the store was written by a newer version",
}


class FederationError(Exception):
    """Base of all errors of this package.

    ``code`` is stable and listed in ``CODES``. ``str()`` is short and holds no claim, key or secret.
    """

    def __init__(self, code: str, message: str | None = None, *, hint: str | None = None) -> None:
        if code not in CODES:
            raise LookupError(f"unregistered code {code!r}")
        self.code = code
        self.message = message or CODES[code]
        self.hint = hint
        super().__init__(f"{code}: {self.message}")


class ConfigurationError(FederationError):
    """The gateway's own set-up is unsafe or incomplete; raised before anything is served."""


class FetchError(FederationError):
    """Something could not be fetched, or may not be."""


class SignatureError(FederationError):
    """A signed request does not hold."""


class ReplayError(FederationError):
    """A request was used before, or cannot be remembered."""


class PeerError(FederationError):
    """A peer is not trusted with what it asks."""


class PairingError(FederationError):
    """Two agents could not be paired."""


class MessageError(FederationError):
    """A message between agents is not acceptable."""


class StoreError(FederationError):
    """The gateway's store cannot be used."""
