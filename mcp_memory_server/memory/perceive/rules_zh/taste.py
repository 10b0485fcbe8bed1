"""Chinese rules: likes, dislikes, preferences, form of answers."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, good_object, items, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER

_EAT = r"(?:吃|喝|抽|碰|沾)"


def _plainly(frame: FrameZh, rest: str) -> Iterator[Draft]:
    """不要香菜, 对数学感兴趣."""
    spice = rx(
        r"(?:不要|别放|不放|免|不加|少放)(?P<o>香菜|葱花?|姜|大?蒜|辣椒?|糖|洋葱|味精|花椒|芹菜|香葱|肥肉|鸡精|奶油|沙拉酱)"
    ).findall(frame.rest)
    ordered = rx(r"^(?:请|麻烦|记得|千万|都|点\S{0,4})?(?:不要|别放|不放|免|不加|少放)").match(frame.rest)
    if spice and frame.subject.is_user and ordered:
        for part in spice:
            yield text_draft(frame, "dislikes", part)
        return
    match = (
        rx(
            r"^(?P<neg>不|没(?:什么|啥)?)?(?:对|对于)?(?P<o>[^,，。]{1,10}?)(?P<n2>不|没(?:什么|啥)?)?(?:很|特别|非常|挺)?(?:感兴趣|有兴趣|上瘾|着迷|兴趣)(?:的)?$"
        ).match(rest)
        if "兴趣" in rest or "着迷" in rest or "上瘾" in rest
        else None
    )
    if match and good_object(clean(match["o"].removeprefix("对"))):
        yield text_draft(
            frame, "dislikes" if match["n2"] or match["neg"] else "likes", clean(match["o"].removeprefix("对"))
        )
        return


def _fond(frame: FrameZh) -> Iterator[Draft]:
    """咖啡控, 百听不厌, 对我胃口: fondness without a verb of liking."""
    text = (frame.topic + frame.rest) if frame.topic else frame.rest
    match = (
        rx(
            r"^是个?(?:超级|重度|资深|铁杆|十足的|标准的|妥妥的|不折不扣的)*(?P<o>[\u4e00-\u9fffA-Za-z]{1,6}?)(?:控|迷|粉丝?|发烧友|爱好者|狂热者)$"
        ).match(frame.rest)
        or rx(
            r"^(?P<o>[\u4e00-\u9fffA-Za-z]{1,10}?)(?:我|真是|简直|都|真的)*(?:百[听看吃玩读]不[厌腻]|怎么[吃看听玩]都不[腻厌够])"
        ).match(text)
        or rx(
            r"^(?P<o>[\u4e00-\u9fffA-Za-z]{1,10}?)(?:很|特别|挺|最|真|蛮|太|非常)*(?:对|合)我(?:的)?(?:胃口|口味|心意|脾胃)"
        ).match(frame.body)
        or rx(r"^(?:平时|没事|闲着|周末)?(?:好|就好)(?:喝|吃)?(?:两口|这口|一口)(?P<o>[\u4e00-\u9fff]{1,6})$").match(
            frame.adverbs[-1:] + frame.rest
        )
    )
    if match and good_object(clean(match["o"])) and not rx(r"球$|脸|声|颜|大?美|不|没|[我你他她]").search(match["o"]):
        subject = USER if "我" in match[0] and not frame.explicit else frame.path
        yield text_draft(frame, "likes", clean(match["o"]), subject=subject)


def tastes(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """喜欢, 讨厌, 不吃…"""
    if not frame.path:
        return
    rest = frame.rest
    if rx(r"(?:告诉|说)你").search(context.sentence) or rx(r"(?:想|打算)").search(frame.adverbs):
        return
    rest = rx(
        r"^(?:没事(?:的时候)?|闲下来|闲着没事|一?有空|一有时间|放假|周末|下班|晚上)(?:就|总|都|也|最|会)*(?=喜欢|爱)"
    ).sub("", rest)
    never = rx(
        r"^(?:[\u4e00-\u9fff]{1,4})?只(?P<v>吃|喝|看|听|买|穿)(?P<a>[^,，不]{1,6})不(?P=v)(?P<o>[^,，了]{1,6})$"
    ).match(frame.adverbs[-1:] + frame.rest if frame.adverbs.endswith("只") else frame.rest)
    if never:
        yield text_draft(frame, "dislikes", clean(never["o"]))
        return
    if rx(r"^不(?:再)?(?:吃|喝|抽|碰|打|玩)[^,，]{1,8}了$").match(rest):
        return  # a habit that was given up
    if context.rx(r"(?:不|没).{0,3}(?:⟨diets⟩)|风险|股票|基金").search(rest):
        return
    listed = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
    if frame.subject.is_user and rx(r"(?:爱好|兴趣)[^,，:：]{0,8}[:：]\s*$").search(listed):
        for part in items(frame.body):
            yield text_draft(frame, "likes", part)
        return
    told = list(_plainly(frame, rest)) or list(_fond(frame))
    yield from told or _told_tastes(frame, context, rest)


def _told_tastes(frame: FrameZh, context: ContextZh, rest: str) -> Iterator[Draft]:
    now = "现在" in frame.clause.text
    match = rx(
        r"^(?P<neg>不再|不太|不怎么|不是很|没那么|并不|不|没)?(?:那么)?(?:喜欢上了?|喜欢(?!的[\u4e00-\u9fff]{1,6}是)|喜爱|热爱|爱好(?!很|比较|挺|不|就|特别)是?|钟爱|酷爱|迷恋|迷(?=[\u4e00-\u9fff]{3,})(?!上|恋|路|茫|你|糊|惑|信|失|人)|迷上了?|痴迷于?|沉迷于?|热衷于?|偏爱|爱(?!人|情|心|好|好是|怎么|不)|爱上了?|超爱|最爱|的爱好是|的兴趣是|兴趣爱好是|好这口|爱好(?!很|比较|挺|不|就|特别))(?P<o>.+)"
    ).match(rest)
    if (
        match
        and not rx(r"(?:你|他$|她$|这|那|一个人$|的人$|上一个)").match(match["o"])
        and not rx(r"(?:我|你|他)(?:的)?(?:人|是)").search(match["o"])
    ):
        ended = (bool(rx(r"了$").search(rest)) and bool(match["neg"])) or match["neg"] == "不再"
        change = Change.CHANGED if ended or rx(r"上了").search(match[0]) else Change.NONE
        text = _thing(match["o"])
        compared = rx(r"^(?:比起|相比|跟)").match(frame.body) or "更" in frame.adverbs or "偏爱" in match[0]
        for part in items(rx(r"^(?:用|坐|选择?)(?=[\u4e00-\u9fffA-Za-z]{3,})").sub("", text) if compared else text):
            if compared and not match["neg"]:
                yield text_draft(frame, "prefers", part)
            else:
                yield text_draft(
                    frame,
                    "dislikes" if match["neg"] else "likes",
                    part,
                    change=change,
                    begins=change is Change.CHANGED,
                    past=change is Change.CHANGED,
                )
        return
    match = rx(
        rf"^(?P<neg>不)?(?:讨厌|厌恶|反感|受不了|吃不惯|吃不了|喝不了|喝不惯|吃不来|闻不了|闻不得|闻不惯|看不惯|忍不了|忍受不了|最怕|怕(?=吃|辣|甜|酸|苦|咸|冷|热|吵|堵|一|高$|黑$|狗|猫$|虫|蛇|鬼$|疼$|打针)|见不得|烦|最烦|嫌弃|不碰|不沾|从不吃|从不喝|不敢吃|不肯{_EAT}|不愿意?{_EAT}|(?:死活|坚决|打死[都也])不{_EAT}|不爱{_EAT}|不(?:太|大|怎么)能?{_EAT}|不能{_EAT}|不{_EAT}|没法{_EAT}|忌口|忌|戒不了)(?P<o>.+)"
    ).match(rest)
    if (
        match
        and not rx(
            r"(?:膝盖|腰$|胃$|身体|眼睛|腿$|嗓子|颈椎|你|死|不|了$|饭$|早饭|早餐|晚饭|午饭|药|我|人$|这|那|口$|口[,，]|亏|苦头|惯|准|起|动|下|饱|烟$|酒$|得|什么|东西|上班|心)"
        ).match(match["o"])
        and not (rx(r"不(?:能|敢)?(?:吃|喝|碰)").match(rest) and "过敏" in context.sentence)
    ):
        if rx(r"太").match(match["o"]):
            return
        for part in items(_thing(match["o"])):
            yield text_draft(frame, "likes" if match["neg"] and rest.startswith("不讨厌") else "dislikes", part)
        return
    topic = frame.topic or ""
    text = frame.rest if topic else frame.body
    match = rx(
        r"^(?P<t>[\u4e00-\u9fffA-Za-z]{1,9}?)(?:我)?(?:是|就|可|真的?|实在|从来|一直|一点儿?都?|一口都?|一概|坚决|完全|都|也|最)*(?:不去|不吃|不喝|吃不下|一[吃闻看见]就(?:想)?吐|闻着就想吐|吃不了|不碰|吃不惯|喝不惯|喝不了|不爱吃|不爱喝|受不了|不喜欢|不爱|接受不了|吃不来|不能吃|闻不了|一口都吃不下|一口不吃|不感冒|没兴趣)(?:的)?$"
    ).match((topic + text) if topic else text)
    if (
        match
        and (topic or not frame.explicit)
        and good_object(match["t"])
        and not rx(
            r"(?:膝盖|腰|胃|身体|眼睛|腿|嗓子|颈椎|我|他|她|你|饭|人|这|那|真|完全|从来|晚上|早上|中午|有点|实在|药|一直|现在)"
        ).fullmatch(match["t"])
        and "过敏" not in context.sentence
    ):
        for part in items(match["t"]):
            yield text_draft(frame, "dislikes", part)
        return
    yield from _favourites(frame, rest, now=now)


def _favourites(frame: FrameZh, rest: str, *, now: bool) -> Iterator[Draft]:
    match = rx(r"^(?P<o>[\u4e00-\u9fffA-Za-z]{1,8})(?:是我|是本人)(?:的)?(?:最爱|心头好|最喜欢的|本命|真爱)").match(
        frame.body
    )
    if match and good_object(match["o"]):
        yield text_draft(frame, "likes", match["o"], subject=USER)
    match = (
        rx(r"^(?:最)?喜欢的(?P<k>[\u4e00-\u9fff]{1,6}?)(?:是|就是|,|，)(?P<o>[^,，。]{1,14})").match(rest)
        if now or rest.startswith(("喜欢的", "最喜欢的"))
        else None
    )
    if match and good_object(clean(match["o"])):
        yield text_draft(
            frame, "prefers", clean(match["o"]), scope=match["k"], change=Change.CHANGED if now else Change.NONE
        )


def _thing(text: str) -> str:
    """What is liked: 吃 and 喝 before food fall away, the rest of the activity stays."""
    text = (
        rx(r"(?:的(?!士)|这种感觉|这件事|了|时候).*$").sub("", text)
        if rx(r"的(?:人|感觉|时候|东西|那种)").search(text)
        else text
    )
    text = rx(
        r"^(?:在(?:家|周末|晚上|早上|外面)|一个人|周末|晚上|早上|没事|下雨天|跟\S{1,3}|和\S{1,4}(?=去|看|打|玩))"
    ).sub("", text)
    return rx(r"^(?:去)?(?:吃|喝)(?=[\u4e00-\u9fffA-Za-z])").sub("", text)


def _from_degree(adverbs: str) -> str:
    """The adverbs from 更 or 比较 on, which say that a choice is told."""
    place = max(adverbs.rfind("更"), adverbs.rfind("比较"))
    return adverbs[place:] if place >= 0 else ""


def _choice(frame: FrameZh, context: ContextZh) -> str:
    """A和B我选B, 与其A不如B, 比我更喜欢B, 能A就不B: the option that is taken."""
    match = (
        rx(r"^选(?:择)?(?P<o>[\u4e00-\u9fffA-Za-z]{1,8})$").match(frame.rest)
        if rx(r"和|还是|之间|跟|与|二选一|或者").search(context.sentence)
        else None
    )
    if not match and rx(r"每次|一般|通常|总是|向来|一向|从来都").search(frame.clause.text):
        match = rx(r"^选(?:择)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})$").match(frame.rest)
    if not match and "与其" in context.sentence:
        match = rx(r"^(?:还|倒|真)?不如(?P<o>[^,，]{2,10})$").match(frame.rest)
    match = match or rx(r"^比(?:起)?[^,，]{1,6}?更(?:喜欢|爱|偏爱|中意)(?P<o>[^,，的]{1,10})$").match(frame.rest)
    match = match or rx(
        r"^(?:出门|上班|出行|平时|旅行|只要)?能(?P<o>[^,，我]{2,8}?)(?:的话)?(?:我)?(?:就|绝|坚决|绝对|肯定)?不(?:会)?(?:[^,，]{2,8})$"
    ).match(frame.body)
    return clean(match["o"]) if match else ""


def preferences(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """比起A更爱B, 宁可, 只坐…"""
    if not frame.path:
        return
    body, rest = frame.body, frame.rest
    chosen = _choice(frame, context)
    if chosen and good_object(chosen):
        for part in items(_thing(chosen)):
            yield text_draft(frame, "prefers", part)
        return
    match = rx(
        r"(?:宁可|宁愿|情愿)(?:我|是|多|花|自己)?(?:再)?(?:坐|选|住|吃|喝|用|走(?!路)|去)?(?:[一二两三四五六七八九十几\d]+个?(?:小时|天|站|分钟|钟头)(?:的)?)?(?P<o>[^,，也我]{1,12}?)(?:$|[,，]|也|我)"
    ).search(body)
    if match:
        value = clean(match["o"])
        if good_object(value) and not rx(
            r"[一二两三四五六七八九十几多\d]+(?:步|天|分钟|小时|次|块|点|趟|站|钱|年)"
        ).fullmatch(value):
            yield text_draft(frame, "prefers", value, subject=USER if not frame.explicit else frame.path)
        return
    match = rx(
        r"^(?:更倾向于?|更?倾向于?|更?偏向于?|偏好|更愿意|更习惯|更喜欢|更偏爱|更偏(?!向|爱|僻|远)|更爱|更中意|首选|优先选?|更想要?|比较喜欢|比较偏好|一般选|通常选|都选|习惯选)(?P<o>[^,，。]{1,14})"
    ).match(
        rx(r"^(?:比起|相比于?|跟|和)[^,，我]{1,12}(?:比|来说|相比)?(?:我|,|，)?").sub(
            "", _from_degree(frame.adverbs) + rest
        )
    )
    if match:
        text = rx(r"(?:而不是|而非|,|，|一些|一点|多一点).*$").sub("", match["o"])
        for part in items(_thing(rx(r"^(?:于|用|坐|选择|选)(?=[\u4e00-\u9fff]{3,})").sub("", text))):
            yield text_draft(frame, "prefers", part)
        return
    match = rx(
        r"^(?:比起|相比|跟|和)(?P<x>[^,，我]{1,12}?)(?:来说|相比|比起来|比)?(?:,|，)?(?:我|还是)*(?:更(?:喜欢|爱|倾向于?|偏爱|偏(?!爱|向)|愿意|习惯|中意|想))(?P<o>[^,，。]{1,12})"
    ).match(frame.clause.body)
    if match:
        for part in items(_thing(match["o"])):
            yield text_draft(frame, "prefers", part, subject=USER)
        return
    match = rx(r"^(?P<o>[^,，。]{1,10}?)比(?P<x>[^,，。]{1,10}?)(?:更)?(?:适合我|好吃|好用|合我胃口|舒服|香|强)").match(
        body
    )
    if match and rx(r"对我|我觉得|我").search(frame.clause.text) and good_object(clean(match["o"])):
        yield text_draft(frame, "prefers", clean(match["o"]), subject=USER)
        return
    only = rx(
        r"^(?:坐\S{1,3}|住\S{1,3}|买\S{1,3}|喝\S{1,2})?(?:一律|永远|从来|每次都?|一直|出门|出差|旅行|坐车|坐飞机|坐高铁|住店|住酒店)*只(?:坐|住|用|选|挑|喝|买|看|要|穿|订|认)(?P<o>[^,，。]{2,10})"
    ).match(frame.adverbs + rest)
    if (
        only
        and frame.subject.is_user
        and good_object(clean(only["o"]))
        and not context.rx(r"(?:⟨investments⟩)").search(only["o"])
        and not rx(r"(?:想|剩|有|了|能|是|要\d)").search(only["o"])
    ):
        yield text_draft(frame, "prefers", clean(only["o"]))


_FORMS = {
    "简短": r"简短|简洁|简练|精简|言简意赅|短一?点|别太长|不要太长|长话短说|简明|少废话|不要废话|别啰嗦|别废话|一句话",
    "详细": r"详细|详尽|展开讲|细一点|具体一?点|越细越好",
    "表格": r"表格|列表格|用表", "分点": r"分点|分条|列点|逐条|要点|一条一条|列表|条目", "中文": r"用中文|说中文|中文回|中文作答", "英文": r"用英[文语]|英[文语]回|英文作答|说英[文语]",
    "步骤": r"分步|一步步|一步一步|步骤", "举例": r"举例|例子|实例|示例", "通俗": r"通俗|(?<!大)白话|易懂|简单易懂|别用术语|不要术语|少用术语", "不用表情": r"(?:不要|别|不用|少|禁用)(?:给我|再|老)?(?:发|用|加)?(?:表情|emoji)",
    "Markdown": r"[Mm]arkdown", "代码": r"只(?:给|要)代码|直接给代码", "口语化": r"口语化?", "正式": r"正式一?[点些]|语气正式|正式的语气|用书面语", "繁体字": r"繁体", "简体字": r"用简体", "大白话": r"大白话", "结论先行": r"先说结论|先给结论|结论先行|先讲结论", "加粗": r"加粗", "直接说重点": r"直接说重点|说重点|直奔主题|挑重点|有话直说", "口语": r"像聊天一样",
}  # fmt: skip


def formats(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """How answers should be given."""
    if not rx(
        r"(?:回答|回复|输出|答案|回信|聊天|说话|表情|注释|讲题|报告|文案|术语|给结论|解释|讲解|作答|答复|说明|回我|跟我说|和我说|输出|总结|给我讲|讲的时候|格式|回应|说话)"
    ).search(context.sentence) or not rx(
        r"以后|今后|从现在|最好|别|多|少|先|应该|都|请|尽量|要|麻烦|希望|记得|别|不要|一律|总是|每次|喜欢|习惯|用"
    ).search(context.sentence):
        return
    if frame.subject.role:
        return
    length = rx(r"(?P<n>\d+|[一两二三四五六七八九十百千]+)个?字(?:以内|之内|左右|以下)").search(frame.clause.text)
    if length:
        yield text_draft(frame, "prefers_format", f"{length['n']}字以内", subject=USER, timeless=True)
    hit = False
    for name, pattern in _FORMS.items():
        found = rx(pattern).search(frame.clause.text)
        hit = hit or found is not None
        if found:
            yield text_draft(
                frame,
                "prefers_format",
                name,
                subject=USER,
                timeless=True,
            )
    other = rx(
        r"(?:都|请|要|一律|尽量|最好|麻烦)(?:给我|帮我)?(?P<v>带上?|附上?|加上?|标注|注明|标明|按照?|用|以)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:的(?:形式|格式|方式|风格|语气|口吻))?(?:来)?(?:回答|回复|作答|输出|回我|呈现|说|讲|写)?$"
    ).search(frame.clause.text)
    if other and not hit and not length and rx(r"以后|今后|每次|从现在|往后|回答|回复|输出").search(context.sentence):
        yield text_draft(frame, "prefers_format", clean(other["o"]), subject=USER, timeless=True)


RULES = (tastes, preferences, formats)
