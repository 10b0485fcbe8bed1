"""Each code of the package is raised by something here, and the guide lists exactly these codes."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from credentials import jws, vault, vc_jose
from credentials.algorithms import AllowList, KeyType, Use, check_key
from credentials.codes import CODES
from credentials.consent_credential import issue_consent, record_of
from credentials.consent_record import build, check_use, transition
from credentials.consent_terms import ConsentState
from credentials.data_integrity.contexts import VCDM2, check_content, check_contexts
from credentials.data_integrity.jcs import canonicalize
from credentials.delegation import ethereum, model
from credentials.did import web, webvh_write
from credentials.did.document import DidDocument
from credentials.did.local import key_document
from credentials.did.resolve import StaticResolver
from credentials.did.webvh import verify_log
from credentials.encoding import b64url_decode, b64url_encode, json_decode
from credentials.errors import CredentialError, ProofError
from credentials.issuer_keys import parse_metadata
from credentials.keys import PrivateKey, PublicKey
from credentials.policy import ConsentPolicy
from credentials.schemas import TypeRegistry
from credentials.sd_jwt import parse, to_json
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status import StatusTable, bitstring, token_list
from credentials.status.bits import check_value, deflate
from credentials.times import TimeRules, check_issued, timestamp
from credentials.trust import AllOf, TrustList

Trigger = Callable[[Any], Any]
TRIGGERS: dict[str, Trigger] = {}


def raises(code: str) -> Callable[[Trigger], Trigger]:
    def add(function: Trigger) -> Trigger:
        assert code not in TRIGGERS, f"{code} has two triggers"
        TRIGGERS[code] = function
        return function

    return add


def simple(code: str, function: Trigger) -> None:
    raises(code)(function)


# --- configuration -----------------------------------------------------------------------------------
simple("config_empty_policy", lambda w: AllOf([]))
simple("config_no_algorithm", lambda w: AllowList(Use.CREDENTIAL, []))
simple("config_nonce_missing", lambda w: KeyBindingPolicy(w.audience, ""))
simple("config_aud_missing", lambda w: KeyBindingPolicy("", w.nonce))
simple("config_invalid", lambda w: TimeRules(leeway=-1))

# --- bytes and JSON ----------------------------------------------------------------------------------
simple("too_large", lambda w: w.verify("x" * 70_000))
simple("malformed", lambda w: w.verify(b"\xff"))
simple("format_unknown", lambda w: w.verify("hello"))
simple("base64_malformed", lambda w: b64url_decode("ab="))
simple("json_malformed", lambda w: json_decode("{"))
simple("json_duplicate_key", lambda w: w.verify('{"a":1,"a":2}'))
simple("json_number", lambda w: w.verify('{"a":NaN}'))
simple("json_too_deep", lambda w: w.verify('{"a":' * 17 + "1" + "}" * 17))
simple("json_text", lambda w: w.verify('{"a":"\\ud800"}'))
simple("canonicalization_failed", lambda w: canonicalize({"a": 2**53 + 1}))

# --- JOSE --------------------------------------------------------------------------------------------
simple("header_malformed", lambda w: w.verify(w.forge(w.claims(), header={"kid": 7})))
simple("typ_mismatch", lambda w: w.verify(w.forge(w.claims(), header={"typ": "vc+sd-jwt"})))
simple("alg_not_allowed", lambda w: w.verify(w.forge(w.claims(), header={"alg": "none"})))
simple("alg_key_mismatch", lambda w: check_key("ES256", KeyType.ED25519))
simple("crit_malformed", lambda w: w.verify(w.forge(w.claims(), header={"crit": []})))
simple("crit_unsupported", lambda w: w.verify(w.forge(w.claims(), header={"crit": ["x-p"], "x-p": 1})))
simple("b64_unsupported", lambda w: w.verify(w.forge(w.claims(), header={"b64": True})))
simple(
    "header_key_refused",
    lambda w: w.verify(w.forge(w.claims(), header={"jwk": w.issuer_key.public.to_jwk()})),
)


@raises("signature_invalid")
def _(w):
    head, payload, _ = w.issue().partition("~")[0].split(".")
    return w.verify(f"{head}.{payload}.{b64url_encode(bytes(64))}~")


# --- keys and vault ----------------------------------------------------------------------------------
simple("key_malformed", lambda w: PublicKey.from_jwk({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}))
simple("key_type_refused", lambda w: PublicKey.from_jwk({"kty": "RSA", "n": "AA", "e": "AQAB"}))
simple("key_curve_refused", lambda w: PublicKey.from_jwk({"kty": "EC", "crv": "P-224", "x": "AA", "y": "AA"}))
simple("key_small_order", lambda w: PublicKey.from_raw(KeyType.ED25519, b"\x01" + bytes(31)))
simple("key_private_refused", lambda w: PublicKey.from_jwk({**w.holder_key.public.to_jwk(), "d": "AA"}))
simple("key_use_refused", lambda w: PublicKey.from_jwk({**w.holder_key.public.to_jwk(), "use": "enc"}))
simple("key_not_found", lambda w: vault.KeyRing().active("issuer"))


@raises("key_not_active")
def _(w):
    ring = vault.KeyRing()
    old = ring.rotate("issuer", now=1)
    ring.rotate("issuer", now=2)
    return ring.sign(old.name, b"data")


simple("envelope_malformed", lambda w: vault.unseal(b"nothing", b"secret"))
simple(
    "envelope_wrong_key",
    lambda w: vault.unseal(vault.seal(b"x", bytes(32), rng=w.rng, passphrase=False), b"\1" * 32),
)

# --- identifiers -------------------------------------------------------------------------------------
simple("did_malformed", lambda w: StaticResolver().document("did:web"))
simple("did_method_refused", lambda w: StaticResolver().document("did:ethr:0x00"))
simple("did_host_refused", lambda w: web.document_url("did:web:localhost"))
simple(
    "did_document_malformed",
    lambda w: DidDocument({"id": "did:web:a.example", "verificationMethod": [1]}, "did:web:a.example"),
)
simple("did_document_mismatch", lambda w: DidDocument.parse(b'{"id":"did:web:b.example"}', "did:web:a.example"))
simple("did_unresolved", lambda w: StaticResolver().document("did:web:a.example"))
simple("did_key_not_found", lambda w: key_document(w.ed_issuer).key("#other", "assertionMethod"))
simple("did_key_relationship", lambda w: key_document(w.ed_issuer).key(w.ed_signer.kid, "keyAgreement"))


def log_of(w, name: str) -> tuple[str, list[dict[str, Any]]]:
    lines = [json.loads(line) for line in (w.vectors / f"webvh/{name}.jsonl").read_bytes().splitlines()]
    return lines[-1]["state"]["id"], lines


def check_log(w, did: str, lines: list[dict[str, Any]]) -> Any:
    return verify_log(did, "\n".join(json.dumps(line) for line in lines).encode(), now=w.now)


def own_log(w, parameters: dict[str, Any] | None = None) -> tuple[str, bytes]:
    did = "did:webvh:{SCID}:agent.example"
    document = {"@context": ["https://www.w3.org/ns/did/v1"], "id": did}
    return webvh_write.create("agent.example", document, w.ed_signer, now=w.now - 100, parameters=parameters)


@raises("webvh_log_malformed")
def _(w):
    did, lines = log_of(w, "key-rotation")
    del lines[0]["versionTime"]
    return check_log(w, did, lines)


@raises("webvh_parameters")
def _(w):
    did, lines = log_of(w, "key-rotation")
    lines[0]["parameters"]["method"] = "did:webvh:2.0"
    return check_log(w, did, lines)


@raises("webvh_scid_mismatch")
def _(w):
    did, lines = log_of(w, "key-rotation")
    lines[0]["state"]["extra"] = True
    return check_log(w, did, lines)


@raises("webvh_hash_mismatch")
def _(w):
    did, lines = log_of(w, "key-rotation")
    lines[1]["state"]["extra"] = True
    return check_log(w, did, lines)


@raises("webvh_version_order")
def _(w):
    did, lines = log_of(w, "key-rotation")
    return check_log(w, did, lines[1:])


@raises("webvh_time_order")
def _(w):
    did, lines = log_of(w, "key-rotation")
    lines[1]["versionTime"] = lines[0]["versionTime"]
    return check_log(w, did, lines)


@raises("webvh_proof_invalid")
def _(w):
    did, lines = log_of(w, "key-rotation")
    lines[1]["proof"][0]["proofValue"] = lines[0]["proof"][0]["proofValue"]
    return check_log(w, did, lines)


@raises("webvh_key_not_authorized")
def _(w):
    did, line = own_log(w)
    history = verify_log(did, line, now=w.now)
    stranger = vault.LocalSigner(PrivateKey.generate(KeyType.ED25519, rng=w.rng))
    second = webvh_write.update(history, dict(history.document.source), stranger, now=w.now)
    return verify_log(did, line + second, now=w.now)


@raises("webvh_prerotation")
def _(w):
    did, line = own_log(w, {"nextKeyHashes": ["Qmf2V5jB2UwPcFL5bvmKed7VvY3CSQ1RXyDdtip7ufpQ3R"]})
    history = verify_log(did, line, now=w.now)
    stated = {"updateKeys": [w.ed_key.public.to_multikey()], "nextKeyHashes": []}
    second = webvh_write.update(history, dict(history.document.source), w.ed_signer, now=w.now, parameters=stated)
    return verify_log(did, line + second, now=w.now)


@raises("webvh_witness_missing")
def _(w):
    did, lines = log_of(w, "witness-update")
    return check_log(w, did, lines)


@raises("webvh_deactivated")
def _(w):
    did, lines = log_of(w, "deactivate")
    return check_log(w, did, lines)


# --- issuer ------------------------------------------------------------------------------------------
simple("issuer_missing", lambda w: w.verify(w.forge(w.claims(iss=...))))
simple("issuer_untrusted", lambda w: w.verify(w.issue(), issuers=TrustList({})))
simple("issuer_type_untrusted", lambda w: w.verify(w.issue(), issuers=TrustList({w.issuer: ["other"]})))
simple("issuer_key_mismatch", lambda w: w.verify(w.forge(w.claims(), header={"kid": w.ed_signer.kid})))
simple(
    "issuer_metadata_malformed",
    lambda w: parse_metadata(b'{"issuer":"https://b.example"}', "https://a.example"),
)

simple("aud_mismatch", lambda w: w.verify(w.forge(w.claims(aud="https://other.example"))))

# --- time --------------------------------------------------------------------------------------------
simple("expired", lambda w: w.verify(w.issue(), now=w.now + 4_000))
simple("not_yet_valid", lambda w: w.verify(w.forge(w.claims(nbf=w.now + 60))))
simple("issued_in_future", lambda w: w.verify(w.forge(w.claims(iat=w.now + 60))))
simple("issued_too_long_ago", lambda w: check_issued(now=w.now, iat=w.now - 400, max_age=300))
simple("time_malformed", lambda w: timestamp("2026-01-01", "validFrom"))
simple("exp_missing", lambda w: w.verify(w.forge(w.claims(exp=...)), times=TimeRules(require_exp=True)))

# --- SD-JWT ------------------------------------------------------------------------------------------
simple("sd_structure", lambda w: w.verify(w.forge(w.claims(_sd="not a list"))))
simple("sd_hash_algorithm", lambda w: w.verify(w.forge(w.claims(_sd_alg="sha-1"))))
simple("too_many_disclosures", lambda w: w.verify(w.forge(w.claims(), ["WyJzIiwiYSJd"] * 257)))


@raises("disclosure_malformed")
def _(w):
    encoded, digest = w.disclosure("salt")
    return w.verify(w.forge(w.claims(_sd=[digest]), [encoded]))


@raises("disclosure_reserved_name")
def _(w):
    encoded, digest = w.disclosure("salt", "_sd", ["abc"])
    return w.verify(w.forge(w.claims(_sd=[digest]), [encoded]))


@raises("disclosure_duplicate_claim")
def _(w):
    encoded, digest = w.disclosure("salt", "sub", "another")
    return w.verify(w.forge(w.claims(_sd=[digest]), [encoded]))


@raises("disclosure_duplicate")
def _(w):
    encoded, digest = w.disclosure("salt", "role", "reader")
    return w.verify(w.forge(w.claims(_sd=[digest]), [encoded, encoded]))


@raises("disclosure_unreferenced")
def _(w):
    encoded, _digest = w.disclosure("salt", "role", "reader")
    return w.verify(w.forge(w.claims(), [encoded]))


@raises("digest_duplicate")
def _(w):
    encoded, digest = w.disclosure("salt", "role", "reader")
    return w.verify(w.forge(w.claims(_sd=[digest, digest]), [encoded]))


@raises("claim_must_be_plain")
def _(w):
    encoded, digest = w.disclosure("salt", "status", {})
    return w.verify(w.forge(w.claims(_sd=[digest]), [encoded]))


simple("claim_path_unknown", lambda w: w.present(reveal=[("memory", "nothing")]))
simple("salt_weak", lambda w: w.issue(rng=lambda count: b"short"))


def json_form(world, **change):
    """The flattened form of a credential with members changed, added or (with ``...``) left out."""
    document = json.loads(to_json(parse(world.issue()))) | change
    return json.dumps({name: value for name, value in document.items() if value is not ...})


simple("sd_json_form", lambda w: w.verify(json_form(w, signatures=[])))
simple("sd_json_member_missing", lambda w: w.verify(json_form(w, signature=...)))
simple("sd_json_unprotected", lambda w: w.verify(json_form(w, header={"alg": "ES256"})))
simple("sd_json_misplaced", lambda w: w.verify(json_form(w, disclosures=[])))
simple("sd_json_unknown", lambda w: w.verify(json_form(w, header={"x-hint": 1})))
simple("sd_json_header_repeated", lambda w: w.verify(json_form(w, header={"kid": w.issuer_signer.kid})))


@raises("sd_json_signatures")
def _(w):
    document = json.loads(to_json(parse(w.sd(w.claims())), general=True))
    return w.verify(json.dumps({**document, "signatures": document["signatures"] * 2}))


# --- key binding -------------------------------------------------------------------------------------
simple("kb_missing", lambda w: w.verify(w.issue(), key_binding=w.binding))
simple("kb_unexpected", lambda w: w.verify(w.present()))
simple("kb_malformed", lambda w: w.verify(w.with_kb(w.issue(), {"nonce": ...}), key_binding=w.binding))
simple("kb_aud_mismatch", lambda w: w.verify(w.present(audience="https://evil.example"), key_binding=w.binding))
simple("kb_nonce_mismatch", lambda w: w.verify(w.present(nonce="nonce-9876543210"), key_binding=w.binding))
simple("kb_sd_hash_mismatch", lambda w: w.verify(w.with_kb(w.issue(), {"sd_hash": "AA"}), key_binding=w.binding))
simple(
    "cnf_missing",
    lambda w: w.verify(w.with_kb(w.forge(w.claims(cnf=...)), {}), types=None, key_binding=w.binding),
)
simple(
    "cnf_unsupported",
    lambda w: w.verify(w.with_kb(w.forge(w.claims(cnf={"kid": "k"})), {}), key_binding=w.binding),
)


@raises("transaction_data_mismatch")
def _(w):
    binding = replace(w.binding, transaction_data=["one"])
    return w.verify(w.present(transaction_data=["two"]), key_binding=binding)


simple(
    "transaction_data_unexpected",
    lambda w: w.verify(w.present(transaction_data=["two"]), key_binding=w.binding),
)


class _Used:
    def first_use(self, audience: str, nonce: str, until: int) -> bool:
        return False


simple("replayed", lambda w: w.verify(w.present(), key_binding=w.binding, replay=_Used()))

# --- types and data model ----------------------------------------------------------------------------
simple("claim_missing", lambda w: w.verify(w.forge(w.claims(vct=...))))
simple("vct_unknown", lambda w: w.verify(w.issue(), types=TypeRegistry({"other": {}})))
simple("schema_malformed", lambda w: TypeRegistry({"t": {"type": 7}}))
simple("schema_invalid", lambda w: w.verify(w.forge(w.claims(memory={"confidence": 2}))))
simple("vcdm_context", lambda w: w.verify_vc(w.secured(**{"@context": ["https://other.example"]})))
simple("vcdm_type", lambda w: w.verify_vc(w.secured(type=["MemoryCredential"])))
simple("vcdm_malformed", lambda w: w.verify_vc(w.secured(issuanceDate="2026-01-01T00:00:00Z")))
simple(
    "vcdm_claim_refused",
    lambda w: w.verify_vc(jws.sign({"vc": w.credential()}, w.issuer_signer, typ="vc+jwt")),
)
simple("context_unknown", lambda w: check_contexts([VCDM2, {"inline": "x"}], VCDM2, ()))
simple("context_hash_mismatch", lambda w: check_content(VCDM2, b"{}"))


def vp(w, **change: Any) -> str:
    options = {"audience": w.audience, "nonce": w.nonce, "issued_at": w.now, "life": 60} | change
    holder, signer = options.pop("holder", w.user), options.pop("signer", w.user_signer)
    count = options.pop("count", 1)
    token = vc_jose.issue(w.credential(issuer=w.issuer), w.issuer_signer)
    return vc_jose.present([token] * count, holder, signer, **options)


simple("holder_mismatch", lambda w: w.verify_vc(vp(w, holder=w.issuer), key_binding=w.binding))
simple("too_many_credentials", lambda w: w.verify_vc(vp(w, count=17), key_binding=w.binding))


# --- Data Integrity ----------------------------------------------------------------------------------
def with_proof(w, **change: Any) -> str:
    document = w.prove(w.credential())
    proof = {key: value for key, value in (document["proof"] | change).items() if value is not ...}
    return json.dumps(document | {"proof": proof})


simple("proof_missing", lambda w: w.verify_vc(json.dumps(w.credential())))
simple("proof_malformed", lambda w: w.verify_vc(with_proof(w, proofValue="u00")))
simple("proof_multiple", lambda w: w.verify_vc(json.dumps(w.credential() | {"proof": [{}, {}]})))
simple("suite_unsupported", lambda w: w.verify_vc(with_proof(w, cryptosuite="eddsa-rdfc-2022")))
simple("proof_purpose_mismatch", lambda w: w.verify_vc(with_proof(w, proofPurpose="authentication")))
simple("proof_context_missing", lambda w: w.verify_vc(with_proof(w, **{"@context": ...})))
simple("proof_context_mismatch", lambda w: w.verify_vc(with_proof(w, **{"@context": ["https://other.example"]})))


def di_presentation(w, **options: Any) -> str:
    document = {
        "@context": [VCDM2],
        "type": ["VerifiablePresentation"],
        "holder": w.ed_issuer,
        "verifiableCredential": [w.prove(w.credential(credentialSubject={"id": w.ed_issuer, "a": 1}))],
    }
    chosen = {"challenge": w.nonce, "domain": w.audience} | options
    return json.dumps(w.prove(document, purpose="authentication", options=chosen))


simple(
    "proof_challenge_mismatch",
    lambda w: w.verify_vc(di_presentation(w, challenge="x"), key_binding=w.binding),
)
simple("proof_domain_mismatch", lambda w: w.verify_vc(di_presentation(w, domain="x"), key_binding=w.binding))


# --- status ------------------------------------------------------------------------------------------
def with_status(w, index: Any = 5, listing: Any = None, **change: Any) -> Any:
    token = w.forge(w.claims(status={"status_list": {"uri": w.status_uri, "idx": index}}))
    return w.verify(token, status=w.status(listing, **change))


simple("status_missing", lambda w: w.verify(w.issue(), status=w.status(None, required=True)))
simple("status_unsupported", lambda w: w.verify(w.forge(w.claims(status={"other": 1}))))
simple("status_unavailable", lambda w: with_status(w))
simple("status_stale", lambda w: with_status(w, listing=w.listing(fetched_at=w.now - 400)))
simple("status_list_malformed", lambda w: token_list.decode_list(1, b64url_encode(b"not compressed data")))
simple(
    "status_list_too_large",
    lambda w: token_list.decode_list(1, b64url_encode(deflate(bytes(4_000_000), gzip=False))),
)


@raises("status_list_too_short")
def _(w):
    document = bitstring.build(w.status_uri, bytes(8), issuer=w.issuer, now=w.now, life=60, ttl=60)
    return bitstring.read(document, uri=w.status_uri, issuer=w.issuer, now=w.now)


simple("status_wrong_subject", lambda w: with_status(w, listing=w.listing(uri="https://memory.example/status/2")))
simple("status_wrong_issuer", lambda w: with_status(w, listing=w.listing(issuer="did:web:evil.example")))
simple("status_purpose_mismatch", lambda w: bitstring.check(w.listing(purposes=("suspension",)), 1, "revocation"))
simple("status_index_malformed", lambda w: with_status(w, "3", w.listing()))
simple("status_index_out_of_range", lambda w: with_status(w, 131_072, w.listing()))


@raises("status_index_exhausted")
def _(w):
    table = StatusTable(8, 1, bytearray(1), bytearray(b"\x3f"))
    return table.allocate(rng=w.rng)


simple("status_revoked", lambda w: with_status(w, listing=w.listing(b"\x20" + bytes(16_383))))
simple("status_suspended", lambda w: with_status(w, 0, w.listing(b"\x02" + bytes(16_383), bits=2)))
simple("status_other", lambda w: check_value(3))

# --- consent -----------------------------------------------------------------------------------------
simple("consent_malformed", lambda w: record_of({"consent": "text"}))
simple("consent_term_unknown", lambda w: build(w.terms(purpose="dpv:Anything")))
simple(
    "consent_transition",
    lambda w: transition(w.record(), ConsentState.REQUESTED, entity=w.user, now=w.now, method="x"),
)


def use(w, record: Any = None, **change: Any) -> None:
    options = {
        "subject": w.user,
        "issuer": w.issuer,
        "grantee": w.grantee,
        "purpose": "dpv:ServicePersonalisation",
        "vct": w.vct,
        "paths": [("memory", "statement")],
        "now": w.now,
    } | change
    check_use(record or w.record(), **options)


simple(
    "consent_missing",
    lambda w: w.verify(w.issue(), consent=ConsentPolicy(None, w.consent_vct, w.grantee, "dpv:ServiceProvision")),
)
simple(
    "consent_hash_mismatch",
    lambda w: record_of({"consent": w.record(), "consent_hash": "AA", "iss": w.user, "sub": w.user}),
)
simple("consent_signer_mismatch", lambda w: use(w, subject="did:web:somebody.example"))
simple("consent_grantee_mismatch", lambda w: use(w, grantee="did:web:other.example"))
simple("consent_claims_exceeded", lambda w: use(w, paths=[("memory", "provenance")]))
simple("consent_purpose_mismatch", lambda w: use(w, purpose="dpv:AcademicResearch"))
simple("consent_window", lambda w: use(w, now=w.now + 90_000))
simple(
    "consent_not_given",
    lambda w: issue_consent(build(w.terms()), w.user_signer, vct="v", issued_at=w.now, rng=w.rng),
)


# --- delegation --------------------------------------------------------------------------------------
def delegation(w, **change: Any) -> model.Delegation:
    base = model.Delegation(
        domain="memory.example",
        account="did:pkh:eip155:1:0xb9c5714089478a327f09197987f16f9e5d936e8a",
        holder_thumbprint=w.holder_key.public.thumbprint(),
        grantee=w.grantee,
        consent_hash=w.holder_key.public.thumbprint(),
        nonce="abcdefgh12345678",
        issued_at=w.now,
        expires_at=w.now + 600,
    )
    return replace(base, **change)


def delegated(w, *, now: int | None = None, signature: bytes = bytes(65), **change: Any) -> Any:
    text = model.sign_in_text(delegation(w, **change))
    return ethereum.verify_text(text, signature, delegation(w), now=w.now if now is None else now)


OTHER = "did:pkh:eip155:1:0xa0ae58da58dfa46fa55c3b86545e7065f90ff011"
simple("delegation_malformed", lambda w: model.parse_text("I agree to everything."))
simple("delegation_domain", lambda w: delegated(w, domain="evil.example"))
simple("delegation_chain", lambda w: delegated(w, account=delegation(w).account.replace(":1:", ":137:")))
simple("delegation_nonce", lambda w: delegated(w, nonce="otherother12345"))
simple("delegation_expired", lambda w: delegated(w, now=w.now + 1_000))
simple("delegation_signature", lambda w: delegated(w, account=OTHER))
simple("delegation_high_s", lambda w: delegated(w, signature=b"\x01" * 32 + b"\xfe" * 32 + b"\x1b"))
simple("delegation_content", lambda w: delegated(w, grantee="did:web:other.example"))


# --- optional parts ----------------------------------------------------------------------------------
@raises("extra_missing")
def _(w):
    from mcp_memory_server.keys.os_keyring import system_keyring

    w.monkeypatch.setitem(sys.modules, "keyring", None)
    return system_keyring()


class _Engine:
    def __init__(self, code: str) -> None:
        self.code = code

    def verify(self, credential: str, *, proof_format: str) -> None:
        raise ProofError(self.code)


def legacy(w, code: str) -> Any:
    document = w.credential(
        **{"@context": ["https://www.w3.org/2018/credentials/v1"]},
        validFrom=...,
        validUntil=...,
        issuanceDate="2026-01-01T00:00:00Z",
    )
    proof = {
        "type": "Ed25519Signature2020",
        "proofPurpose": "assertionMethod",
        "verificationMethod": w.ed_signer.kid,
    }
    return w.verify_vc(json.dumps(document | {"proof": proof}), legacy=_Engine(code))


simple("legacy_refused", lambda w: legacy(w, "legacy_refused"))
simple("legacy_unavailable", lambda w: legacy(w, "legacy_unavailable"))


# --- the tests ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("expected", sorted(CODES))
def test_code_is_raised(expected, world, code, monkeypatch):
    world.monkeypatch = monkeypatch
    if expected == "delegation_high_s" and importlib.util.find_spec("eth_account") is None:
        pytest.skip("extra 'ethereum' is not installed")
    assert code(lambda: TRIGGERS[expected](world)) == expected


def test_every_code_has_a_trigger_and_every_trigger_a_code():
    assert set(TRIGGERS) == set(CODES)


def test_a_code_outside_the_table_cannot_be_raised():
    with pytest.raises(LookupError):
        CredentialError("made_up")


def test_diagnostics_tell_code_meaning_finding_and_next_step():
    error = CredentialError("expired", "two days ago", hint="ask for a new one")
    assert error.diagnostics().splitlines() == [
        "expired: the validity has ended",
        "found: two days ago",
        "next: ask for a new one",
    ]
    assert CredentialError("expired").diagnostics() == "expired: the validity has ended"


def test_the_guide_lists_exactly_the_codes_with_their_meanings():
    guide = (Path(__file__).resolve().parents[3] / "docs/guide/credentials.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z0-9_]+)` \| (.+?) \|$", guide, flags=re.MULTILINE))
    assert listed == CODES
