"""API keys and passwords of every kind in running text.

A password has no form of its own: the word for it, a copula and a token that is no ordinary word make
one. Talking about passwords ("my password is wrong", 忘了密码) masks nothing.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mcp_memory_server.memory.guarding.identifiers import named_otherwise
from mcp_memory_server.memory.guarding.spans import Found
from mcp_memory_server.memory.perceive.rx import Rx


@lru_cache(maxsize=1)
def _known_keys() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9_\-])(?:"
        r"sk-[A-Za-z0-9_\-]{16,}|(?:sk|pk|rk|whsec)_(?:live|test)?_?[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|"
        r"glpat-[A-Za-z0-9_\-]{16,}|xox[abeprs]-[A-Za-z0-9\-]{10,}|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,20}|AIza[A-Za-z0-9_\-]{30,}|"
        r"ya29\.[A-Za-z0-9_\-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_\-]{20,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|"
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}|dop_v1_[a-f0-9]{20,}|key-[a-f0-9]{24,}|gsk_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|"
        r"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]{4,})?|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{20,}|"
        r"\d{8,10}:AA[A-Za-z0-9_\-]{30,}"
        r")"
    )


@lru_cache(maxsize=1)
def _long_run() -> re.Pattern[str]:
    """What every key below has: no other text is looked at closely."""
    return re.compile(r"[A-Za-z0-9_\-./+=~:]{16}")


@lru_cache(maxsize=1)
def _private_key() -> re.Pattern[str]:
    return re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)


@lru_cache(maxsize=1)
def _named_key() -> re.Pattern[str]:
    return re.compile(
        r"(?:\b(?:api|access|secret|auth(?:entication)?|bearer|client|private|encryption|signing|license|personal access|refresh|session|web ?hook)"
        r"[ _\-]*(?:access[ _\-]*)?(?:keys?|tokens?|secrets?|id)\b|\b(?:token|secret|bearer|authorization)\b|"
        r"密钥|秘钥|令牌|访问凭证|api ?key|token|secret)"
        r"(?:(?![.。;；!！?？\n]).){0,24}?(?:\bis\b|\bwas\b|[:=：是为]|\bbearer\b|\s)\s*[\"'`(（]*(?P<v>[A-Za-z0-9_\-./+=~]{16,})",
        re.IGNORECASE,
    )


def _random_looking(value: str) -> bool:
    letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
    return digits >= 3 and letters >= 3 and not value.lower().startswith(("http", "www."))


def api_keys(text: str) -> Iterator[Found]:
    """Keys and tokens: by the marks of well-known issuers, or by a word for them and a random look."""
    for match in _private_key().finditer(text) if "-----BEGIN" in text else ():
        yield Found("api_key", match.start(), match.end())
    if not _long_run().search(text):
        return
    for match in _known_keys().finditer(text):
        if any(char.isdigit() for char in match[0]):
            yield Found("api_key", match.start(), match.end())
    for match in _named_key().finditer(text):
        value = match["v"].rstrip(".")
        if _random_looking(value):
            yield Found("api_key", match.start("v"), match.start("v") + len(value))


# What a lower-case word after "my password is" tells about the password instead of being it.
_ABOUT = frozenset(
    "a an the my our your his her its their not no never still always also just now already too very so quite really only "
    "wrong right correct incorrect invalid valid weak strong good bad fine ok okay safe unsafe secure insecure expired old new "
    "changed reset stored saved lost forgotten gone compromised leaked stolen hacked exposed public private secret hidden "
    "required needed missing blank empty broken working rejected accepted refused denied locked unlocked blocked disabled enabled "
    "long short longer shorter complicated complex simple easy hard difficult impossible different same identical similar unique "
    "set written printed taped kept shared sent there here where what which who why how when in on at with by from for of to as "
    "about under inside behind being been going getting supposed due case sensitive something somewhere nothing anything "
    "everything unknown known optional mandatory available unavailable stupid terrible annoying outdated predictable".split()
)
_ZH_ABOUT = (
    "什么|多少|啥|哪|怎|谁|错|对的|不|没|有问题|太|很|挺|比较|忘|改|重置|找回|过期|失效|无效|正确|一样|相同|同一|原来|老|旧|新的|"
    "自己|随机|我|你|他|她|生日|默认|初始密码$|空的|弱|强|简单|复杂|安全|必须|需要|要|用来|可以|能|几|由|在|写|存|放|保密|一个|那个|这个|之前"
)


@lru_cache(maxsize=1)
def _password_en() -> Rx:
    thing = (
        r"(?:pass ?words?|pass ?phrases?|pass ?codes?|pwd|passwd|(?<![A-Za-z])pw(?![A-Za-z])|(?:wi-?fi|wlan|network|router|hotspot|wireless|wpa2?) (?:key|code|pass)|"
        r"(?:door|gate|alarm|entry|entrance|access|security|garage|lock|locker|safe|building|keypad|unlock|vault|panel|front door|lobby|"
        r"key ?box|lockbox|suitcase|bike lock|intercom|disarm) ?(?:key )?(?:codes?|combination|combo|pins?)|combination|"
        r"(?:one-?time|verification|confirmation|auth(?:entication)?|2fa|two-?factor|sms|login|log-?in|sign-?in|backup|recovery|otp|mfa|pairing|activation) (?:codes?|pins?|passcodes?|keys?|phrases?)|"
        r"\botp\b|\bpin\b(?: (?:code|number|no\.?))?|\bpuk\b|\bcvv2?\b|\bcvc\b|seed phrase|secret (?:word|phrase|answer))"
    )
    return Rx(
        rf"(?<![A-Za-z])(?P<t>{thing})(?![A-Za-z])"
        # who or what it is for may stand between: "the PIN for the safe is"
        r"(?P<gap>(?:(?![.!?;\n]|\b(?:is|was|are|to|wrong)\b|[:=]).){0,40}?)"
        r"(?P<c>\s*(?:\b(?:is|was|are|it's|to|into|reads|equals)\b(?:\s+(?:now|just|still|currently|simply|set to|as follows|the following))*|[:=]|->)\s*[:=]?\s*|[\"'`]|\s+(?=\S{0,80}\d))"
        r"(?P<q>[\"'`]?)(?P<v>\S+)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _password_en_after() -> Rx:
    return Rx(
        r"(?<![A-Za-z0-9])(?P<v>(?=\S{0,40}\d)[^\s,;\"'`]{4,40})[\"'`]?\s+(?:is|as|for)\s+(?:my|the|our|her|his|their)\s+(?:new |old |current |[a-z\-]+ ){0,2}?"
        r"(?:pass ?word|pass ?phrase|pass ?code|pin|pwd|(?:door|gate|alarm|entry|access|security|garage|lock|safe|verification|one-?time|wi-?fi)[ \-](?:code|key|pin|password))\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _password_zh() -> re.Pattern[str]:
    return re.compile(
        r"(?P<t>密码|口令|验证码|校验码|动态码|动态密码|门禁码|开门码|开锁码|解锁码|锁屏码|安全码|识别码|授权码|登录码|激活密码|恢复码|助记词|暗号|门锁码|pin码?|PIN码?|wifi码)"
        r"(?P<gap>[^，。！？；,!?;\n:：是为=]{0,8}?)"
        r"(?P<c>\s*(?:还是|就是|现在是|改成了?|换成了?|设成了?|设为|设置为|改为|变成了?|更新为|叫|是|为|[:：=])\s*[:：]?\s*|\s*)"
        r"(?P<q>[\"'`「『]?)(?P<v>[^\s，。！？；、\"'`」』）)】]+)"
    )


@lru_cache(maxsize=1)
def _password_zh_after() -> Rx:
    return Rx(
        r"(?<![A-Za-z0-9])(?P<v>(?=[^\s\u4e00-\u9fff]{0,40}\d)[^\s\u4e00-\u9fff，。！？,;]{4,40})\s*(?:就?是|作为?|当|做)\s*[^，。！？\n]{0,10}?(?:密码|口令|验证码|门禁码|PIN码?)",
        re.IGNORECASE,
    )


def passwords(text: str) -> Iterator[Found]:
    """Passwords, PINs, door and alarm codes, one-time codes and network keys."""
    for match in _password_en().finditer(text):
        end = _end_of_english(text, match)
        if end > match.start("v") and not named_otherwise(text, match.start("v")):
            yield Found("password", match.start("v"), end)
    for pattern in (_password_en_after(), _password_zh_after()):
        for match in pattern.finditer(text):
            if not re.fullmatch(r"\d{1,2}[:.]\d{2}|\d{1,3}|\d{4}-\d\d-\d\d", match["v"]):
                yield Found("password", match.start("v"), match.end("v"))
    for match in _password_zh().finditer(text):
        end = _end_of_chinese(text, match)
        if end > match.start("v"):
            yield Found("password", match.start("v"), end)


def _trimmed(value: str, *, quoted: bool) -> str:
    if quoted:
        return re.split(r"[\"'`]", value, maxsplit=1)[0]
    value = re.split(r"[，。！？；、]", value, maxsplit=1)[0]
    # Closing marks of the sentence are no part of the value; a lone final "!" might be, so it is kept inside.
    return value.rstrip(".,;:?)]}\"'`") or value


def _end_of_english(text: str, match: re.Match[str]) -> int:
    """Where the value ends; its start when it is no value."""
    start, quoted = match.start("v"), bool(match["q"]) or match["c"] in "\"'`"
    if quoted:
        closing = re.compile(r"[\"'`]").search(text, start)
        if closing and closing.start() - start <= 80:
            return closing.start()
    value = _trimmed(match["v"], quoted=quoted)
    strong = (
        bool(re.search(r"\d", value))
        or bool(re.search(r"[^\w'\-]", value.rstrip("!")))
        or bool(re.search(r"[a-z][A-Z]|_", value))
    )
    marked = match["c"].strip()[-1:] in (":", "=")
    copula = bool(match["c"].strip())
    if not copula and not re.fullmatch(r"(?=.*\d)\S{4,}", value):
        return start
    phrase = re.compile(r"[a-z]+(?: [a-z]+){2,9}(?=[.,;\n!]|$)").match(text, start)
    if marked and phrase and "phrase" in match["t"].lower():
        return phrase.end()  # a passphrase is made of ordinary words
    if re.fullmatch(r"\d{1,2}|\d{1,3}%|\d{1,2}(?:st|nd|rd|th)", value) or value.lower() in _ABOUT or "*" * 3 in value:
        return start
    if re.match(
        r"\d+ ?(?:characters?|digits?|letters?|days?|hours?|minutes?|months?|times?|years?|attempts?)\b",
        text[start : start + 24],
    ):
        return start
    if _counted(text, start, value):
        return start
    if strong:
        return start + len(value)
    rest = text[start + len(value) :].lstrip(" !")
    closes = (
        not rest or rest[0] in ".,;\n)" or bool(re.match(r"(?:and|but|so|please|don't|in case)\b", rest, re.IGNORECASE))
    )
    if not value.isalpha() and "-" not in value:
        return start
    if marked or (closes and len(value) >= 4 and not value.lower().endswith(("ed", "ing", "able", "ible"))):
        return _passphrase_end(text, start, value, marked=marked)
    return (
        start if not value[:1].isupper() or (value.isupper() and len(value) < 6) or not closes else start + len(value)
    )


def _counted(text: str, start: int, value: str) -> bool:
    """A number with a separator of thousands, a year or a clock time in prose is no code."""
    return bool(re.fullmatch(r"\d{1,2}:\d{2}", value)) and not re.search(
        r"(?i)code|pin", text[max(0, start - 20) : start]
    )


def _passphrase_end(text: str, start: int, value: str, *, marked: bool) -> int:
    """A colon may introduce several words that are one passphrase, up to the end of the clause."""
    if not marked:
        return start + len(value)
    run = re.compile(r"[A-Za-z]+(?: [a-z]+){0,7}").match(text, start)
    if run and run.end() > start + len(value) and (run.end() == len(text) or text[run.end()] in ".,;\n!"):
        return run.end()
    return start + len(value)


def _end_of_chinese(text: str, match: re.Match[str]) -> int:
    start, value = match.start("v"), match["v"]
    copula = bool(match["c"].strip()) or bool(match["q"])
    ascii_run = re.match(r"[!-~]+", value)
    if ascii_run:
        bare = ascii_run[0].rstrip(".,;:?)]}\"'`")
        informative = len(bare) >= 4 and (copula or re.search(r"\d", bare) is not None)
        told = re.match(r"\d+ ?(?:位|个|次|天|小时|分钟|秒|块|元|月|年|点|遍|字)", text[start:])
        if not informative or told or re.fullmatch(r"(?i)https?:.*|reset|login|app|wifi|null|error", bare):
            return start
        return start + len(bare)
    if not copula or not (2 <= len(value) <= 16) or re.match(_ZH_ABOUT, value):
        return start
    # Chinese words as a secret only where the copula is plain and the clause ends with them.
    named = match["t"] in ("口令", "暗号", "助记词") or bool(match["q"]) or match["c"].strip()[-1:] in (":", "：", "=")
    return match.end("v") if named and not re.search(r"[的了吗呢吧]$", value) else start
