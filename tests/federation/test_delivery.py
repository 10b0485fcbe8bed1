"""Outbox and courier: at least once, back-off, order for each credential; whatever the network does."""

from __future__ import annotations

import json
import multiprocessing
import secrets
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from federation.errors import FetchError, MessageError, StoreError
from federation.fetch import Fetched
from federation.http_signatures import TAG
from federation.limits import DELIVERY_DAYS, LEASE_SECONDS, LONGEST_RETRY_SECONDS
from federation.messaging.courier import Courier, Outbox
from federation.messaging.envelope import Kind, parse
from federation.messaging.loop import CourierLoop
from federation.messaging.ports import Outcome, State
from federation.storage import tables
from federation.storage.database import Database
from federation.storage.messages import SqlInboxStore, SqlOutboxStore
from tests.federation.competing import accept_all, claim_all
from tests.federation.conftest import Clock
from tests.federation.world import identity_for

PEER = "did:web:insurance.example:agents:insurance"
IDENTITY = identity_for("wealth.example", "wealth")
OWN = IDENTITY.did("wealth")


class Line:
    """Brings messages as a test says: a status, an error, or a list of them, one for each try."""

    def __init__(self, *answers: int | Exception, retry_after: str = "") -> None:
        self.answers = list(answers)
        self.headers = {"retry-after": retry_after} if retry_after else {}
        self.brought: list[Any] = []

    async def __call__(self, agent: str, peer: str, data: bytes, *, tag: str = TAG) -> Fetched:
        assert (agent, peer, tag) == ("wealth", PEER, TAG)
        self.brought.append(parse(data))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Fetched("", answer, "application/json", b"{}", self.headers)


@pytest.fixture
def store(database: Database) -> SqlOutboxStore:
    return SqlOutboxStore(database)


@pytest.fixture
def outbox(store: SqlOutboxStore, clock: Clock) -> Outbox:
    return Outbox(store, IDENTITY, now=clock, rng=secrets.token_bytes)


def update(outbox: Outbox, credential: str = "c1", text: str = "a~") -> Any:
    return outbox.put("wealth", PEER, Kind.UPDATE, {"presentation": text}, credential=credential)


# --- order and numbers ----------------------------------------------------------------------------------------
async def test_of_one_credential_one_after_another(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    first, second = update(outbox), update(outbox)
    other = update(outbox, "c2")
    assert [one.sequence for one in (first, second, other)] == [1, 2, 1]
    line = Line(200)
    courier = Courier(store, line, now=clock)
    assert await courier.run_once() == 2
    assert {one.id for one in line.brought} == {first.id, other.id}
    assert await courier.run_once() == 1
    assert line.brought[-1].id == second.id
    assert await courier.run_once() == 0
    assert store.counts() == {}


async def test_what_is_about_no_credential_waits_for_nothing(
    outbox: Outbox, store: SqlOutboxStore, clock: Clock
) -> None:
    for _ in range(3):
        outbox.put("wealth", PEER, Kind.RECEIPT, {"of": "m" * 24, "outcome": "stored"})
    assert await Courier(store, Line(200), now=clock).run_once() == 3


async def test_a_later_message_waits_for_one_that_failed(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    first, second = update(outbox), update(outbox)
    line = Line(FetchError("fetch_failed"), 200)
    courier = Courier(store, line, now=clock)
    assert await courier.run_once() == 0
    assert await courier.run_once() == 0  # not due yet, and the second may not overtake it
    clock.at += 1
    assert await courier.run_once() == 1
    assert await courier.run_once() == 1
    assert [one.id for one in line.brought] == [first.id, first.id, second.id]


def test_what_would_be_refused_is_not_written_down(outbox: Outbox, store: SqlOutboxStore) -> None:
    with pytest.raises(MessageError, match="message_malformed"):
        outbox.put("wealth", PEER, Kind.UPDATE, {"presentation": "t"})
    with pytest.raises(MessageError, match="agent_unknown"):
        outbox.put("other", PEER, Kind.UPDATE, {"presentation": "t"}, credential="c")
    with pytest.raises(MessageError, match="message_malformed"):
        outbox.put("wealth", PEER, Kind.REQUEST, {"purpose": "x"})
    assert store.counts() == {}
    assert update(outbox).sequence == 1  # a number that was not used is not lost


# --- back-off and endings ---------------------------------------------------------------------------------------
async def test_tries_become_rarer(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    update(outbox)
    line = Line(503)
    courier = Courier(store, line, now=clock)
    await courier.run_once()
    for tries, wait in enumerate((1, 2, 4, 8, 16, 32, 64, 128, 256, LONGEST_RETRY_SECONDS, LONGEST_RETRY_SECONDS), 1):
        clock.at += wait - 0.1
        await courier.run_once()
        assert len(line.brought) == tries
        clock.at += 0.1
        await courier.run_once()
        assert len(line.brought) == tries + 1


async def test_a_receiver_may_ask_for_time(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    update(outbox)
    line = Line(503, 200, retry_after="20")
    courier = Courier(store, line, now=clock)
    await courier.run_once()
    clock.at += 19
    assert await courier.run_once() == 0
    clock.at += 1
    assert await courier.run_once() == 1


@pytest.mark.parametrize("status", [400, 413, 415, 422])
async def test_a_message_that_is_wrong_blocks_nothing(
    outbox: Outbox, store: SqlOutboxStore, clock: Clock, status: int
) -> None:
    update(outbox)
    second = update(outbox)
    line = Line(status, 200)
    courier = Courier(store, line, now=clock)
    assert await courier.run_once() == 0
    assert store.counts() == {State.REFUSED: 1, State.WAITING: 1}
    assert await courier.run_once() == 1
    assert line.brought[-1].id == second.id


@pytest.mark.parametrize("status", [301, 401, 403, 404, 409, 429, 500, 502, 503])
async def test_refusals_that_may_end_are_tried_again(
    outbox: Outbox, store: SqlOutboxStore, clock: Clock, status: int
) -> None:
    """A clock that is set right, a pairing that is finished, a server that comes back: nothing is lost."""
    update(outbox)
    courier = Courier(store, Line(status, 200), now=clock)
    assert await courier.run_once() == 0
    clock.at += LONGEST_RETRY_SECONDS
    assert await courier.run_once() == 1


async def test_after_a_month_a_message_is_given_up(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    update(outbox)
    courier = Courier(store, Line(FetchError("fetch_failed")), now=clock)
    await courier.run_once()
    clock.at += DELIVERY_DAYS * 86_400
    await courier.run_once()
    assert store.counts() == {State.GIVEN_UP: 1}


async def test_a_courier_that_died_on_the_way_is_replaced(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    update(outbox)
    (row,) = store.claim(10, now=clock(), until=clock() + LEASE_SECONDS)  # and then nothing more is heard of it
    assert row.attempts == 1
    line = Line(200)
    courier = Courier(store, line, now=clock)
    assert await courier.run_once() == 0
    clock.at += LEASE_SECONDS
    assert await courier.run_once() == 1


async def test_what_is_withdrawn_is_not_sent_any_more(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    """Not even in order: the receiver would know it for a moment."""
    update(outbox)
    line = Line(FetchError("fetch_failed"), 200)
    courier = Courier(store, line, now=clock)
    await courier.run_once()
    update(outbox, text="changed~")
    other = update(outbox, "c2")
    end = outbox.put("wealth", PEER, Kind.REVOCATION, {"reason": "withdrawn"}, credential="c1")
    clock.at += 5
    while await courier.run_once():
        pass
    assert {one.id for one in line.brought[1:]} == {other.id, end.id}
    assert end.sequence == 3


# --- several processes ------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_message_is_given_to_one_process(place: Path | str, clock: Clock) -> None:
    database = Database(place)
    outbox = Outbox(SqlOutboxStore(database), IDENTITY, now=clock, rng=secrets.token_bytes)
    wanted = {update(outbox, f"c{number}").id for number in range(30)}
    database.close()
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(3), context.Queue()
    processes = [context.Process(target=claim_all, args=(place, clock(), gate, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    claimed = [one for _ in processes for one in answers.get(timeout=60)]
    for process in processes:
        process.join()
    assert len(claimed) == 30
    assert set(claimed) == wanted


def message(number: int, credential: str) -> bytes:
    value = {"id": f"{number:024d}", "type": "update", "from": OWN, "to": PEER, "body": {"presentation": "t"}}
    return json.dumps(value | {"credential": credential, "sequence": number}).encode()


@pytest.mark.slow
def test_a_receiver_that_is_killed_takes_each_message_once(place: Path | str) -> None:
    """`kill -9` in the midst of it, again and again; the sender repeats everything that it is not sure of."""
    messages = [message(number, f"c{number % 3}") for number in range(1, 120)]
    store = SqlInboxStore(Database(place))
    context = multiprocessing.get_context("spawn")
    for _ in range(2):
        process = context.Process(target=accept_all, args=(place, messages))
        process.start()
        before = len(store.waiting("insurance", 1_000))
        while process.is_alive() and len(store.waiting("insurance", 1_000)) < min(before + 20, len(messages)):
            time.sleep(0.01)
        process.kill()
        process.join()
    for data in messages:
        store.accept("insurance", OWN, parse(data), data, now=1.0)
    effects = [one.envelope for one in store.waiting("insurance", 1_000)]
    assert sorted(one.sequence for one in effects) == list(range(1, 120))
    for credential in ("c0", "c1", "c2"):
        numbers = [one.sequence for one in effects if one.credential == credential]
        assert numbers == sorted(numbers)
    store._database.close()


async def test_the_loop_brings_what_is_written_meanwhile(outbox: Outbox, store: SqlOutboxStore, clock: Clock) -> None:
    line, received = Line(200), SqlInboxStore(store._database)
    loop = CourierLoop(Courier(store, line, now=clock), received, now=clock, seconds=0.01)
    async with anyio.create_task_group() as group:
        group.start_soon(loop.run)
        await anyio.sleep(0.05)
        written = [update(outbox), update(outbox)]
        with anyio.fail_after(10):
            while store.counts():  # noqa: ASYNC110 - the store tells nobody
                await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert [one.id for one in line.brought] == [one.id for one in written]


async def test_the_loop_outlives_a_store_that_is_down(clock: Clock, database: Database) -> None:
    class Down(Courier):
        looks = 0

        async def run_once(self) -> int:
            self.looks += 1
            raise StoreError("store_unavailable")

    store = SqlOutboxStore(database)
    down = Down(store, Line(200), now=clock)
    with anyio.move_on_after(0.3):
        await CourierLoop(down, SqlInboxStore(database), now=clock, seconds=0.01).run()
    assert down.looks > 1


async def test_the_loop_forgets_old_ids_and_no_young_ones(clock: Clock, database: Database) -> None:
    received = SqlInboxStore(database)
    for number, at in ((1, clock() - (DELIVERY_DAYS + 2) * 86_400), (2, clock() - DELIVERY_DAYS * 86_400)):
        data = message(number, f"c{number}")
        received.accept("insurance", OWN, parse(data), data, now=at)
    for one in received.waiting("insurance", 10):
        received.taken(one.seq)
    with anyio.move_on_after(0.3):
        await CourierLoop(Courier(SqlOutboxStore(database), Line(200), now=clock), received, now=clock).run()
    with database.reading() as connection:
        kept = connection.execute(select(tables.inbox.c.message)).scalars().all()
    assert kept == [f"{2:024d}"]


# --- whatever the network does ------------------------------------------------------------------------------------
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(["c1", "c2", "c3"]), st.sampled_from([Kind.UPDATE, Kind.REVOCATION])),
    st.tuples(st.just("bring"), st.sampled_from(["good", "request lost", "answer lost", "twice", "crash"])),
    st.tuples(st.just("again"), st.integers(0, 50)),  # a copy from long ago comes a second time
    st.tuples(st.just("wait"), st.sampled_from([1, 5, 100])),
    st.tuples(st.just("take"), st.integers(1, 3)),  # the receiving agent works some of its inbox off, or dies at it
)


class Crash(Exception):
    """The courier's process died here."""


class Network:
    """Two gateways' stores and what lies between them."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.databases = [Database(folder / "a.db"), Database(folder / "b.db")]
        self.waiting, self.received = SqlOutboxStore(self.databases[0]), SqlInboxStore(self.databases[1])
        self.outbox = Outbox(self.waiting, IDENTITY, now=self.clock, rng=secrets.token_bytes)
        self.courier = Courier(self.waiting, self.post, now=self.clock)
        self.mode = "good"
        self.copies: list[bytes] = []
        self.written: list[Any] = []
        self.effects: list[Any] = []
        self.sent_before: dict[str, set[str]] = {}  # by the id of a withdrawal: what had left when it was written

    def close(self) -> None:
        for database in self.databases:
            database.close()

    @property
    def sent(self) -> set[str]:
        return {parse(data).id for data in self.copies}

    def arrive(self, data: bytes) -> Outcome:
        return self.received.accept("insurance", OWN, parse(data), data, now=self.clock())

    async def post(self, agent: str, peer: str, data: bytes, *, tag: str = TAG) -> Fetched:
        self.copies.append(data)
        if self.mode == "request lost":
            raise FetchError("fetch_failed")
        if self.mode == "crash":
            self.arrive(data)
            raise Crash
        outcome = self.arrive(data)
        if self.mode == "twice":
            assert self.arrive(data) is Outcome.DUPLICATE
        if self.mode == "answer lost":
            raise FetchError("fetch_timeout")
        return Fetched("", 200, "application/json", json.dumps({"outcome": outcome.value}).encode(), {})

    async def bring(self, mode: str) -> None:
        self.mode = mode
        try:
            await self.courier.run_once()
        except* Crash:
            pass
        self.mode = "good"

    def take(self, count: int) -> None:
        for one in self.received.waiting("insurance", count):
            self.effects.append(one.envelope)
            self.received.taken(one.seq)

    async def play(self, step: tuple[Any, ...]) -> None:
        match step:
            case ("write", credential, kind):
                body = {"reason": "withdrawn"} if kind is Kind.REVOCATION else {"presentation": f"t{len(self.written)}"}
                self.written.append(self.outbox.put("wealth", PEER, kind, body, credential=credential))
                if kind is Kind.REVOCATION:
                    self.sent_before[self.written[-1].id] = self.sent
            case ("bring", mode):
                await self.bring(mode)
            case ("again", index) if self.copies:
                self.arrive(self.copies[index % len(self.copies)])
            case ("wait", seconds):
                self.clock.at += seconds
            case ("take", count):
                self.take(count)

    async def settle(self) -> None:
        """The network is well again."""
        while self.waiting.counts().get(State.WAITING):
            self.clock.at += LONGEST_RETRY_SECONDS
            await self.bring("good")
        self.take(10_000)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=30))
def test_nothing_is_lost_or_done_twice(steps: list[tuple[Any, ...]]) -> None:
    """Random schedules of writing, losing, repeating, reordering and crashing (issue bar 4, for messages)."""

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            network = Network(Path(folder))
            try:
                for step in steps:
                    await network.play(step)
                await network.settle()
                _check(network)
            finally:
                network.close()

    anyio.run(run)


def _check(network: Network) -> None:
    ids = [one.id for one in network.effects]
    assert len(ids) == len(set(ids)), "a message had two effects"
    for credential in ("c1", "c2", "c3"):
        written = [one for one in network.written if one.credential == credential]
        effects = [one for one in network.effects if one.credential == credential]
        numbers = [one.sequence for one in effects]
        assert numbers == sorted(set(numbers)), "an older message had an effect after a newer one"
        ends = [index for index, one in enumerate(written) if one.kind is Kind.REVOCATION]
        if not ends:
            assert [one.id for one in effects] == [one.id for one in written], "a message was lost"
            continue
        assert effects, "a withdrawal was lost"
        assert effects[-1].kind is Kind.REVOCATION, "something came after a withdrawal"
        assert all(one.kind is Kind.UPDATE for one in effects[:-1])
        # Whatever was already on its way may arrive; nothing goes out for the first time after it was withdrawn.
        for end in ends:
            sent = network.sent_before[written[end].id]
            assert {one.id for one in written[:end]} & network.sent <= sent, "sent after its withdrawal was written"


@pytest.fixture
def received(database: Database) -> SqlInboxStore:
    return SqlInboxStore(database)


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(range(1, 7)), revoked=st.integers(1, 6))
def test_in_any_order_the_newest_wins(order: list[int], revoked: int) -> None:
    """A receiver that is sent everything out of order ends where it would have ended in order."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "b.db")
        store, last = SqlInboxStore(database), 0
        for number in order:
            kind = Kind.REVOCATION if number == revoked else Kind.UPDATE
            body = {"reason": "withdrawn"} if kind is Kind.REVOCATION else {"presentation": "t"}
            value = {"id": f"{number:024d}", "type": kind.value, "from": OWN, "to": PEER, "body": body}
            data = json.dumps(value | {"credential": "c", "sequence": number}).encode()
            outcome = store.accept("insurance", OWN, parse(data), data, now=1.0)
            assert (outcome is Outcome.ACCEPTED) == (number > last and last != revoked)
            if outcome is Outcome.ACCEPTED:
                last = number
        effects = [one.envelope.sequence for one in store.waiting("insurance", 10)]
        database.close()
    assert effects[-1] == last
    assert effects == sorted(effects)


async def test_one_of_two_arrivals_at_the_same_time_has_the_effect(received: SqlInboxStore) -> None:
    """On both stores: the same message and its neighbours, from many threads."""
    messages = []
    for number in (1, 2, 3, 3, 2, 1, 3, 2):
        value = {"id": f"{number:024d}", "type": "update", "from": OWN, "to": PEER, "body": {"presentation": "t"}}
        messages.append(json.dumps(value | {"credential": "c", "sequence": number}).encode())
    outcomes: list[Outcome] = []

    def arrive(data: bytes) -> None:
        outcomes.append(received.accept("insurance", OWN, parse(data), data, now=1.0))

    async with anyio.create_task_group() as group:
        for data in messages:
            group.start_soon(anyio.to_thread.run_sync, arrive, data)
    effects = [one.envelope.sequence for one in received.waiting("insurance", 10)]
    assert effects == sorted(set(effects))
    assert effects[-1] == 3
    assert outcomes.count(Outcome.ACCEPTED) == len(effects)
