"""A Weaviate of a test's own: one that is killed and started again, and one that is reached over TLS."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import SecretStr

from mcp_memory_server.bootstrap import weaviate_part
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.keys.master_key import LocalMasterKey
from mcp_memory_server.keys.user_keys import FolderUserKeys
from mcp_memory_server.memory.ports import Tenancy, TextDocument
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.settings import WeaviateSettings
from mcp_memory_server.storage.verify import verify
from tests import services
from tests.fakes import noon
from tests.integration.support import application, principal

ANN = Tenancy("ann")
_SCRIPTS = Path(__file__).parents[2] / "scripts"
_SECONDS = 60.0  # in which a server is healthy, on a busy machine

pytestmark = pytest.mark.slow


class Own:
    """A server that a test may kill."""

    def __init__(self, kind: Any, folder: Path, **more: str) -> None:
        self._kind = kind
        self.state: dict[str, Any] = kind.start(folder, **more)
        self._wait()

    def kill(self) -> None:
        os.kill(self.state["pid"], signal.SIGKILL)
        self._kind.stop(self.state)  # waits for its end

    def again(self) -> None:
        self.state = self._kind.launch(self.state)
        self._wait()

    def stop(self) -> None:
        self._kind.stop(self.state)

    def settings(self) -> WeaviateSettings:
        env = self._kind.environment(self.state)
        url, grpc, key = (env[f"MEMORY_TEST_WEAVIATE_{name}"] for name in ("URL", "GRPC", "KEY"))
        return WeaviateSettings(url=url, grpc=grpc, api_key=SecretStr(key))

    def _wait(self) -> None:
        assert eventually(lambda: self._kind.healthy(self.state), _SECONDS)


def eventually(holds_true: Callable[[], object], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@contextmanager
def running(folder: Path, **more: str) -> Iterator[Own]:
    services.variable("MEMORY_TEST_WEAVIATE_URL")  # where none can run, this is skipped
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(_SCRIPTS))
        kind = importlib.import_module("servers.weaviate").Weaviate()
    made = Own(kind, folder, **more)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Own]:
    with running(tmp_path / "server") as made:
        yield made


def signed(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for this machine that nobody else signed, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = builder.add_extension(here, critical=False).sign(key, hashes.SHA256())
    certificate, secret = folder / f"{name}.pem", folder / f"{name}.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return certificate, secret


def test_a_killed_server_comes_back_with_all_it_acknowledged_and_gets_the_rest(
    own: Own, database: services.Database, tmp_path: Path
) -> None:
    clock = noon()
    store: dict[str, Any] = {"vectors": "weaviate", "text": "weaviate", "weaviate": own.settings()}
    app = application(database.url, tmp_path / "keys", tmp_path / "data", clock, **store)
    try:
        for number in range(20):
            app.service.remember(principal(), RememberRequest(said=f"I keep {number + 2} parrots in house {number}."))
            app.projector.drain()
        own.kill()
        for number in range(5):
            app.service.remember(principal(), RememberRequest(said=f"我在{number + 1}号房子里养猫。"))
        app.projector.drain()
        with app.backend.store.system() as system:
            assert {"text", "vectors"} <= set(system.backlog())
        own.again()
        assert eventually(lambda: app.backend.text_index.digests(principal().tenancy))
        before = [row for row in verify(app.backend, app.embedder) if not row.clean]
        assert before == [], "nothing that was acknowledged is missing; what waits is late"
        clock.advance(timedelta(hours=2))
        app.projector.drain()
        assert [row for row in verify(app.backend, app.embedder) if not row.clean or row.waiting] == []
        found = app.service.recall(principal(), RecallRequest("我在3号房子里养什么？"))
        assert found["degraded"] == []
        assert any("3号房子" in one["statement"] for one in found["memories"])
    finally:
        app.close()


def test_the_connection_is_encrypted_and_only_the_right_certificate_is_taken(tmp_path: Path) -> None:
    certificate, secret = signed(tmp_path, "server")
    other, _ = signed(tmp_path, "other")
    keys = FolderUserKeys(tmp_path / "keys", LocalMasterKey(bytes(32)))
    keys.make("ann")
    with running(tmp_path / "server", certificate=str(certificate), secret=str(secret)) as own:
        where = own.settings()
        assert where.url.startswith("https://")
        for ca in (other, None):
            part = weaviate_part(where.model_copy(update={"ca": ca}), keys)
            with pytest.raises(UnavailableError):
                part.text.search(ANN, ["tea"], 5)
            part.server.close()
        part = weaviate_part(where.model_copy(update={"ca": certificate}), keys)
        assert eventually(lambda: answers(part.server.about))
        assert part.server.about().endswith(", TLS")
        part.text.upsert(ANN, [TextDocument("m_1", ("tea",), "digest")])
        assert [hit.memory_id for hit in part.text.search(ANN, ["tea"], 5)] == ["m_1"]
        part.server.close()


def answers(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except UnavailableError:
        return False
    return True
