"""Chinese rules: investments, belongings, purchases."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    _UNIT,
    ContextZh,
    FrameZh,
    clean,
    good_object,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def _positions(frame: FrameZh, words: str, owner: str) -> Iterator[Draft]:
    """美股都清仓了, 这个理财我投了五万, 炒币."""
    cleared = rx(
        rf"^(?:把)?(?:手[里上]的)?(?P<o>{words})(?:都|全|已经|也|全部|早就)*(?:清仓|清了|抛了|抛掉|卖光|卖了|割肉|赎回|清掉|割了|割肉了?)"
    ).match(frame.topic + frame.rest if frame.topic else frame.rest)
    if cleared:
        yield text_draft(frame, "invests_in", cleared["o"], subject=owner, negative=True, ends=True, past=True)
        return
    put = rx(rf"(?P<o>{words})$").search(frame.topic) if frame.topic else None
    if put and rx(r"^(?:已经|也|又)?(?:投|买|放|存|砸)(?:了|进去)").match(frame.rest):
        yield text_draft(frame, "invests_in", put["o"], subject=owner)
        return
    coin = rx(r"^(?:在|一直|平时|也|以前)*炒(?P<o>币|房|汇|期货|黄金|鞋)(?:$|[,，])").match(frame.rest)
    if coin and not rx(r"不|没|想").search(frame.adverbs):
        yield text_draft(frame, "invests_in", coin["o"] if len(coin["o"]) > 1 else f"炒{coin['o']}", subject=owner)


def investing(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Assets, and the attitude to risk."""
    if frame.subject.role in ("company", "team", "pet"):
        return
    owner = frame.path or USER
    words = f"(?:{context.words('investments')})(?:ETF|基金|指数)?"
    told = list(_positions(frame, words, owner))
    if told:
        yield from told
        return
    match = rx(
        rf"(?P<neg>不|没)?(?:再)?(?:碰|投资?(?:了|在|的是)?|买了?|买过|持有|定投(?:了|着)?|炒|配置了?|拿着|存了?|入了?|放(?:在|进)了?|都在|玩|加仓了?|重仓)(?:点|些|一点|一些|不少|一部分|了点|几只|几支|的是|主要是|的都是)*(?:[¥￥]?[\d一二两三四五六七八九十百千万几.]+(?:多|来)?(?:块钱?|元)的)?(?P<o>(?:{words})(?:(?:、|和|跟|还有|以及)(?:点|些|存|买|投|炒)?(?:{words}))*)"
    ).search(frame.body)
    if match and not rx(r"想|打算|准备|计划|推荐|要不要|能不能|可以|该").search(
        frame.body[: match.start("o")] + frame.adverbs
    ):
        for part in rx(rf"(?:{words})").findall(match["o"]):
            if not rx(r"买了?$").search(frame.body[: match.start("o")]) or part not in (
                "保险",
                "商铺",
                "邮票",
                "翡翠",
                "房产",
            ):
                yield text_draft(frame, "invests_in", part, subject=owner, negative=bool(match["neg"]))
    if not match:
        held = (
            rx(
                rf"(?:手里|手头|手上|账户里?|仓里)(?:有|拿着|还有|持有|都是|主要是)(?:点|些|一点|一些|几只|几支)?(?P<o>(?:{words})(?:(?:、|和|跟|还有)(?:点|些)?(?:{words}))*)"
            ).search(frame.body)
            or rx(
                rf"(?:钱|资金|存款|积蓄|闲钱|工资|奖金|私房钱|一半|大半|小半|大头|小头|剩下的?|余下的?|其余的?|多余的?|[一二两三四五六七八九]成|三分之[一二])(?:都|大部分|主要|全|基本|一半|多半|一直)*(?:放|存|投|买|押|扔|砸|丢|塞|搁|压|换|转|用来买|拿去买)(?:在|了|进|到|成)*(?:点|些)?(?P<o>(?:{words})(?:(?:、|和|跟|还有)(?:点|些)?(?:{words}))*)"
            ).search(frame.body)
            or rx(
                rf"^(?:理财|投资)(?:主要|一般|基本)*(?:是|靠|买|做|投)(?P<o>(?:{words})(?:(?:、|和|跟|还有)(?:{words}))*)"
            ).search(frame.rest)
            or rx(rf"(?:在|一直|平时|每月|每周|每个月|定期)?(?:定投|炒|做|玩)(?:着|的是)?(?P<o>(?:{words}))").search(
                frame.body
            )
        )
        if held and not rx(r"想|打算|准备|计划|推荐|要不要|能不能|不|没").search(
            frame.body[: held.start("o")] + frame.adverbs
        ):
            for part in rx(rf"(?:{words})").findall(held["o"]):
                yield text_draft(frame, "invests_in", part, subject=owner)
        elif rx(
            r"(?:在|一直|平时|也|会|自己)炒股|^炒(?:了|着)?(?:点|些)股票?$|^炒股(?:[一二三四五六七八九十\d]+年|好多年|$)"
        ).search(frame.rest) and not rx(r"不|没|想").search(frame.rest[:3]):
            yield text_draft(frame, "invests_in", "股票", subject=owner)
    risk = rx(r"(?:投资|理财|风险|风格|钱|资金|亏损|收益|回报)").search(context.sentence)
    match = rx(
        r"(?:比较|偏|相对|非常|很|属于|是|趋于|趋向)*(?P<o>风险承受能力(?:很|比较|非常|偏|较)?(?:低|高|弱|强|一般)|胆子?(?:很|比较)?[大小]|不愿意?承担[^,，]{0,4}(?:亏损|风险)|高风险高回报|(?<=偏)稳(?!健)|保守型?|稳健型?|激进型?|进取型?|平衡型?|谨慎型?|厌恶风险|风险厌恶型?|低风险|高风险|中低风险|中等风险|不喜欢冒险|不敢冒险|求稳|不想亏本?|保本)"
    ).search(frame.body)
    if risk and match and not rx(r"推荐|有没有|什么").search(frame.body):
        yield text_draft(frame, "risk_preference", match["o"], subject=owner, timeless=True)


def holdings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """名下两套房."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    listed = context.rx(
        rf"^(?:名下|手里|手上|家里)(?:一共|总共|现在|还|就|有)*[一两三四五六七八九十几\d]+{_UNIT}(?P<o>[\u4e00-\u9fff]{{0,4}}?(?:⟨durables⟩))$"
    ).match(frame.rest)
    if listed:
        yield text_draft(frame, "owns", listed["o"])


def belongings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Things owned, sold or bought."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest, durable = frame.rest, context.words("durables")
    if rx(r"(?:想|打算|准备|计划|要|考虑|希望|该|帮我|给我(?![妈爸儿女老们家弟妹哥姐奶爷外朋同媳男])|推荐|会)").search(
        frame.adverbs + rest[:3]
    ):
        return
    sold = rx(
        r"^(?:把|将)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,8}?)(?:给|已经|都|也|就)*(?:卖了|卖掉了?|处理了|卖给[^,，了]{1,6}了|送人了|报废了|丢了|弄丢了|转手了)"
    ).match(rest)
    if (
        sold
        and not context.rx(r"(?:⟨animals⟩)$").search(sold["o"])
        and not rx(r"(?:驾照|证|证件|钥匙|卡|银行卡|手机卡)$").search(sold["o"])
        and good_object(clean(sold["o"]))
    ):
        yield text_draft(
            frame, "owns", clean(rx(r"^(?:把|将|我的|家里的?)").sub("", sold["o"])), negative=True, ends=True, past=True
        )
        return
    match = rx(
        rf"^(?:家里?|名下|手里|自己|在[^,，]{{1,6}}?)*(?P<neg>没有?|还没)?(?:有|开的是|开着|骑的是|拥有|开)(?:了|着)?(?:自己的)?(?P<c>{_CLASSIFIER})?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{0,6}}?(?:{durable}))(?![\u4e00-\u9fff]?(?:贷|险|祸|票|主|间|友|展|型|厘|震|位费|东|租|价|产|铺|店|厂|行(?!李)|场|队|工作|公司|证|里|上|钥匙|卡|维修))"
    ).match(rest)
    if match and (match["c"] or match["neg"] or rx(r"开的|开着|骑的|拥有").search(match[0])):
        yield text_draft(frame, "owns", match["o"], negative=bool(match["neg"]))
        return
    ride = rx(
        r"^(?:家里?|名下)*(?:有|收藏了?|攒了|开的是|骑的是|开着?|骑)(?:[一两三四五六七八九十\d百]+多?)?(?:(?<=的是)(?=[\u4e00-\u9fff]{1,4}[A-Za-z0-9]|[A-Za-z])|辆|架|艘|栋|套|台(?!阶)|张)(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,10})$"
    ).match(rest)
    if ride:
        yield text_draft(frame, "owns", ride["o"])
        return
    car = rx(
        r"^(?:的|开的)?车子?(?:就)?是(?:一)?[辆台部](?:[^,，]{1,6}的)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,8})$"
    ).match(rest)
    if car and not rx(r"新|旧|二手|的").fullmatch(car["o"]):
        yield text_draft(frame, "owns", car["o"])
        return
    bought = rx(
        rf"^(?:刚|新|又|终于|在\S{{1,6}}?|给\S{{1,4}}?|从\S{{1,6}}?)*(?:淘|囤|收|拍下|捡漏|抱回|买|入手|下单|购买|购入|换|订购|添置|网购|淘到|抢到|提)(?:到|下)?了(?:一)?(?P<c>{_CLASSIFIER})?(?P<new>新|二手)?(?:的)?(?P<o>[^,，。]{{1,14}})"
    ).match(rest)
    if bought and not context.rx(
        r"(?:⟨investments⟩)|票|衣服$|菜|(?:[一两三四五六七八九十\d]+[条个块把次])?(?:轮胎|机油|电池|屏幕|灯泡|滤芯|零件|锁芯|车牌|发型|工作)|(?:[一两三四\d]+次)|工作|号|地方|人|药|单|房租|.*(?:主任|经理|主管|总监|[科处局厂店组队班院校]长|干部)$"
    ).match(clean(bought["o"])):
        text = rx(r"(?:花了.*|,|，|[¥￥\d].*|给.*|送.*|来.*|，)$").sub("", bought["o"])
        value = clean(rx(r"^[¥￥]?[\d一二两三四五六七八九十百千万几.]+(?:多|来)?(?:块钱?|元)的").sub("", text))
        if context.rx(r"(?:⟨investments⟩)").fullmatch(value):
            return
        if good_object(value) and not context.rx(r"(?:⟨animals⟩)").fullmatch(value):
            if rest.startswith("换") and not (bought["c"] or bought["new"] or rx(rf"(?:{durable})").search(value)):
                return
            changed = Change.CHANGED if rest.startswith("换") else Change.NONE
            yield text_draft(frame, "bought", value, past=True, change=changed)
        return
    match = rx(
        r"^(?:我们?的?)?(?P<o>(?![给为帮替我他她])[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:是)?(?:我)?(?:花?[¥￥$]?[\d一二两三四五六七八九十百千万.]+(?:块钱?|元))?(?:新|刚|在\S{1,6})?买的"
    ).match(frame.body)
    if (
        match
        and good_object(clean(match["o"]))
        and not rx(r"谁|哪|怎么|^(?:我|咱)?(?:新|刚|旧|老)买").search(frame.body)
    ):
        model = rx(r"买的[,，](?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,10})[,，]").search(context.sentence)
        value = (
            model["o"]
            if model and not rx(r"[\d一二两三四五六七八九十]+[万千百块元]|花|很|太|不").search(model["o"])
            else clean(match["o"])
        )
        yield text_draft(
            frame, "bought", value, subject=USER, past=True, times=frame.clause.times or frame.clause.sentence_times
        )


RULES = (investing, belongings, holdings)
