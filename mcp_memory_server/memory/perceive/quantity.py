"""Sums of money and measures: numbers with what they are numbers of."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.numerals import Number, plain
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.source import Clause


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; `unit` is an ISO currency, a unit of measure, `%`, or empty."""

    start: int
    end: int
    value: Decimal
    kind: str  # money, measure, plain
    unit: str = ""
    per: str = ""  # year, month, week, day, night…
    approx: bool = False
    local: bool = False  # "dollars" without saying whose

    def as_value(self, *, scope: str | None = None, per: str | None = None, currency: str | None = None) -> Value:
        """The typed value in canonical form."""
        if self.kind == "measure":
            return Value(ValueType.NUMBER, plain(self.value), self.unit, scope, self.approx)
        if self.kind == "money" or currency:
            unit, period = self.unit or currency or "", self.per if per is None else per
            if self.local and currency in _DOLLARS:
                unit = currency
            return Value(ValueType.MONEY, plain(self.value), f"{unit}/{period}" if period else unit, scope, self.approx)
        return Value(ValueType.NUMBER, plain(self.value), self.unit or None, scope, self.approx)


_SIGNS = {
    "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "HK$": "HKD", "NZ$": "NZD", "S$": "SGD", "NT$": "TWD",
    "R$": "BRL", "$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY",
    "฿": "THB", "₫": "VND", "zł": "PLN", "Rs": "INR", "Rs.": "INR",
}  # fmt: skip
_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD"})  # the places whose own money is a dollar
_CODES = "USD EUR GBP CNY RMB JPY CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF INR SGD HKD TWD KRW BRL MXN ZAR TRY THB AED RUB ILS"
_NAMES = {
    "us dollars": "USD", "dollars": "USD", "dollar": "USD", "bucks": "USD", "euros": "EUR", "euro": "EUR", "pounds": "GBP",
    "pound sterling": "GBP", "quid": "GBP", "yuan": "CNY", "renminbi": "CNY", "kuai": "CNY", "yen": "JPY", "rupees": "INR",
    "francs": "CHF", "swiss francs": "CHF", "kronor": "SEK", "kroner": "NOK", "krona": "SEK", "krone": "NOK", "zloty": "PLN",
    "won": "KRW", "pesos": "MXN", "reais": "BRL", "rand": "ZAR", "lira": "TRY", "baht": "THB", "dirhams": "AED",
    "canadian dollars": "CAD", "australian dollars": "AUD", "singapore dollars": "SGD", "hong kong dollars": "HKD",
    "块钱": "CNY", "块": "CNY", "元钱": "CNY", "元": "CNY", "圆": "CNY", "人民币": "CNY", "美元": "USD", "美金": "USD", "美刀": "USD",
    "刀": "USD", "欧元": "EUR", "欧": "EUR", "英镑": "GBP", "镑": "GBP", "日元": "JPY", "日币": "JPY", "港币": "HKD", "港元": "HKD",
    "新台币": "TWD", "台币": "TWD", "新币": "SGD", "加元": "CAD", "加币": "CAD", "澳元": "AUD", "澳币": "AUD", "韩元": "KRW",
    "韩币": "KRW", "瑞郎": "CHF", "卢布": "RUB", "泰铢": "THB", "卢比": "INR",
}  # fmt: skip
_ZONES = {
    "Europe/London": "GBP", "Europe/Zurich": "CHF", "Europe/Stockholm": "SEK", "Europe/Oslo": "NOK", "Europe/Copenhagen": "DKK",
    "Europe/Warsaw": "PLN", "Europe/Prague": "CZK", "Europe/Budapest": "HUF", "Europe/Istanbul": "TRY", "Europe/Moscow": "RUB",
    "America/Toronto": "CAD", "America/Vancouver": "CAD", "America/Montreal": "CAD", "America/Edmonton": "CAD",
    "America/Halifax": "CAD", "America/Winnipeg": "CAD", "America/Mexico_City": "MXN", "America/Sao_Paulo": "BRL",
    "Asia/Shanghai": "CNY", "Asia/Chongqing": "CNY", "Asia/Urumqi": "CNY", "Asia/Hong_Kong": "HKD", "Asia/Taipei": "TWD",
    "Asia/Singapore": "SGD", "Asia/Tokyo": "JPY", "Asia/Seoul": "KRW", "Asia/Kolkata": "INR", "Asia/Calcutta": "INR",
    "Asia/Bangkok": "THB", "Asia/Dubai": "AED", "Asia/Jerusalem": "ILS", "Pacific/Auckland": "NZD", "Africa/Johannesburg": "ZAR",
}  # fmt: skip


def local_currency(time_zone: str | None, lang: str) -> str:
    """The currency of a sum said without one: that of the place, else of the language."""
    zone = time_zone or ""
    if zone in _ZONES:
        return _ZONES[zone]
    for prefix, currency in (("Europe/", "EUR"), ("America/", "USD"), ("US/", "USD"), ("Australia/", "AUD")):
        if zone.startswith(prefix):
            return currency
    return "CNY" if lang == "zh" else "USD"


_MEASURES = {
    "years": "year", "year": "year", "yrs": "year", "yr": "year", "months": "month", "month": "month", "weeks": "week", "week": "week",
    "days": "day", "day": "day", "nights": "night", "hours": "hour", "hour": "hour", "hrs": "hour", "minutes": "minute", "minute": "minute",
    "mins": "minute", "centimetres": "cm", "centimeters": "cm", "cm": "cm", "metres": "m", "meters": "m", "metre": "m", "meter": "m", "m": "m",
    "inches": "in", "inch": "in", "feet": "ft", "foot": "ft", "ft": "ft", "kilos": "kg", "kilo": "kg", "kilograms": "kg", "kgs": "kg", "kg": "kg",
    "pounds": "lb", "lbs": "lb", "lb": "lb", "stone": "stone", "stones": "stone", "kilometres": "km", "kilometers": "km", "km": "km", "miles": "mile",
    "litres": "l", "liters": "l", "gallons": "gallon", "grams": "g", "mg": "mg", "ml": "ml", "percent": "%", "per cent": "%", "%": "%",
    "people": "person", "persons": "person", "employees": "person", "staff": "person", "colleagues": "person", "members": "person",
    "岁": "year", "周岁": "year", "年": "year", "个月": "month", "月": "month", "周": "week", "星期": "week", "个星期": "week", "天": "day",
    "晚": "night", "小时": "hour", "个小时": "hour", "分钟": "minute", "厘米": "cm", "公分": "cm", "米": "m", "公斤": "kg", "千克": "kg",
    "斤": "jin", "磅": "lb", "公里": "km", "千米": "km", "里": "li", "英里": "mile", "升": "l", "毫升": "ml", "克": "g", "毫克": "mg",
    "人": "person", "个人": "person", "号人": "person", "名员工": "person", "名": "person", "位": "person", "口人": "person", "口": "person",
    "分": "point", "度": "degree",
}  # fmt: skip
_PERIODS_EN = (
    ("year", r"(?:a|an|per|each|every|/)\s*(?:year|yr|annum)|yearly|annually|p\.?a\.?\b|annual"),
    ("month", r"(?:a|per|each|every|/)\s*(?:calendar )?(?:month|mo)\b|monthly|p\.?c?\.?m\.?\b"),
    ("week", r"(?:a|per|each|every|/)\s*(?:week|wk)|weekly"),
    ("night", r"(?:a|per|each|every|/)\s*night|nightly"),
    ("day", r"(?:a|per|each|every|/)\s*day|daily"),
    ("hour", r"(?:an|a|per|each|every|/)\s*(?:hour|hr)|hourly"),
    ("quarter", r"(?:a|per|each|every|/)\s*quarter|quarterly"),
)
_PERIODS_ZH = (
    ("month", r"每个?月|一个月|/月|月租|月供|月薪|月费|每月|按月|个月月|月付|月均|月入"),
    ("year", r"每年|一年|/年|年薪|年费|全年|年收入|年租|按年"),
    ("quarter", r"每个?季度?|一个季度|一季度?|季付|/季"),
    ("night", r"一晚上?|每晚|/晚|一夜|一宿|每夜"),
    ("week", r"每周|一周|每个?星期|一个?星期|/周"),
    ("day", r"每天|一天|每日|/天|日租|一日|日薪"),
    ("hour", r"每小时|一小时|时薪|/小时|一个小时"),
)


@lru_cache(maxsize=2)
def _period(lang: str) -> tuple[tuple[str, Rx], ...]:
    table = _PERIODS_ZH if lang == "zh" else _PERIODS_EN
    return tuple((name, Rx(pattern, re.IGNORECASE)) for name, pattern in table)


@lru_cache(maxsize=1)
def _before() -> re.Pattern[str]:
    signs = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
    codes = "|".join(_CODES.split())
    return re.compile(rf"(?:(?P<sign>{signs})|\b(?P<code>{codes}))\s?$")


@lru_cache(maxsize=1)
def _after() -> re.Pattern[str]:
    codes = "|".join(_CODES.split())
    names = "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))
    many = r"(?:来|多|几|余)?(?:个)?(?:多)?"
    return re.compile(rf"{many}\s?(?:(?P<code>{codes})\b|(?P<name>{names})(?![A-Za-z])|(?P<sign>[€£$]))", re.IGNORECASE)


@lru_cache(maxsize=1)
def _measure() -> re.Pattern[str]:
    units = "|".join(re.escape(unit) for unit in sorted(_MEASURES, key=len, reverse=True))
    return re.compile(
        rf"(?:来|多|几|余)?(?P<half1>半)?(?:\s|-)?(?P<unit>{units})(?![A-Za-z])(?P<half2>半)?", re.IGNORECASE
    )


_POUNDS_A_STONE = 14
_POUNDS_MORE = re.compile(
    r",? (?:and )?(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen)\b(?: ?(?:pounds?|lbs?))?(?! ?(?:%|years?|months?|days?|weeks?|times|people|o'clock|[ap]m))",
    re.IGNORECASE,
)


def period_of(text: str, lang: str) -> str:
    """The period named in some words, such as `a month` or 每年; empty when there is none."""
    for name, pattern in _period(lang):
        if pattern.search(text):
            return name
    return ""


def of_clause(clause: Clause, lang: str) -> list[Quantity]:
    """The quantities of a clause without its times, read once."""
    if clause.amounts is None:
        clause.amounts = list(find(clause.body, lang))
    return clause.amounts  # type: ignore[return-value]  # only this function fills it


def find(text: str, lang: str) -> Iterator[Quantity]:
    """Every number of the text with its unit, in order."""
    for number in numerals.chinese(text) if lang == "zh" else numerals.english(text):
        yield _with_unit(text, number, lang)


def _with_unit(text: str, number: Number, lang: str) -> Quantity:
    before = _before().search(text[max(0, number.start - 5) : number.start])
    if before:
        unit = _SIGNS.get(before["sign"] or "") or _code(before["code"])
        start = number.start - (len(before[0]))
        end, per = _period_after(text, number.end, lang)
        return Quantity(start, end, number.value, "money", unit, per, number.approx or _about(text, start))
    after = _after().match(text, number.end)
    if after and _is_money(text, after):
        unit = (
            _code(after["code"]) if after["code"] else _SIGNS.get(after["sign"] or "") or _NAMES[after["name"].lower()]
        )
        end, per = _period_after(text, after.end(), lang)
        local = (after["name"] or "").lower() in ("dollars", "dollar")
        return Quantity(number.start, end, number.value, "money", unit, per, number.approx, local)
    measure = _measure().match(text, number.end)
    if measure:
        half = Decimal("0.5") if measure["half1"] or measure["half2"] else Decimal(0)
        unit = _MEASURES[measure["unit"].lower()]
        if unit == "stone" and (pounds := _POUNDS_MORE.match(text, measure.end())):
            more = int(pounds[1]) if pounds[1].isdigit() else numerals.english_value(pounds[1])
            if more is not None and more < _POUNDS_A_STONE:
                whole = number.value * _POUNDS_A_STONE + more
                return Quantity(number.start, pounds.end(), whole, "measure", "lb", "", number.approx)
        return Quantity(number.start, measure.end(), number.value + half, "measure", unit, "", number.approx)
    end, per = _period_after(text, number.end, lang)
    return Quantity(number.start, end, number.value, "plain", "", per, number.approx)


def _about(text: str, start: int) -> bool:
    return bool(
        patterns.search(
            r"(?:about|around|roughly|almost|nearly|over|more than|~|约|大概|大约|差不多)\s*$",
            text[max(0, start - 14) : start],
            re.IGNORECASE,
        )
    )


def _is_money(text: str, after: re.Match[str]) -> bool:
    """块 counts also pieces (三块蛋糕), 刀 knives and pounds weight; money stands at an end or before 钱."""
    name = (after["name"] or "").lower()
    rest = text[after.end() : after.end() + 2]
    if name in ("块", "刀", "欧", "镑"):
        return not patterns.match(r"[\u4e00-\u9fff]", rest) or bool(
            patterns.match(r"[一以左上的多每/钱买吧了吗呢内够]|就|都|不|还|人", rest)
        )
    return not (name == "pounds" and patterns.search(r"\b(?:weigh|weight|lost|gain|heavy|lbs)", text, re.IGNORECASE))


def _code(code: str) -> str:
    return "CNY" if code.upper() == "RMB" else code.upper()


def _period_after(text: str, end: int, lang: str) -> tuple[int, str]:
    for name, pattern in _period(lang):
        match = pattern.match(text, end + (len(text[end:]) - len(text[end:].lstrip(" ,")) if lang != "zh" else 0))
        if match:
            return match.end(), name
    return end, ""
