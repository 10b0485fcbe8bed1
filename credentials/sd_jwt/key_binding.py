"""Checking a key binding JWT: whose key, for whom, in answer to what, over which disclosures."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from credentials import jws
from credentials.algorithms import ALLOWED, SIGNING, AllowList, Use
from credentials.errors import BindingError, ConfigurationError, KeyRefusedError
from credentials.keys import PublicKey
from credentials.limits import KEY_BINDING_MAX_AGE_SECONDS, LEEWAY_SECONDS, MIN_NONCE_CHARS
from credentials.sd_jwt.disclosure import HASH_NAME
from credentials.sd_jwt.parse import KB_TYPE, SdJwt
from credentials.sd_jwt.present import transaction_hashes
from credentials.times import check_issued, numeric_date


@dataclass(frozen=True, slots=True)
class KeyBindingPolicy:
    """What a verifier requires of the holder; incomplete requirements are refused at once.

    The audience is the verifier's full client identifier from its own configuration, never from
    the request. ``transaction_data`` are the texts that were sent and must have been signed.
    """

    audience: str
    nonce: str
    transaction_data: Sequence[str] = ()
    max_age: int = KEY_BINDING_MAX_AGE_SECONDS
    leeway: int = LEEWAY_SECONDS
    allowed: AllowList = ALLOWED[Use.KEY_BINDING]

    def __post_init__(self) -> None:
        if not isinstance(self.nonce, str) or not self.nonce:
            raise ConfigurationError("config_nonce_missing")
        if not isinstance(self.audience, str) or not self.audience:
            raise ConfigurationError("config_aud_missing")
        if len(self.nonce) < MIN_NONCE_CHARS:
            raise ConfigurationError("config_invalid", f"nonce shorter than {MIN_NONCE_CHARS} characters")


def holder_key(claims: Mapping[str, Any]) -> PublicKey:
    """The key in ``cnf.jwk`` (RFC 7800 section 3.2, RFC 9901 section 4.1.2); no other form is accepted."""
    cnf = claims.get("cnf")
    if cnf is None:
        raise BindingError("cnf_missing")
    if not isinstance(cnf, dict) or "jwk" not in cnf:
        raise BindingError("cnf_unsupported", "only cnf.jwk is supported")
    key = PublicKey.from_jwk(cnf["jwk"])
    if key.key_type not in SIGNING:
        raise KeyRefusedError("key_curve_refused", "holders have P-256 or Ed25519 keys")
    return key


def _same(found: object, expected: str) -> bool:
    return isinstance(found, str) and hmac.compare_digest(found.encode(), expected.encode())


def _check_transaction(claims: Mapping[str, Any], expected: Sequence[str]) -> None:
    hashes = claims.get("transaction_data_hashes")
    if not expected:
        if hashes is not None:
            raise BindingError("transaction_data_unexpected")
        return
    if claims.get("transaction_data_hashes_alg", HASH_NAME) != HASH_NAME:
        raise BindingError("transaction_data_mismatch", "unsupported hash")
    if hashes != transaction_hashes(expected):
        raise BindingError("transaction_data_mismatch")


def verify(sd_jwt: SdJwt, claims: Mapping[str, Any], policy: KeyBindingPolicy, *, now: float) -> PublicKey:
    """Check the key binding (RFC 9901 section 7.3 step 5): key, type, signature, ``iat``, ``aud``, ``nonce``,
    ``sd_hash``, transaction data (OpenID4VP 1.0 section 8.4). Returns the holder's key.
    """
    if sd_jwt.key_binding is None:
        raise BindingError("kb_missing")
    key = holder_key(claims)
    token = jws.parse(sd_jwt.key_binding, typ=KB_TYPE)
    jws.verify(token, key, policy.allowed)
    kb = token.claims()
    issued = numeric_date(kb, "iat")
    if issued is None or "aud" not in kb or "nonce" not in kb or "sd_hash" not in kb:
        raise BindingError("kb_malformed")
    check_issued(now=now, iat=issued, max_age=policy.max_age, leeway=policy.leeway)
    if not _same(kb["aud"], policy.audience):
        raise BindingError("kb_aud_mismatch")
    if not _same(kb["nonce"], policy.nonce):
        raise BindingError("kb_nonce_mismatch")
    if not _same(kb["sd_hash"], sd_jwt.sd_hash):
        raise BindingError("kb_sd_hash_mismatch")
    _check_transaction(kb, policy.transaction_data)
    return key
