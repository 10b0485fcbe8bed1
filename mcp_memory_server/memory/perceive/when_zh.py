"""Chinese time phrases."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.calendar import Calendar, iso, real, shift
from mcp_memory_server.memory.perceive.clock_zh import whole, with_clock
from mcp_memory_server.memory.perceive.dispatch import Dispatch
from mcp_memory_server.memory.perceive.feasts_zh import NATIONAL, SALE, national, sale
from mcp_memory_server.memory.perceive.when import Bind, When, both, keep_longest

_N = r"[0-9]{1,2}|[一二两三四五六七八九十]{1,3}"
_BIG = r"[0-9]+(?:\.[0-9]+)?|[零一二两三四五六七八九十百]+|半"
_BARE_DAY = r"二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九]|[12]\d|3[01]|[1-9]"
_WEEK = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "7": 6,
}
_RELDAY = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "今夜": 0, "今晨": 0,
    "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3, "今儿": 0, "今个": 0, "明儿": 1, "明个": 1, "后儿": 2, "昨儿": -1, "前儿": -2, "当天": 0, "前晚": -2, "后晚": 2,
}  # fmt: skip
_RELYEAR = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "上一年": -1,
    "今年": 0,
    "本年": 0,
    "明年": 1,
    "来年": 1,
    "后年": 2,
    "当年": 0,
}
_SEASON = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}

Handler = Callable[[dict[str, str], int, int, Calendar], When | None]


def _amount(text: str) -> float:
    if text == "半":
        return 0.5
    if re.fullmatch(r"[0-9.]+", text):
        return float(text)
    value = numerals.chinese_value(text)
    return float(value) if value is not None else -1


def _steps(text: str) -> int:
    """上周 is -1, 下下周 2, 这周 0."""
    return text.count("下") - text.count("上")


def _relday(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return both(start, end, Bind.AT, cal.day(_RELDAY[g["day"]]))


def _weekday(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    rel, day = g.get("rel", ""), g["d"]
    if day in ("末",):
        if rel:
            return both(start, end, Bind.AT, cal.weekend(_steps(rel)))
        this, last = cal.weekend(0), cal.weekend(-1)
        past = this if cal.today.weekday() >= 5 else last
        return When(start, end, Bind.AT, this, past)
    number = _WEEK[day]
    if rel:
        return both(start, end, Bind.AT, cal.weekday(number, _steps(rel)))
    return When(start, end, Bind.AT, cal.next_weekday(number), cal.last_weekday(number))


def _week(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return both(start, end, Bind.AT, cal.week(_steps(g["rel"])))


def _part(text: str) -> str:
    if text in ("底", "末", "下旬", "尾"):
        return "end"
    if text in ("初", "上旬", "头"):
        return "start"
    return "middle" if text else ""


def _day_in(month: str, day: int) -> str | None:
    return real(int(month[:4]), int(month[5:]), day)


def _relmonth(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    month = cal.month(_steps(g["rel"]))
    if g.get("d"):
        day = _day_in(month, whole(g["d"]))
        return both(start, end, Bind.AT, day) if day else None
    part = _part(g.get("part", ""))
    value = (
        f"{month}-21/{cal.part_of_month(month, 'end')}"
        if g.get("part") == "下旬"
        else cal.part_of_month(month, part)
        if part
        else month
    )
    return both(start, end, Bind.AT, value)


def _month_end(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """月底, 月初 without a month."""
    part = _part(g["part"])
    this = cal.part_of_month(cal.month(0), part)
    today = iso(cal.today)
    future = this if this[:10] >= today else cal.part_of_month(cal.month(1), part)
    past = this if this[:10] <= today else cal.part_of_month(cal.month(-1), part)
    return When(start, end, Bind.AT, future, past)


def _year_word(g: dict[str, str], cal: Calendar) -> int | None:
    if g.get("ry"):
        return cal.today.year + _RELYEAR[g["ry"]]
    if g.get("y"):
        text = g["y"]
        year = whole(text)
        if (len(text) == 2 and text.isdigit()) or len(text) == 2:
            year += 2000 if year < 60 else 1900
        return year if 1900 <= year <= 2200 else None
    return None


def _date(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """Year, month and day in any combination that begins with a year or a month."""
    year, month = _year_word(g, cal), whole(g["m"]) if g.get("m") else 0
    if (g.get("y") and year is None) or (g.get("m") and not 1 <= month <= 12):
        return None
    if g.get("d"):
        return _full(year, month, whole(g["d"]), start, end, cal)
    if month:
        future = past = f"{year:04d}-{month:02d}" if year else ""
        if not year:
            future, past = cal.next_named_month(month), cal.last_named_month(month)
        if part := _part(g.get("part", "")):
            future, past = cal.part_of_month(future, part), cal.part_of_month(past, part)
        return When(start, end, Bind.AT, future, past)
    if year is None:
        return None
    return both(start, end, Bind.AT, _part_of_year(year, g, cal))


def _full(year: int | None, month: int, day: int, start: int, end: int, cal: Calendar) -> When | None:
    if year:
        value = real(year, month, day)
        return both(start, end, Bind.AT, value) if value else None
    future, past = cal.year_of_day(month, day, past=False), cal.year_of_day(month, day, past=True)
    return When(start, end, Bind.AT, future, past) if future and past else None


def _part_of_year(year: int, g: dict[str, str], cal: Calendar) -> str:
    if season := g.get("s"):
        return cal.season(_SEASON[season], year)
    part = g.get("yp", "")
    if part in ("底", "末", "年底", "年末", "尾"):
        return f"{year:04d}-12"
    if part in ("初", "年初", "头"):
        return f"{year:04d}-01"
    if part in ("年中", "中"):
        return f"{year:04d}-06"
    if part == "上半年":
        return f"{year:04d}-01/{year:04d}-06"
    if part == "下半年":
        return f"{year:04d}-07/{year:04d}-12"
    return f"{year:04d}"


def _year_part(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """年底, 年初, 上半年 without a year."""
    year = cal.today.year
    value = _part_of_year(year, {"yp": g["yp"]}, cal)
    after = _part_of_year(year + 1, {"yp": g["yp"]}, cal)
    before = _part_of_year(year - 1, {"yp": g["yp"]}, cal)
    this = cal.month(0)
    return When(start, end, Bind.AT, value if value[-7:] >= this else after, value if value[:7] <= this else before)


def _season(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    name = _SEASON[g["s"]]
    return When(start, end, Bind.AT, cal.season_near(name, past=False), cal.season_near(name, past=True))


def _day_number(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    day = whole(g["d"])
    if not 1 <= day <= 31:
        return None
    future, past = cal.next_day_of_month(day), cal.last_day_of_month(day)
    return When(start, end, Bind.AT, future, past, bare=True) if future and past else None


def _range(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """5月3号到10号, 3号到10号, 5月3号到6月2号."""
    first_month = whole(g["m"]) if g.get("m") else 0
    last_month = whole(g["m2"]) if g.get("m2") else first_month
    first, last = whole(g["d"]), whole(g["d2"])
    year = _year_word(g, cal)
    if first_month:
        begin = real(year, first_month, first) if year else cal.year_of_day(first_month, first, past=False)
    else:
        begin = cal.next_day_of_month(first)
    if not begin:
        return None
    close = real(int(begin[:4]), last_month or int(begin[5:7]), last)
    if close and close < begin:
        close = real(int(begin[:4]) + 1, last_month, last) if last_month else None
    return both(start, end, Bind.RANGE, begin, close) if close else None


def offset(cal: Calendar, amount: float, unit: str, sign: int) -> str:
    """So many units from today, in the precision of the unit."""
    if unit in ("年", "载"):
        return (
            f"{max(1, min(9999, cal.today.year + sign * int(amount))):04d}"
            if amount == int(amount)
            else cal.month(sign * round(amount * 12))
        )
    if unit in ("个月", "个多月", "月"):
        return cal.month(sign * int(amount)) if amount == int(amount) else cal.day(sign * round(amount * 30))
    days = 7 if unit in ("周", "个星期", "星期", "个礼拜", "礼拜") else 1
    return iso(shift(cal.today, sign * round(amount * days)))


def _ago(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    amount = _amount(g["n"]) + (0.5 if g.get("half") and g["n"] != "半" else 0)
    if amount < 0 or g.get("vague"):
        return None
    forward = g["dir"] in ("后", "之后", "以后", "内", "之内", "以内")
    return both(start, end, Bind.AT, offset(cal, amount, g["u"], 1 if forward else -1))


def _lasting(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    amount = _amount(g["n"]) + (0.5 if g.get("half") else 0)
    return both(start, end, Bind.LASTING, offset(cal, amount, g["u"], -1)) if amount > 0 else None


def _holiday(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    name, year = g["h"], _year_word(g, cal)
    if year:
        value = cal.holiday(name, year)
        if value and g.get("yp") and "/" not in value:
            value = value
        return both(start, end, Bind.AT, value) if value else None
    future, past = cal.holiday_near(name, past=False), cal.holiday_near(name, past=True)
    return When(start, end, Bind.AT, future or past or "", past or future or "") if future or past else None


def _repeat(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return When(start, end, Bind.REPEAT, "", "")


def _iso_date(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    day = real(int(g["y"]), int(g["m"]), int(g["d"]))
    return both(start, end, Bind.AT, day) if day else None


def _years(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """2016到2020年."""
    return both(start, end, Bind.RANGE, g["y"], g["y2"]) if g["y"] < g["y2"] else None


def _months(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """三月到五月, the next or, for what is past, the last."""
    first, last = whole(g["m"]), whole(g["m2"])
    if not (1 <= first <= 12 and 1 <= last <= 12):
        return None
    begin = f"{year:04d}-{first:02d}" if (year := _year_word(g, cal)) else cal.next_named_month(first)
    until = f"{int(begin[:4]) + (last < first):04d}-{last:02d}"
    return both(start, end, Bind.RANGE, begin, until)


def _vacation(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """The long school holidays: July and August, January and February."""
    first, last = ("07", "08") if g["v"].startswith("暑") else ("01", "02")
    if year := _year_word(g, cal):
        return both(start, end, Bind.AT, f"{year:04d}-{first}/{year:04d}-{last}")
    this = cal.month(0)[5:]
    coming = cal.today.year + (this > last)
    latest = cal.today.year - (this < first)
    return When(
        start, end, Bind.AT, f"{coming:04d}-{first}/{coming:04d}-{last}", f"{latest:04d}-{first}/{latest:04d}-{last}"
    )


def _quarter(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """第三季度, Q3."""
    number = whole(g["q"])
    first, last = 3 * number - 2, 3 * number

    def of(year: int) -> str:
        return f"{year:04d}-{first:02d}/{year:04d}-{last:02d}"

    if year := _year_word(g, cal):
        return both(start, end, Bind.AT, of(year))
    month, year = cal.today.month, cal.today.year
    return When(start, end, Bind.AT, of(year + (month > last)), of(year - (month < first)))


def _in_days(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    """再过三天."""
    return _ago({**g, "dir": "后"}, start, end, cal)


@lru_cache(maxsize=8)
def _rules(holiday_names: tuple[str, ...]) -> Dispatch[tuple[re.Pattern[str], Handler]]:
    ry = "|".join(sorted(_RELYEAR, key=len, reverse=True))
    year = rf"(?:(?P<ry>{ry})|(?P<y>(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{{3}}|[6-9]\d(?=年)|[零〇一二三四五六七八九]{{2}}(?=年))年)"
    day = rf"(?P<d>{_N})(?:号|日)"
    days = "|".join(sorted(_RELDAY, key=len, reverse=True))
    rel = r"(?P<rel>上上个?|下下个?|上个?|下个?|这个?|本|当)"
    unit = r"(?P<u>年|个月|个星期|星期|个礼拜|礼拜|周|天|日)"
    holidays = "|".join(re.escape(name) for name in sorted(holiday_names, key=len, reverse=True)) or r"(?!)"
    table: list[tuple[str, Handler]] = [
        (r"(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)", _iso_date),
        (
            rf"(?:{year}的?)?(?:(?P<m>{_N})月(?:份)?)?(?P<d>{_N})(?:号|日)?(?:到|至|-|~|—)(?:(?P<m2>{_N})月(?:份)?)?(?P<d2>{_N})(?:号|日)",
            _range,
        ),
        (r"(?P<y>(?:19|20)\d\d)年?(?:到|至|-|~|—)(?P<y2>(?:19|20)\d\d)(?:年(?!级)|(?=[\u4e00-\u9fff]))", _years),
        (
            rf"(?:{year}的?)?(?P<m>{_N})月(?:份)?(?:到|至|-|~|—)(?P<m2>{_N})月(?:份)?(?![\d一二三四五六七八九十])",
            _months,
        ),
        (rf"(?:{year}的?)?(?P<v>暑假|寒假|暑期)(?!工|作业|班|实习)", _vacation),
        (rf"(?:{year}的?)?(?:第?(?P<q>[一二三四1-4])季度|Q(?P<q2>[1-4])(?![A-Za-z0-9]))", _quarter_checked),
        (r"(?P<y>(?:19|20)\d\d|\d\d)届", _date),
        (rf"(?<!\S[经超])再?过(?P<n>{_BIG})(?P<u>年|个月|个星期|星期|个礼拜|礼拜|周|天)(?!去|了|没)", _in_days),
        (rf"{year}的?(?P<m>{_N})月(?:份)?(?:{day}|(?P<part>初|上旬|中旬|下旬|底|末))?", _date),
        (rf"(?<![\d零一二三四五六七八九十.])(?P<m>{_N})月(?:份)?{day}", _date),
        (
            r"(?<![\d零一二三四五六七八九十.])(?P<m>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?P<part>初|上旬|中旬|下旬|底|末)?(?!\d)",
            _date,
        ),
        (
            rf"(?:{year}的?)?(?<![\d零一二三四五六七八九十.])(?P<m>{_N})月(?:份)?(?P<d>{_BARE_DAY})(?=[,，。、;；!！?？\s]|$|出生|生的|生人|那天|当天|之前|以前)",
            _date,
        ),
        (SALE, sale),
        (NATIONAL, national),
        (rf"{year}的?(?P<s>春|夏|秋|冬)(?:天|季)?", _date),
        (rf"{year}的?(?P<yp>年底|年末|年初|年中|上半年|下半年|底|末|初)?(?!级|代|薪|纪|龄)", _date),
        (r"(?<![一二两三四五六七八九十\d半每])(?P<yp>年底|年末|年初|年中|上半年|下半年)", _year_part),
        (rf"{rel}月(?:{day}|(?P<part>初|上旬|中旬|下旬|底|末))?(?!薪|租|供)", _relmonth),
        (r"(?<![上下这本个\d一二两三四五六七八九十])月(?P<part>底|初|末|中(?!旬))", _month_end),
        (
            rf"{rel}?(?:周|星期|礼拜)(?P<d>[一二三四五六日天末1-7])(?![年月个岁点次天半]|周(?![一二三四五六日天末]))",
            _weekday,
        ),
        (rf"{rel}(?:周|星期|礼拜)(?![一二三四五六日天末])", _week),
        (rf"(?P<day>{days})", _relday),
        (
            r"(?<![月\d零一二三四五六七八九十.:第])(?P<d>[0-9]{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])(?:号|日)(?![线楼人院门机店厅馆台码球柜箱桌床房仓库泵位舱席座]|吊车|货车|卡车|车(?:间|位|库|厢))",
            _day_number,
        ),
        (r"(?<![去今前明后春夏秋冬])(?P<s>春|夏|秋|冬)(?:天|季)", _season),
        (
            rf"(?:大概|大约|差不多)?(?P<vague>几|好几)?(?P<n>{_BIG})?(?P<more>多)?(?P<half>半)?{unit}(?:多|半)?(?P<dir>以前|之前|前|之后|以后|后(?!面|来|悔)|之内|以内|内)(?!任|台|端)",
            _ago_checked,
        ),
        (
            rf"(?:从来|已经|都|快|有|整整|一共|一晃|转眼|眨眼|坚持了?)?(?P<n>{_BIG})(?:多|来)?(?P<half0>个)?(?P<u>年|月|个月|个星期|星期|个礼拜|礼拜|周|天)(?P<half>半)?多?(?:(?=没\S{{1,8}}?了)|了(?!吗|么))",
            _lasting_checked,
        ),
        (
            rf"(?<![零一二两三四五六七八九十百千万\d])(?:{year})?的?(?P<h>{holidays})(?:节|假期|长假|当天|那天|期间|假)?",
            _holiday,
        ),
        (
            r"每(?:个|逢|隔)?(?:[一二两三四五六七八九十\d]+个?)?(?:(?:周|星期|礼拜)[一二三四五六日天末]|天|日|周|星期|礼拜|月|年|晚上?|早上?|周末|早晨|夜|学期|季度?|次)(?:晚上|早上|下午|中午)?(?:和周[一二三四五六日])*|天天|年年|(?:一|两|三|四|五|每)[周天月年]?[一二两三四五六七八九十]次|周[一二三四五六日]到周[一二三四五六日]",
            _repeat,
        ),
    ]
    rules = {(re.compile(pattern), handler): pattern for pattern, handler in table}
    return Dispatch(tuple(rules), rules)  # a pattern is its own trigger


def _quarter_checked(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return _quarter({**g, "q": g.get("q") or g["q2"]}, start, end, cal)


def _ago_checked(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return _ago(g, start, end, cal) if g.get("n") else None


def _lasting_checked(g: dict[str, str], start: int, end: int, cal: Calendar) -> When | None:
    return _lasting({**g, "u": "个月" if g["u"] == "月" else g["u"]}, start, end, cal)


def find(text: str, cal: Calendar) -> list[When]:
    """The time phrases of a Chinese text, with the words that bind them."""
    days = _same_month(keep_longest(_matches(text, cal)))
    return _with_bonds(text, with_clock(text, days, cal))


def _same_month(found: list[When]) -> list[When]:
    """4月8号走，15号回: a bare day after a date is one of the same month (or the next, when it is earlier)."""
    for index in range(1, len(found)):
        before, item = found[index - 1], found[index]
        if not (item.bare and len(before.future) == 10 and before.bind is Bind.AT):
            continue
        day = int(item.future[8:])
        future, past = _after(before.future, day), _after(before.past, day)
        if future and past:
            found[index] = replace(item, future=future, past=past)
    return found


def _after(date: str, day: int) -> str | None:
    year, month = int(date[:4]), int(date[5:7])
    if day < int(date[8:]):
        year, month = year + month // 12, month % 12 + 1
    return real(year, month, day)


def _matches(text: str, cal: Calendar) -> Iterator[When]:
    rules = _rules(tuple(cal.holidays))
    for pattern, handler in rules.rules(rules.likely(text)):
        for match in pattern.finditer(text):
            if match.start() == match.end():
                continue
            groups = {name: value for name, value in match.groupdict().items() if value}
            try:
                item = handler(groups, match.start(), match.end(), cal)
            except (ValueError, OverflowError, KeyError):
                continue
            if item:
                yield item


_AFTER = re.compile(
    r"(?P<since>(?:开始|起|以来|至今|到现在|到今天)(?!床|飞|草|身|来|名|步|点|义)|之后一直)|(?P<by>(?:的)?(?:下班|上班|放学|睡觉|天黑|中午|晚上|早上|午夜|凌晨)(?:之前|以前|前)|之前|以前|前(?!端|台|任|面|夫|妻|女|男)|截止|内要?交|必须|到期)|(?P<until>为止)"
)
_BEFORE = re.compile(
    r"(?P<since>从|自从|自)$|(?P<by>最晚|最迟|赶在)$|(?P<until>(?<![改迟前延调挪期换])到|直到|至|截至|截止到)$"
)


def _with_bonds(text: str, found: list[When]) -> list[When]:
    result: list[When] = []
    for item in found:
        if item.bind is Bind.AT:
            item = _bound(text, item)
        previous = result[-1] if result else None
        gap = text[previous.end : item.start] if previous else ""
        if (
            previous
            and item.bind is Bind.UNTIL
            and previous.bind in (Bind.AT, Bind.SINCE)
            and not gap
            and previous.future
        ):
            result[-1] = When(previous.start, item.end, Bind.RANGE, previous.future, previous.past, item.future)
            continue
        result.append(item)
    return result


def _bound(text: str, item: When) -> When:
    after, before = _AFTER.match(text, item.end), _BEFORE.search(text[max(0, item.start - 3) : item.start])
    start = item.start - len(before[0]) if before else item.start
    if after and after["since"]:
        return replace(item, start=start, end=after.end(), bind=Bind.SINCE)
    if after and after["by"]:
        end = after.end() if after["by"].endswith(("前", "截止", "到期")) else item.end
        return replace(item, start=item.start, end=end, bind=Bind.BY)
    if after and after["until"]:
        return replace(item, start=start, end=after.end(), bind=Bind.UNTIL)
    if before and before["by"]:
        return replace(item, start=start, bind=Bind.BY)
    if before and before["since"]:
        return replace(item, start=start, bind=Bind.SINCE)
    if before and before["until"]:
        return replace(item, start=start, bind=Bind.UNTIL)
    return item
