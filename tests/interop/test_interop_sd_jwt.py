"""SD-JWT VC with ES256 and Ed25519, with key binding: Node and Python peers, both ways."""

from __future__ import annotations

import json
import secrets
import warnings
from dataclasses import replace

import pytest

from credentials.algorithms import KeyType
from credentials.encoding import b64url_encode
from credentials.issuer_keys import IssuerKeys
from credentials.keys import PrivateKey, PublicKey
from credentials.policy import VerificationPolicy
from credentials.sd_jwt import KeyBindingRequest, issue, parse, parse_json, present, to_json
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.trust import TrustList
from credentials.vault import LocalSigner
from credentials.verify import verify

ISSUER = "https://wealth.example"
VCT = "https://memory.example/vct/memory/v1"
AUDIENCE = "https://insurance.example"
NONCE = "n-0123456789"
ALGORITHMS = ["ES256", "Ed25519", "EdDSA"]


def private_jwk(key: PrivateKey) -> dict[str, str]:
    return {**key.public.to_jwk(), "d": b64url_encode(key.secret)}


def key_for(alg: str) -> PrivateKey:
    return PrivateKey.generate(KeyType.P256 if alg == "ES256" else KeyType.ED25519)


def claims(now: int, holder: PublicKey) -> dict:
    return {
        "iss": ISSUER,
        "iat": now,
        "exp": now + 3_600,
        "vct": VCT,
        "cnf": {"jwk": holder.to_jwk()},
        "sub": "did:example:alice",
        "memory": {"key": "risk", "value": "conservative", "confidence": 0.92},
        "topics": ["finance", "insurance"],
    }


def policy(issuer: PublicKey, **change) -> VerificationPolicy:
    base = VerificationPolicy(
        issuers=TrustList({ISSUER: [VCT]}),
        issuer_keys={ISSUER: IssuerKeys(ISSUER, {"k1": issuer})},
        key_binding=KeyBindingPolicy(AUDIENCE, NONCE),
    )
    return replace(base, **change)


def ours(alg: str, now: int, **change) -> tuple[str, PrivateKey]:
    issuer, holder = key_for(alg), key_for(alg)
    token = issue(
        claims(now, holder.public) | change,
        [("sub",), ("memory",), ("memory", "value"), ("memory", "confidence"), ("topics", 0), ("topics", 1)],
        LocalSigner(issuer, "k1"),
        rng=secrets.token_bytes,
        decoys=2,
    )
    request = KeyBindingRequest(AUDIENCE, NONCE, now)
    return present(token, [("memory", "value"), ("topics", 1)], signer=LocalSigner(holder), request=request), issuer


# --- theirs to us ------------------------------------------------------------------------------------
@pytest.fixture(params=ALGORITHMS)
def theirs(request, node, now):
    issuer, holder = key_for(request.param), key_for(request.param)
    frame = {"_sd": ["sub", "memory", "topics"], "memory": {"_sd": ["value", "confidence"]}, "topics": {"_sd": [0, 1]}}
    answer = node.must(
        "sdIssue",
        alg=request.param,
        issuer=private_jwk(issuer),
        holder=private_jwk(holder),
        payload=claims(now, holder.public),
        frame=frame,
        reveal={"memory": {"value": True}},
        kid="k1",
        audience=AUDIENCE,
        nonce=NONCE,
        now=now,
    )
    return answer, issuer.public


def test_a_credential_from_node_is_accepted_with_its_key_binding(theirs, now):
    answer, issuer = theirs
    accepted = verify(answer["presented"], policy(issuer), now=now).require()
    assert accepted.claims["memory"]["value"] == "conservative"
    assert "confidence" not in accepted.claims["memory"]
    assert "sub" not in accepted.claims


def test_a_credential_from_node_is_refused_when_it_should_be(theirs, now):
    answer, issuer = theirs
    presented = answer["presented"]
    head, _, rest = presented.partition(".")
    body, _, tail = rest.partition(".")
    tampered = f"{head}.{body[:-2]}{'A' if body[-2] != 'A' else 'B'}{body[-1]}.{tail}"
    elsewhere = KeyBindingPolicy("https://other.example", NONCE)
    later = KeyBindingPolicy(AUDIENCE, "n-9999999999")

    class Used:
        def first_use(self, audience: str, nonce: str, until: int) -> bool:
            return False

    assert not verify(tampered, policy(issuer), now=now).ok
    assert verify(presented, policy(issuer), now=now + 10_000).code == "expired"
    assert verify(presented, policy(issuer, key_binding=elsewhere), now=now).code == "kb_aud_mismatch"
    assert verify(presented, policy(issuer, key_binding=later), now=now).code == "kb_nonce_mismatch"
    assert verify(presented, policy(issuer, replay=Used()), now=now).code == "replayed"
    assert verify(answer["issued"], policy(issuer), now=now).code == "kb_missing"


@pytest.mark.parametrize("general", [False, True], ids=["flattened", "general"])
def test_the_json_form_of_node_is_accepted_and_refused_like_the_compact_one(node, theirs, now, general):
    answer, issuer = theirs
    document = node.must("sdToJson", token=answer["presented"], general=general)["document"]
    text = json.dumps(document)
    assert parse_json(text).compact() == answer["presented"]
    assert verify(text, policy(issuer), now=now).require().claims["memory"]["value"] == "conservative"
    later = KeyBindingPolicy(AUDIENCE, "n-9999999999")
    assert verify(text, policy(issuer, key_binding=later), now=now).code == "kb_nonce_mismatch"
    assert verify(text, policy(issuer), now=now + 10_000).code == "expired"
    header = document["signatures"][0]["header"] if general else document["header"]
    header["disclosures"].pop()
    assert verify(json.dumps(document), policy(issuer), now=now).code == "kb_sd_hash_mismatch"


# --- ours to them ------------------------------------------------------------------------------------
@pytest.mark.parametrize("alg", ["ES256", "Ed25519"])
def test_our_credential_is_accepted_by_node_and_refused_when_it_should_be(node, now, alg):
    presented, issuer = ours(alg, now)
    request = {"token": presented, "issuer": issuer.public.to_jwk(), "nonce": NONCE, "required": ["memory.value"]}
    answer = node.must("sdVerify", **request)
    assert answer["payload"]["memory"] == {"key": "risk", "value": "conservative"}
    assert answer["payload"]["topics"] == ["insurance"]
    assert answer["audience"] == AUDIENCE
    assert not node("sdVerify", **(request | {"nonce": "other"}))["ok"]
    assert not node("sdVerify", **(request | {"issuer": key_for(alg).public.to_jwk()}))["ok"]
    cut = presented.split("~")
    assert not node("sdVerify", **(request | {"token": "~".join([*cut[:1], *cut[2:]])}))["ok"]
    expired, issuer = ours(alg, now, exp=now - 600)
    old = {"token": expired, "issuer": issuer.public.to_jwk(), "nonce": NONCE, "required": []}
    assert not node("sdVerify", **old)["ok"]


@pytest.mark.parametrize("general", [False, True], ids=["flattened", "general"])
def test_our_json_form_is_read_by_node(node, now, general):
    presented, _ = ours("ES256", now)
    document = json.loads(to_json(parse(presented), general=general))
    assert node.must("sdFromJson", document=document)["token"] == presented


@pytest.mark.parametrize("alg", ["ES256", "Ed25519"])
def test_our_issuer_token_is_a_jwt_to_jose(node, now, alg):
    presented, issuer = ours(alg, now)
    request = {"token": presented.split("~")[0], "jwk": issuer.public.to_jwk(), "alg": alg, "typ": "dc+sd-jwt"}
    assert node.must("joseVerify", **request)["header"] == {"alg": alg, "typ": "dc+sd-jwt", "kid": "k1"}
    assert not node("joseVerify", **(request | {"typ": "vc+jwt"}))["ok"]


# --- openvc-core -------------------------------------------------------------------------------------
@pytest.mark.parametrize("alg", ["ES256", "Ed25519"])
def test_our_credential_is_accepted_by_openvc(python_peer, now, alg):
    suite = python_peer("openvc.proof.sd_jwt").SdJwtVcProofSuite()
    errors = python_peer("openvc.errors").OpenvcError
    presented, issuer = ours(alg, now)
    options = {"public_key_jwk": issuer.public.to_jwk(), "audience": AUDIENCE, "nonce": NONCE}
    result = suite.verify(presented, require_key_binding=True, expected_vct=VCT, **options)
    assert result.key_bound
    assert result.claims["memory"]["value"] == "conservative"
    for change in ({"audience": "https://other.example"}, {"nonce": "other"}):
        with pytest.raises(errors):
            suite.verify(presented, require_key_binding=True, **(options | change))
    expired, issuer = ours(alg, now, exp=now - 600)
    with pytest.raises(errors):
        suite.verify(expired, **(options | {"public_key_jwk": issuer.public.to_jwk()}))


@pytest.mark.parametrize("alg", ["ES256", "Ed25519", "EdDSA"])
def test_a_credential_from_openvc_is_accepted_and_refused(python_peer, now, alg):
    keys = python_peer("openvc.keys")
    suite = python_peer("openvc.proof.sd_jwt").SdJwtVcProofSuite()

    def make(kid: str):
        return keys.P256SigningKey.generate(kid) if alg == "ES256" else keys.Ed25519SigningKey.generate(kid, alg=alg)

    issuer, holder = make("k1"), make("h1")
    token = suite.issue(
        {"iss": ISSUER, "memory": {"value": "conservative"}, "sub": "did:example:alice"},
        signing_key=issuer,
        disclosable=["memory", "sub"],
        holder_jwk={name: value for name, value in holder.public_jwk().items() if name in {"kty", "crv", "x", "y"}},
        vct=VCT,
        expires_in_s=600,
        decoys=1,
    )
    presented = suite.create_presentation(token, holder_key=holder, audience=AUDIENCE, nonce=NONCE)
    public = {name: value for name, value in issuer.public_jwk().items() if name in {"kty", "crv", "x", "y"}}
    rules = policy(PublicKey.from_jwk(public))
    assert verify(presented, rules, now=now).require().claims["memory"] == {"value": "conservative"}
    assert verify(presented, rules, now=now + 900).code == "expired"
    other = replace(rules, key_binding=KeyBindingPolicy("https://other.example", NONCE))
    assert verify(presented, other, now=now).code == "kb_aud_mismatch"
    assert not verify(presented[:-3] + "AAA", rules, now=now).ok


# --- sd-jwt (the reference of 2024; ES256 only) -------------------------------------------------------
def test_our_credential_is_accepted_by_the_reference_implementation(python_peer, now):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verifier = python_peer("sd_jwt.verifier").SDJWTVerifier
        jwk = python_peer("jwcrypto.jwk").JWK
    presented, issuer = ours("ES256", now)

    def run(nonce: str):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            key = jwk(**issuer.public.to_jwk())
            return verifier(presented, lambda iss, header: key, AUDIENCE, nonce).get_verified_payload()

    assert run(NONCE)["memory"] == {"key": "risk", "value": "conservative"}
    with pytest.raises(Exception):  # noqa: B017, PT011 - it raises bare exceptions
        run("other")


def test_a_credential_from_the_reference_implementation_is_accepted(python_peer, now):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        issuer_module = python_peer("sd_jwt.issuer")
        holder_module = python_peer("sd_jwt.holder")
        common = python_peer("sd_jwt.common")
        jwk = python_peer("jwcrypto.jwk").JWK
        issuer, holder = key_for("ES256"), key_for("ES256")
        content = {"iss": ISSUER, "iat": now, "exp": now + 600, "vct": VCT, common.SDObj("memory"): {"value": "x"}}
        made = issuer_module.SDJWTIssuer(
            content,
            jwk(**private_jwk(issuer)),
            jwk(**holder.public.to_jwk()),
            extra_header_parameters={"typ": "dc+sd-jwt", "kid": "k1"},
        )
        shown = holder_module.SDJWTHolder(made.sd_jwt_issuance)
        shown.create_presentation({"memory": True}, NONCE, AUDIENCE, jwk(**private_jwk(holder)))
    outcome = verify(shown.sd_jwt_presentation, policy(issuer.public), now=now)
    assert outcome.require().claims["memory"] == {"value": "x"}
    assert verify(shown.sd_jwt_presentation, policy(issuer.public), now=now + 900).code == "expired"
