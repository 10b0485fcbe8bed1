from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.maintenance import loop
from mcp_memory_server.maintenance.run import maintain
from mcp_memory_server.memory.service import RememberRequest
from mcp_memory_server.settings import Settings
from tests.fakes import HashEmbedder, noon

ANN = Principal("ann", "test")


def application(folder: Path, embedder: Any) -> Application:
    settings = Settings(data_dir=folder, language="en", time_zone="UTC")
    return build(settings, Overrides(clock=noon(), embedder=embedder))


def test_what_waits_is_embedded_and_old_models_go(tmp_path: Path) -> None:
    old = application(tmp_path, HashEmbedder("fake-a"))
    old.service.remember(ANN, RememberRequest(said="I live in Berlin."))
    assert maintain(old).waiting == 0
    old.close()
    new = application(tmp_path, HashEmbedder("fake-b"))
    first = maintain(new)
    assert (first.embedded, first.retired_models) == (2, ("fake-a",))
    second = maintain(new)
    assert (second.embedded, second.retired_models, second.waiting) == (0, (), 0)
    new.close()


def test_a_model_that_does_not_load_leaves_its_work(tmp_path: Path) -> None:
    class Missing(HashEmbedder):
        def ready(self) -> bool:
            return False

        def load(self) -> None:
            raise UnavailableError("not there")

    app = application(tmp_path, Missing())
    app.service.remember(ANN, RememberRequest(said="I live in Berlin."))
    report = maintain(app)
    assert (report.embedded, report.waiting) == (0, 2)
    app.close()


def test_a_forgetting_cut_short_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp_memory_server.storage.sqlite.store import SqliteStore

    app = application(tmp_path, None)
    answer = app.service.remember(ANN, RememberRequest(said="I am allergic to peanuts."))
    monkeypatch.setattr(SqliteStore, "scrub", lambda _self: False)
    app.service.forget(ANN, (answer["utterance"],))
    report = maintain(app)
    assert report.pending
    assert not report.log_emptied
    monkeypatch.undo()
    assert maintain(app).pending == ()
    app.close()
    assert all(b"peanuts" not in path.read_bytes() for path in tmp_path.iterdir())


def test_one_run_at_a_time(tmp_path: Path) -> None:
    app = application(tmp_path, None)
    with app.backend.store.alone("maintain") as free:
        assert free
        with app.backend.store.alone("maintain") as also:
            assert not also
        assert maintain(app).elsewhere
    assert not maintain(app).elsewhere
    app.close()


def test_the_loop_goes_on_after_a_failure_and_ends_when_told() -> None:
    stop, runs = threading.Event(), []

    def step() -> None:
        runs.append(1)
        if len(runs) == 3:
            stop.set()
        raise UnavailableError("away")

    loop.repeat(step, 0.001, stop)
    assert len(runs) == 3


def test_an_interrupt_ends_the_loop() -> None:
    def step() -> None:
        raise KeyboardInterrupt

    loop.repeat(step, 60)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_terminate_ends_the_loop_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    loop.repeat(lambda: signal.raise_signal(signal.SIGTERM), 60)
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_loop_runs_in_any_thread() -> None:
    stop = threading.Event()
    stop.set()
    thread = threading.Thread(target=loop.repeat, args=(lambda: None, 60, stop))
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
