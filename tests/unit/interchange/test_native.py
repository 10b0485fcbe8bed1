from __future__ import annotations

import codecs
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_memory_server.bootstrap import Application, Overrides, build
from mcp_memory_server.errors import InvalidArgumentError, UnsupportedError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.interchange import lines, native
from mcp_memory_server.memory.model import Memory, Status
from mcp_memory_server.memory.ports import HistoryEntry, MemoryFilter, Question, Tenancy
from mcp_memory_server.memory.service import CorrectRequest, RememberRequest
from mcp_memory_server.settings import Settings
from mcp_memory_server.storage.verify import verify
from tests.fakes import NOON, HashEmbedder, noon, seeded_ids

ANN = Principal("ann", "test", "chat")
TENANCY = Tenancy("ann")


def open_store(folder: Path, seed: int = 7) -> Application:
    settings = Settings(data_dir=folder, user="ann", language="en", time_zone="UTC")
    return build(settings, Overrides(clock=noon(), embedder=HashEmbedder(), ids=seeded_ids(seed)))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of a store like `full`, for tests that need no more than the file."""
    app = open_store(tmp_path_factory.mktemp("original") / "full")
    fill(app)
    data = exported(app)
    app.close()
    return data


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Application]:
    app = open_store(tmp_path / "full")
    fill(app)
    yield app
    app.close()


def fill(app: Application) -> None:
    """Facts, events, a superseded fact, an open question and an answered one."""
    said = (
        "My name is Ann and I am allergic to peanuts.",
        "I live in Berlin.",
        "I moved to Hamburg.",
        "How do I book a train?",
        "My budget for train tickets is about 80 euros.",
        "我喜欢喝茶 🍵。",
        "I felt sad yesterday.",
    )
    for number, words in enumerate(said):
        app.service.remember(
            ANN, RememberRequest(said=words, session=f"s{number}", occurred_at="2026-11-29T10:00+08:00")
        )
    app.service.remember(ANN, RememberRequest(said="I live in Lisbon.", session="t"))
    question = app.service.questions(ANN)[0]
    app.service.correct(ANN, CorrectRequest(question_id=question["id"], verdict="keep_second"))
    app.service.remember(ANN, RememberRequest(said="I live in Porto.", session="u"))
    app.service.remember(ANN, RememberRequest(statements=("I am a vegetarian.",), said="I like boats.", session="v"))


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Application]:
    app = open_store(tmp_path / "empty", 8)
    yield app
    app.close()


def exported(app: Application) -> bytes:
    file = io.BytesIO()
    native.export(app.backend, TENANCY, file, NOON)
    return file.getvalue()


def brought_in(app: Application, data: bytes) -> native.Report:
    return native.load(app.backend, app.context.model, TENANCY, io.BytesIO(data), NOON)


def state(app: Application) -> Any:
    """Everything of a user that a round trip has to keep."""
    with app.backend.store.read(TENANCY) as unit:
        memories = unit.page(MemoryFilter(), 1_000).memories
        history = {one.id: unit.history(one.id) for one in memories}
        return memories, history, unit.graph(), unit.questions(), unit.answered()


def with_record(data: bytes, number: int, **changes: Any) -> bytes:
    """A file whose record on a line has other fields."""
    found = data.splitlines(keepends=True)
    record = {**json.loads(found[number]), **changes}
    found[number] = lines.encoded({name: value for name, value in record.items() if value is not ...})
    return b"".join(found)


def test_a_round_trip_loses_nothing(full: Application, empty: Application) -> None:
    data = exported(full)
    report = brought_in(empty, data)
    before = state(full)
    assert before == state(empty)
    assert {one.status for one in before[0]} >= {Status.CURRENT, Status.SUPERSEDED, Status.DISPUTED, Status.PENDING}
    assert len(before[3]) == 1
    assert len(before[4]) == 1
    assert (report.skipped, report.updated, report.complete) == (0, 0, True)
    assert exported(empty) == data
    empty.projector.drain()
    assert all(row.clean for row in verify(empty.backend, empty.embedder))


def test_a_second_time_changes_nothing(full: Application, empty: Application) -> None:
    data = exported(full)
    first = brought_in(empty, data)
    second = brought_in(empty, data)
    assert (second.created, second.updated, second.skipped) == (0, 0, 0)
    assert second.unchanged == first.created
    own = brought_in(full, data)
    assert own.unchanged == first.created


def test_a_file_that_goes_on_updates(full: Application, empty: Application) -> None:
    brought_in(empty, exported(full))
    question = full.service.questions(ANN)[0]
    full.service.correct(ANN, CorrectRequest(question_id=question["id"], verdict="keep_first"))
    report = brought_in(empty, exported(full))
    assert (report.updated, report.created, report.skipped) == (3, 0, 0)
    ours, theirs = state(full), state(empty)
    assert [replace(one, version=1) for one in ours[0]] == [replace(one, version=1) for one in theirs[0]]
    assert ours[1:] == theirs[1:]


def test_an_older_file_does_not_overwrite(full: Application) -> None:
    old = exported(full)
    question = full.service.questions(ANN)[0]
    full.service.correct(ANN, CorrectRequest(question_id=question["id"], verdict="keep_first"))
    before = state(full)
    report = brought_in(full, old)
    assert (report.created, report.updated, report.skipped) == (0, 0, 3)
    assert ["history of its own" in item["reason"] for item in report.reasons] == [True, True, False]
    assert state(full) == before


def test_what_was_forgotten_stays_forgotten(full: Application) -> None:
    data = exported(full)
    with full.backend.store.read(TENANCY) as unit:
        doomed = [one.id for one in unit.page(MemoryFilter(), 100).memories if "peanuts" in one.statement]
    full.service.forget(ANN, tuple(doomed))
    report = brought_in(full, data)
    assert report.created == 0
    assert any("was forgotten" in item["reason"] for item in report.reasons)
    with full.backend.store.read(TENANCY) as unit:
        assert not [one for one in unit.page(MemoryFilter(), 100).memories if "peanuts" in one.statement]


def test_memories_of_somebody_else_are_not_taken_over(full: Application) -> None:
    report = native.load(full.backend, full.context.model, Tenancy("ben"), io.BytesIO(exported(full)), NOON)
    assert report.created == 0
    assert {item["reason"].partition(":")[0] for item in report.reasons} <= {"conflict", "invalid_argument"}
    with full.backend.store.read(Tenancy("ben")) as unit:
        assert unit.page(MemoryFilter(), 10).total == 0


def test_an_answered_question_is_not_opened_again(original: bytes, empty: Application) -> None:
    brought_in(empty, original)
    with empty.backend.store.write(TENANCY) as unit:
        unit.answer(unit.questions()[0].id, "keep_both", NOON)
    report = brought_in(empty, original)
    assert [item["reason"] for item in report.reasons if "answered otherwise" in item["reason"]]


def test_a_question_about_nothing_is_left_out(full: Application, empty: Application) -> None:
    question = Question("q_x", "Which?", ("m_gone",), ("keep_first",), NOON)
    with full.backend.store.write(TENANCY) as unit:
        unit.ask(question)
    report = brought_in(empty, exported(full))
    assert [item for item in report.reasons if "not here" in item["reason"]]


def test_another_question_under_the_same_id_is_left_out(original: bytes, empty: Application) -> None:
    data = original
    brought_in(empty, data)
    found = [
        i for i, line in enumerate(data.splitlines()) if b'"type":"question"' in line and b"answered_at" not in line
    ]
    report = brought_in(empty, with_record(data, found[0], text="Something else?"))
    assert "another question" in report.reasons[0]["reason"]


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "dream"},
        {"id": 7},
        {"id": "x" * 101},
        {"statement": ...},
        {"statement": "x" * 50_000},
        {"statement": "half \ud800"},
        {"confidence": 1.5},
        {"confidence": True},
        {"confidence": "1"},
        {"said_at": "yesterday"},
        {"said_at": "2026-11-30T10:00:00"},
        {"said_at": "0001-01-01T00:00:00+10:00"},
        {"version": 0},
        {"version": 1.0},
        {"version": 2**60},
        {"count": True},
        {"said_offset": 9_999},
        {"grounded": "yes"},
        {"evidence": {}},
        {"evidence": ["u_1"]},
        {"evidence": [{"utterance": "u_1", "start": 5, "end": 2}]},
        {"evidence": [{"utterance": "u_1", "start": 0, "end": 2, "more": 1}]},
        {"entities": [{"key": "a", "name": "A", "role": "king"}]},
        {"history": [{"at": "2026-11-30T10:00:00Z", "action": "stored", "actor": "x", "details": {"a": [1]}}]},
        {"object": {"type": "spirit", "value": "x"}},
        {"object": "tea"},
        {"sentiment": {"label": "sad", "intensity": 7}},
        {"unheard_of": 1},
        {"type": "treasure"},
        {"type": ...},
        {"event_type": "party"},
    ],
)
def test_a_record_that_is_not_of_the_form_is_left_out_alone(
    original: bytes, empty: Application, changes: dict[str, Any]
) -> None:
    data = original
    complete = brought_in(empty, with_record(data, 1, **changes))
    assert [item["line"] for item in complete.reasons] == [2]
    assert complete.reasons[0]["reason"].startswith("invalid_argument: ")
    assert complete.created == len(data.splitlines()) - 3
    assert complete.complete


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"[]",
        b'"text"',
        b'{"type":"memory","type":"memory"}',
        b'{"a":NaN}',
        b"[" * 200_000,
        b'{"a":' * 33 + b"1" + b"}" * 33,
        b"\xff\xfe",
        b"{}",
    ],
)
def test_a_line_that_is_no_record_is_left_out_alone(empty: Application, line: bytes) -> None:
    data = lines.encoded(lines.header("now")) + line + b"\n\n" + lines.encoded({"type": "end"})
    report = brought_in(empty, data)
    assert [item["line"] for item in report.reasons] == [2]
    assert report.complete


def test_nested_lines_are_refused_whatever_the_recursion_limit_is(empty: Application) -> None:
    """Other libraries of a process raise the limit beyond what the stack bears, and the parser recurses in C."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        data = lines.encoded(lines.header("now")) + b"[" * 900_000 + b"\n" + lines.encoded({"type": "end"})
        report = brought_in(empty, data)
    finally:
        sys.setrecursionlimit(before)
    assert [item["reason"].split(":")[0] for item in report.reasons] == ["too_large"]
    assert report.complete


def test_a_byte_order_mark_of_an_editor_is_passed_over(original: bytes, empty: Application) -> None:
    report = brought_in(empty, codecs.BOM_UTF8 + original)
    assert report.complete
    assert not report.reasons


def test_infinite_numbers_are_left_out(original: bytes, empty: Application) -> None:
    data = original.replace(b'"confidence":', b'"confidence":1e999,"unused":', 1)
    assert brought_in(empty, data).reasons[0]["line"] == 2
    entry = {"at": "2026-11-30T10:00:00Z", "action": "stored", "actor": "x", "details": {"a": 12345}}
    data = with_record(original, 1, history=[entry]).replace(b"12345", b"1e999")
    assert "history.details" in brought_in(empty, data).reasons[0]["reason"]


def test_a_line_that_is_too_long_is_passed_over(empty: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES", 200)
    data = lines.encoded(lines.header("now")) + b"x" * 1_000 + b"\n" + lines.encoded({"type": "end"})
    report = brought_in(empty, data)
    assert report.reasons == [{"line": 2, "reason": "too_large: longer than 200 bytes"}]
    assert report.complete


def test_lines_behind_the_end_are_left_out(original: bytes, empty: Application) -> None:
    data = original
    report = brought_in(empty, data + data.splitlines(keepends=True)[1])
    assert report.skipped == 1


def test_a_file_that_ends_early_says_so(original: bytes, empty: Application) -> None:
    data = b"".join(original.splitlines(keepends=True)[:-1])
    assert not brought_in(empty, data).complete


@pytest.mark.parametrize(
    ("first", "error"),
    [
        (b"", InvalidArgumentError),
        (b"{}\n", InvalidArgumentError),
        (b"not json\n", InvalidArgumentError),
        (b'{"type":"header","format":"other","version":1}\n', InvalidArgumentError),
        (b'{"type":"header","format":"consented-memory","version":true}\n', InvalidArgumentError),
        (b'{"type":"header","format":"consented-memory","version":0}\n', InvalidArgumentError),
        (b'{"type":"header","format":"consented-memory","version":2}\n', UnsupportedError),
    ],
)
def test_only_files_of_this_format_are_read(empty: Application, first: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        brought_in(empty, first)


def test_reasons_are_named_up_to_a_limit_and_counted_beyond(
    empty: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "_REASONS", 2)
    data = lines.encoded(lines.header("now")) + b"x\n" * 5
    report = brought_in(empty, data)
    assert (report.skipped, len(report.reasons)) == (5, 2)


def test_every_field_of_a_memory_is_written() -> None:
    """A field added to the model must be added to the format."""
    from dataclasses import fields

    from mcp_memory_server.interchange.records import memory_of, memory_record
    from mcp_memory_server.memory.model import EventType, Evidence, Kind, Sentiment, Validity, Value, ValueType
    from tests.support import memory

    whole = memory(
        "m_1",
        kind=Kind.EVENT,
        subject="user",
        predicate="likes",
        object=Value(ValueType.MONEY, "80", "EUR", "tickets", True),
        validity=Validity("2026", "2027", "2026-11"),
        event_type=EventType.REQUEST,
        count=3,
        confirmations=2,
        grounded=True,
        session="s",
        channel="c",
        agent="a",
        origin="file",
        speaker_name="Ann",
        said_offset=480,
        position=4,
        superseded_at=NOON,
        superseded_by="m_2",
        supported_at=NOON,
        read_at=NOON,
        sentiment=Sentiment("sad", 0.5),
        reason="why",
        hidden=True,
        version=5,
        evidence=(Evidence("u_1", 0, 4),),
    )
    plain = Memory(**{f.name: getattr(memory("m_1"), f.name) for f in fields(Memory)})
    defaults = {f.name for f in fields(Memory) if getattr(whole, f.name) == getattr(plain, f.name)}
    same = {"id", "user", "statement", "category", "status", "source", "said_at", "recorded_at", "confidence"}
    assert defaults <= same | {"polarity", "layer", "key", "lang", "speaker"}
    history = [HistoryEntry("m_1", NOON, "stored", "test", "m_2", {"confidence": 0.5, "to": "current"})]
    entities = [("tea", "Tea", "object")]
    record = json.loads(lines.encoded(memory_record(whole, history, entities)))
    assert memory_of(record, "ann") == (whole, history, entities)


def test_an_utterance_that_claims_evidence_is_left_out_and_named(original: bytes, empty: Application) -> None:
    number = next(at for at, line in enumerate(original.splitlines()) if b'"kind":"utterance"' in line)
    report = brought_in(empty, with_record(original, number, evidence=[{"utterance": "u_1", "start": 0, "end": 2}]))
    assert [item["line"] for item in report.reasons if "rests on nothing" in item["reason"]] == [number + 1]


def test_our_own_records_are_far_from_the_limit_of_nesting(original: bytes) -> None:
    def depth(value: object) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)

    assert 1 < max(depth(json.loads(line)) for line in original.splitlines()) <= 6
