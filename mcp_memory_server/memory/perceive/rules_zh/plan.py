"""Chinese rules: due dates, absence, plans."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive.chinese import (
    _UNIT,
    ContextZh,
    FrameZh,
    clean,
    draft,
    good_object,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.ahead import NOT_PLACE, WILL, timed_by
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind, When

_FINISH = r"(?:递|呈|送审|上报|付|缴|签|写完|做完|弄完|改完|画完|搬完|看完|发给|发出|发过去|寄|报送?|填|补交?|续|还|交|上线|提交|完成|搞定|弄好|办好|办完|回复|确认|定下来|验收|发布|出稿|出图|归还|结清|还清|发货|答复)"
_MUST = r"(?:要|得|必须|需要|务必|应该|最晚|最迟|一定)"


def _must_by(frame: FrameZh) -> str:
    """房租1号前要付, 得在月底之前把年报写完: what must be done by a day that is told."""
    said = rx(r"^(?:我们?)?(?:老板|领导|老师|导师|客户|公司|学校|经理|甲方|银行|房东)(?:要求|规定|让)(?:我们?)?").sub(
        "", frame.body
    )
    text = rx(r"(?:在|于|赶在)(?=把|$)|赶在|[，,]").sub("", said)
    match = (
        rx(
            rf"^(?:我们?|咱们?)?(?:也|都|就|还)*(?:{_MUST})+(?:去)?(?:把|将)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{{1,12}})(?:都|给|全|也)?(?:[\u4e00-\u9fff](?:完|好|掉|清|齐|上|回|出)|[\u4e00-\u9fff]{{2}}|交|还|付|寄|退|签)(?:上去|掉|完|好|了|出去|过去)*$"
        ).match(text)
        or rx(
            rf"^(?:我们?|咱们?)?(?:也|都|就|还|今天|再)*(?:{_MUST})*(?:把|将)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{{1,12}}?)(?:都|给|全|也)?(?:{_FINISH})"
        ).match(text)
        or rx(
            rf"^(?:我们?的?|咱们?的?|这个|这份|那个|那份)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{{1,12}}?)(?:的)?(?:我)?(?:就|都|还)?(?:{_MUST})+(?:[上交]?去)?(?:{_FINISH})"
        ).match(text)
        or rx(
            rf"^(?:我们?|咱们?)?(?:就|都|还)?(?:{_MUST})+(?:去)?(?:{_FINISH})(?:完|好|掉|上|清)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{{2,12}})$"
        ).match(text)
    )
    if not match:
        return ""
    scope = rx(r"^(?:我们?的?|的|这个|那个|前|之前)+|(?:的|是|要|得|必须|前|之前|在)+$").sub("", match["s"])
    return "" if not good_object(scope) or rx(r"他|她|我|你|提醒|记得|打算|准备|想").search(scope) else scope


def deadlines(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Days by which something is due."""
    text = frame.clause.text
    due = rx(
        r"截止|截稿|收稿|到期|要交|得交|交给|提交|上交|交齐|due|ddl|DDL|deadline|Deadline|必须交|必须完成|前交|完成|搞定|报名|还款|还清|答复|交付|交稿|上线|定稿|交作业|缴|寄出"
    ).search(text)
    times = [when for when in frame.clause.times if when.bind in (Bind.BY, Bind.AT, Bind.UNTIL) and when.future]
    bound = any(when.bind in (Bind.BY, Bind.UNTIL) for when in times)
    if bound or rx(r"要(?:上线|交|付|定稿|发布|验收|缴|还)|必须").search(text):
        what = (
            _must_by(frame)
            if times
            and not rx(r"(?<![得要须])[^把]{0,20}过$|提醒").search(text)
            and (rx(_MUST).search(text) or not text.endswith("了"))
            else ""
        )
        if what and times[0].future[:10] >= frame.clause.today[: len(times[0].future[:10])]:
            yield draft(frame, "deadline", Value(ValueType.DATE, _due(times), None, what), subject=USER, timeless=True)
            return
    if not due or not times:
        return
    strict = any(when.bind in (Bind.BY, Bind.UNTIL) for when in times) or rx(
        r"截止|到期|due|(?i:ddl|deadline)|要交|得交"
    ).search(text)
    if (
        not strict
        or rx(r"[了过]$").search(frame.rest)
        or (rx(r"护照|签证|身份证|驾照|保质期|合同|会员").search(text) and "到期" in text)
    ):
        return
    rest = rx(rf"^(?:{WILL}|必须|务必|一定|得|要|之前|前|以前|把|将|就|是)+").sub(
        "", frame.rest if not frame.topic else frame.topic
    )
    patterns = (
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:的)?(?:截止|到期|due|ddl|DDL|deadline|Deadline|提交|报名|交稿)(?:日期?|时间|期限)?",
        r"(?:把|将)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:交|提交|完成|搞定|做完|写完|还|发|寄|弄好|改完|送|定)",
        r"(?:交|提交|完成|上交|搞定|还清|写完|做完|交付|缴|缴纳|寄出|定稿)(?:完|好|齐|出|的是)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:给|到|$|[,，。]|上去)",
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:要|得|必须|需要|应该|务必|就要|前|之前)*(?:交|提交|完成|搞定|上交|做完|写完|还清|交付|上线|定稿|缴)",
    )
    scope = ""
    for pattern in patterns:
        match = rx(pattern).search(rest)
        if match:
            scope = rx(r"^(?:我|的|要|必须|得|把)+|(?:的|是|要|得|必须)+$").sub("", match["s"])
            if good_object(scope):
                break
            scope = ""
    if not scope and not rx(r"截止|到期|due|(?i:ddl|deadline)").search(text):
        return
    value = _due(times)
    changed = Change.CHANGED if rx(r"改到|延到|延期|推迟|提前到|延长").search(text) else Change.NONE
    yield draft(
        frame,
        "deadline",
        Value(ValueType.DATE, value, None, scope or None),
        subject=USER,
        timeless=True,
        change=changed,
    )


def _due(times: list[When]) -> str:
    """The moment by which something is due: one with an hour, else the first."""
    return next((when.future for when in times if "T" in when.future), times[0].future)


def absence(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Periods on leave, away, or not to be disturbed."""
    times = [
        when
        for when in frame.clause.sentence_times
        if when.bind is Bind.RANGE or (when.bind is Bind.AT and ("/" in when.future or len(when.future) == 10))
    ]
    away = rx(
        r"请假|请了?[^,，]{0,4}假|有安排|有事|没时间|抽不开身|休假|休年假|年假|休产假|产假|陪产假|不在(?:公司|办公室|家|国内|线|$)|没空|勿扰|别打扰|不要打扰|别(?:找|叫|喊|打给|call)我|不要(?:找|叫)我|别(?:给我)?安排|不要(?:给我)?安排|别约|不方便|休息|不上班|联系不上|闭关|放假|调休"
    ).search(frame.clause.text)
    until = next(
        (when for when in frame.clause.times if when.bind in (Bind.BY, Bind.UNTIL) and len(when.future) == 10), None
    )
    if away and until and not times and frame.path == USER and rx(r"别|不要|没空|勿扰|不在").search(frame.clause.text):
        value = f"{frame.clause.today}/{until.future}"
        yield draft(frame, "unavailable_during", Value(ValueType.PERIOD, value), timeless=True)
        return
    if (
        not times
        or not away
        or frame.path != USER
        or (rx(r"[了过]$").search(frame.rest) and times[0].future[:10] < frame.clause.today)
        or rx(r"想|打算|能不能").search(frame.adverbs + frame.rest[:2])
    ):
        return
    when = times[0]
    near = times[1] if len(times) > 1 and 0 <= times[1].start - when.end <= 1 and not when.until else None
    if near and len(when.future) == len(near.future) == 10 and when.future < near.future:
        when = replace(when, bind=Bind.RANGE, until=near.future)  # 周四周五
    value = (
        f"{when.future}/{when.until}"
        if when.until
        else when.future
        if "/" in when.future
        else f"{when.future}/{when.future}"
    )
    if (
        len(value) == 21
        and value[:10] == value[11:]
        and not rx(r"请.{0,4}假|休息|放假|安排|休假|没空|勿扰|不在|别安排|不要安排|不上班|不方便|调休").search(away[0])
    ):
        return
    yield draft(frame, "unavailable_during", Value(ValueType.PERIOD, value), subject=USER, timeless=True)


_ACT = r"[\u4e00-\u9fffA-Za-z]"


def _reminder(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    remind = rx(
        r"(?:提醒|remind|叫|喊|催)(?:我|一下我)(?:一[声下]|声)?[,，]?(?P<t>.{0,2}?)(?:要|去|得)?(?P<o>[^,，。!！]{2,16})"
    ).search(frame.body)
    if rx(r"(?:叫|喊|提醒)我一?[声下]$").search(frame.body):  # 叫我一声，给妈妈打电话
        remind = rx(r"(?:叫|喊|提醒)我一?[声下][,，](?:我)?(?P<t>)(?P<o>[^,，。!！]{2,16})").search(context.sentence)
    if remind and not rx(r"(?:明天|记得)?remind我$|起床$|提醒过").search(frame.body):
        text = clean(rx(r"^(?:要|去|得|记得|一下|别忘了)+").sub("", remind["o"]))
        if (
            good_object(text)
            and len(text) >= 2
            and not rx(r"(?:去|一下|的|叫|起床|我|就行|就好|就可以|即可)").fullmatch(text)
        ):
            object_ = rx(r"(?P<s>护照|签证|驾照|身份证|合同|会员|保险|年卡|租约)").search(context.sentence)
            whole = (
                text + object_["s"]
                if object_
                and object_["s"] not in text
                and rx(r"续签|续费|续保|更换|换证|补办|续|年检|续租").fullmatch(text)
                else text
            )
            yield text_draft(frame, "plans_to", whole, subject=USER)


_FIRM = ("打算", "准备", "计划", "决定", "想", "正打算", "正准备")  # what plans of others are told with


def _kin(frame: FrameZh) -> bool:
    """True for a person beside the user whose plans may be told."""
    return bool(frame.subject.role) and frame.subject.role not in ("company", "team", "pet")


def _elsewhere(frame: FrameZh, told: str, text: str) -> bool:
    """True for trips, meetings and bookings, which have predicates of their own."""
    gone = rx(r"(?:开车?|骑车?|杀|奔|自驾|坐车|飞)?(?:去|到|飞|回)(?!年)").match(told)
    if gone and not rx(NOT_PLACE).match(told[gone.end() :]):
        return True
    if rx(r"(?:带|跟|和|陪|请|休)[^,，]{1,5}?(?:去|到|飞)(?!学|做|看|买|办|吃|参|上)").match(text):
        return True
    if not timed_by(frame):
        return False
    met = rx(r"(?:跟|和|与|陪)[^,，]{1,8}?(?:碰|见|谈|聊|吃饭|开会|喝)|(?:看望|探望|拜访)").match(text)
    return bool(met or rx(r"(?:见(?!习)|订(?!阅|婚)|预订|约(?!束))").match(text))


def _saving(frame: FrameZh) -> Iterator[Draft]:
    """在攒钱换车."""
    saving = rx(
        r"^(?:在|正|正在)?(?:攒|存)钱(?:准备|打算|想|要)?(?P<o>[买换装治读留开学][\u4e00-\u9fffA-Za-z]{1,6})$"
    ).match(frame.rest)
    if saving and frame.path == USER:
        yield text_draft(frame, "plans_to", clean(saving["o"]))


def _due_or_repeated(frame: FrameZh) -> bool:
    """True for due dates and habits, which have predicates of their own."""
    times = frame.clause.times
    due = any(when.bind in (Bind.BY, Bind.UNTIL) for when in times) and rx(rf"截止|到期|{_FINISH}").search(frame.rest)
    return bool(due) or (frame.rest.startswith("要") and any(when.bind is Bind.REPEAT for when in times))


def plans(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """打算, 准备, 提醒我…"""
    if rx(
        r"提醒我|remind我|提醒一下我|(?:记得|别忘了|到时候|麻烦|要)(?:叫|喊|催)我(?!起床)|(?:叫|喊)我一?[声下]"
    ).search(frame.body) or (
        frame.clause.times and rx(r"^(?:叫|喊|催)我(?=[开去给打交买取拿写发付还关出吃看])").match(frame.body)
    ):
        yield from _reminder(frame, context)
        return
    saved = list(_saving(frame))
    if saved or _due_or_repeated(frame):
        yield from saved
        return
    kin = _kin(frame)
    if (frame.path != USER and not kin) or rx(r"(?:不|没|别)(?:打算|准备|想|计划)").match(frame.rest):
        return
    match = rx(
        r"^(?P<w>打算|准备|计划|想要|想(?!想|不|起|到|法|象|念|家|哭|你|他|她|死|问|知道|请教|听|看看你|咨询|了解一?下|请|让你|吃|喝|说|必|当年|一下)|决定|要(?!是|不|么|求|好|命|紧|的|\d|[一二两三四五六七八九])|希望(?:能|可以)?|考虑好了|将要?|马上要|即将|正打算|正准备|立志要?|发誓要?|下决心要?|下定决心要?|铁了心要|(?:寻思|琢磨|盘算|合计|惦记|张罗|筹划|谋划|计划|想|打算)着(?!呢)|打定主意要?|拿定主意要?|决意要?|有意)(?:在|于)?(?P<o>.+)"
    ).match(rx(r"^(?:真的|正|也|一直|还)+").sub("", frame.rest))
    if not match and frame.subject.is_user:
        match = rx(
            r"^(?:我的?)?(?:今年|现在|近期|短期|长期|小|大)?的?(?P<w>打算|准备|计划|目标(?=是))(?:是)?(?P<o>.+)"
        ).match(frame.body)
    if (
        not match
        or (kin and match["w"] not in _FIRM)
        or rx(r"本来|原来|原本|当初|曾经").search(frame.adverbs)
        or rx(r"(?:就好|多好|吗|怎么|什么)$").search(match["o"])
    ):
        return
    text = (
        rx(
            rf"^(?:(?!要[个二一三])(?:{WILL})|是|再|先|去|自己|也|都|开始|在\S{{1,6}}?(?=[买做开学考换办]))+(?={_ACT}{{2}})"
        ).sub("", match["o"])
        if not match["o"].startswith(("去学", "开始"))
        else match["o"]
    )
    if rx(r"(?:出国|出差|回国|回老家|回家|换个?新的?$)").match(text) or _elsewhere(frame, match["o"], text):
        return
    weak = match["w"] in ("要", "将", "想", "希望", "希望能")
    if (
        weak
        and (
            rx(
                r"(?:[\u4e00-\u9fff]{2,4}的$|还[\d一二两三四五六七八九十]|有|是|会|能|给|被|让|说|问|看|等|找个|你|我|请|用|一|不|这|那|多少|几|花|住|吃|交|上班|开会|加班|说明|注意|怪|强调|感谢|了|过)"
            ).match(text)
        )
        and not rx(r"(?:看完|看病|看牙|给[\u4e00-\u9fff]{1,4}(?:买|办|过|换|报)|交房|用三年|住进)").match(text)
    ):
        return
    if match["w"] == "要" and context.rx(r"(?:⟨events⟩)$").search(clean(text)) and timed_by(frame):
        return
    text = rx(r"(?:了|吧|呢|啊|的|再说)$").sub("", rx(r"(?:因为|所以|,|，).*$").sub("", text))
    text = rx(
        r"(?<=^[买换租订装学养办要])(?:一)?(?:个|台|套|辆|部|双|件|张|把|本|只|款|条|下)(?=[\u4e00-\u9fffA-Za-z])"
    ).sub("", rx(r"一下$").sub("", text))
    text = rx(r"^(把[\u4e00-\u9fffA-Za-z]{1,6}?)(?:重新|都|全部|彻底|好好|给)").sub(r"\1", text)
    text = rx(
        rf"^把[^,，]{{0,6}}?[那这](?:一)?{_UNIT}(?=[\u4e00-\u9fff]{{2}})|^把(?:我|家里?|自己)的?(?=[\u4e00-\u9fff]{{3}})"
    ).sub("把", text)
    text = rx(r"(?<=^把.{2}.)(?:掉|完|好)$").sub("", text) if text.startswith("把") else text
    if text.startswith("把") and 3 <= len(text) <= 8:  # 把阳台封 is 封阳台, 把厨房装修 is 装修厨房
        single = rx(
            r"(?<![翻装维清改拆归退邮更变置转售贩赠整粉])[换卖扔丢送捐洗拆装退还寄改封租搬修刷补戒结离辞交付学考]$"
        ).search(text)
        cut = 1 if len(text) <= 4 or single else 2
        text = text[-cut:] + text[1:-cut]
    value = clean(text)
    if (
        good_object(value)
        and not value.startswith(("不", "别"))
        and not rx(r"(?:她|他|它|我)们?|花[一二两三四五六七八九十百千万\d]").search(value)
        and 2 <= len(value) <= 16
        and not rx(r"(?:投诉|举报|加油|努力|注意|小心|开心|坚持|相信|睡觉|休息).*").fullmatch(value)
    ):
        yield text_draft(frame, "plans_to", value)


RULES = (deadlines, absence, plans)
