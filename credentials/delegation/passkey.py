"""Verifying a passkey assertion whose challenge is a consent (extra ``passkey``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from credentials.encoding import b64url_decode, json_object
from credentials.errors import ConfigurationError, CredentialError, DelegationError, LimitError
from credentials.limits import MAX_WALLET_MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class PasskeyExpectation:
    """What the verifier knows about the passkey and asked it to sign."""

    consent_hash: str  # base64url; the challenge of the assertion
    relying_party: str  # domain of the passkey
    origin: str  # where the person approved
    public_key: bytes  # COSE key from registration
    sign_count: int


def _client_data(assertion: dict[str, Any]) -> dict[str, Any]:
    try:
        return json_object(b64url_decode(assertion["response"]["clientDataJSON"]))
    except (KeyError, TypeError, AttributeError, CredentialError) as error:
        raise DelegationError("delegation_malformed") from error


def verify_assertion(assertion: dict[str, Any], expected: PasskeyExpectation) -> int:
    """Verify an assertion with user verification (WebAuthn level 3 section 7.2); the new sign count.

    Challenge and origin are compared here first, so that each has its own code.
    """
    if len(str(assertion)) > MAX_WALLET_MESSAGE_BYTES:
        raise LimitError("too_large", f"more than {MAX_WALLET_MESSAGE_BYTES} characters")
    client = _client_data(assertion)
    if client.get("challenge") != expected.consent_hash:
        raise DelegationError("delegation_content")
    if client.get("origin") != expected.origin:
        raise DelegationError("delegation_domain")
    try:
        import webauthn
        from webauthn.helpers.exceptions import WebAuthnException
    except ImportError as error:
        raise ConfigurationError("extra_missing", hint="install the extra 'passkey'") from error
    try:
        result = webauthn.verify_authentication_response(
            credential=assertion,
            expected_challenge=b64url_decode(expected.consent_hash),
            expected_rp_id=expected.relying_party,
            expected_origin=expected.origin,
            credential_public_key=expected.public_key,
            credential_current_sign_count=expected.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise DelegationError("delegation_signature") from error
    return int(result.new_sign_count)
