"""VCDM 2.0: Data Integrity, vc+jwt, presentations; VCDM 1.1 around its engine."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from credentials import jws, vc_jose
from credentials.data_integrity import model
from credentials.data_integrity.contexts import VCDM1, VCDM2, check_content
from credentials.data_integrity.proof import check_form, create_proof, verify_proof
from credentials.errors import CredentialError, ProofError
from credentials.legacy import model as legacy
from credentials.times import TimeRules
from credentials.trust import TrustList
from credentials.vault import LocalSigner


# --- Data Integrity ----------------------------------------------------------------------------------
def test_a_secured_credential_verifies_and_gives_what_was_signed(world):
    outcome = world.verify_vc(world.secured())
    accepted = outcome.require()
    assert accepted.claims == world.credential()
    assert (accepted.issuer, accepted.subject, outcome.format) == (world.ed_issuer, world.user, "vc+di")
    assert [check.name for check in outcome.checks] == [
        "size", "format", "structure", "issuer", "key", "signature", "dates", "disclosures", "type", "holder", "status",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"validUntil": "2026-01-02T00:00:00Z"}, "expired"),
        ({"validFrom": "2027-01-02T00:00:00Z"}, "not_yet_valid"),
        ({"validFrom": "2026-01-01"}, "time_malformed"),
        ({"validFrom": ..., "validUntil": ...}, None),
        ({"id": 5}, "vcdm_malformed"),
        ({"id": "no url"}, "vcdm_malformed"),
        ({"type": "VerifiableCredential"}, "issuer_type_untrusted"),
        ({"type": []}, "vcdm_type"),
        ({"type": [5]}, "vcdm_type"),
        ({"issuer": ""}, "issuer_missing"),
        ({"issuer": {}}, "issuer_missing"),
        ({"credentialSubject": []}, "claim_missing"),
        ({"credentialSubject": [{}]}, "claim_missing"),
        ({"credentialSubject": "x"}, "claim_missing"),
        ({"credentialStatus": "x"}, "vcdm_malformed"),
        ({"credentialStatus": {"id": "x"}}, "vcdm_malformed"),
        ({"expirationDate": "2027-01-01T00:00:00Z"}, "vcdm_malformed"),
        ({"@context": VCDM2}, "vcdm_context"),
        ({"@context": []}, "vcdm_context"),
    ],
)
def test_the_data_model_is_checked(world, change, expected):
    assert world.verify_vc(world.secured(**change)).code == expected


def test_an_issuer_may_be_an_object(world):
    assert world.verify_vc(world.secured(issuer={"id": world.ed_issuer, "name": "A"})).ok


def test_an_end_can_be_required(world):
    rules = TimeRules(require_exp=True)
    assert world.verify_vc(world.secured(validUntil=...), times=rules).code == "exp_missing"
    assert world.verify_vc(world.secured(), times=rules).ok


def test_a_schema_can_be_required(world):
    from credentials.schemas import TypeRegistry

    registry = TypeRegistry({"MemoryCredential": {"required": ["name"]}})
    assert world.verify(world.secured(), types=registry).code == "schema_invalid"
    assert world.verify(world.secured(name="n"), types=registry).ok


def changed_proof(world, **change) -> str:
    document = world.prove(world.credential())
    document["proof"] = {key: value for key, value in (document["proof"] | change).items() if value is not ...}
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"created": "2027-01-01T00:00:00Z"}, "signature_invalid"),
        ({"proofValue": "z" + "1" * 600}, "proof_malformed"),
        ({"proofValue": "z11"}, "proof_malformed"),
        ({"proofValue": 5}, "proof_malformed"),
        ({"verificationMethod": 5}, "proof_malformed"),
        ({"type": "Ed25519Signature2020"}, "suite_unsupported"),
        ({"cryptosuite": "bbs-2023"}, "suite_unsupported"),
        ({"cryptosuite": "ecdsa-sd-2023"}, "suite_unsupported"),
        ({"cryptosuite": "ecdsa-jcs-2019"}, "alg_key_mismatch"),
        ({"cryptosuite": ["eddsa-jcs-2022"]}, "suite_unsupported"),
        ({"extra": 1}, "signature_invalid"),
    ],
)
def test_a_proof_is_checked(world, change, expected):
    assert world.verify_vc(changed_proof(world, **change)).code == expected


@pytest.mark.parametrize(
    ("proof", "expected"), [("x", "proof_malformed"), ([{}], "proof_malformed"), ([], "proof_multiple")]
)
def test_a_proof_is_one_object(world, proof, expected):
    assert world.verify_vc(json.dumps(world.credential() | {"proof": proof})).code == expected


def test_an_expired_proof_is_refused(world):
    document = world.prove(world.credential(), options={"expires": "2026-01-01T00:00:00Z"})
    assert world.verify_vc(json.dumps(document)).code == "expired"


def test_a_single_context_text_can_be_signed_by_the_bare_suite(world):
    document = {"@context": "https://example.org/c", "a": 1}
    proof = create_proof(document, world.ed_signer, verification_method="did:x#k", purpose="p", created=None)
    assert "created" not in proof
    assert verify_proof({**document, "proof": proof}, proof, world.ed_key.public) == document
    with pytest.raises(CredentialError) as refusal:
        verify_proof({**document, "@context": "https://example.org/d"}, proof, world.ed_key.public)
    assert refusal.value.code == "proof_context_mismatch"


def test_p256_verifies_with_its_own_suite(world):
    document = {"a": 1}
    config = {"type": "DataIntegrityProof", "cryptosuite": "ecdsa-jcs-2019", "verificationMethod": "did:x#k"}
    from credentials.data_integrity.jcs import sha256
    from credentials.multibase import multibase_encode

    signature = world.issuer_key.sign(sha256(config) + sha256(document))
    proof = config | {"proofValue": multibase_encode(signature)}
    assert verify_proof(document, check_form(proof), world.issuer_key.public) == document


def test_context_contents_are_compared_with_known_digests(code):
    import hashlib

    extra = {"https://memory.example/c": hashlib.sha256(b"{}").hexdigest()}
    check_content("https://memory.example/c", b"{}", extra)
    assert code(lambda: check_content("https://memory.example/d", b"{}", extra)) == "context_unknown"


# --- vc+jwt ------------------------------------------------------------------------------------------
def vc_jwt(world, header=None, **change) -> str:
    return jws.sign(world.credential(issuer=world.issuer, **change), world.issuer_signer, typ="vc+jwt", header=header)


def test_a_vc_jwt_verifies(world):
    outcome = world.verify_vc(vc_jwt(world))
    assert (outcome.ok, outcome.format) == (True, "vc+jwt")
    assert world.verify_vc(vc_jose.issue(world.credential(issuer=world.issuer), world.issuer_signer)).ok
    assert outcome.require().subject == world.user


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"iss": "did:web:other.example"}, "issuer_key_mismatch"),
        ({"exp": 1}, "expired"),
        ({"nbf": 4_000_000_000}, "not_yet_valid"),
        ({"iat": 4_000_000_000}, "issued_in_future"),
        ({"validUntil": "2026-01-01T00:00:00Z"}, "expired"),
        ({"vp": {}}, "vcdm_claim_refused"),
        ({"@context": ["x"]}, "vcdm_context"),
    ],
)
def test_a_vc_jwt_is_checked(world, change, expected):
    assert world.verify_vc(vc_jwt(world, **change)).code == expected


def test_a_vc_jwt_is_signed_by_its_issuer(world):
    foreign = jws.sign(world.credential(), world.issuer_signer, typ="vc+jwt")
    assert world.verify_vc(foreign).code == "issuer_key_mismatch"
    assert world.verify_vc(vc_jwt(world), key_binding=world.binding).code == "kb_missing"
    head, body, _ = vc_jwt(world).split(".")
    assert world.verify_vc(f"{head}.{body}.{'A' * 86}").code == "signature_invalid"


def test_unknown_tokens_are_named_so(world):
    assert world.verify_vc(world.jwt(b"{}", {"alg": "ES256", "typ": "at+jwt"})).code == "format_unknown"
    assert world.verify_vc("A" * 9_000 + ".e30.AA").code == "too_large"


# --- presentations -----------------------------------------------------------------------------------
def vp_jwt(world, tokens=None, **change) -> str:
    options = {"audience": world.audience, "nonce": world.nonce, "issued_at": world.now, "life": 60} | change
    signer, holder = options.pop("signer", world.user_signer), options.pop("holder", world.user)
    return vc_jose.present([vc_jwt(world)] if tokens is None else tokens, holder, signer, **options)


def test_a_vp_jwt_verifies_with_the_credentials_in_it(world, replays):
    outcome = world.verify_vc(vp_jwt(world), key_binding=world.binding, replay=replays)
    accepted = outcome.require()
    assert [inner.format for inner in accepted.credentials] == ["vc+jwt"]
    assert accepted.holder == world.user_key.public
    assert outcome.to_json()["credentials"][0]["ok"] is True
    again = world.verify_vc(vp_jwt(world), key_binding=world.binding, replay=replays)
    assert again.code == "replayed"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"audience": "https://evil.example"}, "kb_aud_mismatch"),
        ({"nonce": "other-nonce-000"}, "kb_nonce_mismatch"),
        ({"issued_at": 1_790_000_000 - 400, "life": 1_000}, "issued_too_long_ago"),
        ({"issued_at": 1_790_000_000 - 100, "life": 50}, "expired"),
        ({"tokens": []}, "claim_missing"),
        ({"tokens": ["x.y.z"]}, "base64_malformed"),
    ],
)
def test_a_vp_jwt_is_bound_to_request_and_verifier(world, change, expected):
    assert world.verify_vc(vp_jwt(world, **change), key_binding=world.binding).code == expected


def test_a_presentation_without_an_expected_request_is_refused(world):
    assert world.verify_vc(vp_jwt(world)).code == "kb_unexpected"


def test_a_forged_credential_inside_is_found(world):
    head, body, _ = vc_jwt(world).split(".")
    forged = vp_jwt(world, tokens=[f"{head}.{body}.{'A' * 86}"])
    outcome = world.verify_vc(forged, key_binding=world.binding)
    assert outcome.code == "signature_invalid"
    assert [check.name for check in outcome.checks if not check.ok] == ["credential 1"]


def test_somebody_elses_credential_is_refused_unless_the_policy_says_so(world):
    foreign = vp_jwt(world, tokens=[vc_jwt(world, credentialSubject={"id": "did:example:b", "a": 1})])
    assert world.verify_vc(foreign, key_binding=world.binding).code == "holder_mismatch"
    assert world.verify_vc(foreign, key_binding=world.binding, holder_is_subject=False).ok


def sign_vp(world, document, **header) -> str:
    return jws.sign(document, world.user_signer, typ="vp+jwt", header=header)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"holder": ...}, "holder_mismatch"),
        ({"holder": {"id": "OTHER"}}, "holder_mismatch"),
        ({"iss": "did:web:other.example"}, "holder_mismatch"),
        ({"iat": ...}, "kb_malformed"),
        ({"type": ["Other"]}, "vcdm_type"),
        ({"@context": ["https://other.example"]}, "vcdm_context"),
        ({"id": 5}, "vcdm_malformed"),
        ({"verifiableCredential": [{"type": "Other", "id": "x"}]}, "format_unknown"),
        ({"verifiableCredential": ["x"]}, "format_unknown"),
        (
            {"verifiableCredential": [{"type": "EnvelopedVerifiableCredential", "id": "data:text/plain,x"}]},
            "format_unknown",
        ),
        ({"verifiableCredential": [{"type": "EnvelopedVerifiableCredential", "id": 5}]}, "format_unknown"),
    ],
)
def test_the_form_of_a_vp_jwt(world, change, expected):
    document = jws.parse(vp_jwt(world), typ="vp+jwt").claims() | change
    document = {key: value for key, value in document.items() if value is not ...}
    assert world.verify_vc(sign_vp(world, document), key_binding=world.binding).code == expected


def test_a_holder_may_be_an_object(world):
    document = jws.parse(vp_jwt(world), typ="vp+jwt").claims() | {"holder": {"id": world.user}}
    assert world.verify_vc(sign_vp(world, document), key_binding=world.binding).ok


def vp_di(world, **change) -> str:
    options = {"challenge": world.nonce, "domain": world.audience} | change.pop("options", {})
    credential = world.prove(world.credential(credentialSubject={"id": world.ed_issuer, "a": 1}))
    document = {
        "@context": [VCDM2],
        "type": "VerifiablePresentation",
        "holder": world.ed_issuer,
        "verifiableCredential": credential,
    } | change
    return json.dumps(world.prove(document, purpose="authentication", options=options))


def test_a_presentation_with_a_proof_verifies(world, replays):
    outcome = world.verify_vc(vp_di(world), key_binding=world.binding, replay=replays)
    assert (outcome.ok, outcome.format) == (True, "vp+di")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"verifiableCredential": ["text"]}, "vcdm_malformed"),
        ({"verifiableCredential": []}, "claim_missing"),
        ({"verifiableCredential": [{}] * 17}, "too_many_credentials"),
        ({"holder": "did:web:other.example"}, "holder_mismatch"),
        ({"options": {"expires": "2026-01-01T00:00:00Z"}}, "expired"),
        ({"options": {"challenge": None}}, "proof_challenge_mismatch"),
    ],
)
def test_the_form_of_a_presentation_with_a_proof(world, change, expected):
    assert world.verify_vc(vp_di(world, **change), key_binding=world.binding).code == expected


def test_an_assertion_proof_makes_no_presentation(world):
    document = json.loads(vp_di(world))
    document["proof"]["proofPurpose"] = "assertionMethod"
    assert world.verify_vc(json.dumps(document), key_binding=world.binding).code == "proof_purpose_mismatch"


def test_a_changed_presentation_does_not_verify(world):
    document = json.loads(vp_di(world)) | {"name": "added"}
    assert world.verify_vc(json.dumps(document), key_binding=world.binding).code == "signature_invalid"


# --- VCDM 1.1 ----------------------------------------------------------------------------------------
class Engine:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def verify(self, credential: str, *, proof_format: str) -> None:
        self.asked.append(proof_format)
        if "forged" in credential:
            raise ProofError("legacy_refused")

    def issue(self, credential: str, *, proof_format: str, jwk: str, verification_method: str) -> str:
        raise NotImplementedError


def old(world, **change) -> dict:
    base = {
        "@context": [VCDM1],
        "type": ["VerifiableCredential", "MemoryCredential"],
        "issuer": world.ed_issuer,
        "issuanceDate": "2026-01-01T00:00:00Z",
        "expirationDate": "2027-01-01T00:00:00Z",
        "credentialSubject": {"id": world.user},
        "proof": {
            "type": "Ed25519Signature2020",
            "proofPurpose": "assertionMethod",
            "verificationMethod": world.ed_signer.kid,
        },
    }
    return {key: value for key, value in (base | change).items() if value is not ...}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"name": "forged"}, "legacy_refused"),
        ({"expirationDate": "2026-02-01T00:00:00Z"}, "expired"),
        ({"issuanceDate": "2026-12-01T00:00:00Z"}, "not_yet_valid"),
        ({"issuanceDate": ...}, "claim_missing"),
        ({"issuanceDate": "2026"}, "time_malformed"),
        ({"type": ["MemoryCredential"]}, "vcdm_type"),
        ({"issuer": "did:web:a.example"}, "issuer_untrusted"),
        ({"issuer": "did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG"}, "issuer_key_mismatch"),
        ({"credentialSubject": ...}, "claim_missing"),
        ({"proof": ...}, "proof_missing"),
        ({"proof": []}, "proof_multiple"),
        ({"proof": {"type": "Other"}}, "suite_unsupported"),
        ({"proof": {"type": "Ed25519Signature2020", "proofPurpose": "authentication"}}, "proof_purpose_mismatch"),
    ],
)
def test_our_own_checks_around_the_legacy_engine(world, change, expected):
    assert world.verify_vc(json.dumps(old(world, **change)), legacy=Engine()).code == expected


def test_without_the_extra_the_legacy_format_is_refused_by_name(world):
    assert world.verify_vc(json.dumps(old(world))).code == "suite_unsupported"


def test_the_engine_is_not_asked_before_issuer_and_key_are_right(world):
    engine = Engine()
    world.verify_vc(json.dumps(old(world)), legacy=engine, issuers=TrustList({}))
    assert engine.asked == []
    world.verify_vc(json.dumps(old(world)), legacy=engine)
    assert engine.asked == [legacy.LDP]


def old_jwt(world, header=None, **change) -> str:
    claims = {
        "iss": world.ed_issuer,
        "sub": world.user,
        "nbf": world.now - 60,
        "exp": world.now + 60,
        "vc": {
            "@context": [VCDM1],
            "type": ["VerifiableCredential", "MemoryCredential"],
            "credentialSubject": {"a": 1},
        },
    } | change
    claims = {key: value for key, value in claims.items() if value is not ...}
    full = {"alg": "EdDSA", "typ": "JWT", "kid": world.ed_signer.kid} | (header or {})
    full = {key: value for key, value in full.items() if value is not ...}
    return jws.sign_bytes(full, json.dumps(claims).encode(), LocalSigner(world.ed_key))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"header": {"kid": ...}}, None),
        ({"header": {"typ": ...}}, None),
        ({"header": {"alg": "none"}}, "alg_not_allowed"),
        ({"header": {"alg": "HS256"}}, "alg_not_allowed"),
        ({"vc": {"@context": [VCDM1], "credentialSubject": {"id": "did:example:b"}}}, "vcdm_malformed"),
        ({"exp": 1_790_000_000 - 31}, "expired"),
        ({"nbf": 1_790_000_000 + 60}, "not_yet_valid"),
        ({"nbf": ...}, "claim_missing"),
        ({"iss": 5}, "issuer_key_mismatch"),
        ({"vc": ...}, "claim_missing"),
        ({"vc": {"@context": [VCDM2]}}, "vcdm_context"),
        ({"vc": {"@context": [VCDM1], "issuer": "did:web:other.example"}}, "issuer_key_mismatch"),
    ],
)
def test_our_own_checks_around_legacy_tokens(world, change, expected):
    assert world.verify_vc(old_jwt(world, **change), legacy=Engine()).code == expected


def test_dates_of_token_and_credential_both_count(world):
    vc = {"@context": [VCDM1], "type": ["VerifiableCredential", "MemoryCredential"], "credentialSubject": {"a": 1}}
    late = old_jwt(world, vc=vc | {"expirationDate": "2026-01-01T00:00:00Z"})
    assert world.verify_vc(late, legacy=Engine()).code == "expired"
    endless = old_jwt(world, exp=...)
    assert world.verify_vc(endless, legacy=Engine(), times=TimeRules(require_exp=True)).code == "exp_missing"
    accepted = world.verify_vc(old_jwt(world), legacy=Engine()).require()
    assert accepted.subject == world.user
    assert replace(accepted, claims={}).issuer == world.ed_issuer


def test_lists_and_single_values_read_alike():
    assert model.as_list(None) == []
    assert model.as_list("a") == model.as_list(["a"]) == ["a"]
