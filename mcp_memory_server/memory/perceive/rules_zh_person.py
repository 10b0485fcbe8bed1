"""Chinese rules: who a person is, family, work and education."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals, quantity
from mcp_memory_server.memory.perceive.chinese import _CLASSIFIER, ContextZh, FrameZh, clean, draft, good_object, items, place, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER, path_of
from mcp_memory_server.memory.perceive.when import Bind, When

_N = r"[0-9]+(?:\.[0-9]+)?|[零一二两三四五六七八九十百]+"


def _number(text: str) -> str:
    if text[0].isdigit():
        return text
    value = numerals.chinese_value(text)
    return numerals.plain(value) if value is not None else ""


def names(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """叫, 名字是, 大家都叫我."""
    name = r"(?P<o>[A-Za-z][A-Za-z .'-]{0,20}|[\u4e00-\u9fff·]{1,6}(?:[A-Za-z]+)?)"
    match = rx(rf"^(?:的)?(?:(?:中文|英文|真实|全|大|小|本)?名(?:字)?(?:就)?(?:叫做?|是|为)|大名(?:叫|是)?|小名(?:叫|是)?|名叫|叫做?|姓名(?:是|叫|为)?){name}(?:$|[,，。])").match(frame.rest)
    if match and frame.path:
        value = clean(match["o"])
        if good_object(value) and not rx(r"(?:我|他|她|你|人|车|外卖|醒|停|苦|板|不|做|什么|快递|滴滴)").match(value):
            subject = frame.path
            if rx(r"^的?名").match(frame.rest) and not frame.explicit:
                subject = USER
            yield text_draft(frame, "has_name", value, subject=subject, timeless=True)
        return
    match = rx(rf"(?:大家|朋友们?|同事们?|别人|家里人|身边人|同学们?|他们)?(?:都|一般|平时|可以|就)*(?:叫|喊|称呼)我{name}(?:就行|就好|就可以|即可|吧)?(?:$|[,，。])").search(frame.body)
    if match:
        value = rx(r"(?:就行|就好|就可以|即可|吧|了)+$").sub("", match["o"])
        if good_object(value) and not rx(r"(?:去|来|做|别|不|给|帮|把|起床|吃|回|早|多|注意|先|赶)").match(value):
            yield text_draft(frame, "has_name", value, subject=USER, timeless=True)


def _told_with_name(frame: FrameZh, context: ContextZh) -> str:
    """The path of a relative together with the name that this clause gives."""
    match = rx(r"^(?:的)?(?:名字)?(?:叫做?|名叫|小名叫)(?P<o>[\u4e00-\u9fff]{1,4}|[A-Za-z]+)$").match(frame.rest)
    if match and frame.subject.role and not frame.subject.name:
        return path_of(frame.subject.role, match["o"], context.vocabulary)
    return ""


def age(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """三十二岁, 今年二十八, 八个月大."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    match = rx(rf"^(?:已经|刚|快|才|都|也|马上|虚岁|实岁|周岁|是|有|今年|满|过了|大概|差不多|只|年龄|年纪)*(?P<n>{_N})(?P<h>个?半)?(?:多|来)?(?P<u>周?岁|个月大|个月(?=$)|周大|天大)(?P<h2>半)?(?:了|啦|多)?(?:$|[,，。的大])").match(frame.rest)
    if match:
        value = _number(match["n"])
        if value and 0 < float(value) < 121:
            unit = "month" if "月" in match["u"] else "week" if "周大" in match["u"] else "day" if "天" in match["u"] else "year"
            if unit == "month" and "大" not in match["u"] and frame.subject.role not in ("pet", "son", "daughter", "child"):
                return
            half = match["h"] or match["h2"]
            yield draft(frame, "age", Value(ValueType.NUMBER, f"{value}.5" if half else value, unit), timeless=True)
        return
    this_year = "今年" in frame.clause.text
    match = rx(rf"^(?:已经|都|刚|才|刚好|正好|也)*(?P<n>{_N})(?:了|啦|整)?$").match(frame.rest)
    if this_year and match and not rx(r"(?:年|预算|收入|营收|工资|人)").search(frame.rest):
        value = _number(match["n"])
        if value and 3 < float(value) < 121 and "." not in value:
            yield draft(frame, "age", Value(ValueType.NUMBER, value, "year"), timeless=True)


def _date_value(when: When) -> str:
    if len(when.future) != 10 or "/" in when.future:
        return ""
    return when.future if when.future == when.past else f"--{when.past[5:]}"


def birthday(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """生日, 出生于."""
    told = rx(r"生日|出生|生于|(?:年|月|日|号)生(?:的|人)?$|生的$").search(frame.clause.text)
    if not told or rx(r"礼物|派对|蛋糕|聚会|快乐|会$|party|怎么过|想|打算|提醒|送|过生日|快到|旅").search(frame.clause.text):
        return
    subject = frame.path
    if not subject:
        return
    for when in frame.clause.times:
        raw = frame.clause.text[max(0, when.start - frame.clause.start) : when.end - frame.clause.start]
        value = _date_value(when)
        if not value and rx(r"出生|生于|生的|生人").search(frame.clause.text) and rx(r"\d{4}(?:-\d\d)?").fullmatch(when.future):
            value = when.future
        if value and when.bind is Bind.AT and rx(r"[号日月年]").search(raw) and not rx(r"不是$").search(frame.clause.text[: max(0, when.start - frame.clause.start)]):
            yield draft(frame, "birthday", Value(ValueType.DATE, value), subject=subject, timeless=True)
            return


def home(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """住在, 搬到, 家在, 坐标."""
    rest = frame.rest
    moved = rx(r"^(?:从(?P<from>\S{1,8}?))?(?:已经|刚|又|举家|全家)*(?:搬家?|迁居?|移居|移民|移民到|落户|调)(?:到|去|来|至|回)(?:了)?(?P<o>.+)").match(rest)
    if moved and frame.path:
        where = place(moved["o"])
        if good_object(where) and not rx(r"(?:打算|准备|想|要|计划|考虑|会)").search(frame.adverbs + rest[: moved.start("o")]):
            yield text_draft(frame, "lives_in", where, entity=True, begins=True, past=True, change=Change.CHANGED)
        return
    match = rx(r"^(?P<neg>不|没有?)?(?:再)?(?:家?住在|家?住(?!院|宿|了两?晚|两晚|一晚|酒店|几)|居住(?:在|于)|定居(?:在|于)?|租住在|租房在|安家(?:在|于)?|坐标[:：]?|人在|家在|常住|长住|暂住|扎根|生活在|待在|一个人住在?|(?:家人|父母|爸妈|室友|朋友|老公|老婆|对象)?一起住在)(?:是)?(?P<o>.+)").match(rest) or rx(r"^在(?P<o>[^,，]{1,10}?)(?P<neg>不)?(?:住|居住|定居|生活|租房|安家|安了家|租了)(?!院)(?:$|着|了|过|[,，]|.{0,6}$)").match(rest)
    if match and frame.path and rx(r"(?:想|打算|准备|希望)").search(rest[: match.start("o")] + frame.adverbs) is None:
        text = match["o"]
        where = place(text + "住") if rest.startswith("在") else place(text)
        past = rx(r"(?:以前|之前|从前|原来|曾经|过去|那时|当时|小时候)").search(frame.adverbs + frame.clause.text) or rx(r"过(?:$|[,，了])|待过|住过").search(rest)
        if good_object(where):
            company = frame.subject.role in ("company", "team")
            timed = any(w.bind is not Bind.REPEAT and w.future for w in frame.clause.times)
            if past and not timed:
                yield text_draft(frame, "lives_in", where, entity=True, negative=True, ends=True)
            else:
                yield text_draft(frame, "located_in" if company else "lives_in", where, entity=True, negative=bool(match["neg"]), past=bool(past) or (timed and bool(rx(r"过|了").search(rest))))
        return
    match = rx(r"^(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})(?:就)?是(?:我|咱)(?:现在|目前)?的?(?:家|住处|住的地方|居住地)").match(rx(r"现在|目前").sub("", frame.body))
    if match:
        yield text_draft(frame, "lives_in", match["o"].rstrip("就"), entity=True, subject=USER)


def origin(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """老家, 来自, 是…人."""
    if not frame.path:
        return
    match = (
        rx(r"^(?:的)?(?:老家|家乡|籍贯|祖籍|出生地|娘家|原籍)(?:就)?(?:在|是)?(?P<o>[^,，]+)").match(frame.rest)
        or rx(r"^(?:是)?(?:来自于?|生于|出生在|出生于|生在)(?P<o>[\u4e00-\u9fffA-Za-z]{2,10}?)(?:来的?|的|长大|$|[,，])").match(frame.rest)
        or rx(r"^(?:是)?(?:从小)?(?:在)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:长大|出生|生的|土生土长)").match(frame.rest)
        or rx(r"^是(?:个|土生土长的|地地道道的|地道的|正宗的|纯正的|一个|老)*(?P<o>[\u4e00-\u9fff]{2,6}?)(?:本地)?人(?:$|[,，。])").match(frame.rest)
    )
    match = match or rx(r"^(?:是)?从(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:那边)?来的$").match(frame.rest)
    if not match:
        return
    where = clean(rx(r"(?:的|那边|那里|这边|一带|农村|乡下|县城里)$").sub("", match["o"]))
    if not good_object(where) or rx(r"(?:男|女|老|好|坏|工|军|商|诗|病|客|成年|年轻|普通|平常|正常|聪明|大|小|外地|本地|当地|农村|城里|单身|独生|残疾|老实|善良|合伙|负责|主持|经纪|创始|候选|残|盲|聋|话|素食|同路|过来|自己|局外|中间|介绍|联系|继承|证婚|发言|法|\S+的|内向|外向|隐形|早起|夜猫|左撇子|一个|爱\S|喜欢\S*|做\S+|搞\S+|[一两三四五六七八九十]个|唯一|第一)").fullmatch(where):
        return
    yield text_draft(frame, "hometown", where, entity=True, timeless=True)


def languages(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """会说, 母语, 一句都不会."""
    if not frame.path:
        return
    word = context.words("languages")
    text = frame.rest if not frame.topic else f"{frame.topic}{frame.rest}"
    match = rx(rf"^(?P<neg>不太?|不怎么)?(?:会|能|可以|擅长)?(?:说|讲|懂|听懂|会)(?:一?点|流利的|一口|地道的|些|简单的|流利|一口流利的)*(?P<o>(?:{word}).*)").match(text) or rx(rf"^(?:的)?(?:母语|第一语言|第二语言|外语)(?:是)?(?P<neg>不)?(?P<o>(?:{word}).*)").match(text)
    if match and not rx(r"学|练|考").match(text):
        for part in rx(rf"(?:{word})").findall(match["o"].split("但")[0]):
            yield text_draft(frame, "speaks", part, negative=bool(match["neg"]), timeless=True)
        return
    match = rx(rf"^(?P<o>(?:{word})(?:[、和跟与](?:{word}))*)(?:我)?(?:是|也|都|还|倒)*(?P<p>一(?:句|个字|点)(?:都|也)不(?:会|懂)|完全不会|不会说?|不懂|听不懂|说得|讲得|很流利|流利|没问题|能交流|也会|会一?点|都会|会说|能说|会)").match(text)
    if match:
        negative = bool(rx(r"不会|不懂|听不懂").search(match["p"])) or bool(rx(r"(?:不好|很烂|很差|不行|不流利|磕磕绊绊)").search(text))
        for part in rx(rf"(?:{word})").findall(match["o"]):
            yield text_draft(frame, "speaks", part, negative=negative, timeless=True)


def licence(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """驾照."""
    match = rx(r"(?P<v>没有?|还没|有|考了|考到|考下|拿到|拿了|考过|拿下|没考|没拿|考出|考取)\S{0,4}?(?:驾照|驾驶证|驾驶执照|驾本)").search(frame.rest) or rx(r"(?:驾照|驾驶证|驾本)\S{0,2}?(?P<v>没有|还没|考下来|到手|拿到|考出来|有)").search(frame.body)
    if match and frame.path and not rx(r"打算|准备|想|计划|要考|报名|考驾照").search(frame.rest):
        begun = bool(rx(r"考|拿|到手").search(match["v"])) and "没" not in match["v"]
        yield draft(frame, "has_driving_license", Value(ValueType.BOOLEAN, "true"), negative="没" in match["v"], begins=begun, past=begun)


_STATUS = r"单身狗|单身|已婚|未婚|离异|离婚|离了婚|结婚|订婚|恋爱|丧偶|分居|再婚|再婚|分手|脱单|丁克|领证"


def relationship(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """单身, 已婚, 离婚了…"""
    if not frame.path or frame.subject.role in ("company", "pet"):
        return
    match = rx(rf"^(?P<neg>不是|没有?|还没有?|未)?(?:是|处于|刚|又|和平|闪|在|谈)?(?P<o>{_STATUS})(?P<t>了|的|状态|中|快乐|着|[一二两三四五六七八九十\d]+年)?").match(frame.rest)
    if not match or rx(r"(?:打算|准备|想|要|计划|不想|不婚)").search(frame.adverbs):
        return
    if match["o"] in ("结婚", "订婚", "离婚", "领证") and not (match["t"] == "了" or match["neg"] or rx(r"[了年]").search(frame.rest) or frame.clause.times):
        return
    if any(when.bind is Bind.AT and when.future > frame.clause.today for when in frame.clause.times) and match["o"] in ("结婚", "订婚", "领证"):
        return
    event = match["o"] in ("离婚", "离了婚", "结婚", "订婚", "分手", "再婚", "脱单", "领证")
    changed = Change.CHANGED if event and not match["neg"] else Change.NONE
    yield text_draft(frame, "relationship_status", match["o"], negative=bool(match["neg"]), begins=event, past=event, change=changed)


def family(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """有个姐姐, 两个孩子."""
    if not frame.path:
        return
    rest = rx(r"^家里?").sub("", frame.rest)
    match = rx(r"^(?P<neg>没)?有?(?P<n>[一两俩二三四五六七八九十\d]|没有)?个?(?:小)?(?P<k>孩子|小孩|娃|宝宝|娃儿|孩)(?:$|了|[,，。]|都|在)").match(rest)
    if match and (match["n"] or match["neg"]):
        value = "0" if match["neg"] else {"俩": "2"}.get(match["n"], _number(match["n"]))
        if value:
            yield draft(frame, "children_count", Value(ValueType.NUMBER, value), subject=USER if not frame.subject.role else frame.path, timeless=True)
        return
    match = rx(r"^(?P<neg>没)?有(?P<o>.+)").match(rest)
    if not match:
        return
    for part in rx(r"[、,，]|和|跟|还有|以及").split(match["o"]):
        kin = rx(rf"^(?P<n>[一两俩二三四五\d])?(?:个|位|对)?(?P<adj>亲|双胞胎|大|小|同父异母的|异父异母的)?(?P<o>{context.words('family')})(?!的)").match(part.strip())
        if kin:
            word = kin["o"] if not kin["n"] or kin["n"] in "一1" else f"{kin['n']}个{kin['o']}"
            yield text_draft(frame, "family_member", (kin["adj"] or "") + word if not word[0].isdigit() else word, negative=bool(match["neg"]), timeless=True)


def pets(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """养了只猫; 元宝是只金毛 gives the animal a subject of its own."""
    animal = context.words("animals")
    if frame.path and not rx(r"(?:想|打算|准备|计划|要|考虑)").search(frame.adverbs):
        match = rx(
            rf"^(?:家里?)?(?P<neg>没有?|不|从没|没)?(?:领养|收养|养|买|捡|有|接|抱)(?:了|着|过|的是|回)?(?:来|家)?{_CLASSIFIER}?(?:[\u4e00-\u9fff]{{1,3}}的)?(?P<adj>大|小|老|白色?|黑色?|橘色?|流浪|可爱的)*(?P<o>{animal})(?![\u4e00-\u9fff]?(?:毛|粮|砂|子面|肉|排|汤|过敏|年|咖|博))"
        ).match(rx(rf"^在?(?={_CLASSIFIER}?养)").sub("", frame.rest))
        if match and rx(r"养|领养|收养|捡|只|条|家|买了|有").search(match[0]) and not rx(r"[吃煮炖]").search(frame.rest) and (("有" not in match[0][:3]) or rx(r"只|条|匹|头|家").search(match[0])):
            started = bool(rx(r"领养|收养|捡|买|接|抱").search(match[0])) or "了" in match[0]
            yield text_draft(frame, "has_pet", match["o"], negative=bool(match["neg"]), begins=started and not match["neg"], past=started)
            return
    match = rx(rf"^(?P<name>[\u4e00-\u9fff]{{1,4}})?是{_CLASSIFIER}?(?P<age>[^的]{{1,10}}的)?(?P<adj>[\u4e00-\u9fff]{{1,2}}色的?)?(?P<o>{animal})$").match(frame.rest)
    own = rx(r"^(?:我们?|咱们?)家").match(frame.clause.text)
    if match and (own or frame.subject.role == "pet") and (match["name"] or frame.subject.name):
        yield text_draft(frame, "has_pet", match["o"], subject=USER)
        number = rx(rf"(?P<n>{_N})(?P<u>个月|岁|周)(?P<h>半)?").search(match["age"] or "")
        if number and _number(number["n"]):
            unit = {"个月": "month", "岁": "year", "周": "week"}[number["u"]]
            yield draft(frame, "age", Value(ValueType.NUMBER, _number(number["n"]) + (".5" if number["h"] else ""), unit), subject=f"user.pet:{match['name'] or frame.subject.name}", timeless=True)
    gone = rx(rf"^(?:家的?|养的)?(?P<o>{animal})(?:上?[周月]|昨天|今天|去年)?(?:走丢|丢|死|去世|走|没|离开|送人|过世|去了?喵星|去了?汪星)了").match(frame.rest)
    if gone:
        yield text_draft(frame, "has_pet", gone["o"], subject=USER, negative=True, ends=True, past=True)


def _is_firm(text: str, context: ContextZh) -> bool:
    if rx(r"(?:一家|一所|一个|一间|某|这家|那家|几家|一些|别的|其他|各大|一线|互联网|上市|国企|央企|外企|民企|私企|事业单位|体制内|.{0,2}公司$)").match(text) and not rx(r".{3,}公司$").fullmatch(text):
        return False
    if rx(r"[A-Z][A-Za-z&. ]+").fullmatch(text):
        return True
    return 3 <= len(text) <= 16 and bool(rx(rf".+(?:{context.words('firms')})$").fullmatch(text))


def work(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Employer and occupation: 在远帆物流做会计, 入职, 离职, 是护士."""
    if not frame.path or rx(r"(?:想|打算|准备|计划|希望|考虑)").search(frame.adverbs):
        return
    rest = frame.rest
    left = rx(r"^(?:已经)?(?:从|离开)了?(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,16}?)(?:了|离职|辞职|辞了|走了|退休|出来|被裁|跳槽|裸辞|下岗|毕业|$)").match(rest)
    if left and (_is_firm(left["o"], context)) and rx(r"离职|辞|裁|退休|离开|出来|走了|跳槽").search(rest):
        yield text_draft(frame, "works_at", left["o"], entity=True, negative=True, ends=True, past=True)
        return
    joined = rx(r"^(?:刚|已经|新)?(?:入职|加入|跳槽(?:到|去)|跳到|调到|调去|进了|进入|换到|去)了?(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,16}?)(?:上班|工作|任职|做|当|了|担任|$|[,，])").match(rest)
    if joined and _is_firm(joined["o"], context) and (not rest.startswith("去") or rx(r"上班|工作|任职").search(rest)):
        yield text_draft(frame, "works_at", joined["o"], entity=True, begins=True, past=True, change=Change.CHANGED)
    match = rx(r"^(?P<neg>不)?(?:是)?(?:在|就职于|任职于|供职于|受雇于|服务于|目前在)(?P<o>[^,，。]{2,24}?)(?P<v>上班|工作|任职|就职|供职|实习|打工|做|当|担任|搞|干|负责|从事|带|教|开发|任|$)").match(rest)
    if match and (match["v"] or not rest.startswith("在")):
        where, after = match["o"], rest[match.end("v") :]
        past = bool(rx(r"(?:以前|之前|从前|曾经|过去)").search(frame.adverbs + frame.clause.text)) or bool(rx(r"过").match(after))
        if _is_firm(where, context):
            timed = any(w.future for w in frame.clause.times)
            yield text_draft(frame, "works_at", where, entity=True, negative=bool(match["neg"]) or (past and not timed), ends=bool(match["neg"]) or (past and not timed), past=past)
        elif frame.path == USER and (not past or any(w.future for w in frame.clause.times)) and rx(r"[\u4e00-\u9fff]{2,3}").fullmatch(where) and match["v"] in ("工作", "上班") and not rx(r"(?:家里|外地|这里|那里|外面|公司|国企|外企|工地|工厂|医院|学校|银行|单位|体制|网上|线上|办公室|一线|前台)").fullmatch(where):
            yield text_draft(frame, "works_at", where, entity=True, past=bool(frame.clause.times) and frame.clause.times[0].future < frame.clause.today)
        if match["v"] in ("做", "当", "担任", "任", "干"):
            yield from _occupation(frame, context, after, past=past)
        return
    yield from _titles(frame, context)


def _titles(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    rest = frame.rest
    match = rx(r"^(?P<neg>不)?(?:是|当上?了?|做(?:的是)?|担任|升(?:任|为|成|职为)?|晋升为?|提拔为|成为了?|转行做|转做|转岗做|改行做|从事|职业是|的?(?:工作|职业|岗位|职位|职务)是|干(?:的是)?|被提拔为|升到)(?:了)?(?P<o>[^,，。]{2,20})").match(rest)
    if not match:
        return
    changed = Change.CHANGED if rx(r"当上|升|晋升|提拔|成为|转").match(rest) else Change.NONE
    past = bool(rx(r"(?:以前|之前|从前|曾经|过去)").search(frame.adverbs + frame.clause.text))
    yield from _occupation(frame, context, match["o"], negative=bool(match["neg"]), past=past, change=changed, sure=bool(rx(r"担任|职业|工作|岗位|职位").search(match[0])))


_NO_JOB = r"(?:学生|大学生|研究生|博士生|高中生|初中生|小学生|中学生|留学生|新生|毕业生|独生|先生|新手|老手|选手|高手|左撇子|好人|老人|病人|男生|女生|医学生|师范生|准考生|考生|监护人|用户|会员|党员|团员|成员|球员|人员|家长|班长|学霸|学渣|独生子女|独生女|独生子|一员|队员|吃货|社恐|单身|路痴|夜猫子|作者|患者|爱好者|素食者|初学者|前者|后者|消费者|志愿者|第三者|受害者|生意|家务|作业|饭|菜|实验|手术|运动|梦|事|什么|主|朋友|同事|同学)"


def _occupation(frame: FrameZh, context: ContextZh, text: str, *, negative: bool = False, past: bool = False, change: Change = Change.NONE, sure: bool = False) -> Iterator[Draft]:
    text = rx(r"(?:一名|一个|一位|名|个|位|兼职|全职|专职|职业|普通|资深|小|一枚|枚|家|的)*(?=[\u4e00-\u9fffA-Za-z]{2})").sub("", text, count=1) if rx(r"(?:一名|一个|一位|名|个|位|兼职|全职|专职|一枚|枚|的)").match(text) else text
    text = rx(r"(?:有|已经|快|大概|差不多|做|干)?[一二两三四五六七八九十百\d]+多?年(?:了|多)?.*$|(?:的)?(?:工作|一职|岗位|职位|职务)$|(?:了|过|,|，).*$").sub("", text)
    parts = rx(r"和|兼|、|/").split(text)
    for part in parts:
        word = clean(rx(r"^.*(?:的)(?=[\u4e00-\u9fff]{2,})").sub("", part) if "的" in part else part)
        bare = word
        for _ in range(8):
            if context.has("occupations", bare):
                break
            bare = bare[1:]
        if not good_object(word) or rx(rf".*{_NO_JOB}$").fullmatch(word):
            continue
        if bare or rx(r"[\u4e00-\u9fffA-Za-z]{1,8}(?:工程师|设计师|[^老]师(?!傅)|师傅|[^人成会党队学组演球]员|医生|专员|经理|总监|主管|助理|秘书|顾问|专家|教练|导演|司机|主任|处长|科长|局长|院长|厂长|店长|站长|队长|所长|部长|会计|编辑|翻译|代理|经纪人|主持人|策划师|开发|架构|运维|保安|商人|裁缝|老板|匠人|木匠|铁匠|画家|作家|科学家|音乐家)").fullmatch(word) or (sure and len(word) <= 8):
            over = past and not negative and not any(w.future for w in frame.clause.times)
            yield text_draft(frame, "job_title", word, negative=negative or over, ends=over, past=past or change is Change.CHANGED, begins=change is Change.CHANGED, change=change)


def experience(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """做会计十年了, 有五年焊接经验."""
    if not frame.path:
        return
    text = frame.clause.text
    match = (
        rx(rf"(?:有|具有|具备)(?:了|着)?(?P<n>{_N})(?P<more>多)?(?P<u>年|个月)(?P<h>半)?的?(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,12}}?)(?:工作|开发|从业|教学|行业|相关)?经验").search(text)
        or rx(rf"(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,10}}?)(?:工作|从业|教学)?经验(?:有|大概|差不多|大约|快)?(?P<n>{_N})(?P<more>多)?(?P<u>年|个月)(?P<h>半)?").search(text)
        or rx(rf"(?:做|干|搞|从事|教|写|当|学|开|拉|弹|画|唱|练|修)(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,10}}?)(?:这行|工作|行业)?(?:已经|有|快|差不多|大概|整整|都|也)*(?P<n>{_N})(?P<more>多|来)?(?P<u>年)(?P<h>半)?(?:多)?(?:了|$|经验)").search(text)
        or rx(rf"(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,8}})(?:我)?(?:做|干|写|用|教|搞|学|开)了?(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?(?:多)?(?:了|$)").search(text)
        or rx(rf"(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?(?:的)?(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{2,8}}?)(?:从业)?经验").search(text)
        or rx(rf"(?P<f>教龄|驾龄|工龄|烟龄|从业)(?:有|已经|都)*(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?").search(text)
    )
    if not match:
        return
    field = rx(r"^(?:我|我们|的|已经|现在|一直|也|在)+|(?:了|的|已经|有|工作|相关)$").sub("", match["f"])
    value = _number(match["n"])
    if value and field and good_object(field) and not rx(r"(?:梦|饭|家务|朋友|老婆|同学|学|梦想|车|这个|它|邻居|夫妻|兄弟|姐妹|同事)").fullmatch(field):
        unit = "month" if "月" in match["u"] else "year"
        amount = f"{value}.5" if match["h"] else value
        yield draft(frame, "years_of_experience", Value(ValueType.NUMBER, amount, unit, field, bool(match["more"])), timeless=True)


_TOOL = r"[A-Za-z][A-Za-z0-9+#. -]*[A-Za-z0-9+#]|[\u4e00-\u9fff]{1,6}(?:文档|软件|笔记|表格|平台|系统|浏览器|输入法|编辑器|云盘|网盘|日历|地图|音乐|会议|邮箱|本|电脑|相机|手写板|数位板|语雀|云|办公|清单)|飞书|钉钉|企业微信|微信|语雀|石墨|有道|印象|剪映|小红书|知乎|微博|抖音|高德|百度|滴答|番茄|腾讯会议|金山|讯飞|天猫精灵|支付宝|幕布|思源|墨刀|蓝湖|即时设计|通义|豆包|文心|元宝|夸克|坚果云|美图|醒图|钢笔|毛笔|机械键盘"


def tools(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """平时用飞书."""
    if not frame.path or rx(r"想|打算|准备|计划").search(frame.adverbs):
        return
    swap = rx(r"(?:从|由)(?P<a>[\u4e00-\u9fffA-Za-z0-9+# ]{2,12}?)(?:换成|换到|改用|改成|迁到|转到|切到)了?(?P<b>[\u4e00-\u9fffA-Za-z0-9+# ]{2,12})$").search(frame.rest)
    if swap and (rx(_TOOL).fullmatch(swap["b"]) or rx(_TOOL).fullmatch(swap["a"])):
        yield text_draft(frame, "uses_tool", swap["b"], begins=True, past=True, change=Change.CHANGED)
        yield text_draft(frame, "uses_tool", swap["a"], negative=True, ends=True, past=True)
        return
    regular = rx(r"(?:平时|平常|日常|一般|主要|经常|常|每天|一直|都|习惯|工作|上班|天天|通常|大部分|现在|目前|公司|团队|办公|干活|写代码|画图|剪)").search(frame.clause.text)
    match = rx(r"^(?P<neg>不再?|没再)?(?:习惯)?(?:是)?(?:都)?(?:使用|用|靠)(?:的是|着|的都是|惯了|了)?(?P<o>.+)").match(frame.rest) or rx(r"^(?P<neg>(?!))?\S{1,6}?(?:都)?(?:是)?(?:用|使用|在)(?:的是|的)?(?P<o>[A-Za-z][A-Za-z0-9+#. ]*)(?:里|上)?(?:做|写|画|剪|记|管|看|处理|完成|的)").match(frame.rest)
    if not match:
        return
    text = rx(r"(?:来|去)?(?:做|写|画|剪|记|干活|办公|工作|管理|处理|完成|开发|看|听|打|编|查|沟通|聊|协作|设计|写作|画图|记账|建模|拍|上网|学习|刷|追|控制|监控|分析|开会|排版|修|备份|部署|进行|的(?:时候|人|是)?|比较多|最多|了|得|习惯|顺手|多|[一二两三四五六七八九十\d]+年).*$").sub("", match["o"])
    for part in items(text):
        known = rx(_TOOL).fullmatch(part)
        if known and (regular or frame.path == USER) and not rx(r"(?i)(?:VIP|OK|AI|wifi|app)").fullmatch(part):
            yield text_draft(frame, "uses_tool", part, negative=bool(match["neg"]), ends=bool(match["neg"]))


def organisation(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Revenue, size, place and products of a company or team."""
    role = frame.subject.role
    subject = frame.path if role in ("company", "team") else ""
    body = frame.body
    team = "user.team" if rx(r"团队|部门|小组|组里|[我们]组").search(context.sentence) else "user.company"
    money = next((q for q in quantity.find(body, "zh") if q.kind in ("money", "plain") and q.value >= 1000), None)
    income = rx(r"(?:营收|营业额|营业收入|流水|销售额|年收入|产值|年产值|成交额|GMV|业绩)").search(body)
    if money and income and (subject or frame.we or rx(r"公司|店|厂|集团|我们|工作室").search(context.text)) and not rx(r"目标|希望|打算|预计|争取").search(body):
        yield draft(frame, "revenue", money.as_value(currency=context.currency, per=""), subject=subject or "user.company", past=True)
    match = rx(rf"^(?:里|目前|现在|一共|总共|加起来|大概|大约|差不多|就|只|才|是|有|共|全公司|规模)*(?:个)?(?P<n>{_N})(?P<more>多|来|几)?(?:个|号|名|位)?(?:多)?(?:人|员工|同事|小伙伴|口人|成员|老师)(?:$|了|[,，。]|左右|的(?:团队|公司|规模|小))").match(frame.rest)
    if match and (subject or (frame.we and rx(r"公司|团队|组|部门|店|厂|工作室").search(context.sentence))):
        value = _number(match["n"])
        if value:
            approx = bool(match["more"]) or bool(rx(r"大概|大约|差不多|左右").search(body))
            yield draft(frame, "headcount", Value(ValueType.NUMBER, value, "person", approx=approx), subject=subject or team, timeless=True)
    match = rx(r"^(?:总部|办公室|办公地点|地址|店面|工厂|门店|新办公室|注册地)?(?:设|开|坐落|搬|位)?(?:在|于|到|到了)(?P<o>[^,，。]{2,14})").match(frame.rest)
    if match and (subject == "user.company" or rx(r"^(?:我们?的?)?(?:总部|办公室|办公地点|店面?|工厂|门店)").match(body)):
        where = place(match["o"]) or clean(match["o"])
        if good_object(where) and not rx(r"(?:我|这|那|楼|做|招|忙|裁|开|搞|研发)").search(where[:1]):
            moved = Change.CHANGED if "搬" in frame.rest[:4] else Change.NONE
            yield text_draft(frame, "located_in", where, entity=True, subject=subject or "user.company", change=moved, begins=moved is Change.CHANGED)
    match = rx(r"^(?:是|主要|主要是|专门)*(?:做|生产|制造|研发|开发|卖|经营|主营)(?:的是)?(?P<o>[^,，。]{2,14}?)(?:的)?$").match(frame.rest)
    if match and subject == "user.company" and not money:
        for part in items(match["o"]):
            if not rx(r"(?:活动|团建|年会|什么|体检|培训|裁员|调整|生意|项目)").fullmatch(part):
                yield text_draft(frame, "makes_product", part, subject="user.company", timeless=True)


_GRADES = r"大一|大二|大三|大四|大五|研一|研二|研三|博一|博二|博三|博四|高一|高二|高三|初一|初二|初三|[一二三四五六]年级|小学[一二三四五六]年级|小[一二三四五六]|[七八九]年级|幼儿园(?:[大中小]班)?|学前班|[大中小]班|大学|小学|初中|高中|中专|大专|本科|研究生|博士|硕士|职高|技校|高职|预科"


def education(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Grade, degree, school and what is studied."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest = frame.rest
    match = rx(rf"^(?:是|在)?(?:在?[\u4e00-\u9fffA-Za-z]{{2,10}}?(?=[上读念]))?(?P<v>正?(?:在)?(?:上|读|念|就读|升|升到|升入|是|开始读|该上|要上))?(?:了|到)?(?P<o>{_GRADES})(?:了|啦|学生|在读|的学生|下学期|上学期|阶段)?(?:$|[,，。的])").match(rest)
    if match and (match["v"] or rx(r"大[一二三四五]|研|博[一二三四]|高[一二三]|初[一二三]|年级").match(match["o"])) and not rx(r"打算|准备|想").search(frame.adverbs):
        changed = Change.CHANGED if "升" in (match["v"] or "") else Change.NONE
        yield text_draft(frame, "education_level", match["o"], change=changed, begins=changed is Change.CHANGED)
    match = rx(r"^(?:的)?(?:学历是|最高学历是|学历)(?P<o>\S{2,6}?)(?:$|毕业|[,，])").match(rest) or rx(r"^(?:是)?(?P<o>本科|硕士|博士|大专|高中|中专|初中|研究生|专科|博士后)(?:学历|毕业)").match(rest)
    if match:
        yield text_draft(frame, "education_level", clean(match["o"]), timeless=True)
    yield from _schools(frame, context, rest)
    yield from _subjects(frame, context, rest)


def _school(text: str) -> str:
    text = clean(text)
    return text if rx(r"[\u4e00-\u9fffA-Za-z]{0,14}(?:大学|学院|中学|小学|一中|二中|三中|[四五六七八九十]中|附中|附小|高中|职校|技校|党校|商学院|理工|师大|财大|工大|农大|医大|交大|北大|清华|复旦|浙大|南大|武大|中大|华科|川大|厦大|外国语学校|实验学校|幼儿园|训练营|培训班|University|College)").fullmatch(text) and not rx(r"(?:一所|某|这所|那所|读|上|考|一个|大学$)").match(text) else ""


def _schools(frame: FrameZh, context: ContextZh, rest: str) -> Iterator[Draft]:
    match = rx(r"^(?:在|就读于|考上了?|考进了?|考入了?|是)(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?P<v>读书|上学|念书|读研|读博|就读|读大学|上大学|念|读|上|学|留学|交换|进修|的(?:大[一二三四]|研[一二三]|博[一二三])?(?:学生|研究生|博士生|本科生|博士|硕士)|$|[,，])").match(rest)
    if match and (match["v"] not in ("", ",", "，") or not rest.startswith(("在", "是"))):
        school = _school(match["o"])
        if school:
            yield text_draft(frame, "studies_at", school, entity=True, begins=rest.startswith("考"), past=rest.startswith("考"))
    match = rx(r"^(?:是|从)?(?:本科|硕士|博士|研究生|大学|高中)?(?:毕业于|毕业自)(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?:的|$|[,，]|[\u4e00-\u9fff]{2,6}(?:系|专业))").match(rest) or rx(r"^(?:是|从)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?:[\u4e00-\u9fff]{2,6}(?:系|专业))?(?:本科|硕士|博士|研究生)?毕业(?:的|了|$|[,，])").match(rest)
    if match:
        school = _school(match["o"]) or (clean(match["o"]) if rx(r".*(?:大|中|院)$").fullmatch(clean(match["o"])) and len(clean(match["o"])) >= 2 else "")
        if school:
            yield text_draft(frame, "graduated_from", school, entity=True, past=True, begins=True)


def _subjects(frame: FrameZh, context: ContextZh, rest: str) -> Iterator[Draft]:
    match = (
        rx(r"^(?P<neg>没|不)?(?:开始|在|正在|跟着?\S{1,6}|每天|每周|报班|报名|报了班|一边\S{1,4}一边)*(?:自学|学习|学着|学|主修|攻读|辅修|进修|钻研)(?:的是|的|着|了|的专业是)?(?P<o>[^,，。]{1,12})").match(rest)
        or rx(r"^(?P<neg>(?!))?(?:的)?(?:专业|主修|研究方向|考研方向)(?:是|学的是|读的是)?(?P<o>[^,，。]{2,12})").match(rest)
        or rx(r"^(?P<neg>(?!))?(?:在)?(?P<place>在[\u4e00-\u9fffA-Za-z]{2,12}?)?(?:读|念|修)(?:的是|的)?(?P<o>(?!书|研究生|研$|博$|大学|小学|初中|高中|本科|硕士|博士|[大研高初][一二三四]|完|了|到|错|[一二三四五六])[^,，。]{2,10}?)(?:专业|系)?$").match(rest)
        or rx(r"^(?P<neg>(?!))?(?:在)[\u4e00-\u9fffA-Za-z]{2,14}?(?:学|读|攻读|主修)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})(?:专业)?$").match(rest)
        or rx(r"^(?P<neg>(?!))?(?:考研)?报(?:的是|了)(?P<o>[\u4e00-\u9fff]{2,8})(?:专业)?$").match(rest)
    )
    if not match or rx(r"(?:想|打算|准备|计划|要|希望|以前|之前|曾经|小时候)").search(frame.adverbs + rest[: match.start("o")]):
        return
    text = rx(r"(?:专业|系)?(?:的)?(?:[一二两三四五六七八九十半\d]+个?多?(?:年|个月|月|天|周)\S*|了.*|呢|中|得.*|起来.*|课程|课|专业|怎么\S*|的(?:学生|人|时候)\S*|出身|方向)$").sub("", match["o"])
    changed = Change.CHANGED if rx(r"换成|改成|转").search(rest) else Change.NONE
    for part in items(text):
        if rx(rf"(?:{_GRADES}|研|博|书)").fullmatch(part):
            continue
        if not rx(r"(?:会|习|校|生|期|费|分|历|长|姐|弟|妹|到|不|着|完|以致用|乖|坏|好|起|过|懂|医院|籍|位|什么|东西|新东西|知识|点东西|问|术|书|课)").fullmatch(part) and not part.startswith(("会", "不", "习", "得", "到", "过", "着", "完", "起")):
            yield text_draft(frame, "studies", part, negative=bool(match["neg"]), begins=True, past=True, change=changed)


RULES = (names, age, birthday, home, origin, languages, licence, relationship, family, pets, work, experience, tools, organisation, education)
