"""Whatever comes in, a code goes out: malformed bytes, signed nonsense, documents of any shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from credentials import consent_record
from credentials.codes import CODES
from credentials.data_integrity.jcs import canonicalize
from credentials.delegation import model
from credentials.did import pkh, web, webvh_log
from credentials.did.document import DidDocument
from credentials.did.local import jwk_document, key_document
from credentials.encoding import b64url_decode, b64url_encode, json_decode, json_encode
from credentials.errors import CredentialError
from credentials.issuer_keys import parse_metadata
from credentials.keys import PublicKey
from credentials.multibase import base58_decode, base58_encode
from credentials.sd_jwt import parse, present, process, to_json
from credentials.sd_jwt.json_form import parse_signatures
from credentials.status import bitstring, token_list
from credentials.vault import KeyRing, unseal

COMMON = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

TEXT = st.text(max_size=12)
SCALAR = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
FINITE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


def refused_or_done(action) -> None:
    """Run it; only this package's errors may come out."""
    found = None
    try:
        action()
    except CredentialError as error:
        found = error.code
    assert found is None or found in CODES


@COMMON
@given(data=st.binary(max_size=300) | st.text(max_size=300))
def test_any_bytes_or_text(world, data):
    outcome = world.verify(data, key_binding=world.binding)
    assert outcome.code in CODES
    assert outcome.accepted is None


@COMMON
@given(parts=st.lists(st.text("abcdefABCDEF0123456789-_.~", max_size=40), max_size=6), mark=st.sampled_from(".~"))
def test_things_that_look_like_tokens(world, parts, mark):
    assert world.verify(mark.join(parts)).code in CODES


NAMES = (
    "iss sub aud exp nbf iat vct cnf status memory _sd _sd_alg ... credentialStatus credentialSubject type "
    "@context issuer id validFrom validUntil proof vc"
).split()
CLAIMS = st.dictionaries(st.sampled_from(NAMES) | TEXT, JSON, max_size=6)


@COMMON
@given(change=CLAIMS, disclosures=st.lists(JSON, max_size=3))
def test_nonsense_under_a_good_signature(world, change, disclosures):
    try:
        encoded = [b64url_encode(json_encode(item)) for item in disclosures]
        token = world.forge(world.claims() | change, encoded)
    except CredentialError:
        return  # NaN and lone surrogates cannot be written in the first place
    outcome = world.verify(token, types=None)
    assert outcome.ok or outcome.code in CODES


@COMMON
@given(
    change=st.dictionaries(
        st.sampled_from(["typ", "alg", "kid", "crit", "b64", "jwk", "x5c"]) | TEXT, FINITE, max_size=3
    )
)
def test_any_header_under_a_good_signature(world, change):
    outcome = world.verify(world.forge(world.claims(), header=change))
    assert outcome.ok or outcome.code in CODES


@COMMON
@given(
    kb=st.dictionaries(
        st.sampled_from(["iat", "aud", "nonce", "sd_hash", "transaction_data_hashes"]), FINITE, max_size=4
    )
)
def test_any_key_binding_under_a_good_signature(world, kb):
    outcome = world.verify(world.with_kb(world.issue(), kb), key_binding=world.binding)
    assert outcome.ok or outcome.code in CODES


@COMMON
@given(change=CLAIMS, proof=st.dictionaries(st.sampled_from(["type", "cryptosuite", "created", "proofValue"]), FINITE))
def test_documents_of_any_shape(world, change, proof):
    document = world.prove(world.credential())
    document = document | change | {"proof": {**document["proof"], **proof}}
    try:
        text = json.dumps(document)
    except ValueError:
        return
    outcome = world.verify_vc(text)
    assert outcome.ok or outcome.code in CODES


MEMBERS = st.sampled_from(["payload", "protected", "signature", "signatures", "header", "disclosures", "kb_jwt"])
NAMED = st.dictionaries(MEMBERS | st.sampled_from(["kid", "alg", "typ"]) | TEXT, JSON, max_size=4)


@COMMON
@given(
    change=NAMED | st.fixed_dictionaries({"signatures": st.lists(NAMED, max_size=3)}),
    header=NAMED,
    general=st.booleans(),
)
def test_json_forms_of_any_shape(world, change, header, general):
    document = json.loads(to_json(parse(world.present()), general=general))
    item = document["signatures"][0] if general else document
    item["header"] |= header
    try:
        text = json.dumps(document | change)
    except ValueError:
        return
    outcome = world.verify(text, key_binding=world.binding)
    assert outcome.ok or outcome.code in CODES


def typed_method(kind) -> DidDocument:
    did = "did:web:a.example"
    method = {"id": "#a", "type": kind, "controller": did}
    return DidDocument({"id": did, "verificationMethod": [method], "assertionMethod": ["#a"]}, did)


@COMMON
@given(value=JSON)
def test_parsers_of_single_values(world, value):
    did = "did:web:a.example"
    for action in (
        lambda: PublicKey.from_jwk(value),
        lambda: DidDocument({"id": did, "verificationMethod": value}, did),
        lambda: typed_method(value).key("#a", "assertionMethod"),
        lambda: DidDocument({"id": did, "assertionMethod": [value]}, did),
        lambda: token_list.reference({"status": value}),
        lambda: token_list.reference({"status": {"status_list": value}}),
        lambda: bitstring.reference(value),
        lambda: token_list.decode_list(value, value),
        lambda: bitstring.decode_list(value),
        lambda: process({"_sd": value}, ()),
        lambda: process({"a": [{"...": value}]}, ()),
        lambda: model.parse_typed_data(value if isinstance(value, dict) else {"domain": value}),
        lambda: webvh_log.first_parameters({"method": webvh_log.METHOD, "updateKeys": value, "witness": value}),
    ):  # fmt: skip
        refused_or_done(action)


@COMMON
@given(
    change=st.dictionaries(
        st.sampled_from(["events", "parties", "pii_processing", "privacy_notice", "record_id"]), FINITE
    )
)
def test_consent_records_of_any_shape(world, change):
    refused_or_done(lambda: consent_record.check_form(world.record() | change))


@COMMON
@given(data=st.binary(max_size=200))
def test_parsers_of_bytes(data):
    text = data.decode("latin-1")
    for action in (
        lambda: json_decode(data),
        lambda: b64url_decode(text),
        lambda: base58_decode(text),
        lambda: parse(text),
        lambda: parse_signatures(text),
        lambda: DidDocument.parse(data, "did:web:a.example"),
        lambda: parse_metadata(data, "https://a.example"),
        lambda: webvh_log.parse_log(data),
        lambda: KeyRing.from_bytes(data),
        lambda: unseal(data, bytes(32)),
        lambda: token_list.parse(text),
        lambda: key_document("did:key:" + text),
        lambda: jwk_document("did:jwk:" + text),
        lambda: web.document_url("did:web:" + text),
        lambda: webvh_log.log_url("did:webvh:" + text),
        lambda: pkh.parse("did:pkh:" + text),
        lambda: model.parse_text(text),
        lambda: PublicKey.from_multikey(text),
    ):
        refused_or_done(action)


@COMMON
@given(value=FINITE)
def test_what_is_written_is_read_back(value):
    assert json_decode(json_encode(value)) == value
    assert json_decode(canonicalize(value)) == value
    assert canonicalize(json_decode(canonicalize(value))) == canonicalize(value)


@COMMON
@given(data=st.binary(max_size=64))
def test_encodings_round_trip(data):
    assert b64url_decode(b64url_encode(data)) == data
    assert base58_decode(base58_encode(data)) == data


def _paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in items:
        yield (*path, step)
        yield from _paths(child, (*path, step))


KEY = st.text("abcdefg", min_size=1, max_size=4)  # never one of the reserved names
PLAIN = st.dictionaries(
    KEY,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**50), 2**50) | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
        max_leaves=10,
    ),
    max_size=4,
)


@COMMON
@given(claims=PLAIN, data=st.data())
def test_any_choice_of_hidden_claims_gives_the_claims_back(world, claims, data):
    paths = list(_paths(claims))
    hidden = data.draw(st.lists(st.sampled_from(paths), unique=True)) if paths else []
    full = world.claims(x=claims)
    token = world.sd(full, [("x", *path) for path in hidden])
    parsed = parse(token)
    assert len(parsed.disclosures) == len(hidden)
    assert process(parsed.jws.claims(), parsed.disclosures).claims == full
    shown = data.draw(st.lists(st.sampled_from(hidden), unique=True)) if hidden else []
    chosen = parse(present(token, [("x", *path) for path in shown]))
    assert set(chosen.disclosures) <= set(parsed.disclosures)
    assert process(chosen.jws.claims(), chosen.disclosures).disclosed_names == frozenset()


@pytest.mark.parametrize("filler", ["a", "{", "[", '"', "\\", "~", ".", "eyJ", "é", "\x00", "1"])
def test_a_mebibyte_of_anything_is_refused(world, filler):
    """How fast is measured in benchmarks/credentials.py; here only that it is refused by its length."""
    assert world.verify(filler * (2**20 // len(filler))).code == "too_large"
    assert world.verify((filler * (2**20 // len(filler))).encode()).code == "too_large"
