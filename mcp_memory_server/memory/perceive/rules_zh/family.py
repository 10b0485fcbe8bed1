"""Chinese rules: relationships, relatives, animals."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    BESIDE,
    ContextZh,
    FrameZh,
    draft,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.person import _N, _number
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER, path_of
from mcp_memory_server.memory.perceive.when import Bind

_STATUS = (
    r"母胎单身|母胎solo|单身狗|单身|已婚|未婚|离异|离婚|离了婚|结婚|订婚|恋爱|丧偶|分居|再婚|再婚|分手|脱单|丁克|领证"
)


def relationship(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """单身, 已婚, 离婚了…"""
    if not frame.path or frame.subject.role in ("company", "pet"):
        return
    match = rx(
        rf"^(?P<neg>不是|没有?|还没有?|未)?(?:(?:跟|和|与)[^,，]{{1,12}}?)?(?:已经|正式|终于|又)?(?:是|处于|刚|又|和平|闪|在|谈|办了?|办理了?)?(?P<o>{_STATUS})(?P<t>了|后|的|状态|中|快乐|着|[一二两三四五六七八九十\d]+年)?"
    ).match(frame.rest)
    paired = rx(r"^有(?P<o>男朋友|女朋友|对象|男友|女友)了?$").match(frame.rest)
    if paired and frame.path == USER:
        yield text_draft(frame, "relationship_status", f"有{paired['o']}")
        return
    wed = rx(r"^(?:(?:跟|和|与)[^,，]{1,10}?)?(?P<v>结|离|订)的婚$").match(frame.rest)
    if wed:
        yield text_draft(frame, "relationship_status", f"{wed['v']}婚", begins=True, past=True, change=Change.CHANGED)
        return
    courting = rx(
        r"^(?:(?:跟|和|与)[^,，]{1,10}?)?(?:又|刚|已经|终于)*(?P<v>谈|处|交|找)(?:了|到|上|着)*(?:一?个)?(?P<o>对象|男朋友|女朋友|男友|女友)(?:了|呢)?$"
    ).match(frame.rest)
    if courting and rx(r"了|着|到|上").search(frame.rest):
        yield text_draft(
            frame,
            "relationship_status",
            f"{courting['v']}{courting['o']}",
            begins=True,
            past=True,
            change=Change.CHANGED,
        )
        return
    parted = rx(r"^(?:跟|和|与)前(?:妻|夫|任)[^,，]{0,4}?(?:离|分)了").match(frame.rest)
    if parted:
        yield text_draft(
            frame,
            "relationship_status",
            "离婚" if "离" in parted[0] else "分手",
            begins=True,
            past=True,
            change=Change.CHANGED,
        )
        return
    paper = rx(r"^(?:(?:跟|和|与)[^,，]{1,10}?)?(?P<v>领|扯|拿)(?:了|的)?(?:结婚)?证(?:了|的)?").match(frame.rest)
    if paper and rx(r"了|的").search(paper[0]):
        yield text_draft(frame, "relationship_status", f"{paper['v']}证", begins=True, past=True, change=Change.CHANGED)
        return
    if not match or rx(r"(?:打算|准备|想|要|计划|不想|不婚)").search(frame.adverbs):
        return
    if match["o"] in ("结婚", "订婚", "离婚", "领证") and not (
        match["t"] in ("了", "后") or match["neg"] or rx(r"[了年]").search(frame.rest) or frame.clause.times
    ):
        return
    if any(when.bind is Bind.AT and when.future > frame.clause.today for when in frame.clause.times) and match["o"] in (
        "结婚",
        "订婚",
        "领证",
    ):
        return
    event = match["o"] in ("离婚", "离了婚", "结婚", "订婚", "分手", "再婚", "脱单", "领证")
    changed = Change.CHANGED if event and not match["neg"] else Change.NONE
    yield text_draft(
        frame, "relationship_status", match["o"], negative=bool(match["neg"]), begins=event, past=event, change=changed
    )


def family(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """有个姐姐, 两个孩子."""
    if not frame.path:
        return
    rest = rx(
        r"^(?:(?:跟|和)[^,，]{1,5}?(?=有|生|育))?(?:家里?)?(?:上头|上面|上边|下面|下头|下边|底下|膝下|名下)?(?:一共|总共|还|只|就)*"
    ).sub("", frame.rest)
    both = rx(r"^(?:有|育有|生了|养了)?(?P<a>[一两二三])(?:儿|子)(?P<b>[一两二三])女$").match(rest)
    if both:
        count = int(_number(both["a"])) + int(_number(both["b"]))
        yield draft(frame, "children_count", Value(ValueType.NUMBER, str(count)), timeless=True)
        return
    parent = (
        rx(
            r"^(?:是|当)(?:了)?(?P<n>[一两俩二三四五\d])个?(?:孩子?|娃|小孩|宝宝|男孩|女孩|儿子|女儿)的?(?:妈|爸|母亲|父亲|爹|娘|家长|宝妈|宝爸|奶爸)"
        ).match(rest)
        or rx(
            r"^(?:已经)?(?:生|养)(?:了|育了?)(?P<n>[一两俩二三四五六\d])个?(?:孩子|娃|小孩|宝宝|男孩|女孩|儿子|女儿)?$"
        ).match(rest)
        or rx(r"^(?:孩子|娃|小孩)(?:一共|总共|就)*有?(?P<n>[一两俩二三四五六\d])个").match(rest)
    )
    if parent and frame.subject.role != "pet" and rx(r"孩|娃|儿|宝|子").search(context.sentence):
        value = {"俩": "2"}.get(parent["n"], _number(parent["n"]))
        yield draft(frame, "children_count", Value(ValueType.NUMBER, value), timeless=True)
        return
    match = rx(
        r"^(?P<neg>没)?有?(?P<n>[一两俩仨二三四五六七八九十\d]|没有)?个?(?:小)?(?P<k>孩子|小孩|娃|宝宝|娃儿|孩)(?:$|了|[,，。]|都|在)"
    ).match(rest)
    if match and rx(r"排行|兄弟|姐妹|兄妹").search(context.sentence):
        return  # the children of the user's parents
    if match and (match["n"] or match["neg"]):
        value = "0" if match["neg"] else {"俩": "2", "仨": "3"}.get(match["n"], _number(match["n"]))
        if value:
            yield draft(
                frame,
                "children_count",
                Value(ValueType.NUMBER, value),
                subject=USER if not frame.subject.role else frame.path,
                timeless=True,
            )
        return
    kin_words = context.words("family")
    if frame.path == USER and rx(rf"^(?:[一两二三四五]个(?:亲)?(?:{kin_words})(?:和|、)?){{2,6}}$").match(rest):
        for each in rx(rf"(?P<n>[一两二三四五])个(?P<o>(?:亲)?(?:{kin_words}))").finditer(rest):
            yield text_draft(frame, "family_member", each["o"] if each["n"] == "一" else each[0], timeless=True)
        return
    match = rx(r"^(?P<neg>没)?有(?P<o>.+)").match(rest)
    if not match:
        return
    for part in rx(r"[、,，]|和|跟|还有|以及").split(match["o"]):
        kin = context.rx(
            r"^(?P<n>[一两俩二三四五\d])?(?:个|位|对)?(?P<adj>亲|双胞胎|大|小|同父异母的|异父异母的)?(?P<o>⟨family⟩)(?!的)"
        ).match(part.strip())
        if kin:
            word = kin["o"] if not kin["n"] or kin["n"] in "一1" else f"{kin['n']}个{kin['o']}"
            yield text_draft(
                frame,
                "family_member",
                (kin["adj"] or "") + word if not word[0].isdigit() else word,
                negative=bool(match["neg"]),
                timeless=True,
            )


_KEPT = rf"^(?:家里?)?(?P<neg>没有?|不|从没|没)?{BESIDE}(?:领养|收养|养|买|捡|有|接|抱)(?:了|着|过|的是|回)*(?:来|家)?{_CLASSIFIER}?(?:[\u4e00-\u9fff]{{1,3}}的)?(?P<adj>(?!(?:⟨animals⟩))(?:大|小|老|白色?|黑色?|橘色?|流浪|可爱的))*(?P<o>⟨animals⟩)(?![\u4e00-\u9fff]?(?:毛|粮|砂|子面|肉|排|汤|过敏|年|咖|博))"


def pets(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """养了只猫; 元宝是只金毛 gives the animal a subject of its own."""
    animal = context.words("animals")
    if frame.path and not rx(r"(?:想|打算|准备|计划|要|考虑)").search(frame.adverbs):
        none = rx(r"^(?:从来|从|一直)?(?:不|没)养(?:过|任何|什么)*宠物").match(frame.rest)
        if none:
            yield text_draft(frame, "has_pet", "宠物", negative=True)
            return
        match = context.rx(_KEPT).match(rx(rf"^在?(?={_CLASSIFIER}?养)").sub("", frame.rest))
        if (
            match
            and rx(r"养|领养|收养|捡|只|条|家|买了|有").search(match[0])
            and not rx(r"[吃煮炖]").search(frame.rest)
            and (("有" not in match[0][:3]) or rx(r"只|条|匹|头|家").search(match[0]))
        ):
            started = bool(rx(r"领养|收养|捡|买|接|抱").search(match[0])) or "了" in match[0]
            kinds = [match["o"]]
            kinds += rx(rf"(?:和|、|还有|跟)?{_CLASSIFIER}(?:[\u4e00-\u9fff]色的?)?({animal})").findall(
                frame.rest[match.end() :]
            )
            for kind in kinds:
                yield text_draft(
                    frame,
                    "has_pet",
                    kind,
                    negative=bool(match["neg"]),
                    begins=started and not match["neg"],
                    past=started,
                )
            return
    match = rx(
        rf"^(?P<name>[\u4e00-\u9fff]{{1,4}})?是{_CLASSIFIER}?(?P<age>[^的]{{1,10}}的)?(?P<adj>[\u4e00-\u9fff]{{1,2}}色的?)?(?P<o>{animal})$"
    ).match(frame.rest)
    own = rx(r"^(?:我们?|咱们?)家").match(frame.clause.text)
    if match and (frame.subject.role == "pet" or (own and match["name"])):
        yield text_draft(frame, "has_pet", match["o"], subject=USER)
        number = rx(rf"(?P<n>{_N})(?P<u>个月|岁|周)(?P<h>半)?").search(match["age"] or "")
        if number and _number(number["n"]) and (match["name"] or frame.subject.name):
            unit = {"个月": "month", "岁": "year", "周": "week"}[number["u"]]
            yield draft(
                frame,
                "age",
                Value(ValueType.NUMBER, _number(number["n"]) + (".5" if number["h"] else ""), unit),
                subject=f"user.pet:{match['name'] or frame.subject.name}",
                timeless=True,
            )
    whose = rx(
        r"^(?:那|这)(?:只|条)?(?:其实)?是我们?(?P<r>[\u4e00-\u9fff]{1,4}?)(?:家)?(?:养)?的(?P<o>[\u4e00-\u9fff]{1,4})?$"
    ).match(frame.body)
    roles = context.vocabulary.mapping("zh", "roles")
    if whose and whose["r"] in roles and rx(rf"(?:{animal})").fullmatch(whose["o"] or ""):
        path = path_of(roles[whose["r"]], "", context.vocabulary)
        yield text_draft(frame, "has_pet", whose["o"], subject=path)
        return
    lost = rx(r"^(?:已经|突然)?(?:走丢|跑丢|飞走|飞跑|病死|老死|死|去世|走|没|不在|送人|送走|过世)了").match(frame.rest)
    if lost and frame.subject.role == "pet" and frame.subject.word:
        yield text_draft(frame, "has_pet", frame.subject.word, subject=USER, negative=True, ends=True, past=True)
        return
    gone = rx(
        rf"^(?:家的?|养的)?(?P<o>{animal})(?:上?[周月]|昨天|今天|去年)?(?:走丢|跑丢|飞走|飞跑|跑|病死|老死|丢|死|去世|走|没|不在|离开|送人|送走|过世|去了?喵星|去了?汪星)了"
    ).match(frame.rest)
    if gone:
        yield text_draft(frame, "has_pet", gone["o"], subject=USER, negative=True, ends=True, past=True)


RULES = (relationship, family, pets)
