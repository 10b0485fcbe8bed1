"""The inbox. Threat rows: HTTP replay, audience confusion, key substitution, DoS, clock skew, cross-tenant leak; a
valid signature alone trusts nobody."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from credentials.algorithms import KeyType
from credentials.did.local import did_key, did_key_url
from credentials.encoding import b64url_encode, json_encode
from credentials.keys import PrivateKey
from credentials.vault import LocalSigner
from federation.errors import MessageError, PairingError, StoreError
from federation.http_signatures import TAG, sign
from federation.limits import MESSAGE_BYTES, PAIRING_BODY_BYTES, PAIRINGS_AT_WORK
from federation.messaging import inbox as inbox_module
from federation.messaging.envelope import Envelope, Kind, parse
from federation.messaging.places import Places
from federation.messaging.ports import Outcome
from federation.messaging.sending import PAIRING_TAG
from federation.peers import Peer, PeerState
from federation.signature_base import Message
from tests.federation.conftest import Clock
from tests.federation.gateway import Gateway
from tests.federation.servers import Authority
from tests.federation.world import calling


@pytest.fixture
def gateway(authority: Authority, tmp_path: Path, clock: Clock) -> Iterator[Gateway]:
    made = Gateway("wealth", authority, tmp_path / "wealth.db", now=clock)
    yield made
    made.close()


class Someone:
    """Another agent, whose identifier is its key: nothing has to be fetched."""

    def __init__(self, gateway: Gateway, clock: Clock, *, trusted: bool = True) -> None:
        key = PrivateKey.generate(KeyType.ED25519)
        self.signer = LocalSigner(key, did_key_url(key.public))
        self.did = did_key(key.public)
        self.gateway, self.clock = gateway, clock
        self.url = gateway.settings.inbox_url("wealth")
        if trusted:
            gateway.trust.put(Peer("wealth", self.did, "Someone", 1.0))

    def envelope(self, kind: Kind = Kind.UPDATE, sequence: int = 1, **change: Any) -> Envelope:
        bodies: dict[Kind, dict[str, Any]] = {
            Kind.UPDATE: {"presentation": "a~b~"},
            Kind.PRESENTATION: {"presentation": "a~b~"},
            Kind.REVOCATION: {"reason": "withdrawn"},
            Kind.RECEIPT: {"of": "m" * 24, "outcome": "stored"},
            Kind.REQUEST: {"purpose": "dpv:ServicePersonalisation", "types": ["https://a.example/v"], "days": 30},
            Kind.PAIRING: {"step": "reveal", "invitation": "i" * 22, "nonce": "n" * 43},
        }
        about = kind in (Kind.UPDATE, Kind.PRESENTATION, Kind.REVOCATION)
        made = Envelope(
            b64url_encode(secrets.token_bytes(18)), kind, self.did, self.gateway.did, bodies[kind],
            "urn:c:1" if about else None, sequence if about else None,
        )  # fmt: skip
        return replace(made, **change)

    def headers(self, data: bytes, *, url: str = "", tag: str = TAG, **change: Any) -> dict[str, str]:
        fields = {"Content-Type": "application/json"}
        message = Message("POST", url or self.url, list(fields.items()), data)
        options = {"now": self.clock(), "rng": secrets.token_bytes, "tag": tag} | change
        return fields | sign(message, self.signer, **options)


@pytest.fixture
def someone(gateway: Gateway, clock: Clock) -> Someone:
    return Someone(gateway, clock)


async def post(gateway: Gateway, data: Any, headers: dict[str, str], path: str = "/agents/wealth/inbox") -> Any:
    async with calling(gateway.app, gateway.settings.origin) as client:
        return await client.post(path, content=data, headers=headers)


async def send(who: Someone, envelope: Envelope, **more: Any) -> Any:
    data = envelope.to_bytes()
    return await post(who.gateway, data, who.headers(data, **more))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


# --- what is taken ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.PAIRING])
async def test_a_message_of_a_peer_is_taken_once(gateway: Gateway, someone: Someone, kind: Kind) -> None:
    envelope = someone.envelope(kind)
    answer = await send(someone, envelope)
    assert answer.status_code == 200
    assert answer.json() == {"id": envelope.id, "outcome": "accepted"}
    assert answer.headers["cache-control"] == "no-store"
    assert (await send(someone, envelope)).json()["outcome"] == "duplicate"
    (received,) = gateway.received.waiting("wealth", 10)
    assert (received.peer, received.envelope) == (someone.did, envelope)
    gateway.received.taken(received.seq)
    assert gateway.received.waiting("wealth", 10) == []
    assert (await send(someone, envelope)).json()["outcome"] == "duplicate"


async def test_what_is_older_has_no_effect(gateway: Gateway, someone: Someone) -> None:
    async def outcome(kind: Kind, sequence: int) -> str:
        return (await send(someone, someone.envelope(kind, sequence))).json()["outcome"]

    assert await outcome(Kind.UPDATE, 2) == "accepted"
    assert await outcome(Kind.PRESENTATION, 1) == "stale"
    assert await outcome(Kind.UPDATE, 2) == "stale"
    assert await outcome(Kind.UPDATE, 5) == "accepted"
    assert await outcome(Kind.REVOCATION, 6) == "accepted"
    assert await outcome(Kind.UPDATE, 7) == "stale"  # nothing comes after a revocation
    waiting = [one.envelope.sequence for one in gateway.received.waiting("wealth", 10)]
    assert waiting == [2, 5, 6]


async def test_a_revocation_that_overtakes_the_presentation(gateway: Gateway, someone: Someone) -> None:
    assert (await send(someone, someone.envelope(Kind.REVOCATION, 2))).json()["outcome"] == "accepted"
    assert (await send(someone, someone.envelope(Kind.PRESENTATION, 1))).json()["outcome"] == "stale"


async def test_credentials_of_two_peers_with_one_name_are_two(gateway: Gateway, clock: Clock) -> None:
    """Threat row: cross-tenant leak. Nobody revokes what another has sent."""
    ann, ben = Someone(gateway, clock), Someone(gateway, clock)
    assert (await send(ann, ann.envelope(Kind.REVOCATION, 9))).json()["outcome"] == "accepted"
    assert (await send(ben, ben.envelope(Kind.UPDATE, 1))).json()["outcome"] == "accepted"


async def test_one_id_with_two_contents_is_refused(gateway: Gateway, someone: Someone) -> None:
    first = someone.envelope(Kind.RECEIPT)
    assert (await send(someone, first)).status_code == 200
    second = replace(first, body={"of": "m" * 24, "outcome": "forgotten"})
    assert code(await send(someone, second)) == (422, "message_conflict")


# --- who is refused, and when ---------------------------------------------------------------------------------
class Watched:
    """Counts what is done for a sender after the first look."""

    def __init__(self, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        for target, name in (
            (gateway.resolver, "authentication_key"),
            (inbox_module, "parse"),
            (inbox_module.signatures, "check"),
            (inbox_module.signatures, "use_once"),
            (gateway.received, "accept"),
        ):
            self._watch(monkeypatch, target, name)

    def _watch(self, monkeypatch: pytest.MonkeyPatch, target: Any, name: str) -> None:
        real = getattr(target, name)

        def call(*args: Any, **more: Any) -> Any:
            self.done.append(name)
            return real(*args, **more)

        monkeypatch.setattr(target, name, call)

    async def body(self, data: bytes) -> AsyncIterator[bytes]:
        self.done.append("body")
        yield data


async def test_a_stranger_is_turned_away_before_any_costly_work(
    gateway: Gateway, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A valid signature alone trusts nobody: no body, no document, no signature, no nonce, no row."""
    stranger = Someone(gateway, clock, trusted=False)
    watched = Watched(gateway, monkeypatch)
    data = stranger.envelope().to_bytes()
    arriving = inbox_module.Arriving(
        "wealth", "POST", b"", list(stranger.headers(data).items()), watched.body(data)
    )  # fmt: skip
    with pytest.raises(Exception, match="peer_unknown"):
        await gateway.inbox.take(arriving)
    assert watched.done == []
    assert code(await post(gateway, data, stranger.headers(data))) == (403, "peer_unknown")


async def test_a_blocked_peer_is_told_the_same_as_a_stranger(gateway: Gateway, someone: Someone, clock: Clock) -> None:
    gateway.trust.put(Peer("wealth", someone.did, "Someone", 1.0, state=PeerState.BLOCKED))
    blocked = await send(someone, someone.envelope())
    stranger = Someone(gateway, clock, trusted=False)
    assert blocked.content == (await send(stranger, stranger.envelope())).content
    assert blocked.status_code == 403


async def test_trust_ends_at_once(gateway: Gateway, someone: Someone) -> None:
    assert (await send(someone, someone.envelope())).status_code == 200
    gateway.trust.remove("wealth", someone.did)
    assert code(await send(someone, someone.envelope())) == (403, "peer_unknown")


async def test_a_name_on_the_list_with_another_key_is_refused(gateway: Gateway, someone: Someone) -> None:
    """Threat row: key substitution."""
    someone.signer = LocalSigner(PrivateKey.generate(KeyType.ED25519), someone.signer.kid)
    assert code(await send(someone, someone.envelope())) == (401, "signature_invalid")


async def test_a_peer_speaks_for_itself_and_to_us_only(gateway: Gateway, someone: Someone, clock: Clock) -> None:
    other = Someone(gateway, clock)
    assert code(await send(someone, someone.envelope(sender=other.did))) == (422, "message_sender")
    elsewhere = "did:web:health.example:agents:health"
    assert code(await send(someone, someone.envelope(recipient=elsewhere))) == (422, "message_recipient")


async def test_a_request_is_received_once(gateway: Gateway, someone: Someone) -> None:
    """Threat row: HTTP replay. The bytes on the wire again are refused, whatever they say."""
    data = someone.envelope().to_bytes()
    headers = someone.headers(data)
    assert (await post(gateway, data, headers)).status_code == 200
    assert code(await post(gateway, data, headers)) == (409, "replayed")


@pytest.mark.parametrize("off", [31, 90, -90, -3_600])
async def test_a_clock_that_is_off(gateway: Gateway, someone: Someone, clock: Clock, off: int) -> None:
    """Threat row: clock skew. Refused, and not for ever: the courier tries again."""
    assert code(await send(someone, someone.envelope(), now=clock() + off)) == (401, "signature_time")


@pytest.mark.parametrize("off", [29, -80])
async def test_a_clock_that_is_a_little_off(gateway: Gateway, someone: Someone, clock: Clock, off: int) -> None:
    assert (await send(someone, someone.envelope(), now=clock() + off)).status_code == 200


@pytest.mark.parametrize("change", ["host", "path", "scheme", "port"])
async def test_a_request_signed_for_elsewhere(gateway: Gateway, someone: Someone, change: str) -> None:
    """Threat row: audience confusion. Our own address counts, not the Host that came along."""
    wrong = {
        "host": f"https://evil.example:{gateway.port}/agents/wealth/inbox",
        "path": f"{gateway.settings.origin}/agents/health/inbox",
        "scheme": someone.url.replace("https", "http"),
        "port": "https://wealth.example/agents/wealth/inbox",
    }[change]
    data = someone.envelope().to_bytes()
    headers = someone.headers(data, url=wrong) | {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    assert code(await post(gateway, data, headers)) == (401, "signature_invalid")


async def test_the_host_field_is_never_used(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    headers = someone.headers(data) | {"Host": "evil.example", "X-Forwarded-Proto": "http"}
    assert (await post(gateway, data, headers)).status_code == 200


async def test_an_altered_body_is_refused(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    assert code(await post(gateway, data.replace(b"a~b~", b"a~c~"), someone.headers(data))) == (401, "digest_mismatch")


async def test_without_signature_or_digest(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    headers = someone.headers(data)
    assert code(await post(gateway, data, {"Content-Type": "application/json"})) == (401, "signature_missing")
    without = {name: value for name, value in headers.items() if name != "Content-Digest"}
    assert code(await post(gateway, data, without)) == (401, "digest_missing")
    assert code(await send(someone, someone.envelope(), tag="another")) == (401, "signature_missing")


# --- size, time, form ------------------------------------------------------------------------------------------
async def test_other_media_types(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    for change in ({"Content-Type": "text/plain"}, {"Content-Encoding": "gzip"}):
        assert code(await post(gateway, data, someone.headers(data) | change)) == (415, "message_media_type")


async def test_a_message_that_says_it_is_too_large(gateway: Gateway, someone: Someone) -> None:
    """Threat row: DoS."""
    data = someone.envelope().to_bytes()
    headers = someone.headers(data) | {"Content-Length": str(MESSAGE_BYTES + 1)}
    arriving = inbox_module.Arriving("wealth", "POST", b"", list(headers.items()), _never())
    with pytest.raises(MessageError, match="message_too_large"):
        await gateway.inbox.take(arriving)


async def _never() -> AsyncIterator[bytes]:
    raise AssertionError("the body was read")
    yield b""


async def test_a_message_that_grows_is_cut(gateway: Gateway, someone: Someone) -> None:
    """Threat row: DoS."""
    given: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            given.append(65_536)
            yield b"x" * 65_536

    headers = someone.headers(b"x")
    arriving = inbox_module.Arriving("wealth", "POST", b"", list(headers.items()), endless())
    with pytest.raises(MessageError, match="message_too_large"):
        await gateway.inbox.take(arriving)
    assert sum(given) <= MESSAGE_BYTES + 65_536


async def test_a_body_that_drips_is_cut(gateway: Gateway, someone: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threat row: DoS."""
    monkeypatch.setattr(inbox_module, "MESSAGE_SECONDS", 0.1)

    async def drip() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await anyio.sleep(0.02)

    arriving = inbox_module.Arriving("wealth", "POST", b"", list(someone.headers(b"x").items()), drip())
    with pytest.raises(MessageError, match="message_malformed"):
        await gateway.inbox.take(arriving)


@pytest.mark.parametrize("limits", [{"peers": 1}, {"one_peer": 1}], ids=["of all", "of one peer"])
async def test_only_so_many_are_worked_on(
    authority: Authority, tmp_path: Path, clock: Clock, limits: dict[str, int]
) -> None:
    """Threat row: DoS. Who comes when all places are taken is told to come again; one peer cannot take them all."""
    gateway = Gateway("wealth", authority, tmp_path / "w.db", now=clock, places=Places(**limits))
    try:
        someone, other, release = Someone(gateway, clock), Someone(gateway, clock), anyio.Event()
        data = someone.envelope().to_bytes()

        async def slow() -> AsyncIterator[bytes]:
            await release.wait()
            yield data

        first = inbox_module.Arriving("wealth", "POST", b"", list(someone.headers(data).items()), slow())
        async with anyio.create_task_group() as group:
            group.start_soon(gateway.inbox.take, first)
            await anyio.sleep(0.2)
            busy = await send(someone, someone.envelope())
            assert code(busy) == (503, "busy")
            assert busy.headers["retry-after"] == "2"
            assert (await send(other, other.envelope())).status_code == (503 if "peers" in limits else 200)
            release.set()
        assert (await send(someone, someone.envelope(sequence=2))).status_code == 200
    finally:
        gateway.close()


async def test_strangers_take_no_place_of_a_peer(
    authority: Authority, tmp_path: Path, clock: Clock, someone: Someone, gateway: Gateway
) -> None:
    """Threat row: DoS. While an invitation is open strangers may be slow, but only a few, and apart."""
    gateway.pairings.invite("wealth", gateway.identity.parsed("wealth"), "Wealth")
    release = anyio.Event()

    async def slow() -> AsyncIterator[bytes]:
        await release.wait()
        yield b"{}"

    async def stall() -> None:
        stranger = Someone(gateway, clock, trusted=False)
        headers = list(stranger.headers(b"{}", tag=PAIRING_TAG).items())
        with pytest.raises(MessageError, match="message_type"):
            await gateway.inbox.take(inbox_module.Arriving("wealth", "POST", b"", headers, slow()))

    async with anyio.create_task_group() as group:
        for _ in range(PAIRINGS_AT_WORK):
            group.start_soon(stall)
        await anyio.sleep(0.3)
        late = Someone(gateway, clock, trusted=False)
        assert code(await send(late, late.envelope(Kind.PAIRING), tag=PAIRING_TAG)) == (503, "busy")
        assert (await send(someone, someone.envelope())).status_code == 200
        release.set()


async def test_a_disk_that_is_full(gateway: Gateway, someone: Someone) -> None:
    """Nothing is half taken: the message is refused for now, and taken once there is room."""
    envelope = someone.envelope(body={"presentation": "t" * 60_000})

    def pages(limit: int) -> None:
        with gateway.database.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {limit}")

    pages(1)
    assert code(await send(someone, envelope)) == (503, "store_unavailable")
    assert gateway.received.waiting("wealth", 10) == []
    pages(1_000_000)
    assert (await send(someone, envelope)).json()["outcome"] == "accepted"
    assert len(gateway.received.waiting("wealth", 10)) == 1


async def test_a_query_is_no_part_of_an_inbox(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    answer = await post(gateway, data, someone.headers(data, url=someone.url + "?x=1"), "/agents/wealth/inbox?x=1")
    assert code(answer) == (400, "message_malformed")


async def test_other_agents_and_methods(gateway: Gateway, someone: Someone) -> None:
    data = someone.envelope().to_bytes()
    assert code(await post(gateway, data, someone.headers(data), "/agents/other/inbox")) == (404, "not_found")
    async with calling(gateway.app) as client:
        assert (await client.get("/agents/wealth/inbox")).status_code == 405


async def test_a_store_that_is_down_is_no_refusal_for_good(
    gateway: Gateway, someone: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: Any, **__: Any) -> Any:
        raise StoreError("store_unavailable")

    monkeypatch.setattr(gateway.received, "accept", down)
    assert code(await send(someone, someone.envelope())) == (503, "store_unavailable")


async def test_malformed_messages_of_a_peer(gateway: Gateway, someone: Someone) -> None:
    for data, expected in (
        (b"[]", (400, "message_malformed")),
        (b'{"id":1,"id":2}', (400, "message_malformed")),
        (b'{"type":"other"}', (422, "message_type")),
        (json_encode({"type": "update"}), (400, "message_malformed")),
        (b"", (400, "message_malformed")),
    ):
        headers = someone.headers(data or b"x")
        assert code(await post(gateway, data, headers)) == expected, data


# --- pairing has a door of its own ------------------------------------------------------------------------------
async def test_strangers_may_answer_an_invitation_that_is_open(gateway: Gateway, clock: Clock) -> None:
    stranger = Someone(gateway, clock, trusted=False)
    envelope = stranger.envelope(Kind.PAIRING)
    assert code(await send(stranger, envelope, tag=PAIRING_TAG)) == (403, "pairing_unknown")
    invitation = gateway.pairings.invite("wealth", gateway.identity.parsed("wealth"), "Wealth")
    body = {"step": "commit", "invitation": invitation.id, "commitment": "c" * 43, "name": "Someone"}
    answer = await send(stranger, replace(envelope, body=body), tag=PAIRING_TAG)
    assert answer.status_code == 200
    assert len(answer.json()["nonce"]) == 43
    assert gateway.trust.of("wealth") == []


async def test_while_no_invitation_is_open_strangers_are_turned_away_at_once(
    gateway: Gateway, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Someone(gateway, clock, trusted=False)
    watched = Watched(gateway, monkeypatch)
    headers = list(stranger.headers(b"{}", tag=PAIRING_TAG).items())
    with pytest.raises(PairingError, match="pairing_unknown"):
        await gateway.inbox.take(inbox_module.Arriving("wealth", "POST", b"", headers, watched.body(b"{}")))
    assert watched.done == []


async def test_an_invitation_opens_nothing_else(
    gateway: Gateway, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Someone(gateway, clock, trusted=False)
    invitation = gateway.pairings.invite("wealth", gateway.identity.parsed("wealth"), "Wealth")
    watched = Watched(gateway, monkeypatch)
    assert code(await send(stranger, stranger.envelope(), tag=PAIRING_TAG)) == (403, "peer_unknown")
    body = {"step": "reveal", "invitation": invitation.id + "x", "nonce": "n" * 43}
    closed = await send(stranger, stranger.envelope(Kind.PAIRING, body=body), tag=PAIRING_TAG)
    assert code(closed) == (403, "pairing_unknown")
    assert set(watched.done) <= {"parse"}  # no document was fetched, no signature checked for a stranger
    large = b"x" * (PAIRING_BODY_BYTES + 1)
    assert code(await post(gateway, large, stranger.headers(large, tag=PAIRING_TAG))) == (413, "message_too_large")


async def test_a_peer_pairs_by_the_pairing_door_only(gateway: Gateway, someone: Someone) -> None:
    assert code(await send(someone, someone.envelope(Kind.PAIRING))) == (422, "message_type")


# --- the store on its own -----------------------------------------------------------------------------------------
def test_ids_are_kept_until_they_are_swept(gateway: Gateway, someone: Someone, clock: Clock) -> None:
    store, envelope = gateway.received, someone.envelope(Kind.RECEIPT)
    data = envelope.to_bytes()
    assert store.accept("wealth", someone.did, envelope, data, now=clock()) is Outcome.ACCEPTED
    assert store.sweep(before=clock() + 1) == 0  # not taken yet
    (received,) = store.waiting("wealth", 1)
    store.taken(received.seq)
    assert store.sweep(before=clock()) == 0
    assert store.sweep(before=clock() + 1) == 1


GOOD = {
    "id": "m" * 24, "type": "update", "from": "did:web:a.example", "to": "did:web:b.example",
    "body": {"presentation": "t~"}, "credential": "c", "sequence": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"id": "short"}, {"id": "m" * 65}, {"id": "m" * 23 + "."}, {"id": 1}, {"from": "a.example"}, {"to": None},
        {"body": []}, {"body": {}}, {"body": {"presentation": ""}}, {"body": {"presentation": 1}},
        {"body": {"presentation": "t", "x": 1}}, {"credential": ""}, {"credential": "c" * 257}, {"sequence": 0},
        {"sequence": True}, {"sequence": 1.5}, {"sequence": 2**53}, {"extra": 1}, {"sequence": "1"},
        {"type": "receipt", "body": {"of": "m" * 24, "outcome": "stored"}},
        {"type": "request", "body": {"purpose": "dpv:Anything", "types": ["x"], "days": 1}},
        {"type": "request", "body": {"purpose": "dpv:CustomerCare", "types": [], "days": 1}},
        {"type": "revocation", "body": {"reason": "because"}},
    ],
)  # fmt: skip
def test_messages_have_one_form(change: dict[str, Any]) -> None:
    assert parse(json_encode(GOOD)).sequence == 1
    with pytest.raises(MessageError, match="message_malformed"):
        parse(json_encode(GOOD | change))


def test_types_are_a_closed_list() -> None:
    for kind in ("Update", "", None, ["update"], {"a": 1}, 1):
        with pytest.raises(MessageError, match="message_type"):
            parse(json_encode(GOOD | {"type": kind}))
