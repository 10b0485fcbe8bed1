"""A whole gateway of tests: its store, its parts wired together, and a real HTTPS server on loopback."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from pathlib import Path

import uvicorn

from credentials.algorithms import KeyType
from federation.app import create_app
from federation.fetch import Fetcher
from federation.identity import Identity
from federation.messaging.courier import Courier, Outbox
from federation.messaging.inbox import Inbox
from federation.messaging.places import Places
from federation.messaging.sending import Sender
from federation.pairing import Pairings
from federation.pairing_client import PairingClient
from federation.peers import Peers
from federation.ports import Now
from federation.resolving import DidResolver
from federation.routes.discovery import Discovery
from federation.routes.inbox import InboxRoute
from federation.storage.database import Database
from federation.storage.messages import SqlInboxStore, SqlOutboxStore
from federation.storage.peers import SqlPairingStore, SqlPeerStore
from federation.storage.replay import SqlReplayCache
from tests.federation.servers import Authority
from tests.federation.world import RingVault, settings_for, vault_for


async def loopback(host: str, port: int) -> list[str]:
    """A name service that knows every host on this machine."""
    return ["127.0.0.1"]


class Gateway:
    """One gateway with one agent, under ``https://<agent>.example:<port>``."""

    def __init__(
        self,
        agent: str,
        authority: Authority,
        place: Path | str,
        *,
        now: Now = time.time,
        key_type: KeyType = KeyType.P256,
        places: Places | None = None,
    ) -> None:
        self.agent, self.now = agent, now
        self.host = f"{agent}.example"
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.settings = settings_for(self.host, agent, port=self.port)
        self.vault: RingVault = vault_for(agent, key_type=key_type)
        self.identity = Identity(self.settings, self.vault)
        self.did = self.identity.did(agent)
        self.database = Database(place)
        self.fetcher = Fetcher(self.settings, resolve=loopback, context=authority.trusted())
        self.resolver = DidResolver(self.identity, self.fetcher, now=now)
        self.trust = SqlPeerStore(self.database)
        self.pairings = Pairings(SqlPairingStore(self.database), self.trust, now=now, rng=secrets.token_bytes)
        self.received, self.waiting = SqlInboxStore(self.database), SqlOutboxStore(self.database)
        replay = SqlReplayCache(self.database, now)
        self.inbox = Inbox(
            self.identity, self.resolver, Peers(self.trust), self.pairings, self.received, replay, now=now,
            places=places,
        )  # fmt: skip
        self.sender = Sender(self.identity, self.resolver, self.fetcher, now=now, rng=secrets.token_bytes)
        self.outbox = Outbox(self.waiting, self.identity, now=now, rng=secrets.token_bytes)
        self.courier = Courier(self.waiting, self.sender, now=now)
        self.invited = PairingClient(
            self.identity, self.resolver, self.pairings, self.sender, rng=secrets.token_bytes
        )  # fmt: skip
        self.app = create_app([*Discovery(self.identity).routes(), *InboxRoute(self.inbox).routes()])
        self._tls = authority.files(self.host)
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        certificate, key = map(str, self._tls)
        config = uvicorn.Config(
            self.app, ssl_certfile=certificate, ssl_keyfile=key, log_level="error", lifespan="off", ws="none"
        )
        self._server = uvicorn.Server(config)
        server, listener = self._server, self.socket
        self._thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        if self._server and self._thread:
            self._server.should_exit = True
            self._thread.join()
            self._server = self._thread = None
            self.socket = socket.create_server(("127.0.0.1", self.port))  # held, so that it can start again

    def close(self) -> None:
        self.stop()
        self.socket.close()
        self.database.close()
