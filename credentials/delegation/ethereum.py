"""Verifying a wallet's delegation by recovering the account that signed (extra ``ethereum``).

Contract wallets (EIP-1271) need a chain to ask and are refused: there is no network here.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from credentials.delegation.model import Delegation, check, parse_text, parse_typed_data
from credentials.did import pkh
from credentials.errors import ConfigurationError, DelegationError

_SIGNATURE_BYTES: Final = 65
_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_RECOVERY: Final = frozenset({0, 1, 27, 28})


def _library() -> Any:
    depth = sys.getrecursionlimit()
    try:
        import eth_account
        import eth_account.messages
    except ImportError as error:
        raise ConfigurationError("extra_missing", hint="install the extra 'ethereum'") from error
    finally:
        # A library below this one raises the limit of the whole process to 100,000 as it is imported: from then on
        # nested input would end the process where it had raised RecursionError.
        sys.setrecursionlimit(depth)
    return eth_account


def _check_signature(message: Any, signature: bytes, account: str) -> None:
    if len(signature) != _SIGNATURE_BYTES or signature[64] not in _RECOVERY:
        raise DelegationError("delegation_malformed", "not an account's signature of 65 bytes")
    # EIP-2: with s in the upper half the same signature has a second spelling.
    if int.from_bytes(signature[32:64], "big") > _ORDER // 2:
        raise DelegationError("delegation_high_s")
    try:
        signer = _library().Account.recover_message(message, signature=signature)
    except ConfigurationError:
        raise
    except Exception as error:
        raise DelegationError("delegation_signature") from error
    if not pkh.parse(account).same_address(str(signer)):
        raise DelegationError("delegation_signature")


def verify_text(text: str, signature: bytes, expected: Delegation, *, now: float) -> Delegation:
    """Verify a signed EIP-4361 text (EIP-191 prefix, EIP-2 low s) against what was asked."""
    signed = parse_text(text)
    check(signed, expected, now=now)
    message = _library().messages.encode_defunct(text=text)
    _check_signature(message, signature, signed.account)
    return signed


def verify_typed_data(data: dict[str, Any], signature: bytes, expected: Delegation, *, now: float) -> Delegation:
    """Verify signed EIP-712 typed data against what was asked; the types are ours, never the sender's."""
    signed = parse_typed_data(data)
    check(signed, expected, now=now)
    message = _library().messages.encode_typed_data(full_message=data)
    _check_signature(message, signature, signed.account)
    return signed
