"""The daily run: when it is due, who does it, and what is left of it in the store."""

from __future__ import annotations

import io
import time as clocks
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.clock import FixedClock
from mcp_memory_server.errors import InvalidArgumentError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.interchange import native
from mcp_memory_server.maintenance.reads import Reads
from mcp_memory_server.maintenance.run import keep_up_when_due, maintain
from mcp_memory_server.maintenance.schedule import is_due, latest
from mcp_memory_server.memory.ports import WorkingVersion
from mcp_memory_server.memory.service import RecallRequest, RememberRequest
from mcp_memory_server.policy import load_policy
from mcp_memory_server.settings import Settings
from mcp_memory_server.storage.verify import rebuild, verify
from tests.fakes import NOON, HashEmbedder, noon

ANN, BEN = Principal("ann", "test"), Principal("ben", "test")
TWO = time(2)


def application(folder: Path, clock: FixedClock, **settings: object) -> Application:
    return build(
        Settings(data_dir=folder, language="en", time_zone="UTC", **settings),  # type: ignore[arg-type]
        Overrides(clock=clock, embedder=HashEmbedder()),
    )


@pytest.mark.parametrize(
    ("last", "now", "due"),
    [
        (None, "2026-05-04T01:00", True),
        ("2026-05-04T01:00", "2026-05-04T01:59", False),
        ("2026-05-04T01:59", "2026-05-04T02:00", True),
        ("2026-05-04T02:00", "2026-05-04T23:00", False),
        ("2026-05-04T23:00", "2026-05-05T02:00", True),
        ("2026-05-09T00:00", "2026-05-05T02:00", False),
    ],
)
def test_a_run_is_due_once_a_day(last: str | None, now: str, due: bool) -> None:
    zone = ZoneInfo("Asia/Shanghai")

    def local(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)

    assert is_due(local(last) if last else None, local(now), TWO, zone) is due


def test_the_time_of_day_is_that_of_the_zone() -> None:
    assert latest(NOON, TWO, ZoneInfo("Asia/Shanghai")) == NOON.replace(hour=2) - timedelta(hours=8)
    assert latest(NOON, time(13), UTC) == NOON.replace(hour=13) - timedelta(days=1)


def test_all_users_are_kept_up_and_told_of(tmp_path: Path) -> None:
    clock = noon()
    app = application(tmp_path, clock)
    for who in (ANN, BEN):
        app.service.remember(who, RememberRequest(said="I like oolong tea.", session="s"))
    clock.advance(timedelta(days=900))
    seen: list[int] = []
    report = maintain(app, looking=seen.append)
    assert (report.archived, report.sessions, seen) == (4, 2, [2, 4])
    assert maintain(app).archived == 0
    assert all(row.clean for row in verify(app.backend, app.embedder))
    assert app.service.recall(ANN, RecallRequest("oolong tea"))["memories"] == []
    restored = app.service.restore(ANN, app.service.archived(ANN))["restored"]
    assert len(restored) == 2
    assert maintain(app).embedded == 2
    assert all(row.clean and row.waiting == 0 for row in verify(app.backend, app.embedder))
    app.close()


def test_an_archive_is_exported_and_comes_back_as_an_archive(tmp_path: Path) -> None:
    clock = noon()
    app = application(tmp_path, clock)
    app.service.remember(ANN, RememberRequest(said="I like oolong tea.", session="s"))
    clock.advance(timedelta(days=900))
    maintain(app)
    file = io.BytesIO()
    assert native.export(app.backend, ANN.tenancy, file, clock.now())["memories"] == 2
    other = application(tmp_path / "other", clock)
    file.seek(0)
    report = native.load(other.backend, other.context.model, ANN.tenancy, file, clock.now())
    assert report.created == 3  # and the question about it
    other.projector.drain()
    assert all(row.clean for row in verify(other.backend, other.embedder))
    ids = other.service.archived(ANN)
    assert ids == app.service.archived(ANN)
    assert len(other.service.restore(ANN, ids)["restored"]) == 2
    assert other.service.recall(ANN, RecallRequest("oolong tea"))["memories"]
    app.close()
    other.close()


def test_the_daemon_and_the_server_run_once_a_day_and_never_two_at_once(tmp_path: Path) -> None:
    clock = noon()
    app = application(tmp_path, clock)
    app.service.remember(ANN, RememberRequest(said="I feel sad today."))
    with app.backend.store.alone("maintain"):
        assert not keep_up_when_due(app)
    assert keep_up_when_due(app)
    assert not keep_up_when_due(app)
    clock.advance(timedelta(days=9))
    assert maintain(app, daily=True).archived == 1
    app.service.remember(ANN, RememberRequest(said="I feel angry today."))
    assert maintain(app, daily=True).archived == 0
    assert not keep_up_when_due(app)
    app.close()


@pytest.mark.parametrize("upkeep", [True, False])
def test_a_running_server_notes_readings_and_does_the_daily_run(tmp_path: Path, upkeep: bool) -> None:
    clock = noon()
    app = application(tmp_path, clock, upkeep=upkeep)
    tea = app.service.remember(ANN, RememberRequest(said="I like oolong tea."))["results"][0]["memory"]["id"]
    mood = app.service.remember(ANN, RememberRequest(said="I feel sad today."))["results"][0]["memory"]["id"]
    clock.advance(timedelta(days=60))
    assert app.service.recall(ANN, RecallRequest("oolong tea"))["memories"]
    app.worker.start()

    def kept(one: str) -> object:
        with app.backend.store.read(ANN.tenancy) as unit:
            return unit.get([one])[one]

    wanted = "archived" if upkeep else "current"
    for _ in range(500):
        if kept(tea).read_at and kept(mood).status == wanted:  # type: ignore[attr-defined]
            break
        clocks.sleep(0.02)
    app.close()
    app = application(tmp_path, clock)
    assert kept(tea).read_at == clock.now()  # type: ignore[attr-defined]
    assert kept(mood).status == wanted  # type: ignore[attr-defined]
    app.close()


def test_readings_are_written_when_a_process_ends(tmp_path: Path) -> None:
    clock = noon()
    app = application(tmp_path, clock)
    tea = app.service.remember(ANN, RememberRequest(said="I like oolong tea."))["results"][0]["memory"]["id"]
    clock.advance(timedelta(days=60))
    app.service.recall(ANN, RecallRequest("oolong tea"))
    app.close()
    app = application(tmp_path, clock)
    with app.backend.store.read(ANN.tenancy) as unit:
        assert unit.get([tea])[tea].read_at == clock.now()
    app.close()


def test_readings_of_each_user_are_taken_once() -> None:
    reads = Reads()
    reads.add("ann", ["m_1", "m_2"])
    reads.add("ann", ["m_2"])
    reads.add("ben", ["m_3"])
    assert reads.take() == {"ann": ["m_1", "m_2"], "ben": ["m_3"]}
    assert reads.take() == {}


def test_working_memory_that_names_what_is_gone_is_drift_and_is_mended(tmp_path: Path) -> None:
    app = application(tmp_path, noon())
    app.service.remember(ANN, RememberRequest(said="I like oolong tea.", session="s"))
    with app.backend.store.write(ANN.tenancy) as unit:
        unit.save_working(WorkingVersion("t", 1, NOON, "remember", ("m_gone",)), 5)
    (drift,) = (row for row in verify(app.backend, None) if not row.clean)
    assert (drift.projection, drift.surplus) == ("working", ("m_gone",))
    rebuild(app.backend, None, ("text",))
    assert all(row.clean for row in verify(app.backend, None))
    app.close()


def test_two_hosts_that_keep_up_a_user_do_the_work_once(tmp_path: Path) -> None:
    clock = noon()
    one, other = application(tmp_path, clock), application(tmp_path, clock)
    one.service.remember(ANN, RememberRequest(said="I like oolong tea."))
    clock.advance(timedelta(days=900))
    assert one.service.keep_up(ANN.tenancy).archived == 2
    assert other.service.keep_up(ANN.tenancy).archived == 0
    one.close()
    other.close()


WRONG = [
    ("[decay.time_to_live_days]\nnothing = 3", "time_to_live_days.nothing"),
    ("[decay.time_to_live_days]\nwork = -1", "time_to_live_days.work"),
    ('[decay.layer]\nwork = "working"', "decay.layer.work"),
    ("[decay.stretch]\nsemantic = 0", "decay.stretch.semantic"),
    ('[decay]\nsensitive = ["no_such"]', "decay.sensitive"),
    ('[decay]\nappointments = ["no_such"]', "decay.appointments"),
    ('[decay]\npreset = "weekly"', "decay.preset"),
    ('[decay.presets.own]\noccasions = "soon"', "presets.own.occasions"),
    ('[maintain]\nat = "noon"', "maintain.at"),
]


@pytest.mark.parametrize(("text", "named"), WRONG)
def test_what_is_wrong_in_the_policy_is_named(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match=named):
        load_policy(path)


def test_a_preset_and_own_rows_are_laid_over_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        '[decay]\npreset = "daily"\nsensitive = ["likes"]\n[decay.time_to_live_days]\nwork = "never"\n'
        '[maintain]\nat = "04:30"\n',
        encoding="utf-8",
    )
    policy = load_policy(path)
    assert policy.half_lives.occasions == pytest.approx(13.513)
    assert pytest.approx(0.95, abs=1e-4) == 0.5 ** (1 / 13.513)
    assert policy.half_lives.to_live["work"] is None
    assert policy.half_lives.sensitive == {"likes"}
    assert policy.half_lives.sensitive_to_live == 7
    assert policy.maintain_at == time(4, 30)
    assert load_policy().half_lives.occasions == 30
