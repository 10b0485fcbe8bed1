"""Times, numbers and sums in words."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

from datetime import datetime

import pytest

from mcp_memory_server.memory.perceive import numerals, quantity, times_en, when_zh
from mcp_memory_server.memory.perceive.calendar import Calendar, easter, zone_of
from mcp_memory_server.memory.perceive.when import Bind
from tests.unit.memory.understanding import vocabulary

SAID = datetime.fromisoformat("2025-06-04T10:00:00+01:00")  # a Wednesday


def read(text: str, zone: str | None = "Europe/London") -> list[tuple[str, str, str, str]]:
    cal = Calendar.at(SAID, zone, vocabulary().holidays)
    finder = when_zh if any("\u4e00" <= c <= "\u9fff" for c in text) else times_en
    return [(str(w.bind), w.future, w.past if w.past != w.future else "", w.until) for w in finder.find(text, cal)]


@pytest.mark.parametrize(
    ("text", "bind", "future", "past", "until"),
    [
        ("tomorrow", "at", "2025-06-05", "", ""), ("the day after tomorrow", "at", "2025-06-06", "", ""), ("yesterday", "at", "2025-06-03", "", ""),
        ("on Friday", "at", "2025-06-06", "2025-05-30", ""), ("next Friday", "at", "2025-06-13", "", ""), ("last Friday", "at", "2025-05-30", "", ""),
        ("this Friday", "at", "2025-06-06", "", ""), ("Friday week", "at", "2025-06-13", "", ""), ("a week on Friday", "at", "2025-06-13", "", ""),
        ("Monday next week", "at", "2025-06-09", "", ""), ("next week", "at", "2025-06-09/2025-06-15", "", ""), ("this weekend", "at", "2025-06-07/2025-06-08", "", ""),
        ("next month", "at", "2025-07", "", ""), ("at the end of next month", "at", "2025-07-31", "", ""), ("last year", "at", "2024", "", ""),
        ("next quarter", "at", "2025-07/2025-09", "", ""), ("the month after next", "at", "2025-08", "", ""), ("next summer", "at", "2026-06-01/2026-08-31", "", ""),
        ("last winter", "at", "2024-12-01/2025-02-28", "", ""), ("in the summer of 2024", "at", "2024-06-01/2024-08-31", "", ""),
        ("on 3 May", "at", "2026-05-03", "2025-05-03", ""), ("May 3rd, 2027", "at", "2027-05-03", "", ""), ("3 May 2027", "at", "2027-05-03", "", ""),
        ("2025-07-01", "at", "2025-07-01", "", ""), ("14/03/2026", "at", "2026-03-14", "", ""), ("on the 12th", "at", "2025-06-12", "2025-05-12", ""),
        ("the 15th of next month", "at", "2025-07-15", "", ""), ("in June 2024", "at", "2024-06", "", ""), ("in May", "at", "2026-05", "2025-05", ""),
        ("in 2015", "at", "2015", "", ""), ("since 2019", "since", "2019", "", ""), ("until Sunday", "until", "2025-06-08", "2025-06-01", ""),
        ("by Friday", "by", "2025-06-06", "2025-05-30", ""), ("before Christmas", "by", "2025-12-25", "2024-12-25", ""),
        ("from 3 to 10 May", "range", "2026-05-03", "", "2026-05-10"), ("from the 5th to the 9th", "range", "2025-06-05", "2025-06-05", "2025-06-09"),
        ("in three weeks", "at", "2025-06-25", "", ""), ("two days ago", "at", "2025-06-02", "", ""), ("three months ago", "at", "2025-03", "", ""),
        ("half a year ago", "at", "2024-12", "", ""), ("for two years now", "lasting", "2023", "", ""), ("every Monday", "repeat", "", "", ""),
        ("on Tuesdays", "repeat", "", "", ""), ("tomorrow at 3pm", "at", "2025-06-05T15:00:00+01:00", "", ""), ("Friday at half past seven", "at", "2025-06-06T07:30:00+01:00", "2025-05-30T07:30:00+01:00", ""),
        ("tonight at 8", "at", "2025-06-04T20:00:00+01:00", "", ""), ("on Easter Sunday", "at", "2026-04-05", "2025-04-20", ""), ("in the 1990s", "at", "1990/1999", "", ""),
        ("明天", "at", "2025-06-05", "", ""), ("大后天", "at", "2025-06-07", "", ""), ("上周三", "at", "2025-05-28", "", ""), ("下下周一", "at", "2025-06-16", "", ""),
        ("周五", "at", "2025-06-06", "2025-05-30", ""), ("下周", "at", "2025-06-09/2025-06-15", "", ""), ("这周末", "at", "2025-06-07/2025-06-08", "", ""),
        ("下个月底", "at", "2025-07-31", "", ""), ("下月10号", "at", "2025-07-10", "", ""), ("去年夏天", "at", "2024-06-01/2024-08-31", "", ""),
        ("明年上半年", "at", "2026-01/2026-06", "", ""), ("5月3号", "at", "2026-05-03", "2025-05-03", ""), ("2027年5月3日", "at", "2027-05-03", "", ""),
        ("十二月初", "at", "2025-12-01", "2024-12-01", ""), ("三天后", "at", "2025-06-07", "", ""), ("两个月前", "at", "2025-04", "", ""), ("三年前", "at", "2022", "", ""),
        ("从2015年起", "since", "2015", "", ""), ("到周五为止", "until", "2025-06-06", "2025-05-30", ""), ("春节前", "by", "2026-02-17", "2025-01-29", ""),
        ("5月3号到10号", "range", "2026-05-03", "", "2026-05-10"), ("三年了", "lasting", "2022", "", ""), ("每周三", "repeat", "", "", ""),
        ("明天下午三点半", "at", "2025-06-05T15:30:00+01:00", "", ""), ("今晚八点", "at", "2025-06-04T20:00:00+01:00", "", ""), ("国庆", "at", "2025-10-01", "2024-10-01", ""),
        ("2016到2020年", "range", "2016", "", "2020"), ("三月到五月", "range", "2026-03", "", "2026-05"), ("第三季度", "at", "2025-07/2025-09", "2024-07/2024-09", ""),
        ("暑假", "at", "2025-07/2025-08", "2024-07/2024-08", ""), ("再过三天", "at", "2025-06-07", "", ""), ("07届", "at", "2007", "", ""), ("最晚周五", "by", "2025-06-06", "2025-05-30", ""),
        ("明儿", "at", "2025-06-05", "", ""), ("冬至", "at", "2025-12-21", "2024-12-21", ""),
        ("98年", "at", "1998", "", ""), ("月底", "at", "2025-06-30", "2025-05-31", ""), ("年底", "at", "2025-12", "2024-12", ""),
    ],
)  # fmt: skip
def test_a_phrase_is_read_against_the_local_day(text: str, bind: str, future: str, past: str, until: str) -> None:
    found = read(text)
    assert len(found) == 1, found
    kind, ahead, behind, end = found[0]
    assert (kind, ahead, end) == (bind, future, until)
    assert not past or behind == past or past == ahead


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "He can march on",
        "the second time",
        "Call 555 1234",
        "大三的学生",
        "第三天堂",
        "一点点",
        "version 10.4.2",
    ],
)
def test_look_alikes_are_no_times(text: str) -> None:
    assert [item for item in read(text) if item[0] not in ("clock",)] == []


def test_the_zone_decides_the_local_day() -> None:
    moment = datetime.fromisoformat("2025-03-10T23:40:00+00:00")
    cal = Calendar.at(moment, "Australia/Sydney", {})
    assert times_en.find("tomorrow", cal)[0].future == "2025-03-12"
    assert zone_of("Not/AZone", moment) == moment.tzinfo


def test_easter_follows_the_gregorian_rule() -> None:
    assert [easter(year) for year in (2024, 2025, 2038)] == ["2024-03-31", "2025-04-20", "2038-04-25"]


def test_bounds_of_the_calendar_do_not_overflow() -> None:
    cal = Calendar.at(datetime.fromisoformat("9999-12-30T00:00:00+00:00"), None, {})
    for text in ("in 90 weeks", "in 50 years", "next month"):
        times_en.find(text, cal)
    assert when_zh.find("五十年后", cal)[0].bind is Bind.AT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("half a million", "500000"), ("fifteen hundred", "1500"), ("14 grand", "14000"), ("2.3 million", "2300000"), ("twenty-three", "23"),
        ("1.2k", "1200"), ("a dozen", "12"), ("3 and a half", "3.5"), ("1,350", "1350"), ("two million three hundred thousand", "2300000"),
    ],
)  # fmt: skip
def test_english_numbers_have_their_value(text: str, value: str) -> None:
    assert numerals.plain(next(numerals.english(text)).value) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("一万二", "12000"), ("三千九百九", "3990"), ("十万零三千六", "103600"), ("一百零五", "105"), ("2.3亿", "230000000"), ("1万2", "12000"),
        ("2亿3千万", "230000000"), ("三点五万", "35000"), ("两百五", "250"), ("二〇二五", "2025"), ("四百五一晚", "450"), ("十二万八", "128000"), ("5w", "50000"),
    ],
)  # fmt: skip
def test_chinese_numbers_have_their_value(text: str, value: str) -> None:
    assert numerals.plain(next(numerals.chinese(text)).value) == value


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("£1,350 a month", "en", ("1350", "GBP", "month")), ("450 dollars", "en", ("450", "USD", "")), ("C$2,000", "en", ("2000", "CAD", "")),
        ("2.3 million euros", "en", ("2300000", "EUR", "")), ("CHF 40", "en", ("40", "CHF", "")), ("￥500", "zh", ("500", "CNY", "")), ("288块钱", "zh", ("288", "CNY", "")),
        ("三万日元", "zh", ("30000", "JPY", "")),
    ],
)  # fmt: skip
def test_sums_have_currency_and_period(text: str, lang: str, expected: tuple[str, str, str]) -> None:
    found = next(q for q in quantity.find(text, lang) if q.kind == "money")
    assert (numerals.plain(found.value), found.unit, found.per) == expected


def test_pieces_and_weights_are_no_money() -> None:
    assert all(q.kind != "money" for q in quantity.find("三块蛋糕", "zh"))
    assert all(q.kind != "money" for q in quantity.find("I weigh 160 pounds", "en"))


@pytest.mark.parametrize(
    ("zone", "lang", "currency"),
    [
        ("Europe/London", "en", "GBP"),
        ("Europe/Paris", "en", "EUR"),
        ("Asia/Tokyo", "en", "JPY"),
        ("Australia/Perth", "en", "AUD"),
        (None, "zh", "CNY"),
        (None, "en", "USD"),
    ],
)
def test_a_sum_without_sign_is_in_the_money_of_the_place(zone: str | None, lang: str, currency: str) -> None:
    assert quantity.local_currency(zone, lang) == currency
