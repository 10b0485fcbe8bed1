"""Whether the numbers and times of a statement were said: in the clause that supports it, in any unit or wording."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from mcp_memory_server.memory import value
from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.value import Match
from mcp_memory_server.memory.vocabulary import Vocabulary

# ---------------------------------------------------------------- numbers


def quantities(unit: Unit) -> list[quantity.Quantity]:
    """The numbers of a clause with their units, words such as half and both among them."""
    body = unit.body
    found = [_bound(item, body) for item in quantity.find(body, unit.lang)]
    extra = {
        "half": Decimal(50),
        "quarter": Decimal(25),
        "third": Decimal(100) / 3,
        "一半": Decimal(50),
        "double": Decimal(2),
    }
    for word, percent in extra.items():
        if rx(rf"(?i)(?<![a-z]){word}(?![a-z])").search(body):
            found.append(quantity.Quantity(0, 0, percent, "measure", "%"))
    if rx(r"(?i)\bboth|双|俩|一对").search(body):
        found.append(quantity.Quantity(0, 0, Decimal(2), "plain"))
    found += _and_a_half(body) + _shares_zh(body)
    if rx(r"半年").search(unit.text):
        found.append(quantity.Quantity(0, 0, Decimal(6), "measure", "month"))
    return found


_NOT_OVER = r"(?i)(?:\b(?:not|never|cannot|nothing|no)|n't)\b[\w ]{0,24}\b(?:over|above|beyond|more than|exceed(?:ing)?|higher than)\s*(?:[$€£]\s*)?$"


_NOT_OVER_ZH = r"(?:不|别|不要|不能|不可|不想|不许|不得)(?:能|要|会)?(?:超过|超出|高于|多于|大于)[¥￥$€£]?$"


def _bound(item: quantity.Quantity, body: str) -> quantity.Quantity:
    """ "We can't go over 2k" names a limit, and that exactly."""
    near = body[: item.end]
    limit = rx(_NOT_OVER).search(_before_digits(near)) or rx(_NOT_OVER_ZH).search(body[: item.start])
    return replace(item, approx=False) if item.approx and limit else item


def _before_digits(text: str) -> str:
    return rx(r"(?i)[\d.,]*\d ?(?:k|m|grand|thousand|million|dollars|pounds|euros|quid)?\b.{0,12}$").sub(
        "", text, count=1
    )


_SCALES = {"grand": 1000, "thousand": 1000, "k": 1000, "million": 1_000_000, "dozen": 12, "hundred": 100}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}


def _and_a_half(body: str) -> list[quantity.Quantity]:
    """ "An hour and a half", "two and a half grand", "three quarters of"."""
    found = []
    if rx(r"(?i)\bhalf an hour\b|\bhalf-hour\b").search(body):
        found.append(quantity.Quantity(0, 0, Decimal(30), "measure", "minute"))
    if rx(r"(?i)\bhalf-?way\b").search(body):
        found.append(quantity.Quantity(0, 0, Decimal(50), "measure", "%"))
    units = "hour|minute|day|week|month|year|mile|kilometre|metre|kilo|pound|litre|liter"
    number = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+"
    for match in rx(
        rf"(?i)\b({number})(?: ({units})s?)? and a half(?: ({units})s?| ({'|'.join(_SCALES)}))?\b"
    ).finditer(body):
        count = Decimal(1) if match[1].lower() in ("a", "an") else numerals.english_value(match[1]) or Decimal(match[1])
        value_, unit = count + Decimal("0.5"), (match[2] or match[3] or "").lower()
        if unit:
            shown = {"kilometre": "km", "metre": "m", "kilo": "kg", "pound": "lb", "litre": "l", "liter": "l"}.get(
                unit, unit
            )
            found.append(quantity.Quantity(0, 0, value_, "measure", shown))
        else:
            found.append(quantity.Quantity(0, 0, value_ * _SCALES.get((match[4] or "").lower(), 1), "plain"))
    for match in rx(rf"(?i)\b({number}) ({'|'.join(_PARTS)})s?\b(?! past| to| hour)").finditer(body):
        count = Decimal(1) if match[1].lower() in ("a", "an") else numerals.english_value(match[1]) or Decimal(match[1])
        share = count / _PARTS[match[2].lower()] * 100
        if share <= 100:
            found.append(quantity.Quantity(0, 0, share, "measure", "%"))
    return found


def _shares_zh(body: str) -> list[quantity.Quantity]:
    """五分之一 is a fifth, 一刻钟 a quarter of an hour."""
    found = []
    for match in rx(r"([零一二两三四五六七八九十百\d]+)分之([零一二两三四五六七八九十\d]+)").finditer(body):
        whole, part = (Decimal(text) if text.isdigit() else numerals.chinese_value(text) for text in match.groups())
        if whole and part is not None and part <= whole:
            found.append(quantity.Quantity(0, 0, part / whole * 100, "measure", "%"))
    for match in rx(r"([一二两三])刻钟").finditer(body):
        count = numerals.chinese_value(match[1]) or Decimal(1)
        found.append(quantity.Quantity(0, 0, count * 15, "measure", "minute"))
    return found


_ABOUT = r"(?i)\b(?:about|around|roughly|approximately|some|nearly|almost)\b|大约|大概|左右|差不多|约"


def missing_number(want: Sequence[Unit], have: Sequence[Unit], chosen: Sequence[Unit]) -> str:
    """A number of the statement that was not said, or not in the clause that supports it, or with another unit."""
    near = [item for unit in chosen for item in quantities(unit)]
    far = [item for unit in have for item in quantities(unit)]
    lasting = {when.future for unit in have for when in unit.times if when.bind is Bind.LASTING}
    for unit in want:
        about = rx(_ABOUT).search(unit.text) is not None
        for item in (replace(item, approx=item.approx or about) for item in quantities(unit)):
            if (
                item.value == 1
                and item.kind != "money"
                and unit.lang in ("zh", "en")
                and not rx(r"1").search(unit.body[item.start : item.end])
            ):
                continue
            pool = near if any(_kind_alike(item, other) for other in near) else far
            if any(_same_number(item, other) for other in pool) or _as_duration(item, unit, lasting, have):
                continue
            return unit.body[item.start : item.end].strip() or numerals.plain(item.value)
    return ""


def _kind_alike(item: quantity.Quantity, other: quantity.Quantity) -> bool:
    return item.kind == other.kind or "plain" in (item.kind, other.kind)


def _same_number(item: quantity.Quantity, other: quantity.Quantity) -> bool:
    if item.per and other.per and item.per != other.per:
        return False  # 860 a week is not 860 a month
    if other.approx and not item.approx:
        return False
    if other.approx and item.approx:  # about 40 is not about 41
        item, other = replace(item, approx=False), replace(other, approx=False)
    if item.kind == "plain" or other.kind == "plain":
        return item.value == other.value
    if item.kind != other.kind:
        return item.value == other.value and "point" in (item.unit, other.unit)
    mine, theirs = (
        Value(ValueType.NUMBER, numerals.plain(q.value), q.unit or None, None, q.approx) for q in (item, other)
    )
    return value.compare(theirs, mine, _EMPTY) in (Match.EQUAL, Match.LOOSER)


def _as_duration(item: quantity.Quantity, unit: Unit, lasting: set[str], have: Sequence[Unit]) -> bool:
    """六个月没喝酒 against 半年没喝酒了: the same length of time in other units."""
    if item.unit not in ("year", "month", "week", "day"):
        return False
    for other in have:
        for found in quantity.find(other.text, other.lang):
            if found.unit in ("year", "month", "week", "day") and _same_number(item, found):
                return True
        if "半年" in other.text and item.unit == "month" and item.value == 6:
            return True
    return False


_EMPTY = Vocabulary.parse({})

# ---------------------------------------------------------------- times


def missing_time(want: Sequence[Unit], have: Sequence[Unit], chosen: Sequence[Unit]) -> str:
    """A time of the statement that is not supported."""
    near = [(when, _words_of(when, unit)) for unit in chosen for when in unit.times]
    far = [(when, _words_of(when, unit)) for unit in have for when in unit.times]
    for unit in want:
        for when in unit.times:
            pool = near if any(_comparable(when, other) for other, _ in near) else far
            words = _words_of(when, unit)
            lasts = when.bind is Bind.LASTING and _lasted(words, unit.lang, have)
            if (
                not any(_same_time(when, other) and _same_days(words, theirs) for other, theirs in pool)
                and not _only_now(words)
                and not _rate(words, have)
                and not lasts
            ):
                return words.strip()
    return ""


def _rate(words: str, have: Sequence[Unit]) -> bool:
    """每月 against 一个月六千: so much in each month."""
    each = rx(r"^每个?(?P<u>月|年|天|周|星期|季度)$").match(words.strip())
    return each is not None and any(
        rx(rf"(?:一个?|按){each['u']}(?!前|后|内|以|之|没|了)[^,，。]{{0,6}}[\d一二两三四五六七八九十百千万]").search(
            unit.text
        )
        for unit in have
    )


def _words_of(when: When, unit: Unit) -> str:
    return unit.text[max(0, when.start - unit.start) : when.end - unit.start]


_WEEK = (
    r"\bmon(?:day)?s?\b|(?:周|星期|礼拜)一", r"\btue(?:s|sday)?s?\b|(?:周|星期|礼拜)二", r"\bwed(?:nesday)?s?\b|(?:周|星期|礼拜)三",
    r"\bthu(?:rs|rsday)?s?\b|(?:周|星期|礼拜)四", r"\bfri(?:day)?s?\b|(?:周|星期|礼拜)五", r"\bsat(?:urday)?s?\b|(?:周|星期|礼拜)六",
    r"\bsun(?:day)?s?\b|(?:周|星期|礼拜)[日天]",
)  # fmt: skip


def _same_days(words: str, others: str) -> bool:
    """Repeated times have no date: every Thursday is not every Friday."""
    mine, theirs = ({day for day in _WEEK if rx("(?i)" + day).search(text)} for text in (words, others))
    return not mine or not theirs or bool(mine & theirs)


def _lasted(words: str, lang: str, have: Sequence[Unit]) -> bool:
    """学了三年 and 三年了: the same length of time, wherever it stands."""
    return any(
        _same_number(item, other)
        for item in quantity.find(words, lang)
        for unit in have
        for other in quantity.find(unit.text, unit.lang)
        if item.unit and other.unit
    )


def _only_now(text: str) -> bool:
    return (
        rx(r"(?i)(?:now|currently|today|this (?:year|month|week)|今年|今天|目前|现在|本月|这个月)").fullmatch(
            text.strip()
        )
        is not None
    )


def _comparable(when: When, other: When) -> bool:
    return (when.bind is Bind.REPEAT) == (other.bind is Bind.REPEAT) and (when.bind is Bind.CLOCK) == (
        other.bind is Bind.CLOCK
    )


def _same_time(when: When, other: When) -> bool:
    if when.bind is Bind.REPEAT:
        return other.bind is Bind.REPEAT
    if when.bind is Bind.CLOCK:
        return (
            other.hour is not None and other.hour[1] == when.hour[1] and other.hour[0] % 12 == when.hour[0] % 12
            if when.hour
            else False
        )
    if not when.future:
        return True
    mine = {when.future, when.past}
    theirs = {other.future, other.past} - {""}
    if any(value.times(said, stated) in (Match.EQUAL, Match.LOOSER) for said in theirs for stated in mine):
        return not (when.until and other.until and value.times(other.until, when.until) is Match.DIFFERENT)
    if when.hour and other.hour and when.hour[1] == other.hour[1] and when.hour[0] % 12 == other.hour[0] % 12:
        return any(said[:10] == stated[:10] for said in theirs for stated in mine)
    return False
