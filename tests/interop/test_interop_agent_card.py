"""The A2A agent card with `a2a-sdk`: theirs reads and verifies ours, ours verifies theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from credentials.encoding import b64url_encode, json_object
from credentials.keys import PrivateKey
from federation.agent_card import EXTENSION, build_card, check_card
from federation.errors import SignatureError
from tests.federation.world import identity_for

VCT = "https://wealth.example/vct/memory/v1"


@pytest.fixture
def sdk(python_peer: Any) -> Any:
    return python_peer("a2a.utils.signing")


def parsed(python_peer: Any, card: dict[str, Any]) -> Any:
    types, json_format = python_peer("a2a.types"), python_peer("google.protobuf.json_format")
    return json_format.ParseDict(card, types.AgentCard())  # unknown members would be refused


def test_the_sdk_reads_and_verifies_our_card(sdk: Any, python_peer: Any) -> None:
    jwt = python_peer("jwt")
    identity = identity_for("wealth.example", "wealth")
    signer = identity.signer("wealth")
    card = parsed(python_peer, build_card(identity, identity.settings.agents[0], [VCT]))
    assert card.capabilities.extensions[0].uri == EXTENSION
    assert card.capabilities.extensions[0].params["vctValues"][0] == VCT
    key = jwt.PyJWK(signer.public.to_jwk(), "ES256")
    asked: list[str | None] = []

    def provide(kid: str | None, jku: str | None) -> Any:
        asked.append(kid)
        assert jku is None
        return key

    verify = sdk.create_signature_verifier(provide, ["ES256"])
    verify(card)
    assert asked == [signer.kid]
    card.name = "Somebody else"
    with pytest.raises(sdk.InvalidSignaturesError):
        verify(card)


def test_a_card_that_the_sdk_signed_verifies_here(sdk: Any, python_peer: Any) -> None:
    jwt, json_format = python_peer("jwt"), python_peer("google.protobuf.json_format")
    identity = identity_for("wealth.example", "wealth")
    agent = identity.settings.agents[0]
    unsigned = {key: value for key, value in build_card(identity, agent, []).items() if key != "signatures"}
    key: PrivateKey = identity._agents["wealth"].signer.key
    private = jwt.PyJWK({**key.public.to_jwk(), "d": b64url_encode(key.secret)}, "ES256")
    header = {"alg": "ES256", "typ": "JOSE", "kid": identity.signer("wealth").kid}
    signed = sdk.create_agent_card_signer(private, header)(parsed(python_peer, unsigned))
    card = json_object(json.dumps(json_format.MessageToDict(signed)))
    check_card(card, identity.parsed("wealth"))
    with pytest.raises(SignatureError, match="signature_invalid"):
        check_card(card | {"version": "2"}, identity.parsed("wealth"))
