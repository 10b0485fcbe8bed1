"""Chinese rules: budgets and limits."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    ContextZh,
    FrameZh,
    draft,
    good_object,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def sums_of(frame: FrameZh, least: int = 10) -> list[Quantity]:
    """The sums of a clause: money, and bare numbers that may be meant as money."""
    return [
        q
        for q in quantity.of_clause(frame.clause, "zh")
        if q.kind == "money" or (q.kind == "plain" and q.value >= least)
    ]


_MAX_BEFORE = r"(?:不超过|别超过|不要超过|不能超过|不超|别超|不高于|不多于|不大于|最多|顶多|至多|最高|上限是?|封顶|控制在|控制到|不超出|(?<![不别得能])低于|(?<![不别得能])少于|(?<!不)小于|以内|(?:打算|准备|计划|预备)(?:总共|一共)?花|愿意[花出]|限额|只有|只能花|最多花|最多出|最多只能|撑死|不想超过|不想花超过|超过|别超出|不超出|顶天|顶破天|天花板)(?:了)?(?:是|也|就|只|可以|肯|愿意?|会|能|出|花|给|掏|拿|付|接受|承受|加|到|在)*(?:大概|大约)?[¥￥$€£]?$"


_MAX_AFTER = r"^(?:块钱?|元|人民币|左右)?(?:一晚|每晚|一天|每天|一个月|每人|一人|/晚)?(?:以内|之内|以下|内(?!容)|封顶|为上限|左右(?:的)?(?:预算)?|打住|到头|顶天)"


_MIN_BEFORE = (
    r"(?:不低于|不少于|[别能得]低于|[别能得]少于|至少|最少|最低|起码|不小于|下限是?|高于)(?:是|要|得|花)?[¥￥$€£]?$"
)


_MIN_AFTER = r"^(?:块钱?|元)?(?:以上|起步?|往上|打底)"


def budgets(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """The most or least that is to be paid, also in requests."""
    text, sentence = frame.clause.body, context.sentence
    sums = sums_of(frame)
    budget = (
        rx(r"预算|(?i:budget)").search(sentence) is not None
        or rx(r"价位|价格(?:在|区间)|能接受的价格|花不了|可接受").search(sentence) is not None
    )
    asks = (
        rx(
            r"推荐|推(?:个|款|几)|求推|来个|有没有|适合|帮我|给我|找|挑|选|买|订|定|有没有|想要|求|租|住|酒店|需要|都行|都可以|能接受|之间"
        ).search(context.text)
        is not None
    )
    limited = rx(
        r"打住|顶天|撑死|顶破天|起步|不[能得]少于|不[能得]低于|不想花|(?:打算|准备|计划|预备)(?:总共|一共)?花|愿意[花出]|花超过|最多|不超过|别超过|不要超过|以内|上限|封顶|控制在|顶多|至多|最高|不高于|之内|以下|不低于|不少于|至少|最少|起码"
    ).search(text)
    span = len(sums) >= 2 and rx(r"^(?:块钱?|元)?(?:到|至|-|~|—)$").match(text[sums[0].end : sums[1].start].strip())
    near = asks and bool(span or rx(r"左右|上下").search(text))
    if not sums or (not budget and not near and not limited):
        return
    if (
        rx(r"营收|工资|月薪|年薪|存款|收入|罚款|字|分钟|公里|体重|血压|血糖|斤|报销额度|限速").search(text)
        and not budget
    ):
        return
    scope = _scope(text, sentence)
    change = (
        Change.CHANGED
        if rx(r"(?:提高|加|涨|提升|调|改|降|减|放宽|追加)(?:高|低)?(?:到|成|为)").search(text)
        else Change.NONE
    )
    if len(sums) >= 2 and rx(r"^(?:块钱?|元)?(?:到|至|-|~|—|和|与)$").match(text[sums[0].end : sums[1].start].strip()):
        low, high = sums[0], sums[1]
        yield draft(
            frame,
            "budget_min",
            low.as_value(scope=scope, currency=low.unit or high.unit or context.currency),
            subject=USER,
            timeless=True,
        )
        yield draft(
            frame,
            "budget_max",
            high.as_value(scope=scope, currency=high.unit or context.currency),
            subject=USER,
            timeless=True,
        )
        return
    for item in sums[:2]:
        yield from _bound(frame, context, item, scope=scope, stated=budget or asks or len(text) <= 12, change=change)


def _bound(
    frame: FrameZh, context: ContextZh, item: Quantity, *, scope: str | None, stated: bool, change: Change
) -> Iterator[Draft]:
    """One sum as the most or the least, by the words around it."""
    text = frame.clause.body
    before, after = text[: item.start], text[item.end :]
    most = rx(_MAX_BEFORE).search(before) or rx(_MAX_AFTER).match(after)
    least = rx(_MIN_BEFORE).search(before) or rx(_MIN_AFTER).match(after)
    if least and (not most or rx(_MIN_AFTER).match(after)):
        if stated:
            yield draft(
                frame, "budget_min", item.as_value(scope=scope, currency=context.currency), subject=USER, timeless=True
            )
        return
    around = rx(r"^(?:块钱?|元)?(?:左右|上下)").match(after) and rx(r"推|帮我|求|有没有|适合|想买|想换|挑|选").search(
        context.text
    )
    if most or around or rx(r"预算|(?i:budget)").search(text):
        per = item.per or _per_before(text, item)
        ends = tuple(when for when in frame.clause.sentence_times if str(when.bind) == "by")
        value = item.as_value(scope=scope, per=per, currency=context.currency)
        yield draft(frame, "budget_max", value, subject=USER, times=ends, change=change)


def _per_before(text: str, item: Quantity) -> str:
    before = text[: item.start]
    if rx(r"(?:一晚|每晚|一夜)[^,，]{0,8}$").search(before):
        return "night"
    return (
        "month"
        if rx(r"(?:每月|一个月|月租)[^,，]{0,8}$").search(before)
        else "day"
        if rx(r"(?:每天|一天)[^,，]{0,8}$").search(before)
        else ""
    )


def _scope(text: str, sentence: str) -> str | None:
    stop = r"(?:这次|本次|我们?|的|大概|总共|一共|整体|全部|目前|现在|今年|明年|每月|一个月|一晚|每晚|一天|价格|费用|总|给|和|跟|差不多|也|就|别|不|要|想|我家|钱|一?个|公司|单位)"
    patterns = (
        r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:的)?(?:总|整体|费用|购买)?预算",
        r"预算(?:是|为)?[^,，。]*?(?:的|买|用来买|给)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{2,8})$",
        r"(?:推荐|买|挑|选|找|看|换|租|订|定|要|整|入手|来)(?:给我|我)?(?:一?(?:个|台|款|件|双|部|辆|套|间|副|只|把|块|张|条|份|顶|瓶|束|家|些|点|下))?(?:给\S{1,4}的)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:的话|的时候|吧|呢|啊|给|,|，|。|$|我|最多|不超过|预算|，|来)",
        r"^(?P<s>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:一晚|每晚|一天|每月|的价格|价格|价位)?(?:总共|一共|总的)?(?:别|不要|不想|不|最多|控制|顶多|至多|上限|最高|要在|能在)",
        r"(?:以内|以下|左右|之内|内)的?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})",
    )
    for source in (text, sentence):
        source = rx(
            r"[¥￥$]?[\d一二两三四五六七八九十百千万.]+(?:块钱?|元)?(?:以内|以下|之内|左右|内)的(?=[\u4e00-\u9fffA-Za-z])"
        ).sub("", source)
        for pattern in patterns:
            match = rx(pattern).search(source)
            if match:
                word = rx(rf"^{stop}+|(?:的|是|在|了|吧|我|每月|每年|每晚)+$").sub("", match["s"])
                word = rx(
                    rf"^(?:把|将|帮我|给我|想|要|去|买|订|租|找|挑|选|看|给\S{{1,3}}(?:挑|买|选|送))+(?:{_CLASSIFIER})?"
                ).sub("", word)
                if good_object(word) and not rx(
                    rf"(?:{stop}|\d|[一二三四五六七八九十百千万元块]|地方|便宜|合适|好看|左右|以内|时候|人住?|两个人\S*|装|[一二]等座|[软硬][卧座]|商务座|经济舱|头等舱|无座|靠窗)+"
                ).fullmatch(word):
                    return word
    return None


def limits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """报销额度, 限额: how much may be spent at all."""
    match = rx(
        r"(?P<s>报销|差旅|信用卡|消费|支付|转账|采购|审批|每日|单笔|月度)?(?:的)?(?:额度|限额|报销上限|消费上限|支付上限)(?:是|为|有|只有|大概|,|，)*"
    ).search(frame.body)
    sums = sums_of(frame)
    if match and sums and sums[0].start >= 0 and not rx(r"想|申请|提高").search(frame.body):
        yield draft(
            frame,
            "spending_limit",
            sums[0].as_value(scope=match["s"], currency=context.currency),
            subject=USER,
            timeless=True,
        )


RULES = (budgets, limits)
SUMS = (budgets, limits)
