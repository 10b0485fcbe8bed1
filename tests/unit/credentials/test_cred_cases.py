"""The cases that other projects' bugs taught: CRD-01, 03 (pure part), 04, 06, 07, 10, 11, 13, 16, DID-03."""

from __future__ import annotations

import json
import zlib

import pytest
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from credentials.algorithms import AllowList, Use
from credentials.did.document import DidDocument, build_document
from credentials.did.local import did_key, did_key_url
from credentials.did.resolve import StaticResolver
from credentials.did.web import document_url
from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.keys import PrivateKey
from credentials.limits import LEEWAY_SECONDS, MAX_STATUS_LIST_BYTES
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status import token_list
from credentials.times import TimeRules, check_claims
from credentials.trust import TrustList
from credentials.vault import LocalSigner


# --- CRD-01: dates are checked, not only the signature ----------------------------------------------
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"exp": "past"}, "expired"),
        ({"nbf": "future"}, "not_yet_valid"),
        ({"exp": "2099-01-01"}, "time_malformed"),
    ],
)
def test_crd_01_dates_outside_or_malformed_are_refused(world, change, expected):
    moved = {"past": world.now - 3_600, "future": world.now + 3_600}
    claims = world.claims(**{name: moved.get(value, value) for name, value in change.items()})
    assert world.verify(world.forge(claims), types=None).code == expected


def test_crd_01_a_missing_exp_follows_the_policy_and_the_result_shows_it(world):
    token = world.forge(world.claims(exp=...))
    lenient = world.verify(token, types=None, times=TimeRules(require_exp=False))
    strict = world.verify(token, types=None, times=TimeRules(require_exp=True))
    assert lenient.ok
    assert {check.name: check.ok for check in lenient.checks}["dates"] is True
    assert strict.code == "exp_missing"
    assert [check.name for check in strict.checks if not check.ok] == ["dates"]


# --- CRD-03, pure part: one leeway of 30 seconds everywhere -----------------------------------------
@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (2, None),
        (29, None),
        (30, None),
        (31, "issued_in_future"),
        (120, "issued_in_future"),
        (-3_600, "issued_too_long_ago"),
    ],
)
def test_crd_03_issue_time_of_a_key_binding(world, code, offset, expected):
    presented = world.present(issued_at=world.now + offset)
    assert code(lambda: world.verify(presented, key_binding=world.binding)) == expected


@pytest.mark.parametrize(("offset", "expected"), [(29, None), (31, "issued_in_future")])
def test_crd_03_the_same_leeway_holds_for_credentials_and_proofs(world, code, offset, expected):
    token = world.forge(world.claims(iat=world.now + offset))
    proof = json.dumps(world.prove(world.credential(), created=world.now + offset))
    assert code(lambda: world.verify(token)) == expected
    assert code(lambda: world.verify_vc(proof)) == expected


def test_crd_03_one_setting_controls_the_leeway():
    assert LEEWAY_SECONDS == TimeRules().leeway == KeyBindingPolicy("a", "n" * 8).leeway == 30
    check_claims({"iat": 1_100}, now=1_000, rules=TimeRules(leeway=100))


# --- CRD-04: the caller's omission never switches key binding off -----------------------------------
@pytest.mark.parametrize("nonce", [None, ""])
def test_crd_04_no_expected_nonce_is_a_configuration_error_before_anything_is_verified(world, nonce):
    with pytest.raises(CredentialError) as refusal:
        KeyBindingPolicy(world.audience, nonce)
    assert refusal.value.code == "config_nonce_missing"


def test_crd_04_a_required_key_binding_that_is_absent_is_refused(world):
    outcome = world.verify(world.issue(), key_binding=world.binding)
    assert outcome.code == "kb_missing"
    assert outcome.accepted is None


# --- CRD-06: reserved names in disclosures ----------------------------------------------------------
@pytest.mark.parametrize("content", [("s1", "_sd", ["abc"]), ("s1", "...", "abc"), ("s1", "_sd_alg", "none")])
def test_crd_06_reserved_claim_names_are_refused(world, content):
    encoded, digest = world.disclosure(*content)
    token = world.forge(world.claims(_sd=[digest]), [encoded])
    assert world.verify(token, types=None).code == "disclosure_reserved_name"


# --- CRD-07: nothing is replaced in silence ---------------------------------------------------------
def test_crd_07_a_disclosure_never_replaces_a_plain_claim(world):
    encoded, digest = world.disclosure("s1", "grade", "A")
    token = world.forge(world.claims(grade="B", _sd=[digest]), [encoded])
    assert world.verify(token, types=None).code == "disclosure_duplicate_claim"


def test_crd_07_two_disclosures_of_one_name_are_refused(world):
    first, one = world.disclosure("s1", "role", "reader")
    second, two = world.disclosure("s2", "role", "admin")
    token = world.forge(world.claims(_sd=[one, two]), [first, second])
    assert world.verify(token, types=None).code == "disclosure_duplicate_claim"


# --- CRD-10: critical headers -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"crit": ["x-policy"], "x-policy": 1}, "crit_unsupported"),
        ({"crit": []}, "crit_malformed"),
        ({"crit": ["alg"]}, "crit_malformed"),
        ({"crit": ["kid", "kid"], "kid": "k1"}, "crit_malformed"),
        ({"crit": "exp"}, "crit_malformed"),
        ({"b64": False, "crit": ["b64"]}, "b64_unsupported"),
    ],
)
def test_crd_10_critical_headers_are_never_ignored(world, header, expected):
    assert world.verify(world.forge(world.claims(), header=header)).code == expected


# --- CRD-11: a public key is never a shared secret --------------------------------------------------
def _hs256(world, secret: bytes) -> str:
    head = b64url_encode(json.dumps({"alg": "HS256", "typ": "dc+sd-jwt", "kid": world.issuer_signer.kid}).encode())
    body = b64url_encode(json.dumps(world.claims()).encode())
    mac = hmac.HMAC(secret, hashes.SHA256())
    mac.update(f"{head}.{body}".encode())
    return f"{head}.{body}.{b64url_encode(mac.finalize())}~"


def test_crd_11_hmac_with_the_public_key_as_secret_is_refused(world):
    public = world.issuer_key.public._crypto
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    jwk = json.dumps(world.issuer_key.public.to_jwk()).encode()
    assert world.verify(_hs256(world, pem)).code == "alg_not_allowed"
    assert world.verify(_hs256(world, jwk)).code == "alg_not_allowed"


def test_crd_11_an_empty_list_of_algorithms_is_refused_at_start_up():
    with pytest.raises(CredentialError) as refusal:
        AllowList(Use.CREDENTIAL, [])
    assert refusal.value.code == "config_no_algorithm"


def test_crd_11_a_configured_list_cannot_add_hmac():
    with pytest.raises(CredentialError) as refusal:
        AllowList(Use.CREDENTIAL, ["HS256"])
    assert refusal.value.code == "config_invalid"


# --- CRD-13: no doubtful status counts as valid -----------------------------------------------------
@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (8, "status_index_out_of_range"),
        (-1, "status_index_out_of_range"),
        ("3", "status_index_malformed"),
        (9_223_372_036_854_776_000, "status_index_out_of_range"),
        (True, "status_index_malformed"),
        (None, "status_index_malformed"),
        (1.0, "status_index_malformed"),
    ],
)
def test_crd_13_an_index_that_is_none_is_refused(world, index, expected):
    token = world.forge(world.claims(status={"status_list": {"uri": world.status_uri, "idx": index}}))
    eight_entries = world.listing(bytes(1))
    assert world.verify(token, status=world.status(eight_entries)).code == expected


def test_crd_13_a_list_that_does_not_inflate_is_refused(code):
    assert code(lambda: token_list.decode_list(1, b64url_encode(b"not compressed data"))) == "status_list_malformed"


def test_crd_13_a_bomb_is_left_at_the_limit(code):
    bomb = zlib.compressobj(9)
    packed = b"".join(bomb.compress(bytes(2**20)) for _ in range(1_024)) + bomb.flush()
    assert len(packed) < 2**20
    assert len(packed) * 200 > MAX_STATUS_LIST_BYTES
    assert code(lambda: token_list.decode_list(1, b64url_encode(packed))) == "status_list_too_large"


def test_crd_13_a_list_that_could_not_be_fetched_is_unavailable_and_named(world):
    token = world.forge(world.claims(status={"status_list": {"uri": world.status_uri, "idx": 0}}))
    outcome = world.verify(token, status=world.status(None))
    assert outcome.code == "status_unavailable"
    assert outcome.status_uri == world.status_uri


# --- CRD-16: the key belongs to the issuer ----------------------------------------------------------
GOOD = "did:web:good.example"


def _web_world(world):
    key = PrivateKey.generate(rng=world.rng)
    old = PrivateKey.generate(rng=world.rng)
    document = build_document(GOOD, [("new", key.public)])
    document["verificationMethod"].append(
        {
            "id": f"{GOOD}#old",
            "type": "Multikey",
            "controller": GOOD,
            "publicKeyMultibase": old.public.to_multikey(),
        }
    )
    document["authentication"].append(f"{GOOD}#old")
    resolver = StaticResolver({GOOD: DidDocument(document, GOOD)})
    return key, old, resolver


def _signed(world, key: PrivateKey, kid: str, iss: str) -> str:
    header = {"alg": key.alg, "typ": "dc+sd-jwt", "kid": kid}
    return world.jwt(json.dumps(world.claims(iss=iss)).encode(), header, key) + "~"


def test_crd_16_a_key_of_another_identifier_is_refused(world):
    _, _, resolver = _web_world(world)
    attacker = PrivateKey.generate(rng=world.rng)
    token = _signed(world, attacker, did_key_url(attacker.public), GOOD)
    trusted = TrustList({GOOD: [world.vct], did_key(attacker.public): [world.vct]})
    assert world.verify(token, resolver=resolver, issuers=trusted).code == "issuer_key_mismatch"


def test_crd_16_a_key_listed_for_authentication_only_is_refused(world):
    _, old, resolver = _web_world(world)
    token = _signed(world, old, f"{GOOD}#old", GOOD)
    outcome = world.verify(token, resolver=resolver, issuers=TrustList({GOOD: [world.vct]}))
    assert outcome.code == "did_key_relationship"


@pytest.mark.parametrize("trusted", [[GOOD], []])
def test_crd_16_an_issuer_that_is_not_listed_is_refused(world, trusted):
    key = PrivateKey.generate(rng=world.rng)
    iss = "did:web:unknown.example" if trusted else GOOD
    token = _signed(world, key, f"{iss}#new", iss)
    outcome = world.verify(token, issuers=TrustList({issuer: [world.vct] for issuer in trusted}))
    assert outcome.code == "issuer_untrusted"


def test_crd_16_the_issuers_own_assertion_key_is_accepted(world):
    key, _, resolver = _web_world(world)
    token = _signed(world, key, f"{GOOD}#new", GOOD)
    assert world.verify(token, resolver=resolver, issuers=TrustList({GOOD: [world.vct]})).ok


# --- DID-03: from the identifier to the address -----------------------------------------------------
@pytest.mark.parametrize(
    ("did", "expected"),
    [
        ("did:web:example.com", "https://example.com/.well-known/did.json"),
        ("did:web:example.com%3A8443:users:a", "https://example.com:8443/users/a/did.json"),
    ],
)
def test_did_03_address_of_the_document(did, expected):
    assert document_url(did) == expected


@pytest.mark.parametrize(
    "did", ["did:web:example.com:..:secret", "did:web:example.com:a%2Fb", "did:web:user%40example.com"]
)
def test_did_03_identifiers_that_leave_their_place_are_refused(code, did):
    assert code(lambda: document_url(did)) == "did_malformed"


def test_a_signer_object_is_enough_to_sign(world):
    # The vault never has to hand out its key: anything with alg, kid, public and sign will do.
    class Remote:
        kid = world.issuer_signer.kid
        alg = "ES256"
        public = world.issuer_key.public

        def sign(self, data: bytes) -> bytes:
            return LocalSigner(world.issuer_key).sign(data)

    assert world.verify(world.issue(signer=Remote())).ok
