"""What a detector finds, and the length-keeping fold that all detectors read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A value to mask: its kind and its code points in the text as given."""

    kind: str
    start: int
    end: int

    def overlaps(self, other: Found) -> bool:
        """True when both have a code point in common."""
        return self.start < other.end and other.start < self.end


def _fold_char(char: str) -> str:
    if char in "‘’‛":
        return "'"
    if char in "“”„":
        return '"'
    if unicodedata.category(char) in ("Pd",) or char == "−":
        return "-"
    if char.isspace():
        return "\n" if char in "\n\r\u2028\u2029" else " "
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char


def fold(text: str) -> str:
    """`text` with full-width forms, dashes, quotes and spaces in their plain form, of equal length."""
    if not (text.isascii() and "\r" not in text and "\t" not in text):
        text = text.translate(_FOLDS)
    if "  " in text or not text.isprintable():
        text = _LONG_GAP.sub(lambda match: _FILLER * len(match[0]), text)
    return text


class _Folds(dict[int, str]):
    """For `str.translate`: every character in its plain form, as far as there was one to fold."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _FOLDS_KEPT:
            self.clear()
        plain = self[code] = _fold_char(chr(code))
        return plain


_FOLDS_KEPT = 8192
_FOLDS = _Folds()


# A pattern that may begin at each of many spaces would take the square of them: a long gap is filled.
_LONG_GAP = re.compile(r"(?<=\s{12})\s+")
_FILLER = "\ufffc"
