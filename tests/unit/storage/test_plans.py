"""No statement that is given ids walks through all that a user has: time must not grow with the store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from mcp_memory_server.memory.service import (
    CorrectRequest,
    FeedbackRequest,
    ProfileRequest,
    RecallRequest,
    RememberRequest,
)
from mcp_memory_server.settings import TriggerSettings
from tests.harness import house

# These look at one row, at the few questions and backups there are, at the 200 recalls that are kept, at one
# page, or - when something is forgotten - through all texts for its words.
WALKING = (
    "alembic_version", "FROM epoch", "UPDATE epoch", "text_owner", "FROM audit", "FROM question", "FROM backup",
    "recall.at DESC", "firing.seq DESC", "count(*) AS count_1",
    "memory.said_at DESC, memory.seq DESC", "instr(memory.statement",
)  # fmt: skip


@pytest.fixture
def statements() -> Iterator[dict[str, Any]]:
    """Every statement of the test with the values of its last run."""
    seen: dict[str, Any] = {}

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
        seen[statement] = values[0] if many and isinstance(values, list) else values

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def walked(steps: list[str]) -> list[str]:
    """The steps of a plan that look at every row of a table, or at every row of a user."""
    scanned = [
        step for step in steps if re.match(r"SCAN (?!b\b|bridges\b|\(subquery)(?!.*VIRTUAL TABLE|CONSTANT)", step)
    ]
    return scanned + [step for step in steps if step.startswith("SEARCH") and step.endswith("(user=?)")]


def test_remembering_recalling_and_forgetting_use_indexes(tmp_path: Path, statements: dict[str, Any]) -> None:
    with house(tmp_path / "data") as opened:
        service, ann = opened.app.service, opened.principal()
        for said in (
            "I live in Paris with Marie Dubois.",
            "My sister Anna works at Acme.",
            "我住在杭州，喜欢喝龙井茶。",
        ):
            service.remember(ann, RememberRequest(said=said, session="s1"))
        service.remember(ann, RememberRequest(said="I live in Lyon."))
        asked = service.questions(ann)[0]
        service.correct(ann, CorrectRequest(question_id=asked["id"], verdict="keep_second"))
        found = service.recall(ann, RecallRequest("Where does Anna work, and what about Marie Dubois?"))["memories"]
        service.forget(ann, (found[0]["id"],))
        run = {text: values for text, values in statements.items() if re.match(r"SELECT|WITH|UPDATE|DELETE", text)}
        run = {text: values for text, values in run.items() if not any(name in text for name in WALKING)}
        assert len(run) >= 30
        with opened.app.backend.store.read(ann.tenancy) as unit:
            plans = {
                text: [step[3] for step in unit.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()]
                for text, values in run.items()
            }
    faults = [f"{walked(plan)} in {text}" for text, plan in plans.items() if walked(plan)]
    assert not faults, "\n\n".join(faults)


def test_feedback_and_triggers_use_indexes(tmp_path: Path, statements: dict[str, Any]) -> None:
    thrice = TriggerSettings(name="thrice", count=2, command=["/bin/true"])
    with house(tmp_path / "data", triggers=[thrice]) as opened:
        service, ann = opened.app.service, opened.principal()
        service.remember(ann, RememberRequest(said="I booked a train ticket. How do I change it?", session="s1"))
        service.remember(ann, RememberRequest(said="How do I change it?", session="s2"))
        service.recall(ann, RecallRequest("tickets"))
        statements.clear()
        found = service.recall(ann, RecallRequest("train ticket", detail="full"))
        shown = found["memories"][0]["id"]
        service.give_feedback(ann, FeedbackRequest(found["recall_id"], used=(shown,)))
        service.remember(ann, RememberRequest(said="That's not what I meant."))
        service.trigger_result(ann, service.triggers(ann)[0]["id"], "Seat 12")
        service.profile(ann, ProfileRequest(take_results=True))
        opened.app.courier.drain()
        run = {text: values for text, values in statements.items() if re.match(r"SELECT|WITH|UPDATE|DELETE", text)}
        own = ("recall", "feedback", "firing", "outbox")
        run = {text: values for text, values in run.items() if re.search(rf"(FROM|UPDATE) ({'|'.join(own)})\b", text)}
        run = {text: values for text, values in run.items() if not any(name in text for name in WALKING)}
        assert {name for name in own if any(name in text for text in run)} == set(own)
        with opened.app.backend.store.read(ann.tenancy) as unit:
            plans = {
                text: [step[3] for step in unit.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()]
                for text, values in run.items()
            }
    faults = [f"{walked(plan)} in {text}" for text, plan in plans.items() if walked(plan)]
    assert not faults, "\n\n".join(faults)
