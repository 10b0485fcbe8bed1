"""English time phrases."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive import rx as patterns
from mcp_memory_server.memory.perceive.calendar import Calendar, real
from mcp_memory_server.memory.perceive.rx import Rx
from mcp_memory_server.memory.perceive.weeks_en import RULES as WEEKS
from mcp_memory_server.memory.perceive.weeks_en import leap_day
from mcp_memory_server.memory.perceive.when import Bind, When, both

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thurs?|thu|fri)\b"
_SURE_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
    "twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_NTH = rf"(?P<{{0}}>\d{{{{1,2}}}}(?:st|nd|rd|th)?|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_COUNT = r"(?P<n>\d+(?:\.\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|eighteen|twenty|thirty|a couple(?: of)?|a few|several)"
_UNIT = r"(?P<u>day|night|week|fortnight|month|year|decade)s?"
_PART = r"(?P<part>early|mid|late|(?:the )?(?:very )?(?:start|beginning|end|middle) of|in the middle of)[ -]"


class _Match:
    """A match whose absent groups are None, whose groups have no outer spaces, and whose core is group `x`."""

    def __init__(self, match: re.Match[str]) -> None:
        self._groups = match.groupdict()
        self._span = match.span("x") if self._groups.get("x") is not None else match.span()
        self._text = match.string[slice(*self._span)]
        self.outer = match.start()

    def __getitem__(self, name: str | int) -> str:
        """The words of a group; empty when it took no part."""
        if name == 0:
            return self._text
        return (self._groups.get(str(name)) or "").strip()

    def start(self) -> int:
        """Where the core starts."""
        return self._span[0]

    def end(self) -> int:
        """Where the core ends."""
        return self._span[1]


Handler = Callable[[_Match, Calendar], When | None]


def _month(text: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(text.lower().rstrip(".")[:3]))


def _nth(text: str) -> int:
    """A day of the month in digits or words."""
    word = text.lower().rstrip("stndrh")
    return int(word) if word.isdigit() else _ORDINALS.index(text.lower()) + 1


def _weekday(text: str) -> int:
    return next(n for n, name in enumerate(_DAYS) if name.startswith(text.lower()[:3]))


def _count(text: str) -> tuple[float, bool]:
    """How many, and whether that is exact."""
    text = text.lower()
    if text.startswith("half"):
        return 0.5, True
    if text in ("a", "an"):
        return 1, True
    if text.startswith("a couple"):
        return 2, True
    if text in ("a few", "several"):
        return 3, False
    value = numerals.english_value(text)
    return (float(value), True) if value is not None else (float(text), True)


def offset(cal: Calendar, amount: float, unit: str, sign: int) -> str:
    """So many units from today, in the precision of the unit: days and weeks a date, months a month."""
    unit = unit.lower()
    if unit in ("decade", "year") and amount != int(amount):
        return cal.month(sign * round(amount * (120 if unit == "decade" else 12)))
    if unit in ("year", "decade"):
        return f"{max(1, min(9999, cal.today.year + sign * int(amount) * (10 if unit == 'decade' else 1))):04d}"
    if unit == "month":
        return cal.month(sign * int(amount)) if amount == int(amount) else cal.day(sign * round(amount * 30))
    days = {"day": 1, "night": 1, "week": 7, "fortnight": 14}[unit]
    return cal.day(sign * round(amount * days))


def _iso_date(m: _Match, cal: Calendar) -> When | None:
    day = real(int(m["y"]), int(m["mo"]), int(m["d"]))
    return both(m.start(), m.end(), Bind.AT, day) if day else None


def _slashed(m: _Match, cal: Calendar) -> When | None:
    first, second, year = int(m["a"]), int(m["b"]), int(m["y"])
    year += 2000 if year < 100 else 0
    zone = str(cal.zone)
    day, month = (
        (second, first) if (zone.startswith(("America/", "US/")) and first <= 12) or second > 12 else (first, second)
    )
    value = real(year, month, day)
    return both(m.start(), m.end(), Bind.AT, value) if value else None


def _full_date(m: _Match, cal: Calendar) -> When | None:
    month, day = _month(m["mo"]), _nth(m["d"])
    if m["y"]:
        value = real(int(m["y"]), month, day)
        return both(m.start(), m.end(), Bind.AT, value) if value else None
    future, past = cal.year_of_day(month, day, past=False), cal.year_of_day(month, day, past=True)
    if (month, day) == (2, 29):
        future, past = (leap_day(cal, step) for step in (1, -1))
    return When(m.start(), m.end(), Bind.AT, future, past) if future and past else None


def _day_range(m: _Match, cal: Calendar) -> When | None:
    month, first, last = _month(m["mo"]), _nth(m["d"]), _nth(m["d2"])
    year = int(m["y"]) if m["y"] else None
    start = real(year, month, first) if year else cal.year_of_day(month, first, past=False)
    end = real(int(start[:4]), month, last) if start else None
    return both(m.start(), m.end(), Bind.RANGE, start, end) if start and end and end >= start else None


def _day_number(m: _Match, cal: Calendar) -> When | None:
    day = int(m["d"])
    if rel := m["rel"]:
        value = cal.day_of_month(day, {"next": 1, "this": 0, "last": -1}[rel.lower()])
        return both(m.start(), m.end(), Bind.AT, value) if value else None
    future, past = cal.next_day_of_month(day), cal.last_day_of_month(day)
    return When(m.start(), m.end(), Bind.AT, future, past) if future and past else None


def _named_month(m: _Match, cal: Calendar) -> When | None:
    if m["mo"] == "march" and not (m["rel"] or m["y"] or m["part"]) and m.start() == m.outer:
        return None  # the verb; the month has a capital or a preposition
    month = _month(m["mo"])
    rel = (m["rel"] or "").lower()
    if m["y"]:
        future = past = f"{int(m['y']):04d}-{month:02d}"
    elif rel == "last":
        future = past = (
            cal.last_named_month(month) if month != cal.today.month else f"{cal.today.year - 1:04d}-{month:02d}"
        )
    elif rel == "next":
        future = past = (
            cal.next_named_month(month) if month != cal.today.month else f"{cal.today.year + 1:04d}-{month:02d}"
        )
    elif rel == "this":
        future = past = f"{cal.today.year:04d}-{month:02d}"
    else:
        future, past = cal.next_named_month(month), cal.last_named_month(month)
    if part := _part(m["part"]):
        future, past = cal.part_of_month(future, part), cal.part_of_month(past, part)
    return When(m.start(), m.end(), Bind.AT, future, past)


def _part(text: str | None) -> str:
    if not text:
        return ""
    text = text.lower()
    if "early" in text or "start" in text or "beginning" in text:
        return "start"
    return "end" if "late" in text or "end" in text else "middle"


def _simple_day(m: _Match, cal: Calendar) -> When | None:
    word = patterns.sub(r"\s+", " ", m[0].lower())
    offset_days = {
        "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1,
        "day after tomorrow": 2, "the day after tomorrow": 2, "day before yesterday": -2, "the day before yesterday": -2,
    }  # fmt: skip
    base = next(
        (value for key, value in sorted(offset_days.items(), key=lambda kv: -len(kv[0])) if word.startswith(key)),
        0,
    )
    return both(m.start(), m.end(), Bind.AT, cal.day(base))


def _weekday_phrase(m: _Match, cal: Calendar) -> When | None:
    day, rel, week = _weekday(m["day"]), (m["rel"] or "").lower(), (m["wk"] or "").lower()
    if "next" in week or (not week and rel == "next"):
        value = cal.weekday(day, 1)
    elif "last" in week or (not week and rel in ("last", "past")):
        value = cal.weekday(day, -1)
        # The Friday just gone, said on a Saturday or Sunday, is also "last Friday".
        value = (
            cal.last_weekday(day)
            if day > cal.today.weekday()
            else value
            if day < cal.today.weekday() and rel != "past"
            else cal.last_weekday(day)
        )
        if day < cal.today.weekday() and rel != "past":
            value = cal.weekday(day, -1)
    elif "this" in week or rel == "this":
        value = cal.weekday(day, 0)
    else:
        return When(m.start(), m.end(), Bind.AT, cal.next_weekday(day), cal.last_weekday(day))
    return both(m.start(), m.end(), Bind.AT, value)


def _week_from(m: _Match, cal: Calendar) -> When | None:
    """ "Friday week", "a week on Friday"."""
    from datetime import date, timedelta

    base = date.fromisoformat(cal.next_weekday(_weekday(m["day"]))) + timedelta(days=7)
    return both(m.start(), m.end(), Bind.AT, base.isoformat())


def _relative_unit(m: _Match, cal: Calendar) -> When | None:
    """ "next week", "the month after next", "end of last year", "this summer"."""
    rel, unit = m["rel"].lower(), m["u"].lower()
    step = {"this": 0, "next": 1, "coming": 1, "following": 1, "last": -1, "past": -1, "previous": -1}[rel]
    if m["after"]:
        step = 2 if m["after"].lower().endswith("next") else -2
    part = _part(m["part"])
    if unit == "week":
        days = cal.week(step)
        value = {"start": days[:10], "end": days[11:], "middle": cal.weekday(2, step)}.get(part, days)
    elif unit == "weekend":
        value = cal.weekend(0 if rel in ("this", "coming") else step)
    elif unit == "month":
        value = cal.part_of_month(cal.month(step), part) if part else cal.month(step)
    elif unit == "quarter":
        index = (cal.today.month - 1) // 3 + step
        year, quarter = cal.today.year + index // 4, index % 4
        value = f"{year:04d}-{quarter * 3 + 1:02d}/{year:04d}-{quarter * 3 + 3:02d}"
    elif unit in ("year", "school year", "academic year"):
        value = f"{cal.today.year + step:04d}"
        value = {"start": f"{value}-01", "end": f"{value}-12", "middle": f"{value}-06"}.get(part, value)
    else:
        value = _relative_season(cal, "autumn" if unit == "fall" else unit, rel)
    return both(m.start(), m.end(), Bind.AT, value)


def _relative_season(cal: Calendar, name: str, rel: str) -> str:
    if rel == "this":
        return cal.season(name, cal.today.year)
    if rel in ("last", "past", "previous"):
        year = cal.today.year
        while cal.season(name, year)[11:] >= cal.today.isoformat():
            year -= 1
        return cal.season(name, year)
    return (
        cal.season(name, cal.today.year + 1)
        if cal.season(name, cal.today.year)[:10] <= cal.today.isoformat()
        else cal.season(name, cal.today.year)
    )


def _part_of_this(m: _Match, cal: Calendar) -> When | None:
    """ "the end of the month": of the one that runs."""
    part, unit = _part(f"{m['part']} of"), m["u"].lower()
    if unit == "week":
        value = {"start": cal.weekday(0, 0), "middle": cal.weekday(2, 0), "end": cal.weekday(6, 0)}[part]
    elif unit == "month":
        value = cal.part_of_month(cal.month(0), part)
    else:
        value = f"{cal.today.year:04d}-{ {'start': '01', 'middle': '06', 'end': '12'}[part] }"
    return both(m.start(), m.end(), Bind.AT, value)


def _weekend(m: _Match, cal: Calendar) -> When | None:
    return When(m.start(), m.end(), Bind.AT, cal.weekend(0), cal.weekend(-1))


def _season(m: _Match, cal: Calendar) -> When | None:
    name = m["season"].lower().replace("fall", "autumn")
    if m["y"]:
        return both(m.start(), m.end(), Bind.AT, cal.season(name, int(m["y"])))
    return When(m.start(), m.end(), Bind.AT, cal.season_near(name, past=False), cal.season_near(name, past=True))


def _ahead(m: _Match, cal: Calendar) -> When | None:
    amount, exact = _count(m["n"])
    return both(m.start(), m.end(), Bind.AT, offset(cal, amount, m["u"], 1)) if exact else None


def _ago(m: _Match, cal: Calendar) -> When | None:
    amount, exact = _count(m["n"])
    if not exact:
        return When(m.start(), m.end(), Bind.REPEAT, "", "")
    return both(m.start(), m.end(), Bind.AT, offset(cal, amount, m["u"], -1))


def _lasting(m: _Match, cal: Calendar) -> When | None:
    amount, exact = _count(m["n"])
    return both(m.start(), m.end(), Bind.LASTING if exact else Bind.REPEAT, offset(cal, amount, m["u"], -1))


def _year(m: _Match, cal: Calendar) -> When | None:
    return both(m.start(), m.end(), Bind.AT, m["y"])


def _year_range(m: _Match, cal: Calendar) -> When | None:
    return both(m.start(), m.end(), Bind.RANGE, m["y"], m["y2"]) if m["y"] <= m["y2"] else None


def _decade(m: _Match, cal: Calendar) -> When | None:
    first = int(m["y"])
    return both(m.start(), m.end(), Bind.AT, f"{first:04d}/{first + 9:04d}")


def _holiday(m: _Match, cal: Calendar) -> When | None:
    name = patterns.sub(r"[^a-z]", "", m["holiday"].lower().replace("’", "'").replace("'s", ""))
    name = {
        "xmas": "christmas",
        "christmasday": "christmas",
        "newyear": "newyearday",
        "newyears": "newyearday",
        "valentineday": "valentine",
        "eastersunday": "easter",
    }.get(name, name)
    if m["y"]:
        value = cal.holiday(name, int(m["y"]))
        return both(m.start(), m.end(), Bind.AT, value) if value else None
    rel = (m["rel"] or "").lower()
    future, past = cal.holiday_near(name, past=False), cal.holiday_near(name, past=True)
    if rel == "last":
        future = past
    elif rel in ("next", "this"):
        past = future
    return When(m.start(), m.end(), Bind.AT, future or past or "", past or future or "") if future or past else None


def _repeat(m: _Match, cal: Calendar) -> When | None:
    return When(m.start(), m.end(), Bind.REPEAT, "", "")


_HOLIDAY_NAMES = (
    r"christmas(?: eve| day)?|xmas|new year'?s? (?:eve|day)|new year'?s?|boxing day|easter(?: sunday| monday)?|good friday|valentine'?s(?: day)?|"
    r"halloween|thanksgiving|independence day|labou?r day|may day|chinese new year|lunar new year|spring festival|mid-autumn(?: festival)?|"
    r"dragon boat festival|national day|singles'? day|black friday|bastille day|diwali"
)


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[Rx, Handler], ...]:
    year = r"(?P<y>(?:19|20)\d{2})"
    opt_year = rf"(?:,?\s+(?:of )?{year})?"
    d, d2 = _NTH.format("d"), _NTH.format("d2")
    table: list[tuple[str, Handler]] = [
        (r"(?P<y>\d{4})-(?P<mo>\d{1,2})-(?P<d>\d{1,2})(?!\d)", _iso_date),
        (r"(?<![\d/.])(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y>\d{4}|\d{2})(?![\d/.])", _slashed),
        (
            rf"(?:between |from )?(?:the )?{d}\s?(?:-|to|until|till|and|through)\s?(?:the )?{d2}\s+(?:of )?(?P<mo>{MONTH}){opt_year}",
            _day_range,
        ),
        (
            rf"(?:between |from )?(?P<mo>{MONTH})\s+(?:the )?{d}\s?(?:-|to|until|till|and|through)\s?(?:the )?{d2}(?!\d){opt_year}",
            _day_range,
        ),
        (rf"(?:{DAY},?\s+)?(?:the )?{d}\s+(?:of )?(?P<mo>{MONTH}){opt_year}", _full_date),
        (
            rf"(?:{DAY},?\s+)?(?P<mo>{MONTH})\s+(?:the )?{d}(?!\d|:|\s?(?:am|pm|people|%)){opt_year}",
            _full_date,
        ),
        (r"\bthe (?P<d>\d{1,2})(?:st|nd|rd|th)(?: of (?P<rel>this|next|last) month)?\b", _day_number),
        (
            rf"\b(?:{_PART})?(?P<rel>this |last |next )?(?P<mo>(?!(?:may|mar)\b){MONTH})(?:,?\s+(?:of )?{year})?(?!\s\d)",
            _named_month,
        ),
        (
            rf"\b(?:in|by|of|since|until|till|from|during|before|after|through|to)\s+(?P<x>(?:(?P<rel>last|next|this)\s+)?(?:(?P<part>early|mid|late)[ -])?(?P<mo>may|mar|march)\b(?:,?\s+{year})?)",
            _named_month,
        ),
        (
            r"\b(?:the )?day (?:after tomorrow|before yesterday)\b|\b(?:today|tonight|tomorrow|yesterday|last night)(?:'s)?\b(?: (?:morning|afternoon|evening|night))?|\bthis (?:morning|afternoon|evening)\b",
            _simple_day,
        ),
        (rf"\b(?P<day>{_SURE_DAY}) week\b(?! )", _week_from),
        (rf"\ba week (?:on|from) (?P<day>{_SURE_DAY})", _week_from),
        (
            rf"\b(?:every|each) (?:single )?(?:other |second )?(?:{DAY}|day|morning|afternoon|evening|night|week|weekend|month|year|summer|winter|spring|autumn)s?(?: (?:morning|afternoon|evening|night)s?)?\b|\b(?:on )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|weekend)s\b(?: (?:morning|afternoon|evening|night)s?)?(?:,? (?:and )?(?:on )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s)*|\b(?:once|twice|three times|four times|five times|\d+ times) (?:a|per|every) (?:day|week|month|year)\b|\bmost (?:days|mornings|evenings|nights|weekends|weeks)\b",
            _repeat,
        ),
        (
            rf"\b(?P<rel>this|next|last|past|coming|this coming|on)?\s*(?P<day>{DAY})(?:,? (?:morning|afternoon|evening|night))?(?! week)",
            _bare_weekday,
        ),
        (rf"\b(?P<day>{_SURE_DAY})(?: (?:of )?(?P<wk>this|next|last) week)", _weekday_phrase),
        (
            rf"\b(?:{_PART})?(?:the )?(?P<rel>this|next|coming|following|last|past|previous) (?P<u>week(?!end)|weekend|month|quarter|year|spring|summer|autumn|fall|winter)\b",
            _relative_unit,
        ),
        (
            r"\b(?:the )?(?P<part>start|beginning|middle|end) of the (?P<u>week|month|year)\b(?! (?:after|before))",
            _part_of_this,
        ),
        (r"\b(?:at |over )?the weekend\b(?! (?:after|before|of))", _weekend),
        (
            r"\bthe (?P<u>week(?!end)|weekend|month|year) (?P<after>(?:after|before) (?P<rel>next|last))\b",
            _relative_unit,
        ),
        (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {year}", _season),
        (r"\bin (?P<x>(?:the )?(?P<season>spring|summer|autumn|winter)\b)", _season),
        (
            rf"\b(?:in|within) {_COUNT} {_UNIT}(?:'s? time)?\b|\b{_COUNT.replace('<n>', '<n2>')} {_UNIT.replace('<u>', '<u2>')} from (?:now|today)\b",
            _ahead_either,
        ),
        (
            rf"\b(?:about |around |some |over |almost |nearly |more than )?{_COUNT} {_UNIT} (?:ago|back|earlier)\b",
            _ago,
        ),
        (
            rf"\b(?:for|over|during|in) (?:the )?(?:last|past) {_COUNT} {_UNIT}\b|\bfor (?:about |around |some |over |almost |nearly |more than )?{_COUNT.replace('<n>', '<n2>')} {_UNIT.replace('<u>', '<u2>')}(?: now)?\b|(?<![\dk] )(?<!pounds )(?<!euros )(?<!dollars )(?<!quid )(?<!grand )(?<!bucks )(?<!times )(?<!once )(?<!twice )\b{_COUNT.replace('<n>', '<n3>')} {_UNIT.replace('<u>', '<u3>')} (?:now|in|straight|running)\b",
            _lasting_either,
        ),
        (
            rf"\b(?:in|since|until|till|from|by|back in|before|after|during|of|around|to)\s+(?:the year )?(?P<x>{year})(?![\d\-/:]| (?:people|dollars|euros|pounds|employees|units))",
            _year,
        ),
        (rf"\b(?:between|from) {year} (?:and|to|until|till|-|–) {year.replace('<y>', '<y2>')}\b", _year_range),
        (rf"\b{year}(?=\s*[,.;:!?)]|$)", _year),
        (r"(?<=the )(?P<y>(?:19|20)\d0)s\b", _decade),
        (
            rf"\b(?P<rel>last |next |this )?(?P<holiday>{_HOLIDAY_NAMES})(?:,? (?P<y>(?:19|20)\d{{2}}))?(?![a-z])",
            _holiday,
        ),
    ]
    return tuple((Rx(pattern, re.IGNORECASE), handler) for pattern, handler in (*table, *WEEKS))


def _bare_weekday(m: _Match, cal: Calendar) -> When | None:
    word = m["day"].lower().rstrip(".")
    if word in ("mon", "wed", "fri", "tue", "tues", "thu", "thur", "thurs") and not (m["day"][0].isupper() or m["rel"]):
        return None
    return _weekday_phrase(m, cal)


def _either(m: _Match, *names: str) -> str:
    return next(value for name in names if (value := m[name]))


def _ahead_either(m: _Match, cal: Calendar) -> When | None:
    amount, exact = _count(_either(m, "n", "n2"))
    return both(m.start(), m.end(), Bind.AT, offset(cal, amount, _either(m, "u", "u2"), 1)) if exact else None


def _lasting_either(m: _Match, cal: Calendar) -> When | None:
    amount, exact = _count(_either(m, "n", "n2", "n3"))
    return both(
        m.start(),
        m.end(),
        Bind.LASTING if exact else Bind.REPEAT,
        offset(cal, amount, _either(m, "u", "u2", "u3"), -1),
    )


def phrases(text: str, cal: Calendar) -> Iterator[When]:
    """Every reading of every time phrase, overlapping ones too."""
    for pattern, handler in _rules():
        for match in pattern.finditer(text):
            try:
                item = handler(_Match(match), cal)
            except (ValueError, OverflowError):
                continue
            if item:
                yield item
