"""Words of a statement and whether what was said supports them, in one language and across two."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.senses import senses_in
from mcp_memory_server.memory.text import STOP_WORDS_EN, stem
from mcp_memory_server.memory.vocabulary import Vocabulary


def text_of(units: Iterable[Unit]) -> str:
    """The clauses as one text."""
    return " ".join(unit.text for unit in units)


def concepts_of(unit: Unit, vocabulary: Vocabulary) -> set[str]:
    """The concepts that a clause names, in either language."""
    found: set[str] = set()
    if unit.lang == "zh":
        pattern = once(
            vocabulary,
            "zh concepts",
            lambda v: rx(alternation(word for word in v.concept_words if rx(r"[\u4e00-\u9fff]").match(word))),
        )
        for match in pattern.finditer(unit.text):
            found |= {f"concept:{concept}" for concept in vocabulary.concepts(match[0])}
        return found
    words = rx(r"[A-Za-z]+").findall(unit.text)
    index = 0
    while index < len(words):
        # The longest phrase counts: dust mites are not dust.
        for size in (3, 2, 1):
            named = vocabulary.concepts(" ".join(words[index : index + size]))
            if named and index + size <= len(words):
                found |= {f"concept:{concept}" for concept in named}
                break
        else:
            size = 1
        index += size
    return found


_GENERIC_EN = frozenset(
    "user users be is are was were have has had do does did work works worked working job go goes going went come comes coming came get gets got getting take takes "
    "takes taking took make makes making made use uses using used want wants wanted need needs needed plan plans planned planning intend intends intended intending hope hopes hoped hoping aim aims wish wishes later afterwards served serves serving sat sits sit undergo underwent undergoes choice possible possibly live lives lived "
    "living stay stays say says said tell told give gives given put keep keeps kept start started since called name named person people thing things something "
    "someone place time times day days week weeks month months year years old new currently now also about around approximately roughly mostly mainly usually "
    "often kind type lot will would can could may might should shall must one two first own owns currently regularly prefer prefers like likes member able "
    "available unavailable describe described report reports mention mentioned state states know knows known become became becomes per cent percent every each "
    "amount total number value date because due than more less from with without within there their them they his her its he she it who which that this "
    "spend spends spent pay pays paid cost costs budget maximum minimum limit up down out over under after before during until while when where how as at "
    "both either neither nor and or but if then so too very really family friend happen happens take place held set located based situated has been being "
    "schedule scheduled appointment attend attends feel feels feeling eat eats eating drink drinks drinking want look looking find finds think thinks see sees "
    "diet longer interested membership expect expects expected experience follow follows followed student employee employed enrolled attended speak speaks talk help helps ask asks asked answer answers try tries trying in into of on off to by for an a the my i am me you your we our".split()
)
FUNCTION_ZH = (
    "用户|的|了|着|过|是|在|有|和|跟|与|及|也|都|还|就|很|比较|已经|目前|现在|将于|将|会|要|打算|计划|准备|想|能|可以|被|把|给|让|对|为|于|从|到|向|用|以|个|只|条|名|位|次|"
    "一|之|其|此|该|这|那|些|自己|本人|每|前|后|里|上|下|中|内|外|时|时候|方面|情况|如果|因为|所以|但是|但|需要|经营|工作|职业|从事|进行|居住|住|做|当|担任|位于|"
    "可|参加|建议|更|食|套|辆|台|件|份|顿|盒|瓶|希望|回答|一些|所|均|并|以及|处|即|由|属于|得到|拥有|使用|提供|应当|应该|报名|叫|名字|名叫|姓名|年龄|岁|元|块|钱|金额|价格|预算|费用|时间|日期|地点|座位|车次|航班|包含|包括|大约|大概|左右|约|喜欢|觉得|认为|感到|表示|提到|说|告诉|正在|曾经|曾|最近|一直|"
    "没有|没|不|无|未|非|别|吃|喝|去|来|做|看|学|学习|读|买|购买|共|一共|总共|多|少|人|家|年|月|日|号|天|周|星期|点|分|半|上午|下午|早上|晚上|今年|去年|明年|本月|本周|公司|开|司机"
)


def content_of(unit: Unit) -> set[str]:
    """The words of a clause that carry its meaning: stems, or Chinese characters."""
    if unit.lang == "zh":
        han = "".join(rx(r"[\u4e00-\u9fff]+").findall(rx(FUNCTION_ZH).sub("", unit.body)))
        return set(han) | {word.lower() for word in rx(r"[A-Za-z][A-Za-z0-9+#]*").findall(unit.body)}
    words = rx(r"[A-Za-z][A-Za-z'’]*[A-Za-z]|[\u4e00-\u9fff]+").findall(unit.body)
    return {
        stem(word.lower().replace("’", "'").removesuffix("'s")) for word in words if word.lower() not in STOP_WORDS_EN
    }


def missing_words(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary, *, cross: bool) -> str:
    """Words of the statement without support in what was said; empty when it is supported enough."""
    if cross:
        return _missing_across(want, have, vocabulary)
    if want[0].lang == "zh":
        return _missing_chinese(want, have, vocabulary)
    said = text_of(have)
    senses = set(senses_in(said, "en", vocabulary))
    meant = {
        word
        for mark, words in senses_in(text_of(want), "en", vocabulary).items()
        if mark in senses and mark[0] == "s"
        for word in words
    }
    stems = set().union(*(content_of(unit) for unit in have)) | {
        stem(word.lower()) for word in rx(r"[A-Za-z]+").findall(said)
    }
    supported, missing = 0, []
    for unit in want:
        body = unit.body
        for item in reversed(list(quantity.find(body, "en"))):
            body = body[: item.start] + " " + body[item.end :]  # units are compared with their numbers
        names = rx(r"(?i)(?:the )?user(?:'s|’s)?\b").sub(" ", body)
        for word in rx(r"[A-Za-z][A-Za-z'’\-]*[A-Za-z]|[\u4e00-\u9fff]+").findall(names):
            bare = word.lower().replace("’", "'").removesuffix("'s")
            if bare in _GENERIC_EN or bare in STOP_WORDS_EN or _role_word(bare, vocabulary):
                continue
            if word.lower() in meant or bare in meant or _supported(bare, stems, said, vocabulary):
                supported += 1
            else:
                missing.append(word)
    capital = [word for word in missing if word[0].isupper() and word.lower() not in _sentence_starts(want)]
    if capital:
        return str(capital[0])
    if missing and (len(missing) > 1 or supported < 4):
        return str(missing[0])
    return ""


def _sentence_starts(want: Sequence[Unit]) -> set[str]:
    return {_first_word(unit.text) for unit in want}


def _first_word(text: str) -> str:
    match = rx(r"[A-Za-z]+").search(text)
    return match[0].lower() if match else ""


def _role_word(word: str, vocabulary: Vocabulary) -> bool:
    return word in vocabulary.mapping("en", "roles")


def _supported(word: str, stems: set[str], said: str, vocabulary: Vocabulary) -> bool:
    root = stem(word)
    if root in stems or word in said.lower():
        return True
    if len(root) >= 4 and any(
        other.startswith(root[:5]) and abs(len(other) - len(root)) <= 4
        for other in stems
        if len(other) >= 4 and len(root[:5]) >= 4
    ):
        return True
    table = once(vocabulary, "synonym stems", _synonyms)
    groups = table.get(root, frozenset())
    if any(groups & table.get(other, frozenset()) for other in stems):
        return True
    mine = vocabulary.concepts(word)
    return bool(mine) and any(
        mine & vocabulary.concepts(other) for other in rx(r"[A-Za-z]+|[\u4e00-\u9fff]{2,3}").findall(said.lower())
    )


def _synonyms(vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for word, group in vocabulary.mapping("en", "synonyms").items():
        found.setdefault(stem(word), set()).add(group)
    return {word: frozenset(groups) for word, groups in found.items()}


_LOOSE_ZH = 0.1  # share of the characters that need no support
_SHORT_ZH = 10  # characters below which all need it


def _missing_chinese(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary) -> str:
    said = text_of(have)
    roles = alternation(vocabulary.mapping("zh", "roles"))
    groups = vocabulary.mapping("zh", "synonyms")
    senses = set(senses_in(said, "zh", vocabulary))
    total, missing = 0, []
    for unit in want:
        body = rx(roles).sub("", rx(r"^(?:该)?用户").sub("", unit.body))
        body = rx(r"[0-9零一二两三四五六七八九十百千万亿.,]+").sub("", body)
        for word, group in sorted(groups.items(), key=lambda item: -len(item[0])):
            if word in body and any(other in said for other, name in groups.items() if name == group):
                body = body.replace(word, "")
        for mark, words in senses_in(body, "zh", vocabulary).items():
            if mark in senses and mark.startswith("s:"):
                for word in words:
                    body = body.replace(word, " ")
        rest = rx(FUNCTION_ZH).sub(" ", body)
        for run in rx(r"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z0-9+#]*").findall(rest):
            if rx(r"[A-Za-z]").match(run):
                total += 2
                if run.lower() not in said.lower():
                    missing.append(run)
                continue
            total += len(run)
            lost = "".join(char for char in run if char not in said)
            if lost:
                missing.append(lost)
    size = sum(len(item) for item in missing)
    # One character may be a matter of wording in a long statement; what a thing is called, or its colour, is not.
    return missing[0] if missing and (size > _LOOSE_ZH * total or total < _SHORT_ZH) else ""


def _missing_across(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary) -> str:
    """Across languages only what is the same in both, or known in both, can be checked."""
    said = text_of(have)
    mine = set().union(*(concepts_of(unit, vocabulary) for unit in want))
    theirs = set().union(*(concepts_of(unit, vocabulary) for unit in have))
    lost = mine - theirs
    if lost and not all(_wider(concept, theirs, vocabulary) for concept in lost):
        return min(lost).removeprefix("concept:").replace("_", " ")
    for code in rx(r"[A-Za-z]*\d[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*|[A-Z]\d{2,}").findall(text_of(want)):
        if code.lower() not in said.lower():
            return str(code)
    return ""


def _wider(concept: str, theirs: set[str], vocabulary: Vocabulary) -> bool:
    bare = concept.removeprefix("concept:")
    return any(vocabulary.is_kind_of(other.removeprefix("concept:"), bare) for other in theirs)
