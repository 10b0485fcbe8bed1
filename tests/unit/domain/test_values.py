"""Periods, redaction, strength, ids, names: small pure functions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mcp_memory_server.memory import decay, names, periods, redact
from mcp_memory_server.memory.ids import Ids
from mcp_memory_server.memory.model import Category, Kind, Span
from tests.fakes import NOON
from tests.support import memory, utterance

EAST = timezone(timedelta(hours=8))


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2024", utc(2024, 1, 1), utc(2025, 1, 1)),
        ("2024-12", utc(2024, 12, 1), utc(2025, 1, 1)),
        ("2024-02-29", utc(2024, 2, 29), utc(2024, 3, 1)),
        ("2024/2025-03", utc(2024, 1, 1), utc(2025, 4, 1)),
        ("2024-05-06T07:08:09+08:00", utc(2024, 5, 5, 23, 8, 9), utc(2024, 5, 5, 23, 8, 9)),
    ],
)
def test_a_time_covers_what_its_precision_says(text: str, start: datetime, end: datetime) -> None:
    assert periods.bounds(text) == (start, end)


def test_a_day_is_a_day_of_its_zone() -> None:
    assert periods.bounds("2024-05-06", EAST) == (utc(2024, 5, 5, 16), utc(2024, 5, 6, 16))


@pytest.mark.parametrize("text", ["--05-06", "--05-06/2024", "2024/--05-06"])
def test_a_day_without_a_year_names_no_moment(text: str) -> None:
    assert periods.bounds(text) is None
    assert periods.starts_by(text, NOON)
    assert not periods.ended_by(text, NOON)


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13", "2024-02-30", "20", "2024-1-1x"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        periods.bounds(text)


def test_beginning_and_end_of_what_is_valid() -> None:
    assert periods.starts_by(None, NOON)
    assert periods.starts_by("2026-11-30", NOON)
    assert not periods.starts_by("2026-12", NOON)
    assert not periods.ended_by(None, NOON)
    assert periods.ended_by("2026-11-29", NOON)
    assert not periods.ended_by("2026-11-30", NOON)


def test_a_moment_without_an_offset_is_in_the_zone_given() -> None:
    assert periods.parse_moment("2026-11-30T20:00", EAST) == NOON
    assert periods.parse_moment("2026-11-30T12:00Z", EAST) == NOON


@pytest.mark.parametrize(
    ("spans", "text", "empty"),
    [
        ([], "Nora works with Emil.", False),
        ([(0, 4)], "[forgotten] works with Emil.", False),
        ([(0, 4), (16, 20)], "[forgotten] works with [forgotten].", False),
        ([(0, 10), (5, 15)], "[forgotten] Emil.", False),
        ([(0, 5), (5, 10)], "[forgotten] with Emil.", False),
        ([(0, 21)], "[forgotten]", True),
        ([(0, 20)], "[forgotten].", True),
        ([(3, 3)], "Nora works with Emil.", False),
    ],
)
def test_spans_are_replaced_by_one_mark_each(spans: list[tuple[int, int]], text: str, empty: bool) -> None:
    found = redact.redact("Nora works with Emil.", [Span(*span) for span in spans])
    assert (found.text, found.is_empty) == (text, empty)


def test_other_spans_move_with_the_text_and_die_when_cut() -> None:
    words = "Nora works with Emil."
    found = redact.redact(words, [Span(0, 4)])
    moved = found.moved(Span(16, 20))
    assert moved is not None
    assert moved.of(found.text) == "Emil"
    assert found.moved(Span(2, 6)) is None
    assert redact.redact(words, [Span(16, 20)]).moved(Span(0, 4)) == Span(0, 4)


def test_every_occurrence_is_found() -> None:
    assert redact.occurrences("tea, tea and tea", "tea") == [Span(0, 3), Span(5, 8), Span(13, 16)]
    assert redact.occurrences("aaa", "aa") == [Span(0, 2)]
    assert redact.occurrences("tea", "") == []
    assert redact.occurrences("tea", "coffee") == []


HALVES = decay.HalfLives({"preference": 90.0, "health": None}, 30.0)


@pytest.mark.parametrize(("days", "expected"), [(0, 0.9), (90, 0.45), (180, 0.225), (-5, 0.9)])
def test_strength_halves_with_its_half_life(days: int, expected: float) -> None:
    fact = memory("m_1", category=Category.PREFERENCE)
    assert decay.strength(fact, NOON + timedelta(days=days), HALVES) == pytest.approx(expected)


def test_what_never_fades_and_what_was_supported() -> None:
    later = NOON + timedelta(days=900)
    assert decay.strength(memory("m_1", category=Category.HEALTH), later, HALVES) == 0.9
    assert decay.strength(memory("m_1", category=Category.OTHER), later, HALVES) == 0.9
    supported = memory("m_1", category=Category.PREFERENCE, supported_at=NOON + timedelta(days=810))
    assert decay.strength(supported, later, HALVES) == pytest.approx(0.45)
    assert decay.strength(utterance("u_1"), NOON + timedelta(days=30), HALVES) == pytest.approx(0.45)
    assert decay.strength(memory("m_1", kind=Kind.EVENT), NOON + timedelta(days=30), HALVES) == pytest.approx(0.45)


def test_ids_say_their_kind_and_sort_by_time() -> None:
    ids = Ids(lambda bits: (1 << bits) - 1)
    early, late = ids.new("m", NOON), Ids(lambda _bits: 0).new("m", NOON + timedelta(milliseconds=1))
    assert early.startswith("m_")
    assert len(early) == 19
    assert early < late
    assert Ids().new("u", NOON) != Ids().new("u", NOON)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Nora works with Emil in Porto.", ["Nora", "Emil", "Porto"]),
        ("The lease ends in March.", []),
        ("I met Anna Maria de Souza.", ["Anna Maria de Souza"]),
        ("Emil's van is red", ["Emil"]),
        ("Today's plan is set", []),
        ("Everyone's here", []),
        ("ticket ABC-712", ["ABC-712"]),
        ("我在 Google 上班", ["Google"]),
        ("He read “the long way home” twice", ["the long way home"]),
        ("nothing here", []),
    ],
)
def test_names_in_a_text(text: str, found: list[str]) -> None:
    assert names.names(text) == found


@pytest.mark.parametrize(
    ("one", "other"), [("Harbour Plan", "harbour-plan"), ("Ｐｏｒｔｏ", "porto"), ("Nora's", "nora"), ("a_b", "A B")]
)
def test_one_thing_has_one_key_whatever_its_spelling(one: str, other: str) -> None:
    assert names.entity_key(one) == names.entity_key(other)


def test_spans_of_a_question_hold_the_names_in_it() -> None:
    assert "harbour plan" in names.spans("What about the harbour-plan?")
    assert "豆豆" in names.spans("豆豆今年几岁")
    assert "larkspur 12" in names.spans("Larkspur-12用的是什么")
    assert len(names.spans("".join(chr(0x4E00 + n) for n in range(200)))) == 400
