"""Telephone numbers of persons. Public hotlines, order numbers, dates and versions are none."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mcp_memory_server.memory.guarding.identifiers import named_otherwise
from mcp_memory_server.memory.guarding.spans import Found


@lru_cache(maxsize=1)
def _candidate() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9.,/#\-_])(?<!\d:)(?:\+|00)?\(?\d[\d\-.() /\u00b7]{4,22}\d(?![A-Za-z0-9%]|[.,:]\d)"
    )


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:phone|telephone|tel|mobile|cell|call|ring|dial|text|sms|whatsapp|signal|telegram|fax|landline|reach|contact|number|"
        r"extension|hotline|callback|line)\b|电话|手机|号码|联系|拨打|座机|来电|致电|打给|打我|打他|打她|微信同号|短信|热线|传真|call我",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _public() -> re.Pattern[str]:
    # Free and service numbers: +1 800 …, 0800 …, 400-…, 95xxx, and what is called a hotline.
    return re.compile(
        r"(?:\+?1[\-. ]?)?\(?8(?:00|33|44|55|66|77|88)\)?[\-. ]|0?800[\-. ]?\d|[48]00[\-. ]?\d{3}[\-. ]?\d{4}$|95\d{3,4}$|0[38]\d0 "
    )


@lru_cache(maxsize=1)
def _hotline() -> re.Pattern[str]:
    return re.compile(
        r"hotline|helpline|help ?desk|customer (?:service|care|support)|toll[- ]free|emergency|switchboard|客服|热线|服务电话|官方电话|投诉电话|总机",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _national() -> re.Pattern[str]:
    """Forms that are a telephone number whatever stands around them."""
    return re.compile(
        r"(?:1[3-9]\d[\- ]?\d{4}[\- ]?\d{4}"  # mainland China, mobile
        r"|\(?0\d{2,3}\)?[\- ]\d{7,8}"  # mainland China, fixed
        r"|\(\d{3}\) ?\d{3}[\-. ]\d{4}|[2-9]\d{2}[\-.][2-9]\d{2}[\-.]\d{4}|1[\-. ][2-9]\d{2}[\-. ]\d{3}[\-. ]\d{4}"  # North America
        r"|0\d{3,4} \d{6,7}|0\d{4} \d{3} ?\d{3}|07\d{3}[\- ]?\d{6}|07\d{3} \d{3} \d{3}|02\d[\- ]\d{4}[\- ]\d{4}|0\d{3} \d{3} \d{4}"  # United Kingdom
        r"|0[1-9](?:[ .]\d{2}){4}"  # France
        r"|0\d{2,4}[/ ]\d{5,9}"  # Germany, Austria
        r"|04\d{2} \d{3} \d{3}|0[2378] \d{4} \d{4})"  # Australia
    )


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _is_other(text: str) -> bool:
    """Dates, times, amounts with separators, IP addresses, ISBN."""
    return bool(
        re.match(r"(?:19|20)\d{2}[\-./ ]\d{1,2}[\-./ ]\d{1,2}|\d{1,2}[\-./]\d{1,2}[\-./](?:19|20)\d{2}", text)
        or re.fullmatch(
            r"\d{1,3}(?:\.\d{1,3}){2,5}|97[89][\- ]?[\d\- ]+|\d{4}\s?-\s?\d{4}|(?:\d{4} ){3}\d{4}|(?:19|20)\d{2}(?:0[1-9]|1[0-2])\d*",
            text,
        )
    )


def phones(text: str) -> Iterator[Found]:
    """Telephone numbers: international form, a national form, or digits beside a word for telephones."""
    for match in _candidate().finditer(text):
        raw = match[0].rstrip(" -.(/")
        if raw.count("(") > raw.count(")"):
            raw = raw[: raw.rfind("(")].rstrip(" -.")
        start, end = match.start(), match.start() + len(raw)
        if _plausible(text, raw, start, end):
            yield Found("phone", start, end)


def _plausible(text: str, raw: str, start: int, end: int) -> bool:
    count = len(_digits(raw))
    if not 7 <= count <= 15 or _is_other(raw) or _public().match(raw) or named_otherwise(text, start):
        return False
    around = text[max(0, start - 24) : start]
    if _hotline().search(text[max(0, start - 24) : end + 12]):
        return False
    if raw.startswith(("+", "00")) and count >= 8:
        return (raw.startswith("+") and _possible(raw)) or bool(_words().search(around))
    if _national().fullmatch(raw):
        return True
    return bool(_words().search(around)) and count <= 13 and not re.search(r"[$€£¥]\s*$", around)


def _possible(raw: str) -> bool:
    import phonenumbers  # heavy: only when an international number was written

    try:
        return bool(phonenumbers.is_possible_number(phonenumbers.parse(raw, None)))
    except phonenumbers.NumberParseException:
        return False
