"""Chinese rules: what is done regularly, or was given up."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, good_object, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.health import _PLANNING
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import Bind


def _plain_habits(frame: FrameZh, rest: str) -> Iterator[Draft]:
    """烟酒不沾, 一天两杯咖啡, 睡前看书, 早睡早起."""
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
        r"^(?P<o>(?:睡前|饭后|早起后?|起床后|下班后|上班前|晚饭后|午饭后|出门前|早上空腹|空腹)(?:都|会|要|得|必须|一定|习惯|总|喜欢|先)*(?P<v>[\u4e00-\u9fff]{2,8}))$"
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


def habits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What is done regularly, or was given up."""
    if not frame.path or rx(_PLANNING).search(frame.adverbs):
        return
    rest = frame.rest
    told = list(_plain_habits(frame, rest))
    if told:
        yield from told
        return
    topic = rx(
        r"^(?P<t>烟|酒|咖啡|奶茶|可乐|糖|甜食|游戏|手游|夜宵|熬夜|赌|肉|碳水)(?:我|也|早就|已经|都|终于|是)*(?:戒|不抽|不喝|不吃|不打|不碰)(?:掉)?了?"
    ).match(frame.topic + frame.rest if frame.topic else rest)
    match = rx(
        r"^(?:成功|终于|早就|已经|把)?(?:戒掉?了?|戒)(?P<o>烟酒?|酒|咖啡|奶茶|可乐|糖|甜食|游戏|夜宵|熬夜|赌|手机|短视频|肉|碳水|[\u4e00-\u9fff]{1,4})(?:了|已经|有|$|[一二两三四五六七八九十半\d])"
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
                    "甜食": "吃甜食",
                }.get(quitting, quitting)
            ],
        ):
            yield text_draft(frame, "has_habit", part, negative=True, ends=True, past=True)
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
    if rx(context.words("medications")).search(rest):
        return
    repeated = any(when.bind is Bind.REPEAT for when in frame.clause.times) or rx(
        r"(?:平时|平常|通常|天天|每天|每晚|每周|每个月|每年|每早|每逢|每次|经常|习惯|常年|雷打不动|坚持|总是)"
    ).search(frame.clause.text)
    match = rx(
        r"^(?:都|会|要|得|固定|坚持|习惯|雷打不动地?|一定|必须|有|基本|在\S{1,4})*(?P<o>(?:去|跑|游|走|骑|打|练|做|写|读|看|听|吃|喝|泡|早起|早睡|午睡|睡|冥想|锻炼|健身|坐|开车|遛|记|背|弹|画|拉|跳|爬|散|逛|上|带|给|洗|煮|自己|晨跑|夜跑|瑜伽|跟|和|陪|熬夜|加班|喂|量|称|敷|打坐|祷告|下|踢)[^,，。]{0,10})"
    ).match(rest)
    if (
        match
        and repeated
        and "了" not in match["o"]
        and not rx(r"(?:不|没|想|被|能|可以|觉得|课程|老师)").search(match["o"])
    ):
        text = rx(
            r"(?:的习惯|一次|两次|三次|\d+次|[一二两三四五六七八九十半]+个?(?:小时|分钟|公里|圈|页|章|篇|遍|首|点)\S*|\d+\S*|一会儿?|一下|几\S+|左右)$"
        ).sub("", match["o"])
        text = clean(text)
        text = {"跑": "跑步", "游": "游泳", "走": "走路", "骑": "骑车", "练": "锻炼"}.get(text, text)
        if good_object(text) and 2 <= len(text) <= 9:
            yield text_draft(frame, "has_habit", text)


RULES = (habits,)
