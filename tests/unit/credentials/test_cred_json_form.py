"""The JWS JSON form of RFC 9901 section 8: the same checks as for the compact form, and nothing unsigned believed."""

from __future__ import annotations

import json

import pytest

from credentials import jws
from credentials.encoding import b64url_encode, json_encode
from credentials.formats import Format, detect
from credentials.limits import MAX_DISCLOSURES, MAX_SIGNATURES, MAX_TOKEN_BYTES
from credentials.sd_jwt import parse, parse_json, present, to_json
from credentials.sd_jwt.json_form import parse_signatures


@pytest.fixture
def flattened(world):
    return json.loads(to_json(parse(world.present())))


def general(document):
    item = {name: value for name, value in document.items() if name != "payload"}
    return {"payload": document["payload"], "signatures": [item]}


def edited(value, path, new):
    """A copy with one member set, or left out with ``...``; steps that are missing are made."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, list):
        return [edited(item, rest, new) if index == step else item for index, item in enumerate(value)]
    changed = {**value, step: edited(value.get(step, {}), rest, new)}
    return {name: item for name, item in changed.items() if item is not ...}


@pytest.mark.parametrize("form", [False, True], ids=["flattened", "general"])
def test_what_is_issued_or_presented_is_the_same_in_both_forms(world, form):
    for compact in (world.issue(), world.sd(world.claims()), world.present(), world.present(reveal=[])):
        text = to_json(parse(compact), general=form)
        assert parse_json(text) == parse(compact)
        assert parse_json(text).compact() == compact
        assert ("signatures" in json.loads(text)) is form
        assert detect(text) is Format.SD_JWT_JSON


@pytest.mark.parametrize("form", [False, True], ids=["flattened", "general"])
def test_a_presentation_in_json_is_verified_like_the_compact_one(world, form, replays):
    compact = world.present(reveal=[("memory", "statement"), ("memory", "object")])
    text = to_json(parse(compact), general=form)
    expected = world.verify(compact, key_binding=world.binding)
    found = world.verify(text, key_binding=world.binding, replay=replays)
    assert found.ok
    assert found.format == "sd-jwt+json"
    assert found.accepted.claims == expected.accepted.claims
    assert found.accepted.disclosed == expected.accepted.disclosed
    assert [check.name for check in found.checks] == [*(check.name for check in expected.checks), "replay"]
    assert world.verify(text, key_binding=world.binding, replay=replays).code == "replayed"
    assert world.verify(text).code == "kb_unexpected"


def test_a_holder_who_got_the_json_form_presents_from_it(world):
    got = parse_json(to_json(parse(world.issue()), general=True)).compact()
    shown = present(got, [("memory", "statement")])
    assert world.verify(to_json(parse(shown)), types=None).accepted.claims["memory"].keys() >= {"statement"}


def test_an_empty_unprotected_header_is_left_out_and_the_format_stays_sd_jwt(world):
    text = to_json(parse(world.sd(world.claims())))
    assert "header" not in json.loads(text)
    assert world.verify(text, types=None).ok
    assert world.verify(json.dumps(json.loads(text) | {"header": {}}), types=None).ok


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        (["header", "kid"], "a", "sd_json_header_repeated"),  # ours is protected
        (["header", "alg"], "ES256", "sd_json_unprotected"),
        (["header", "typ"], "dc+sd-jwt", "sd_json_unprotected"),
        (["header", "crit"], ["x"], "sd_json_unprotected"),
        (["header", "b64"], True, "sd_json_unprotected"),
        (["header", "jwk"], {}, "sd_json_unprotected"),
        (["header", "x5c"], [], "sd_json_unprotected"),
        (["header", "x-other"], 1, "sd_json_unknown"),
        (["header"], ["disclosures"], "header_malformed"),
        (["header"], None, "header_malformed"),
        (["header", "disclosures"], "text", "disclosure_malformed"),
        (["header", "disclosures"], [5], "disclosure_malformed"),
        (["header", "disclosures"], [""], "malformed"),
        (["header", "disclosures"], ["WyJhIl0~"], "malformed"),
        (["header", "disclosures"], ["é"], "malformed"),
        (["header", "disclosures"], ["WyJh"], "disclosure_malformed"),
        (["header", "disclosures"], ["WyJh"] * (MAX_DISCLOSURES + 1), "too_many_disclosures"),
        (["header", "disclosures"], ..., "kb_sd_hash_mismatch"),
        (["header", "disclosures"], [], "kb_sd_hash_mismatch"),
        (["header", "kb_jwt"], ..., "kb_missing"),
        (["header", "kb_jwt"], "", "kb_malformed"),
        (["header", "kb_jwt"], None, "kb_malformed"),
        (["header", "kb_jwt"], "a~b", "malformed"),
        (["header", "kb_jwt"], "a.b", "malformed"),
        (["header"], ..., "kb_missing"),
        (["protected"], ..., "sd_json_member_missing"),
        (["protected"], "", "sd_json_member_missing"),
        (["protected"], {"alg": "ES256"}, "sd_json_member_missing"),
        (["protected"], "e30.e30", "malformed"),
        (["signature"], ..., "sd_json_member_missing"),
        (["signature"], 5, "sd_json_member_missing"),
        (["signature"], "AA", "signature_invalid"),
    ],
)
def test_what_is_wrong_in_either_form_has_its_code(world, flattened, path, new, expected):
    in_general = edited(general(flattened), ["signatures", 0, *path], new)
    for document in (edited(flattened, path, new), in_general):
        assert world.verify(json.dumps(document), key_binding=world.binding).code == expected


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        (["payload"], ..., "sd_json_member_missing"),
        (["payload"], "", "sd_json_member_missing"),
        (["payload"], "e30", "claim_missing"),
        (["payload"], "e31=", "base64_malformed"),
        (["disclosures"], [], "sd_json_misplaced"),
        (["kb_jwt"], "a", "sd_json_misplaced"),
        (["other"], 1, "sd_json_unknown"),
    ],
)
def test_what_is_wrong_beside_the_signature_has_its_code(world, flattened, path, new, expected):
    for document in (edited(flattened, path, new), edited(general(flattened), path, new)):
        assert world.verify(json.dumps(document), key_binding=world.binding).code == expected


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        (["signatures"], [], "sd_json_member_missing"),
        (["signatures"], {}, "sd_json_member_missing"),
        (["signatures"], ["text"], "sd_json_member_missing"),
        (["signatures", 0, "payload"], "e30", "sd_json_unknown"),
        (["signatures", 0, "disclosures"], [], "sd_json_misplaced"),
        (["header"], {}, "sd_json_form"),
        (["protected"], "e30", "sd_json_form"),
        (["signature"], "AA", "sd_json_form"),
    ],
)
def test_the_general_form_is_not_mixed_with_the_other(world, flattened, path, new, expected):
    document = edited(general(flattened), path, new)
    assert world.verify(json.dumps(document), key_binding=world.binding).code == expected


def test_several_signatures_are_read_only_by_who_asks_for_them(world, flattened, code):
    document = general(flattened)
    one = document["signatures"][0]
    bare = {name: one[name] for name in ("protected", "signature")}
    several = json.dumps({**document, "signatures": [one, bare]})
    assert world.verify(several, key_binding=world.binding).code == "sd_json_signatures"
    first, second = parse_signatures(several)
    assert (first.key_binding, first.disclosures) == (second.key_binding, second.disclosures)
    hints = json.dumps({**document, "signatures": [one, {**bare, "header": {"disclosures": []}}]})
    assert code(lambda: parse_signatures(hints)) == "sd_json_misplaced"
    crowd = json.dumps({**document, "signatures": [one, *[bare] * MAX_SIGNATURES]})
    assert code(lambda: parse_signatures(crowd)) == "sd_json_signatures"
    assert len(parse_signatures(json.dumps({**document, "signatures": [one, *[bare] * (MAX_SIGNATURES - 1)]}))) == 8
    broken = json.dumps({**document, "signatures": [one, {**bare, "signature": "A"}]})
    assert code(lambda: parse_signatures(broken)) == "base64_malformed"


@pytest.mark.parametrize("name", ["disclosures", "kb_jwt"])
def test_a_protected_header_carries_no_disclosures(world, code, name):
    header = {"alg": "ES256", "typ": "dc+sd-jwt", name: []}
    token = jws.sign_bytes(header, json_encode(world.claims()), world.issuer_signer)
    assert code(lambda: parse_json(to_json(parse(f"{token}~")))) == "sd_json_misplaced"


def test_a_key_identifier_that_is_not_signed_is_not_used(world):
    token = jws.sign_bytes({"alg": "ES256", "typ": "dc+sd-jwt"}, json_encode(world.claims()), world.issuer_signer)
    document = json.loads(to_json(parse(f"{token}~")))
    assert world.verify(json.dumps({**document, "header": {"kid": "did:web:evil.example#k"}}), types=None).ok


def test_keys_sizes_and_depth_are_bounded_before_anything_is_read(world, flattened, code):
    text = json.dumps(flattened)
    twice = text[:-1] + ', "payload": "e30"}'
    assert world.verify(twice, key_binding=world.binding).code == "json_duplicate_key"
    twice = text.replace('"kb_jwt"', '"disclosures": [], "kb_jwt"')
    assert world.verify(twice, key_binding=world.binding).code == "json_duplicate_key"
    assert code(lambda: parse_json(text + " " * MAX_TOKEN_BYTES)) == "too_large"
    assert code(lambda: parse_json("[]")) == "json_malformed"
    deep = text[:-1] + ', "x": ' + "[" * 20 + "]" * 20 + "}"
    assert world.verify(deep, key_binding=world.binding).code == "json_too_deep"


def test_typ_algorithm_and_dates_are_those_of_the_signed_parts(world):
    def form(token):
        return to_json(parse(token, typ=None))

    assert world.verify(form(world.forge(world.claims(), header={"typ": "vc+sd-jwt"}))).code == "typ_mismatch"
    assert world.verify(form(world.forge(world.claims(), header={"alg": "none"}))).code == "alg_not_allowed"
    assert world.verify(form(world.issue()), now=world.now + 7_200).code == "expired"
    hidden = world.disclosure("salt-salt-salt-salt", "exp", 1)
    forged = world.forge(world.claims(exp=..., _sd=[hidden[1]], _sd_alg="sha-256"), [hidden[0]])
    assert world.verify(form(forged), types=None).code == "claim_must_be_plain"


def test_a_presentation_of_the_data_model_embeds_no_sd_jwt(world):
    presentation = {
        "@context": ["https://www.w3.org/ns/credentials/v2"],
        "type": ["VerifiablePresentation"],
        "holder": world.ed_issuer,
        "verifiableCredential": [json.loads(to_json(parse(world.issue())))],
    }
    options = {"challenge": world.nonce, "domain": world.audience}
    signed = world.prove(presentation, purpose="authentication", options=options)
    assert world.verify(json.dumps(signed), key_binding=world.binding).code == "format_unknown"


def test_a_document_with_a_context_is_no_jws(world):
    document = {"@context": ["https://www.w3.org/ns/credentials/v2"], "payload": b64url_encode(b"{}")}
    assert detect(json.dumps(document)) is Format.VC_DI
    assert detect(json.dumps({"payload": 1})) is Format.SD_JWT_JSON
