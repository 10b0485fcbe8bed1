"""VCDM 2.0 with Data Integrity: the JCS cryptosuites."""

from credentials.data_integrity.proof import create_proof, verify_proof

__all__ = ["create_proof", "verify_proof"]
