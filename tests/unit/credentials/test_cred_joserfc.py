"""joserfc, an implementation of JOSE that no one here wrote, agrees with ours in both directions."""

from __future__ import annotations

import json

import pytest
from joserfc import jws as foreign
from joserfc.jwk import ECKey, OKPKey

from credentials import jws
from credentials.algorithms import ALLOWED, KeyType, Use
from credentials.encoding import b64url_encode
from credentials.keys import PrivateKey, PublicKey
from credentials.vault import LocalSigner

KEYS = {KeyType.P256: ("ES256", ECKey), KeyType.ED25519: ("Ed25519", OKPKey)}


@pytest.fixture(params=list(KEYS), ids=lambda key_type: key_type.value)
def pair(request, seeded):
    key = PrivateKey.generate(request.param, rng=seeded("joserfc"))
    alg, kind = KEYS[request.param]
    return key, alg, kind.import_key({**key.public.to_jwk(), "d": b64url_encode(key.secret)})


def test_our_tokens_verify_there(pair):
    key, alg, theirs = pair
    token = jws.sign({"a": 1}, LocalSigner(key, "k"), typ="JWT")
    read = foreign.deserialize_compact(token, theirs, algorithms=[alg])
    assert json.loads(read.payload) == {"a": 1}
    assert read.headers() == {"alg": alg, "typ": "JWT", "kid": "k"}


def test_their_tokens_verify_here(pair):
    key, alg, theirs = pair
    token = foreign.serialize_compact({"alg": alg, "typ": "JWT"}, b'{"a":1}', theirs, algorithms=[alg])
    parsed = jws.parse(token, typ="jwt")
    jws.verify(parsed, key.public, ALLOWED[Use.CREDENTIAL])
    assert parsed.claims() == {"a": 1}


def test_keys_and_thumbprints_are_the_same(pair):
    key, _, theirs = pair
    assert PublicKey.from_jwk(theirs.as_dict(private=False)) == key.public
    assert theirs.thumbprint() == key.public.thumbprint()
