"""Two whole gateways over real TLS on loopback: they find each other, pair, and talk. Faults of issue bar 4."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from credentials.algorithms import KeyType
from federation.errors import FederationError, MessageError
from federation.identity import purpose_of
from federation.limits import DID_CACHE_SECONDS, DID_FAILURE_SECONDS, DID_REFRESH_SECONDS
from federation.messaging.envelope import Kind
from federation.messaging.ports import State
from federation.resolving import inbox_of
from tests.federation.conftest import Clock
from tests.federation.gateway import Gateway
from tests.federation.servers import Authority


@pytest.fixture
def open_gateway(authority: Authority, tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    opened: list[Gateway] = []

    def make(agent: str, **more: Any) -> Gateway:
        gateway = Gateway(agent, authority, tmp_path / f"{agent}.db", **more)
        gateway.start()
        opened.append(gateway)
        return gateway

    yield make
    for gateway in opened:
        gateway.close()


async def pair(a: Gateway, b: Gateway) -> None:
    """Two people do what the guide tells them."""
    invitation = a.pairings.invite(a.agent, a.identity.parsed(a.agent), a.agent.title())
    shown_by_b = await b.invited.accept(b.agent, invitation.to_text())
    (shown_by_a,) = a.pairings._store.of(a.agent)
    assert shown_by_a.code == shown_by_b.code
    a.pairings.compare(a.agent, invitation.id, shown_by_b.code)
    b.pairings.compare(b.agent, invitation.id, shown_by_a.code)


def update(a: Gateway, b: Gateway, text: str = "token~") -> Any:
    return a.outbox.put(a.agent, b.did, Kind.UPDATE, {"presentation": text}, credential="urn:c:1")


@pytest.mark.parametrize("key_type", [KeyType.P256, KeyType.ED25519], ids=["ES256", "Ed25519"])
async def test_two_gateways_pair_and_talk(open_gateway: Callable[..., Gateway], key_type: KeyType) -> None:
    wealth, insurance = open_gateway("wealth", key_type=key_type), open_gateway("insurance", key_type=key_type)
    await pair(wealth, insurance)
    assert [peer.did for peer in wealth.trust.of("wealth")] == [insurance.did]
    assert [peer.did for peer in insurance.trust.of("insurance")] == [wealth.did]
    sent = [update(wealth, insurance), update(wealth, insurance)]
    while await wealth.courier.run_once():
        pass
    assert [one.envelope for one in insurance.received.waiting("insurance", 10)] == sent
    receipt = insurance.outbox.put("insurance", wealth.did, Kind.RECEIPT, {"of": sent[0].id, "outcome": "stored"})
    assert await insurance.courier.run_once() == 1
    assert [one.envelope for one in wealth.received.waiting("wealth", 10)] == [receipt]


async def test_before_they_are_paired_nothing_is_taken_and_nothing_is_lost(
    open_gateway: Callable[..., Gateway],
) -> None:
    clock = Clock(time.time())
    wealth, insurance = open_gateway("wealth", now=clock), open_gateway("insurance", now=clock)
    sent = update(wealth, insurance)
    assert await wealth.courier.run_once() == 0
    assert insurance.received.waiting("insurance", 10) == []
    await pair(wealth, insurance)
    clock.at += 2
    assert await wealth.courier.run_once() == 1
    assert [one.envelope for one in insurance.received.waiting("insurance", 10)] == [sent]


async def test_a_receiver_that_is_down_for_a_minute(open_gateway: Callable[..., Gateway]) -> None:
    clock = Clock(time.time())
    wealth, insurance = open_gateway("wealth", now=clock), open_gateway("insurance", now=clock)
    await pair(wealth, insurance)
    insurance.stop()
    sent = [update(wealth, insurance) for _ in range(3)]
    for _ in range(12):
        assert await wealth.courier.run_once() == 0
        clock.at += 5
    insurance.start()
    for _ in range(40):
        await wealth.courier.run_once()
        clock.at += 5
    assert [one.envelope for one in insurance.received.waiting("insurance", 10)] == sent
    assert wealth.waiting.counts() == {}


async def test_a_sender_whose_clock_is_off_is_heard_once_it_is_right(open_gateway: Callable[..., Gateway]) -> None:
    clock, off = Clock(time.time()), Clock(time.time())
    wealth, insurance = open_gateway("wealth", now=off), open_gateway("insurance", now=clock)
    await pair(wealth, insurance)
    off.at += 120
    sent = update(wealth, insurance)
    assert await wealth.courier.run_once() == 0
    assert wealth.waiting.counts() == {State.WAITING: 1}
    clock.at += 130
    off.at = clock.at
    assert await wealth.courier.run_once() == 1
    assert [one.envelope for one in insurance.received.waiting("insurance", 10)] == [sent]


async def test_a_rotated_key_is_fetched_and_the_old_one_no_longer_speaks(open_gateway: Callable[..., Gateway]) -> None:
    clock = Clock(time.time())
    wealth, insurance = open_gateway("wealth", now=clock), open_gateway("insurance", now=clock)
    await pair(wealth, insurance)
    update(wealth, insurance)
    assert await wealth.courier.run_once() == 1
    old = wealth.identity.signer("wealth")
    clock.at += DID_REFRESH_SECONDS + 1
    wealth.vault.ring.rotate(purpose_of("wealth"), now=int(clock.at))
    wealth.identity.reload()
    update(wealth, insurance)
    assert await wealth.courier.run_once() == 1  # the kept document does not list the key, so it is asked for again
    document = await insurance.resolver.document(wealth.did)
    assert str(old.kid) not in document.urls("authentication")


async def test_a_document_is_kept_and_a_failure_only_shortly(open_gateway: Callable[..., Gateway]) -> None:
    clock = Clock(time.time())
    wealth, insurance = open_gateway("wealth", now=clock), open_gateway("insurance", now=clock)
    first = await wealth.resolver.document(insurance.did)
    assert inbox_of(first) == insurance.settings.inbox_url("insurance")
    insurance.stop()
    assert await wealth.resolver.document(insurance.did) is first
    clock.at += DID_CACHE_SECONDS + 1
    for _ in range(2):
        with pytest.raises(FederationError, match="fetch_"):
            await wealth.resolver.document(insurance.did)
    insurance.start()
    with pytest.raises(FederationError, match="fetch_"):
        await wealth.resolver.document(insurance.did)
    clock.at += DID_FAILURE_SECONDS
    assert (await wealth.resolver.document(insurance.did)).did == insurance.did


@pytest.mark.parametrize(
    "did",
    ["did:web:localhost", "did:web:LOCALHOST", "did:web:127.0.0.1", "did:web:169.254.169.254", "did:web:10.0.0.5",
     "did:web:%5B%3A%3A1%5D", "did:pkh:eip155:1:0x0", "did:example:a", "did:webvh:x:y", "nonsense"],
)  # fmt: skip
async def test_did01_identifiers_that_are_not_resolved(open_gateway: Callable[..., Gateway], did: str) -> None:
    """Case DID-01 and threat row SSRF: refused before anything is resolved or connected to."""
    wealth = open_gateway("wealth")
    asked: list[str] = []

    async def watched(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["10.0.0.5"]

    wealth.fetcher._resolve = watched
    with pytest.raises(MessageError, match="did_refused"):
        await wealth.resolver.document(did)
    assert asked == []


async def test_did01_a_name_that_leads_inside(open_gateway: Callable[..., Gateway]) -> None:
    wealth = open_gateway("wealth")

    async def inside(host: str, port: int) -> list[str]:
        return ["192.168.1.9"]

    wealth.fetcher._resolve = inside
    with pytest.raises(FederationError, match="fetch_address"):
        await wealth.resolver.document("did:web:internal.example")


async def test_an_inbox_on_another_host_is_not_written_to(open_gateway: Callable[..., Gateway]) -> None:
    """Threat row: audience confusion. Trust in a name is no trust in whatever its document points to."""
    wealth, insurance = open_gateway("wealth"), open_gateway("insurance")
    service = insurance.identity._agents["insurance"].document["service"][0]
    for endpoint in (
        "https://evil.example/inbox",
        f"http://{insurance.host}/inbox",
        f"https://{insurance.host}.evil/",
        7,
    ):
        service["serviceEndpoint"] = endpoint
        with pytest.raises(MessageError, match="did_refused"):
            inbox_of(insurance.identity.parsed("insurance"))
    update(wealth, insurance)
    assert await wealth.courier.run_once() == 0


async def test_an_invitation_to_nowhere(open_gateway: Callable[..., Gateway]) -> None:
    wealth, insurance = open_gateway("wealth"), open_gateway("insurance")
    invitation = wealth.pairings.invite("wealth", wealth.identity.parsed("wealth"), "Wealth")
    wealth.pairings.refuse("wealth", invitation.id)
    with pytest.raises(FederationError, match="pairing_answer"):
        await insurance.invited.accept("insurance", invitation.to_text())
    assert insurance.pairings._store.of("insurance") == []
