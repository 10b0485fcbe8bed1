"""The trust list: default deny, nothing is for everything. Threat row: a valid signature alone trusts nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from credentials.errors import IssuerRefusedError
from federation.errors import PeerError
from federation.peers import Peer, Peers, PeerState
from federation.storage.database import Database
from federation.storage.peers import SqlPeerStore

DID = "did:web:insurance.example:agents:insurance"
VCT = "https://insurance.example/vct/memory/v1"
PURPOSE = "dpv:ServicePersonalisation"
PEER = Peer(
    "wealth", DID, "保险 Insurance", 1_790_000_000.25, frozenset({VCT}), frozenset({PURPOSE}), frozenset({"ann"})
)  # fmt: skip


@pytest.fixture
def store(database: Database) -> SqlPeerStore:
    return SqlPeerStore(database)


def code(call: Any, *args: Any, **more: Any) -> str:
    with pytest.raises(PeerError) as found:
        call(*args, **more)
    return found.value.code


def test_nobody_is_trusted_by_default(store: SqlPeerStore) -> None:
    peers = Peers(store)
    assert code(peers.require, "wealth", DID) == "peer_unknown"
    with pytest.raises(IssuerRefusedError, match="issuer_untrusted"):
        peers.issuers("wealth", "ann").check(DID, [VCT])


def test_an_entry_is_kept_as_it_was_given(store: SqlPeerStore) -> None:
    store.put(PEER)
    assert store.get("wealth", DID) == PEER
    changed = replace(PEER, name="Other", types=frozenset(), state=PeerState.BLOCKED)
    store.put(changed)
    assert store.get("wealth", DID) == changed
    assert store.of("wealth") == [changed]
    assert store.remove("wealth", DID)
    assert not store.remove("wealth", DID)
    assert store.get("wealth", DID) is None


def test_trust_is_for_an_agent_a_type_a_purpose_and_a_user(store: SqlPeerStore) -> None:
    """Threat row: cross-tenant leak."""
    store.put(PEER)
    peers = Peers(store)
    wanted = {"types": [VCT], "purpose": PURPOSE, "tenant": "ann"}
    assert peers.require_for("wealth", DID, **wanted) == PEER
    assert code(peers.require_for, "health", DID, **wanted) == "peer_unknown"
    assert code(peers.require_for, "wealth", DID + "2", **wanted) == "peer_unknown"
    assert code(peers.require_for, "wealth", DID, **(wanted | {"types": []})) == "peer_type"
    assert code(peers.require_for, "wealth", DID, **(wanted | {"types": [VCT, VCT + "x"]})) == "peer_type"
    assert code(peers.require_for, "wealth", DID, **(wanted | {"purpose": "dpv:CustomerCare"})) == "peer_purpose"
    assert code(peers.require_for, "wealth", DID, **(wanted | {"tenant": "ben"})) == "peer_tenant"
    assert code(peers.require_for, "wealth", DID, **(wanted | {"tenant": "ann2"})) == "peer_tenant"


def test_a_blocked_peer_is_refused_everything(store: SqlPeerStore) -> None:
    store.put(replace(PEER, state=PeerState.BLOCKED))
    peers = Peers(store)
    assert code(peers.require, "wealth", DID) == "peer_blocked"
    with pytest.raises(IssuerRefusedError, match="issuer_untrusted"):
        peers.issuers("wealth", "ann").check(DID, [VCT])


def test_credentials_are_believed_for_what_the_entry_says(store: SqlPeerStore) -> None:
    store.put(PEER)
    peers = Peers(store)
    peers.issuers("wealth", "ann").check(DID, [VCT])
    with pytest.raises(IssuerRefusedError, match="issuer_type_untrusted"):
        peers.issuers("wealth", "ann").check(DID, [VCT + "x"])
    for agent, tenant in (("wealth", "ben"), ("health", "ann")):
        with pytest.raises(IssuerRefusedError, match="issuer_untrusted"):
            peers.issuers(agent, tenant).check(DID, [VCT])


@pytest.mark.parametrize(
    "change",
    [
        {"did": "insurance.example"}, {"did": DID + "#k"}, {"did": DID + "/x"}, {"did": "did:web:" + "a" * 9_000},
        {"name": ""}, {"name": "x" * 81}, {"name": "a\u202eb"}, {"purposes": frozenset({"dpv:Anything"})},
        {"purposes": frozenset({"*"})}, {"types": frozenset({"*"})}, {"types": frozenset({"http://a.example/x"})},
        {"tenants": frozenset(str(number) for number in range(65))},
    ],
)  # fmt: skip
def test_entries_that_cannot_be_meant(change: dict[str, Any]) -> None:
    assert code(replace, PEER, **change) == "peer_invalid"
