"""The cases of issue `federation` that this part of the gateway answers, step by step, with their sentences."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import anyio
import pytest

from credentials import limits as credential_limits
from credentials.did.resolve import StaticResolver
from federation import http_signatures
from federation.errors import FederationError
from federation.fetch import Fetcher
from federation.http_signatures import sign, verify
from federation.resolving import DidResolver
from federation.settings import TestMode
from tests.federation.servers import Authority, RawServer, answer
from tests.federation.test_http_signatures import BARE, ED, INBOX, NOW, RESOLVER, hand_signed
from tests.federation.test_http_signatures import Message as Request
from tests.federation.world import identity_for, settings_for

BODY = b'{"a":1}'
ALL = ["@method", "@target-uri", "content-digest"]


def outcome(message: Request) -> str:
    try:
        verify(message, BARE, RESOLVER, now=NOW)
    except FederationError as error:
        return error.code
    return "accepted"


def test_sig_01_required_components() -> None:
    """An empty list of components verifies nothing that could be attached to any request."""
    given = Request("POST", INBOX, [], BODY)
    assert outcome(hand_signed([], message=given)) == "signature_coverage"
    assert outcome(hand_signed(["@method"], message=given)) == "signature_coverage"
    assert outcome(hand_signed(ALL, message=given, alg="ed25519")) == "accepted"


def test_sig_02_the_body_is_always_checked() -> None:
    """A digest that is absent on both sides is not an equal one."""
    given = Request("POST", INBOX, [], BODY)
    signed = hand_signed(ALL, message=given)
    without = replace(signed, fields=[one for one in signed.fields if one[0] != "Content-Digest"])
    assert outcome(without) == "digest_missing"
    assert outcome(hand_signed(["@method", "@target-uri"], message=given)) == "signature_coverage"
    assert outcome(hand_signed(["@method", "@method", "@target-uri"], message=Request("GET", INBOX, []))) == (
        "signature_component"
    )
    assert outcome(hand_signed(["@method", "@target-uri"], message=Request("GET", INBOX, []))) == "accepted"


DIDS = [
    "did:web:localhost", "did:web:LOCALHOST", "did:web:127.0.0.1", "did:web:169.254.169.254", "did:web:10.0.0.5",
    "did:web:%5B%3A%3A1%5D", "did:web:internal.test",
]  # fmt: skip


@pytest.mark.parametrize("mode", [None, TestMode()], ids=["production", "test"])
async def test_did_01_no_identifier_leads_inside(mode: TestMode | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are refused, none opens a connection; test and production run the same guard."""
    connected: list[Any] = []

    async def connect(*args: Any, **more: Any) -> Any:
        connected.append((args, more))
        raise OSError

    async def names(host: str, port: int) -> list[str]:
        assert host == "internal.test"
        return ["192.168.1.9"]

    monkeypatch.setattr(anyio, "connect_tcp", connect)
    settings = replace(settings_for("wealth.example", "wealth"), test_mode=mode)
    resolver = DidResolver(identity_for("wealth.example", "wealth"), Fetcher(settings, resolve=names), now=lambda: NOW)
    for did in DIDS:
        with pytest.raises(FederationError) as refused:
            await resolver.document(did)
        assert refused.value.code in ("did_refused", "fetch_address")
    assert connected == []


async def test_did_01_a_redirect_is_not_followed(serve: Callable[..., RawServer], authority: Authority) -> None:
    inside = serve(answer(), None)
    outside = serve(answer("302 Found", b"", Location=f"http://127.0.0.1:{inside.port}/"), "ok.test")

    async def names(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    settings = settings_for("wealth.example", "wealth")
    fetcher = Fetcher(settings, resolve=names, context=authority.trusted())
    resolver = DidResolver(identity_for("wealth.example", "wealth"), fetcher, now=lambda: NOW)
    with pytest.raises(FederationError, match="fetch_redirect"):
        await resolver.document(f"did:web:ok.test%3A{outside.port}")
    assert not inside.requests


@pytest.mark.parametrize(("off", "accepted"), [(2, True), (29, True), (120, False), (-3_600, False)])
def test_crd_03_one_leeway_everywhere(off: int, accepted: bool) -> None:
    """The times of requests have the leeway of the times of credentials: one constant. Issuing is not here yet."""
    assert http_signatures.LEEWAY_SECONDS is credential_limits.LEEWAY_SECONDS
    message = Request("POST", INBOX, [("Content-Type", "application/json")], BODY)
    added = sign(message, ED, now=NOW + off, rng=lambda count: b"n" * count)
    signed = replace(message, fields=[*message.fields, *added.items()])
    expected = nullcontext() if accepted else pytest.raises(FederationError, match="signature_time")
    with expected:
        verify(signed, http_signatures.AGENT_TO_AGENT, StaticResolver(), now=NOW)
