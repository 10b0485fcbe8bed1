"""Data Integrity proofs with the JCS cryptosuites: ``eddsa-jcs-2022`` and ``ecdsa-jcs-2019``.

Everything that needs JSON-LD expansion is refused by name (``suite_unsupported``): the Python stack
for it drops undefined terms and has no work limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from credentials.algorithms import KeyType
from credentials.data_integrity.jcs import sha256, sha384
from credentials.errors import CredentialError, KeyRefusedError, ProofError, TimeRefusedError
from credentials.keys import PublicKey
from credentials.limits import LEEWAY_SECONDS
from credentials.multibase import base58_decode, multibase_encode
from credentials.ports import Signer
from credentials.times import timestamp, to_timestamp

PROOF_TYPE: Final = "DataIntegrityProof"
EDDSA: Final = "eddsa-jcs-2022"
ECDSA: Final = "ecdsa-jcs-2019"
SUITES: Final[Mapping[str, tuple[KeyType, ...]]] = {
    EDDSA: (KeyType.ED25519,),
    ECDSA: (KeyType.P256, KeyType.P384),
}


def _hash_data(document: Mapping[str, Any], config: Mapping[str, Any], key_type: KeyType) -> bytes:
    # vc-di-eddsa and vc-di-ecdsa 3.3.4: the hash of the configuration comes first; the key names the function.
    function = sha384 if key_type is KeyType.P384 else sha256
    return function(config) + function(document)


def create_proof(
    document: Mapping[str, Any],
    signer: Signer,
    *,
    verification_method: str,
    purpose: str,
    created: float | None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make a proof over a document without one (vc-di-eddsa 1.0 section 3.3.1).

    The document's ``@context`` is copied into the proof, as step 2 requires.
    """
    if signer.public.key_type is not KeyType.ED25519:
        raise KeyRefusedError("alg_key_mismatch", f"{EDDSA} needs an Ed25519 key")
    config: dict[str, Any] = {"type": PROOF_TYPE, "cryptosuite": EDDSA}
    if created is not None:
        config["created"] = to_timestamp(created)
    config |= {"verificationMethod": verification_method, "proofPurpose": purpose, **(options or {})}
    if "@context" in document:
        config["@context"] = document["@context"]
    signature = signer.sign(_hash_data(document, config, KeyType.ED25519))
    return {**config, "proofValue": multibase_encode(signature)}


def _signature(proof: Mapping[str, Any], size: int) -> bytes:
    value = proof.get("proofValue")
    if not isinstance(value, str) or not value.startswith("z"):
        raise ProofError("proof_malformed", "proofValue is not base58btc multibase")
    try:
        signature = base58_decode(value[1:])
    except CredentialError as error:
        raise ProofError("proof_malformed", "proofValue is not base58btc") from error
    if len(signature) != size:
        raise ProofError("proof_malformed", "a signature has another length")
    return signature


def _secured_document(document: Mapping[str, Any], proof: Mapping[str, Any], suite: str) -> dict[str, Any]:
    """The document that the signature covers (vc-di-eddsa 1.0 section 3.3.2 step 4)."""
    secured = {name: value for name, value in document.items() if name != "proof"}
    if "@context" in proof:
        mine, signed = secured.get("@context"), proof["@context"]
        if isinstance(mine, list) and isinstance(signed, list) and mine[: len(signed)] == signed:
            # Contexts appended after signing are dropped: nothing unsigned is handed on.
            return secured | {"@context": signed}
        if mine == signed:
            return secured
        raise ProofError("proof_context_mismatch")
    if "@context" in secured and suite == EDDSA:
        raise ProofError("proof_context_missing")
    return secured


def check_form(proof: object) -> dict[str, Any]:
    """Require a proof object of a supported suite (Data Integrity 1.0 section 2.1)."""
    if proof is None:
        raise ProofError("proof_missing")
    if isinstance(proof, list):
        raise ProofError("proof_multiple" if len(proof) != 1 else "proof_malformed")
    if not isinstance(proof, dict):
        raise ProofError("proof_malformed")
    suite = proof.get("cryptosuite")
    if proof.get("type") != PROOF_TYPE or not isinstance(suite, str) or suite not in SUITES:
        raise ProofError("suite_unsupported")
    if not isinstance(proof.get("verificationMethod"), str):
        raise ProofError("proof_malformed", "no verificationMethod")
    return proof


def check_dates(proof: Mapping[str, Any], *, now: float, leeway: int = LEEWAY_SECONDS) -> None:
    """Check ``created`` and ``expires`` (Data Integrity 1.0 section 4.3)."""
    if "created" in proof and timestamp(proof["created"], "created") > now + leeway:
        raise TimeRefusedError("issued_in_future")
    if "expires" in proof and now >= timestamp(proof["expires"], "expires") + leeway:
        raise TimeRefusedError("expired")


def verify_proof(document: Mapping[str, Any], proof: Mapping[str, Any], key: PublicKey) -> dict[str, Any]:
    """Check a proof that passed ``check_form`` (vc-di-eddsa 1.0 section 3.3.2, vc-di-ecdsa 1.0 3.3.2).

    Returns the document as it was signed; callers use only that.
    """
    suite = proof["cryptosuite"]
    if key.key_type not in SUITES[suite]:
        raise KeyRefusedError("alg_key_mismatch", f"{suite} needs another key type")
    secured = _secured_document(document, proof, suite)
    config = {name: value for name, value in proof.items() if name != "proofValue"}
    signature = _signature(proof, key.signature_bytes)
    if not key.verify(_hash_data(secured, config, key.key_type), signature):
        raise ProofError("signature_invalid")
    return secured
