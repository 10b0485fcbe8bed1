"""SD-JWT: nested and array disclosures, decoys, chosen subsets, structure."""

from __future__ import annotations

import json

import pytest

from credentials.encoding import b64url_decode
from credentials.sd_jwt import KeyBindingRequest, parse, present, process
from credentials.sd_jwt.disclosure import digest

CLAIMS = {
    "profile": {"name": "An", "address": {"city": "Xi'an", "street": "1"}},
    "topics": ["finance", {"name": "travel", "level": 2}, "health"],
    "plain": True,
}
HIDDEN = [
    ("profile",),
    ("profile", "name"),
    ("profile", "address"),
    ("profile", "address", "street"),
    ("topics", 0),
    ("topics", 1),
    ("topics", 1, "level"),
]


@pytest.fixture
def token(world):
    return world.sd(world.claims(**CLAIMS), HIDDEN, decoys=3)


def opened(token: str) -> dict:
    parsed = parse(token)
    return process(parsed.jws.claims(), parsed.disclosures).claims


def test_everything_disclosed_gives_the_claims_back(world, token):
    assert opened(token) == world.claims(**CLAIMS)


def test_nothing_disclosed_gives_only_what_is_plain(world, token):
    nothing = present(token, [])
    assert opened(nothing) == world.claims(topics=["health"], plain=True)
    assert "Xi'an" not in str(b64url_decode(nothing.split(".")[1]))


@pytest.mark.parametrize(
    ("reveal", "profile", "topics"),
    [
        ([("profile", "name")], {"name": "An"}, ["health"]),
        ([("profile", "address", "street")], {"address": {"city": "Xi'an", "street": "1"}}, ["health"]),
        ([("profile", "address")], {"address": {"city": "Xi'an", "street": "1"}}, ["health"]),
        ([("profile",)], CLAIMS["profile"], ["health"]),
        ([("topics", 0)], None, ["finance", "health"]),
        ([("topics", 1, "level")], None, [{"name": "travel", "level": 2}, "health"]),
        ([("topics",)], None, CLAIMS["topics"]),
        ([("plain",), ("topics", 2)], None, ["health"]),
    ],
)
def test_a_path_reveals_the_claim_its_parents_and_what_is_below(token, reveal, profile, topics):
    shown = opened(present(token, reveal))
    assert shown.get("profile") == profile
    assert shown["topics"] == topics


@pytest.mark.parametrize("path", [("nothing",), ("topics", 9), ("plain", "x"), ("topics", "x"), ("topics", True, "x")])
def test_a_path_to_nothing_is_refused(token, code, path):
    assert code(lambda: present(token, [path])) == "claim_path_unknown"


def test_paths_of_array_elements_keep_the_issuers_index(token):
    shown = parse(present(token, [("topics", 1)]))
    assert ("topics", 1) in process(shown.jws.claims(), shown.disclosures).paths.values()


def test_decoys_look_like_digests_and_order_tells_nothing(world):
    payload = parse(world.sd(world.claims(**CLAIMS), HIDDEN, decoys=5)).jws.claims()
    assert len(payload["_sd"]) == 6
    assert payload["_sd"] == sorted(payload["_sd"])
    assert {len(value) for value in payload["_sd"]} == {43}
    only_decoys = parse(world.sd(world.claims(), decoys=2)).jws.claims()
    assert len(only_decoys["_sd"]) == 2
    assert only_decoys["_sd_alg"] == "sha-256"


def test_salts_have_at_least_128_bits_and_are_used_once(token):
    salts = [json.loads(b64url_decode(text))[0] for text in parse(token).disclosures]
    assert len(set(salts)) == len(HIDDEN)
    assert min(len(b64url_decode(salt)) for salt in salts) * 8 >= 128


def test_without_hidden_claims_there_is_no_keyword(world):
    payload = parse(world.sd(world.claims())).jws.claims()
    assert not {"_sd", "_sd_alg"} & payload.keys()


@pytest.mark.parametrize(
    ("claims", "hidden", "options", "expected"),
    [
        ({"a": 1}, [("b",)], {}, "claim_path_unknown"),
        ({"_sd": []}, [], {}, "disclosure_reserved_name"),
        ({"a": {"...": 1}}, [], {}, "disclosure_reserved_name"),
        ({"a": 1}, [("a",)], {"decoys": 257}, "too_many_disclosures"),
        ({"a": 1}, [("a", index) for index in range(257)], {}, "too_many_disclosures"),
        ({"a": "x" * 70_000}, [], {}, "too_large"),
        ({"a": json.loads("[" * 17 + "]" * 17)}, [], {}, "json_too_deep"),
    ],
)
def test_what_cannot_be_issued(world, code, claims, hidden, options, expected):
    assert code(lambda: world.sd(claims, hidden, **options)) == expected


def test_claims_are_an_object(world, code):
    from credentials.sd_jwt import issue

    assert code(lambda: issue(["a"], [], world.issuer_signer, rng=world.rng)) == "malformed"
    assert (
        code(
            lambda: (
                world.sd(world.claims(), decoys=1) and issue({}, [], world.issuer_signer, rng=lambda n: b"x", decoys=2)
            )
        )
        == "salt_weak"
    )


def test_the_callers_claims_are_left_as_they_were(world):
    claims = world.claims(**json.loads(json.dumps(CLAIMS)))
    before = json.dumps(claims)
    world.sd(claims, HIDDEN)
    assert json.dumps(claims) == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c", "malformed"),
        ("a.b.c~~", "malformed"),
        ("é~", "malformed"),
        ("x" * 70_000 + "~", "too_large"),
        ("a.b.c~" + "d~" * 257, "too_many_disclosures"),
    ],
)
def test_what_is_no_sd_jwt(code, text, expected):
    assert code(lambda: parse(text)) == expected


@pytest.mark.parametrize(
    "payload",
    [
        {"_sd": [7]},
        {"a": {"...": "x"}},
        {"...": "x"},
        {"a": {"_sd_alg": "sha-256"}},
        {"a": [{"...": "x", "b": 1}]},
        {"a": [{"...": 7}]},
        {"a": [{"...": {"b": 1}}]},
    ],
)
def test_keywords_out_of_place_are_refused(code, payload):
    assert code(lambda: process(payload, ())) == "sd_structure"


def test_a_disclosure_has_to_be_of_the_kind_its_place_asks_for(world, code):
    element, element_digest = world.disclosure("s", "value")
    prop, prop_digest = world.disclosure("s", "name", "value")
    assert code(lambda: process({"_sd": [element_digest]}, (element,))) == "sd_structure"
    assert code(lambda: process({"a": [{"...": prop_digest}]}, (prop,))) == "sd_structure"


@pytest.mark.parametrize(
    "content", [{}, "text", [1, "name", "value"], ["salt", 5, "value"], ["s", "n", "v", "more"], []]
)
def test_a_disclosure_is_an_array_of_two_or_three(code, content):
    from credentials.encoding import b64url_encode

    encoded = b64url_encode(json.dumps(content).encode())
    assert code(lambda: process({"_sd": [digest(encoded)]}, (encoded,))) == "disclosure_malformed"


def test_a_disclosure_that_is_no_base64_or_json_is_refused(code):
    assert code(lambda: process({}, ("a=",))) == "disclosure_malformed"
    assert code(lambda: process({}, ("AAAA",))) == "disclosure_malformed"


def test_a_named_json_refusal_inside_a_disclosure_keeps_its_name(code):
    from credentials.encoding import b64url_encode

    assert code(lambda: process({}, (b64url_encode(b'["s","a",{"x":1,"x":2}]'),))) == "json_duplicate_key"


def test_null_and_empty_values_are_values(world):
    claims = world.claims(a=None, b=[], c={}, d="", e=[None, None])
    token = world.sd(claims, [("a",), ("b",), ("c",), ("d",), ("e", 0), ("e", 1)])
    assert opened(token) == claims


def test_a_key_binding_needs_signer_and_request_together(world, code):
    token = world.issue()
    assert code(lambda: present(token, [], signer=world.holder_signer)) == "config_invalid"
    assert code(lambda: KeyBindingRequest("", "n", 1)) == "config_aud_missing"
    assert code(lambda: KeyBindingRequest("a", "", 1)) == "config_nonce_missing"


def test_parsed_parts_give_the_same_text(world):
    presented = world.present()
    assert parse(presented).compact() == presented


def test_transaction_data_is_bound(world):
    from dataclasses import replace

    binding = replace(world.binding, transaction_data=["one", "two"])
    assert world.verify(world.present(transaction_data=["one", "two"]), key_binding=binding).ok
    for sent in (["two", "one"], ["one"], []):
        assert (
            world.verify(world.present(transaction_data=sent), key_binding=binding).code == "transaction_data_mismatch"
        )
    other_hash = world.with_kb(world.issue(), {"transaction_data_hashes_alg": "sha-512"})
    assert world.verify(other_hash, key_binding=binding).code == "transaction_data_mismatch"


def test_a_short_nonce_is_a_configuration_error(world, code):
    from credentials.sd_jwt.key_binding import KeyBindingPolicy

    assert code(lambda: KeyBindingPolicy("a", "short")) == "config_invalid"


def test_claims_about_validity_of_an_sd_jwt_that_is_no_vc_may_be_hidden(world):
    token = world.sd({"exp": 5}, [("exp",)], typ="example+sd-jwt")
    assert parse(token, typ="example+sd-jwt").jws.header["typ"] == "example+sd-jwt"
