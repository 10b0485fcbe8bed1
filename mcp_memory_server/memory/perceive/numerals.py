"""Numbers in words and digits, English and Chinese: where they stand and what they are worth."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from mcp_memory_server.memory.perceive import rx as patterns

_ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {word: 10 * (2 + n) for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "grand": 1000,
    "lakh": 10**5,
    "crore": 10**7,
}
_SUFFIXES = {
    "k": 10**3, "m": 10**6, "mn": 10**6, "mil": 10**6, "mio": 10**6, "mill": 10**6, "b": 10**9, "bn": 10**9,
    "thousand": 10**3, "grand": 10**3, "million": 10**6, "billion": 10**9, "hundred": 100,
    "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7,
}  # fmt: skip
_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_ZH_ASCII_UNITS = {"w": 10**4, "k": 10**3}


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text; `approx` when the words say about, more than, some."""

    start: int
    end: int
    value: Decimal
    approx: bool = False


def plain(value: Decimal) -> str:
    """Plain decimal notation without exponent, separators or trailing zeros."""
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


# ---------------------------------------------------------------- English


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    words = "|".join(
        sorted(
            [*_ONES, *_TENS, "hundred", "thousand", "million", "billion", "grand", "dozen", "lakh", "crore"],
            key=len,
            reverse=True,
        )
    )
    chain = rf"(?:{words})(?:(?:[\s-]+|\s+and\s+)(?:{words}))*"
    suffix = "|".join(sorted(_SUFFIXES, key=len, reverse=True))
    return re.compile(
        rf"(?<![\w.,])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:(?!\sm\b)\s?(?P<suffix>{suffix})(?![A-Za-z0-9])(?!\s(?:tall|high|long|wide|deep)))?(?:\s+and\s+a\s+(?P<dhalf>half))?"
        rf"|\b(?P<half>half\s+an?|an?\s+half|a|a\s+couple(?:\s+of)?)\s+(?P<scale>hundred|thousand|million|billion|grand|dozen|lakh|crore)\b"
        rf"|\b(?P<words>{chain})(?:\s+and\s+a\s+(?P<whalf>half))?\b",
        re.IGNORECASE,
    )


def english_value(text: str) -> Decimal | None:
    """The value of number words such as `fifteen hundred` or `two million three hundred thousand`."""
    total, current, seen = 0, 0, False
    for word in patterns.split(r"[\s-]+", text.lower().strip()):
        if word == "and":
            continue
        if word in _ONES:
            current += _ONES[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "dozen":
            current = max(current, 1) * 12
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total, current = total + max(current, 1) * _SCALES[word], 0
        else:
            return None
        seen = True
    return Decimal(total + current) if seen else None


def english(text: str) -> Iterator[Number]:
    """The numbers of an English text, in order."""
    for match in _english().finditer(text):
        value: Decimal | None
        if match["digits"]:
            value = Decimal(match["digits"].replace(",", ""))
            if match["suffix"]:
                value *= _SUFFIXES[match["suffix"].lower()]
            elif match["dhalf"]:
                value += Decimal("0.5")
        elif match["half"]:
            factor = {"half": Decimal("0.5"), "a": Decimal(1)}.get(match["half"].lower().split()[0], Decimal(1))
            factor = Decimal(2) if "couple" in match["half"].lower() else factor
            factor = Decimal("0.5") if "half" in match["half"].lower() else factor
            value = factor * (12 if match["scale"].lower() == "dozen" else _SCALES[match["scale"].lower()])
        else:
            value = english_value(match["words"])
            if value is not None and match["whalf"]:
                value += Decimal("0.5")
        if value is not None:
            yield Number(match.start(), match.end(), value, approx=_approx_en(text, match))


@lru_cache(maxsize=1)
def _about_en() -> re.Pattern[str]:
    return re.compile(
        r"(?:\babout|\baround|\broughly|\bapprox(?:imately|\.)?|\balmost|\bnearly|\bsome|\bover|\bmore than|\bless than|\bunder|\bbelow|"
        r"\bclose to|\ba (?:bit|little) (?:over|under)|\bjust (?:over|under)|\bor so|~|\bcirca|\bc\.|\bupwards of|\bnorth of|\bhovering around|\bgive or take)\s*[$€£¥]?\s*$",
        re.IGNORECASE,
    )


def _approx_en(text: str, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 22]
    return bool(_about_en().search(text[max(0, match.start() - 24) : match.start()])) or bool(
        patterns.match(r"\+|-?ish\b|\s*(?:or so|plus|odd|or thereabouts|-odd)\b|\s+[a-z]+ or so\b", after)
    )


# ---------------------------------------------------------------- Chinese

_TO_ZH = str.maketrans("0123456789", "零一二三四五六七八九")
_ZH_CHARS = "零〇一二两三四五六七八九十百千万亿"
_SCALED_ZH = re.compile(r"[来多几余](?P<u>[万亿])")


@lru_cache(maxsize=1)
def _chinese() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?(?P<unit>[十百千万亿]+|[wWkK](?![A-Za-z0-9]))?(?P<tail>[{_ZH_CHARS}\d]+)?"
        rf"|(?P<words>[{_ZH_CHARS}]+(?:点[{_ZH_CHARS}]+)?(?:[万亿]+)?)"
        rf"|(?P<half>半)(?=个?[年月天]|个小时|斤|公斤|岁|小时)"
    )


def chinese_value(text: str) -> Decimal | None:
    """The value of Chinese numerals: 三千九百九, 十万零三千六, 一点五亿, 二〇二五."""
    if "点" in text:
        return _decimal_point(text)
    if text and all(char in _ZH_DIGITS for char in text):
        return Decimal("".join(str(_ZH_DIGITS[char]) for char in text))
    total = section = 0
    digit: int | None = None
    last_unit, zero = 1, False
    for char in text:
        if char in _ZH_DIGITS:
            zero = zero or _ZH_DIGITS[char] == 0
            digit = _ZH_DIGITS[char]
            continue
        unit = _ZH_UNITS.get(char)
        if unit is None:
            return None
        if unit >= 10**4:
            section = (section + (digit or 0)) or (1 if not total else 0)
            total = (total + section) * unit if unit == 10**8 else total + section * unit
            section = 0
        else:
            section += (1 if digit is None else digit) * unit
        digit, last_unit, zero = None, unit, False
    if digit is not None:
        # A last digit without a unit counts the next lower one: 一万二 is 12,000, 四百五 is 450; not after 零.
        section += digit * (last_unit // 10 if last_unit >= 100 and not zero else 1)
    return Decimal(total + section)


def _decimal_point(text: str) -> Decimal | None:
    whole, _, rest = text.partition("点")
    scale = 1
    while rest and rest[-1] in "万亿千百":
        scale *= _ZH_UNITS[rest[-1]]
        rest = rest[:-1]
    left = chinese_value(whole)
    if left is None or not rest or any(char not in _ZH_DIGITS for char in rest):
        return None
    return Decimal(f"{left}.{''.join(str(_ZH_DIGITS[c]) for c in rest)}") * scale


def chinese(text: str) -> Iterator[Number]:
    """The numbers of a Chinese text, digits and numerals, in order."""
    pattern, position = _chinese(), 0
    while match := pattern.search(text, position):
        end = match.start() + _one_number(match["words"]) if match["words"] else match.end()
        position = max(end, match.start() + 1)
        value = chinese_value(text[match.start() : end]) if match["words"] else _chinese_number(match)
        scaled = _SCALED_ZH.match(text, end)
        if value is not None and scaled and value < _ZH_UNITS[scaled["u"]]:  # 六十来万, 30多亿
            yield Number(match.start(), scaled.end(), value * _ZH_UNITS[scaled["u"]], approx=True)
            position = scaled.end()
            continue
        if value is not None and (not match["words"] or _is_number(text[match.start() : end])):
            yield Number(match.start(), end, value, approx=_approx_zh(text, end, match.start()))


def _chinese_number(match: re.Match[str]) -> Decimal | None:
    if match["half"]:
        return Decimal("0.5")
    try:
        value = Decimal(match["digits"].replace(",", ""))
    except InvalidOperation:  # pragma: no cover - the pattern admits decimals only
        return None
    unit, tail = match["unit"] or "", match["tail"] or ""
    factor = 1
    for char in unit:
        factor *= _ZH_UNITS.get(char) or _ZH_ASCII_UNITS[char.lower()]
    value *= factor
    if tail and factor >= 100:
        if tail.isdigit():  # 1万2
            value += Decimal(tail) * (factor // 10 ** len(tail)) if len(tail) <= 4 else 0
        else:
            value += _tail_value(tail, factor)
    return value


def _tail_value(tail: str, factor: int) -> Decimal:
    value = chinese_value(tail.translate(_TO_ZH))
    if value is None:
        return Decimal(0)
    return value * (factor // 10) if len(tail) == 1 and tail in _ZH_DIGITS else value


def _one_number(words: str) -> int:
    """How much of a run of numerals is one number: 四百五一晚 is 450 and one night, 三五个 is three or five."""
    unit_seen, digit_before = False, False
    plain_run = all(char in _ZH_DIGITS for char in words)
    for place, char in enumerate(words):
        if char in _ZH_UNITS:
            unit_seen, digit_before = True, False
        elif char in _ZH_DIGITS:
            if digit_before and not plain_run and unit_seen and words[place - 1] not in "零〇":
                about = _ZH_DIGITS[char] == _ZH_DIGITS[words[place - 1]] + 1 and words[place + 1 : place + 2] in (
                    "万",
                    "亿",
                )
                if not about:  # 十五六万 is one number, about so much
                    return place
            digit_before = True
    return len(words)


def _is_number(words: str) -> bool:
    return words[0] not in "万亿点百千" and bool(words.strip("零〇"))


@lru_cache(maxsize=1)
def _about_zh() -> re.Pattern[str]:
    return re.compile(
        r"(?:大概|大约|差不多|约|左右|将近|接近|快|超过|不到|近|估计|几乎|上下|起码|少说|至少)\s*(?:有|是|要)?[¥￥$€£]?$"
    )


def _approx_zh(text: str, end: int, start: int) -> bool:
    after = text[end : end + 5]
    return bool(
        patterns.match(r"多|来|几|余|左右|上下|出头|[元块人岁斤个号年月天]{0,2}(?:左右|上下|出头|多(?![少])|来)", after)
    ) or bool(_about_zh().search(text[max(0, start - 6) : start]))
