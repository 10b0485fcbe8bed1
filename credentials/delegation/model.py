"""What a wallet or passkey delegates: one holder key, to one agent, under one consent, for a while."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from credentials.did import pkh
from credentials.errors import DelegationError, LimitError, MalformedError
from credentials.limits import LEEWAY_SECONDS, MAX_WALLET_MESSAGE_BYTES
from credentials.times import timestamp, to_timestamp

_DOMAIN: Final = re.compile(r"[a-z0-9.-]{1,253}(:[0-9]{1,5})?\Z")
_NONCE: Final = re.compile(r"[A-Za-z0-9]{8,64}\Z")  # EIP-4361 section "Informal Message Template"
_HASH: Final = re.compile(r"[A-Za-z0-9_-]{43}\Z")
_STATEMENT: Final = "I let this key present my memories to the agent named below, under the consent named below."
_HOLDER, _GRANTEE, _CONSENT = "urn:memory:holder:", "urn:memory:grantee:", "urn:memory:consent:"


@dataclass(frozen=True, slots=True)
class Delegation:
    """The content of a delegation; every part is compared when it is verified."""

    domain: str
    account: str  # did:pkh:eip155:<chain>:<address>
    holder_thumbprint: str
    grantee: str
    consent_hash: str
    nonce: str
    issued_at: int
    expires_at: int

    def __post_init__(self) -> None:
        pkh.parse(self.account)
        texts = ((_DOMAIN, self.domain), (_NONCE, self.nonce))
        hashes = ((_HASH, self.holder_thumbprint), (_HASH, self.consent_hash))
        if not all(pattern.match(text) for pattern, text in (*texts, *hashes)):
            raise DelegationError("delegation_malformed")
        if not self.grantee.startswith("did:") or any(c.isspace() for c in self.grantee):
            raise DelegationError("delegation_malformed", "grantee")
        if self.issued_at >= self.expires_at:
            raise DelegationError("delegation_malformed", "it ends before it begins")


def sign_in_text(delegation: Delegation) -> str:
    """The text for the wallet (EIP-4361 "Message Format", CAIP-122); a person can read it."""
    account = pkh.parse(delegation.account)
    return "\n".join(
        (
            f"{delegation.domain} wants you to sign in with your Ethereum account:",
            account.address,
            "",
            _STATEMENT,
            "",
            f"URI: https://{delegation.domain}/consents",
            "Version: 1",
            f"Chain ID: {account.chain_id}",
            f"Nonce: {delegation.nonce}",
            f"Issued At: {to_timestamp(delegation.issued_at)}",
            f"Expiration Time: {to_timestamp(delegation.expires_at)}",
            "Resources:",
            f"- {_HOLDER}{delegation.holder_thumbprint}",
            f"- {_GRANTEE}{delegation.grantee}",
            f"- {_CONSENT}{delegation.consent_hash}",
        )
    )


_TEXT: Final = re.compile(
    r"(?P<domain>[^\s]+) wants you to sign in with your Ethereum account:\n"
    r"(?P<address>0x[0-9a-fA-F]{40})\n\n" + re.escape(_STATEMENT) + r"\n\n"
    r"URI: https://(?P<uri>[^\s/]+)/consents\n"
    r"Version: 1\n"
    r"Chain ID: (?P<chain>[1-9][0-9]{0,31})\n"
    r"Nonce: (?P<nonce>[A-Za-z0-9]+)\n"
    r"Issued At: (?P<issued>[^\s]+)\n"
    r"Expiration Time: (?P<expires>[^\s]+)\n"
    r"Resources:\n"
    r"- urn:memory:holder:(?P<holder>[^\s]+)\n"
    r"- urn:memory:grantee:(?P<grantee>[^\s]+)\n"
    r"- urn:memory:consent:(?P<consent>[^\s]+)\Z"
)


def parse_text(text: str) -> Delegation:
    """Read a signed text (EIP-4361 "Parsing"); only the form of ``sign_in_text`` is accepted."""
    if len(text) > MAX_WALLET_MESSAGE_BYTES:
        raise LimitError("too_large", f"more than {MAX_WALLET_MESSAGE_BYTES} characters")
    match = _TEXT.match(text)
    if match is None:
        raise DelegationError("delegation_malformed")
    if match["uri"] != match["domain"]:
        raise DelegationError("delegation_domain", "address and domain differ")
    return Delegation(
        match["domain"],
        f"did:pkh:eip155:{match['chain']}:{match['address']}",
        match["holder"],
        match["grantee"],
        match["consent"],
        match["nonce"],
        int(timestamp(match["issued"], "Issued At")),
        int(timestamp(match["expires"], "Expiration Time")),
    )


def typed_data(delegation: Delegation) -> dict[str, Any]:
    """The same delegation as EIP-712 typed data; domain separator with chain and domain name."""
    account = pkh.parse(delegation.account)
    fields = ("holderKeyThumbprint", "grantee", "consentHash", "nonce")
    return {
        "types": {
            "EIP712Domain": [
                {"name": "name", "type": "string"},
                {"name": "version", "type": "string"},
                {"name": "chainId", "type": "uint256"},
            ],
            "MemoryDelegation": [
                {"name": "account", "type": "address"},
                *({"name": name, "type": "string"} for name in fields),
                {"name": "issuedAt", "type": "uint64"},
                {"name": "expiresAt", "type": "uint64"},
            ],
        },
        "primaryType": "MemoryDelegation",
        "domain": {"name": delegation.domain, "version": "1", "chainId": account.chain_id},
        "message": {
            "account": account.address,
            "holderKeyThumbprint": delegation.holder_thumbprint,
            "grantee": delegation.grantee,
            "consentHash": delegation.consent_hash,
            "nonce": delegation.nonce,
            "issuedAt": delegation.issued_at,
            "expiresAt": delegation.expires_at,
        },
    }


def parse_typed_data(data: dict[str, Any]) -> Delegation:
    """Read typed data (EIP-712); it must be exactly what ``typed_data`` makes of its content."""
    try:
        domain, message = data["domain"], data["message"]
        delegation = Delegation(
            domain["name"],
            f"did:pkh:eip155:{domain['chainId']}:{message['account']}",
            message["holderKeyThumbprint"],
            message["grantee"],
            message["consentHash"],
            message["nonce"],
            message["issuedAt"],
            message["expiresAt"],
        )
    except (KeyError, TypeError, AttributeError, MalformedError) as error:
        raise DelegationError("delegation_malformed") from error
    if typed_data(delegation) != data:
        raise DelegationError("delegation_malformed", "other types or members")
    return delegation


def check(signed: Delegation, expected: Delegation, *, now: float, leeway: int = LEEWAY_SECONDS) -> None:
    """Compare what was signed with what this verifier asked for (CAIP-122 "Verification").

    Domain, chain, account, nonce, content, then time; each has its own code.
    """
    found, wanted = pkh.parse(signed.account), pkh.parse(expected.account)
    if signed.domain != expected.domain:
        raise DelegationError("delegation_domain")
    if found.chain_id != wanted.chain_id:
        raise DelegationError("delegation_chain")
    if not found.same_address(wanted.address):
        raise DelegationError("delegation_signature", "another account")
    if signed.nonce != expected.nonce:
        raise DelegationError("delegation_nonce")
    content = (signed.holder_thumbprint, signed.grantee, signed.consent_hash)
    if content != (expected.holder_thumbprint, expected.grantee, expected.consent_hash):
        raise DelegationError("delegation_content")
    if now < signed.issued_at - leeway or now >= signed.expires_at + leeway:
        raise DelegationError("delegation_expired")
    if signed.expires_at > expected.expires_at:
        raise DelegationError("delegation_expired", "it lasts longer than was asked")
