"""Presenting: choose disclosures by claim path and bind them to one verifier and request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from credentials import jws
from credentials.encoding import json_encode
from credentials.errors import ClaimsRefusedError, ConfigurationError
from credentials.ports import Signer
from credentials.sd_jwt.disclosure import HASH_NAME, digest
from credentials.sd_jwt.parse import KB_TYPE, SdJwt, parse
from credentials.sd_jwt.process import process


@dataclass(frozen=True, slots=True)
class KeyBindingRequest:
    """What the verifier asked for (RFC 9901 section 4.3, OpenID4VP 1.0 section 8.4)."""

    audience: str
    nonce: str
    issued_at: int
    transaction_data: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.nonce:
            raise ConfigurationError("config_nonce_missing")
        if not self.audience:
            raise ConfigurationError("config_aud_missing")


def transaction_hashes(transaction_data: Iterable[str]) -> list[str]:
    """Hashes of the transaction data as sent, base64url texts (OpenID4VP 1.0 section 8.4, B.3.3)."""
    return [digest(item) for item in transaction_data]


def select(sd_jwt: SdJwt, reveal: Iterable[Collection[str | int]]) -> SdJwt:
    """Keep the disclosures that the claim paths need, with their parents (RFC 9901 section 7.2).

    A path reveals the claim and everything below it; ``claim_path_unknown`` when nothing is there.
    """
    processed = process(sd_jwt.jws.claims(), sd_jwt.disclosures)
    wanted = [tuple(path) for path in reveal]
    for path in wanted:
        _require(processed.claims, path, processed.paths.values())
    chosen = tuple(
        encoded for encoded in sd_jwt.disclosures if any(_related(processed.paths[encoded], path) for path in wanted)
    )
    return SdJwt(sd_jwt.issuer_jwt, sd_jwt.jws, chosen, None)


def _related(found: tuple[str | int, ...], wanted: tuple[str | int, ...]) -> bool:
    shorter = min(len(found), len(wanted))
    return found[:shorter] == wanted[:shorter]


def _child(value: Any, step: str | int) -> Any:
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return value[step]
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    raise ClaimsRefusedError("claim_path_unknown")


def _require(claims: Any, path: tuple[str | int, ...], known: Iterable[tuple[str | int, ...]]) -> None:
    if any(other[: len(path)] == path for other in known):
        return
    value = claims
    for step in path:
        value = _child(value, step)


def present(
    token: str,
    reveal: Iterable[Collection[str | int]],
    *,
    signer: Signer | None = None,
    request: KeyBindingRequest | None = None,
    typ: str | None = "dc+sd-jwt",
) -> str:
    """Present a subset, with key binding when a request is given (RFC 9901 sections 7.2 and 4.3)."""
    if (signer is None) != (request is None):
        raise ConfigurationError("config_invalid", "a key binding needs both a signer and a request")
    chosen = select(parse(token, typ=typ), reveal)
    if signer is None or request is None:
        return chosen.compact()
    claims: dict[str, Any] = {
        "iat": request.issued_at,
        "aud": request.audience,
        "nonce": request.nonce,
        "sd_hash": chosen.sd_hash,
    }
    if request.transaction_data:
        claims["transaction_data_hashes"] = transaction_hashes(request.transaction_data)
        claims["transaction_data_hashes_alg"] = HASH_NAME
    header = {"alg": signer.alg, "typ": KB_TYPE}  # no kid: the key is the one that the issuer confirmed
    return chosen.presented + jws.sign_bytes(header, json_encode(claims), signer)
