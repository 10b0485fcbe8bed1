"""Whatever bytes come, a refusal is one of ours: nothing foreign escapes, and nothing hangs. Threat row: DoS."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from credentials.encoding import json_encode
from federation.agent_card import check_card
from federation.content_digest import check_digest
from federation.errors import FederationError
from federation.http_signatures import AGENT_TO_AGENT, read
from federation.limits import MESSAGE_BYTES
from federation.messaging.envelope import Kind, parse
from federation.pairing import Invitation
from federation.signature_base import Message
from tests.federation.world import identity_for

NOW = 1_790_000_000
URL = "https://insurance.example/agents/insurance/inbox"
DOCUMENT = identity_for("wealth.example", "wealth").parsed("wealth")

# Structured fields, mostly: texts near what is meant reach further than noise.
PIECES = st.sampled_from(
    ['sig1=', '(', ')', '"@method"', '"@target-uri"', '"content-type"', ';', 'created=', 'keyid="did:key:z#z"',
     'nonce="', '"', ':', 'AAAA', '1790000000', ',', ' ', '=', '?1', '-', '1.5', '@1', '%"', '\\', '\t', '\x7f', 'é',
     'tag=', '"memory-federation"', 'alg="ed25519"', 'expires=1790000060', '*', 'a']
)  # fmt: skip
FIELDS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=40).map("".join))


def only_ours(call: Callable[..., Any], *args: Any, **more: Any) -> None:
    with contextlib.suppress(FederationError):
        call(*args, **more)


@settings(max_examples=400, deadline=None)
@given(signature_input=FIELDS, signature=FIELDS, digest=FIELDS)
def test_signature_fields(signature_input: str, signature: str, digest: str) -> None:
    fields = [("Signature-Input", signature_input), ("Signature", signature), ("Content-Digest", digest)]
    only_ours(read, Message("POST", URL, fields), AGENT_TO_AGENT, now=NOW)
    only_ours(check_digest, digest, b"x")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
MEMBERS = ["id", "type", "from", "to", "body", "credential", "sequence", "signatures", "name", "other"]
OBJECTS = st.dictionaries(
    st.sampled_from(MEMBERS), st.one_of(VALUES, st.sampled_from([kind.value for kind in Kind])), max_size=9
)


@settings(max_examples=150, deadline=None)
@given(value=OBJECTS)
@example(value={"type": []})
@example(value={"signatures": [{"protected": "é", "signature": ""}]})
def test_messages_and_cards(value: dict[str, Any]) -> None:
    try:
        data = json_encode(value)
    except Exception:  # what has no JSON form cannot come over the wire
        return
    only_ours(parse, data)
    only_ours(check_card, value, DOCUMENT)


@settings(max_examples=150, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "ignore"))))
def test_bytes(data: bytes) -> None:
    only_ours(parse, data)
    text = data.decode("latin-1")
    only_ours(Invitation.from_text, text)
    only_ours(Invitation.from_text, "memory-invitation-1." + text)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 20_000,
        b'{"id":"' + b"\\u0041" * 20_000,
        b"1" * 100_000,
        b'{"a":1e999}',
        b'"' * 100_001,
    ],
)
def test_bytes_that_are_made_to_hurt(data: bytes) -> None:
    began = time.process_time()
    with pytest.raises(FederationError):
        parse(data)
    assert time.process_time() - began < 1


def test_longer_than_the_limit_is_not_parsed() -> None:
    with pytest.raises(FederationError, match="message_too_large"):
        parse(b" " * (MESSAGE_BYTES + 1))


@pytest.mark.parametrize(
    "text", ['sig1=("' + "a" * 4_000, "a=1," * 1_000, "(" * 4_000, "sig1=" + ";a" * 2_000, ":" * 4_000, '"\\"' * 1_300]
)
def test_fields_that_are_made_to_hurt(text: str) -> None:
    began = time.process_time()
    with pytest.raises(FederationError):
        read(Message("POST", URL, [("Signature-Input", text), ("Signature", text)]), AGENT_TO_AGENT, now=NOW)
    assert time.process_time() - began < 1
