"""English hours of the day."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from functools import lru_cache

from mcp_memory_server.memory.perceive import numerals


@lru_cache(maxsize=1)
def clock() -> re.Pattern[str]:
    """An hour of the day, with its preposition."""
    hours = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    return re.compile(
        rf"(?:\b(?:at|by|around|about|from|until|till|before|after)\s+)?(?:"
        rf"(?P<h>\d{{1,2}})(?:[:.](?P<m>[0-5]\d))?\s?(?P<ap>[ap]\.?m\b\.?)"
        rf"|(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?!\d)"
        rf"|(?P<past>half past|half|quarter past|quarter to) (?P<hp>\d{{1,2}}|{hours})\b"
        rf"|(?P<named>noon|midday|midnight)\b"
        rf"|(?P<o>\d{{1,2}}|{hours}) o'?clock)(?:\s+in the (?P<half>morning|afternoon|evening)|\s+at night)?"
        rf"|\b(?:at|by|around)\s+(?P<hb>\d{{1,2}}|{hours})\b(?![\d:.,%]\d|%|\s?(?:st|nd|rd|th|percent|people|years?|months?|days?|dollars?|euros?|pounds?|quid|bucks|hundred|thousand|million|billion|grand|lakh|crore|stone|kilos?|feet|foot|k\b|°))(?:\s+in the (?P<half2>morning|afternoon|evening))?",
        re.IGNORECASE,
    )


def _hour(text: str) -> int:
    value = numerals.english_value(text)
    return int(value) if value is not None else int(text)


def clock_of(m: re.Match[str]) -> tuple[int, int] | None:
    """Hour and minute of a clock phrase; an hour from one to six without more is one of the afternoon."""
    half = (m["half"] or m["half2"] or "").lower()
    if m["named"]:
        return (0, 0) if m["named"].lower() == "midnight" else (12, 0)
    minute = int(m["m"] or m["m24"] or 0)
    if m["h24"]:
        hour = int(m["h24"])
        return _afternoon(hour, minute, half) if hour <= 12 and half else (hour, minute)
    if m["h"]:
        hour = int(m["h"])
        if not 1 <= hour <= 12:
            return None
        return hour % 12 + (12 if m["ap"].lower().startswith("p") else 0), minute
    word = m["hp"] or m["o"] or m["hb"]
    hour = _hour(word)
    if not 0 <= hour <= 23:
        return None
    if m["past"]:
        past = m["past"].lower()
        hour, minute = (hour - 1, 45) if past.endswith("to") else (hour, 15 if past.startswith("quarter") else 30)
    return _afternoon(hour, minute, half or ("afternoon" if 1 <= hour <= 6 else ""))


def _afternoon(hour: int, minute: int, half: str) -> tuple[int, int]:
    return (hour + 12 if half in ("afternoon", "evening") and hour < 12 else hour) % 24, minute
