"""Trust lists and pairings under way, in SQL."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Row, delete, select, update

from federation.pairing import Pairing
from federation.peers import Peer, PeerState
from federation.storage.database import Database, insert_absent, micros
from federation.storage.tables import pairing as pairing_table
from federation.storage.tables import peer as peer_table

_MICROS = 1_000_000  # in a second


def _list(values: frozenset[str]) -> str:
    return json.dumps(sorted(values), ensure_ascii=False)


def _peer(row: Row[Any]) -> Peer:
    return Peer(
        row.agent,
        row.did,
        row.name,
        row.since / _MICROS,
        frozenset(json.loads(row.types)),
        frozenset(json.loads(row.purposes)),
        frozenset(json.loads(row.tenants)),
        PeerState(row.state),
    )


class SqlPeerStore:
    """A ``PeerStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, agent: str, did: str) -> Peer | None:
        """One entry, or None."""
        wanted = select(peer_table).where(peer_table.c.agent == agent, peer_table.c.did == did)
        with self._database.reading() as connection:
            row = connection.execute(wanted).first()
        return _peer(row) if row else None

    def put(self, peer: Peer) -> None:
        """Add an entry or replace the one of this agent and DID."""
        key = {"agent": peer.agent, "did": peer.did}
        content = {
            "name": peer.name,
            "state": peer.state.value,
            "types": _list(peer.types),
            "purposes": _list(peer.purposes),
            "tenants": _list(peer.tenants),
            "since": micros(peer.since),
        }
        with self._database.writing() as connection:
            if not insert_absent(connection, peer_table, key | content):
                connection.execute(update(peer_table).filter_by(**key).values(content))

    def remove(self, agent: str, did: str) -> bool:
        """Remove an entry; answers whether there was one."""
        gone = delete(peer_table).where(peer_table.c.agent == agent, peer_table.c.did == did)
        with self._database.writing() as connection:
            return connection.execute(gone).rowcount == 1

    def of(self, agent: str) -> list[Peer]:
        """All entries of an agent, by name."""
        wanted = select(peer_table).where(peer_table.c.agent == agent).order_by(peer_table.c.name, peer_table.c.did)
        with self._database.reading() as connection:
            return [_peer(row) for row in connection.execute(wanted)]


def _content(pairing: Pairing) -> str:
    return json.dumps(pairing.to_json(), ensure_ascii=False, sort_keys=True)


class SqlPairingStore:
    """A ``PairingStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, pairing: Pairing) -> bool:
        """Keep a new pairing; False when this agent has one for the invitation."""
        values = {
            "agent": pairing.agent,
            "invitation": pairing.invitation,
            "role": pairing.role.value,
            "state": pairing.step.value,
            "until": micros(pairing.until),
            "content": _content(pairing),
        }
        with self._database.writing() as connection:
            return insert_absent(connection, pairing_table, values)

    def get(self, agent: str, invitation: str) -> Pairing | None:
        """A pairing, or None."""
        wanted = select(pairing_table.c.content).filter_by(agent=agent, invitation=invitation)
        with self._database.reading() as connection:
            found = connection.execute(wanted).scalar_one_or_none()
        return Pairing.from_json(json.loads(found)) if found else None

    def change(self, old: Pairing, new: Pairing) -> bool:
        """Replace ``old`` by ``new`` if it is still as it was, among all processes."""
        statement = (
            update(pairing_table)
            .filter_by(agent=old.agent, invitation=old.invitation, content=_content(old))
            .values(state=new.step.value, content=_content(new))
        )
        with self._database.writing() as connection:
            return connection.execute(statement).rowcount == 1

    def of(self, agent: str) -> list[Pairing]:
        """All of an agent, oldest end first."""
        wanted = select(pairing_table.c.content).filter_by(agent=agent).order_by(pairing_table.c.until)
        with self._database.reading() as connection:
            return [Pairing.from_json(json.loads(text)) for text in connection.execute(wanted).scalars()]

    def remove(self, agent: str, invitation: str) -> None:
        """Forget a pairing, if it is there."""
        with self._database.writing() as connection:
            connection.execute(delete(pairing_table).filter_by(agent=agent, invitation=invitation))
