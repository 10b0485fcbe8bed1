"""Data Integrity, did:webvh, status lists and VCDM 1.1 with peers, both ways."""

from __future__ import annotations

import json
import warnings

import pytest

from credentials.algorithms import KeyType
from credentials.data_integrity.contexts import VCDM1, VCDM2
from credentials.data_integrity.proof import create_proof
from credentials.did.local import did_key, did_key_url
from credentials.did.webvh import verify_log
from credentials.did.webvh_write import create, update
from credentials.encoding import b64url_encode
from credentials.errors import CredentialError
from credentials.keys import PrivateKey
from credentials.multibase import multibase_encode
from credentials.policy import VerificationPolicy
from credentials.status import bitstring, token_list
from credentials.status.bits import StatusList
from credentials.trust import TrustList
from credentials.vault import LocalSigner
from credentials.verify import verify


@pytest.fixture
def signer() -> LocalSigner:
    key = PrivateKey.generate(KeyType.ED25519)
    return LocalSigner(key, did_key_url(key.public))


def credential(issuer: str, **change) -> dict:
    base = {
        "@context": [VCDM2],
        "type": ["VerifiableCredential"],
        "issuer": issuer,
        "validFrom": "2026-01-01T00:00:00Z",
        "credentialSubject": {"id": "did:example:alice", "name": "An"},
    }
    return base | change


def trusting(issuer: str, **change) -> VerificationPolicy:
    return VerificationPolicy(TrustList({issuer: ["VerifiableCredential"]}), **change)


def secure(signer: LocalSigner, document: dict, now: int) -> dict:
    proof = create_proof(document, signer, verification_method=signer.kid, purpose="assertionMethod", created=now)
    return document | {"proof": proof}


# --- eddsa-jcs-2022 with openvc ------------------------------------------------------------------------
def test_our_jcs_proof_is_accepted_by_openvc(python_peer, signer, now):
    module = python_peer("openvc.proof.di_jcs")
    errors = python_peer("openvc.errors").OpenvcError
    suite = _suite(module)
    issuer = did_key(signer.public)
    secured = secure(signer, credential(issuer), now)
    assert suite.verify(secured, public_key_jwk=signer.public.to_jwk())
    changed = json.loads(json.dumps(secured))
    changed["credentialSubject"]["name"] = "Other"
    with pytest.raises(errors):
        suite.verify(changed, public_key_jwk=signer.public.to_jwk())


def _suite(module):
    names = [
        name for name in dir(module) if name.lower().startswith("eddsa") and isinstance(getattr(module, name), type)
    ]
    return getattr(module, names[0])()


def test_the_jcs_proof_of_openvc_leaves_its_context_out_and_is_refused_by_name(python_peer, now):
    module = python_peer("openvc.proof.di_jcs")
    keys = python_peer("openvc.keys")
    key = PrivateKey.generate(KeyType.ED25519)
    issuer = did_key(key.public)
    jwk = {**key.public.to_jwk(), "d": b64url_encode(key.secret)}
    theirs = keys.Ed25519SigningKey.from_jwk(jwk, did_key_url(key.public))
    secured = _suite(module).add_proof(
        credential(issuer), signing_key=theirs, verification_method=did_key_url(key.public)
    )
    assert "@context" not in secured["proof"]
    assert verify(json.dumps(secured), trusting(issuer), now=now).code == "proof_context_missing"


# --- did:webvh with didwebvh-ts and did-webvh ----------------------------------------------------------
def test_a_log_from_node_is_accepted_and_a_changed_one_is_not(node, now):
    first, second = PrivateKey.generate(KeyType.ED25519), PrivateKey.generate(KeyType.ED25519)
    made = node.must(
        "webvhCreate",
        jwk={**first.public.to_jwk(), "d": b64url_encode(first.secret)},
        multikey=first.public.to_multikey(),
        next=second.public.to_multikey(),
    )
    history = verify_log(made["did"], made["log"].encode(), now=now)
    assert history.version_id.startswith("2-")
    assert history.parameters.update_keys == (second.public.to_multikey(),)
    lines = [json.loads(line) for line in made["log"].splitlines()]
    lines[0]["state"]["alsoKnownAs"] = ["did:web:evil.example"]
    with pytest.raises(CredentialError) as refusal:
        verify_log(made["did"], "\n".join(map(json.dumps, lines)).encode(), now=now)
    assert refusal.value.code == "webvh_scid_mismatch"


def own_log(signer: LocalSigner, now: int) -> tuple[str, bytes]:
    did, data = create(
        "memory.example",
        {"@context": ["https://www.w3.org/ns/did/v1"], "id": "did:webvh:{SCID}:memory.example"},
        signer,
        now=now - 100,
    )
    history = verify_log(did, data, now=now)
    document = dict(history.document.source) | {"alsoKnownAs": ["did:web:memory.example"]}
    return did, data + update(history, document, signer, now=now - 50)


def test_our_log_is_accepted_by_node_and_a_changed_one_is_not(node, signer, now):
    did, data = own_log(signer, now)
    answer = node.must("webvhResolve", log=data.decode())
    assert (answer["did"], answer["version"]) == (did, json.loads(data.splitlines()[-1])["versionId"])
    changed = data.decode().replace("did:web:memory.example", "did:web:evilly.example")
    assert not node("webvhResolve", log=changed)["ok"]


def test_our_log_is_accepted_by_the_python_peer_and_a_changed_one_is_not(python_peer, signer, now, tmp_path):
    import asyncio

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resolver = python_peer("did_webvh.resolver")
    did, data = own_log(signer, now)
    log = tmp_path / "did.jsonl"

    def resolve(content: bytes) -> dict:
        log.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return asyncio.run(resolver.resolve(did, local_history=log))

    assert resolve(data)["didDocument"]["id"] == did
    changed = resolve(data.replace(b"did:web:memory.example", b"did:web:evilly.example"))
    assert not changed.get("didDocument")


# --- status lists ----------------------------------------------------------------------------------------
def test_our_lists_are_read_by_node(node, world, now):
    data = bytearray(16_384)
    data[0] = 0b1000_0010  # indexes 1 and 7, least significant bit first
    token = token_list.issue("https://memory.example/s", bytes(data), world.issuer_signer, bits=1, now=now)
    mirrored = bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)
    answer = node.must(
        "statusRead", token=token, encoded=bitstring.encode_list(mirrored), indexes=[0, 1, 7, 8, 131_071]
    )
    assert answer["token"] == [0, 1, 1, 0, 0]
    assert answer["bits"] == [False, True, True, False, False]


def test_lists_from_node_are_read_by_us(node, now):
    answer = node.must("statusWrite", size=131_072, set=[5, 9, 131_071])
    token = StatusList("u", "i", token_list.decode_list(1, answer["lst"]), 1, False, now, None, None)
    bits = StatusList("u", "i", bitstring.decode_list(answer["encoded"]), 1, True, now, None, None)
    assert [index for index in range(131_072) if token.at(index)] == [5, 9, 131_071]
    assert [index for index in range(131_072) if bits.at(index)] == [5, 9, 131_071]
    with pytest.raises(CredentialError) as refusal:
        token_list.decode_list(1, answer["lst"][:-8])
    assert refusal.value.code == "status_list_malformed"


def test_lists_of_openvc_and_ours_are_the_same(python_peer):
    module = python_peer("openvc.status.token_status_list")
    data = module.new_status_list(131_072)
    for index in (5, 9, 131_071):
        module.set_status(data, index, 1)
    ours = StatusList(
        "u", "i", token_list.decode_list(1, module.encode_status_list(bytes(data))), 1, False, 0, None, None
    )
    assert [index for index in range(131_072) if ours.at(index)] == [5, 9, 131_071]
    back = module.decode_status_list(token_list.encode_list(bytes(data)))
    assert [module.get_status(back, index) for index in (5, 6, 9)] == [1, 0, 1]


# --- VCDM 1.1 through didkit ---------------------------------------------------------------------------
@pytest.fixture
def engine(python_peer):
    python_peer("didkit")
    from mcp_memory_server.keys.didkit_engine import DidkitEngine

    worker = DidkitEngine(request_seconds=20)
    yield worker
    worker.close()


def old(issuer: str, **change) -> dict:
    base = {
        "@context": [VCDM1],
        "type": ["VerifiableCredential"],
        "issuer": issuer,
        "issuanceDate": "2026-01-01T00:00:00Z",
        "credentialSubject": {"id": "did:example:alice"},
    }
    return base | change


def didkit_issue(engine, signer: LocalSigner, document: dict, proof_format: str) -> str:
    jwk = json.dumps({**signer.public.to_jwk(), "d": b64url_encode(signer.key.secret)})
    return engine.issue(json.dumps(document), proof_format=proof_format, jwk=jwk, verification_method=signer.kid)


def test_vc_jwt_of_did_jwt_vc_through_didkit(node, engine, signer, now):
    did = did_key(signer.public)
    payload = {"sub": "did:example:alice", "nbf": now - 60, "exp": now + 600}
    payload["vc"] = {"@context": [VCDM1], "type": ["VerifiableCredential"], "credentialSubject": {"name": "An"}}
    seed = signer.key.secret.hex()
    token = node.must("oldJwtIssue", did=did, kid=signer.kid, seed=seed, payload=payload)["token"]
    rules = trusting(did, legacy=engine)
    assert verify(token, rules, now=now).require().claims["credentialSubject"]["name"] == "An"
    assert verify(token, rules, now=now + 900).code == "expired"
    assert not verify(token[:-6] + "AAAAAA", rules, now=now).ok
    assert verify(token, trusting("did:key:zother", legacy=engine), now=now).code == "issuer_untrusted"


def test_vc_jwt_of_didkit_by_did_jwt_vc(node, engine, signer):
    did = did_key(signer.public)
    token = didkit_issue(engine, signer, old(did), "jwt_vc")
    request = {"token": token, "did": did, "kid": signer.kid, "jwk": signer.public.to_jwk()}
    assert node.must("oldJwtVerify", **request)["issuer"] == did
    assert not node("oldJwtVerify", **(request | {"token": token[:-6] + "AAAAAA"}))["ok"]


def test_linked_data_proof_of_digitalbazaar_through_didkit(node, engine, signer, now):
    did = did_key(signer.public)
    private = multibase_encode(b"\x80\x26" + signer.key.secret + signer.public.raw)
    request = {"kid": signer.kid, "did": did, "publicKeyMultibase": signer.public.to_multikey()}
    request |= {"privateKeyMultibase": private}
    issued = node.must("linkedIssue", credential=old(did), **request)["credential"]
    rules = trusting(did, legacy=engine)
    assert verify(json.dumps(issued), rules, now=now).ok
    changed = issued | {"credentialSubject": {"id": "did:example:mallory"}}
    assert verify(json.dumps(changed), rules, now=now).code == "legacy_refused"
    ending = node.must("linkedIssue", credential=old(did, expirationDate="2026-07-01T00:00:00Z"), **request)
    assert verify(json.dumps(ending["credential"]), rules, now=now).code == "expired"


def test_linked_data_proof_of_didkit_by_digitalbazaar(node, engine, signer):
    did = did_key(signer.public)
    # The proof's own terms have to be in the contexts of the credential for this peer.
    contexts = [VCDM1, "https://w3id.org/security/suites/ed25519-2020/v1"]
    issued = json.loads(didkit_issue(engine, signer, old(did, **{"@context": contexts}), "ldp_vc"))
    assert node.must("linkedVerify", credential=issued)["verified"]
    changed = issued | {"credentialSubject": {"id": "did:example:mallory"}}
    assert not node("linkedVerify", credential=changed)["ok"]
