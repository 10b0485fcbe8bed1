"""Chinese rules: what is done regularly, or was given up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, first_of, good_object, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.lexicon import alternation, once
from mcp_memory_server.memory.perceive.rules_zh.health import _PLANNING
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import Bind
from mcp_memory_server.memory.vocabulary import Vocabulary


def _plain_habits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """烟酒不沾, 一天两杯咖啡, 睡前看书, 早睡早起."""
    rest = frame.rest
    skipped = rx(
        r"^(?P<o>早饭|早餐|午饭|晚饭|晚餐|夜宵|宵夜|零食)(?:我)?(?:从来|一向|基本上?|一般|从|都|是|平时|几乎)*不吃(?:的)?$"
    ).match(frame.topic + frame.adverbs + rest if frame.topic else frame.body)
    if skipped:
        yield text_draft(frame, "has_habit", f"吃{skipped['o']}", negative=True)
        return
    none = rx(r"(?P<a>烟酒|滴酒|酒|烟)(?:都|从来|从|一概)*不(?:沾|碰)").search(frame.body)
    if none:
        for part in {"烟酒": ("抽烟", "喝酒"), "烟": ("抽烟",)}.get(none["a"], ("喝酒",)):
            yield text_draft(frame, "has_habit", part, negative=True)
        return
    amount = rx(
        r"^(?:每天|一天|天天)?(?:都|要|得|至少|大概)*(?P<v>喝|抽|吃)(?:[一两二三四五六七八九十半几\d]+)(?:杯|包|瓶|罐|根|听|碗|支)(?P<o>[\u4e00-\u9fffA-Za-z]{1,5})$"
    ).match(rest)
    if amount and rx(r"每天|一天|天天|每晚|每日").search(frame.clause.text):
        yield text_draft(frame, "has_habit", f"{amount['v']}{amount['o']}")
        return
    cups = rx(
        r"^(?:一天|每天|天天)?(?:都|要|得|至少|大概)*[一二两三四五六七八九十半几\d]+(?:杯|包|瓶|罐)(?P<o>咖啡|奶茶|酒|白酒|啤酒|红酒|茶|可乐|烟|牛奶|豆浆)$"
    ).match(rest)
    if cups and rx(r"每天|一天|天天|每晚|每日").search(frame.clause.text):
        yield text_draft(frame, "has_habit", f"{'抽' if cups['o'] == '烟' else '喝'}{cups['o']}")
        return
    when_done = rx(
        r"^(?P<o>(?:睡前|饭后|早起后?|晚饭后|午饭后|早上空腹|空腹)(?:都|会|要|得|必须|一定|习惯|总|喜欢|先)*(?P<v>[\u4e00-\u9fff]{2,8}))$"
    ).match(rest)
    if when_done and not rx(r"[了过]|不|没|想|打算|提醒").search(rest):
        yield text_draft(
            frame, "has_habit", rx(r"(?<=[前后腹])(?:都|会|要|得|必须|一定|习惯|总|喜欢|先)+").sub("", when_done["o"])
        )
        return
    sleep = rx(
        r"^(?:一直|每天|都|习惯|坚持|喜欢)*(?P<o>早睡早起|晚睡晚起|早睡|早起|午睡|裸睡|冬泳|晨跑|夜跑|冥想|打坐)(?:的习惯)?(?:$|[,，。])"
    ).match(rest)
    if sleep and not rx(r"想|要|打算|该").search(frame.adverbs):
        yield text_draft(frame, "has_habit", sleep["o"])
        return


_COUNT = r"[一二两三四五六七八九十几\d]+"


def _act_of(thing: str) -> str:
    """What one does with a thing that is given up: 啤酒 is drunk, 烟 smoked."""
    if rx(r".*(?:酒|茶|咖啡|可乐|饮料|奶)").fullmatch(thing):
        return f"喝{thing}"
    return f"抽{thing}" if thing.endswith("烟") else thing


def _given_up(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """三个月没喝可乐了, 把烟戒了, 戒酒了."""
    rest = frame.rest
    stopped = rx(r"^(?:已经|早就)?(?:有)?(?:一直)?没(?:再)?(?P<o>[吃喝抽打玩碰熬刷泡赌][^了,，]{1,5})了$").match(rest)
    if stopped and any(when.bind is Bind.LASTING for when in frame.clause.times):
        yield text_draft(frame, "has_habit", stopped["o"], negative=True, ends=True, past=True)
        return
    quit_it = rx(
        r"^(?:已经|早就|现在)?不(?:再)?(?P<o>(?!打算|打扰|打工|看好|看重|玩笑)[喝吃抽打玩跑骑熬刷泡踢跳][^了,，不]{1,6}?)了$"
    ).match(rest)
    if quit_it and not rx(r"(?:下去|起来|动|完|下|起|好|消|准|到|着|得|惯|饭|药|车)$").search(quit_it["o"]):
        yield text_draft(frame, "has_habit", quit_it["o"], negative=True, ends=True, past=True)
        return
    instead = rx(r"^(?:现在)?改(?:成|为)?(?P<o>[喝吃抽打玩跑骑看游练踢坐跳][\u4e00-\u9fffA-Za-z]{1,5})了?$").match(rest)
    if instead and rx(r"不|戒").search(context.sentence):
        yield text_draft(frame, "has_habit", instead["o"], begins=True, past=True)
        return
    shed = rx(r"^把(?P<o>[^,，]{1,5}?)(?:给|都|全|彻底|已经)*戒(?:掉)?了?$").match(rest)
    if shed and not rx(r"打算|准备|想").search(frame.clause.text):
        yield text_draft(frame, "has_habit", _act_of(shed["o"]), negative=True, ends=True, past=True)
        return
    topic = rx(
        r"^(?P<t>烟|酒|咖啡|奶茶|可乐|糖|甜食|游戏|手游|夜宵|熬夜|赌|肉|碳水)(?:我|也|早就|已经|都|终于|是)*(?:戒|不抽|不喝|不吃|不打|不碰)(?:掉)?了?"
    ).match(frame.topic + frame.rest if frame.topic else rest)
    match = rx(
        r"^(?:成功|终于|早就|已经|把)?(?:戒掉?了?|戒)(?P<o>烟酒?|酒|咖啡|奶茶|可乐|糖|甜食|游戏|夜宵|熬夜|赌|手机|短视频|肉|碳水|(?![不得没])[\u4e00-\u9fff]{1,4}?)(?:了|已经|有|整|满|快|都|$|[一二两三四五六七八九十半\d])"
    ).match(rest)
    quitting = topic["t"] if topic and rx(r"戒|了").search(topic[0]) else match["o"] if match else ""
    if quitting:
        for part in {"烟酒": ["抽烟", "喝酒"]}.get(
            quitting,
            [
                {
                    "烟": "抽烟",
                    "酒": "喝酒",
                    "咖啡": "喝咖啡",
                    "奶茶": "喝奶茶",
                    "可乐": "喝可乐",
                    "游戏": "打游戏",
                    "手游": "打手游",
                    "夜宵": "吃夜宵",
                    "赌": "赌博",
                    "肉": "吃肉",
                    "糖": "吃糖",
                    "甜食": "吃甜食",
                }.get(quitting, quitting)
            ],
        ):
            yield text_draft(frame, "has_habit", part, negative=True, ends=True, past=True)


def _counted(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """一周去三次健身房."""
    rest = frame.rest
    often = rx(
        rf"^(?:固定|至少|都|要|会|大概|平均)*(?P<v>[去跑游打练上做跳骑爬喝吃看写踢弹]|健身|跑步|游泳|瑜伽)(?:{_COUNT})(?:次|回|趟)(?P<o>[\u4e00-\u9fffA-Za-z]{{0,6}})$"
    ).match(rx(r"^(?:一|每)个?(?:周|星期|礼拜|月|天|年)").sub("", rest))
    if (
        often
        and rx(r"(?:一|每)个?(?:周|星期|礼拜|月|天|年)").search(frame.clause.text)
        and len(often["v"] + often["o"]) > 1
    ):
        yield text_draft(frame, "has_habit", often["v"] + often["o"])


def _no_habits(vocabulary: Vocabulary) -> re.Pattern[str]:
    """Drugs and diets, which have predicates of their own."""
    drugs, diets = (alternation(vocabulary.words("zh", name)) for name in ("medications", "diets"))
    return re.compile(rf"{drugs}|^(?:不(?:再)?)?(?:吃|喝|是|做)?(?!戒)(?:{diets})")


def habits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What is done regularly, or was given up."""
    if not frame.path or "更" in frame.adverbs or rx(_PLANNING).search(frame.adverbs):
        return
    rest = rx(
        r"^(?:通勤路上|上班路上|下班路上|(?:上班|下班|放学|午休|睡前|饭后|饭前|早上起床|起床|回家|周末)(?:后|前|以后|之后|之前|回家)?)(?:一般|通常|总|都|会|就|要|习惯|基本|第一件事就?是)*(?=[\u4e00-\u9fff]{2})"
    ).sub("", frame.rest)
    routine = rest != frame.rest and not rx(r"^(?:周末|睡前|饭后)").match(frame.rest)
    other = once(context.vocabulary, "zh no habits", _no_habits)
    if other.search(rest):
        return
    told = list(first_of(frame, context, _plain_habits, _given_up, _counted))
    if told:
        yield from told
        return
    match = rx(
        r"^(?P<neg>不怎么|不太|从来不|从不|不|没有|没)?(?:再)?(?P<o>抽烟|吸烟|喝酒|熬夜|健身|吃早餐|吃早饭|吃夜宵|锻炼|运动)(?:的习惯)?(?P<end>了)?(?:$|[,，。])"
    ).match(rx(r"^有(?=\S+的?习惯)|^爱(?=熬夜|运动)").sub("", rest))
    if match and not rx(r"(?:想|要|得|应该|该|禁止|不能)").search(frame.adverbs):
        ended = bool(match["end"]) and bool(match["neg"])
        yield text_draft(
            frame,
            "has_habit",
            match["o"],
            negative=bool(match["neg"]),
            ends=ended,
            past=ended,
            begins=bool(match["end"]),
        )
        return
    wine = rx(
        r"^(?P<t>烟|酒)(?:倒是|我|也|都|还是)*(?:每天|天天|经常|常)?(?:都|会|还)?(?P<v>抽|喝)(?P<r>一?点|几|不多|得)?"
    ).match(rest)
    if wine:
        yield text_draft(frame, "has_habit", f"{wine['v']}{wine['t']}")
        return
    repeated = (
        routine
        or any(when.bind is Bind.REPEAT for when in frame.clause.times)
        or rx(
            r"(?:上下班|上下学|平时|平常|通常|天天|每天|每晚|每周|每个月|每年|每早|每逢|每次|经常|习惯|常年|雷打不动|坚持|总是)"
        ).search(frame.clause.text)
    )
    match = rx(
        r"^(?:是|都|会|要|得|固定|坚持|习惯|雷打不动地?|一定|必须|有|基本|在\S{1,4})*(?P<o>(?:去|跑|游|走|骑|打|练|做|写|读|看|听|吃|喝|泡|早起|早睡|午睡|睡|冥想|锻炼|健身|坐|开车|遛|记|背|弹|画|拉|跳|爬|散|逛|上|带|给|洗|煮|自己|晨跑|夜跑|瑜伽|跟|和|陪|熬夜|加班|喂|量|称|敷|打坐|祷告|下|踢|快走|慢跑|散步|拉伸|刷|玩|听|学|种|钓|自习|复盘|赶|倒|浇|居家|远程|在家|挤|搭|推)[^,，。]{0,10})"
    ).match(rest)
    if (
        match
        and repeated
        and "了" not in match["o"]
        and not rx(r"(?:太|费|不|没|想|被|他|她|你|你们|我|能|可以|觉得|课程|老师|打交道|较劲)").search(match["o"])
    ):
        text = rx(
            r"(?:的习惯|一次|两次|三次|\d+次|[一二两三四五六七八九十半]+个?(?:小时|分钟|公里|圈|页|章|篇|遍|首|点)\S*|\d+\S*|一会儿?|一下|几\S+|左右)$"
        ).sub("", match["o"])
        text = rx(r"(?<=[\u4e00-\u9fff]{2})(?:到|至)[^,，]{0,5}$").sub("", text)
        text = clean(
            rx(
                rf"^(?P<v>[\u4e00-\u9fff])(?:{_COUNT}|半)(?:个)?(?:小时|分钟|钟头|公里|圈|页|遍|杯|个|首|升|毫升|碗|口|大杯)的?(?=[\u4e00-\u9fff])"
            ).sub(r"\g<v>", text)
        )
        text = {"跑": "跑步", "游": "游泳", "走": "走路", "骑": "骑车", "练": "锻炼"}.get(text, text)
        if good_object(text) and 2 <= len(text) <= 9 and text not in ("上班", "下班", "上学", "放学", "上课"):
            yield text_draft(frame, "has_habit", text)


RULES = (habits,)
