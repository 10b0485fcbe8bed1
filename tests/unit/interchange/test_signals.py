"""Firings and feedback in the native format; checks and clean-up of what names nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.interchange import lines, native
from mcp_memory_server.memory.service import FeedbackRequest, ProfileRequest, RecallRequest, RememberRequest
from mcp_memory_server.memory.signals import Delivery, Firing, Verdict, Vote
from mcp_memory_server.settings import TriggerSettings
from mcp_memory_server.storage.verify import rebuild, verify
from tests.fakes import NOON
from tests.harness import House, house

TWICE = TriggerSettings(name="twice", count=2)


@dataclass
class Two:
    """A store with a firing, its result and some feedback, and an empty one."""

    full: House
    empty: House

    def exported(self, made: House, *, feedback: bool) -> bytes:
        file = io.BytesIO()
        native.export(made.app.backend, made.principal().tenancy, file, NOON, feedback=feedback)
        return file.getvalue()

    def brought_in(self, data: bytes) -> native.Report:
        app = self.empty.app
        return native.load(app.backend, app.context.model, self.empty.principal().tenancy, io.BytesIO(data), NOON)


def signals(made: House) -> tuple[list[Firing], list[Vote]]:
    with made.app.backend.store.read(made.principal().tenancy) as unit:
        return unit.firings(100), unit.votes()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    with house(tmp_path / "full", triggers=[TWICE]) as full, house(tmp_path / "empty") as empty:
        service, ann = full.app.service, full.principal()
        for session in ("a", "b"):
            answer = service.remember(ann, RememberRequest(said="How do I get a refund?", session=session))
        service.remember(ann, RememberRequest(said="I live in Graz.", session="c"))
        service.trigger_result(ann, answer["triggers"][0]["id"], "On Tuesday.")
        found = service.recall(ann, RecallRequest("Where do I live?"))
        shown = [one["id"] for one in found["memories"]]
        service.give_feedback(ann, FeedbackRequest(found["recall_id"], used=(shown[0],)))
        yield Two(full, empty)


def kinds(data: bytes) -> list[str]:
    return [json.loads(line)["type"] for line in data.splitlines()]


def test_feedback_is_exported_only_when_asked_for(two: Two) -> None:
    assert "feedback" not in kinds(two.exported(two.full, feedback=False))
    assert kinds(two.exported(two.full, feedback=True)).count("feedback") == 1


def test_a_round_trip_keeps_firings_and_feedback(two: Two) -> None:
    data = two.exported(two.full, feedback=True)
    report = two.brought_in(data)
    assert (report.skipped, report.complete) == (0, True)
    assert signals(two.empty) == signals(two.full)
    assert signals(two.full)[0][0].result == "On Tuesday."
    assert two.exported(two.empty, feedback=True) == data
    again = two.brought_in(data)
    assert (again.created, again.updated, again.skipped) == (0, 0, 0)


def test_a_result_that_was_not_shown_yet_is_shown_once_where_it_was_brought_in(two: Two) -> None:
    two.brought_in(two.exported(two.full, feedback=False))
    service, ann = two.empty.app.service, two.empty.principal()
    request = ProfileRequest(take_results=True)
    assert [one["result"] for one in service.profile(ann, request)["trigger_results"]] == ["On Tuesday."]
    assert service.profile(ann, request)["trigger_results"] == []


def with_changes(data: bytes, kind: str, **changes: Any) -> bytes:
    out = []
    for line in data.splitlines(keepends=True):
        record = json.loads(line)
        if record["type"] == kind:
            record = {name: value for name, value in (record | changes).items() if value is not ...}
        out.append(lines.encoded(record))
    return b"".join(out)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("feedback", {"verdict": "splendid"}),
        ("feedback", {"memory_id": "m_none"}),
        ("feedback", {"at": ...}),
        ("feedback", {"more": 1}),
        ("firing", {"state": "lost"}),
        ("firing", {"memory_id": "m_none"}),
        ("firing", {"count": 0}),
        ("firing", {"result": "x" * 5_000}),
    ],
)
def test_a_wrong_line_is_skipped_and_harms_no_other(two: Two, kind: str, changes: dict[str, Any]) -> None:
    report = two.brought_in(with_changes(two.exported(two.full, feedback=True), kind, **changes))
    assert (report.skipped, report.complete) == (1, True)
    firings, votes = signals(two.empty)
    assert (len(firings), len(votes)) == ((1, 0) if kind == "feedback" else (0, 1))


def test_what_waits_to_be_delivered_there_is_not_delivered_here(two: Two) -> None:
    two.brought_in(with_changes(two.exported(two.full, feedback=False), "firing", state="waiting"))
    assert [one.state for one in signals(two.empty)[0]] == [Delivery.LOCAL]


def test_verify_names_what_is_about_nothing_and_rebuild_drops_it(two: Two) -> None:
    app, ann = two.full.app, two.full.principal()
    app.projector.drain()
    assert all(row.clean for row in verify(app.backend, app.embedder))
    with app.backend.store.write(ann.tenancy) as unit:
        unit.vote(Vote("m_gone", "r_1", Verdict.USED, NOON))
        unit.fire(Firing("f_9", "twice", "k", "m_lost", 2, NOON))
    drift = {row.projection: row.surplus for row in verify(app.backend, app.embedder) if not row.clean}
    assert drift == {"feedback": ("m_gone",), "triggers": ("m_lost",)}
    rebuild(app.backend, app.embedder, ("text",))
    assert all(row.clean for row in verify(app.backend, app.embedder) if row.projection != "vectors")
