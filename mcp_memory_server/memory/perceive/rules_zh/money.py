"""Chinese rules: pay, savings, debts, costs."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    ContextZh,
    FrameZh,
    clean,
    draft,
    good_object,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rules_zh.budget import sums_of
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def pay(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """月薪, 工资, 年薪."""
    text = frame.clause.text
    bare = rx(
        r"^(?:我)?(?:一个?月|每个?月)(?:到手|能拿|拿|也就|大概|差不多|才|就|能有|有)*(?=[\d一二两三四五六七八九十百千万])[^,，]{1,8}?(?:块钱?|元)?(?:出头|左右|多|上下)?$"
    ).match(frame.body)
    if (
        bare
        and frame.path == USER
        and rx(r"毕业|上班|工作|实习|当|做|入职|到手|拿").search(context.text)
        and not rx(r"租|费|花|贷|房|课|还|存|学|买|用").search(context.text)
        and (sums := sums_of(frame, 1000))
    ):
        yield draft(frame, "salary", sums[0].as_value(per="month", currency=context.currency), timeless=True)
        return
    match = rx(
        r"(?P<k>月薪|年薪|工资|薪水|薪资|薪酬|底薪|月入|月收入|年收入|收入|年入|税前|税后|到手|日薪|时薪|退休金|养老金|[Bb]ase(?!在)|[Oo]ffer|package|一个月(?:能)?挣|一年(?:能)?挣|一个月(?:能)?赚|一年(?:能)?赚|每个?月(?:能)?[挣赚]|包|总包)"
    ).search(text)
    if (
        not match
        or not frame.path
        or frame.subject.role in ("company", "team")
        or rx(r"公司|营收|店|还不够|目标|希望|期望|想要|要是|涨到多少").search(text)
    ):
        return
    sums = [
        q
        for q in quantity.find(text[match.start() :], "zh")
        if q.kind == "money" or (q.kind == "plain" and q.value >= 100)
    ]
    if not sums:
        return
    if len(sums) > 1 and rx(r"(?:涨|升|加|调|提|降)(?:到|至|成|为)").search(text):
        sums = sums[-1:]
    key = match["k"]
    per = (
        "year"
        if "年" in key or "包" in key
        else "day"
        if key == "日薪"
        else "hour"
        if key == "时薪"
        else sums[0].per or quantity.period_of(text, "zh") or "month"
    )
    change = Change.CHANGED if rx(r"涨|降|调整|现在").search(frame.clause.text) else Change.NONE
    yield draft(frame, "salary", sums[0].as_value(per=per, currency=context.currency), timeless=True, change=change)


def savings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """存款, 攒了."""
    text = frame.clause.body
    saved = rx(
        r"存款|积蓄|存了|攒了|攒下|攒到|存下|存到|存着|攒着|手里有|手头有|(?:账上|账户[里上]?|卡[里上]|银行里|余额宝[里上]?|支付宝[里上]|银行卡[里上]?|存折[里上]|账户[里上]|微信[里上]|兜里|手头)(?:的积蓄)?(?:一共|总共|现在|目前|大概|只|还|就|也)*(?:有|剩|躺着|存着|趴着)|积攒|攒够|备用金|私房钱"
    ).search(text)
    sums = sums_of(frame, 100)
    if (
        not saved
        or not sums
        or frame.path not in ("", USER)
        or rx(r"想|打算|准备|计划|要攒|目标|每个?月|定期存").search(frame.adverbs + text[: sums[0].start])
    ):
        return
    scope = rx(
        r"(?:用来|为了|给|准备)(?P<s>[\u4e00-\u9fff]{1,8})|(?P<s2>买房|买车|装修|结婚|旅游|教育|养老|读研|留学)(?:的)?(?:钱|基金|存款|用)?"
    ).search(context.sentence)
    word = (scope["s"] or scope["s2"]) if scope else None
    yield draft(
        frame, "savings", sums[0].as_value(scope=word, currency=context.currency, per=""), subject=USER, timeless=True
    )


_LOAN = r"(?:车贷|房贷|贷款|花呗|借呗|白条|信用卡|助学贷款|消费贷|网贷|按揭|欠款|外债|尾款|余款|货款|工程款|债|学贷|公积金贷款|商贷)"


def debts(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Debts still to be paid."""
    text = frame.clause.body
    sums = sums_of(frame, 50)
    if not sums or frame.subject.role in ("company", "team", "pet"):
        return
    match = (
        rx(
            rf"(?P<s>{_LOAN})(?:上|里|账单)?(?:我)?(?:还剩下?|还有|还欠着?|还差|欠着?|欠了|剩下?|待还|没还|还没还|一共欠|总共欠)"
        ).search(text)
        or rx(
            r"(?:还)?(?:欠着?|欠了|背了|背着|借了|该着)(?P<s>[\u4e00-\u9fff]{0,5}(?:[哥姐弟妹叔舅姑姨伯爸妈]|同学|朋友|同事|银行|公司|老板|亲戚)|[\u4e00-\u9fff]{0,6}?)(?=[¥￥$€£]?[\d一二两三四五六七八九十])"
        ).search(text)
        or rx(rf"欠(?P<s>{_LOAN})").search(text)
    )
    match = match or rx(r"(?:跟|找|向|问|从|管)(?P<s>[\u4e00-\u9fff]{1,6}?)(?:平台)?(?:[借贷挪][了的])").search(text)
    match = match or rx(r"^(?P<s>)(?:我)?(?:还差|还欠|还剩)(?=[¥￥\d一二两三四五六七八九十])").search(
        text if rx(_LOAN).search(context.sentence) else ""
    )
    cleared = rx(
        r"^(?:欠)?(?:我)?(?P<s>[\u4e00-\u9fff]{1,6}?)(?:的|那|上)*[¥￥]?[\d一二两三四五六七八九十百千万.]+(?:块钱?|元)?(?:我|已经|都|全|全部|终于|总算|早就?)*(?:还清|还完|还上)了"
    ).match(text)
    if cleared and good_object(cleared["s"]) and not rx(r"每|月|期").search(cleared["s"]):
        value = sums[0].as_value(scope=cleared["s"], currency=context.currency, per="")
        yield draft(frame, "owes", value, subject=USER, negative=True, ends=True, past=True)
        return
    match = match or rx(r"(?P<s>)身上(?:还)?(?:背|欠)着?").search(text)
    if match and not match["s"] and (loan := rx(_LOAN).search(context.sentence)):
        scope = loan[0]
    elif match:
        scope = rx(r"^(?:了|着|身上)+|(?:的|平台)$").sub("", match["s"] or "")
    if match and not rx(r"每个?月|月供|一个月还|(?<!就)(?:还清|还完)了|都还(?:清|完)").search(text):
        yield draft(
            frame,
            "owes",
            sums[0].as_value(scope=scope if good_object(scope) else None, currency=context.currency, per=""),
            subject=frame.path or USER,
            timeless=True,
        )


def costs(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Repeated payments and sums paid once."""
    text = frame.clause.body
    sums = sums_of(frame)
    if (
        not sums
        or frame.path not in ("", USER, "user.company")
        or rx(
            r"预算|营收|月薪|工资|年薪|存款|存了|攒|欠|贷款还|额度|最多|顶多|至多|封顶|不超过|以内|收入|打算|准备|想花"
        ).search(text)
    ):
        return
    item = sums[-1] if len(sums) > 1 and rx(r"[一1]$").search(text[sums[0].start : sums[0].end]) else sums[0]
    period = (
        item.per
        or quantity.period_of(frame.clause.text, "zh")
        or ("month" if rx(r"月供|月租|月费|房租").search(text) else "")
    )
    match = rx(
        r"(?P<s>房租|租金|水电费?|物业费|电费|水费|燃气费|话费|网费|宽带|学费|保险费?|保费|房贷|车贷|月供|会员费?|停车费|托费|补习费|健身卡?|健身房|伙食费|生活费|油费|通勤费?|交通费|课时费|年费|订阅|幼儿园|[\u4e00-\u9fff]{1,6}(?:费|卡|会员|课|套餐))"
    ).search(text)
    if period in ("month", "year", "week", "quarter", "day") and match and not rx(r"花了|交了|付了|买了").search(text):
        scope = (
            rx(
                r"^(?:光|单|我|们|的|每月|每个月|一个月|每年|一年|要|交|付|还|家里|现在|是|给孩子|孩子的?|涨到|其中)+"
            ).sub("", match["s"])
            or match["s"]
        )
        change = Change.CHANGED if rx(r"涨|降|调").search(text) else Change.NONE
        yield draft(
            frame,
            "regular_cost",
            item.as_value(scope=scope, per=period, currency=context.currency),
            subject=USER,
            change=change,
            begins=change is Change.CHANGED,
            past=change is Change.CHANGED,
        )
        return
    named = rx(
        r"房租|租金|双语幼儿园|幼儿园|托班|兴趣班|补习班|健身卡|年卡|月卡|会员|学费|物业费|月供|保险|停车费|车位|私教|补习|托管|保姆|月嫂|贷"
    ).search(context.sentence)
    if (
        named
        and not match
        and period in ("month", "year", "quarter", "week")
        and rx(r"^(?:每个?|一个?)(?:月|年|季度?|周)").match(frame.body)
    ):
        yield draft(
            frame,
            "regular_cost",
            item.as_value(scope=named[0], per=period, currency=context.currency),
            subject=USER,
            timeless=True,
        )
        return
    loose = rx(
        r"(?P<s>[\u4e00-\u9fffA-Za-z]{2,6}?)(?:是|要|得|就|就要|一)?(?:每个?月|一个月|每年|一年|每季度?|一个季度|月付|年付|季付)(?:都|要|得|就|就要|交|付|花|扣|是|大概|差不多|固定)*[¥￥$]?[\d一二两三四五六七八九十百千万.,]+"
        r"|(?:每个?月|一个月|每年|一年|每季度?)(?:光|单|光是)?(?P<s2>[\u4e00-\u9fffA-Za-z]{2,6}?)(?:都|要|得|就|就要|交|付|花|扣|花掉|大概|差不多|也)+[¥￥$]?[\d一二两三四五六七八九十百千万.,]+"
    ).search(frame.clause.text)
    if (
        loose
        and period
        and not rx(r"挣|赚|工资|收入|营收|存|攒|存钱|定投|还款|薪|花了|公里|小时|次|人|斤").search(frame.clause.text)
    ):
        scope = rx(r"^(?:我|我们|家里?|的|光|单|孩子的?|给孩子|大概|现在|要|交|付)+|(?:要|得|就|都|也|大概|是)+$").sub(
            "", loose["s"] or loose["s2"]
        )
        if good_object(scope):
            yield draft(
                frame,
                "regular_cost",
                item.as_value(scope=scope, per=period, currency=context.currency),
                subject=USER,
                timeless=True,
            )
            return
    yield from _spent(frame, context, item, text)


def _spent(frame: FrameZh, context: ContextZh, item: Quantity, text: str) -> Iterator[Draft]:
    money = item.kind == "money" or rx(r"花|掏|砸|刷|扣|费|换|修|付|交|投|落地|全款|首付|[买卖]|充|价|钱").search(
        context.sentence
    )
    spent = rx(
        r"(?:花了|花掉|付了|交了|刷了|充了|转了|投了|用了|掏了|砸了|落地|全款|总价|首付|总共|一共|合计|买.*(?:花|用)|是花|费了|收了我|扣了|报了|缴了)"
    ).search(text)
    if not spent or not money or item.per:
        for_it = rx(
            r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:是|就|才|总共|一共)*(?:[¥￥$]?[\d一二两三四五六七八九十百千万.]+)(?:多|出头)?(?:块钱?|元)?(?:入|收|拿下|淘|配|换|装|修|做|拿|办)(?:手)?(?:来)?的$"
        ).match(text)
        used_up = rx(
            r"(?P<s>[\u4e00-\u9fff]{2,6})?[,，]?(?:一[顿次趟])?(?:吃|花|用|烧|搭|赔|砸)(?:掉|进去|出去)了?(?=[¥￥$]?[\d一二两三四五六七八九十])"
        ).search(text)
        if for_it or used_up:
            what = clean(for_it["s"]) if for_it else ""
            if not what:
                before = rx(
                    r"(?P<s>(?:请客|吃饭|聚餐|看病|装修|旅游|出差|看牙|买|修|办|换)[\u4e00-\u9fff]{0,4})"
                ).search(context.sentence)
                what = clean(before["s"]) if before else ""
            yield draft(
                frame,
                "spent",
                item.as_value(
                    scope=rx(r"^(?:这|那)[部台双件个辆]").sub("", what) or None, currency=context.currency, per=""
                ),
                subject=USER,
                past=True,
                times=frame.clause.times or frame.clause.sentence_times,
            )
            return
        bought = rx(
            r"^[^,，]{0,12}?(?P<s>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:是)?(?:[¥￥$]?[\d一二两三四五六七八九十百千万.]+)(?:块钱?|元)?买的?"
        ).search(text)
        bare = rx(
            r"^(?:打完折|折后|券后|优惠后|算下来|实付|到手价?|一共|总共|才|只要|大概|共|合计|落地)?[¥￥$]?[\d一二两三四五六七八九十百千万.,]+(?:多|来)?(?:块钱?|元)?(?:整|了)?$"
        ).match(frame.body)
        action = rx(
            r"(?:交|付|缴|买|订|充|办|报|租|修|换|配|做|加)(?:完|好|清)?了(?:一?(?:个|台|款|件|双|部|辆|套|张|次|份|笔|副))?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})"
        ).search(context.sentence)
        action = action or rx(
            r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:就)?是[^,，]{0,10}?(?:买|入|订|换|配|装|修|做|办|租)的"
        ).search(rx(r"^我们?的?").sub("", context.sentence))
        complained = item.kind == "money" and rx(
            r"^(?:[¥￥$]?[\d一二两三四五六七八九十百千万.]+)(?:块钱|元|块)是?不(?:多|算多|少|便宜)"
        ).match(frame.body)
        if bought:
            yield draft(
                frame,
                "spent",
                item.as_value(scope=clean(bought["s"]) or None, currency=context.currency, per=""),
                subject=USER,
                past=True,
                times=frame.clause.sentence_times,
            )
        elif bare and action and not rx(r"分|岁|斤|公里").search(frame.body):
            yield draft(
                frame,
                "spent",
                item.as_value(scope=clean(action["s"]) or None, currency=context.currency, per=""),
                subject=USER,
                past=True,
                times=frame.clause.sentence_times,
            )
        elif complained:
            yield draft(frame, "spent", item.as_value(currency=context.currency, per=""), subject=USER, timeless=True)
        return
    after = rx(
        r"^(?:多|来|块钱?|元|左右|才|就)*(?:买|办|修|换|装|做|配|在|租|请|吃|报|学|订)(?:了|到|的|下)?(?:一?(?:个|台|款|件|双|部|辆|套|张|次|顿|份|副|只))?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})"
    ).match(text[item.end :])
    before = rx(
        r"(?:^|[,，])(?:我|这|那|这次|昨天|给\S{1,3}|上个?月|为|买|换|修|办|装|去|新买的?|订|租|报|这趟|这个|那个|光|的|一?(?:台|部|辆|双|套|张|个|件))*(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:一共|总共|就|也|都|才|竟然|居然|大概|我|还是|是|的|里|上)*(?:花了|花掉|付了|交了|刷了|用了|充了|掏了|砸了|落地|全款|费了|收了我|首付)"
    ).search(text)
    scope = clean((after and after["s"]) or (before and before["s"]) or "")
    if not good_object(scope):
        scope = _antecedent(context.sentence)
    yield draft(
        frame,
        "spent",
        item.as_value(scope=scope or None, currency=context.currency, per=""),
        subject=USER,
        past=True,
        times=frame.clause.times or frame.clause.sentence_times,
    )


def _antecedent(sentence: str) -> str:
    match = rx(
        rf"^(?P<s>车|房子?|手机|电脑|相机|[\u4e00-\u9fff]{{1,4}})(?:是)?\S{{0,6}}买的|买了(?:{_CLASSIFIER})?(?P<s2>[\u4e00-\u9fffA-Za-z]{{1,8}})"
    ).search(sentence)
    return clean(match["s"] or match["s2"]) if match else ""


RULES = (pay, savings, debts, costs)
SUMS = (pay, savings, debts, costs)
