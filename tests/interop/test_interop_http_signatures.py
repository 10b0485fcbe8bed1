"""RFC 9421 with the npm and the PyPI library of that name, both ways, and with altered bytes."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from credentials.algorithms import KeyType
from credentials.did.local import did_key_url
from credentials.did.resolve import StaticResolver
from credentials.encoding import b64url_encode
from credentials.keys import PrivateKey
from credentials.vault import LocalSigner
from federation.errors import FederationError
from federation.http_signatures import AGENT_TO_AGENT, sign, verify
from federation.signature_base import Message

URL = "https://insurance.example/agents/insurance/inbox"
FIELDS = ["@method", "@target-uri", "content-digest", "content-type"]
BODY = '{"statement":"稳健 conservative"}'


def private_jwk(key: PrivateKey) -> dict[str, str]:
    return {**key.public.to_jwk(), "d": b64url_encode(key.secret)}


@pytest.fixture(params=[KeyType.ED25519, KeyType.P256], ids=["Ed25519", "ES256"])
def signer(request: pytest.FixtureRequest) -> LocalSigner:
    key = PrivateKey.generate(request.param)
    return LocalSigner(key, did_key_url(key.public))


def message(headers: Mapping[str, str], body: str = BODY) -> Message:
    return Message("POST", URL, list(headers.items()), body.encode())


def ours(signer: LocalSigner, now: int) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    return headers | sign(message(headers), signer, now=now, rng=secrets.token_bytes)


def refused(changed: Message, now: int) -> str:
    with pytest.raises(FederationError) as found:
        verify(changed, AGENT_TO_AGENT, StaticResolver(), now=now)
    return found.value.code


# --- theirs to us ---------------------------------------------------------------------------------------
def test_a_request_of_the_npm_library_verifies_here(node, signer, now) -> None:
    made = node.must(
        "httpSign", jwk=private_jwk(signer.key), kid=signer.kid, url=URL, body=BODY, created=now, expires=now + 60,
        nonce="npm-nonce-0123456789", tag="memory-federation", fields=FIELDS,
    )  # fmt: skip
    got = message(made["headers"])
    assert verify(got, AGENT_TO_AGENT, StaticResolver(), now=now).nonce == "npm-nonce-0123456789"
    assert refused(replace(got, body=got.body.replace(b"conservative", b"aggressive.x")), now) == "digest_mismatch"
    assert refused(replace(got, method="PUT"), now) == "signature_invalid"
    assert refused(replace(got, target_uri=URL + "/"), now) == "signature_invalid"
    assert refused(message(made["headers"] | {"content-type": "application/jsom"}), now) == "signature_invalid"


def test_a_request_of_the_npm_library_that_covers_less_is_refused(node, signer, now) -> None:
    made = node.must(
        "httpSign", jwk=private_jwk(signer.key), kid=signer.kid, url=URL, body=BODY, created=now, expires=now + 60,
        nonce="npm-nonce-0123456789", tag="memory-federation", fields=FIELDS[:2],
    )  # fmt: skip
    assert refused(message(made["headers"]), now) == "signature_coverage"


# --- ours to them ---------------------------------------------------------------------------------------
def test_a_request_of_ours_verifies_with_the_npm_library(node, signer, now) -> None:
    headers = ours(signer, now)
    request = {"jwk": signer.public.to_jwk(), "kid": signer.kid, "url": URL, "fields": FIELDS}
    assert node.must("httpVerify", headers=headers, **request)["verified"] is True
    for changed in (
        headers | {"Content-Type": "text/html"},
        headers | {"Content-Digest": headers["Content-Digest"].replace("=:", "=:A", 1)},
        headers | {"Signature-Input": headers["Signature-Input"].replace(f"created={now}", f"created={now - 1}")},
    ):
        answer = node("httpVerify", headers=changed, **request)
        assert not answer.get("verified"), answer


# --- the library of PyPI ----------------------------------------------------------------------------------
def _keys(library: Any, signer: LocalSigner) -> Any:
    class Keys(library.HTTPSignatureKeyResolver):
        def resolve_public_key(self, key_id: str) -> Any:
            assert key_id == signer.kid
            return signer.public._crypto

        def resolve_private_key(self, key_id: str) -> Any:
            assert key_id == signer.kid
            return signer.key._crypto

    return Keys()


def test_both_ways_with_the_library_of_pypi(python_peer, signer, now) -> None:
    library = python_peer("http_message_signatures")
    kind = library.algorithms.ED25519 if signer.alg == "Ed25519" else library.algorithms.ECDSA_P256_SHA256
    keys = _keys(library, signer)
    theirs = SimpleNamespace(method="POST", url=URL, headers=ours(signer, now))
    checker = library.HTTPMessageVerifier(signature_algorithm=kind, key_resolver=keys)
    (result,) = checker.verify(theirs, expect_tag="memory-federation", require_components=FIELDS, body=BODY.encode())
    assert result.body == BODY.encode()
    with pytest.raises(library.InvalidSignature):
        checker.verify(theirs, expect_tag="memory-federation", require_components=FIELDS, body=BODY.encode() + b" ")
    theirs.headers["Content-Type"] = "text/html"
    with pytest.raises(library.InvalidSignature):
        checker.verify(theirs, expect_tag="memory-federation")

    sent = SimpleNamespace(method="POST", url=URL, headers={"Content-Type": "application/json"})
    made = datetime.datetime.fromtimestamp(now, datetime.UTC)
    library.HTTPMessageSigner(signature_algorithm=kind, key_resolver=keys).sign(
        sent, key_id=signer.kid, created=made, expires=made + datetime.timedelta(seconds=60),
        nonce="pypi-nonce-0123456789", tag="memory-federation", covered_component_ids=FIELDS, body=BODY.encode(),
    )  # fmt: skip
    got = message(dict(sent.headers))
    assert verify(got, AGENT_TO_AGENT, StaticResolver(), now=now).nonce == "pypi-nonce-0123456789"
