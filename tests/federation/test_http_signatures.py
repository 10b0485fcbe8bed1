"""Signed requests. Vectors of RFC 9421 appendix B; cases SIG-01, SIG-02, CRD-03; threat rows: HTTP replay, key
substitution, algorithm confusion, clock skew, audience confusion."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import http_sf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from credentials.algorithms import KeyType
from credentials.did.local import did_jwk, did_key, did_key_url
from credentials.did.resolve import StaticResolver
from credentials.errors import CredentialError
from credentials.keys import PrivateKey, PublicKey
from credentials.vault import LocalSigner
from federation.content_digest import check_digest, content_digest
from federation.errors import ConfigurationError, FederationError, SignatureError
from federation.http_signatures import AGENT_TO_AGENT, Profile, sign, use_once, verify
from federation.replay import MemoryReplayCache
from federation.signature_base import Message, parse_signatures, signature_base, signature_parameters

NOW = 1_790_000_000
INBOX = "https://insurance.example/agents/insurance/inbox"
BODY = b'{"a":1}'
RESOLVER = StaticResolver()


def counting() -> Callable[[int], bytes]:
    made = iter(range(1, 1_000_000))
    return lambda count: next(made).to_bytes(count, "big")


RNG = counting()


def signer(kind: KeyType = KeyType.ED25519) -> LocalSigner:
    key = PrivateKey.generate(kind)
    return LocalSigner(key, did_key_url(key.public))


ED, EC = signer(), signer(KeyType.P256)
PLAIN = Message("POST", INBOX, [("Content-Type", "application/json"), ("X-Other", "1")], BODY)


def signed(by: LocalSigner = ED, message: Message = PLAIN, **change: Any) -> Message:
    added = sign(message, by, **({"now": NOW, "rng": RNG} | change))
    return replace(message, fields=[*message.fields, *added.items()])


def hand_signed(
    names: list[str], by: LocalSigner = ED, message: Message = PLAIN, digest: bool = True, **more: Any
) -> Message:
    """A request signed by the rules of the standard alone, over whatever components and parameters."""
    fields = list(message.fields)
    if digest and message.body:
        fields.append(("Content-Digest", content_digest(message.body)))
    parameters = {"created": NOW, "keyid": by.kid} | more
    listed = "".join(
        f";{name}={value}" if not isinstance(value, str) else f';{name}="{value}"'
        for name, value in parameters.items()
        if value is not None
    )
    text = f"({' '.join(f'{chr(34)}{name}{chr(34)}' for name in names)}){listed}"
    whole = replace(message, fields=fields)
    lines = [f'"{name}": {_derived(whole, name) if name.startswith("@") else whole.value(name)}' for name in names]
    base = "\n".join([*lines, f'"@signature-params": {text}']).encode()
    signature = base64.b64encode(by.sign(base)).decode()
    fields += [("Signature-Input", f"s={text}"), ("Signature", f"s=:{signature}:")]
    return replace(message, fields=fields)


def _derived(message: Message, name: str) -> str:
    return {"@method": message.method, "@target-uri": message.target_uri}.get(name, "")


def refused(message: Message, profile: Profile = AGENT_TO_AGENT, now: float = NOW, **more: Any) -> str:
    with pytest.raises(FederationError) as found:
        verify(message, profile, RESOLVER, now=now, **more)
    return found.value.code


# The profile of the cases: what the standard leaves open is left open, coverage is not.
BARE = Profile(tag=None, components=(), parameters=frozenset({"created", "keyid"}))


# --- vectors of RFC 9421, appendix B --------------------------------------------------------------------
ED_JWK = {
    "kty": "OKP", "crv": "Ed25519", "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
    "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
}  # fmt: skip
EC_JWK = {
    "kty": "EC", "crv": "P-256", "x": "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA",
    "y": "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0",
}  # fmt: skip
REQUEST = Message(
    "POST",
    "https://example.com/foo?param=Value&Pet=dog",
    [
        ("Host", "example.com"),
        ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
        ("Content-Type", "application/json"),
        (
            "Content-Digest",
            "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
        ),
        ("Content-Length", "18"),
    ],
    b'{"hello": "world"}',
)
RESPONSE = Message(
    "",
    "https://example.com/",
    [
        ("Date", "Tue, 20 Apr 2021 02:07:56 GMT"),
        ("Content-Type", "application/json"),
        (
            "Content-Digest",
            "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
        ),
        ("Content-Length", "23"),
    ],
    b'{"message": "good dog"}',
    status=200,
)


def test_b26_an_ed25519_request_verifies_and_is_made_again_byte_for_byte() -> None:
    given_input = (
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length")'
        ';created=1618884473;keyid="test-key-ed25519"'
    )
    value = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    message = replace(
        REQUEST, fields=[*REQUEST.fields, ("Signature-Input", given_input), ("Signature", f"sig-b26=:{value}:")]
    )
    (raw,) = parse_signatures(message)
    base = signature_base(message, raw.names, raw.text)
    assert base.decode().splitlines()[:4] == [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT', '"@method": POST', '"@path": /foo', '"@authority": example.com'
    ]  # fmt: skip
    key = PrivateKey.from_jwk(ED_JWK)
    assert key.public.verify(base, raw.signature)
    assert base64.b64encode(key.sign(base)).decode() == value


def test_b24_a_p256_response_verifies() -> None:
    given_input = (
        'sig-b24=("@status" "content-type" "content-digest" "content-length")'
        ';created=1618884473;keyid="test-key-ecc-p256"'
    )
    value = "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw=="
    message = replace(
        RESPONSE, fields=[*RESPONSE.fields, ("Signature-Input", given_input), ("Signature", f"sig-b24=:{value}:")]
    )
    (raw,) = parse_signatures(message)
    base = signature_base(message, raw.names, raw.text)
    assert PublicKey.from_jwk(EC_JWK).verify(base, raw.signature)
    assert not PublicKey.from_jwk(EC_JWK).verify(base + b" ", raw.signature)


def test_the_digests_of_the_vectors_hold() -> None:
    for message in (REQUEST, RESPONSE):
        check_digest(message.value("content-digest") or "", message.body)


TEXTS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30)


@settings(max_examples=200, deadline=None)
@given(
    names=st.lists(TEXTS, max_size=5),
    parameters=st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True),
        st.one_of(TEXTS, st.integers(-(10**15) + 1, 10**15 - 1)),
        max_size=6,
    ),
)
def test_the_canonical_form_is_that_of_the_library(names: list[str], parameters: dict[str, Any]) -> None:
    text = signature_parameters(names, parameters)
    assert text == http_sf.ser([([(name, {}) for name in names], parameters)])
    ((items, read_back),) = http_sf.parse(text.encode(), tltype="list")
    assert ([name for name, _ in items], read_back) == (names, parameters)


@pytest.mark.parametrize("value", [True, 1.5, "é", "a\nb", b"x", None, http_sf.Token("x")])
def test_other_kinds_of_parameters_have_no_form(value: Any) -> None:
    with pytest.raises(SignatureError, match="signature_parameter"):
        signature_parameters(["@method"], {"created": value})


# --- good requests --------------------------------------------------------------------------------------
@pytest.mark.parametrize("by", [ED, EC], ids=["Ed25519", "ES256"])
def test_what_is_signed_verifies(by: LocalSigner) -> None:
    claimed = verify(signed(by), AGENT_TO_AGENT, RESOLVER, now=NOW)
    assert claimed.did == did_key(by.public)
    assert claimed.raw.names == ("@method", "@target-uri", "content-digest", "content-type")
    assert claimed.until == NOW + 60 + 30


def test_more_components_are_covered_when_given() -> None:
    message = signed(components=("content-type", "x-other", "@path"))
    assert "x-other" in verify(message, AGENT_TO_AGENT, RESOLVER, now=NOW).raw.names
    changed = replace(message, fields=[(k, "2" if k == "X-Other" else v) for k, v in message.fields])
    assert refused(changed) == "signature_invalid"


def test_did_jwk_signs_too() -> None:
    key = PrivateKey.generate()
    by = LocalSigner(key, f"{did_jwk(key.public)}#0")
    assert verify(signed(by), AGENT_TO_AGENT, RESOLVER, now=NOW).did == did_jwk(key.public)


# --- SIG-01, SIG-02: coverage -----------------------------------------------------------------------------
@pytest.mark.parametrize("names", [[], ["@method"], ["@target-uri"], ["@method", "content-digest"]])
def test_sig01_too_few_components_are_refused(names: list[str]) -> None:
    assert refused(hand_signed(names), BARE) == "signature_coverage"


def test_sig01_the_required_components_are_enough() -> None:
    names = ["@method", "@target-uri", "content-digest"]
    assert verify(hand_signed(names, alg="ed25519"), BARE, RESOLVER, now=NOW).raw.names == tuple(names)


def test_sig02_a_covered_digest_that_is_not_there() -> None:
    """The covered value would be empty on both sides, and the body unchecked."""
    message = hand_signed(["@method", "@target-uri", "content-digest"])
    without = replace(message, fields=[one for one in message.fields if one[0] != "Content-Digest"])
    assert refused(without, BARE) == "digest_missing"
    empty = hand_signed(["@method", "@target-uri"], digest=False)
    assert refused(empty, BARE) == "digest_missing"


def test_sig02_a_body_that_is_not_covered() -> None:
    assert refused(hand_signed(["@method", "@target-uri"]), BARE) == "signature_coverage"


def test_sig02_a_repeated_component() -> None:
    names = ["@method", "@method", "@target-uri", "content-digest"]
    assert refused(hand_signed(names), BARE) == "signature_component"


def test_sig02_a_request_without_a_body_needs_no_digest() -> None:
    message = hand_signed(["@method", "@target-uri"], message=Message("GET", INBOX, []))
    assert verify(message, BARE, RESOLVER, now=NOW).did == did_key(ED.public)


def test_an_authorization_field_has_to_be_covered() -> None:
    message = Message("GET", INBOX, [("Authorization", "Bearer x")])
    assert refused(hand_signed(["@method", "@target-uri"], message=message), BARE) == "signature_coverage"
    covered = hand_signed(["@method", "@target-uri", "authorization"], message=message)
    assert verify(covered, BARE, RESOLVER, now=NOW)


@pytest.mark.parametrize(
    "name", ["@status", "@query-param", "@nothing", "Content-Type", "signature", "x-absent", "", "x y"]
)
def test_unknown_and_absent_components_are_refused(name: str) -> None:
    names = ["@method", "@target-uri", "content-digest", name]
    assert refused(hand_signed(names), BARE) == "signature_component"


@pytest.mark.parametrize(
    "parameter", ['"content-type";sf', '"content-type";bs', '"content-digest";key="sha-256"', '"@method";req', "tok"]
)
def test_components_with_parameters_are_refused(parameter: str) -> None:
    message = signed()
    fields = [(k, v.replace('"content-type"', parameter) if k == "Signature-Input" else v) for k, v in message.fields]
    assert refused(replace(message, fields=fields)) == "signature_component"


# --- parameters -----------------------------------------------------------------------------------------
FULL = ["@method", "@target-uri", "content-digest", "content-type"]
GOOD = {"expires": NOW + 60, "nonce": "n" * 24, "tag": "memory-federation"}


@pytest.mark.parametrize("left_out", ["expires", "nonce", "tag", "created", "keyid"])
def test_required_parameters(left_out: str) -> None:
    message = hand_signed(FULL, **(GOOD | {left_out: None}))
    assert refused(message) == ("signature_missing" if left_out == "tag" else "signature_parameter")


@pytest.mark.parametrize(
    "change",
    [{"x": "1"}, {"nonce": "short"}, {"nonce": "n" * 129}, {"created": float(NOW)}, {"alg": 1}, {"nonce": 7}],
)
def test_other_parameters_are_refused(change: dict[str, Any]) -> None:
    assert refused(hand_signed(FULL, **(GOOD | change))) == "signature_parameter"


@pytest.mark.parametrize(
    "kid",
    ["k1", "https://a.example/key", pytest.param(did_key(ED.public), id="no fragment"), "did:key:z6Mk"],
)
def test_keys_are_named_by_did_urls(kid: str) -> None:
    assert refused(hand_signed(FULL, LocalSigner(ED.key, kid), **GOOD)) == "signature_key"


def test_another_tag_is_another_use() -> None:
    assert refused(signed(tag="another-use")) == "signature_missing"
    assert refused(PLAIN) == "signature_missing"


def test_two_signatures_for_one_use_are_refused() -> None:
    first, second = dict(sign(PLAIN, ED, now=NOW, rng=RNG)), dict(sign(PLAIN, EC, now=NOW, rng=RNG))
    both = {
        "Content-Digest": first["Content-Digest"],
        "Signature-Input": f"{first['Signature-Input']}, {second['Signature-Input'].replace('sig1=', 'sig2=')}",
        "Signature": f"{first['Signature']}, {second['Signature'].replace('sig1=', 'sig2=')}",
    }
    message = replace(PLAIN, fields=[*PLAIN.fields, *both.items()])
    assert refused(message) == "signature_ambiguous"


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("Signature", "other=:AAAA:", "signature_malformed"),
        ("Signature", "sig1=?1", "signature_malformed"),
        ("Signature", 'sig1="text"', "signature_malformed"),
        ("Signature", "sig1=:AAAA:, sig1=:AAAB:", "signature_malformed"),
        ("Signature", "sig1=:not base64:", "signature_malformed"),
        ("Signature", "sig1=:" + "A" * 5_000 + ":", "signature_malformed"),
        ("Signature-Input", "sig1", "signature_malformed"),
        ("Signature-Input", 'sig1=("@method"', "signature_malformed"),
        ("Signature-Input", 'sig1=("@method");created=1;created=2', "signature_malformed"),
        ("Signature-Input", "sig1=\u00e9", "signature_malformed"),
        ("Signature-Input", "a=(), b=(), c=(), d=(), e=()", "signature_malformed"),
    ],
)
def test_malformed_fields(field: str, value: str, code: str) -> None:
    message = signed()
    assert refused(replace(message, fields=[(k, value if k == field else v) for k, v in message.fields])) == code


# --- time (CRD-03: one leeway of 30 seconds) ----------------------------------------------------------------
@pytest.mark.parametrize("ahead", [0, 2, 29, 30])
def test_a_clock_that_is_a_little_ahead_is_accepted(ahead: int) -> None:
    assert verify(signed(now=NOW + ahead), AGENT_TO_AGENT, RESOLVER, now=NOW)


@pytest.mark.parametrize("off", [31, 90, 120, -90, -91, -3_600])
def test_clocks_that_are_off_by_more_are_refused(off: int) -> None:
    assert refused(signed(now=NOW + off)) == "signature_time"


def test_no_signature_lives_longer_than_a_minute() -> None:
    assert verify(signed(), AGENT_TO_AGENT, RESOLVER, now=NOW + 89)
    assert refused(signed(), now=NOW + 90) == "signature_time"
    assert refused(signed(seconds=61)) == "signature_time"
    assert refused(hand_signed(FULL, **(GOOD | {"expires": NOW}))) == "signature_time"
    assert refused(hand_signed(FULL, **(GOOD | {"expires": NOW - 5}))) == "signature_time"


# --- keys -------------------------------------------------------------------------------------------------
def test_key_substitution_a_foreign_key_under_my_name() -> None:
    """Threat row: key substitution. The key has to be in the document of the identifier that is claimed."""
    assert refused(signed(LocalSigner(EC.key, ED.kid))) == "signature_algorithm"
    other = PrivateKey.generate(KeyType.ED25519)
    assert refused(signed(LocalSigner(other, ED.kid))) == "signature_invalid"
    assert refused(signed(LocalSigner(ED.key, f"{did_key(ED.public)}#other"))) == "signature_key"


def test_algorithm_confusion() -> None:
    """Threat row: alg confusion. The key decides; a name that does not fit refuses."""
    for alg in ("ecdsa-p256-sha256", "hmac-sha256", "none", "rsa-pss-sha512"):
        assert refused(hand_signed(FULL, **GOOD, alg=alg)) == "signature_algorithm"


def test_the_identity_key_of_ed25519_is_no_key() -> None:
    """Threat row: key substitution. Its one signature would verify for every message."""
    with pytest.raises(CredentialError, match="key_small_order"):
        PublicKey.from_raw(KeyType.ED25519, (1).to_bytes(32, "little"))


def test_unknown_methods_and_unresolved_documents() -> None:
    for kid in ("did:example:a#k", "did:web:nobody.example#k"):
        assert refused(hand_signed(FULL, LocalSigner(ED.key, kid), **GOOD)) == "signature_key"


def test_keys_that_sign_messages() -> None:
    for by in (
        LocalSigner(ED.key),
        LocalSigner(PrivateKey.from_secret(KeyType.SECP256K1, bytes(31) + b"\x01"), "did:x:y#z"),
    ):
        with pytest.raises(ConfigurationError):
            sign(PLAIN, by, now=NOW, rng=RNG)


# --- replay -----------------------------------------------------------------------------------------------
def test_a_request_is_accepted_once() -> None:
    """Threat row: HTTP replay."""
    replay = MemoryReplayCache(lambda: NOW)
    message = signed()
    verify(message, AGENT_TO_AGENT, RESOLVER, now=NOW, replay=replay)
    assert refused(message, replay=replay) == "replayed"
    verify(signed(), AGENT_TO_AGENT, RESOLVER, now=NOW, replay=replay)


def test_a_malleated_signature_is_the_same_request() -> None:
    """ECDSA signatures have a second form; the nonce is what counts, not the bytes."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    replay = MemoryReplayCache(lambda: NOW)
    message = signed(EC)
    verify(message, AGENT_TO_AGENT, RESOLVER, now=NOW, replay=replay)
    (raw,) = parse_signatures(message)
    r, s = raw.signature[:32], int.from_bytes(raw.signature[32:], "big")
    other = base64.b64encode(r + (order - s).to_bytes(32, "big")).decode()
    fields = [(k, f"sig1=:{other}:" if k == "Signature" else v) for k, v in message.fields]
    assert refused(replace(message, fields=fields), replay=replay) == "replayed"


def test_a_request_that_is_refused_burns_no_nonce() -> None:
    replay = MemoryReplayCache(lambda: NOW)
    message = signed()
    assert refused(replace(message, body=b'{"a":2}'), replay=replay) == "digest_mismatch"
    verify(message, AGENT_TO_AGENT, RESOLVER, now=NOW, replay=replay)


def test_signers_and_audiences_have_nonces_of_their_own() -> None:
    replay = MemoryReplayCache(lambda: NOW)
    for by in (ED, EC):
        message = hand_signed(FULL, by, **GOOD)
        for audience in ("a", "b"):
            verify(message, AGENT_TO_AGENT, RESOLVER, now=NOW, replay=replay, audience=audience)
    assert len(replay) == 4


def test_without_a_nonce_nothing_can_be_used_once() -> None:
    claimed = verify(hand_signed(FULL), BARE, RESOLVER, now=NOW)
    with pytest.raises(SignatureError, match="signature_parameter"):
        use_once(claimed, "a", MemoryReplayCache(lambda: NOW))


# --- other audience, altered bytes ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change",
    [
        {"target_uri": "https://other.example/agents/insurance/inbox"},
        {"target_uri": INBOX + "?x=1"},
        {"target_uri": INBOX.replace("https", "http")},
        {"method": "PUT"},
        {"fields": "content-type"},
    ],
)
def test_a_request_for_elsewhere_is_refused(change: dict[str, Any]) -> None:
    """Threat row: audience confusion."""
    message = signed()
    if "fields" in change:
        change = {"fields": [(k, "text/html" if k == "Content-Type" else v) for k, v in message.fields]}
    assert refused(replace(message, **change)) == "signature_invalid"


ALTERED = {by.kid: signed(by) for by in (ED, EC)}


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_no_altered_byte_is_accepted(data: st.DataObject) -> None:
    """One byte of what is signed is changed: method, address, covered fields, signature fields, body."""
    message = ALTERED[data.draw(st.sampled_from(sorted(ALTERED)))]
    covered = [index for index, (name, _) in enumerate(message.fields) if name != "X-Other"]
    place = data.draw(st.sampled_from(["method", "target_uri", "body", *covered]))
    old = message.fields[place][1] if isinstance(place, int) else getattr(message, place)
    octets = old if isinstance(old, bytes) else old.encode()
    at = data.draw(st.integers(0, len(octets) - 1))
    new = octets[:at] + bytes([data.draw(st.integers(1, 255)) ^ octets[at]]) + octets[at + 1 :]
    text = new if isinstance(old, bytes) else new.decode("latin-1")
    if isinstance(place, int):
        fields = list(message.fields)
        fields[place] = (fields[place][0], text)
        changed = replace(message, fields=fields)
        assume_other = parse_equal(message, changed)
    else:
        changed, assume_other = replace(message, **{place: text}), False
    if assume_other:
        return  # another spelling of the same values: optional white space
    try:
        verify(changed, AGENT_TO_AGENT, RESOLVER, now=NOW)
    except FederationError:
        return
    raise AssertionError("an altered request was accepted")


def parse_equal(first: Message, second: Message) -> bool:
    def essence(message: Message) -> Any:
        fields = {name.lower(): value.strip(" \t") for name, value in message.fields}
        return parse_signatures(message), fields["content-type"], fields["content-digest"]

    try:
        left, right = essence(first), essence(second)
    except FederationError:
        return False
    return left == right


# --- digests ------------------------------------------------------------------------------------------------
def digest_of(name: str, body: bytes) -> str:
    return base64.b64encode(hashlib.new(name, body).digest()).decode()


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("", "digest_malformed"),
        ("md5=:AAAA:", "digest_malformed"),
        ("sha-256=1", "digest_malformed"),
        ("sha-256=:AAAA:", "digest_mismatch"),
        (f"sha-256=:{digest_of('sha256', BODY)}:, sha-256=:{digest_of('sha256', BODY)}:", "digest_malformed"),
        (f"sha-256=:{digest_of('sha256', BODY)}:, sha-512=:{digest_of('sha512', b'x')}:", "digest_mismatch"),
        ("sha-256=:" + "A" * 600 + ":", "digest_malformed"),
        ("sha-256=\u00e9", "digest_malformed"),
    ],
)
def test_digests_that_are_refused(value: str, code: str) -> None:
    with pytest.raises(SignatureError) as found:
        check_digest(value, BODY)
    assert found.value.code == code


def test_digests_that_hold() -> None:
    check_digest(f"unknown=:AAAA:, sha-512=:{digest_of('sha512', BODY)}:", BODY)
    assert content_digest(BODY) == f"sha-256=:{digest_of('sha256', BODY)}:"


def test_profiles_that_cannot_be_meant() -> None:
    for change in (
        {"parameters": frozenset({"keyid"})},
        {"parameters": frozenset({"created", "keyid", "x"})},
        {"max_age": 0},
    ):
        with pytest.raises(ConfigurationError):
            Profile(**change)
