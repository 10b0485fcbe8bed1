"""The single checks of grounding: mood, tense, persons, polarity, strength. Numbers and times: `support_values`."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.outline import Unit
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import When
from mcp_memory_server.memory.senses import KIN
from mcp_memory_server.memory.support_words import concepts_of, content_of, text_of
from mcp_memory_server.memory.vocabulary import Vocabulary

# ---------------------------------------------------------------- which clauses support


def choose(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary, *, cross: bool) -> list[Unit]:
    """The clauses of what was said that share most with the statement, in order."""
    have = [part for unit in have for part in parts(unit)]
    if len(have) == 1:
        return have
    chosen: list[Unit] = []
    for unit in want:
        wanted = _marks(unit, vocabulary)
        scored = [(len(wanted & _marks(other, vocabulary)), -index, other) for index, other in enumerate(have)]
        best = max(score for score, _, _ in scored)
        if best == 0:
            chosen += [other for other in have if not other.blocked][:1] or list(have[:1])
            continue
        top = max(scored, key=lambda item: item[:2])[2]
        mine = _marks(top, vocabulary)
        # A clause with a time or number of its own takes none from its neighbours.
        own = {mark[0] for mark in mine if mark[0] in "@#"}
        left = {mark for mark in wanted - mine if mark[0] not in own}
        chosen.append(top)
        if left:
            # What the best clause lacks may stand in another of the same sentence.
            more = [
                (len(left & _marks(other, vocabulary)), other)
                for other in have
                if other is not top and other.sentence == top.sentence
            ]
            extra = max(more, key=lambda item: item[0], default=(0, top))
            if extra[0] > 0:
                chosen.append(extra[1])
    return [unit for unit in have if any(unit is other for other in chosen)]


def parts(unit: Unit) -> list[Unit]:
    """A clause cut at its "and" where both sides have a time or number of their own: two things in one."""
    cut = r"\s+and\s+" if unit.lang == "en" else r"、|和|，"
    for match in rx(cut).finditer(unit.text):
        left, right = unit.start + match.start(), unit.start + match.end()
        before = [when for when in unit.times if when.end <= left + 1]
        after = [when for when in unit.times if when.start >= right - 1]
        if before and after and rx(r"[A-Z\u4e00-\u9fff]").search(unit.text[match.end() :]):
            first = _part(unit, unit.start, left, before)
            return [first, *parts(_part(unit, right, unit.end, after))]
    return [unit]


def _part(unit: Unit, start: int, end: int, times: list[When]) -> Unit:
    text = unit.text[start - unit.start : end - unit.start]
    body = text
    for when in reversed(times):
        body = body[: max(0, when.start - start)] + " " + body[max(0, when.end - start) :]
    return replace(unit, start=start, end=end, text=text, body=body, times=tuple(times))


def _raw_numbers(text: str, lang: str) -> list[numerals.Number]:
    return list(numerals.chinese(text) if lang == "zh" else numerals.english(text))


def _marks(unit: Unit, vocabulary: Vocabulary) -> frozenset[str]:
    """Words, concepts and numbers of a clause, comparable across languages as far as they are known."""
    marks = set(content_of(unit))
    marks |= {f"#{numerals.plain(number.value)}" for number in _raw_numbers(unit.text, unit.lang) if number.value > 1}
    marks |= {f"@{when.future[:10]}" for when in unit.times if when.future}
    marks |= {f"role:{role}" for role in roles_in(unit.text, unit.lang, vocabulary)}
    marks |= set(concepts_of(unit, vocabulary))
    return frozenset(marks)


# ---------------------------------------------------------------- mood


def reports(units: Sequence[Unit]) -> bool:
    """True when the statement itself says that somebody says or wants something."""
    return (
        rx(
            r"(?i)\b(?:says?|said|told|tells|thinks|believes|claims|wants|advis|recommend|according|reports?|heard|suggest)|说|认为|觉得|建议|让|要求|告诉|希望|听说"
        ).search(text_of(units))
        is not None
    )


def softened(units: Sequence[Unit], why: str) -> bool:
    """True when the statement keeps the doubt or the wish."""
    pattern = (
        r"(?i)\b(?:might|may|could|maybe|perhaps|possibly|considering|thinking (?:of|about)|not sure|unsure|probably|possible|possibility|uncertain|likely|considers|a chance)\b|可能|也许|或许|考虑|不确定|好像|大概|似乎"
        if why == "hedge"
        else r"(?i)\b(?:would (?:like|love)|wish|hopes?|dream|wants?)\b|希望|想|梦想|愿望|羡慕"
    )
    return rx(pattern).search(text_of(units)) is not None


def conditional(units: Sequence[Unit]) -> bool:
    """True when the statement keeps the condition."""
    return (
        rx(r"(?i)\b(?:if|unless|provided|in case|would)\b|如果|要是|假如|的话|若|只要").search(text_of(units))
        is not None
    )


def asks(units: Sequence[Unit]) -> bool:
    """True when the statement is about the asking."""
    return (
        rx(
            r"(?i)\b(?:ask|asks|asked|wants to know|wonders|wondering|question|inquir|request)|询问|问|想知道|咨询|求助|请求"
        ).search(text_of(units))
        is not None
    )


def tells_past(units: Sequence[Unit]) -> bool:
    """True when the statement speaks of the past or of an end."""
    return (
        any(unit.past or unit.done for unit in units)
        or rx(
            r"(?i)\b(?:was|were|used to|previously|formerly|once|had|former|no longer|not)\b|\w+ed\b|曾|以前|过|之前|前|不再|已经不|戒"
        ).search(text_of(units))
        is not None
    )


def tells_plan(units: Sequence[Unit]) -> bool:
    """True when the statement speaks of a plan or of what lies ahead."""
    return (
        rx(
            r"(?i)\b(?:will|going to|plans?|planning|intends?|wants?|hopes?|would|is \w+ing|are \w+ing|needs?|next|tomorrow|scheduled|about to|aims?)\b|打算|计划|准备|想|将|要|希望|会|需要"
        ).search(text_of(units))
        is not None
    )


_STATES = {
    "live": "lived", "work": "worked", "study": "studied", "love": "loved", "like": "liked", "hate": "hated", "play": "played",
    "own": "owned", "drive": "drove", "speak": "spoke", "teach": "taught", "have": "had", "has": "had", "is": "was", "are": "were",
    "run": "ran", "smoke": "smoked", "use": "used", "belong": "belonged", "attend": "attended", "collect": "collected",
}  # fmt: skip


def was(want: Sequence[Unit], chosen: Sequence[Unit], have: Sequence[Unit]) -> bool:
    """True when a state is stated that the words tell in the simple past: lived, and now lives."""
    stated, said = text_of(want).lower(), text_of(chosen).lower()
    if rx(r"的时候|那时|那会儿|当年|那阵|小时候|年轻时|上学时").search(text_of(have)) and not rx(
        r"现在|如今|至今|到现在|还在"
    ).search(said):
        return any(unit.lang == "zh" and not unit.plans for unit in chosen) and not rx(r"的时候|时").search(stated)
    perfect = rx(r"\b(?:have|has|'ve|'s|been|since)\b").search(said) is not None
    for state, past in _STATES.items():
        present = rx(rf"\b{state}(?:e?s)?\b").search(stated)
        told = rx(rf"\b{past}\b").search(said)
        if (
            present
            and told
            and not perfect
            and not rx(rf"\b(?:{past}|{state}(?:e?s)?)\b").search(said.replace(told[0], " ", 1))
        ):
            return True
    return False


def wished(unit: Unit) -> bool:
    """True when Chinese words say what somebody would like: 真想住在海边."""
    return (
        unit.lang == "zh"
        and rx(r"(?:真|好|很|特别|一直|也|我)想(?![到起法象来必念]|不通)\S").search(unit.text) is not None
    )


# ---------------------------------------------------------------- persons


def roles_in(text: str, lang: str, vocabulary: Vocabulary) -> set[str]:
    """The persons beside the user that a text names by their role."""
    table = vocabulary.mapping(lang, "roles")
    owned = (
        r"(?i)(?:\b(?:my|our|his|her|their|user's|user’s)\s+(?:\w+\s+){0,2})$"
        if lang == "en"
        else r"(?:我|我们|咱|咱们|用户|我家|他|她)(?:的)?$"
    )
    pattern = once(
        vocabulary,
        ("roles in", lang),
        lambda v: rx(
            rf"(?i)(?<![A-Za-z])(?:{alternation(v.mapping('en', 'roles'))})(?![A-Za-z])"
            if lang == "en"
            else alternation(v.mapping("zh", "roles"))
        ),
    )
    found = set()
    for match in pattern.finditer(text):
        role = table.get(match[0].lower(), table.get(match[0], ""))
        # A teacher may be a profession; a mother is always somebody's.
        if role not in KIN and not rx(owned).search(text[: match.start()]):
            continue
        found.add(_one_of(role))
    return found - {"pet", "company", "team", "student", "client", ""}


def _one_of(role: str) -> str:
    """Words that may name the same person are one role here."""
    return {
        "child": "children",
        "son": "children",
        "daughter": "children",
        "wife": "partner",
        "husband": "partner",
        "girlfriend": "partner",
        "boyfriend": "partner",
    }.get(role, role)


def other_person(want: Sequence[Unit], have: Sequence[Unit], chosen: Sequence[Unit], vocabulary: Vocabulary) -> str:
    """Why the statement is about another person than the words said; empty when it is not."""
    everywhere = set().union(*(roles_in(unit.text, unit.lang, vocabulary) for unit in have))
    if other := _other_child(want, have) or _other_owner(want, have, vocabulary):
        return other
    for unit in want:
        roles = roles_in(unit.text, unit.lang, vocabulary)
        if missing := roles - everywhere:
            return f"{min(missing)} was not mentioned"
    stated = owner(want[0].subject)
    if stated.startswith("user.") and len(chosen) > 1:
        # What is said of the person must stand in a clause about that person.
        content = {mark for mark in _marks(want[0], vocabulary) if not mark.startswith(("role:", "concept:"))}
        best = max(chosen, key=lambda unit: (len(content & _marks(unit, vocabulary)), owner(unit.subject) == stated))
        if best.subject and owner(best.subject) not in (stated, "user") and content & _marks(best, vocabulary):
            return f"it was said of {owner(best.subject)}, not of {stated}"
    owners = {
        owner(unit.subject) for unit in chosen if unit.subject and not rx(r"(?:^| )I(?: |$)").search(unit.subject)
    }
    if stated and owners and stated not in owners:
        shared = owners == {"user"} and roles_in(want[0].text, want[0].lang, vocabulary) <= set().union(
            *(roles_in(unit.text, unit.lang, vocabulary) for unit in chosen)
        )
        if stated == "user" and _has_them(want[0].text, owners, vocabulary):
            return ""
        if stated == "user" or not shared:
            return f"it was said of {min(owners)}, not of {stated}"
    return ""


def _has_them(statement: str, owners: set[str], vocabulary: Vocabulary) -> bool:
    """ "The user has twins born in March", where the words are about the twins: whose they are is no other claim."""
    match = rx(r"(?i)^the user has (?:an? |two |three |some )?(?:[\w\-]+ ){0,2}?(?P<r>[a-z\-]+)\b").match(statement)
    role = vocabulary.mapping("en", "roles").get(match["r"].lower()) if match else None
    return role is not None and owners == {f"user.{_one_of(role)}"}


_SON, _DAUGHTER = r"(?i)\b(?:step)?(?:sons?|boys?)\b", r"(?i)\b(?:step)?(?:daughters?|girls?)\b"


def _other_child(want: Sequence[Unit], have: Sequence[Unit]) -> str:
    """A son is not a daughter; a child may be either."""
    stated, said = (" ".join(unit.text for unit in units if unit.lang == "en") for units in (want, have))
    for mine, other, name in ((_SON, _DAUGHTER, "son"), (_DAUGHTER, _SON, "daughter")):
        if rx(mine).search(stated) and rx(other).search(said) and not rx(mine).search(said):
            return f"a {name} was not mentioned"
    return ""


def _other_owner(want: Sequence[Unit], have: Sequence[Unit], vocabulary: Vocabulary) -> str:
    """My brother's wedding is not the user's."""
    stated, said = (" ".join(unit.text for unit in units if unit.lang == "en") for units in (want, have))
    mine = {match["o"].lower() for match in rx(r"(?i)\bthe user['’]s (?P<o>[a-z][\w\-]*)").finditer(stated)}
    roles = vocabulary.mapping("en", "roles")
    for match in rx(
        r"(?i)\b(?:my|our) (?:[a-z\-]+ )?(?P<r>[a-z\-]+)['’]s (?P<o>[a-z][\w\-]*(?: [a-z][\w\-]*)?)"
    ).finditer(said):
        thing = mine & set(match["o"].lower().split())
        if thing and match["r"].lower() in roles and not thing & set(roles):
            return f"it was said of the {match['r'].lower()}'s {min(thing)}"
    return ""


def owner(subject: str) -> str:
    """Of whom a subject path speaks: the user's things are the user's; a child, son or daughter may be one person."""
    if not subject.startswith("user."):
        return subject
    role, _, _ = subject[5:].partition(":")
    return "user" if role in ("company", "team", "pet") else f"user.{_one_of(role)}"


# ---------------------------------------------------------------- polarity

_NEG_EN = r"(?i)\b(?:not|no|never|neither|none|nobody|nothing|without|cannot|hardly|barely|nor)\b|n't\b|\b(?:hates?|dislikes?|detests?|loathes?|avoids?|refuses?|lacks?|stopped|quit|quits|unable|unavailable|gave up|given up|moved (?:out of|away from))\b"
# A limit, not a denial: "we can't go over 2k", "no more than 40".
_LIMIT_EN = r"(?i)(?:\b(?:not|never|cannot|nothing|no)|\b\w+n't)\b(?= (?:[\w]+ ){0,3}?(?:over|above|beyond|more than|higher than|exceed(?:ing)?) [$€£]?\d)"
_NEG_ZH = r"不是不|并非|不|没有?|无(?=法|烟|糖|需|人)|未(?!来|婚|必)|(?<![特分区告性级派])别(?!人|的|墅|处)|非(?!常|洲)|讨厌|厌恶|拒绝|戒|从不|反感|另算|另计|除外"
_NOT_NEG_ZH = r"不错|不过|不仅|不但|不久|不同|不少|差不多|(?:别|不要|不能|不想|不可|不许|不得)(?:能|要)?(?:超过|高于|超出|多于|低于|少于)|不超过|不低于|不管|不断|不止|要不|不然|不如|对不起|没错|不动产|不锈钢|受不了(?=的)|不超|不多于|不高于"


def negated(units: Sequence[Unit]) -> bool:
    """True when an odd number of denials stands in the clauses; neither… nor is one."""
    total = 0
    for unit in units:
        if unit.blocked == "condition" and len(units) > 1:
            continue
        if unit.lang == "zh":
            text = rx(_NOT_NEG_ZH).sub("", unit.text)
            total += sum(2 if match[0] in ("不是不",) else 1 for match in rx(_NEG_ZH).finditer(text))
        else:
            text = rx(r"(?i)\bneither\b(.*?)\bnor\b").sub(r"neither\1 or", unit.text)
            text = rx(r"(?i)\bno [\w ]{1,20}? (?:for me|please|thanks)\b").sub(" ", text)
            text = rx(_LIMIT_EN).sub(" ", text)
            text = rx(r"(?i)\bnot only\b|\bno doubt\b|\bno problem\b|\bno longer\b").sub(
                lambda m: "not" if "longer" in m[0].lower() else "", text
            )
            total += len(rx(_NEG_EN).findall(text))
    return total % 2 == 1


def denials(units: Sequence[Unit]) -> tuple[bool, bool]:
    """Whether the condition and whether the rest is denied; a condition is what follows its word."""
    text = text_of(units)
    if units[0].lang == "zh":
        found = rx(r"(?:如果|要是|假如|假使|若是?|只要|除非|万一)([^，,。；]+)|([^，,。；]+)的话").search(text) or rx(
            r"(?P<c>(?:不|没)[^，,。；]{1,6}?)[,，]?(?:我们?|咱们?|用户)?(?=就)"  # 不下雨我就去
        ).search(text)
    else:
        found = rx(r"(?i)\b(?:if|unless|provided(?: that)?|in case)\b([^,.;]+)").search(text)
    if not found:
        return negated(units), False
    parts = (found[0], text[: found.start()] + " " + text[found.end() :])
    reversed_ = bool(rx(r"(?i)\bunless\b|除非").search(found[0]))
    one, other = (negated([replace(units[0], text=part, blocked="")]) for part in parts)
    return one != reversed_, other


# ---------------------------------------------------------------- strength

_STRONG = (
    (r"(?i)\bfavou?rites?\b|最喜欢|最爱", r"(?i)\bfavou?rite|\bmost\b|\bbest\b|最"),
    (r"(?i)\balways\b|总是|一直|永远|从来都", r"(?i)\balways\b|\bevery|\bnever\b|总|一直|永远|从来|都|每"),
    (r"(?i)\bonly\b|只(?!有一)|仅", r"(?i)\bonly\b|\bjust\b|\bnothing but\b|只|仅|就"),
    (r"(?i)\bnever\b|从不|从来不|绝不", r"(?i)\bnever\b|从不|从来|绝|一.{0,2}都不|任何"),
    (r"(?i)\b(?:all|every|everything|everyone|entire(?:ly)?|completely|totally|fully)\b|完全|全部|所有|任何|一切", r"(?i)\b(?:all|every|everything|any|entire|whole|completely|totally|fully|each|both)\b|完全|全|所有|任何|一切|都|每|一.{0,2}都"),
    (r"(?i)\b(?:best|(?<!at )(?<!the )most(?! of\b)|greatest|biggest)\b|(?<!以)最(?!近|后|多|高|低|少|初|终)", r"(?i)\b(?:best|most|greatest|biggest|favou?rite)|最|特别"),
    (r"(?i)\bdaily\b|\bevery (?:day|morning|night|evening|week)\b|每天|每日|天天|每晚|每周", r"(?i)\bdaily\b|\bevery\b|\beach\b|\b(?:a|per) (?:day|week|night)\b|每|天天|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|mornings|evenings|nights"),
    (r"(?i)\b(?:severe(?:ly)?|extremely|very|seriously|highly)\b|严重|极其|非常|十分", r"(?i)\b(?:severe|extreme|very|really|so|serious|high|terribl|badly|awful|deathly)|严重|极|非常|十分|特别|很|太|超|挺|实在|要命|死"),
    (r"(?i)\b(?:certainly|definitely|guaranteed|must)\b|一定|必须|肯定", r"(?i)\b(?:certain|definite|guarantee|must|have to|need|required)|一定|必须|肯定|得|要|务必"),
    (r"(?i)\b(?:expert|fluent(?:ly)?|professional|master(?:ed|s)?)\b|精通|专家|流利", r"(?i)\b(?:expert|fluent|professional|master|hang of|proficient)|精通|专家|流利|掌握|熟练|专业|懂"),
    (r"(?i)(?<!near )\b(?:in|inside)\b(?= [A-Z])|住在|位于", r""),
)  # fmt: skip
_NEAR = r"(?i)\b(?:near|outside|close to|around|not far from|north of|south of|east of|west of)\s+(?=[A-Z\u4e00-\u9fff])|附近|旁边|周边|郊外|隔壁|边上"


_BESIDE = "附近|旁边|周边|郊外|隔壁|边上|外围"


def stronger_word(want: Sequence[Unit], have: Sequence[Unit]) -> str:
    """A word of the statement that claims more than was said; empty when there is none."""
    stated, said = text_of(want), text_of(have)
    for claim, backing in _STRONG:
        match = rx(claim).search(stated)
        if match and backing and not rx(backing).search(said):
            return match[0]
    beside = rx(rf"([\u4e00-\u9fff]{{2,4}}?)(?:{_BESIDE})").search(said)
    if beside and beside[1][-2:] in stated and not rx(_BESIDE + "|靠近|邻近").search(stated):
        return beside[1][-2:]
    near = rx(_NEAR).search(said)
    if near and not rx(_NEAR + r"|(?i:near|around|close|area)").search(stated):
        place = rx(r"[A-Z][\w'’-]+|[\u4e00-\u9fff]{2}").match(said[near.end() :])
        if place and place[0] in stated:
            return place[0]
    return ""
