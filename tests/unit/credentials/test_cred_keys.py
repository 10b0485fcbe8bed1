"""Keys: strict import, one algorithm per key, rotation, sealed envelopes."""

from __future__ import annotations

import pytest

from credentials import jws, vault
from credentials.algorithms import ALLOWED, AllowList, KeyType, Use, preferred
from credentials.encoding import b64url_encode
from credentials.keys import _FIELD, _SMALL_ORDER_Y, PrivateKey, PublicKey

P, D = _FIELD, (-121_665 * pow(121_666, -1, _FIELD)) % _FIELD


def _add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Twisted Edwards addition, written out for this test alone."""
    (x1, y1), (x2, y2) = a, b
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P
    return x, y


def _x_of(y: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    assert root * root % P == square
    return root


@pytest.mark.parametrize("y", sorted(_SMALL_ORDER_Y))
def test_each_listed_point_has_small_order(y):
    point = (_x_of(y), y)
    for _ in range(3):
        point = _add(point, point)
    assert point == (0, 1)


def test_the_list_of_small_order_points_is_complete():
    # The torsion subgroup is cyclic of order eight: multiples of one point of order eight are all of it.
    start = next((_x_of(y), y) for y in sorted(_SMALL_ORDER_Y) if y not in (0, 1, P - 1))
    point, found = (0, 1), set()
    for _ in range(8):
        point = _add(point, start)
        found.add(point[1])
    assert found == _SMALL_ORDER_Y


@pytest.mark.parametrize("y", [*sorted(_SMALL_ORDER_Y), P, P + 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_small_order_and_non_canonical_keys_are_refused_with_either_sign(code, y, sign):
    raw = (y | sign << 255).to_bytes(32, "little")
    assert code(lambda: PublicKey.from_raw(KeyType.ED25519, raw)) == "key_small_order"


@pytest.mark.parametrize("key_type", [KeyType.P256, KeyType.ED25519])
def test_a_key_survives_every_form(seeded, key_type):
    private = PrivateKey.generate(key_type, rng=seeded("form"))
    public = private.public
    assert PublicKey.from_jwk(public.to_jwk()) == public
    assert PublicKey.from_multikey(public.to_multikey()) == public
    assert PublicKey.from_raw(key_type, public.raw) == public
    assert hash(PublicKey.from_raw(key_type, public.raw)) == hash(public)
    again = PrivateKey.from_jwk({**public.to_jwk(), "d": b64url_encode(private.secret)})
    assert public.verify(b"data", again.sign(b"data"))
    assert not public.verify(b"other", again.sign(b"data"))
    assert not public.verify(b"data", again.sign(b"data")[:-1])


@pytest.mark.parametrize("key_type", [KeyType.P256, KeyType.ED25519])
def test_a_generated_key_is_new_each_time_and_shows_no_secret(key_type):
    one, two = PrivateKey.generate(key_type), PrivateKey.generate(key_type)
    assert one.public != two.public
    assert b64url_encode(one.secret) not in repr(one)
    assert one.public.to_multikey() in repr(one)
    assert one.public.to_multikey() in repr(one.public)


def test_secp256k1_verifies_and_is_not_made_here(code):
    assert code(lambda: PrivateKey.generate(KeyType.SECP256K1)) == "key_curve_refused"
    wallet = PrivateKey.from_secret(KeyType.SECP256K1, b"\x01" * 32)
    assert wallet.public.verify(b"data", wallet.sign(b"data"))
    assert PublicKey.from_jwk(wallet.public.to_jwk()) == wallet.public
    token = jws.sign({"a": 1}, vault.LocalSigner(wallet), typ="dc+sd-jwt")
    parsed = jws.parse(token, typ="dc+sd-jwt")
    assert code(lambda: jws.verify(parsed, wallet.public, ALLOWED[Use.CREDENTIAL])) == "alg_not_allowed"
    jws.verify(parsed, wallet.public, ALLOWED[Use.WALLET])


def test_eddsa_is_read_and_never_written(seeded):
    key = PrivateKey.generate(KeyType.ED25519, rng=seeded("ed"))
    assert preferred(KeyType.ED25519) == key.alg == "Ed25519"
    token = jws.sign_bytes({"alg": "EdDSA", "typ": "dc+sd-jwt"}, b"{}", vault.LocalSigner(key))
    jws.verify(jws.parse(token, typ="dc+sd-jwt"), key.public, ALLOWED[Use.CREDENTIAL])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kty": "oct", "k": "AA"}, "key_private_refused"),
        ({"kty": "oct"}, "key_type_refused"),
        ({"kty": "OKP"}, "key_curve_refused"),
        ({"crv": "P-224"}, "key_curve_refused"),
        ({"crv": "P-384"}, "key_malformed"),
        ({"crv": "P-521"}, "key_malformed"),
        ({"crv": "secp256k1"}, "key_malformed"),
        ({"crv": None}, "key_curve_refused"),
        ({"x": 5}, "key_malformed"),
        ({"x": "A==="}, "key_malformed"),
        ({"x": "AA"}, "key_malformed"),
        ({"y": "A" * 43}, "key_malformed"),
        ({"use": "enc"}, "key_use_refused"),
        ({"key_ops": ["encrypt"]}, "key_use_refused"),
        ({"key_ops": "verify"}, "key_use_refused"),
        ({"alg": "ES384"}, "key_use_refused"),
        ({"alg": "ES256", "use": "sig", "key_ops": ["verify"], "kid": "k"}, None),
    ],
)
def test_a_jwk_is_imported_strictly(world, code, change, expected):
    assert code(lambda: PublicKey.from_jwk(world.holder_key.public.to_jwk() | change)) == expected


@pytest.mark.parametrize("value", [None, "text", 5, []])
def test_a_jwk_is_an_object(code, value):
    assert code(lambda: PublicKey.from_jwk(value)) == "key_malformed"


def test_raw_and_multikey_forms_are_checked(world, code):
    assert code(lambda: PublicKey.from_raw(KeyType.ED25519, bytes(31))) == "key_malformed"
    assert code(lambda: PublicKey.from_raw(KeyType.P256, bytes(33))) == "key_malformed"
    assert code(lambda: PublicKey.from_raw(KeyType.P256, b"\x02" + b"\xff" * 32)) == "key_malformed"
    assert code(lambda: PublicKey.from_multikey("not multibase")) == "key_malformed"


def test_private_imports_are_checked(world, code):
    other = {**world.holder_key.public.to_jwk(), "d": b64url_encode(world.issuer_key.secret)}
    assert code(lambda: PrivateKey.from_jwk(other)) == "key_malformed"
    assert code(lambda: PrivateKey.from_secret(KeyType.P256, bytes(32))) == "key_malformed"
    assert code(lambda: PrivateKey.from_secret(KeyType.P256, bytes(31))) == "key_malformed"


def test_the_thumbprint_is_that_of_rfc_8037_appendix_a3():
    key = PublicKey.from_jwk({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
    assert key.thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_a_narrower_list_of_algorithms_is_kept(world):
    only_ed = AllowList(Use.CREDENTIAL, ["Ed25519"])
    assert world.verify(world.issue(), algorithms=only_ed).code == "alg_not_allowed"


def test_a_key_header_is_read_only_where_a_protocol_puts_it(world, code):
    key = world.holder_key.public
    token = world.jwt(b"{}", {"alg": "ES256", "typ": "openid4vci-proof+jwt", "jwk": key.to_jwk()}, world.holder_key)
    assert code(lambda: jws.parse(token, typ="openid4vci-proof+jwt")) == "header_key_refused"
    parsed = jws.parse(token, typ="openid4vci-proof+jwt", key_in_header=True)
    assert jws.header_key(parsed) == key
    jws.verify(parsed, jws.header_key(parsed), ALLOWED[Use.KEY_BINDING])
    bad = world.jwt(b"{}", {"alg": "ES256", "typ": "t", "jwk": {"kty": "oct"}}, world.holder_key)
    assert code(lambda: jws.header_key(jws.parse(bad, typ="t", key_in_header=True))) == "header_malformed"


@pytest.mark.parametrize(
    ("token", "expected"),
    [("a.b", "malformed"), ("a.b.c.d", "malformed"), (f"{b64url_encode(b'[]')}.e30.AA", "json_malformed")],
)
def test_tokens_that_are_none(code, token, expected):
    assert code(lambda: jws.parse(token, typ=None)) == expected


def test_a_header_has_a_limit_and_extra_headers_are_carried(world, code):
    big = world.jwt(b"{}", {"alg": "ES256", "x": "y" * 5_000})
    assert code(lambda: jws.parse(big, typ=None)) == "too_large"
    assert code(lambda: jws.parse("a" * 70_000, typ=None)) == "too_large"
    token = jws.sign({"a": 1}, world.issuer_signer, typ="t", header={"cty": "x"})
    assert jws.parse(token, typ="t").header["cty"] == "x"
    assert jws.parse(token, typ="t").claims() == {"a": 1}


def test_a_media_type_may_carry_its_prefix_and_any_case(world):
    token = world.jwt(b"{}", {"alg": "ES256", "typ": "application/DC+SD-JWT"})
    assert jws.parse(token, typ="dc+sd-jwt").header["alg"] == "ES256"


# --- vault -------------------------------------------------------------------------------------------
def test_rotation_keeps_old_keys_published_until_they_are_dropped(seeded):
    ring = vault.KeyRing()
    first = ring.rotate("issuer", now=100, rng=seeded("a"))
    second = ring.rotate("issuer", now=200, rng=seeded("b"))
    ring.rotate("holder", now=200, rng=seeded("c"))
    assert ring.active("issuer") is second
    assert [stored.name for stored in ring.published("issuer")] == [second.name, first.name]
    assert first.key.public.verify(b"d", second.key.sign(b"d")) is False
    assert second.key.public.verify(b"d", ring.sign(second.name, b"d"))
    assert ring.drop_retired(before=200) == 0
    assert ring.drop_retired(before=201) == 1
    assert [stored.name for stored in ring.published("issuer")] == [second.name]
    assert len(list(ring)) == 2


def test_a_revoked_key_leaves_every_document_and_signs_no_more(seeded, code):
    ring = vault.KeyRing()
    stored = ring.rotate("issuer", now=100, rng=seeded("a"))
    ring.revoke(stored.name, now=150)
    assert ring.published("issuer") == []
    assert code(lambda: ring.sign(stored.name, b"d")) == "key_not_active"
    assert code(lambda: ring.active("issuer")) == "key_not_found"
    assert code(lambda: ring.find("nobody")) == "key_not_found"


@pytest.mark.parametrize("passphrase", [True, False])
def test_a_ring_survives_sealing(seeded, passphrase):
    ring = vault.KeyRing()
    ring.rotate("issuer", now=100, rng=seeded("a"))
    ring.rotate("issuer", now=200, rng=seeded("b"), key_type=KeyType.ED25519)
    secret = b"correct horse" if passphrase else bytes(32)
    sealed = vault.seal(ring.to_bytes(), secret, rng=seeded("s"), passphrase=passphrase)
    assert vault.needs_passphrase(sealed) is passphrase
    opened = vault.KeyRing.from_bytes(vault.unseal(sealed, secret))
    assert [(k.name, k.state, k.created, k.ended) for k in opened] == [
        (k.name, k.state, k.created, k.ended) for k in ring
    ]
    assert opened.active("issuer").key.public == ring.active("issuer").key.public
    assert not any(k.key.secret in sealed for k in ring)


def test_an_envelope_that_was_changed_anywhere_does_not_open(seeded, code):
    sealed = vault.seal(b"content", bytes(32), rng=seeded("s"), passphrase=False)
    for position in range(len(sealed)):
        changed = bytearray(sealed)
        changed[position] ^= 1
        assert code(lambda data=bytes(changed): vault.unseal(data, bytes(32))) in {
            "envelope_malformed",
            "envelope_wrong_key",
        }


def test_envelopes_have_limits_and_need_a_secret(seeded, code):
    rng = seeded("s")
    assert code(lambda: vault.seal(b"x", b"", rng=rng, passphrase=True)) == "envelope_wrong_key"
    assert code(lambda: vault.seal(b"x", b"short", rng=rng, passphrase=False)) == "envelope_wrong_key"
    assert code(lambda: vault.seal(bytes(2**20), bytes(32), rng=rng, passphrase=False)) == "too_large"
    assert code(lambda: vault.unseal(bytes(2**20 + 1), bytes(32))) == "too_large"
    unknown = bytearray(vault.seal(b"x", bytes(32), rng=rng, passphrase=False))
    unknown[13:14] = b"z"
    assert code(lambda: vault.unseal(bytes(unknown), bytes(32))) == "envelope_malformed"


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"keys":[{}]}', b'{"keys":[{"type":"RSA","secret":"AA"}]}', b"\xff"])
def test_what_is_no_ring_is_refused(code, data):
    assert code(lambda: vault.KeyRing.from_bytes(data)) == "envelope_malformed"
