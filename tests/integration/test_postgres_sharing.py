"""Several processes on one ledger: nothing is lost, done twice, or left half done."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mcp_memory_server.bootstrap import Application
from mcp_memory_server.errors import StoreNewerError, UnavailableError
from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.ports import MemoryFilter, Tenancy
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.storage import projector
from mcp_memory_server.storage.postgres import engine
from mcp_memory_server.storage.verify import verify
from tests.integration.support import application, principal
from tests.services import Database, variable
from tests.support import memory

ANN = Tenancy("ann")
_WRITER = Path(__file__).with_name("writer.py")


def writer(database: Database, tmp_path: Path, name: str, count: int, user: str = "ann") -> subprocess.Popen[str]:
    """A process that waits for a line before it writes."""
    (tmp_path / f"data-{name}").mkdir(mode=0o700)
    arguments = [database.url, str(tmp_path / "keys"), str(tmp_path / f"data-{name}"), user, str(count)]
    command = [sys.executable, str(_WRITER), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("go\n")
    process.stdin.flush()


def spoken(app: Application) -> list[tuple[str, int]]:
    """(id, position) of every utterance of ann, as the ledger has them."""
    with app.backend.store.read(ANN) as unit:
        ids = unit.ids(MemoryFilter(kinds=(Kind.UTTERANCE,)), 10_000)
        return [(one.id, one.position) for one in unit.get(ids).values()]


def chained(database: Database) -> bool:
    """Whether the audit log of ann is one unbroken chain."""
    with psycopg.connect(database.url) as connection:
        rows = connection.execute("SELECT previous, hash FROM audit WHERE \"user\" = 'ann' ORDER BY seq").fetchall()
    return all(previous == before for (previous, _), (_, before) in zip(rows[1:], rows, strict=False))


def test_two_processes_that_start_at_once_make_one_ledger_and_lose_nothing(database: Database, tmp_path: Path) -> None:
    # Both find no tables.
    with writer(database, tmp_path, "a", 12) as one, writer(database, tmp_path, "b", 12) as two:
        go(one)
        go(two)
        acknowledged = [line.strip() for process in (one, two) for line in process.stdout or ()]
        assert [one.wait(60), two.wait(60)] == [0, 0]
    assert len(set(acknowledged)) == 24
    app = application(database.url, tmp_path / "keys", tmp_path / "data")
    found = spoken(app)
    app.close()
    assert {one for one, _ in found} == set(acknowledged)
    assert sorted(position for _, position in found) == list(range(24)), "each was given the next place"
    assert chained(database)


def test_a_process_killed_while_it_writes_leaves_whole_memories_only(database: Database, tmp_path: Path) -> None:
    with writer(database, tmp_path, "a", 10_000) as process:
        go(process)
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip() for _ in range(5)]
        process.kill()
        acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
        process.wait(60)
    app = application(database.url, tmp_path / "keys", tmp_path / "data")
    try:
        found = dict(spoken(app))
        assert set(acknowledged) <= set(found)
        assert sorted(found.values()) == list(range(len(found)))
        assert len(found) - len(acknowledged) <= 1, "at most the one that was not acknowledged any more"
        with app.backend.store.read(ANN) as unit:
            for one in found:
                assert unit.history(one), "a memory without its history would be half a memory"
        assert chained(database)
        app.service.remember(principal(), RememberRequest(said="I live in Porto."))  # no lock is left
        assert app.backend.store.check() == []
    finally:
        app.close()


def test_outbox_rows_are_taken_by_one_projector_and_others_do_not_wait(app: Application) -> None:
    store, now = app.backend.store, app.clock.now()
    with store.write(ANN) as unit:
        unit.defer([f"m_{n}" for n in range(6)], "vectors")
    until = now + timedelta(seconds=60)
    with store.system(write=True) as first:
        mine = first.take("vectors", now, 4, until)
        with store.system(write=True) as second:  # while the first transaction is open
            others = second.take("vectors", now, 4, until)
    assert [row.memory_id for row in mine] == ["m_0", "m_1", "m_2", "m_3"]
    assert [row.memory_id for row in others] == ["m_4", "m_5"]
    with store.system(write=True) as system:
        assert system.take("vectors", now, 4, until) == []
        assert len(system.take("vectors", until, 10, until)) == 6, "of a projector that died, others take over"


def test_two_projectors_share_the_work(app: Application, database: Database, tmp_path: Path) -> None:
    for n in range(30):
        app.service.remember(principal(), RememberRequest(said=f"The code of locker {n} is {n + 7000}."))
    twin = application(database.url, tmp_path / "keys", tmp_path / "data")
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda one: one.projector.drain(), (app, twin)))
    twin.close()
    with app.backend.store.system() as system:
        assert system.backlog() == {}
    assert sum(done) > 0
    drift = verify(app.backend, app.embedder)
    assert [row for row in drift if not row.clean] == []


def test_a_change_while_a_projector_works_is_projected_again(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    put_by_another = threading.Event()
    with app.backend.store.write(ANN) as unit:
        unit.add(memory("m_1", "Emil likes tea"))
        unit.defer(["m_1"], "text")
    real = projector.text_document

    def slowly(found: object) -> object:
        document = real(found)  # type: ignore[arg-type]
        if not put_by_another.is_set():
            put_by_another.set()
            with app.backend.store.write(ANN) as unit:
                unit.update(memory("m_1", "Emil likes coffee"))
        return document

    monkeypatch.setattr(projector, "text_document", slowly)
    app.projector.drain()
    assert [hit.memory_id for hit in app.backend.text_index.search(ANN, ["coffe", "coffee"], 5)] == ["m_1"]
    assert app.backend.text_index.search(ANN, ["tea"], 5) == ()


def test_one_maintenance_run_at_a_time_on_all_machines(app: Application, database: Database, tmp_path: Path) -> None:
    other = application(database.url, tmp_path / "keys", tmp_path / "elsewhere")
    with app.backend.store.alone("maintain") as mine, other.backend.store.alone("maintain") as also:
        assert (mine, also) == (True, False)
    with other.backend.store.alone("maintain") as then:
        assert then
    other.close()


def test_writers_of_different_users_do_not_wait_for_each_other(app: Application) -> None:
    with app.backend.store.write(ANN) as unit:
        unit.add(memory("m_1"))
        began = time.monotonic()
        with app.backend.store.write(Tenancy("ben")) as other:
            other.add(memory("m_2", user="ben"))
        assert time.monotonic() - began < engine.BUSY_SECONDS / 2


def test_a_writer_that_waits_too_long_is_told_so(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.3)
    app = application(database.url, tmp_path / "keys", tmp_path / "data")
    with app.backend.store.write(ANN) as unit:
        unit.add(memory("m_1"))
        with pytest.raises(UnavailableError, match="busy"), app.backend.store.write(ANN):
            pass
    with app.backend.store.read(ANN) as unit:
        assert set(unit.get(["m_1"])) == {"m_1"}
    app.close()


def test_a_server_that_cuts_all_connections_costs_one_call(app: Application, database: Database) -> None:
    store = app.backend.store
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database.url.rpartition('/')[2]}'"

    def terminate() -> None:
        with psycopg.connect(database.url.rpartition("/")[0] + "/postgres", autocommit=True) as connection:
            connection.execute(cut.encode())

    with store.write(ANN) as unit:
        unit.add(memory("m_1"))
    with pytest.raises(UnavailableError) as failed, store.write(ANN) as unit:
        unit.add(memory("m_2"))
        terminate()
        unit.add(memory("m_3"))
    shown = str(failed.value)
    assert "127.0.0.1" not in shown
    assert "statement of" not in shown
    terminate()
    with store.read(ANN) as unit:
        assert set(unit.get(["m_1", "m_2", "m_3"])) == {"m_1"}


def test_a_newer_ledger_is_refused_by_a_process_that_is_already_open(app: Application, database: Database) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreNewerError), app.backend.store.write(ANN) as unit:
        unit.add(memory("m_1"))
    with pytest.raises(StoreNewerError), app.backend.store.read(ANN):
        pass


def another_authority() -> bytes:
    """A certificate of somebody whom the server has nothing to do with."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "another authority")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(datetime(2020, 1, 1, tzinfo=UTC)).not_valid_after(
        datetime(2120, 1, 1, tzinfo=UTC)
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def test_the_connection_is_encrypted_and_only_the_right_certificate_is_taken(
    database: Database, tmp_path: Path
) -> None:
    verified = f"{database.url}?sslmode=verify-full&sslrootcert="
    app = application(verified + variable("MEMORY_TEST_POSTGRES_CA"), tmp_path / "keys", tmp_path / "data")
    assert app.backend.store.about()["engine"].endswith(", TLS")
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "keys", tmp_path / "data")} == {0o700}
    app.close()
    (tmp_path / "other.pem").write_bytes(another_authority())
    with pytest.raises(UnavailableError):
        application(verified + str(tmp_path / "other.pem"), tmp_path / "keys", tmp_path / "data")


def test_a_wrong_password_tells_neither_password_nor_address(database: Database, tmp_path: Path) -> None:
    head, _, tail = database.url.partition("@")
    with pytest.raises(UnavailableError) as refused:
        application(f"{head}wrong@{tail}", tmp_path / "keys", tmp_path / "data")
    assert "wrong" not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)
