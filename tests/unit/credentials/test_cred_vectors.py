"""Everything that the standards publish as examples, against this implementation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from credentials import jws
from credentials.algorithms import ALLOWED, KeyType, Use
from credentials.data_integrity.contexts import VCDM2, check_content
from credentials.data_integrity.jcs import canonicalize
from credentials.data_integrity.proof import check_form, create_proof, verify_proof
from credentials.did import pkh
from credentials.did.local import did_key, key_document
from credentials.did.webvh import verify_log
from credentials.encoding import json_decode
from credentials.errors import CredentialError
from credentials.keys import PrivateKey, PublicKey
from credentials.multibase import base58_decode, multibase_decode, multibase_encode
from credentials.sd_jwt import key_binding as kb
from credentials.sd_jwt import parse, process, to_json
from credentials.sd_jwt.disclosure import create, decode, digest
from credentials.sd_jwt.json_form import parse_json, parse_signatures
from credentials.status import bitstring, token_list
from credentials.status.bits import StatusList
from credentials.vault import LocalSigner

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
RFC9901 = json.loads((VECTORS / "rfc9901/examples.json").read_text(encoding="utf-8"))
RFC9901_JSON = json.loads((VECTORS / "rfc9901/json-serialization.json").read_text(encoding="utf-8"))
TSL = json.loads((VECTORS / "status-list/token-status-list.json").read_text(encoding="utf-8"))
BITSTRING = json.loads((VECTORS / "status-list/bitstring-test-suite.json").read_text(encoding="utf-8"))
DID_KEY = json.loads((VECTORS / "did/did-key.json").read_text(encoding="utf-8"))
NOW = 1_790_000_000


@pytest.mark.parametrize("example", RFC9901["examples"], ids=lambda example: example["section"])
def test_rfc9901_example_verifies_and_gives_the_published_claims(example):
    token = parse(example["token"], typ=example["typ"])
    jws.verify(token.jws, PublicKey.from_jwk(RFC9901["issuer_jwk"]), ALLOWED[Use.CREDENTIAL])
    assert process(token.jws.claims(), token.disclosures).claims == example["claims"]
    if token.key_binding is not None:
        binding = RFC9901["key_binding"]
        policy = kb.KeyBindingPolicy(binding["aud"], binding["nonce"])
        key = kb.verify(token, example["claims"], policy, now=binding["iat"])
        assert key == PublicKey.from_jwk(example["claims"]["cnf"]["jwk"])


@pytest.mark.parametrize("example", RFC9901_JSON["examples"], ids=lambda example: example["section"])
def test_rfc9901_json_example_verifies_and_gives_the_published_claims(example):
    text = json.dumps(example["document"])
    tokens = parse_signatures(text, typ=RFC9901_JSON["typ"])
    assert len(tokens) == len(example["document"].get("signatures", [None]))
    for token, jwk in zip(tokens, RFC9901_JSON["issuer_jwks"], strict=False):  # each signature by its own key
        jws.verify(token.jws, PublicKey.from_jwk(jwk), ALLOWED[Use.CREDENTIAL])
        assert process(token.jws.claims(), token.disclosures).claims == example["claims"]
    if tokens[0].key_binding is not None:
        binding = RFC9901["key_binding"]
        policy = kb.KeyBindingPolicy(binding["aud"], binding["nonce"])
        key = kb.verify(tokens[0], example["claims"], policy, now=binding["iat"])
        assert key == PublicKey.from_jwk(example["claims"]["cnf"]["jwk"])


@pytest.mark.parametrize("example", RFC9901_JSON["examples"][:2], ids=lambda example: example["section"])
def test_rfc9901_json_example_is_written_again_from_its_compact_form(example):
    token = parse_json(json.dumps(example["document"]), typ=RFC9901_JSON["typ"])
    assert json.loads(to_json(parse(token.compact(), typ=RFC9901_JSON["typ"]))) == example["document"]


def test_rfc9901_json_example_with_two_signatures_binds_the_first_and_is_not_taken_for_one():
    text = json.dumps(RFC9901_JSON["examples"][2]["document"])
    first, second = parse_signatures(text, typ=RFC9901_JSON["typ"])
    claims = jws.parse(first.key_binding, typ="kb+jwt").claims()
    assert claims["sd_hash"] == first.sd_hash != second.sd_hash
    with pytest.raises(CredentialError) as refusal:
        parse_json(text, typ=RFC9901_JSON["typ"])
    assert refusal.value.code == "sd_json_signatures"


@pytest.mark.parametrize("item", RFC9901["disclosures"], ids=lambda item: item["digest"])
def test_rfc9901_disclosure_has_the_published_digest(item):
    assert digest(item["disclosure"]) == item["digest"]
    assert decode(item["disclosure"]).digest == item["digest"]


@pytest.mark.parametrize("example", RFC9901["payloads"], ids=lambda example: example["section"])
def test_rfc9901_payload_and_disclosures_give_the_published_claims(example):
    assert process(example["payload"], tuple(example["disclosures"])).claims == example["claims"]


def test_a_disclosure_of_ours_is_read_back_as_it_was_made():
    made = create(bytes(16), "given_name", "Möbius")
    assert decode(made.encoded) == made


def _key(document) -> PublicKey:
    return PublicKey.from_multikey(document["proof"]["verificationMethod"].partition("#")[2])


JCS = ["eddsa-jcs-2022", "ecdsa-jcs-2019-p256", "ecdsa-jcs-2019-p256-older", "ecdsa-jcs-2019-p384"]


@pytest.mark.parametrize("name", JCS)
def test_w3c_jcs_credential_verifies_and_a_change_does_not(name):
    document = json.loads((VECTORS / f"vc-di/{name}.json").read_text(encoding="utf-8"))
    proof = check_form(document["proof"])
    secured = verify_proof(document, proof, _key(document))
    assert secured == {key: value for key, value in document.items() if key != "proof"}
    changed = document | {"name": "Another Credential"}
    with pytest.raises(CredentialError) as refusal:
        verify_proof(changed, proof, _key(document))
    assert refusal.value.code == "signature_invalid"


def test_w3c_eddsa_proof_is_reproduced_byte_for_byte():
    document = json.loads((VECTORS / "vc-di/eddsa-jcs-2022.json").read_text(encoding="utf-8"))
    pair = json.loads((VECTORS / "vc-di/eddsa-keyPair.json").read_text(encoding="utf-8"))
    seed = multibase_decode(pair["privateKeyMultibase"])[2:]
    key = PrivateKey.from_secret(KeyType.ED25519, seed)
    assert key.public.to_multikey() == pair["publicKeyMultibase"]
    published = document.pop("proof")
    made = create_proof(
        document,
        LocalSigner(key),
        verification_method=published["verificationMethod"],
        purpose="assertionMethod",
        created=1_677_281_798,
    )
    assert made == published


def test_the_known_digest_is_that_of_the_published_context():
    content = (VECTORS / "vc-di/credentials-v2.jsonld").read_bytes()
    check_content(VCDM2, content)
    with pytest.raises(CredentialError) as refusal:
        check_content(VCDM2, content + b" ")
    assert refusal.value.code == "context_hash_mismatch"


@pytest.mark.parametrize("vector", TSL["lists"], ids=lambda vector: f"{vector['bits']}-bit")
def test_token_status_list_vector_has_exactly_the_published_entries(vector):
    data = token_list.decode_list(vector["bits"], vector["lst"])
    listing = StatusList("u", "i", data, vector["bits"], False, NOW, None, None)
    assert len(listing) == TSL["entries"]
    published = {int(index): value for index, value in vector["set"].items() if value}
    # Whole-list scan in C speed: bytes that are not zero hold all set entries.
    per_byte = 8 // vector["bits"]
    found = {
        index: listing.at(index)
        for byte, value in enumerate(data)
        if value
        for index in range(byte * per_byte, (byte + 1) * per_byte)
        if listing.at(index)
    }
    assert found == published
    assert token_list.decode_list(vector["bits"], token_list.encode_list(data)) == data


@pytest.mark.parametrize("name", ["bitstring", "bitstring-uscis"])
def test_bitstring_vector_is_the_minimum_list_with_exactly_what_is_published(name):
    vector = json.loads((VECTORS / f"status-list/{name}.json").read_text(encoding="utf-8"))
    data = bitstring.decode_list(vector["encodedList"])
    listing = StatusList("u", "i", data, 1, True, NOW, None, None)
    assert len(listing) == len(data) * 8 == vector["entries"]
    assert [index for index in range(len(listing)) if listing.at(index)] == vector["set"]
    assert bitstring.decode_list(bitstring.encode_list(data)) == data


@pytest.mark.parametrize("vector", BITSTRING["documents"], ids=lambda vector: vector["name"])
def test_bitstring_document_of_the_w3c_test_suite(vector):
    """The suite writes its lists without the multibase prefix that the specification requires since."""
    document = vector["document"]

    def outcome(value, entry) -> str | None:
        try:
            _, index, purpose = bitstring.reference(entry)
            bitstring.check(bitstring.read(value, uri="u", issuer="i", now=NOW), index, purpose)
        except CredentialError as error:
            return error.code
        return None

    subject = document["credentialSubject"]
    prefixed = document | {"credentialSubject": {**subject, "encodedList": "u" + subject["encodedList"]}}
    for item in vector["entries"]:
        entry = bitstring.entry("u", int(item["statusListIndex"]), item["statusPurpose"])
        assert outcome(prefixed, entry) == item["code"]
        assert outcome(document, entry) == "status_list_malformed"


@pytest.mark.parametrize("vector", DID_KEY["ed25519"], ids=lambda vector: vector["did"][-8:])
def test_did_key_of_ed25519_vectors(vector):
    key = PrivateKey.from_secret(KeyType.ED25519, bytes.fromhex(vector["seed"]))
    assert did_key(key.public) == vector["did"]
    document = key_document(vector["did"])
    assert document.only_key("assertionMethod")[1].raw == base58_decode(vector["publicKeyBase58"])


@pytest.mark.parametrize("vector", DID_KEY["secp256k1"], ids=lambda vector: vector["did"][-8:])
def test_did_key_of_secp256k1_vectors(vector):
    key = key_document(vector["did"]).only_key("authentication")[1]
    assert key.raw == base58_decode(vector["publicKeyBase58"])
    assert key.key_type is KeyType.SECP256K1


NIST = [*DID_KEY["p256"], *DID_KEY["p384"], *DID_KEY["p521"]]


@pytest.mark.parametrize("vector", NIST, ids=lambda vector: vector["publicKeyJwk"]["crv"] + vector["did"][-8:])
def test_did_key_of_nist_curve_vectors(vector):
    key = key_document(vector["did"]).only_key("assertionMethod")[1]
    assert key.to_jwk() == vector["publicKeyJwk"]
    assert key.key_type.value == vector["publicKeyJwk"]["crv"]
    assert did_key(PublicKey.from_jwk(vector["publicKeyJwk"])) == vector["did"]


def test_did_keys_that_make_no_signatures_are_refused():
    for prefix in (b"\xec\x01", b"\xeb\x01", b"\x80\x25"):  # X25519, BLS12-381 G2, not assigned
        with pytest.raises(CredentialError) as refusal:
            key_document("did:key:" + multibase_encode(prefix + bytes(32)))
        assert refusal.value.code == "key_curve_refused"


def test_did_pkh_vectors():
    documents = json.loads((VECTORS / "did/did-pkh.json").read_text(encoding="utf-8"))
    assert [pkh.pkh_document(document["id"]) for document in documents] == documents
    ids = json.loads((VECTORS / "did/did-pkh-ids.json").read_text(encoding="utf-8"))
    assert [pkh.parse(did).chain_id for did in ids["accepted"]] == [137]
    for did in ids["refused"]:
        with pytest.raises(CredentialError) as refusal:
            pkh.parse(did)
        assert refusal.value.code == "did_method_refused"


def _log(name: str) -> tuple[str, bytes, bytes | None]:
    data = (VECTORS / f"webvh/{name}.jsonl").read_bytes()
    witness = VECTORS / f"webvh/{name}.witness.json"
    did = json.loads(data.splitlines()[-1])["state"]["id"]
    return did, data, witness.read_bytes() if witness.exists() else None


@pytest.mark.parametrize("name", ["basic-update", "key-rotation", "pre-rotation", "witness-update"])
def test_webvh_vector_verifies_and_its_last_version_is_the_newest(name):
    did, data, witnesses = _log(name)
    history = verify_log(did, data, now=NOW, witnesses=witnesses)
    newest = json.loads(data.splitlines()[-1])
    assert history.version_id == newest["versionId"]
    assert history.document.source == newest["state"]


def test_webvh_vector_of_a_deactivated_identifier():
    did, data, _ = _log("deactivate")
    with pytest.raises(CredentialError) as refusal:
        verify_log(did, data, now=NOW)
    assert refusal.value.code == "webvh_deactivated"


def test_webvh_witness_vector_without_its_proofs_is_refused():
    did, data, _ = _log("witness-update")
    with pytest.raises(CredentialError) as refusal:
        verify_log(did, data, now=NOW)
    assert refusal.value.code == "webvh_witness_missing"


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "values", "weird"])
def test_rfc8785_vector(name):
    source = json_decode((VECTORS / f"rfc8785/input/{name}.json").read_bytes())
    published = (VECTORS / f"rfc8785/output/{name}.json").read_bytes()
    assert canonicalize(source) == published.removesuffix(b"\n")  # one file ends in a line break
