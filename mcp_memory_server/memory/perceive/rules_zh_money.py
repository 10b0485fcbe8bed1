"""Chinese rules: budgets, limits, pay, savings, debts, costs, investments, belongings, purchases."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive import quantity
from mcp_memory_server.memory.perceive.chinese import _CLASSIFIER, ContextZh, FrameZh, clean, draft, good_object, items, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.quantity import Quantity
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def _sums(frame: FrameZh, least: int = 10) -> list[Quantity]:
    return [q for q in quantity.find(frame.clause.body, "zh") if q.kind == "money" or (q.kind == "plain" and q.value >= least)]


_MAX_BEFORE = r"(?:不超过|别超过|不要超过|不能超过|不超|别超|不高于|不多于|不大于|最多|顶多|至多|最高|上限是?|封顶|控制在|控制到|不超出|低于|少于|小于|以内|限额|只有|只能花|最多花|最多出|最多只能|撑死)(?:了)?(?:是|也就|就|出|花|给|能接受|能出|到|在|只能|只)*(?:大概|大约)?[¥￥$€£]?$"
_MAX_AFTER = r"^(?:块钱?|元|人民币|左右)?(?:一晚|每晚|一天|每天|一个月|每人|一人|/晚)?(?:以内|之内|以下|内(?!容)|封顶|为上限|左右(?:的)?(?:预算)?|打住|到头|顶天)"
_MIN_BEFORE = r"(?:不低于|不少于|至少|最少|最低|起码|不小于|下限是?|高于)(?:是|要|得|花)?[¥￥$€£]?$"
_MIN_AFTER = r"^(?:块钱?|元)?(?:以上|起步?|往上|打底)"


def budgets(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """The most or least that is to be paid, also in requests."""
    text, sentence = frame.clause.body, context.sentence
    sums = _sums(frame)
    budget = "预算" in sentence or rx(r"价位|价格(?:在|区间)|能接受的价格|花不了|可接受").search(sentence) is not None
    asks = rx(r"推荐|帮我|给我|找|挑|选|买|订|定|有没有|想要|求|租|住|酒店|需要").search(sentence) is not None
    limited = rx(r"最多|不超过|别超过|不要超过|以内|上限|封顶|控制在|顶多|至多|最高|不高于|之内|以下").search(text)
    if not sums or (not budget and not (limited and asks) and not limited):
        return
    if rx(r"营收|工资|月薪|年薪|存款|收入|罚款|字|分钟|公里|报销额度|限速").search(text) and not budget:
        return
    scope = _scope(text, sentence)
    change = Change.CHANGED if rx(r"(?:提高|加|涨|提升|调|改|降|减|放宽|追加)(?:高|低)?(?:到|成|为)").search(text) else Change.NONE
    if len(sums) >= 2 and rx(r"^(?:块钱?|元)?(?:到|至|-|~|—|和)$").match(text[sums[0].end : sums[1].start].strip()):
        low, high = sums[0], sums[1]
        yield draft(frame, "budget_min", low.as_value(scope=scope, currency=low.unit or high.unit or context.currency), subject=USER, timeless=True)
        yield draft(frame, "budget_max", high.as_value(scope=scope, currency=high.unit or context.currency), subject=USER, timeless=True)
        return
    for item in sums[:2]:
        before, after = text[: item.start], text[item.end :]
        most, least = rx(_MAX_BEFORE).search(before) or rx(_MAX_AFTER).match(after), rx(_MIN_BEFORE).search(before) or rx(_MIN_AFTER).match(after)
        if least and not most:
            if budget or asks:
                yield draft(frame, "budget_min", item.as_value(scope=scope, currency=context.currency), subject=USER, timeless=True)
            return
        if most or (budget and rx(r"预算").search(text)):
            per = item.per or _per_before(text, item)
            ends = tuple(when for when in frame.clause.sentence_times if str(when.bind) == "by")
            yield draft(frame, "budget_max", item.as_value(scope=scope, per=per, currency=context.currency), subject=USER, times=ends, change=change)
            return


def _per_before(text: str, item: Quantity) -> str:
    before = text[: item.start]
    if rx(r"(?:一晚|每晚|一夜)[^,，]{0,8}$").search(before):
        return "night"
    return "month" if rx(r"(?:每月|一个月|月租)[^,，]{0,8}$").search(before) else "day" if rx(r"(?:每天|一天)[^,，]{0,8}$").search(before) else ""


def _scope(text: str, sentence: str) -> str | None:
    stop = r"(?:这次|本次|我们?|的|大概|总共|一共|整体|全部|目前|现在|今年|明年|每月|一个月|一晚|每晚|一天|价格|费用|总|给|和|跟|差不多|也|就|别|不|要|想|我家|钱|一?个|公司|单位)"
    patterns = (
        r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:的)?(?:总|整体|费用|购买)?预算",
        r"预算(?:是|为)?[^,，。]*?(?:的|买|用来买|给)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{2,8})$",
        r"(?:推荐|买|挑|选|找|看|换|租|订|定|要|整|入手|来)(?:给我|我)?(?:一?(?:个|台|款|件|双|部|辆|套|间|副|只|把|块|张|条|份|顶|瓶|束|家|些|点|下))?(?:给\S{1,4}的)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:的话|的时候|吧|呢|啊|给|,|，|。|$|我|最多|不超过|预算|，|来)",
        r"^(?P<s>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:一晚|每晚|一天|每月|的价格|价格|价位)?(?:别|不要|不|最多|控制|顶多|至多|上限|最高|要在|能在)",
        r"(?:以内|以下|左右|之内|内)的?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})",
    )
    for source in (text, sentence):
        source = rx(r"[¥￥$]?[\d一二两三四五六七八九十百千万.]+(?:块钱?|元)?(?:以内|以下|之内|左右|内)的(?=[\u4e00-\u9fffA-Za-z])").sub("", source)
        for pattern in patterns:
            match = rx(pattern).search(source)
            if match:
                word = rx(rf"^{stop}+|(?:的|是|在|了|吧)+$").sub("", match["s"])
                word = rx(rf"^(?:帮我|给我|想|要|去|买|订|租|找|挑|选|看|给\S{{1,3}}(?:挑|买|选|送))+(?:{_CLASSIFIER})?").sub("", word)
                if good_object(word) and not rx(rf"(?:{stop}|\d|[一二三四五六七八九十百千万元块]|地方|便宜|合适|好看|左右|以内|时候|人住?|两个人\S*|装)+").fullmatch(word):
                    return word
    return None


def limits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """报销额度, 限额: how much may be spent at all."""
    match = rx(r"(?P<s>报销|差旅|信用卡|消费|支付|转账|采购|审批|每日|单笔|月度)?(?:的)?(?:额度|限额|报销上限|消费上限|支付上限)(?:是|为|有|只有|大概|,|，)*").search(frame.body)
    sums = _sums(frame)
    if match and sums and sums[0].start >= 0 and not rx(r"想|申请|提高").search(frame.body):
        yield draft(frame, "spending_limit", sums[0].as_value(scope=match["s"], currency=context.currency), subject=USER, timeless=True)


def pay(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """月薪, 工资, 年薪."""
    text = frame.clause.body
    match = rx(r"(?P<k>月薪|年薪|工资|薪水|薪资|薪酬|底薪|月入|月收入|年收入|收入|年入|税前|税后|到手|日薪|时薪|一个月(?:能)?挣|一年(?:能)?挣|一个月(?:能)?赚|一年(?:能)?赚|每个?月(?:能)?[挣赚]|包|总包)").search(text)
    if not match or not frame.path or frame.subject.role in ("company", "team") or rx(r"公司|营收|店|还不够|目标|希望|期望|想要|要是|涨到多少").search(text):
        return
    sums = [q for q in quantity.find(text[match.start() :], "zh") if q.kind == "money" or (q.kind == "plain" and q.value >= 100)]
    if not sums:
        return
    key = match["k"]
    per = "year" if "年" in key or "包" in key else "day" if key == "日薪" else "hour" if key == "时薪" else sums[0].per or quantity.period_of(text, "zh") or "month"
    change = Change.CHANGED if rx(r"涨|降|调整|现在").search(frame.clause.text) else Change.NONE
    yield draft(frame, "salary", sums[0].as_value(per=per, currency=context.currency), timeless=True, change=change)


def savings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """存款, 攒了."""
    text = frame.clause.body
    saved = rx(r"存款|积蓄|存了|攒了|攒下|攒到|存下|存到|存着|攒着|手里有|手头有|备用金|私房钱").search(text)
    sums = _sums(frame, 100)
    if not saved or not sums or frame.path not in ("", USER) or rx(r"想|打算|准备|计划|要攒|目标|每个?月|定期存").search(frame.adverbs + text[: sums[0].start]):
        return
    scope = rx(r"(?:用来|为了|给|准备)(?P<s>[\u4e00-\u9fff]{1,8})|(?P<s2>买房|买车|装修|结婚|旅游|教育|养老|读研|留学)(?:的)?(?:钱|基金|存款|用)?").search(context.sentence)
    word = (scope["s"] or scope["s2"]) if scope else None
    yield draft(frame, "savings", sums[0].as_value(scope=word, currency=context.currency, per=""), subject=USER, timeless=True)


_LOAN = r"(?:车贷|房贷|贷款|花呗|借呗|白条|信用卡|助学贷款|消费贷|网贷|按揭|欠款|外债|债|学贷|公积金贷款|商贷)"


def debts(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Debts still to be paid."""
    text = frame.clause.body
    sums = _sums(frame, 50)
    if not sums or frame.path not in ("", USER):
        return
    match = rx(rf"(?P<s>{_LOAN})(?:上|里|账单)?(?:我)?(?:还剩下?|还有|还欠着?|还差|欠着?|欠了|剩下?|待还|没还|还没还|一共欠|总共欠)").search(text) or rx(rf"(?:还)?(?:欠着?|欠了|背了|背着|借了)(?P<s>[\u4e00-\u9fff]{{0,6}}?)(?=[¥￥$€£]?[\d一二两三四五六七八九十])").search(text) or rx(rf"欠(?P<s>{_LOAN})").search(text)
    if match and not rx(r"每个?月|月供|一个月还|还清|还完").search(text):
        scope = rx(r"^(?:了|着)+|(?:的)$").sub("", match["s"] or "")
        yield draft(frame, "owes", sums[0].as_value(scope=scope if good_object(scope) else None, currency=context.currency, per=""), subject=USER, timeless=True)


def costs(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Repeated payments and sums paid once."""
    text = frame.clause.body
    sums = _sums(frame)
    if not sums or frame.path not in ("", USER, "user.company") or rx(r"预算|营收|月薪|工资|年薪|存款|存了|攒|欠|贷款还|额度|最多|不超过|以内|收入|打算|准备|想花").search(text):
        return
    item = sums[-1] if len(sums) > 1 and rx(r"[一1]$").search(text[sums[0].start : sums[0].end]) else sums[0]
    period = item.per or quantity.period_of(text, "zh") or ("month" if rx(r"月供|月租|月费|房租").search(text) else "")
    match = rx(r"(?P<s>房租|租金|水电费?|物业费|电费|水费|燃气费|话费|网费|宽带|学费|保险费?|保费|房贷|车贷|月供|会员费?|停车费|托费|补习费|健身卡?|健身房|伙食费|生活费|油费|通勤费?|交通费|课时费|年费|订阅|幼儿园|[\u4e00-\u9fff]{1,6}(?:费|卡|会员|课|套餐))").search(text)
    if period in ("month", "year", "week", "quarter", "day") and match and not rx(r"花了|交了|付了|买了").search(text):
        scope = rx(r"^(?:光|单|我|们|的|每月|每个月|一个月|每年|一年|要|交|付|还|家里|现在|是|给孩子|孩子的?|涨到|其中)+").sub("", match["s"]) or match["s"]
        change = Change.CHANGED if rx(r"涨|降|调").search(text) else Change.NONE
        yield draft(frame, "regular_cost", item.as_value(scope=scope, per=period, currency=context.currency), subject=USER, change=change, begins=change is Change.CHANGED, past=change is Change.CHANGED)
        return
    yield from _spent(frame, context, item, text)


def _spent(frame: FrameZh, context: ContextZh, item: Quantity, text: str) -> Iterator[Draft]:
    money = item.kind == "money" or rx(r"花|付|交|落地|全款|首付|[买卖]|充|价|钱").search(context.sentence)
    spent = rx(r"(?:花了|花掉|付了|交了|刷了|充了|转了|投了|用了|掏了|砸了|落地|全款|首付|总共|一共|合计|买.*(?:花|用)|是花|费了|收了我|扣了|报了|缴了)").search(text)
    if not spent or not money or item.per:
        bought = rx(r"^[^,，]{0,12}?(?P<s>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:是)?(?:[¥￥$]?[\d一二两三四五六七八九十百千万.]+)(?:块钱?|元)?买的?").search(text)
        bare = rx(r"^(?:一共|总共|才|只要|大概|共|合计|落地)?[¥￥$]?[\d一二两三四五六七八九十百千万.,]+(?:多|来)?(?:块钱?|元)?(?:整|了)?$").match(frame.body)
        action = rx(r"(?:交|付|缴|买|订|充|办|报|租|修|换|配|做|加)(?:完|好|清)?了(?:一?(?:个|台|款|件|双|部|辆|套|张|次|份|笔|副))?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})").search(context.sentence)
        complained = item.kind == "money" and rx(r"^(?:[¥￥$]?[\d一二两三四五六七八九十百千万.]+)(?:块钱|元|块)是?不(?:多|算多|少|便宜)").match(frame.body)
        if bought:
            yield draft(frame, "spent", item.as_value(scope=clean(bought["s"]) or None, currency=context.currency, per=""), subject=USER, past=True, times=frame.clause.sentence_times)
        elif bare and action and not rx(r"分|岁|斤|公里").search(frame.body):
            yield draft(frame, "spent", item.as_value(scope=clean(action["s"]) or None, currency=context.currency, per=""), subject=USER, past=True, times=frame.clause.sentence_times)
        elif complained:
            yield draft(frame, "spent", item.as_value(currency=context.currency, per=""), subject=USER, timeless=True)
        return
    after = rx(r"^(?:多|来|块钱?|元|左右|才|就)*(?:买|办|修|换|装|做|配|在|租|请|吃|报|学|订)(?:了|到|的|下)?(?:一?(?:个|台|款|件|双|部|辆|套|张|次|顿|份|副|只))?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8})").match(text[item.end :])
    before = rx(r"(?:^|[,，])(?:我|这|那|这次|昨天|给\S{1,3}|上个?月|为|买|换|修|办|装|去|新买的?|订|租|报|这趟|这个|那个|光|的|一?(?:台|部|辆|双|套|张|个|件))*(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:一共|总共|就|也|都|才|竟然|居然|大概|我|还是|是|的|里|上)*(?:花了|花掉|付了|交了|刷了|用了|充了|掏了|砸了|落地|全款|费了|收了我|首付)").search(text)
    scope = clean((after and after["s"]) or (before and before["s"]) or "")
    if not good_object(scope):
        scope = _antecedent(context.sentence)
    yield draft(frame, "spent", item.as_value(scope=scope or None, currency=context.currency, per=""), subject=USER, past=True, times=frame.clause.times or frame.clause.sentence_times)


def _antecedent(sentence: str) -> str:
    match = rx(rf"^(?P<s>车|房子?|手机|电脑|相机|[\u4e00-\u9fff]{{1,4}})(?:是)?\S{{0,6}}买的|买了(?:{_CLASSIFIER})?(?P<s2>[\u4e00-\u9fffA-Za-z]{{1,8}})").search(sentence)
    return clean(match["s"] or match["s2"]) if match else ""


def investing(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Assets, and the attitude to risk."""
    if frame.path not in (USER, ""):
        return
    words = context.words("investments")
    match = rx(rf"(?P<neg>不|没)?(?:再)?(?:投资?(?:了|在|的是)?|买了?|持有|定投(?:了|着)?|炒|配置了?|拿着|存了?|入了?|放(?:在|进)了?|都在|玩|加仓了?|重仓)(?:点|些|一点|一些|不少|一部分|了点|几只|几支|的是|主要是|的都是)*(?P<o>(?:{words})(?:(?:、|和|跟|还有|以及)(?:点|些)?(?:{words}))*)").search(frame.body)
    if match and not rx(r"想|打算|准备|计划|推荐|要不要|能不能|可以|该").search(frame.body[: match.start("o")] + frame.adverbs):
        for part in rx(rf"(?:{words})").findall(match["o"]):
            if not rx(r"买了?$").search(frame.body[: match.start("o")]) or part not in ("保险", "商铺", "邮票", "翡翠", "房产"):
                yield text_draft(frame, "invests_in", part, subject=USER, negative=bool(match["neg"]))
    risk = rx(r"(?:投资|理财|风险|风格|钱|资金)").search(context.sentence)
    match = rx(r"(?:比较|偏|相对|非常|很|属于|是|趋于|趋向)*(?P<o>保守型?|稳健型?|激进型?|进取型?|平衡型?|谨慎型?|厌恶风险|风险厌恶型?|低风险|高风险|中低风险|中等风险|不喜欢冒险|不敢冒险|求稳|不想亏本?|保本)").search(frame.body)
    if risk and match and not rx(r"推荐|有没有|什么").search(frame.body):
        yield text_draft(frame, "risk_preference", match["o"], subject=USER, timeless=True)


def belongings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Things owned, sold or bought."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest, durable = frame.rest, context.words("durables")
    if rx(r"(?:想|打算|准备|计划|要|考虑|希望|该|帮我|给我|推荐|会)").search(frame.adverbs + rest[:2]):
        return
    sold = rx(rf"^(?:把|将)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{1,8}}?)(?:给|已经|都|也|就)*(?:卖了|卖掉了?|处理了|送人了|报废了|丢了|弄丢了|转手了)").match(rest)
    if sold and good_object(clean(sold["o"])):
        yield text_draft(frame, "owns", clean(rx(r"^(?:把|将|我的|家里的?)").sub("", sold["o"])), negative=True, ends=True, past=True)
        return
    match = rx(rf"^(?:家里?|名下|手里|自己)*(?P<neg>没有?|还没)?(?:有|开的是|开着|骑的是|拥有|开)(?:了|着)?(?:自己的)?(?P<c>{_CLASSIFIER})?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{0,6}}?(?:{durable}))(?![\u4e00-\u9fff]?(?:贷|险|祸|票|主|间|友|展|型|厘|震|位费|东|租|价|产|工作|公司|证|里|上|钥匙|卡|维修))").match(rest)
    if match and (match["c"] or match["neg"] or rx(r"开|骑|拥有").search(match[0])):
        yield text_draft(frame, "owns", match["o"], negative=bool(match["neg"]))
        return
    ride = rx(r"^(?:家里?|名下)*有(?:一|两|三|1|2)?(?:辆|架|艘|栋|套)(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,10})$").match(rest)
    if ride:
        yield text_draft(frame, "owns", ride["o"])
        return
    bought = rx(rf"^(?:刚|新|又|终于|在\S{{1,6}}?|给\S{{1,4}}|从\S{{1,6}})*(?:买|入手|下单|购买|购入|换|订购|添置|网购|淘到|抢到|提)(?:到|下)?了(?:一)?(?P<c>{_CLASSIFIER})?(?P<new>新|二手)?(?:的)?(?P<o>[^,，。]{{1,14}})").match(rest)
    if bought and not rx(rf"(?:{context.words('investments')})|票|衣服$|菜|(?:[一两三四\d]+次)|工作|号|地方|人|药|单|房租").match(clean(bought["o"])):
        text = rx(r"(?:花了.*|,|，|[¥￥\d].*|给.*|送.*|来.*|，)$").sub("", bought["o"])
        value = clean(text)
        if good_object(value) and not rx(rf"(?:{context.words('animals')})").fullmatch(value):
            changed = Change.CHANGED if rest.startswith("换") else Change.NONE
            yield text_draft(frame, "bought", value, past=True, change=changed)
        return
    match = rx(r"^(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:是)?(?:我)?(?:新|刚|在\S{1,6})?买的").match(frame.body)
    if match and good_object(clean(match["o"])) and not rx(r"谁|哪|怎么").search(frame.body):
        model = rx(r"买的[,，](?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,10})[,，]").search(context.sentence)
        value = model["o"] if model and not rx(r"[\d一二两三四五六七八九十]+[万千百块元]|花|很|太|不").search(model["o"]) else clean(match["o"])
        yield text_draft(frame, "bought", value, subject=USER, past=True, times=frame.clause.times or frame.clause.sentence_times)


RULES = (budgets, limits, pay, savings, debts, costs, investing, belongings)
SUMS = (budgets, limits, pay, savings, debts, costs)
