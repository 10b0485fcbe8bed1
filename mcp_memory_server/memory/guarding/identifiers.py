"""E-mail addresses, account and card numbers, identity and passport numbers."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from mcp_memory_server.memory.guarding import checksums
from mcp_memory_server.memory.guarding.spans import Found

# Words before a number that say what it is instead: an order, a parcel, a book, a device.
NOT_PERSONAL = (
    r"order|tracking|parcel|package|shipment|consignment|waybill|isbn|issn|imei|serial|invoice|receipt|ticket|case|booking|"
    r"reservation|confirmation|reference|ref|sku|barcode|ean|upc|model|part|version|build|commit|flight|license plate|vin|"
    r"transaction|txn|batch|lot|item|product|article|member(?:ship)?|loyalty|customer|client|policy|claim|contract|"
    r"account id|user id|student|employee|job|bug|issue|pull request|doi|arxiv|case|docket|permit|coupon|voucher|gift card|"
    r"order id|timestamp|hash|checksum|random|seed|"
    r"订单|单号|运单|快递|物流|包裹|取件|序列|流水|交易|发票|编号|型号|版本|条码|条形码|书号|车牌|航班|车次|票号|预订|预约号|"
    r"确认号|会员|学号|工号|合同|保单|批次|批号|货号|商品|产品|案号|工单|时间戳|优惠码|券码|兑换码|随机数|机身|设备号|房间号|桌号"
)


@lru_cache(maxsize=1)
def _not_personal() -> re.Pattern[str]:
    # The word stands before the number, with at most a copula, a colon or "number" between them.
    return re.compile(
        rf"(?:{NOT_PERSONAL})[\w ]{{0,12}}?(?:no\.?|nos\.?|number|num|id|code|#|号码?|码)?\s*(?:is|was|are|为|是|：|:|#|=|-)?\s*[(（\"'#]*$",
        re.IGNORECASE,
    )


def named_otherwise(text: str, start: int) -> bool:
    """True when the words right before `start` say that the number is no personal identifier."""
    return _not_personal().search(text[max(0, start - 40) : start]) is not None


@lru_cache(maxsize=1)
def _email() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.)+[A-Za-z]{2,24}(?![A-Za-z0-9@])"
    )


def emails(text: str) -> Iterator[Found]:
    """E-mail addresses of ASCII letters (Chinese text may touch them)."""
    if "@" not in text:
        return
    for match in _email().finditer(text):
        yield Found("email", match.start(), match.end())


@lru_cache(maxsize=1)
def _iban() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \-]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")


def ibans(text: str) -> Iterator[Found]:
    """Account numbers in IBAN form; a longer run of letters and digits may follow after a space."""
    for match in _iban().finditer(text):
        end = match.end()
        while end - match.start() >= 15:
            bare = re.sub(r"[ \-]", "", text[match.start() : end]).upper()
            if checksums.iban(bare):
                yield Found("iban", match.start(), end)
                break
            cut = max(text.rfind(" ", match.start(), end), text.rfind("-", match.start(), end))
            if cut <= match.start():
                break
            end = cut


@lru_cache(maxsize=1)
def _card() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9.\-])\d(?:[ \-]?\d){12,18}(?![A-Za-z0-9]|[.\-]\d)")


@lru_cache(maxsize=1)
def _card_words() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:card|visa|mastercard|amex|debit|credit|maestro|unionpay|charge|pay)\b|银行卡|信用卡|借记卡|储蓄卡|卡号|这张卡|那张卡|刷卡|银联|转到|账号|打到",
        re.IGNORECASE,
    )


def bank_cards(text: str) -> Iterator[Found]:
    """13 to 19 digits with a card's first digits and the Luhn check, unless they are named otherwise."""
    for match in _card().finditer(text):
        digits = re.sub(r"\D", "", match[0])
        around = text[max(0, match.start() - 30) : match.end() + 12]
        if not checksums.luhn(digits) or named_otherwise(text, match.start()):
            continue
        grouped = re.fullmatch(
            r"(?:\d{4}[ \-]){3}\d{1,7}|\d{4}[ \-]\d{6}[ \-]\d{5}|(?:\d{4}[ \-]){4}\d{3}|\d{6}[ \-]\d{13}",
            match[0],
        )
        issued = re.match(r"4|5[0-8]|6[0-9]|2[2-7]|3[0-9]|9[0-9]", digits)
        if (issued and (grouped or len(digits) in (15, 16, 19))) or _card_words().search(around):
            yield Found("bank_card", match.start(), match.end())


@lru_cache(maxsize=1)
def _passport() -> re.Pattern[str]:
    return re.compile(
        r"(?:passports?|travel document|护照|通行证|旅行证|台胞证|回乡证)"
        r"(?:(?!\b(?:is|was)\b|[是为：:,，.。;；!！?？\n]).){0,16}?(?:\b(?:is|was)\b|[是为：:,，]|no\.?|number|号码?|#|\s)*\s*"
        r"(?P<v>(?=[A-Z0-9 ]*\d{4})(?:[A-Z]{1,3} ?\d{5,9}[A-Z]?\d?|\d{8,9}|[A-Z]\d[A-Z0-9]{6,7}|[A-Z]{2}[A-Z0-9]{6,7}|[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}))(?![A-Za-z0-9])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _passport_after() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9])(?P<v>[A-Z]{1,2}\d{7,8}|\d{9})(?=\s*(?:is|was|是|就是|为)?\s*(?:my|the|我的?)?\s*(?:passport|护照))",
        re.IGNORECASE,
    )


def passports(text: str) -> Iterator[Found]:
    """Passport and travel permit numbers, which have no check: the word must stand by."""
    for pattern in (_passport(), _passport_after()):
        for match in pattern.finditer(text):
            yield Found("passport", match.start("v"), match.end("v"))


def _digits_only(check: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: check(re.sub(r"\D", "", text))


_ID_WORDS = (
    r"national id|identity (?:card|number|no)|id (?:card|number|no)|\bid\b|citizen|personal (?:number|code|id)|social security|\bssn\b|"
    r"social insurance|\bsin\b|tax (?:id|number|file)|taxpayer|\bitin\b|\bnin(?:o)?\b|national insurance|aadhaar|\bcpf\b|pesel|\bbsn\b|"
    r"\bnric\b|\bfin\b|\bhkid\b|\bdni\b|\bnie\b|codice fiscale|personnummer|steuer-?id|insee|身份证|证件号|身份号|社保号|社会保障号|公民身份|居民证"
)


@lru_cache(maxsize=1)
def _id_words() -> re.Pattern[str]:
    return re.compile(_ID_WORDS, re.IGNORECASE)


@lru_cache(maxsize=1)
def _ids() -> tuple[tuple[re.Pattern[str], Callable[[str], bool], bool], ...]:
    """Form, check, and whether a word for identity papers has to stand by."""
    edge, end = r"(?<![A-Za-z0-9.\-])", r"(?![A-Za-z0-9]|[.\-]\d)"

    def form(body: str) -> re.Pattern[str]:
        return re.compile(edge + body + end)

    return (
        (form(r"\d{6} ?\d{8} ?\d{3}[0-9Xx]"), lambda t: checksums.chinese_id(t.replace(" ", "")), False),
        (form(r"\d{3}-\d{2}-\d{4}"), checksums.social_security, False),
        (form(r"[STFGstfg]\d{7}[A-Za-z]"), lambda t: checksums.singapore_id(t.upper()), False),
        (re.compile(edge + r"[A-Z]{1,2}\d{6}\([0-9A]\)"), checksums.hong_kong_id, False),
        (form(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"), lambda t: True, False),
        (form(r"[XYZ]?\d{7,8}[A-Z]"), checksums.spanish_id, False),
        (form(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), _digits_only(checksums.brazilian_id), False),
        (form(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"), lambda t: True, False),
        (form(r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}"), lambda t: checksums.french_id(t.replace(" ", "")), False),
        (form(r"\d{4} ?\d{4} ?\d{4}"), _digits_only(checksums.aadhaar), True),
        (form(r"\d{11}"), checksums.polish_id, True),
        (form(r"\d{17}[0-9Xx]|\d{15}"), lambda t: True, True),
        (form(r"\d{9}|\d{3}[ \-]\d{3}[ \-]\d{3}|\d{6}[-+]\d{4}|\d{3} \d{2} \d{4}|\d{10,12}|[A-Z]{1,2}\d{6,9}[A-Z0-9]?"), lambda t: True, True),
    )  # fmt: skip


def national_ids(text: str) -> Iterator[Found]:
    """Identity and social security numbers of several countries, by form and check."""
    for pattern, check, needs_word in _ids():
        for match in pattern.finditer(text):
            if named_otherwise(text, match.start()):
                continue
            before = text[max(0, match.start() - 28) : match.start()]
            if needs_word and not _id_words().search(before):
                continue
            if check(match[0]):
                yield Found("national_id", match.start(), match.end())
