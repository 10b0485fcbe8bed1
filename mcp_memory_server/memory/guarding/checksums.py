"""Check digits of the identifiers that the guard knows."""

from __future__ import annotations

from datetime import date

_CN_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_IBAN_LENGTH = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21,
    "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24,
    "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29,
    "VG": 24, "XK": 20,
}  # fmt: skip


def luhn(digits: str) -> bool:
    """The mod-10 check of payment cards; a run of one digit is no card."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def iban(text: str) -> bool:
    """Length by country and the mod-97 check of an IBAN without spaces, in capitals."""
    if _IBAN_LENGTH.get(text[:2], len(text) if 15 <= len(text) <= 34 else -1) != len(text):
        return False
    turned = text[4:] + text[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def chinese_id(text: str) -> bool:
    """18 characters: region, a real date of birth, and the mod-11 check."""
    if text[0] not in "123456789" or not text[:17].isdigit():
        return False
    try:
        born = date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(int(char) * weight for char, weight in zip(text, _CN_WEIGHTS, strict=False))
    return 1880 <= born.year <= 2100 and "10X98765432"[total % 11] == text[17].upper()


def social_security(text: str) -> bool:
    """A US number in the form ddd-dd-dddd from the ranges that are given out."""
    area, group, serial = text[:3], text[-6:-4] if "-" not in text else text.split("-")[1], text[-4:]
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def spanish_id(text: str) -> bool:
    """DNI or NIE: number mod 23 gives the letter."""
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def singapore_id(text: str) -> bool:
    """NRIC or FIN: weighted sum gives the letter."""
    total = sum(int(c) * w for c, w in zip(text[1:8], (2, 7, 6, 5, 4, 3, 2), strict=True))
    total += 4 if text[0] in "TG" else 0
    letters = "JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK"
    return letters[total % 11] == text[8]


def hong_kong_id(text: str) -> bool:
    """One or two letters, six digits and the check in brackets."""
    bare = text.replace("(", "").replace(")", "")
    head = bare[:-7]
    codes = [36] * (2 - len(head)) + [ord(c) - 55 for c in head] + [int(c) for c in bare[-7:-1]]
    total = sum(code * weight for code, weight in zip(codes, range(9, 1, -1), strict=True))
    return "0123456789A"[(11 - total % 11) % 11] == bare[-1]


def aadhaar(digits: str) -> bool:
    """Twelve digits with the Verhoeff check."""
    check = 0
    for place, char in enumerate(reversed(digits)):
        check = _dihedral(check, _permuted(place, int(char)))
    return check == 0 and digits[0] not in "01"


def _dihedral(a: int, b: int) -> int:
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b) % 5
    return 5 + (a - b) % 5 if b < 5 else (a - b) % 5


def _permuted(times: int, digit: int) -> int:
    for _ in range(times % 8):
        digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
    return digit


def brazilian_id(digits: str) -> bool:
    """CPF: two check digits mod 11."""
    if len(set(digits)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(c) * w for c, w in zip(digits, range(length + 1, 1, -1), strict=False))
        if total * 10 % 11 % 10 != int(digits[length]):
            return False
    return True


def polish_id(digits: str) -> bool:
    """PESEL: weighted sum mod 10."""
    total = sum(int(c) * w for c, w in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=False))
    return (10 - total % 10) % 10 == int(digits[10])


def french_id(text: str) -> bool:
    """NIR: the last two digits complete mod 97."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])
