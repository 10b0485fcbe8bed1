"""Identifiers and their documents: syntax, relationships, controller, hosts."""

from __future__ import annotations

import json

import pytest

from credentials.did import pkh, web
from credentials.did.document import DidDocument, absolute, build_document, checked, did_of
from credentials.did.local import did_jwk, did_key, jwk_document, key_document
from credentials.did.resolve import StaticResolver, method_of
from credentials.encoding import b64url_encode
from credentials.issuer_keys import IssuerKeys, KeySource, build_metadata, metadata_url, parse_metadata

DID = "did:web:agent.example"


def test_our_own_document_has_active_and_retired_keys(world):
    document = build_document(
        DID,
        [("new", world.issuer_key.public)],
        retired=[("old", world.ed_key.public)],
        also_known_as=["did:webvh:x"],
        services=[{"id": f"{DID}#inbox", "type": "Inbox", "serviceEndpoint": "https://agent.example/inbox"}],
    )
    parsed = checked(document, DID)
    assert parsed.key("#new", "assertionMethod") == world.issuer_key.public
    assert parsed.key(f"{DID}#new", "authentication") == world.issuer_key.public
    assert parsed.key("#old", "assertionMethod") == world.ed_key.public
    assert parsed.urls("authentication") == {f"{DID}#new"}
    assert document["alsoKnownAs"] == ["did:webvh:x"]
    assert document["service"][0]["type"] == "Inbox"
    assert DidDocument.parse(json.dumps(document).encode(), DID).did == DID


def test_a_retired_key_does_not_authenticate(world, code):
    document = build_document(DID, [("new", world.issuer_key.public)], retired=[("old", world.ed_key.public)])
    parsed = DidDocument(document, DID)
    assert code(lambda: parsed.key("#old", "authentication")) == "did_key_relationship"
    assert code(lambda: parsed.key("#none", "authentication")) == "did_key_not_found"
    assert code(lambda: parsed.only_key("assertionMethod")) == "did_key_not_found"
    assert parsed.only_key("authentication")[1] == world.issuer_key.public


def test_a_document_without_a_key_is_not_built(code):
    assert code(lambda: build_document(DID, [])) == "did_document_malformed"


def method(world, **change):
    base = {
        "id": f"{DID}#k",
        "type": "Multikey",
        "controller": DID,
        "publicKeyMultibase": world.issuer_key.public.to_multikey(),
    }
    return {key: value for key, value in (base | change).items() if value is not ...}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"id": "#k"}, None),
        ({"type": "Ed25519VerificationKey2020"}, None),
        ({"controller": "did:web:evil.example"}, "did_key_relationship"),
        ({"controller": ...}, "did_key_relationship"),
        ({"type": "RsaVerificationKey2018"}, "did_document_malformed"),
        ({"publicKeyMultibase": ...}, "did_document_malformed"),
        ({"publicKeyMultibase": "z"}, "key_curve_refused"),
        ({"type": "JsonWebKey"}, "key_malformed"),
        ({"type": "JsonWebKey", "publicKeyJwk": {"kty": "RSA"}}, "key_type_refused"),
    ],
)
def test_a_verification_method_is_checked_when_it_is_used(world, code, change, expected):
    document = DidDocument({"id": DID, "verificationMethod": [method(world, **change)], "assertionMethod": ["#k"]}, DID)
    assert code(lambda: document.key("#k", "assertionMethod")) == expected


def test_an_embedded_method_counts_for_its_relationship_only(world, code):
    document = DidDocument({"id": DID, "assertionMethod": [method(world)]}, DID)
    assert document.key("#k", "assertionMethod") == world.issuer_key.public
    assert code(lambda: document.key("#k", "authentication")) == "did_key_relationship"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"id": "did:web:other.example"}, "did_document_mismatch"),
        ({"id": DID, "verificationMethod": {}}, "did_document_malformed"),
        ({"id": DID, "verificationMethod": [{"id": 5}]}, "did_document_malformed"),
        ({"id": DID, "verificationMethod": [{"id": "#a"}, {"id": f"{DID}#a"}]}, "did_document_malformed"),
        ({"id": DID, "authentication": "#a"}, "did_document_malformed"),
        ({"id": DID, "verificationMethod": [{"id": f"#{n}"} for n in range(65)]}, "did_document_malformed"),
    ],
)
def test_malformed_documents_are_refused(code, source, expected):
    assert code(lambda: DidDocument(source, DID)) == expected


def test_a_large_document_is_refused_by_its_length(code):
    assert code(lambda: DidDocument.parse(b" " * 70_000, DID)) == "too_large"


def test_checked_finds_a_bad_key_at_once(world, code):
    source = {"id": DID, "verificationMethod": [method(world, type="Other")], "assertionMethod": ["#k"]}
    assert DidDocument(source, DID).methods
    assert code(lambda: checked(source, DID)) == "did_document_malformed"


def test_did_urls():
    assert absolute(DID, "#k") == f"{DID}#k"
    assert absolute(DID, f"{DID}#k") == f"{DID}#k"
    assert did_of(f"{DID}/path?query#k") == DID


# --- did:key, did:jwk --------------------------------------------------------------------------------
def test_local_identifiers_lead_to_their_key(world):
    for key in (world.issuer_key.public, world.ed_key.public):
        assert key_document(did_key(key)).only_key("authentication")[1] == key
        assert jwk_document(did_jwk(key)).only_key("assertionMethod")[1] == key


@pytest.mark.parametrize("did", ["did:web:x", "did:key:" + "z" * 9_000])
def test_no_did_key(code, did):
    assert code(lambda: key_document(did)) == "did_malformed"


def test_a_did_key_has_one_spelling(world, code):
    from credentials.multibase import multibase_decode, multibase_encode

    other = multibase_encode(multibase_decode(world.ed_key.public.to_multikey()), "u")
    assert code(lambda: key_document(f"did:key:{other}")) == "did_malformed"


@pytest.mark.parametrize(
    ("did", "expected"),
    [
        ("did:key:z", "did_malformed"),
        ("did:jwk:" + "A" * 9_000, "did_malformed"),
        ("did:jwk:!!", "did_malformed"),
        ("did:jwk:" + b64url_encode(b"[]"), "did_malformed"),
        ("did:jwk:" + b64url_encode(b'{"kty":"oct","k":"AA"}'), "key_private_refused"),
    ],
)
def test_no_did_jwk(code, did, expected):
    assert code(lambda: jwk_document(did)) == expected


# --- did:web -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("did", "expected"),
    [
        ("did:web:example.com%3a8443", None),
        ("did:web:EXAMPLE.com", None),
        ("did:web:xn--fiqs8s.example", None),
        ("did:key:x", "did_malformed"),
        ("did:web:" + "a" * 9_000, "did_malformed"),
        ("did:web:example.com%3A0", "did_malformed"),
        ("did:web:example.com%3A70000", "did_malformed"),
        ("did:web:example.com%3A80%3A90", "did_malformed"),
        ("did:web:-bad.example", "did_malformed"),
        ("did:web:a..example", "did_malformed"),
        ("did:web:example.com:", "did_malformed"),
        ("did:web:example.com:a:.", "did_malformed"),
        ("did:web:[::1]", "did_host_refused"),
        ("did:web:1.2.3.4", "did_host_refused"),
    ],
)
def test_did_web_syntax(code, did, expected):
    assert code(lambda: web.document_url(did)) == expected


def test_did_web_is_made_and_read(world, code):
    did = web.did_web("Agent.example", "agents", "a", port=8443)
    assert did == "did:web:agent.example%3A8443:agents:a"
    assert web.document_url(did) == "https://agent.example:8443/agents/a/did.json"
    document = build_document(did, [("k", world.issuer_key.public)])
    parsed = web.web_document(did, json.dumps(document).encode())
    assert StaticResolver({did: parsed}).document(did) is parsed
    assert code(lambda: web.did_web("agent.example", "..")) == "did_malformed"
    wrong = StaticResolver({"did:web:other.example": parsed})
    assert code(lambda: wrong.document("did:web:other.example")) == "did_document_mismatch"


# --- the resolver ------------------------------------------------------------------------------------
def test_the_resolver_never_fetches(world, code):
    resolver = StaticResolver()
    assert resolver.document(world.issuer).did == world.issuer
    assert resolver.document(world.ed_issuer).did == world.ed_issuer
    account = "did:pkh:eip155:1:0xb9c5714089478a327f09197987f16f9e5d936e8a"
    assert code(lambda: resolver.document(account).only_key("authentication")) == "did_document_malformed"
    assert code(lambda: resolver.document("did:webvh:x:y")) == "did_unresolved"
    for text in ("did:", "x:key:z", "did::x", "did:key:", "text"):
        assert code(lambda text=text: method_of(text)) == "did_malformed"


def test_did_pkh_compares_addresses_without_case(code):
    account = pkh.parse("did:pkh:eip155:1:0xB9C5714089478a327F09197987f16f9E5d936E8a")
    assert account.same_address("0xb9c5714089478a327f09197987f16f9e5d936e8a")
    assert not account.same_address("0xa0ae58da58dfa46fa55c3b86545e7065f90ff011")
    assert code(lambda: pkh.parse("did:pkh:eip155:1:0x12")) == "did_malformed"
    assert code(lambda: pkh.parse("did:web:x")) == "did_malformed"


# --- HTTPS issuers -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("issuer", "expected"),
    [
        ("https://a.example", "https://a.example/.well-known/jwt-vc-issuer"),
        ("https://a.example/agents/1", "https://a.example/.well-known/jwt-vc-issuer/agents/1"),
        ("https://a.example:8443/x/", "https://a.example:8443/.well-known/jwt-vc-issuer/x"),
    ],
)
def test_metadata_is_inserted_before_the_path(issuer, expected):
    assert metadata_url(issuer) == expected


@pytest.mark.parametrize(
    "issuer", ["http://a.example", "https://a.example?x=1", "https://u@a.example", "https://a.example#f", "x"]
)
def test_no_https_issuer(code, issuer):
    assert code(lambda: metadata_url(issuer)) == "issuer_metadata_malformed"


def test_an_issuer_at_an_address_of_this_machine_is_refused(code):
    assert code(lambda: metadata_url("https://127.0.0.1/")) == "did_host_refused"


def test_credentials_of_an_https_issuer_verify_through_its_metadata(world):
    from credentials.trust import TrustList

    iss = "https://memory.example"
    metadata = build_metadata(iss, {"k1": world.issuer_key.public, "k2": world.ed_key.public})
    keys = parse_metadata(json.dumps(metadata).encode(), iss)
    trust = TrustList({iss: [world.vct]})
    signed = world.forge(world.claims(iss=iss), header={"kid": "k1"})
    assert world.verify(signed, issuers=trust, issuer_keys={iss: keys}).ok
    assert world.verify(signed, issuers=trust).code == "issuer_key_mismatch"
    for kid in ("k3", ..., f"{world.issuer}#0"):
        token = world.forge(world.claims(iss=iss), header={"kid": kid})
        assert world.verify(token, issuers=trust, issuer_keys={iss: keys}).code == "issuer_key_mismatch"


def test_a_single_key_needs_no_name(world):
    keys = IssuerKeys("https://a.example", {None: world.issuer_key.public})
    assert keys.key(None) == world.issuer_key.public


def test_a_key_set_may_come_from_its_own_address_and_hold_foreign_keys(world):
    iss = "https://a.example"
    jwks = {"keys": [{"kty": "RSA", "n": "AA", "e": "AQAB"}, {**world.issuer_key.public.to_jwk(), "kid": "k"}]}
    metadata = json.dumps({"issuer": iss, "jwks_uri": f"{iss}/jwks"}).encode()
    assert parse_metadata(metadata, iss, jwks=json.dumps(jwks).encode()).key("k") == world.issuer_key.public


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://b.example", "jwks": {"keys": []}},
        {"issuer": "https://a.example"},
        {"issuer": "https://a.example", "jwks": {"keys": []}, "jwks_uri": "x"},
        {"issuer": "https://a.example", "jwks_uri": "x"},
        {"issuer": "https://a.example", "jwks": {"keys": {}}},
        {"issuer": "https://a.example", "jwks": {"keys": [{}] * 65}},
    ],
)
def test_malformed_metadata(code, metadata):
    assert (
        code(lambda: parse_metadata(json.dumps(metadata).encode(), "https://a.example")) == "issuer_metadata_malformed"
    )


def test_two_keys_of_one_name_and_large_metadata(world, code):
    key = {**world.issuer_key.public.to_jwk(), "kid": "k"}
    twice = json.dumps({"issuer": "https://a.example", "jwks": {"keys": [key, key]}}).encode()
    assert code(lambda: parse_metadata(twice, "https://a.example")) == "issuer_metadata_malformed"
    assert code(lambda: parse_metadata(b" " * 70_000, "https://a.example")) == "too_large"


def test_a_key_may_be_named_by_its_fragment_alone(world):
    source = KeySource(StaticResolver())
    assert source.issuer_key(world.issuer, "0") == world.issuer_key.public
    assert source.issuer_key(world.issuer, "#0") == world.issuer_key.public
    assert source.issuer_key(world.issuer, None) == world.issuer_key.public
