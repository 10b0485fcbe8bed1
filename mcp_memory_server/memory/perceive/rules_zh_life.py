"""Chinese rules: health, food, tastes, habits, what is hard and what is mastered, moods, complaints."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, draft, good_object, items, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind

_PLANNING = r"(?:想|打算|准备|计划|要|希望|会|考虑|将)"


def allergies(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """对…过敏, …过敏, 不能吃…会过敏."""
    if not frame.path or "过敏" not in context.sentence:
        return
    body = frame.topic + frame.rest if frame.topic else frame.rest
    match = rx(r"对(?P<o>[^,，。]{1,16}?)(?:都|也|是|就|会|容易|有点|有些|轻微|严重|重度|非常|特别|从小|一直|又|已经)*(?P<neg>不|没有?|并不)?(?:再|会|那么)*过敏").search(body)
    if not match:
        match = rx(r"^(?P<o>[^,，。对]{1,12}?)(?:我|也|都|是|就|会|容易|有点|严重|重度|倒是|倒)*(?P<neg>不|没有?)?(?:再|会|那么)*过敏(?!药|性|科|源|体质|原)").match(rx(r"^(?:一?吃|一?喝|一?碰|一?闻|一?接触)到?").sub("", body))
    if match:
        for part in items(rx(r"^(?:所有|任何|一切|各种)").sub("", match["o"])):
            if not rx(r"(?:吃了|我|有|会|一吃|食物|严重|容易|皮肤|季节性?|药物|从小|什么|换季|一\S{1,2}就|就)").fullmatch(part):
                part = rx(r"^(?:一?吃|喝|碰|闻)(?=[\u4e00-\u9fff])|(?:就|会|都|一吃|一碰|[吃喝碰])+$").sub("", part)
                if good_object(part):
                    yield text_draft(frame, "allergic_to", part, negative=bool(match["neg"]))
        return
    eaten = rx(r"^(?:绝对|千万|一点都|坚决)?(?:不能|不可以|没法|不敢|吃不了|碰不得|沾不得|一?吃|一?碰)(?:吃|碰|喝|沾|接触)?(?P<o>[^,，。]{1,10}?)(?:就)?$").match(frame.rest)
    if eaten and rx(r"(?:会|就|要|容易)?过敏").search(context.sentence[frame.clause.end - frame.clause.sentence_start :]):
        for part in items(eaten["o"]):
            yield text_draft(frame, "allergic_to", part)
    have = rx(r"^(?P<neg>没)?有(?P<o>[\u4e00-\u9fff、和]{1,10}?)过敏(?:史|症)?$").match(frame.rest)
    if have:
        for part in items(have["o"]):
            yield text_draft(frame, "allergic_to", part, negative=bool(have["neg"]))


_DISEASE = r"[\u4e00-\u9fffA-Za-z]{0,6}(?:病|炎|症|癌|瘤|结石|结节|骨折|综合征|不全|障碍|溃疡|增生|突出|感染|息肉|囊肿|偏高|偏低|近视|失眠|怀孕|贫血|中风|偏瘫|畸形|脱臼|扭伤|拉伤|撕裂|烫伤|烧伤|不耐受|失调|缺陷|硬化|梗塞|梗死|出血|过敏体质)"


def conditions(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Illnesses, injuries, pregnancy."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest, known = frame.rest, context.words("conditions")
    if rx(r"(?:想|打算|准备|计划|希望|预防|防止|担心|怕)").search(frame.adverbs + rest[:3]):
        return
    match = rx(r"^(?:怀孕|怀上|怀了(?:二胎|宝宝|孩子)?|有喜|怀着)(?:了|$|[一二两三四五六七八九十\d])?").match(rest)
    if match:
        yield text_draft(frame, "has_condition", "怀孕", begins=any(w.bind is Bind.LASTING for w in frame.clause.times), past=True)
        return
    match = rx(
        rf"^(?P<neg>没有?|不是|没得过?)?(?:体检)?(?:被)?(?P<v>得了?|患有?|患上|有|查出来?|检查出来?|检查出|诊断(?:为|出|是)|确诊(?:了|为|是)?|是|犯了?|落下了?|长了?|感染了?|被查出|染上了?|得的是|生了?|发现(?:有|得了)?|被诊断为?)(?:是|有|了|得了|患有)?(?:点|些|点儿|轻微的?|轻度的?|中度的?|重度的?|严重的?|慢性的?|先天性?的?|很严重的|多年的?|[一二三四五六七八九十几\d]+年的?|遗传性?的?|家族性?的?)*(?P<o>.+)"
    ).match(rest)
    if match:
        for part in items(rx(r"(?:了|病史|史|已经.*|[一二两三四五六七八九十\d]+多?年.*|好几年.*|很多年.*|很久.*|在吃药.*|的毛病|患者)$").sub("", match["o"])):
            if rx(rf"(?:{known})").fullmatch(part) or (rx(_DISEASE).fullmatch(part) and not rx(r"(?:毛|生|看|什么|老|相思|职业|心|公主|大|有|没|恐惧|拖延|选择困难|强迫|通)(?:病|症)|强迫症|心病").fullmatch(part)):
                begun = bool(rx(r"得|查|确诊|患上|犯|诊断|感染|发现").search(match["v"]))
                yield text_draft(frame, "has_condition", part, negative=bool(match["neg"]), begins=begun, past=begun)
        return
    match = rx(rf"^(?P<neg>没有?|不)?(?:一直)?(?P<o>(?:轻度|中度|重度|高度|先天|慢性)?(?:{known}))(?:了|很严重|比较严重|有点严重|[一二两三四五六七八九十百千\d]+多?[年度]|患者|犯了|又犯了|挺严重|$|[,，])").match(rx(r"^的").sub("", rest))
    if match:
        yield text_draft(frame, "has_condition", match["o"], negative=bool(match["neg"]), begins=True, past=True)
        return
    match = rx(r"^(?P<o>血压|血糖|血脂|尿酸|胆固醇|眼压|转氨酶)(?:有点|偏|比较|很|一直|特别|有些|稍微|非常)*(?P<d>高|低)(?:了)?").match(rx(r"^的").sub("", rest))
    if match:
        yield text_draft(frame, "has_condition", f"{match['o']}{match['d']}")
        return
    match = rx(r"^(?:(?:上|前|昨)\S{0,2})?(?:不小心)?(?:把)?(?P<p>左|右)?(?P<o>脚|腿|手|胳膊|手腕|脚踝|膝盖|腰|肩膀|锁骨|肋骨|手指|脚趾|韧带|半月板|手臂|小腿|大腿|脖子|跟腱)(?:给)?(?P<v>摔断|骨折|扭伤|扭|崴|拉伤|摔伤|闪|断|撞伤|烫伤|脱臼|受伤|伤|裂)了").match(rest) or rx(r"^(?:不小心)?(?P<v>摔断|扭伤|扭到|崴|拉伤|摔伤|闪到|烫伤|弄伤|伤到|扭|闪|伤)了?(?P<p>左|右)?(?P<o>脚|腿|手|胳膊|手腕|脚踝|膝盖|腰|肩膀|锁骨|肋骨|手指|脚趾|韧带|手臂|小腿|大腿|脖子)").match(rest)
    if match:
        yield text_draft(frame, "has_condition", f"{match['p'] or ''}{match['o']}{rx(r'到$').sub('', match['v'])}", begins=True, past=True)


def medication(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Drugs and supplements."""
    if not frame.path:
        return
    drug = rf"(?P<o>(?:{context.words('medications')})|[\u4e00-\u9fffA-Za-z]{{1,6}}(?:片|胶囊|沙坦|他汀|地平|双胍|洛尔|普利|西林|霉素|拉唑|列净|格列[\u4e00-\u9fff]|口服液|冲剂|颗粒|丸|素片|单抗|喷雾|吸入剂))"
    match = rx(rf"^(?P<neg>不再?|没有?|没在|停止|停了|停掉了?|停|已经不|不用再)?(?:开始|在|得|要|需要|必须|每天|天天|长期|坚持|按时|靠|定期|早晚|一天\S{{1,2}}次|每天都)*(?P<v>吃|服用|服|打|用|注射|喷|喝|补充|补)?(?:着|了|的是|的药是)?{drug}(?P<rest>.*)").match(frame.rest)
    if match and (match["v"] or rx(r"停").match(match["neg"] or "")) and not rx(r"(?:想|打算|准备|过敏|可以|能不能)").search(frame.adverbs + frame.rest):
        off = bool(match["neg"])
        texts = [match["o"], *rx(rf"(?:和|、|还有){drug}").findall(match["rest"])]
        for text in texts:
            yield text_draft(frame, "takes_medication", text if isinstance(text, str) else text[0], negative=off, ends=off, past=off)


def body(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Height and weight."""
    if not frame.path:
        return
    text = frame.rest
    match = rx(r"(?:身高)?(?:是|有|大概|大约|差不多|才|只有|快|将近)*(?P<m>[12]|一|两)米(?P<d>[0-9]{1,2}|[零一二三四五六七八九十]{1,3})?").match(text)
    if match and not rx(r"(?:宽|长|深|远|外|的桌|布)").match(text[match.end() :]):
        digits = match["d"] or ""
        tail = "".join(str("零一二三四五六七八九".index(c)) for c in digits if c in "零一二三四五六七八九") if digits and not digits.isdigit() else digits
        whole = {"一": "1", "两": "2"}.get(match["m"], match["m"])
        yield draft(frame, "height", Value(ValueType.NUMBER, f"{whole}.{tail}" if tail else whole, "m"), timeless=True)
        text = text[match.end() :]
    for item in quantity.find(text, "zh"):
        if item.unit == "cm" and (rx(r"身高|高").search(text) or 100 <= item.value <= 230) and not rx(r"(?:宽|长|腰围|胸围|厚|床|桌|屏)").search(text):
            yield draft(frame, "height", item.as_value(), timeless=True)
        elif item.unit in ("kg", "jin") and item.value >= 2 and (rx(r"体重|重|称").search(frame.clause.text) or rx(r"^\D{0,6}$").match(text[: item.start])) and not rx(r"(?:买|吃|瘦了|胖了|减了|掉了|长了|寄|快递|行李|米|肉|水果|想|目标|减到|喝|提|搬|箱)").search(frame.clause.text):
            yield draft(frame, "weight", item.as_value(), timeless=True)
            return
    match = rx(r"体重(?:是|有|大概|现在)*(?P<n>\d+(?:\.\d+)?|[一二两三四五六七八九十百]+)(?:$|[,，])").search(text)
    if match:
        value = numerals.chinese_value(match["n"]) if not match["n"][0].isdigit() else None
        number = numerals.plain(value) if value is not None else match["n"]
        yield draft(frame, "weight", Value(ValueType.NUMBER, number, "jin" if float(number) > 90 else "kg"), timeless=True)


def diet(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Named ways of eating."""
    if not frame.path or rx(_PLANNING).search(frame.adverbs):
        return
    match = rx(rf"^(?P<neg>不(?:是)?)?(?:是|开始|在|坚持|长期|只|得|走|转为|改|改成|改吃|严格|遵循|执行|一直)*(?:吃|做|执行|采用|奉行)?(?:的是|着)?(?P<o>{context.words('diets')})(?P<k>者|主义者?|饮食|餐|的|食品|食物)?(?:了|$|[,，]|[一二两三四五六七八九十\d]|好|已经|很|，)").match(frame.rest)
    if match:
        changed = Change.CHANGED if rx(r"开始|改|转").search(frame.rest[:4]) else Change.NONE
        yield text_draft(frame, "follows_diet", match["o"], negative=bool(match["neg"]), begins=True, past=True, change=changed)


_EAT = r"(?:吃|喝|抽|碰|沾)"


def tastes(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """喜欢, 讨厌, 不吃…"""
    if not frame.path:
        return
    rest, now = frame.rest, "现在" in frame.clause.text
    if rx(r"(?:告诉|说)你").search(context.sentence) or rx(r"(?:想|打算)").search(frame.adverbs):
        return
    match = rx(r"^(?P<neg>不|没(?:什么|啥)?)?(?:对|对于)?(?P<o>[^,，。]{1,10}?)(?P<n2>不|没(?:什么|啥)?)?(?:很|特别|非常|挺)?(?:感兴趣|有兴趣|上瘾|着迷|兴趣)$").match(rest) if "兴趣" in rest or "着迷" in rest or "上瘾" in rest else None
    if match and good_object(clean(match["o"].removeprefix("对"))):
        yield text_draft(frame, "dislikes" if match["n2"] or match["neg"] else "likes", clean(match["o"].removeprefix("对")))
        return
    match = rx(r"^(?P<neg>不再|不太|不怎么|不是很|没那么|并不|不|没)?(?:那么)?(?:喜欢上了?|喜欢|喜爱|热爱|爱好是?|钟爱|酷爱|迷恋|迷上了?|痴迷于?|沉迷于?|热衷于?|偏爱|爱(?!人|情|心|好|好是|怎么|不)|爱上了?|超爱|最爱|的爱好是|的兴趣是|兴趣爱好是|好这口|爱好)(?P<o>.+)").match(rest)
    if match and not rx(r"(?:你|他$|她$|这|那|一个人$|的人$|上一个)").match(match["o"]) and not rx(r"(?:我|你|他)(?:的)?(?:人|是)").search(match["o"]):
        ended = bool(rx(r"了$").search(rest)) and bool(match["neg"]) or match["neg"] == "不再"
        change = Change.CHANGED if ended or rx(r"上了").search(match[0]) else Change.NONE
        text = _thing(match["o"])
        compared = rx(r"^(?:比起|相比|跟)").match(frame.body) or "更" in frame.adverbs or "偏爱" in match[0]
        for part in items(text):
            if compared and not match["neg"]:
                yield text_draft(frame, "prefers", part)
            else:
                yield text_draft(frame, "dislikes" if match["neg"] else "likes", part, change=change, begins=change is Change.CHANGED, past=change is Change.CHANGED)
        return
    match = rx(rf"^(?P<neg>不)?(?:讨厌|厌恶|反感|受不了|吃不惯|吃不了|喝不了|喝不惯|吃不来|闻不了|闻不得|闻不惯|看不惯|忍不了|忍受不了|最怕|怕(?=吃|辣|甜|酸|苦|咸|冷|热|吵|堵|一)|见不得|烦|最烦|嫌弃|不碰|不沾|从不吃|从不喝|不敢吃|不爱{_EAT}|不能{_EAT}|不{_EAT}|没法{_EAT}|忌口|忌|戒不了)(?P<o>.+)").match(rest)
    if match and not rx(r"(?:你|死|不|了$|饭$|早饭|早餐|晚饭|午饭|药|我|人$|这|那|亏|苦头|惯|准|起|动|下|饱|烟$|酒$|得|什么|东西|上班|心)").match(match["o"]) and not (rest.startswith("不吃") and "会过敏" in context.sentence):
        if rx(r"太").match(match["o"]):
            return
        for part in items(_thing(match["o"])):
            yield text_draft(frame, "likes" if match["neg"] and rest.startswith("不讨厌") else "dislikes", part)
        return
    topic = frame.topic or ""
    text = frame.rest if topic else frame.body
    match = rx(r"^(?P<t>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:我)?(?:是|就|可|真的?|实在|从来|一直|一点儿?都?|一口都?|一概|坚决|完全|都|也|最)*(?:不吃|不喝|吃不下|吃不了|不碰|吃不惯|喝不惯|喝不了|不爱吃|不爱喝|受不了|不喜欢|不爱|接受不了|吃不来|不能吃|闻不了|一口都吃不下|一口不吃|不感冒|没兴趣)(?:的)?$").match((topic + text) if topic else text)
    if match and (topic or not frame.explicit) and good_object(match["t"]) and not rx(r"(?:我|他|她|你|饭|人|这|那|真|完全|从来|晚上|早上|中午|有点|实在|药|一直|现在)").fullmatch(match["t"]) and "过敏" not in context.sentence:
        for part in items(match["t"]):
            yield text_draft(frame, "dislikes", part)
        return
    match = rx(r"^(?P<o>[\u4e00-\u9fffA-Za-z]{1,8})(?:是我|是本人)(?:的)?(?:最爱|心头好|最喜欢的|本命|真爱)").match(frame.body)
    if match and good_object(match["o"]):
        yield text_draft(frame, "likes", match["o"], subject=USER)
    match = rx(r"^(?:最)?喜欢的(?P<k>[\u4e00-\u9fff]{1,6}?)(?:是|就是|,|，)(?P<o>[^,，。]{1,14})").match(rest) if now or rest.startswith(("喜欢的", "最喜欢的")) else None
    if match and good_object(clean(match["o"])):
        yield text_draft(frame, "prefers", clean(match["o"]), scope=match["k"], change=Change.CHANGED if now else Change.NONE)


def _thing(text: str) -> str:
    """What is liked: 吃 and 喝 before food fall away, the rest of the activity stays."""
    text = rx(r"(?:的(?!士)|这种感觉|这件事|了|时候).*$").sub("", text) if rx(r"的(?:人|感觉|时候|东西|那种)").search(text) else text
    text = rx(r"^(?:在(?:家|周末|晚上|早上|外面)|一个人|周末|晚上|早上|没事|下雨天|跟\S{1,3}|和\S{1,4}(?=去|看|打|玩))").sub("", text)
    return rx(r"^(?:去)?(?:吃|喝)(?=[\u4e00-\u9fffA-Za-z])").sub("", text)


def preferences(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """比起A更爱B, 宁可, 只坐…"""
    if not frame.path:
        return
    body, rest = frame.body, frame.rest
    match = rx(r"(?:宁可|宁愿|情愿)(?:我|是|多|花|自己)?(?:再)?(?:坐|选|住|吃|喝|用|走|去)?(?:[一二两三四五六七八九十几\d]+个?(?:小时|天|站|分钟|钟头)(?:的)?)?(?P<o>[^,，也]{1,12}?)(?:$|[,，]|也)").search(body)
    if match:
        value = clean(match["o"])
        if good_object(value):
            yield text_draft(frame, "prefers", value, subject=USER if not frame.explicit else frame.path)
        return
    match = rx(r"^(?:更倾向于?|倾向于|偏好|更愿意|更习惯|更喜欢|更偏爱|更爱|更中意|首选|优先选?|更想要?|比较喜欢|比较偏好|一般选|通常选|都选|习惯选)(?P<o>[^,，。]{1,14})").match(rx(r"^(?:比起|相比于?|跟|和)[^,，我]{1,12}(?:比|来说|相比)?(?:我|,|，)?").sub("", frame.adverbs + rest if "更" in frame.adverbs or "比较" in frame.adverbs else rest))
    if match:
        text = rx(r"(?:而不是|而非|,|，|一些|一点|多一点).*$").sub("", match["o"])
        for part in items(_thing(rx(r"^(?:于|用|坐|选择|选)(?=[\u4e00-\u9fff]{3,})").sub("", text))):
            yield text_draft(frame, "prefers", part)
        return
    match = rx(r"^(?:比起|相比|跟|和)(?P<x>[^,，我]{1,12}?)(?:来说|相比|比起来|比)?(?:,|，)?(?:我|还是)*(?:更(?:喜欢|爱|倾向于?|偏爱|愿意|习惯|中意|想))(?P<o>[^,，。]{1,12})").match(frame.clause.body)
    if match:
        for part in items(_thing(match["o"])):
            yield text_draft(frame, "prefers", part, subject=USER)
        return
    match = rx(r"^(?P<o>[^,，。]{1,10}?)比(?P<x>[^,，。]{1,10}?)(?:更)?(?:适合我|好吃|好用|合我胃口|舒服|香|强)").match(body)
    if match and rx(r"对我|我觉得|我").search(frame.clause.text) and good_object(clean(match["o"])):
        yield text_draft(frame, "prefers", clean(match["o"]), subject=USER)
        return
    only = rx(r"^(?:一律|永远|从来|每次都?|一直|出门|出差|旅行|坐车|坐飞机|坐高铁|住店|住酒店)*只(?:坐|住|用|选|喝|买|看|要|穿|订)(?P<o>[^,，。]{2,10})").match(frame.adverbs + rest)
    if only and frame.subject.is_user and good_object(clean(only["o"])) and not rx(r"(?:想|剩|有|了|能|是|要\d)").search(only["o"]):
        yield text_draft(frame, "prefers", clean(only["o"]))


_FORMS = {
    "简短": r"简短|简洁|简练|精简|言简意赅|短一?点|别太长|不要太长|长话短说|简明|少废话|不要废话|别啰嗦|别废话|一句话",
    "详细": r"详细|详尽|展开讲|细一点|具体一?点|越细越好",
    "表格": r"表格|列表格|用表", "分点": r"分点|分条|列点|逐条|要点|一条一条|列表|条目", "中文": r"用中文|说中文|中文回|中文作答", "英文": r"用英[文语]|英[文语]回|英文作答|说英[文语]",
    "步骤": r"分步|一步步|一步一步|步骤", "举例": r"举例|例子|实例|示例", "通俗": r"通俗|大白话|白话|易懂|简单易懂|别用术语|不要术语|少用术语", "不用表情": r"(?:不要|别|不用|少|禁用)(?:发|用|加)?(?:表情|emoji)",
    "Markdown": r"[Mm]arkdown", "代码": r"只(?:给|要)代码|直接给代码", "口语化": r"口语化?", "正式": r"正式一?点|语气正式|正式的语气", "结论先行": r"先说结论|先给结论|结论先行|先讲结论", "加粗": r"加粗",
}  # fmt: skip


def formats(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """How answers should be given."""
    if not rx(r"(?:回答|回复|答案|解释|讲解|作答|答复|说明|回我|跟我说|和我说|输出|总结|给我讲|讲的时候|格式|回应|说话)").search(context.sentence) or not rx(r"以后|今后|从现在|都|请|尽量|要|麻烦|希望|记得|别|不要|一律|总是|每次|喜欢|习惯|用").search(context.sentence):
        return
    if frame.subject.role:
        return
    for name, pattern in _FORMS.items():
        found = rx(pattern).search(frame.clause.text)
        if found:
            yield text_draft(frame, "prefers_format", name if name != "简短" or "别" not in found[0] else name, subject=USER, timeless=True)


def habits(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What is done regularly, or was given up."""
    if not frame.path or rx(_PLANNING).search(frame.adverbs):
        return
    rest = frame.rest
    topic = rx(r"^(?P<t>烟|酒|咖啡|奶茶|可乐|糖|甜食|游戏|手游|夜宵|熬夜|赌|肉|碳水)(?:我|也|早就|已经|都|终于|是)*(?:戒|不抽|不喝|不吃|不打|不碰)(?:掉)?了?").match(frame.topic + frame.rest if frame.topic else rest)
    match = rx(r"^(?:成功|终于|早就|已经|把)?(?:戒掉?了?|戒)(?P<o>烟酒?|酒|咖啡|奶茶|可乐|糖|甜食|游戏|夜宵|熬夜|赌|手机|短视频|肉|碳水|[\u4e00-\u9fff]{1,4})(?:了|已经|有|$|[一二两三四五六七八九十半\d])").match(rest)
    quitting = topic["t"] if topic and rx(r"戒|了").search(topic[0]) else match["o"] if match else ""
    if quitting:
        for part in {"烟酒": ["抽烟", "喝酒"]}.get(quitting, [{"烟": "抽烟", "酒": "喝酒", "咖啡": "喝咖啡", "奶茶": "喝奶茶", "可乐": "喝可乐", "游戏": "打游戏", "手游": "打手游", "夜宵": "吃夜宵", "赌": "赌博", "肉": "吃肉", "甜食": "吃甜食"}.get(quitting, quitting)]):
            yield text_draft(frame, "has_habit", part, negative=True, ends=True, past=True)
        return
    match = rx(r"^(?P<neg>不怎么|不太|从来不|从不|不|没有|没)?(?:再)?(?P<o>抽烟|吸烟|喝酒|熬夜|健身|吃早餐|吃早饭|吃夜宵|锻炼|运动)(?:的习惯)?(?P<end>了)?(?:$|[,，。])").match(rx(r"^有(?=\S+的?习惯)|^爱(?=熬夜|运动)").sub("", rest))
    if match and not rx(r"(?:想|要|得|应该|该|禁止|不能)").search(frame.adverbs):
        ended = bool(match["end"]) and bool(match["neg"])
        yield text_draft(frame, "has_habit", match["o"], negative=bool(match["neg"]), ends=ended, past=ended, begins=bool(match["end"]))
        return
    wine = rx(r"^(?P<t>烟|酒)(?:倒是|我|也|都|还是)*(?:每天|天天|经常|常)?(?:都|会|还)?(?P<v>抽|喝)(?P<r>一?点|几|不多|得)?").match(rest)
    if wine:
        yield text_draft(frame, "has_habit", f"{wine['v']}{wine['t']}")
        return
    if rx(context.words("medications")).search(rest):
        return
    repeated = any(when.bind is Bind.REPEAT for when in frame.clause.times) or rx(r"(?:平时|平常|通常|天天|每天|每晚|每周|每个月|每年|每早|每逢|每次|经常|习惯|常年|雷打不动|坚持|总是)").search(frame.clause.text)
    match = rx(r"^(?:都|会|要|得|固定|坚持|习惯|雷打不动地?|一定|必须|有|基本|在\S{1,4})*(?P<o>(?:去|跑|游|走|骑|打|练|做|写|读|看|听|吃|喝|泡|早起|早睡|午睡|睡|冥想|锻炼|健身|坐|开车|遛|记|背|弹|画|拉|跳|爬|散|逛|上|带|给|洗|煮|自己|晨跑|夜跑|瑜伽|跟|和|陪|熬夜|加班|喂|量|称|敷|打坐|祷告|下|踢)[^,，。]{0,10})").match(rest)
    if match and repeated and "了" not in match["o"] and not rx(r"(?:不|没|想|被|能|可以|觉得|课程|老师)").search(match["o"]):
        text = rx(r"(?:的习惯|一次|两次|三次|\d+次|[一二两三四五六七八九十半]+个?(?:小时|分钟|公里|圈|页|章|篇|遍|首|点)\S*|\d+\S*|一会儿?|一下|几\S+|左右)$").sub("", match["o"])
        text = clean(text)
        text = {"跑": "跑步", "游": "游泳", "走": "走路", "骑": "骑车", "练": "锻炼"}.get(text, text)
        if good_object(text) and 2 <= len(text) <= 9:
            yield text_draft(frame, "has_habit", text)


def learning(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What is hard, and what is mastered."""
    if frame.path != USER and frame.subject.role not in ("son", "daughter", "child", "children", "student", "brother", "sister"):
        return
    text = (frame.topic + frame.rest) if frame.topic else (frame.adverbs if not frame.explicit else "") + frame.rest
    hard = r"(?:搞|弄|学|听|看|想|理解|算|记|背|写|做)不(?:太)?(?:懂|明白|会|清楚?|来|透|出来|好|下去|住)|没(?:太)?(?:搞|弄|学|听|看|想)?(?:懂|明白|会|清楚|透)|(?:完全|根本|一点都?|一直|总是|老是)?不(?:太)?(?:懂|会做?|理解|明白|行)|一窍不通|一头雾水|很差|太差|特别差|太难|好难|很难|有点难|真难|难死|吃力|头疼|头大|学不会|不及格|拖后腿|薄弱|差劲|老出错|总出错|老错|总错|搞混|弄混|卡壳|稀烂|很烂|太烂|跟不上"
    done = r"(?:已经|终于|现在|总算|都)?(?:会了|学会了|搞懂了|弄懂了|懂了|明白了|掌握了|没问题了?|难不倒我了?|拿手|上手了|吃透了|搞明白了|弄明白了|搞定了|熟练了?|很熟练|精通|信手拈来|入门了|学好了|弄清楚了|搞清楚了|学通了)"
    bridge = r"(?:我|他|她|孩子|这块|这门课|这部分|这一块|这章|这个|方面|题目?|倒是|还是|一直|总是|总|老是|老|就是|实在|真的?|完全|根本|始终|怎么(?:都|也)?|其实|已经|终于|总算|也|都|还|现在|怎么也|死活|学得|学起来|一点|有点|特别|非常|很|太|对我来说|,|，)*"
    match = rx(rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+# ]{{1,12}}?){bridge}(?P<p>{hard}|{done})").match(text)
    if match and not rx(r"(?:我|他|她|你|这|那|话|人|题|这个|那个|这道题|作业|不|什么|完全|根本|一点|一直|总|老|也|还|有点|打|说|事|钱|工作|怎么|听|看|搞|弄|学|想|做|服务|客服|态度|系统|页面|软件|网|产品|说明书|界面|时间|身体|药|快递|外卖)(?:的)?").fullmatch(match["o"]) and not rx(r"不(?:行|会)(?:吧|吗|来|去|的)|态度|服务|客服|打不|联系不|退不|还没").search(text):
        topic = clean(match["o"])
        bad = rx(rf"(?:{done})").fullmatch(match["p"]) is None
        if bad and rx(context.words("languages")).match(topic):
            return
        if good_object(topic) and not (bad and rx(r"(?:不会|不行)$").fullmatch(match["p"]) and rx(context.words("languages")).fullmatch(topic)) and not rx(r"(?:语|话)$").search(topic if not bad else ""):
            if rx(r"(?:喝|吃|身|心|睡|胃|血|眼|腰|腿)").match(topic) and bad:
                return
            yield text_draft(frame, "struggles_with" if bad else "mastered", topic, change=Change.NONE if bad else Change.CHANGED)
        return
    match = rx(r"^(?:完全|根本|一直|总是|老是|总|老|还是|实在|怎么也|始终|也)*(?:搞不懂|弄不懂|不懂|学不会|不会(?=做|写|解|算|用|画|背|弹|[A-Za-z])|没学会|没搞懂|没弄懂|看不懂|听不懂|理解不了|不擅长|分不清|搞不清楚?|搞混|弄混|记不住|卡在了?|对)(?P<o>[^,，。]{1,14}?)(?P<t>(?:很|特别|非常|一直|还是)?(?:头疼|犯怵|没辙|一窍不通|不在行|吃力|发愁|没把握|一头雾水|不熟))?$").match(frame.rest)
    if match and (not frame.rest.lstrip("完全根本一直总是老还").startswith("对") or match["t"]) and not rx(r"(?:你|他|她|他们|这|那|我|为什么|怎么|啥|什么|事|规矩|行情|人|礼貌|女人|男人|感情)").match(match["o"]):
        for part in items(match["o"]):
            yield text_draft(frame, "struggles_with", part)
        return
    match = rx(r"^(?:已经|终于|总算|现在|基本|完全)*(?:学会了?|掌握了?|精通|擅长|搞懂了|弄懂了|吃透了|熟练掌握了?|熟悉|搞明白了|拿下了|会(?=弹|写|做|画|拉|游|骑|滑|修|编))(?P<o>[^,，。]{1,14})").match(frame.rest)
    if match and "没" not in frame.rest[:3] and not rx(rf"(?:{context.words('languages')})|的|了|不|坚强|放下|珍惜").match(match["o"]):
        for part in items(match["o"]):
            yield text_draft(frame, "mastered", part, change=Change.CHANGED if rx(r"学会|掌握|搞懂|弄懂|吃透|明白").match(frame.rest) else Change.NONE)


def scores(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Results of exams."""
    if frame.path == "" or rx(r"(?:想|打算|准备|争取|目标|希望|至少要|要考)").search(frame.clause.text):
        return
    text = frame.rest if not frame.topic else frame.topic + frame.rest
    match = rx(r"^(?:这次|上次|的|期末|期中|模拟|这回|月考|第[一二三四]次)*(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:考试|成绩|分数|测试|测验|总分|均分)?(?:只|才|就|居然|一共|总共|终于|最后|也)*(?:考了|得了|拿了|是|考到|考出|刷到|有|到了|考)(?P<n>\d+(?:\.\d+)?)(?:分|$|[,，])").match(text)
    if match and rx(r"考|得|拿|刷|分|成绩").search(text):
        scope = rx(r"^(?:我|他|她|的)+|(?:考试|成绩)$").sub("", match["s"])
        if good_object(scope) and not rx(r"(?:价格|今年|年龄|身高|体重|花|预算|工资)").search(scope):
            yield draft(frame, "exam_score", Value(ValueType.NUMBER, match["n"], None, scope))
        return
    bare = rx(r"^(?P<n>\d+(?:\.\d+)?)(?:分)?$").match(frame.body)
    before = rx(r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:考试|成绩)?(?:出分|出成绩|成绩出来|分数出来|下来|查分|成绩|考完)").search(context.sentence)
    if bare and before and float(bare["n"]) <= 999:
        scope = rx(r"^(?:我|的|这次|终于|刚|今天|昨天)+").sub("", before["s"])
        if good_object(scope):
            yield draft(frame, "exam_score", Value(ValueType.NUMBER, bare["n"], None, scope), subject=USER, timeless=True)


def moods(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Feelings named as one's own."""
    if frame.path != USER or rx(r"(?:(?<!特)别|不要|不用|不必)$").search(frame.adverbs):
        return
    text = frame.rest
    match = rx(rf"^(?:感到|觉得|感觉|心里|心情|整个人|有种|有点|有些|好|很|太|真|特别|非常|超|挺|蛮|十分|实在|简直|快|快要|要|越来越|一直|又|都|也|还|真的|对(?P<s>[^,，。]{{1,12}}?)|为(?P<s2>[^,，。]{{1,12}}?)|因为(?P<s3>[^,，。]{{1,12}}?))*(?P<o>{context.words('feelings')})(?:得|死|了|的|极|啊|,|，|$|坏|透|到|吧|呢|!)").match(text)
    if not match or rx(r"(?:不|没|别)").search(text[: match.start("o")]) or (rx(r"(?:烦|累|慌|轻松|无聊|放松|满足)").fullmatch(match["o"]) and rx(r"(?:人|请|您|你)").search(text)):
        return
    if not frame.explicit and frame.adverbs == "" and not rx(r"^(?:好|很|太|真|特别|非常|超|挺|有点|感到|觉得|感觉|心里|心情|对|为|快|要|[\u4e00-\u9fff]{2,4}(?:得|死|了|$))").match(text):
        return
    cause = match["s"] or match["s2"] or match["s3"] or ""
    if not cause and (m := rx(r"(?:^|[,，。])(?:我)?(?:对|为|因为|想到|一想到)(?P<s>[^,，。]{1,10}?)(?:特别|非常|很|就|有点|还是|真|好|也|,|，|我|$)").search(context.sentence)):
        cause = m["s"]
    scope = clean(rx(r"^(?:这次|这个|那个|我的?|自己的?)").sub("", cause)) if cause else None
    yield text_draft(frame, "feels", match["o"], scope=scope if scope and good_object(scope) else None, timeless=True)


_BAD = r"(?:太慢|太差|真差|很差|太烂|真烂|不行|真不行|太难用|难用|难吃|太贵|真贵|太吵|太坑|坑人|坑爹|垃圾|恶心|气人|离谱|无语|糟糕|太假|敷衍|态度差|态度恶劣|态度太差|不靠谱|没反应|卡死|死机|闪退|崩溃|崩了|卡住|卡顿|太卡|很卡|转圈|打不开|登不上|连不上|加载不出来|用不了|坏了|掉了|漏水|漏电|发霉|变质|过期|有异味|有问题|出问题|出错|报错|乱码|失灵|没人管|没人理|没人接|不回复|不理人|不发货|没发货|没到|没送到|没收到|少发|发错|漏发|丢件|送错|迟到|晚点|延误|不退款|不给退|退不了|太低|不合理|乱收费|多扣|扣了两次|重复扣|误导|欺骗|骗人|虚假|耽误|推来推去|踢皮球|爱答不理|不耐烦|凉了|冷了|脏|破损|碎了|裂了|太咸|太油|一直响|太小|太大声|太麻烦|太复杂|bug|受不了|忍不了|谁受得了|说不清楚|没说清楚|太气人|让人生气|让人失望)"


def complaints(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What the user is dissatisfied with, where the words voice it."""
    text = frame.body
    if frame.clause.blocked and frame.clause.blocked != "question" or frame.subject.role not in ("", "company", "landlord", "boss", "roommate", "neighbor"):
        return
    match = rx(r"^(?:打|问|找|联系)(?P<o>[\u4e00-\u9fff0-9A-Za-z]{2,10}?)(?:问|打|等|催|说|沟通)?了?(?:半天|好几次|\S次|一天|很久|半个?小时)").match(text)
    if match and rx(_BAD).search(context.sentence):
        yield text_draft(frame, "complains_about", match["o"], subject=USER, timeless=True)
        return
    voice = rx(r"(?:太|真|又|还没|居然|竟然|怎么|让我等|服了|半天|一直|老是|总是|根本|实在|简直|死|什么破|破|都\S{1,4}(?:天|小时)了|[!！]|到底|搞什么|受不了|投诉|差评|无语|垃圾|气)").search(context.text)
    match = rx(r"(?P<o>(?:还)?(?:没发货|不发货|没到货|没人处理|没人接电话|没人回复|没有回复|不给退款|没退款|没解决|没修好))").search(text)
    if match and voice:
        yield text_draft(frame, "complains_about", rx(r"^还").sub("", match["o"]), subject=USER, timeless=True)
        return
    match = rx(rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{1,14}}?)(?:的)?(?:这么|那么|又|也|还是|还|太|真的?|实在|简直|居然|竟然|总是|老是|一直|都|就|根本|怎么|特别|非常|有点|是|根本就|又又|点了|按了|完全|已经|突然|都快|好|越来越|给我|被)*(?P<p>{_BAD})").match(text)
    if match and voice and not frame.rest.startswith("自己"):
        thing = rx(r"^(?:我|你们?的?|这个?|那个?|这破|那破|这家|这款|那家|这次的?|贵公司的?|打|点|用|又|买的|什么破|家里?的?|们的?|家)+").sub("", clean(match["o"]))
        if good_object(thing) and not rx(r"(?:身体|心情|成绩|数学|英语|我|自己|我自己|睡眠|基础|天气|眼睛|记性|钱包|手|脚|腿|头|肚子|孩子|今天|最近|题)").fullmatch(thing):
            yield text_draft(frame, "complains_about", rx(r"(?:问了半天也?|等了\S+|一天了|打了\S+)$").sub("", thing), subject=USER, timeless=True)
            return
    match = rx(r"(?:^|我要|要|必须|想)?(?:投诉|差评|吐槽一下|举报)(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,12})").match(text)
    if match and good_object(clean(match["o"])):
        yield text_draft(frame, "complains_about", clean(match["o"]), subject=USER, timeless=True)
        return
    match = rx(r"^(?P<o>客服|快递员?|外卖员?|售后|物业|中介|商家|卖家|房东|店员|前台|司机|平台|商城|系统|物流)(?:换了|推|让我|说|不|又|根本|一直|拖|就|都|还|把我|给我)").match(text)
    if match and voice and rx(r"(?:让\S{0,2}等|推|拖|不管|不理|骂|敷衍|受得了|等了|半天|[!！])").search(context.text):
        yield text_draft(frame, "complains_about", match["o"], subject=USER, timeless=True)


RULES = (allergies, conditions, medication, body, diet, tastes, preferences, formats, habits, learning, scores, moods, complaints)
