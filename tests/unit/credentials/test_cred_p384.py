"""Keys on P-384 and P-521: read and verified with where a specification asks for it, never of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from credentials import jws
from credentials.algorithms import ALLOWED, AllowList, KeyType, Use, check_key, preferred
from credentials.data_integrity.proof import check_form, verify_proof
from credentials.did.local import did_jwk, did_key, did_key_url
from credentials.encoding import b64url_encode, json_encode
from credentials.keys import PrivateKey, PublicKey
from credentials.multibase import base58_decode, base58_encode
from credentials.trust import TrustList

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
CURVES = {
    KeyType.P256: (ec.SECP256R1(), hashes.SHA256(), 32),
    KeyType.P384: (ec.SECP384R1(), hashes.SHA384(), 48),
    KeyType.P521: (ec.SECP521R1(), hashes.SHA512(), 66),
}
LONGER = [KeyType.P384, KeyType.P521]


class Foreign:
    """A signer on another curve, made with ``cryptography`` alone: this package makes none."""

    def __init__(self, key_type: KeyType, kid: str | None = None, digest: hashes.HashAlgorithm | None = None) -> None:
        curve, own_digest, self.size = CURVES[key_type]
        self.private = ec.derive_private_key(0x1234567, curve)
        self.digest = digest or own_digest
        numbers = self.private.public_key().public_numbers()
        x, y = (b64url_encode(value.to_bytes(self.size, "big")) for value in (numbers.x, numbers.y))
        self.jwk = {"kty": "EC", "crv": key_type.value, "x": x, "y": y}
        self.alg = preferred(key_type)
        self.kid = kid

    @property
    def public(self) -> PublicKey:
        return PublicKey.from_jwk(self.jwk)

    def sign(self, data: bytes) -> bytes:
        r, s = decode_dss_signature(self.private.sign(data, ec.ECDSA(self.digest)))
        return r.to_bytes(self.size, "big") + s.to_bytes(self.size, "big")


def vector() -> dict:
    return json.loads((VECTORS / "vc-di/ecdsa-jcs-2019-p384.json").read_text(encoding="utf-8"))


def p384_key(document: dict) -> PublicKey:
    return PublicKey.from_multikey(document["proof"]["verificationMethod"].partition("#")[2])


@pytest.mark.parametrize("key_type", LONGER)
def test_forms_agree_and_signatures_have_the_length_and_hash_of_the_curve(key_type):
    signer = Foreign(key_type)
    key = signer.public
    assert key.to_jwk() == signer.jwk
    assert PublicKey.from_multikey(key.to_multikey()) == key == PublicKey.from_raw(key_type, key.raw)
    assert key.signature_bytes == 2 * signer.size
    assert key.verify(b"data", signer.sign(b"data"))
    assert not key.verify(b"other", signer.sign(b"data"))
    assert not key.verify(b"data", signer.sign(b"data")[:64])
    for wrong in (hashes.SHA256(), hashes.SHA384(), hashes.SHA512()):
        expected = wrong.name == signer.digest.name
        assert key.verify(b"data", Foreign(key_type, digest=wrong).sign(b"data")) is expected


@pytest.mark.parametrize("key_type", LONGER)
def test_none_is_made_or_kept_here(code, key_type):
    signer = Foreign(key_type)
    secret = (0x1234567).to_bytes(signer.size, "big")
    assert code(lambda: PrivateKey.generate(key_type)) == "key_curve_refused"
    assert code(lambda: PrivateKey.from_secret(key_type, secret)) == "key_curve_refused"
    assert code(lambda: PrivateKey.from_jwk({**signer.jwk, "d": b64url_encode(secret)})) == "key_curve_refused"


@pytest.mark.parametrize("key_type", LONGER)
def test_a_point_of_another_curve_or_none_is_refused(world, code, key_type):
    jwk = Foreign(key_type).jwk
    size = CURVES[key_type][2]
    assert code(lambda: PublicKey.from_jwk({**jwk, "crv": "P-256"})) == "key_malformed"
    assert code(lambda: PublicKey.from_jwk({**jwk, "crv": "P-521" if size == 48 else "P-384"})) == "key_malformed"
    assert code(lambda: PublicKey.from_jwk({**jwk, "y": jwk["x"]})) == "key_malformed"  # not on the curve
    assert code(lambda: PublicKey.from_jwk({**jwk, "x": b64url_encode(bytes(size - 1))})) == "key_malformed"
    assert code(lambda: PublicKey.from_raw(key_type, b"\x02" + b"\xff" * size)) == "key_malformed"
    assert code(lambda: PublicKey.from_raw(key_type, world.holder_key.public.raw)) == "key_malformed"
    assert code(lambda: PublicKey.from_jwk({**jwk, "alg": "ES256"})) == "key_use_refused"


def test_the_key_type_binds_the_algorithm(code):
    for alg in ("ES256", "ES512", "ES256K", "Ed25519", "none"):
        assert code(lambda alg=alg: check_key(alg, KeyType.P384)) == "alg_key_mismatch"
    assert code(lambda: check_key("ES384", KeyType.P256)) == "alg_key_mismatch"
    assert code(lambda: check_key("ES384", KeyType.P384)) is None


def test_es384_is_allowed_only_where_a_list_names_it(code):
    assert all("ES384" not in ALLOWED[use].names for use in Use)
    for use in (Use.CREDENTIAL, Use.STATUS_LIST):
        assert "ES384" in AllowList(use, ["ES256", "ES384"]).names
        assert code(lambda use=use: AllowList(use, ["ES512"])) == "config_invalid"
    for use in (Use.KEY_BINDING, Use.WALLET):
        assert code(lambda use=use: AllowList(use, ["ES384"])) == "config_invalid"


def credential(world, signer: Foreign, issuer: str) -> str:
    header = {"alg": signer.alg, "typ": "dc+sd-jwt", "kid": f"{issuer}#0"}
    return jws.sign_bytes(header, json_encode(world.claims(iss=issuer)), signer) + "~"


def test_a_credential_of_an_issuer_on_p384_verifies_when_the_policy_says_so(world):
    signer = Foreign(KeyType.P384)
    issuer = did_jwk(signer.public)
    token = credential(world, signer, issuer)
    trusted = {"types": None, "issuers": TrustList({issuer: [world.vct]})}
    assert world.verify(token, **trusted).code == "alg_not_allowed"
    named = AllowList(Use.CREDENTIAL, ["ES256", "ES384"])
    assert world.verify(token, algorithms=named, **trusted).ok
    wrong = credential(world, Foreign(KeyType.P384, digest=hashes.SHA256()), issuer)
    assert world.verify(wrong, algorithms=named, **trusted).code == "signature_invalid"


def test_a_holder_has_no_key_on_p384(world, code):
    jwk = Foreign(KeyType.P384).jwk
    assert code(lambda: world.issue(holder=PublicKey.from_jwk(jwk))) == "key_curve_refused"
    token = world.with_kb(world.sd(world.claims(cnf={"jwk": jwk})), {})
    assert world.verify(token, types=None, key_binding=world.binding).code == "key_curve_refused"


def test_the_p384_vector_verifies_only_as_published(code):
    document, key = vector(), p384_key(vector())
    proof = check_form(document["proof"])
    assert key.key_type is KeyType.P384
    assert verify_proof(document, proof, key)["name"] == "Alumni Credential"
    raw = base58_decode(proof["proofValue"][1:])
    for changed, expected in (
        (raw[:64], "proof_malformed"),
        (raw[:-1], "proof_malformed"),
        (raw[:-1] + bytes([raw[-1] ^ 1]), "signature_invalid"),
        (raw[48:] + raw[:48], "signature_invalid"),
    ):
        other = {**proof, "proofValue": "z" + base58_encode(changed)}
        assert code(lambda other=other: verify_proof(document, other, key)) == expected


def test_a_suite_takes_only_keys_of_its_curves(world, code):
    document, key = vector(), p384_key(vector())
    proof = check_form(document["proof"])
    as_eddsa = {**proof, "cryptosuite": "eddsa-jcs-2022"}
    assert code(lambda: verify_proof(document, as_eddsa, key)) == "alg_key_mismatch"
    assert code(lambda: verify_proof(document, proof, world.ed_key.public)) == "alg_key_mismatch"
    assert code(lambda: verify_proof(document, proof, Foreign(KeyType.P521).public)) == "alg_key_mismatch"
    assert code(lambda: verify_proof(document, proof, world.holder_key.public)) == "proof_malformed"  # 96 bytes


def test_a_p384_proof_hashes_with_sha_384(world, code):
    from credentials.data_integrity.jcs import sha256, sha384

    signer = Foreign(KeyType.P384)
    document = world.credential(issuer=did_key(signer.public))
    config = {
        "type": "DataIntegrityProof",
        "cryptosuite": "ecdsa-jcs-2019",
        "verificationMethod": did_key_url(signer.public),
        "proofPurpose": "assertionMethod",
        "@context": document["@context"],
    }

    def prove(function) -> dict:
        signature = signer.sign(function(config) + function(document))
        return {**document, "proof": {**config, "proofValue": "z" + base58_encode(signature)}}

    trusted = {"issuers": TrustList({document["issuer"]: ["MemoryCredential"]})}
    assert world.verify_vc(json.dumps(prove(sha384)), **trusted).ok
    assert world.verify_vc(json.dumps(prove(sha256)), **trusted).code == "signature_invalid"
