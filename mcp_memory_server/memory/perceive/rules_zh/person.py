"""Chinese rules: name, age, birthday, home, origin, languages, driving licence."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.chinese import (
    BESIDE,
    ContextZh,
    FrameZh,
    clean,
    draft,
    good_object,
    place,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER, Subject
from mcp_memory_server.memory.perceive.when import Bind, When

_N = r"[0-9]+(?:\.[0-9]+)?|[零一二两三四五六七八九十百]+"


def _number(text: str) -> str:
    if text[0].isdigit():
        return text
    value = numerals.chinese_value(text)
    return numerals.plain(value) if value is not None else ""


def names(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """叫, 名字是, 大家都叫我."""
    rest = rx(r"[“”\"「」《》]").sub("", frame.rest)
    name = r"(?P<o>[A-Za-z][A-Za-z .'-]{0,20}|[\u4e00-\u9fff·]{1,6}(?:[A-Za-z]+)?)"
    match = rx(
        rf"^(?:的)?(?:(?:中文|英文|真实|全|大|小|本)?名(?:字)?(?:就)?(?:叫做?|是|为)|大名(?:叫|是)?|小名(?:叫|是)?|名叫|叫做?|姓名(?:是|叫|为)?)(?!我){name}(?:$|[,，。])"
    ).match(rest)
    if match and frame.path:
        value = clean(match["o"])
        if frame.subject.role == "company":  # 我们公司叫云杉
            yield text_draft(frame, "works_at", value, entity=True, subject=USER, timeless=True)
            return
        if good_object(value) and not rx(r"(?:我|他|她|你|人|车|外卖|醒|停|苦|板|不|做|什么|快递|滴滴)").match(value):
            subject = frame.path
            if rx(r"^的?名").match(frame.rest) and not frame.explicit:
                subject = USER
            yield text_draft(frame, "has_name", value, subject=subject, timeless=True)
        return
    if frame.path == USER and (told := _introduces(frame, context)):
        yield text_draft(frame, "has_name", told, timeless=True)
        return
    nick = rx(
        rf"(?:给我|我)(?:的|有|又|还)?(?:起|取)?(?:了)?(?:一?个)?(?:外号|绰号|昵称|网名|笔名|艺名|花名|英文名|小名)(?:叫做?|是){name}$"
    ).search(frame.body)
    if nick and frame.path:
        yield text_draft(frame, "has_name", clean(nick["o"]), timeless=True)
        return
    if rx(r"(?:别|不要|不用|甭)(?:再)?(?:叫|喊|称呼)我").search(frame.body):
        return
    match = rx(
        rf"(?:大家|朋友们?|同事们?|别人|家里人|身边人|同学们?|他们)?(?:都|一般|平时|可以|就)*(?:叫|喊|称呼)我{name}(?:就行|就好|就可以|即可|吧)?(?:$|[,，。])"
    ).search(rx(r"[“”\"「」]").sub("", frame.body))
    if match:
        value = rx(r"(?:就行|就好|就可以|即可|吧|了)+$").sub("", match["o"])
        done = match["o"].endswith(("了", "啦")) or rx(r"(?:总算|终于|可算|到底)(?:叫|喊)").search(match[0])
        if rx(
            r"(?:一[声下]|(?:去|来|做|别|不|给|帮|把|起床|吃|回|早|多|注意|先|赶|开会|上|下|看|听|出|交|打|买|取|拿|写|发|付|还|关|睡|开[\u4e00-\u9fff]?会).*)"
        ).fullmatch(value) and (frame.clause.times or len(value) > 3):
            return  # what one is to be called for
        if (
            not done
            and good_object(value)
            and not rx(r"(?:去|来|做|别|不|给|帮|把|起床|吃|回|早|多|注意|先|赶|一声|一下)").match(value)
        ):
            yield text_draft(frame, "has_name", value, subject=USER, timeless=True)


def _introduces(frame: FrameZh, context: ContextZh) -> str:
    """我是林晓舟, 本人温守义: a name that the user gives as his or her own."""
    surname = context.words("surnames")
    family = rx(rf"姓(?P<s>{surname})[,，]").search(context.sentence)
    if family and rx(rf"{family['s']}[\u4e00-\u9fff]{{1,2}}").fullmatch(frame.body):
        return frame.body  # 免贵姓沈，沈知远
    bare = frame.clause.text.startswith("本人")
    match = rx(
        rf"^(?:(?P<v>是)|(?=[\u4e00-\u9fff]))(?P<o>(?:{surname})[\u4e00-\u9fff]{{1,2}}|[小老阿](?:{surname}))$"
    ).match(frame.rest)
    if not match or not (match["v"] or bare) or frame.adverbs:
        return ""
    name = match["o"]
    greeted = rx(r"你好|您好|大家好|自我介绍|幸会|初次").search(context.text)
    if len(name) < 3 and not (greeted and match["v"]):
        return ""
    if context.has("occupations", name) or rx(
        r".*(?:[生员师人家者粉迷控党士手工友民长星座型的了女男族派科岁]|老板|身|年|月|中|班)|.*[一二三四五六七八九十].*|(?:单身|农村|安全|成年|解放|常|全).*"
    ).fullmatch(name):
        return ""
    return name


def age(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """三十二岁, 今年二十八, 八个月大."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    match = rx(
        rf"^(?:已经|刚|快|才|都|也|马上|虚岁|实岁|周岁|是|有|今年|满|过了|大概|差不多|只|年龄|年纪)*(?P<n>{_N})(?P<h>个?半)?(?:多|来)?(?P<u>周?岁|个月大|个月(?=$)|周大|天大)(?P<h2>半)?(?:零?[一二两三四五六七八九十\d]+个月)?(?:了|啦|多|高龄|整|大寿)*(?:$|[,，。的大])"
    ).match(frame.rest)
    if match:
        value = _number(match["n"])
        if value and 0 < float(value) < 121:
            unit = (
                "month"
                if "月" in match["u"]
                else "week"
                if "周大" in match["u"]
                else "day"
                if "天" in match["u"]
                else "year"
            )
            if (
                unit == "month"
                and "大" not in match["u"]
                and frame.subject.role not in ("pet", "son", "daughter", "child")
            ):
                return
            half = match["h"] or match["h2"]
            yield draft(frame, "age", Value(ValueType.NUMBER, f"{value}.5" if half else value, unit), timeless=True)
        return
    kept = rx(rf"^(?:才|已经)?(?:过完?|庆祝|办)了?(?P<n>{_N})岁(?:的)?生日").match(frame.rest)
    if kept and (value := _number(kept["n"])):
        yield draft(frame, "age", Value(ValueType.NUMBER, value, "year"), timeless=True)
        return
    this_year = "今年" in frame.clause.text
    rest = rx(r"(?<=十)有(?=[一二三四五六七八九])").sub("", frame.rest)  # 八十有二
    match = rx(
        rf"^(?:已经|都|刚|才|刚好|正好|也|快|满|虚岁|周岁)*(?P<n>{_N})(?:好几|多|出头|来岁)?(?:大寿|高寿|高龄)?(?P<le>了|啦|整)?$"
    ).match(rest)
    only = rx(r"^(?:我|本人)[二三四五六七八九]?十[一二三四五六七八九]?$").match(context.text.strip().rstrip("。.!！"))
    alone = frame.explicit and frame.path == USER and match and "了" not in frame.rest[:1]
    counted = (
        alone
        and match
        and (match["le"] or "有" in frame.rest[1:3])
        and rx(r"^\D{2,3}[了啦]?$|^\d\d[了啦]?$").match(rest)
    )
    grown = match and (
        only or (match["le"] and frame.subject.role) or counted or rx(r"满|虚岁|周岁").search(frame.rest)
    )
    if (this_year or grown) and match and not rx(r"(?:年|预算|收入|营收|工资|人)").search(frame.rest):
        value = _number(match["n"])
        if value and 3 < float(value) < 121 and "." not in value:
            yield draft(frame, "age", Value(ValueType.NUMBER, value, "year"), timeless=True)


def _date_value(when: When) -> str:
    if len(when.future) != 10 or "/" in when.future:
        return ""
    return when.future if when.future == when.past else f"--{when.past[5:]}"


def birthday(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """生日, 出生于."""
    text = frame.clause.text
    told = rx(r"生日|出生|生于|(?:年|月|日|号)生(?:的|人)?$|生的$").search(text) or (
        "生日" in context.sentence and rx(r"^(?:是|,|，)?$").match(frame.rest)
    )
    kept = rx(r"[月]\S{1,3}[号日](?:是)?过生日$").search(text)
    if not told or (
        not kept and rx(r"礼物|派对|蛋糕|聚会|快乐|会$|party|怎么过|想|打算|提醒|送|过生日|快到|旅").search(text)
    ):
        return
    subject = frame.path
    if not subject:
        return
    for when in frame.clause.times:
        begin = frame.clause.sentence_start
        raw = context.sentence[max(0, when.start - begin) : when.end - begin]
        value = _date_value(when)
        if (
            not value
            and rx(r"出生|生于|生的|生人").search(frame.clause.text)
            and rx(r"\d{4}(?:-\d\d)?").fullmatch(when.future)
        ):
            value = when.future
        if (
            value
            and when.bind is Bind.AT
            and rx(r"[号日]|[\d一二三四五六七八九十]月|\d年").search(raw)
            and not rx(r"不是$").search(frame.clause.text[: max(0, when.start - frame.clause.start)])
        ):
            yield draft(frame, "birthday", Value(ValueType.DATE, value), subject=subject, timeless=True)
            return


def home(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """住在, 搬到, 家在, 坐标."""
    rest = frame.rest
    if not rest.startswith("在"):
        rest = rx(rf"^{BESIDE}(?=住|定居|居住|租房|租住|[暂旅寄客现久常蜗]居|搬到|搬去|搬来|移居|移民|落户)").sub(
            "", rest
        )
    if not frame.explicit and rx(r"^家[在住]|^住(?!着)").match(rest):
        frame.subject = Subject(USER)  # 公司在城东，家在城西
    moved = rx(
        r"^(?:从(?P<from>\S{1,8}?))?(?:已经|刚|又|举家|全家)*(?:搬家?|迁居?|移居|移民|移民到|落户|调)(?:到|去|来|至|回)(?:了)?(?P<o>.+)"
    ).match(rest)
    if moved and frame.subject.role in ("company", "team"):
        return
    if moved and frame.path:
        where = place(moved["o"])
        if good_object(where) and not rx(r"(?:打算|准备|想|要|计划|考虑|会)").search(
            frame.adverbs + rest[: moved.start("o")]
        ):
            yield text_draft(frame, "lives_in", where, entity=True, begins=True, past=True, change=Change.CHANGED)
        return
    match = rx(
        r"^(?P<neg>不|没有?)?(?:再)?(?:家?住在|家?住(?!院|宿|的|了两?晚|[一二两三四五六七八九十几\d]+[晚天夜]|两晚|一晚|酒店|几)|(?:家)?安(?:家)?在了?|[暂旅寄客现久常蜗]居(?:在|于)?|(?:base|Base|BASE)(?:在|于)?|居住(?:在|于)|定居(?:在|于)?|租住在|租房在|安家(?:在|于)?|坐标[:：]?|人在|家在|常住|长住|暂住|扎根|生活在|待在|一个人住在?|(?:家人|父母|爸妈|室友|朋友|老公|老婆|对象)?一起住在)(?:是)?(?P<o>.+)"
    ).match(rest) or rx(
        r"^在(?P<o>[^,，]{1,10}?)(?P<neg>不)?(?:住|居住|定居|生活|租房|安家|安了家|租了)(?!院)(?:$|着|了|过|[,，]|.{0,6}$)"
    ).match(rest)
    if match and frame.path and rx(r"(?:想|打算|准备|希望)").search(rest[: match.start("o")] + frame.adverbs) is None:
        text = match["o"]
        where = place(text + "住") if rest.startswith("在") else place(text)
        past = rx(r"(?:以前|之前|从前|原来|曾经|过去|那时|当时|小时候)").search(
            frame.adverbs + frame.clause.text
        ) or rx(r"过(?:$|[,，了])|待过|住过").search(rest)
        if good_object(where) and not rx(r"[分买租盖借]$").search(where):
            company = frame.subject.role in ("company", "team")
            timed = any(w.bind is not Bind.REPEAT and w.future for w in frame.clause.times)
            if past and not timed:
                yield text_draft(frame, "lives_in", where, entity=True, negative=True, ends=True)
            else:
                yield text_draft(
                    frame,
                    "located_in" if company else "lives_in",
                    where,
                    entity=True,
                    negative=bool(match["neg"]),
                    past=bool(past) or (timed and bool(rx(r"过|了").search(rest))),
                )
        return
    came = rx(r"^来(?:的|到了?)(?P<o>[\u4e00-\u9fff]{2,3})(?:$|[,，])").match(rest)
    if came and frame.path and any(len(when.future) == 4 for when in frame.clause.times) and good_object(came["o"]):
        yield text_draft(frame, "lives_in", came["o"], entity=True, begins=True, past=True)
        return
    match = rx(
        r"^(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})(?:就)?是(?:我|咱)(?:现在|目前)?的?(?:家|住处|住的地方|居住地)"
    ).match(rx(r"现在|目前").sub("", frame.body))
    if match:
        yield text_draft(frame, "lives_in", match["o"].rstrip("就"), entity=True, subject=USER)


def origin(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """老家, 来自, 是…人."""
    if not frame.path:
        return
    match = (
        rx(r"^(?:的)?(?:老家|家乡|籍贯|祖籍|出生地|娘家|原籍)(?:就)?(?:在|是)?(?P<o>[^,，]+)").match(frame.rest)
        or rx(
            r"^(?:是)?(?:来自于?|生于|出生在|出生于|生在)(?P<o>[\u4e00-\u9fffA-Za-z]{2,10}?)(?:来的?|的|长大|$|[,，])"
        ).match(frame.rest)
        or rx(
            r"^(?:是)?(?:土生土长|地地道道|地道|正宗|正儿八经)的?(?P<o>[\u4e00-\u9fff]{2,6}?)(?:本地)?(?:人|伢|妹子|娃|汉子|姑娘|小伙)$"
        ).match(frame.rest)
        or rx(r"^(?:是)?(?:从小)?(?:在)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:长大|出生|生的|土生土长)").match(frame.rest)
        or rx(
            r"^是(?:个|土生土长的|地地道道的|地道的|正宗的|纯正的|一个|老)*(?P<o>[\u4e00-\u9fff]{2,6}?)(?:本地)?人(?:$|[,，。])"
        ).match(frame.rest)
    )
    match = match or rx(
        r"^(?:是)?从(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:那边|山里|农村|乡下|小县城)*(?:考|走)?(?:出)?来的$"
    ).match(frame.rest)
    if not match and frame.body == frame.rest and rx(r"我叫|我是|本人").search(context.sentence):
        match = rx(r"^(?P<o>[\u4e00-\u9fff]{2,6})人$").match(frame.body)  # 我叫…，山东临沂人
    if not match:
        return
    if rx(r"[我你他她]|叫|管|^(?:南|北)方$").search(match["o"]):
        return
    where = clean(rx(r"(?:的|那边|那里|这边|一带|农村|乡下|县城里)$").sub("", match["o"]))
    if not good_object(where) or rx(
        r"(?:男|女|老|好|坏|工|军|商|诗|病|客|.{1,5}(?:边|旁|里|上|下)|.*(?:退下|退|调|转|跳|辞|逃|赶).*|成年|年轻|普通|平常|正常|聪明|大|小|外地|.*家|本地|当地|农村|城里|单身|独生|残疾|老实|善良|合伙|负责|主持|经纪|创始|候选|残|盲|聋|话|素食|同路|过来|自己|局外|中间|介绍|联系|继承|证婚|发言|法|\S+的|内向|外向|隐形|早起|夜猫|左撇子|一个|爱\S|喜欢\S*|做\S+|搞\S+|[一两三四五六七八九十]个|唯一|第一)"
    ).fullmatch(where):
        return
    yield text_draft(frame, "hometown", where, entity=True, timeless=True)


def languages(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """会说, 母语, 一句都不会."""
    if not frame.path:
        return
    word = context.words("languages")
    text = frame.rest if not frame.topic else f"{frame.topic}{frame.rest}"
    text = rx(r"^的").sub("", text)
    dialect = rx(
        r"^(?:讲|说|操着?|讲得|说得)?(?:着)?一口(?:流利|地道|纯正|标准)?的?(?P<o>[\u4e00-\u9fff]{1,4}[话语文])"
    ).match(text)
    if dialect:
        yield text_draft(frame, "speaks", dialect["o"], timeless=True)
        return
    barely = rx(rf"^(?:听不懂|说不来|讲不来|不会(?:说|讲)|不懂|不会)(?P<o>(?:{word})(?:[、和跟与](?:{word}))*)").match(
        text
    )
    if barely:
        for part in rx(rf"(?:{word})").findall(barely["o"]):
            yield text_draft(frame, "speaks", part, negative=True, timeless=True)
        return
    match = rx(
        rf"^(?P<neg>不太?|不怎么)?(?:会|能|可以|擅长)?(?:用)?(?:说|讲|懂|听懂|会|精通|通晓|熟练掌握|熟练使用)(?:一?点|流利的|一口|地道的|些|简单的|流利|一口流利的)*(?P<o>(?:{word}).*)"
    ).match(text) or rx(rf"^(?:的)?(?:母语|第一语言|第二语言|外语)(?:是)?(?P<neg>不)?(?P<o>(?:{word}).*)").match(text)
    if match and not rx(r"学|练|考").match(text):
        for part in rx(rf"(?:{word})").findall(match["o"].split("但")[0]):
            yield text_draft(frame, "speaks", part, negative=bool(match["neg"]), timeless=True)
        return
    match = rx(
        rf"^(?P<o>(?:{word})(?:[、和跟与](?:{word}))*)(?:我)?(?:是|也|都|还|倒|只|反而|基本上?|完全|就)*(?P<p>一(?:句|个字|个词|个单词|点儿?|窍)(?:话)?(?:都|也)?不(?:会|懂|通|认识)|(?:只)?听得懂(?:但|,|，)?不会(?:说|讲)|说不来|讲不来|能[^,，]{{0,8}}交流|(?:早|全|都)*就?(?:全|都)?还给(?:了)?(?:老师|课本|书本)|(?:还算|算是|比较|挺|很|非常)(?:流利|好|不错|溜|熟练)|不错|很溜|还行|过关|完全不会|不会说?|不懂|听不懂|说得|讲得|很流利|流利|没问题|能交流|也会|会一?点|都会|会说|能说|会(?=$|[,，]))"
    ).match(text)
    if match:
        negative = bool(rx(r"不会|不懂|听不懂|不通|不认识|不来|还给").search(match["p"])) or bool(
            rx(r"(?:不好|很烂|很差|不行|不流利|磕磕绊绊)").search(text)
        )
        for part in rx(rf"(?:{word})").findall(match["o"]):
            yield text_draft(frame, "speaks", part, negative=negative, timeless=True)


def licence(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """驾照."""
    match = rx(
        r"(?P<v>没有?|还没|有|持有?|考了|考到|考下|拿到|拿了|考过|拿下|没考|没拿|考出|考取)\S{0,4}?(?:驾照|驾驶证|驾驶执照|驾本)"
    ).search(frame.rest) or rx(r"(?:驾照|驾驶证|驾本)\S{0,2}?(?P<v>没有|还没|考下来|到手|拿到|考出来|有)").search(
        frame.body
    )
    if not match and rx(r"科[一二三四]|科目|C[12]|B[12]|A[12]|驾").search(context.text):
        match = rx(r"(?:本子|本儿|车本|小本)[^,，]{0,3}?(?P<v>还没|没|下来|到手|拿到)").search(frame.body)
    lost = rx(r"(?:驾照|驾驶证|驾本)\S{0,8}?被?(?:吊销|注销|没收|扣了|暂扣)").search(frame.body)
    never = rx(r"(?:没|没有|从没)学过(?:开)?车$|^(?:我)?(?:都|也|压根)?(?:还没|没)(?:去)?考(?:过|呢|下来)?$").search(
        frame.rest
    )
    if lost or (never and "驾" in context.text):
        subject = USER if frame.path != USER and not frame.explicit else frame.path
        yield draft(
            frame,
            "has_driving_license",
            Value(ValueType.BOOLEAN, "true"),
            negative=True,
            subject=subject,
            timeless=True,
        )
        return
    planned = r"打算|准备|想|计划|要考|报名|(?<!没)(?<!没有)(?<!没去)考驾照"
    if match and frame.path and not rx(planned).search(frame.rest):
        begun = bool(rx(r"考|拿|到手|下来").search(match["v"])) and "没" not in match["v"]
        yield draft(
            frame,
            "has_driving_license",
            Value(ValueType.BOOLEAN, "true"),
            negative="没" in match["v"],
            begins=begun,
            past=begun,
        )


RULES = (names, age, birthday, home, origin, languages, licence)
