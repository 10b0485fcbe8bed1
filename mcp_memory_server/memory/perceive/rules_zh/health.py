"""Chinese rules: allergies, conditions, medication, body, diet."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    draft,
    first_of,
    good_object,
    items,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind

_DISEASE = r"[\u4e00-\u9fffA-Za-z]{0,6}(?:病|炎|症|癌|瘤|结石|结节|骨折|综合征|不全|障碍|溃疡|增生|突出|感染|息肉|囊肿|偏高|偏低|近视|失眠|怀孕|贫血|中风|偏瘫|畸形|脱臼|扭伤|拉伤|撕裂|烫伤|烧伤|不耐受|失调|缺陷|硬化|梗塞|梗死|出血|疱疹|湿疹|洁癖|过敏体质)"
_PLANNING = r"(?:想|打算|准备|计划|要|希望|会|考虑|将)"


def _sensitive(body: str) -> str:
    """一吃海鲜就起疹子, 是坚果过敏体质: the substance."""
    match = rx(
        r"^一(?:吃|喝|碰|闻|接触|摸)(?:到|了)?(?P<o>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:身上|全身|脸上|皮肤|嘴)?就"
    ).match(body) or rx(r"^(?:是|属于)(?P<o>[\u4e00-\u9fffA-Za-z]{1,8})过敏(?:体质|患者|人群)$").match(body)
    return clean(match["o"]) if match else ""


def _harmless(frame: FrameZh, context: ContextZh) -> str:
    """花生我随便吃，不过敏: what was named before."""
    before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
    harmless = rx(r"^(?:并|也|都|从来|从|一点儿?都?)*(?:不|没有?)(?:会|再)?过敏(?:过|的|了)?$").match(
        frame.adverbs + frame.rest
    )
    eats = rx(
        r"(?:^|[,，])(?P<o>[\u4e00-\u9fff]{1,6}?)(?:我)?(?:随便|照样|照|都|也|天天|经常)(?:能|可以)?(?:吃|喝)[,，]$"
    ).search(before)
    if harmless and eats and good_object(eats["o"]):  # 花生我随便吃，不过敏
        return clean(eats["o"])
    return ""


def allergies(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """对…过敏, …过敏, 不能吃…会过敏."""
    if not frame.path or "过敏" not in context.sentence:
        return
    body = frame.topic + frame.rest if frame.topic else frame.rest
    if eaten := _harmless(frame, context):
        yield text_draft(frame, "allergic_to", eaten, negative=True)
        return
    others = rx(r"(?:有人|别人|有些人|很多人|有的人|一些人)").search(body)
    sign = _sensitive(body)
    if sign and not rx(r"没有?过敏|不过敏").search(context.sentence):
        yield text_draft(frame, "allergic_to", sign)
        return
    match = rx(
        r"对(?P<o>[^,，。]{1,16}?)(?:都|也|是|就|会|容易|有点|有些|轻微|严重|重度|非常|特别|从小|一直|又|已经|一点儿?|半点儿?|丝毫|完全|压根儿?|根本|从来|倒)*(?P<neg>不|没有?|并不)?(?:再|会|那么)*过敏"
    ).search(body)
    if others:
        return
    if not match:
        match = rx(
            r"^(?P<o>[^,，。对]{1,12}?)(?:我|也|都|是|就|会|容易|有点|严重|重度|倒是|倒)*(?P<neg>不|没有?)?(?:再|会|那么)*过敏(?!药|性|科|源|体质|原|和|是|的|反应|怎|能|会|可以)"
        ).match(rx(r"^(?:有|一?吃|一?喝|一?碰|一?闻|一?接触)到?").sub("", body))
    if match:
        for part in items(rx(r"^(?:所有|任何|一切|各种)").sub("", match["o"])):
            if not rx(
                r"(?:吃了|我|有|会|一吃|食物|严重|容易|皮肤|季节性?|药物|从小|什么|换季|一\S{1,2}就|就)"
            ).fullmatch(part):
                part = rx(r"^(?:一?吃|喝|碰|闻)(?=[\u4e00-\u9fff])|(?:就|会|都|一吃|一碰|[吃喝碰])+$").sub("", part)
                if good_object(part):
                    yield text_draft(frame, "allergic_to", part, negative=bool(match["neg"]))
        return
    yield from _eaten(frame, context)


def _eaten(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """不能吃花生, 会过敏; 有花粉过敏史."""
    eaten = rx(
        r"^(?:绝对|千万|一点都|坚决)?(?:不能|不可以|没法|不敢|吃不了|碰不得|沾不得|一?吃|一?碰)(?:吃|碰|喝|沾|接触)?(?P<o>[^,，。]{1,10}?)(?:就)?$"
    ).match(frame.rest)
    if eaten and rx(r"(?:会|就|要|容易)?过敏").search(
        context.sentence[frame.clause.end - frame.clause.sentence_start :]
    ):
        for part in items(eaten["o"]):
            yield text_draft(frame, "allergic_to", part)
    have = rx(r"^(?P<neg>没)?有(?P<o>[\u4e00-\u9fff、和]{1,10}?)过敏(?:史|症)?$").match(frame.rest)
    if have:
        for part in items(have["o"]):
            yield text_draft(frame, "allergic_to", part, negative=bool(have["neg"]))


def _raised(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """血脂有点高."""
    rest = frame.rest
    raised = rx(
        r"^(?:的|是|体检|查出来?|最近)?(?P<o>血压|血糖|血脂|尿酸|胆固醇|眼压|转氨酶|甘油三酯)(?:有点|偏|比较|很|一直|特别|有些|稍微|非常)*(?P<d>高|低)(?:了)?(?!了?下|于|到)"
    ).match(rest)
    if raised:
        yield text_draft(frame, "has_condition", f"{raised['o']}{raised['d']}")


_ACHE = r"(?:头|胃|腰|牙|肚子|嗓子|喉咙|背|腿|膝盖|脖子|肩膀?|关节|眼睛|胸口|心口|脚后跟|手腕)(?:疼|痛|酸痛|胀痛|发麻)"

_RETURNS = rf"^(?:的)?(?P<o>{_DISEASE}|⟨conditions⟩)(?:[^,，]{{0,8}}?)(?:就|又|会|老|总|经常)*(?:犯|发作|复发|加重|严重)(?:了|一次|$)"


def _ailing(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """胃疼得厉害, 我的花粉症一到春天就犯."""
    ache = rx(
        rf"^(?:的)?(?:有点|一直|老是|经常|总是|又|突然|半夜)*(?P<o>{_ACHE})(?:得|了|死|$|[一二两三好]|[,，])"
    ).match(frame.rest)
    returns = context.rx(_RETURNS).match(frame.rest)
    match = ache or returns
    if match and not rx(r"不|没").match(frame.rest):
        yield text_draft(frame, "has_condition", match["o"])


_HURT = (
    r"(?:左|右)?(?:侧|边)?[\u4e00-\u9fff]{1,6}(?:骨折|骨裂|撕裂|断裂|扭伤|拉伤|脱臼|积液|劳损|磨损|突出|膨出|增生|错位)"
)
_LEVEL = r"(?:血压|血糖|血脂|尿酸|胆固醇|眼压|转氨酶|甘油三酯)(?:有点|偏|比较|很|稍微)?(?:高|低)"
_BARE = rf"(?:(?:轻微|严重|轻度|中度|重度|高度|先天性?|慢性)?(?:⟨conditions⟩)|{_HURT}|{_LEVEL})(?:了)?"


def _listed(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """左膝半月板撕裂; 尿酸高、轻度脂肪肝: nothing but the names."""
    rest = frame.rest
    if rx(r"^(?:没|有|得|患|是|被|查|确诊|犯|不)").match(rest):
        return
    rest = rx(r"^(?:左|右|双|两)(?:眼|耳|腿|手|膝盖?|脚|肩)(?:还|也|都|有|点|些|轻微|轻度)+(?=[\u4e00-\u9fff]{2})").sub(
        "", rest
    )
    sided = rest != frame.rest
    listed = rx(r"[、和]").split(rest)
    if (frame.explicit or sided or len(listed) > 1) and all(
        context.rx(_BARE).fullmatch(part.strip()) for part in listed
    ):
        for part in listed:
            yield text_draft(
                frame,
                "has_condition",
                clean(rx(r"(?<=[压糖脂酸醇酶酯])(?:有点|偏|比较|很|稍微)").sub("", part)),
                begins=True,
                past=True,
            )


def _diagnosed(verb: str, words: str) -> bool:
    """True for whatever an examination found: 查出颈椎反弓."""
    if not rx(r"查出|查到|确诊|诊断").search(verb) or not rx(r"(?![是有了没])[\u4e00-\u9fff]{2,6}").fullmatch(words):
        return False
    return not rx(r".*(?:问题|情况|来|什么|毛病|异常|结果|原因|错误|漏洞|线索)").fullmatch(words)


def _senses(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """四百度近视, 左耳听不见."""
    sight = rx(
        r"^(?:的)?(?:左|右|双|两)?眼?睛?(?:都|也|有)*(?:近视)?(?:\d{3,4}|[一二两三四五六七八九]百[一二三四五六七八九]?)多?度的?(?P<o>近视|远视|散光)?"
    ).match(frame.rest)
    if sight and (sight["o"] or "近视" in frame.rest) and not rx(r"没|不").search(frame.rest):
        yield text_draft(frame, "has_condition", sight["o"] or "近视")
        return
    sense = rx(
        r"^(?:的)?(?P<o>(?:左|右|两|双)?(?:耳朵?|眼睛?|腿|手|鼻子)(?:都|有点|已经)*(?:听不见|听不清|看不见|看不清|失聪|失明|使不上劲|抬不起来|闻不到味儿?))(?:了)?$"
    ).match(frame.rest)
    if sense:
        yield text_draft(frame, "has_condition", rx(r"都|有点|已经").sub("", sense["o"]))
        return


def conditions(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Illnesses, injuries, pregnancy."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest = frame.rest
    if rx(r"(?:想|打算|准备|计划|希望|预防|防止|担心|怕)").search(frame.adverbs + rest[:3]):
        return
    match = rx(
        r"^(?:怀(?:二胎|三胎|老二|老三|双胞胎|娃)(?=了)|怀孕|怀上|怀了(?:二胎|宝宝|孩子)?|有喜|怀着)(?:了|$|[一二两三四五六七八九十\d])?"
    ).match(rest)
    if match:
        yield text_draft(
            frame, "has_condition", "怀孕", begins=any(w.bind is Bind.LASTING for w in frame.clause.times), past=True
        )
        return
    told = list(first_of(frame, context, _raised, _ailing, _listed, _senses))
    if told:
        yield from told
        return
    match = rx(
        r"^(?P<neg>没有?|不是|没得过?)?(?:体检|检查|复查)?(?:时|的时候)?(?:被)?(?P<v>得了?|患有?|患上|有|查出来?|检查出来?|检查出|诊断(?:为|出|是)|确诊(?:了|为|是)?|是|犯了?|落下了?|长了?|感染了?|被查出|染上了?|得的是|生了?|发现(?:有|得了)?|被诊断为?)(?:是|有|了|得了|患有)?(?:点|些|点儿|轻微的?|轻度的?|中度的?|重度的?|严重的?|慢性的?|先天性?的?|很严重的|多年的?|[一二三四五六七八九十几\d]+年的?|遗传性?的?|家族性?的?)*(?P<o>.+)"
    ).match(rest)
    if match:
        for each in items(
            rx(
                r"(?:了|病史|史|已经.*|[一二两三四五六七八九十\d]+多?年.*|好几年.*|很多年.*|很久.*|在吃药.*|的毛病|患者)$"
            ).sub("", match["o"])
        ):
            part = rx(r"^(?:轻微|轻度|中度|重度|严重|慢性|先天性?|早期|一点|有点)的?(?=[\u4e00-\u9fff]{2})").sub(
                "", each
            )
            part = rx(r"(?<=[\u4e00-\u9fff]{3})(?:[一二三四1-4]级|[早中晚]期)$").sub("", part)
            if _diagnosed(match["v"], part):
                yield text_draft(frame, "has_condition", part, negative=bool(match["neg"]), begins=True, past=True)
                continue
            part = part if context.rx(r"(?:⟨conditions⟩)").fullmatch(part) else each
            if context.rx(r"(?:⟨conditions⟩)").fullmatch(part) or (
                rx(_DISEASE).fullmatch(part)
                and not rx(r".+过敏体质").fullmatch(part)
                and not rx(
                    r"(?:毛|生|看|什么|老|相思|职业|心|公主|大|有|没|恐惧|拖延|选择困难|强迫|通)(?:病|症)|强迫症|心病"
                ).fullmatch(part)
            ):
                begun = bool(rx(r"得|查|确诊|患上|犯|诊断|感染|发现").search(match["v"]))
                yield text_draft(frame, "has_condition", part, negative=bool(match["neg"]), begins=begun, past=begun)
        return
    match = context.rx(
        r"^(?P<neg>没有?|不)?(?:一直)?(?P<o>(?:轻度|中度|重度|高度|先天|慢性)?(?:⟨conditions⟩))(?:了|很严重|比较严重|有点严重|[一二两三四五六七八九十百千几好\d]+多?[年度]|患者|犯了|又犯了|挺严重|$|[,，])"
    ).match(rx(r"^的").sub("", rest))
    if match:
        yield text_draft(frame, "has_condition", match["o"], negative=bool(match["neg"]), begins=True, past=True)
        return
    weak = rx(
        r"^(?:的)?(?:左|右)?[耳眼腿手]?(?P<o>胃|肠胃|腰|颈椎|膝盖|关节|心脏|肝|肾|肺|眼睛|听力|视力|睡眠|记性|血压|血糖)(?:一直|有点|也|都|很|不太|从小|最近|现在)*(?P<d>不好|不太好|很差|不行)(?:$|[,，。])"
    ).match(rest)
    if weak:
        yield text_draft(frame, "has_condition", f"{weak['o']}{'不好' if weak['d'] == '不太好' else weak['d']}")
        return
    match = rx(
        r"^(?:(?:上|前|昨)\S{0,2})?(?:不小心)?(?:把)?(?P<p>左|右)?(?P<o>脚|腿|手|胳膊|手腕|脚踝|膝盖|腰|肩膀|锁骨|肋骨|手指|脚趾|韧带|半月板|手臂|小腿|大腿|脖子|跟腱)(?:给)?(?P<v>摔断|骨折|扭伤|扭|崴|拉伤|摔伤|闪|断|撞伤|烫伤|脱臼|受伤|伤|裂)了"
    ).match(rest) or rx(
        r"^(?:[打跑踢跳爬搬骑练滑][\u4e00-\u9fff]{0,3}?)?(?:的时候|时)?(?:不小心)?(?P<v>摔断|扭伤|扭到|崴|拉伤|摔伤|闪到|烫伤|弄伤|伤到|扭|闪|伤)了?(?P<p>左|右)?(?P<o>脚|腿|手|胳膊|手腕|脚踝|膝盖|腰|肩膀|锁骨|肋骨|手指|脚趾|韧带|手臂|小腿|大腿|脖子)"
    ).match(rest)
    if match:
        yield text_draft(
            frame,
            "has_condition",
            f"{match['p'] or ''}{match['o']}{rx(r'到$').sub('', match['v'])}",
            begins=True,
            past=True,
        )


_DRUG = r"(?P<o>维他命[A-Za-z]|维生素[A-Za-z]\d*|(?:⟨medications⟩)|维他命[A-Za-z]?|维生素[A-Za-z]\d?|(?<=补)[铁钙锌硒碘]|[\u4e00-\u9fffA-Za-z]{1,6}(?:片|胶囊|沙坦|司特|他汀|地平|双胍|洛尔|普利|西林|霉素|拉唑|列净|格列[\u4e00-\u9fff]|口服液|冲剂|颗粒|丸|素片|单抗|喷雾|吸入剂))"
_GIVEN = rf"(?:给|帮)(?:我|他|她|孩子)?(?:开|配)了?(?:点|些|一[盒瓶些])?{_DRUG}"
_TAKEN = rf"^(?:晚上|早上|白天|中午|夜里)?(?P<neg>不再?|没有?|没在|停止|停了|停掉了?|停|已经不|不用再)?(?:有在|开始|正?在|得|要|需要|必须|每天|天天|长期|坚持|按时|定期|早晚|空腹|饭[前后]|睡前|一天\S{{1,2}}次|每天都)*(?P<v>吃|服用|服|打|用|注射|喷|喝|补充|补|靠)?(?:着|了|的是|的药是)?(?:[一二两三四半\d]+(?:片|粒|颗|支|包|针|滴|勺|瓶|毫克|mg)的?)?{_DRUG}(?P<rest>.*)"


def medication(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Drugs and supplements."""
    if not frame.path:
        return
    given = context.rx(_GIVEN).search(frame.body)
    topical = context.rx(rf"^{_DRUG}$").match(frame.topic) if frame.topic else None
    if given or (topical and rx(r"^[^不没]{0,8}(?:吃|服|打|用|喝)(?!完|不|过)").match(frame.rest)):
        found = (given or topical)["o"]  # type: ignore[index]  # one of them matched
        yield text_draft(frame, "takes_medication", found, subject=frame.path if not given else USER)
        return
    stopped = context.rx(rf"^{_DRUG}(?:我)?(?:早|早就|已经|都|也|现在)*停(?:了|掉|药)").match(frame.topic + frame.rest)
    if stopped:
        yield text_draft(frame, "takes_medication", stopped["o"], negative=True, ends=True, past=True)
        return
    match = context.rx(_TAKEN).match(frame.rest)
    if (
        match
        and (match["v"] or rx(r"停").match(match["neg"] or ""))
        and not rx(r"(?:想|打算|准备|过敏|可以|能不能)").search(frame.adverbs + frame.rest)
    ):
        off = bool(match["neg"])
        texts = [match["o"], *context.rx(rf"(?:和|、|还有){_DRUG}").findall(match["rest"])]
        for text in texts:
            yield text_draft(
                frame, "takes_medication", text if isinstance(text, str) else text[0], negative=off, ends=off, past=off
            )


def body(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Height and weight."""
    if not frame.path or rx(r"年轻(?:时|的时候)|小时候|以前|当年").search(frame.clause.text):
        return
    text = frame.rest
    grown = rx(
        r"^(?:的)?(?:体重)?(?:都|已经|现在|又|一路|直接)*(?:飙|涨|升|降|掉|减|瘦|胖|长|回|反弹)(?:到|至|成)了?(?P<n>[1一两2]?百?[零一二三四五六七八九十\d]+)(?:斤)?(?:了|整)?$"
    ).match(text)
    if (
        grown
        and rx(r"体重|瘦|胖|减肥|斤").search(context.sentence)
        and not rx(r"想|要|打算|目标").search(frame.clause.text)
    ):
        value = numerals.chinese_value(grown["n"]) if not grown["n"].isdigit() else None
        number = numerals.plain(value) if value is not None else grown["n"]
        if number.isdigit() and 60 <= int(number) <= 400:
            yield draft(
                frame, "weight", Value(ValueType.NUMBER, number, "jin" if int(number) > 90 else "kg"), timeless=True
            )
            return
    small = rx(r"^(?:不到|还没到)?(?P<n>1[4-9]\d)(?:左右|出头)?$").match(text)
    if (
        small
        and frame.explicit
        and (
            rx(r"才|只有|刚|就|不到").search(frame.adverbs + text)
            or rx(r"个子|身高|个头|高|矮|踮").search(context.text)
        )
    ):
        yield draft(frame, "height", Value(ValueType.NUMBER, small["n"], "cm"), timeless=True)
        return
    match = rx(
        r"(?:净?身高|个子|个头)?(?:是|有|大概|大约|差不多|才|只有|快|将近|不到|接近|缩到|长到|长高到|蹿到)*(?P<m>[12]|一|两)米(?P<d>[0-9]{1,2}|[零一二三四五六七八九十]{1,3})?"
    ).match(text)
    if match and not rx(r"(?:宽|长|深|远|外|的桌|布)").match(text[match.end() :]):
        digits = match["d"] or ""
        tail = (
            "".join(str("零一二三四五六七八九".index(c)) for c in digits if c in "零一二三四五六七八九")
            if digits and not digits.isdigit()
            else digits
        )
        whole = {"一": "1", "两": "2"}.get(match["m"], match["m"])
        about = rx(r"不到|大概|大约|差不多|快|将近|接近").search(match[0]) is not None
        yield draft(
            frame,
            "height",
            Value(ValueType.NUMBER, f"{whole}.{tail}" if tail else whole, "m", approx=about),
            timeless=True,
        )
        text = text[match.end() :]
    bare = rx(r"身高(?:是|有|大概|差不多|,|，)*(?P<n>1[2-9]\d|2[0-2]\d)(?!\d|\.)(?:cm)?(?:$|[,，。])").search(text)
    if bare:
        yield draft(frame, "height", Value(ValueType.NUMBER, bare["n"], "cm"), timeless=True)
    metres = rx(r"(?P<n>[12]\.\d{1,2})(?:米|m)(?![\u4e00-\u9fff]*(?:宽|长|深|桌|床|布))").search(text)
    if metres and rx(r"身高|个子|高|^\D{0,4}$").search(text[: metres.start()] + ("高" if text.endswith("高") else "")):
        yield draft(frame, "height", Value(ValueType.NUMBER, metres["n"], "m"), timeless=True)
    for item in quantity.find(text, "zh"):
        if (
            item.unit == "cm"
            and (rx(r"身高|高").search(text) or 100 <= item.value <= 230)
            and not rx(r"(?:宽|长|腰围|胸围|厚|床|桌|屏)").search(text)
        ):
            yield draft(frame, "height", item.as_value(), timeless=True)
        elif (
            item.unit in ("kg", "jin")
            and item.value >= 2
            and (rx(r"体重|重|称").search(frame.clause.text) or rx(r"^\D{0,6}$").match(text[: item.start]))
            and not rx(
                r"(?:买|吃|瘦了|胖了|减了|掉了|长了|寄|快递|行李|(?<![一二两\d])米|肉|水果|想|目标|打算|争取|希望|要(?:减|瘦)|喝|提|搬|箱)"
            ).search(frame.clause.text)
        ):
            yield draft(frame, "weight", item.as_value(), timeless=True)
            return
    match = rx(r"体重(?:是|有|大概|现在)*(?P<n>\d+(?:\.\d+)?|[一二两三四五六七八九十百]+)(?:$|[,，])").search(text)
    if match:
        value = numerals.chinese_value(match["n"]) if not match["n"][0].isdigit() else None
        number = numerals.plain(value) if value is not None else match["n"]
        yield draft(
            frame, "weight", Value(ValueType.NUMBER, number, "jin" if float(number) > 90 else "kg"), timeless=True
        )


def diet(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Named ways of eating."""
    if not frame.path or rx(_PLANNING).search(frame.adverbs):
        return
    match = context.rx(
        r"^(?P<neg>不(?:是)?)?(?:是|开始|在|坚持|长期|只|得|走|转为|改|改成|改吃|严格|遵循|执行|一直)*(?:吃|做|执行|采用|奉行|实行|采取)?(?:的是|着)?(?P<o>⟨diets⟩)(?P<k>者|主义者?|饮食|餐|的|食品|食物)?(?:了|$|[,，]|[一二两三四五六七八九十\d]|好|已经|很|，)"
    ).match(frame.rest)
    if match and not (match["o"].startswith("戒") and "了" in frame.rest):
        changed = Change.CHANGED if rx(r"开始|改|转").search(frame.rest[:4]) else Change.NONE
        yield text_draft(
            frame, "follows_diet", match["o"], negative=bool(match["neg"]), begins=True, past=True, change=changed
        )


RULES = (allergies, conditions, medication, body, diet)
