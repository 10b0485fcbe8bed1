"""The circuit breaker: when it opens, who may try, when it closes, and that its threads do not wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from mcp_memory_server.errors import InvalidArgumentError, UnavailableError
from mcp_memory_server.storage import breaker as b
from mcp_memory_server.storage.breaker import Breaker, Circuit


class Bench:
    """A breaker with a clock that stands still, and a back end that does what it is told."""

    def __init__(self) -> None:
        self.time = 100.0
        self.calls = 0
        self.breaker = Breaker("graph", lambda: self.time, lambda: 0.5)  # 0.5: no jitter

    def call(self, *, takes: float = 0.0, fails: bool = False, waits: bool = False) -> None:
        with self.breaker.calling(waits=waits):
            self.calls += 1
            self.time += takes
            if fails:
                raise UnavailableError("away")

    def fail(self, times: int = 1, **given: float) -> None:
        for _ in range(times):
            with suppress(UnavailableError):
                self.call(fails=True, **given)  # type: ignore[arg-type]

    @property
    def circuit(self) -> Circuit:
        return self.breaker.view().circuit

    def is_refused(self, *, waits: bool = False) -> bool:
        before = self.calls
        with suppress(UnavailableError):
            self.call(waits=waits)
        return self.calls == before


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_it_opens_after_failures_in_a_row_only(bench: Bench) -> None:
    bench.fail(b.FAILURES - 1)
    bench.call()
    bench.fail(b.FAILURES - 1)
    assert bench.circuit is Circuit.CLOSED
    bench.fail()
    assert bench.circuit is Circuit.OPEN
    assert bench.is_refused()
    assert bench.breaker.refuses()
    assert bench.breaker.view().retry_in == b.FIRST_PAUSE_SECONDS


def test_one_failure_that_took_long_is_enough(bench: Bench) -> None:
    bench.fail(takes=b.SLOW_SECONDS)
    assert bench.circuit is Circuit.OPEN


def test_slow_answers_open_it_too(bench: Bench) -> None:
    bench.call(takes=b.SLOW_SECONDS)
    bench.call()
    for _ in range(b.SLOW_CALLS):
        assert bench.circuit is Circuit.CLOSED
        bench.call(takes=b.SLOW_SECONDS)
    assert bench.circuit is Circuit.OPEN


def test_an_error_that_is_an_answer_does_not_count(bench: Bench) -> None:
    bench.fail(b.FAILURES - 1)
    with pytest.raises(InvalidArgumentError), bench.breaker.calling(waits=True):
        raise InvalidArgumentError("no such thing")
    bench.fail(b.FAILURES - 1)
    assert bench.circuit is Circuit.CLOSED


def test_background_work_tries_first_and_one_success_closes_it(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    bench.time += b.FIRST_PAUSE_SECONDS
    assert bench.circuit is Circuit.HALF_OPEN
    assert bench.is_refused(waits=True), "a person does not pay for the trial"
    assert not bench.is_refused()
    assert bench.circuit is Circuit.CLOSED
    assert not bench.is_refused(waits=True)


def test_where_no_background_work_tries_a_call_of_a_person_does(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    bench.time += b.FIRST_PAUSE_SECONDS + b.GRACE_SECONDS
    assert not bench.is_refused(waits=True)
    assert bench.circuit is Circuit.CLOSED


def test_failed_trials_make_the_pause_longer_up_to_a_bound(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    pauses = []
    for _ in range(8):
        bench.time += bench.breaker.view().retry_in
        bench.fail()
        pauses.append(bench.breaker.view().retry_in)
    assert pauses == [4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0]
    assert bench.breaker.view().opened == 1, "it was open all the time"
    bench.time += 60
    bench.call(takes=b.SLOW_SECONDS)
    assert bench.circuit is Circuit.OPEN, "an answer that is slow is no reason to go back to it"
    bench.time += 60
    bench.call()
    bench.fail(b.FAILURES)
    assert (bench.breaker.view().retry_in, bench.breaker.view().opened) == (b.FIRST_PAUSE_SECONDS, 2)


@pytest.mark.parametrize(("chance", "pause"), [(0.0, 1.6), (1.0, 2.4)])
def test_pauses_are_spread(chance: float, pause: float) -> None:
    bench = Bench()
    bench.breaker = Breaker("graph", lambda: bench.time, lambda: chance)
    bench.fail(b.FAILURES)
    assert bench.breaker.view().retry_in == pytest.approx(pause)


def test_only_one_call_is_the_trial_and_nobody_waits_for_it(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    bench.time += b.FIRST_PAUSE_SECONDS
    entered, leave = threading.Event(), threading.Event()

    def trial() -> None:
        with bench.breaker.calling(waits=False):
            entered.set()
            assert leave.wait(10)

    thread = threading.Thread(target=trial)
    thread.start()
    assert entered.wait(10)
    assert bench.is_refused()
    assert bench.breaker.refuses()
    leave.set()
    thread.join(10)
    assert bench.circuit is Circuit.CLOSED


def test_a_trial_that_never_ends_does_not_close_the_door_for_good(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    bench.time += b.FIRST_PAUSE_SECONDS
    with bench.breaker.calling(waits=False):
        bench.time += b.TRIAL_SECONDS - 1
        assert bench.is_refused()
        bench.time += 1
        assert not bench.is_refused()


def test_a_call_that_was_interrupted_says_nothing(bench: Bench) -> None:
    bench.fail(b.FAILURES)
    bench.time += b.FIRST_PAUSE_SECONDS
    with pytest.raises(KeyboardInterrupt), bench.breaker.calling(waits=False):
        raise KeyboardInterrupt
    assert bench.circuit is Circuit.HALF_OPEN
    assert not bench.is_refused()


def test_calls_that_began_before_it_opened_do_not_lengthen_the_pause(bench: Bench) -> None:
    leaves: list[Callable[[], None]] = []
    for _ in range(5):
        manager = bench.breaker.calling(waits=True)
        manager.__enter__()
        leaves.append(lambda manager=manager: manager.__exit__(UnavailableError, UnavailableError("away"), None))
    for leave in leaves:
        with suppress(UnavailableError):
            leave()
    assert bench.breaker.view().retry_in == b.FIRST_PAUSE_SECONDS


def test_many_threads_leave_it_in_a_state_that_works(bench: Bench) -> None:
    def work(number: int) -> None:
        for step in range(200):
            with suppress(UnavailableError):
                bench.call(fails=(step + number) % 3 == 0)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    bench.time += b.LONGEST_PAUSE_SECONDS * 2
    bench.call()
    assert bench.circuit is Circuit.CLOSED
