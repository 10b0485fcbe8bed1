"""Replay memory: one contract for the one in memory, on SQLite and on PostgreSQL. Threat rows: replay, DoS."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from credentials.ports import ReplayGuard
from federation.errors import ConfigurationError, ReplayError, StoreError
from federation.limits import REPLAY_SWEEP
from federation.ports import ReplayCache
from federation.replay import MemoryReplayCache, replay_key
from federation.storage import tables
from federation.storage.database import Database
from federation.storage.replay import SqlReplayCache
from tests.federation.competing import use_nonces
from tests.federation.conftest import PLACES, Clock


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.service)])
def cache(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[ReplayCache]:
    if request.param == "memory":
        yield MemoryReplayCache(clock)
        return
    with PLACES[request.param](tmp_path) as place:
        made = Database(place)
        yield SqlReplayCache(made, clock)
        made.close()


def test_each_pair_is_used_once(cache: ReplayCache, clock: Clock) -> None:
    until = int(clock()) + 90
    assert cache.first_use("a", "nonce", until)
    assert not cache.first_use("a", "nonce", until)
    assert not cache.first_use("a", "nonce", until + 1_000)
    assert cache.first_use("b", "nonce", until)
    assert cache.first_use("a", "other", until)


def test_pairs_do_not_run_into_each_other(cache: ReplayCache, clock: Clock) -> None:
    until = int(clock()) + 90
    pairs = [("a", "bc"), ("ab", "c"), ("", "abc"), ("abc", ""), ("1 a", "b"), ("a ", "b"), ("甲", "乙"), ("a\0b", "c")]
    assert all(cache.first_use(audience, nonce, until) for audience, nonce in pairs)


def test_what_has_expired_is_swept_and_what_has_not_stays(cache: ReplayCache, clock: Clock) -> None:
    now = int(clock())
    assert cache.first_use("a", "short", now + 10)
    assert cache.first_use("a", "long", now + 10_000)
    clock.at += 100
    for number in range(REPLAY_SWEEP + 1):
        cache.first_use("b", str(number), now + 10_000)
    assert not cache.first_use("a", "long", now + 10_000)
    assert _count(cache) == 1 + REPLAY_SWEEP + 1


def _count(cache: ReplayCache) -> int:
    if isinstance(cache, MemoryReplayCache):
        return len(cache)
    with cache._database.reading() as connection:
        return connection.execute(select(func.count()).select_from(tables.replay)).scalar_one()


def test_one_of_many_threads_wins(cache: ReplayCache, clock: Clock) -> None:
    until, gate = int(clock()) + 90, threading.Barrier(8)

    def use(_: int) -> bool:
        gate.wait()
        return cache.first_use("a", "same", until)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(use, range(8))) == 1


def test_it_serves_verifications_of_credentials_too(cache: ReplayCache) -> None:
    guard: ReplayGuard = cache
    assert guard.first_use("aud", "nonce", 2_000_000_000)


@pytest.mark.slow
def test_one_of_several_processes_wins(place: Path | str) -> None:
    """Replicas share the memory: what one has seen, no other accepts. The tables are made by whoever is first."""
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(3), context.Queue()
    processes = [context.Process(target=use_nonces, args=(place, gate, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    won = [answers.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert [sum(column) for column in zip(*won, strict=True)] == [1] * 20


def test_a_full_memory_refuses_instead_of_forgetting(clock: Clock) -> None:
    cache = MemoryReplayCache(clock, entries=3)
    until = int(clock()) + 90
    assert all(cache.first_use("a", str(number), until) for number in range(3))
    with pytest.raises(ReplayError, match="replay_full"):
        cache.first_use("a", "3", until)
    assert not cache.first_use("a", "0", until)
    clock.at += 91
    assert cache.first_use("a", "3", until + 91)


def test_keys_have_one_length() -> None:
    assert {len(replay_key("a" * count, "b" * count)) for count in (0, 1, 10_000)} == {64}


# --- the database itself ----------------------------------------------------------------------------------
def test_a_newer_database_is_refused(place: Path | str) -> None:
    first = Database(place)
    with first.writing() as connection:
        connection.execute(update(tables.version).values(number=tables.VERSION + 1))
    first.close()
    with pytest.raises(StoreError, match="store_newer"):
        Database(place)


def test_a_transaction_is_all_or_nothing(database: Database, clock: Clock) -> None:
    cache = SqlReplayCache(database, clock)
    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        connection.execute(tables.replay.insert().values(key="k", until=1))
        raise ZeroDivisionError
    assert _count(cache) == 0


def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    file = tmp_path / "private" / "gateway.db"
    Database(file).close()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["sqlite:///x.db", "nonsense", "mysql://a/b"])
def test_other_addresses_are_refused(place: str) -> None:
    with pytest.raises(ConfigurationError, match="config_invalid"):
        Database(place)


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(StoreError, match="store_unavailable"):
        Database("postgresql://nobody:secret@127.0.0.1:1/none")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "gateway.db"
    file.write_bytes(b"no database at all" * 1_000)
    with pytest.raises(StoreError, match="store_unavailable"):
        Database(file)
    assert file.read_bytes().startswith(b"no database")
