"""Hours of the day in Chinese, and how they join the days they stand beside."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.calendar import Calendar
from mcp_memory_server.memory.perceive.when import Bind, When


def whole(text: str) -> int:
    """The whole number that digits or numerals write; -1 where they write none."""
    value = numerals.chinese_value(text) if not text.isdigit() else Decimal(text)
    return int(value) if value is not None else -1


@lru_cache(maxsize=1)
def _clock() -> re.Pattern[str]:
    half = r"(?P<half>凌晨|清晨|早上|早晨|早|上午|中午|午后|下午|傍晚|晚上|晚|夜里|半夜|深夜)?"
    return re.compile(
        rf"{half}\s*(?:(?P<h24>[01]?\d|2[0-3])[:：](?P<m24>[0-5]\d)(?!\d)"
        rf"|(?P<h>\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})[点點](?!儿|心|了(?![,，。!！吧]|$)|击|赞|评|餐|菜|名|半天)(?:(?P<q>半|一刻|三刻|整|钟)|(?P<m>\d{{1,2}}|[零一二三四五六七八九十]{{1,3}})分?)?)"
        r"|(?P<noon>正午|中午12点)"
    )


_MAY_TELL = re.compile(r"[点點:：午]").search  # every hour has one of these


def _clock_of(match: re.Match[str], half: str) -> tuple[int, int] | None:
    if match["noon"]:
        return 12, 0
    hour = int(match["h24"]) if match["h24"] else whole(match["h"])
    quarter = {"半": 30, "一刻": 15, "三刻": 45}.get(match["q"] or "", 0)
    minute = int(match["m24"]) if match["m24"] else quarter or (whole(match["m"]) if match["m"] else 0)
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    if (half in ("下午", "午后", "傍晚", "晚上", "晚", "夜里", "深夜") and hour < 12) or (half == "中午" and hour < 10):
        hour += 12
    if half in ("半夜", "凌晨", "夜里", "晚上") and hour == 12 and match["h"]:
        hour = 0
    return hour % 24, minute


def with_clock(text: str, days: list[When], cal: Calendar) -> list[When]:
    """The days of a text with the hours that stand behind them, and the hours that stand alone."""
    result = list(days)
    for match in _clock().finditer(text) if _MAY_TELL(text) else ():
        before = next(
            (
                day
                for day in result
                if -1 <= match.start() - day.end <= 2 and not text[day.end : match.start()].strip(" 的,")
            ),
            None,
        )
        half = match["half"] or (
            "晚上"
            if before and text[before.start : before.end].endswith(("晚", "夜"))
            else "早上"
            if before and text[before.start : before.end].endswith("早")
            else ""
        )
        hour = _clock_of(match, half)
        if hour is None:
            continue
        if before and before.bind is Bind.AT and len(before.future) == 10:
            moved = replace(
                before,
                end=match.end(),
                hour=hour,
                future=cal.moment(before.future, *hour),
                past=cal.moment(before.past, *hour),
            )
            result[result.index(before)] = moved
        elif not any(match.start() < day.end and day.start < match.end() for day in days):
            result.append(When(match.start(), match.end(), Bind.CLOCK, "", "", hour=hour))
    return sorted((_with_half(text, item) for item in result), key=lambda item: item.start)


def _with_half(text: str, item: When) -> When:
    """明天早上: the part of the day belongs to the phrase even without an hour."""
    match = re.compile(r"的?(?:凌晨|清晨|早上|早晨|上午|中午|午后|下午|傍晚|晚上|夜里|一早|一大早)").match(
        text, item.end
    )
    return replace(item, end=match.end()) if match and item.bind is Bind.AT and item.hour is None else item
