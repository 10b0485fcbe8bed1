"""Days of the year that Chinese names by their numbers: 618, 十一."""

from __future__ import annotations

from mcp_memory_server.memory.perceive.calendar import Calendar
from mcp_memory_server.memory.perceive.when import Bind, When

# What tells the day from a number: what follows it.
SALE = r"(?<![\d.])(?:618|六一八)(?=那[天会]|当天|大促|期间|活动|的时候|时候|[,，]|抢|买|囤|入|下单|狂欢|年中)"
NATIONAL = (
    r"(?<![\d零一二三四五六七八九十双第岁满是百千万])十一"
    r"(?=假期|长假|黄金周|期间|放假|小长假|就要|要去|去|打算|准备|回[老家去]|出[去发游门行国]|那[几天]|当天|结婚|办婚)"
)


def sale(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """618, the shopping day."""
    return _fixed(6, 18, start, end, cal)


def national(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """十一, National Day."""
    return _fixed(10, 1, start, end, cal)


def _fixed(month: int, day: int, start: int, end: int, cal: Calendar) -> When | None:
    future, past = cal.year_of_day(month, day, past=False), cal.year_of_day(month, day, past=True)
    return When(start, end, Bind.AT, future, past) if future and past else None
