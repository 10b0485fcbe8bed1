"""Pairing by a code that two people compare (docs/adr/0031). Threat rows: somebody in the middle, replay, DoS."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from credentials.did.document import DidDocument, build_document
from credentials.encoding import b64url_encode
from credentials.keys import PrivateKey
from federation.errors import FederationError, PairingError, PeerError
from federation.limits import INVITATION_SECONDS, INVITATIONS_OPEN
from federation.pairing import Invitation, Pairing, Pairings, Role, Step, commitment_to, keys_of
from federation.peers import Peer, PeerState
from federation.storage.database import Database
from federation.storage.peers import SqlPairingStore, SqlPeerStore
from tests.federation.conftest import Clock


def document(did: str) -> DidDocument:
    return DidDocument(build_document(did, [("k1", PrivateKey.generate().public)]), did)


@dataclass
class Side:
    """One gateway with one agent."""

    agent: str
    document: DidDocument
    trust: SqlPeerStore
    store: SqlPairingStore
    pairings: Pairings


@pytest.fixture
def side(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Side]]:
    opened: list[Database] = []

    def make(name: str, rng: Callable[[int], bytes] = secrets.token_bytes, database: Database | None = None) -> Side:
        if database is None:
            database = Database(tmp_path / f"{name}.db")
            opened.append(database)
        trust, store = SqlPeerStore(database), SqlPairingStore(database)
        return Side(
            name, document(f"did:web:{name}.example:agents:{name}"), trust, store,
            Pairings(store, trust, now=clock, rng=rng),
        )  # fmt: skip

    yield make
    for database in opened:
        database.close()


def talk(a: Side, b: Side) -> tuple[Pairing, Pairing]:
    """The whole protocol without anybody between; answers how each side sees it."""
    invitation = Invitation.from_text(a.pairings.invite(a.agent, a.document, "Wealth").to_text())
    sent = b.pairings.accept(b.agent, invitation, b.document, a.document)
    nonce = a.pairings.committed(a.agent, invitation.id, b.document, "Insurance", sent.commitment)
    there = b.pairings.answered(b.agent, invitation.id, nonce)
    here = a.pairings.revealed(a.agent, invitation.id, b.document.did, there.own_nonce)
    return here, there


def code(call: Callable[..., object], *args: object, **more: object) -> str:
    with pytest.raises(FederationError) as found:
        call(*args, **more)
    return found.value.code


def test_two_people_see_one_code_and_trust_each_other(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    here, there = talk(a, b)
    assert here.code == there.code
    assert len(here.code) == 6
    assert here.code.isdigit()
    assert a.trust.of("wealth") == []
    vct = frozenset({"https://insurance.example/vct/memory/v1"})
    made = a.pairings.compare("wealth", here.invitation, f"{here.code[:3]} {here.code[3:]}", types=vct)
    assert made == a.trust.get("wealth", b.document.did)
    assert (made.name, made.types, made.purposes, made.tenants) == ("Insurance", vct, frozenset(), frozenset())
    assert b.trust.of("insurance") == []
    assert b.pairings.compare("insurance", there.invitation, here.code).did == a.document.did
    assert a.store.of("wealth") == b.store.of("insurance") == []


def test_codes_are_spread_evenly(side: Callable[..., Side]) -> None:
    base = Pairing("a", "i", Role.INVITER, 1, "did:a", "ka", peer_did="did:b", peer_keys="kb", own_nonce="n")
    codes = [replace(base, step=Step.COMPARING, peer_nonce=str(number)).code for number in range(20_000)]
    firsts = [sum(code[0] == str(digit) for code in codes) for digit in range(10)]
    assert all(1_800 < count < 2_200 for count in firsts)
    assert len(set(codes)) > 19_700


def test_a_code_that_differs_ends_the_pairing(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    here, _ = talk(a, b)
    other = f"{(int(here.code) + 1) % 1_000_000:06d}"
    assert code(a.pairings.compare, "wealth", here.invitation, other) == "pairing_commitment"
    assert code(a.pairings.compare, "wealth", here.invitation, here.code) == "pairing_unknown"
    assert a.trust.of("wealth") == []


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "１２３４５６"])
def test_what_is_no_code_is_not_one(side: Callable[..., Side], typed: str) -> None:
    a, b = side("wealth"), side("insurance")
    here, _ = talk(a, b)
    assert code(a.pairings.compare, "wealth", here.invitation, typed) == "pairing_commitment"


def test_somebody_in_the_middle_cannot_make_the_codes_equal(side: Callable[..., Side], clock: Clock) -> None:
    """M answers A's invitation as itself and invites B as itself: the codes cover keys and nonces of both legs."""
    equal = 0
    a, b, m_to_a, m_to_b = side("wealth"), side("insurance"), side("mallory"), side("mallet")
    m_to_b.document = m_to_a.document
    for _ in range(40):
        invitation = a.pairings.invite("wealth", a.document, "Wealth")
        forged = m_to_b.pairings.invite("mallet", m_to_b.document, "Wealth")
        from_b = b.pairings.accept("insurance", forged, b.document, m_to_b.document)
        from_m = m_to_a.pairings.accept("mallory", invitation, m_to_a.document, a.document)
        # M knows only B's commitment when it has to commit itself, and A's nonce only after that.
        nonce_a = a.pairings.committed("wealth", invitation.id, m_to_a.document, "Insurance", from_m.commitment)
        m_to_a.pairings.answered("mallory", invitation.id, nonce_a)
        nonce_m = m_to_b.pairings.committed("mallet", forged.id, b.document, "Insurance", from_b.commitment)
        there = b.pairings.answered("insurance", forged.id, nonce_m)
        here = a.pairings.revealed("wealth", invitation.id, m_to_a.document.did, from_m.own_nonce)
        equal += here.code == there.code
        for one, agent, which in ((a, "wealth", invitation), (b, "insurance", forged), (m_to_a, "mallory", invitation)):
            one.pairings.refuse(agent, which.id)
        m_to_b.pairings.refuse("mallet", forged.id)
    assert equal == 0  # one in a million each


def test_the_invited_side_cannot_choose_its_nonce_after_seeing_ours(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    sent = b.pairings.accept("insurance", invitation, b.document, a.document)
    a.pairings.committed("wealth", invitation.id, b.document, "Insurance", sent.commitment)
    chosen = b64url_encode(bytes(32))
    assert code(a.pairings.revealed, "wealth", invitation.id, b.document.did, chosen) == "pairing_commitment"
    assert code(a.pairings.revealed, "wealth", invitation.id, b.document.did, sent.own_nonce) == "pairing_unknown"


def test_the_inviting_side_answers_a_commitment_once_and_the_same(side: Callable[..., Side]) -> None:
    """A lost answer may be asked for again; another commitment, or another signer, ends nothing and gets nothing."""
    a, b, other = side("wealth"), side("insurance"), side("mallory")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    commitment = commitment_to(invitation.id, b.document.did, keys_of(b.document), "n")
    asked = ("wealth", invitation.id, b.document, "Insurance", commitment)
    nonce = a.pairings.committed(*asked)
    assert a.pairings.committed(*asked) == nonce
    second = commitment_to(invitation.id, b.document.did, keys_of(b.document), "m")
    for document_, given in ((b.document, second), (other.document, commitment)):
        late = ("wealth", invitation.id, document_, "Insurance", given)
        assert code(a.pairings.committed, *late) == "pairing_state"


def test_a_reveal_again_changes_nothing(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    here, there = talk(a, b)
    assert a.pairings.revealed("wealth", here.invitation, b.document.did, there.own_nonce).code == here.code
    late = ("wealth", here.invitation, "did:web:mallory.example", there.own_nonce)
    assert code(a.pairings.revealed, *late) == "pairing_state"


def test_every_part_of_a_pairing_is_in_the_code(side: Callable[..., Side]) -> None:
    here, _ = talk(side("wealth"), side("insurance"))
    for name in ("invitation", "own_did", "own_keys", "own_nonce", "peer_did", "peer_keys", "peer_nonce"):
        assert replace(here, **{name: getattr(here, name) + "x"}).code != here.code


def test_other_keys_of_the_same_identifier_give_another_code(side: Callable[..., Side]) -> None:
    """Threat row: key substitution, by somebody who serves another document to one side."""
    a, b = side("wealth"), side("insurance")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    forged = document(a.document.did)
    sent = b.pairings.accept("insurance", invitation, b.document, forged)
    nonce = a.pairings.committed("wealth", invitation.id, b.document, "Insurance", sent.commitment)
    there = b.pairings.answered("insurance", invitation.id, nonce)
    assert a.pairings.revealed("wealth", invitation.id, b.document.did, there.own_nonce).code != there.code


def test_invitations_end(side: Callable[..., Side], clock: Clock) -> None:
    a, b = side("wealth"), side("insurance")
    here, there = talk(a, b)
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    did = b.document.did
    assert a.pairings.is_open("wealth", invitation.id, did)
    assert not a.pairings.is_open("health", invitation.id, did)
    assert not b.pairings.is_open("insurance", there.invitation, did)  # only the inviting side is asked
    assert not a.pairings.is_open("wealth", here.invitation, "did:web:mallory.example")  # answered by somebody else
    assert a.pairings.is_open("wealth", here.invitation, did)
    clock.at += INVITATION_SECONDS + 1
    assert not a.pairings.is_open("wealth", invitation.id, did)
    assert code(a.pairings.compare, "wealth", here.invitation, here.code) == "pairing_unknown"
    assert code(b.pairings.compare, "insurance", there.invitation, here.code) == "pairing_unknown"
    assert code(b.pairings.accept, "insurance", invitation, b.document, a.document) == "pairing_unknown"
    late = ("wealth", invitation.id, b.document, "Insurance", "c" * 43)
    assert code(a.pairings.committed, *late) == "pairing_unknown"
    a.pairings.invite("wealth", a.document, "Wealth")
    assert len(a.store.of("wealth")) == 1  # what ended is forgotten


@pytest.mark.parametrize("name", ["", "x" * 81, "safe\u202eexe", "a\nb"])
def test_names_that_could_mislead_are_refused_on_both_sides(side: Callable[..., Side], name: str) -> None:
    a, b = side("wealth"), side("insurance")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    told = ("wealth", invitation.id, b.document, name, "c" * 43)
    assert code(a.pairings.committed, *told) == "pairing_invitation"
    named = replace(invitation, name=name)
    assert code(b.pairings.accept, "insurance", named, b.document, a.document) == "pairing_invitation"


def test_an_agent_is_not_paired_with_itself(side: Callable[..., Side]) -> None:
    a = side("wealth")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    assert code(a.pairings.accept, "wealth", invitation, a.document, a.document) == "pairing_unknown"


def test_open_pairings_are_bounded(side: Callable[..., Side]) -> None:
    a = side("wealth")
    for _ in range(INVITATIONS_OPEN):
        a.pairings.invite("wealth", a.document, "Wealth")
    assert code(a.pairings.invite, "wealth", a.document, "Wealth") == "pairing_state"


def test_pairing_does_not_undo_a_block(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    a.trust.put(Peer("wealth", b.document.did, "Insurance", 1.0, state=PeerState.BLOCKED))
    here, _ = talk(a, b)
    with pytest.raises(PeerError, match="peer_blocked"):
        a.pairings.compare("wealth", here.invitation, here.code)
    found = a.trust.get("wealth", b.document.did)
    assert found is not None
    assert found.state is PeerState.BLOCKED


def test_there_is_no_code_before_both_nonces_are_known(side: Callable[..., Side]) -> None:
    a, b = side("wealth"), side("insurance")
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    sent = b.pairings.accept("insurance", invitation, b.document, a.document)
    with pytest.raises(PairingError, match="pairing_state"):
        assert sent.code
    assert code(b.pairings.compare, "insurance", invitation.id, "000000") == "pairing_state"
    assert code(b.pairings.accept, "insurance", invitation, b.document, a.document) == "pairing_state"


GOOD = Invitation("i" * 22, "did:web:a.example", "A", 1_790_000_600)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "memory-invitation-1.", "memory-invitation-1.!!", "memory-invitation-2." + GOOD.to_text()[20:],
        GOOD.to_text() + "A" * 4_000, "memory-invitation-1." + b64url_encode(b"[]"),
        "memory-invitation-1." + b64url_encode(b'{"id":"a","did":"b","name":"c","until":true}'),
        "memory-invitation-1." + b64url_encode(b'{"id":"a","did":"b","name":"c","until":1,"x":1}'),
    ],
)  # fmt: skip
def test_texts_that_are_no_invitation(text: str) -> None:
    assert code(Invitation.from_text, text) == "pairing_invitation"


def test_an_invitation_is_one_line() -> None:
    assert Invitation.from_text(f"  {GOOD.to_text()}\n") == GOOD


def test_only_one_of_two_processes_makes_a_step(side: Callable[..., Side], database: Database) -> None:
    """On both stores: a change is made only from the state that was seen."""
    a = side("wealth", database=database)
    invitation = a.pairings.invite("wealth", a.document, "Wealth")
    seen = a.store.get("wealth", invitation.id)
    assert seen is not None
    assert a.store.change(seen, replace(seen, peer_did="did:web:first.example"))
    assert not a.store.change(seen, replace(seen, peer_did="did:web:second.example"))
    assert a.store.of("wealth")[0].peer_did == "did:web:first.example"
    assert not a.store.add(seen)
