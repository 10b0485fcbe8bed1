"""Chinese rules: what is said of a company or team."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    draft,
    good_object,
    items,
    place,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.person import _N, _number
from mcp_memory_server.memory.perceive.rx import rx


def _recounted(frame: FrameZh, context: ContextZh) -> re.Match[str] | None:
    """说是六个人，其实是七个: the number of a team that was told before, corrected."""
    count = rx(rf"^(?:应该|其实|实际上?)*(?:是|有|才)(?P<n>{_N})(?P<more>多|来|几)?(?:个|位|名|口)(?:人)?$").match(
        frame.adverbs + frame.rest
    )
    if not count or not rx(r"说|不是|记|报|数").search(context.sentence):
        return None
    before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
    told = rx(
        rf"(?:团队|部门|小组|公司|店|厂|工作室|[我咱][们]?组|组里)[^,，]{{0,4}}(?:{_N})(?:个|位|名|口)?(?:人|员工)"
    ).search(before)
    return count if told and rx(r"我|咱").search(before) else None


def organisation(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Revenue, size, place and products of a company or team."""
    role = frame.subject.role
    subject = frame.path if role in ("company", "team") else ""
    body = frame.body
    team = "user.team" if rx(r"团队|部门|小组|组里|[我们咱]组").search(context.sentence) else "user.company"
    body = rx(r"(?<=[一二两三四五六七八九十\d])个(?=亿)").sub("", body)
    money = next((q for q in quantity.find(body, "zh") if q.kind in ("money", "plain") and q.value >= 1000), None)
    income = rx(r"(?:营收|营业额|营业收入|流水|销售额|年收入|产值|年产值|成交额|GMV|业绩)").search(body)
    if (
        money
        and income
        and (subject or frame.we or rx(r"公司|店|厂|集团|我们|工作室").search(context.text))
        and not rx(r"目标|希望|打算|预计|争取").search(body)
    ):
        yield draft(
            frame,
            "revenue",
            money.as_value(currency=context.currency, per=""),
            subject=subject or "user.company",
            past=True,
        )
    made = rx(
        r"^(?:一共|大概|总共|整整|就)*(?:做|卖|进账|赚|入账|成交|干)了(?=[一二两三四五六七八九十百千万\d])"
    ).match(frame.rest)
    if money and not income and made and subject == "user.company" and frame.clause.times and money.value >= 10_000:
        yield draft(frame, "revenue", money.as_value(currency=context.currency, per=""), subject=subject, past=True)
        return
    match = rx(
        rf"^(?:里|上下|从[\d一二两三四五六七八九十百]+个?人(?:扩|涨|增|缩|减|裁)(?:张|加|编)?(?:到|至|成)了?|目前|现在|如今|一共|总共|加起来|大概|大约|差不多|将近|不到|超过|接近|近|约|雇了|招了|就|只|才|是|有|共|全公司|规模|剩下?|剩了|算上[^,，\d一二三四五六七八九十]{{1,4}}|连我(?:在内|一起)?|包括我?[^,，\d一二三四五六七八九十]{{0,3}}(?:在内)?|加上[^,，\d一二三四五六七八九十]{{1,4}}|就?我(?:和|跟)我?[\u4e00-\u9fff]{{1,3}}(?=两个人|俩))*(?:个)?(?P<n>{_N})(?P<more>多|来|几)?(?:个|号|名|位)?(?:多)?(?:人|员工|同事|小伙伴|口人|成员|老师)(?:$|了|[,，。]|左右|的(?:团队|公司|规模|小))"
    ).match(frame.rest)
    left = rx(rf"^(?:裁完|走了|最后|现在)*(?:只|就)?剩(?:下|了)?(?P<n>{_N})(?P<more>多|来|几)?个(?:人|了)?$").match(
        frame.rest
    )
    if not match and (corrected := _recounted(frame, context)):
        subject, match = subject or team, corrected
    match = match or (left if rx(r"人|团队|部门|公司|组").search(context.sentence) else None)
    if match and rx(r"原来|以前|之前|原先|本来").search(frame.adverbs):
        return
    if match and (subject or (frame.we and rx(r"公司|团队|组|部门|店|厂|工作室").search(context.sentence))):
        value = _number(match["n"])
        if value:
            approx = bool(match["more"]) or bool(rx(r"大概|大约|差不多|左右").search(body))
            yield draft(
                frame,
                "headcount",
                Value(ValueType.NUMBER, value, "person", approx=approx),
                subject=subject or team,
                timeless=True,
            )
    match = rx(
        r"^(?:总部|办公室|办公地点|地址|店面|工厂|门店|新办公室|注册地)?(?:设|开|坐落|搬|位)?(?:在|于|到|到了)(?P<o>[^,，。]{2,14})"
    ).match(frame.rest)
    if match and (subject or rx(r"^(?:我们?的?)?(?:总部|办公室|办公地点|店面?|工厂|门店)").match(body)):
        whole = rx(r"(?<=[\u4e00-\u9fff]{2})[去来]$").sub("", clean(match["o"]))
        where = whole if rx(r"[\u4e00-\u9fffA-Za-z0-9]{2,10}").fullmatch(whole) else place(whole) or whole
        if good_object(where) and not rx(r"(?:我|这|那|楼|做|招|忙|裁|开|搞|研发)").search(where[:1]):
            moved = Change.CHANGED if "搬" in frame.rest[:4] else Change.NONE
            yield text_draft(
                frame,
                "located_in",
                where,
                entity=True,
                subject=subject or "user.company",
                change=moved,
                begins=moved is Change.CHANGED,
            )
    match = rx(
        r"^(?:是|主要|主要是|专门)*(?:做|生产|制造|研发|开发|卖|经营|主营)(?:的是)?(?P<o>[^,，。]{2,14}?)(?:的)?$"
    ).match(frame.rest)
    if match and subject == "user.company" and not money:
        for part in items(match["o"]):
            if not rx(r"(?:活动|团建|年会|什么|体检|培训|裁员|调整|生意|项目)").fullmatch(part):
                yield text_draft(frame, "makes_product", part, subject="user.company", timeless=True)


RULES = (organisation,)
