"""Chinese rules: employer, occupation, experience, tools."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
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
from mcp_memory_server.memory.perceive.lexicon import once
from mcp_memory_server.memory.perceive.rules_zh.person import _N, _number
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def _is_firm(text: str, context: ContextZh) -> bool:
    if rx(
        r"(?:一家|一所|一个|一间|某|这家|那家|几家|一些|别的|其他|各大|一线|互联网|上市|国企|央企|外企|民企|私企|事业单位|体制内|.{0,2}公司$)"
    ).match(text):
        return False
    if rx(r"[A-Z][A-Za-z&. ]+").fullmatch(text):
        return True
    return 3 <= len(text) <= 16 and bool(context.rx(r".+(?:⟨firms⟩)$").fullmatch(text))


def _moves(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """不在梧桐了, 跳槽去了松果, 在一家叫青禾的机构上班."""
    rest = frame.rest
    gone = rx(r"^(?:已经|早就)?不(?:再)?在(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,16}?)(?:上班|工作|干|做|任职)?了$").match(
        rest
    )
    if gone and _is_firm(gone["o"], context):
        yield text_draft(frame, "works_at", gone["o"], entity=True, negative=True, ends=True, past=True)
        return
    hired = rx(
        r"^(?:刚|已经|新|成功)?(?:入职|跳槽(?:到|去)|onboard)(?:的是|了)?(?P<o>[\u4e00-\u9fffA-Za-z0-9&. ]{2,10}?)(?:上班|工作|任职|做|当|了|担任|$|[,，])"
    ).match(rest)
    if (
        hired
        and good_object(clean(hired["o"]))
        and not _is_firm(hired["o"], context)
        and not rx(
            r"(?:一家|一个|一所|新|某|别的|其他|同行|大厂|外企|国企|央企|民企|私企|互联网|体制|前|后|手续|体检|培训|第|满|快|半|[一二两三四五六七八九十\d]).*|.*(?:公司|企业|行业|单位|部门|年|月|天)"
        ).fullmatch(hired["o"])
    ):
        yield text_draft(
            frame, "works_at", clean(hired["o"]), entity=True, begins=True, past=True, change=Change.CHANGED
        )
        return
    jumped = rx(
        r"^(?:刚|刚刚|才|又|已经)*从(?P<a>[\u4e00-\u9fffA-Za-z&. ]{2,10}?)(?P<v>跳槽?|转|调|换)(?:到|去|进)了?(?P<b>[\u4e00-\u9fffA-Za-z&. ]{2,10}?)(?:上班|工作|了|去了)?$"
    ).match(rest)
    if jumped and (jumped["v"].startswith("跳") or (_is_firm(jumped["a"], context) and _is_firm(jumped["b"], context))):
        yield text_draft(frame, "works_at", jumped["b"], entity=True, begins=True, past=True, change=Change.CHANGED)
        yield text_draft(frame, "works_at", jumped["a"], entity=True, negative=True, ends=True, past=True)
        return
    called = rx(
        r"^(?:是)?在一?(?:家|个|所)(?:名叫|名为|叫做?)(?P<o>[\u4e00-\u9fffA-Za-z0-9 ]{2,12}?)的(?P<k>[\u4e00-\u9fff]{2,8}?)(?:上班|工作|任职|实习|打工|做|当|担任)(?P<t>.*)$"
    ).match(rest)
    if called:
        school = rx(r"学校|大学|学院|中学").search(called["k"]) and "读" in rest
        if not school:
            yield text_draft(frame, "works_at", called["o"], entity=True)
        yield from _occupation(frame, context, called["t"])


def _driver(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """开网约车."""
    rest = rx(r"^(?:白天|晚上|夜里|平时|周末|下班后?|业余|闲时)(?:就|还|也)*").sub("", frame.rest)
    street = rx(r"^在(?P<o>(?:送|跑|摆|卖)(?!礼|步)[\u4e00-\u9fff]{1,4})(?:的)?$").match(rest)
    if street and rx(r"一直|现在|目前|如今|还").search(frame.adverbs + frame.clause.text):
        yield text_draft(frame, "job_title", street["o"])
        return
    driver = rx(
        r"^(?:是)?(?:开|跑)(?P<o>网约车|出租车?|滴滴|货车|卡车|大货|大巴|公交车?|地铁|高铁|校车|吊车|叉车|挖掘机|塔吊|专车)(?:的|为生|谋生)?(?:司机)?$"
    ).match(rest)
    if driver:
        yield text_draft(frame, "job_title", f"开{driver['o']}")


def _resigned(name: str, told: str) -> bool:
    """从禾木辞了: one resigns from an employer, whatever its name."""
    return (
        rx(r"辞职|辞了|离职|裸辞|跳槽|被裁").search(told) is not None
        and rx(r"[\u4e00-\u9fffA-Za-z]{2,6}").fullmatch(name) is not None
        and rx(
            r".*(?:公司|单位|那里|那儿|那边|这里|这儿|里|家|行业|岗位|职位|部门|学校|医院|银行|那|原来|之前|上家)"
        ).fullmatch(name)
        is None
    )


def work(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Employer and occupation: 在远帆物流做会计, 入职, 离职, 是护士."""
    if not frame.path or rx(r"(?:想|打算|准备|计划|希望|考虑)").search(frame.adverbs):
        return
    rest = frame.rest
    told = list(first_of(frame, context, _moves, _driver))
    if told:
        yield from told
        return
    left = rx(
        r"^(?:已经)?(?:从|离开)了?(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,16}?)(?:了|离职|辞职|辞了|走了|走人|转业|退役|退伍|退休|退下来的?|内退|出来|被裁|跳槽|裸辞|下岗|毕业|$)"
    ).match(rest)
    if (
        left
        and (_resigned(left["o"], rest) or _is_firm(left["o"], context))
        and rx(r"离职|辞|裁|退|转业|离开|出来|走了|走人|跳槽").search(rest)
    ):
        yield text_draft(frame, "works_at", left["o"], entity=True, negative=True, ends=True, past=True)
        return
    joined = rx(
        r"^(?:刚|已经|新)?(?:入职(?:的是)?|加入|跳槽(?:到|去)|跳到|调到|调去|进了|进入|换到|去)了?(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,16}?)(?:上班|工作|任职|做|当|了|担任|$|[,，])"
    ).match(rest)
    if joined and _is_firm(joined["o"], context) and (not rest.startswith("去") or rx(r"上班|工作|任职").search(rest)):
        yield text_draft(frame, "works_at", joined["o"], entity=True, begins=True, past=True, change=Change.CHANGED)
    match = rx(
        r"^(?P<neg>不)?(?:是)?(?:在|就职于|任职于|供职于|受雇于|服务于|目前在)(?P<o>[^,，。]{1,24}?)(?P<v>上班|工作|任职|就职|供职|实习|打工|打杂|做|当|担任|搞|干|负责|从事|带|教|开发|开|管|跑|任|$)"
    ).match(rest)
    if match and (match["v"] or not rest.startswith("在")):
        where, after = match["o"], rest[match.end("v") :]
        past = bool(rx(r"(?:以前|之前|从前|曾经|过去)").search(frame.adverbs + frame.clause.text)) or bool(
            rx(r"过").match(after)
        )
        if _is_firm(where, context):
            timed = any(w.future for w in frame.clause.times)
            if match["v"] == "开" and rx(r"了?(?:一?家|个|店|公司|会|课|诚)").match(after):
                return
            yield text_draft(
                frame,
                "works_at",
                where,
                entity=True,
                negative=bool(match["neg"]) or (past and not timed),
                ends=bool(match["neg"]) or (past and not timed),
                past=past,
            )
        elif (
            frame.path == USER
            and (not past or any(w.future for w in frame.clause.times))
            and rx(r"[\u4e00-\u9fff]{2,3}").fullmatch(where)
            and match["v"] in ("工作", "上班")
            and not rx(
                r"(?:家里|外地|这里|那里|外面|公司|国企|外企|工地|工厂|医院|学校|银行|单位|体制|网上|线上|办公室|一线|前台)"
            ).fullmatch(where)
        ):
            yield text_draft(
                frame,
                "works_at",
                where,
                entity=True,
                past=bool(frame.clause.times) and frame.clause.times[0].future < frame.clause.today,
            )
        if match["v"] in ("做", "当", "担任", "任", "干"):
            named = match["v"] in ("当", "担任", "任") and rx(r"[\u4e00-\u9fffA-Za-z]{2,5}").fullmatch(after)
            yield from _occupation(frame, context, after, past=past, sure=named is not None)
        return
    yield from _titles(frame, context)


def _titles(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    rest = frame.rest
    match = rx(
        r"^(?P<neg>不)?(?:是|(?:退休|退役|下岗|结婚|辞职)前是|(?:本职|主业|副业|老本行|正职|身份|title|Title)(?:工作)?(?:还|就)?是|现任|时任|出任|转岗(?:当|做|到)了?|改行当了?|转型做了?|当上?了?|做(?:的是)?(?!菜|咖啡|饭)|担任|升(?:任|为|成|职为)?|晋升为?|提拔为|提(?:了|为|成)|成为了?|转行做了?|转行当了?|转做|转岗做|改行做|从事|职业是|的?(?:工作|职业|岗位|职位|职务)是|干(?:的是)?|被提拔为|升到)(?:了)?(?P<o>[^,，。]{2,20})"
    ).match(rest)
    if not match:
        return
    if rest.startswith(("做", "干", "当", "从事")) and rx(r"[一二两三四五六七八九十\d]+多?年").search(
        frame.clause.text
    ):
        return  # how long it was done is told: that is experience
    person = frame.subject.role not in ("company", "team", "pet")
    if person and match["o"].endswith(("的", "的吧", "的呢")) and rest.startswith("是"):
        trade = rx(
            r"个?(?P<o>(?:开|修|做|干|卖|跑|送|搞|写|种|养|画|弹|唱|管|带|看|烧|剪|装|焊|教|拉|推|打)(?!心|玩笑|的)[\u4e00-\u9fffA-Za-z]{1,6})的(?:吧|呢)?$"
        ).match(match["o"])
        if trade and not match["neg"] and not rx(r"我|你|他|她|买|得|了|过|自己|哪|什么").search(trade["o"]):
            yield text_draft(frame, "job_title", f"{trade['o']}的")
            return
    firm = rx(r"^是(?P<f>[\u4e00-\u9fffA-Za-z]{3,14}?)的(?P<t>[\u4e00-\u9fffA-Za-z]{2,8})$").match(rest)
    if firm and _is_firm(firm["f"], context) and not match["neg"]:
        before = list(_occupation(frame, context, firm["t"]))
        if before:
            yield text_draft(frame, "works_at", firm["f"], entity=True)
            yield from before
            return
    changed = Change.CHANGED if rx(r"当上|升|晋升|提拔|成为|转").match(rest) else Change.NONE
    past = bool(
        rx(r"(?:以前|之前|从前|曾经|过去|当年|年轻时|(?:退休|退役|下岗|辞职)前)").search(
            frame.adverbs + frame.clause.text
        )
    )
    yield from _occupation(
        frame,
        context,
        match["o"],
        negative=bool(match["neg"]),
        past=past,
        change=changed,
        sure=bool(rx(r"担任|现任|时任|出任|职业|工作|岗位|职位|本职|主业|title|Title|职务").search(match[0]))
        or (
            bool(rx(r"^(?:做|当|任|干)[\u4e00-\u9fffA-Za-z]{2,5}$").match(rest))
            and bool(rx(r"入职|跳槽|就职|任职|上班|进了|onboard").search(context.sentence))
        ),
    )


_NO_JOB = r"(?:学生|大学生|研究生|博士生|高中生|初中生|小学生|中学生|留学生|新生|毕业生|独生|先生|新手|老手|选手|高手|左撇子|好人|老人|病人|男生|女生|医学生|师范生|准考生|考生|监护人|用户|会员|党员|团员|成员|球员|人员|家长|班长|学霸|学渣|独生子女|独生女|独生子|一员|队员|吃货|社恐|单身|路痴|夜猫子|作者|患者|爱好者|素食者|初学者|前者|后者|消费者|志愿者|第三者|受害者|生意|家务|作业|饭|菜|实验|手术|运动|梦|事|什么|主|朋友|同事|同学)"


def _occupation(
    frame: FrameZh,
    context: ContextZh,
    text: str,
    *,
    negative: bool = False,
    past: bool = False,
    change: Change = Change.NONE,
    sure: bool = False,
) -> Iterator[Draft]:
    text = rx(r"^(?:了)?(?:一辈子|大半辈子|半辈子|好多年|多年|好几年)的?").sub("", text)
    text = (
        rx(
            r"(?:一名|一个|一位|名|个|位|兼职|全职|专职|职业|普通|资深|小|一枚|枚|家|的)*(?=[\u4e00-\u9fffA-Za-z]{2})"
        ).sub("", text, count=1)
        if rx(r"(?:一名|一个|一位|名|个|位|兼职|全职|专职|一枚|枚|的)").match(text)
        else text
    )
    text = rx(
        r"(?:有|已经|快|大概|差不多|做|干)?[一二两三四五六七八九十百\d]+多?年(?:了|多)?.*$|的第.*$|(?:的)?(?:工作|一职|岗位|职位|职务)$|(?:了|过|,|，).*$"
    ).sub("", text)
    english = once(context.vocabulary, "zh english jobs", lambda v: frozenset(v.words("en", "occupations")))
    if rx(r"[a-z ]+").fullmatch(text.strip().lower()) and text.strip().lower().split()[-1] in english:
        yield text_draft(frame, "job_title", text.strip())
        return
    parts = rx(r"和|兼|、|/").split(text)
    for part in parts:
        word = clean(rx(r"^.*(?:的)(?=[\u4e00-\u9fff]{2,})").sub("", part) if "的" in part else part)
        opening = next((word[:n] for n in range(len(word) - 2, 1, -1) if context.has("occupations", word[:n])), "")
        if sure and opening and rx(r"[带卖教做负管搞][\u4e00-\u9fff]{1,3}").fullmatch(word[len(opening) :]):
            word = opening  # 主播带货
        bare = word
        for _ in range(len(word)):
            if context.has("occupations", bare) or bare.lower() in english:
                break
            bare = bare[1:]
        if not good_object(word) or rx(rf".*{_NO_JOB}$").fullmatch(word):
            continue
        if (
            bare
            or rx(
                r"[\u4e00-\u9fffA-Za-z]{0,8}(?:[\u4e00-\u9fff][农女男技民矿钳焊车瓦木电铆修杂清童]工|[军校村狱]医|包工头|厨子|铁匠|木匠|石匠|鞋匠|银匠|瓦匠|裁缝|船长|机长|列车长|护士长|教导员|警察|法医|村医|掌柜|学徒|组长|班组长|负责人|创始人|合伙人)"
            ).fullmatch(word)
            or rx(
                r"[\u4e00-\u9fffA-Za-z]{1,8}(?:工程师|设计师|[^老]师(?!傅)|师傅|[^人成会党队学组演球]员|医生|专员|经理|总监|主管|助理|秘书|顾问|专家|教练|导演|司机|主任|处长|科长|局长|院长|厂长|店长|站长|队长|所长|部长|会计|编辑|翻译|代理|经纪人|主持人|策划师|开发|架构|运维|保安|商人|裁缝|老板|匠人|木匠|铁匠|画家|作家|科学家|音乐家)"
            ).fullmatch(word)
            or (sure and len(word) <= 8)
        ):
            over = past and not negative and not any(w.future for w in frame.clause.times)
            yield text_draft(
                frame,
                "job_title",
                word,
                negative=negative or over,
                ends=over,
                past=past or change is Change.CHANGED,
                begins=change is Change.CHANGED,
                change=change,
            )


def experience(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """做会计十年了, 有五年焊接经验."""
    if not frame.path:
        return
    text = frame.clause.text
    line = (
        rx(
            rf"在(?P<f>这行|这一行|这个行业)(?:里)?(?:干了?|做了?|混了?|待了?)?(?:已经|快|有|整整)*(?P<n>{_N})(?P<more>多|来|几)?(?P<u>年)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"在(?P<f>[\u4e00-\u9fffA-Za-z]{{1,8}}?)(?:这)?(?:行业|行|圈|领域|界|方面)?(?:里)?(?:摸爬滚打|干|做|混|工作|打拼|泡|(?<=[行业圈域界里])待|(?<=[行业圈域界里])呆)了?(?:已经|快|有|整整)*(?P<n>{_N})(?P<more>多|来|几)?(?P<u>年)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"(?:从业|从事)(?P<f>[\u4e00-\u9fffA-Za-z]{{2,8}}?)(?:工作|行业)?(?:已经|有|快)*(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"(?P<f>入行|从业|执教|从教|行医|从医|从军|执业)(?:已经|快|有|都|也)*(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"(?P<v>[学写做练教开弹画修拉唱跳])(?P<f>[\u4e00-\u9fffA-Za-z+#]{{1,8}}?)(?P=v)了?(?:快|有|整整|已经)*(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"(?:做|干|当|打|教|学|写|弹|练|拉|画|跳|唱)[过了](?:快|有)?(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?的?(?P<f>[\u4e00-\u9fffA-Za-z+#]{{2,6}})$"
        ).search(text)
    )
    bare = rx(rf"^(?:一?干|做|当|教|开|写|跑)(?:了|就是)+(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?(?:多)?了?$").match(
        text
    )
    trade = (
        rx(r"(?:做|当|干|教|开|写|跑)(?P<f>[\u4e00-\u9fffA-Za-z]{2,6})[,，]").search(context.sentence) if bare else None
    )
    if bare and trade and good_object(trade["f"]):
        yield draft(
            frame,
            "years_of_experience",
            Value(ValueType.NUMBER, _number(bare["n"]) + (".5" if bare["h"] else ""), "year", trade["f"]),
            timeless=True,
        )
        return
    if line and (
        (_is_firm(line["f"], context) and line[0].startswith("在"))
        or rx(
            r"(?:这里|那里|外面|外地|家里?|北京|上海|公司|学校|单位|国外|海外|一起|地方|[\u4e00-\u9fff]{1,3}[省市县区])"
        ).fullmatch(line["f"])
    ):
        line = None
    match = line or (
        rx(
            rf"(?:有|具有|具备)(?:了|着)?(?P<n>{_N})(?P<more>多)?(?P<u>年|个月)(?P<h>半)?的?(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,12}}?)(?:工作|开发|从业|教学|行业|相关)?经验"
        ).search(text)
        or rx(
            rf"(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,10}}?)(?:工作|从业|教学)?经验(?:有|大概|差不多|大约|快)?(?P<n>{_N})(?P<more>多)?(?P<u>年|个月)(?P<h>半)?"
        ).search(text)
        or rx(
            rf"(?:做|干|搞|从事|教|写|当|开|拉|弹|画|唱|练|修)(?P<f>(?![了过])[\u4e00-\u9fffA-Za-z+#.]{{1,10}}?)(?:这行|工作|行业)?(?:已经|有|快|差不多|大概|整整|都|也)*(?P<n>{_N})(?P<more>多|来)?(?P<u>年)(?P<h>半)?(?:多)?(?:了|$|经验)"
        ).search(text)
        or rx(
            rf"(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{1,8}})(?:我)?(?:做|干|写|教|搞|学|开|练|弹|画|唱|拉|跳|种|卖)了?(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?(?:多)?(?:了|$)"
        ).search(text)
        or rx(
            rf"(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?(?:的)?(?P<f>[\u4e00-\u9fffA-Za-z+#.]{{2,8}}?)(?:从业)?经验"
        ).search(text)
        or rx(rf"(?P<f>教龄|驾龄|工龄|烟龄|从业)(?:有|已经|都)*(?P<n>{_N})(?P<more>多)?(?P<u>年)(?P<h>半)?").search(
            text
        )
    )
    if not match:
        return
    field = rx(r"^(?:我|我们|的|已经|现在|一直|也|在)+|(?:了|的|已经|有|工作|相关|我)$").sub("", match["f"])
    value = _number(match["n"])
    if (
        value
        and field
        and good_object(field)
        and not rx(
            r"(?:前后|前前后后|一共|总共|拢共|足足|断断续续|梦|饭|家务|朋友|老婆|同学|学|梦想|车|这个|它|邻居|夫妻|兄弟|姐妹|同事)"
        ).fullmatch(field)
    ):
        unit = "month" if "月" in match["u"] else "year"
        amount = f"{value}.5" if match["h"] else value
        yield draft(
            frame,
            "years_of_experience",
            Value(ValueType.NUMBER, amount, unit, field, bool(match["more"])),
            timeless=True,
        )


_TOOL = r"[A-Za-z][A-Za-z0-9+#. -]*[A-Za-z0-9+#]|[\u4e00-\u9fff]{1,6}(?:手机|平板|耳机|文档|软件|笔记|表格|平台|系统|浏览器|输入法|编辑器|云盘|网盘|日历|地图|音乐|会议|邮箱|本|电脑|相机|手写板|数位板|语雀|云|办公|清单)|飞书|钉钉|企业微信|微信|语雀|石墨|有道|印象|剪映|小红书|知乎|微博|抖音|高德|百度|滴答|番茄|腾讯会议|金山|讯飞|天猫精灵|支付宝|幕布|思源|墨刀|蓝湖|即时设计|通义|豆包|文心|元宝|夸克|坚果云|美图|醒图|钢笔|毛笔|机械键盘"


_WORK = r"(?:写|记|画|剪|拍|修|建模|翻译|翻|导航|开会|沟通|编|做|管|排|存|听|看|查|聊|打字|设计|办公|协作|开发|部署|跑|录|扫|学|练|备|测|作曲|编曲|绘|画图|文献|笔记|任务|代码|文档|设计稿)"


def _used(frame: FrameZh) -> Iterator[Draft]:
    """写论文都用LaTeX, 记账我用随手记, 主力机是ThinkPad: what is used, behind what it is used for."""
    text = (frame.topic + frame.rest) if frame.topic else frame.rest
    match = rx(
        rf"^(?:的)?(?P<c>{_WORK}[\u4e00-\u9fffA-Za-z]{{0,7}}?)(?:的话|的时候|时)?(?:我|都|一般|主要|一直|基本|习惯|全|就|是|平时|现在|常|更)*(?:用|靠|使用)(?:的是|的都是|的)?(?P<o>[\u4e00-\u9fffA-Za-z0-9+#. ]{{2,20}})$"
    ).match(text) or rx(
        r"^(?P<c>(?:的)?(?:用的(?:输入法|浏览器|编辑器|系统|笔记软件|手机|电脑|相机)|主力机|工作机|操作系统|系统|编辑器|IDE|浏览器|输入法|笔记软件|画板|跑的|装的|弹的|拉的)(?:一直|主要)?是|用的(?:一直|主要)?是?)(?P<o>[\u4e00-\u9fffA-Za-z0-9+#. ]{2,20})$"
    ).match(text)
    match = match or rx(r"^(?P<c>写)(?:点儿?|些|一点)?(?P<o>[A-Za-z][A-Za-z0-9+#.]*)(?:比较多|最多|为主|居多)?$").match(
        text
    )
    if not match or rx(r"不|没|什么|哪|别人|大家|公司统一|想").search(match["c"]):
        return
    for part in items(
        rx(r"^(?:一?[台部个款支])?(?:\d{4}款的?)?|(?:来|去)(?:写|画|剪|记|做|管|处理)[\u4e00-\u9fff]{0,4}$").sub(
            "", match["o"]
        )
    ):
        known = rx(_TOOL).fullmatch(part) or rx(
            r"[\u4e00-\u9fff]{0,4}[A-Za-z0-9+#. ]*[A-Za-z][A-Za-z0-9+#. ]*"
        ).fullmatch(part)
        short = rx(r"[\u4e00-\u9fff]{2,5}").fullmatch(part) and rx(
            r"写|记|画|剪|拍|修|建模|翻译|导航|编|排|录|绘|用的是"
        ).search(text)
        if known or (
            short and not rx(r".*(?:手|脑|时间|力|方法|功|心|笔记|眼睛|嘴|的|脚|钱|英语|中文|[了过])").fullmatch(part)
        ):
            yield text_draft(frame, "uses_tool", part)


def tools(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """平时用飞书."""
    if not frame.path or rx(r"想|打算|准备|计划").search(frame.adverbs):
        return
    instrument = rx(
        r"^(?:在|平时|喜欢|经常)*(?:弹|拉|吹|演奏|玩)(?:着|的是)?(?P<o>[\u4e00-\u9fff]{2,4})(?:$|了|[,，。一-十])"
    ).match(frame.rest)
    if instrument and any(
        c == "instrument" or context.vocabulary.is_kind_of(c, "instrument")
        for c in context.vocabulary.concepts(instrument["o"])
    ):
        yield text_draft(frame, "uses_tool", instrument["o"])
        return
    dropped = rx(
        r"^把(?P<o>[A-Za-z][A-Za-z0-9+#. ]*|[\u4e00-\u9fff]{2,5})(?:都|给|也|直接)*(?:卸载?|删|注销|停用)(?:掉)?了"
    ).match(frame.rest)
    if dropped and rx(_TOOL).fullmatch(dropped["o"]):
        yield text_draft(frame, "uses_tool", dropped["o"], negative=True, ends=True, past=True)
        return
    yield from _used(frame)
    moved = rx(
        r"^(?:全面|彻底|已经|早就|直接|全|都)*(?:转|换|迁|切|改)(?:到|成|用|为|至)了?(?P<o>[A-Za-z][A-Za-z0-9+#. ]{1,20}|[\u4e00-\u9fff]{2,6})了?$"
    ).match(frame.rest)
    if moved and rx(_TOOL).fullmatch(moved["o"].strip()):
        yield text_draft(frame, "uses_tool", moved["o"].strip(), begins=True, past=True, change=Change.CHANGED)
        return
    swap = rx(
        r"(?:从|由)(?P<a>[\u4e00-\u9fffA-Za-z0-9+# ]{2,12}?)(?:换成|换到|改用|改成|迁到|转到|切到)了?(?P<b>[\u4e00-\u9fffA-Za-z0-9+# ]{2,12})$"
    ).search(frame.rest)
    if swap and (rx(_TOOL).fullmatch(swap["b"]) or rx(_TOOL).fullmatch(swap["a"])):
        yield text_draft(frame, "uses_tool", swap["b"], begins=True, past=True, change=Change.CHANGED)
        yield text_draft(frame, "uses_tool", swap["a"], negative=True, ends=True, past=True)
        return
    regular = rx(
        r"(?:平时|平常|日常|一般|主要|经常|常|每天|一直|都|习惯|工作|上班|天天|通常|大部分|现在|目前|公司|团队|办公|干活|写代码|画图|剪)"
    ).search(frame.clause.text)
    match = rx(r"^(?P<neg>不再?|没再)?(?:习惯)?(?:是)?(?:都)?(?:使用|用|靠)(?:的是|着|的都是|惯了|了)?(?P<o>.+)").match(
        frame.rest
    ) or rx(
        r"^(?P<neg>(?!))?\S{1,6}?(?:都)?(?:是)?(?:用|使用|在)(?:的是|的)?(?P<o>[A-Za-z][A-Za-z0-9+#. ]*)(?:里|上)?(?:做|写|画|剪|记|管|看|处理|完成|的)"
    ).match(frame.rest)
    if not match:
        return
    text = rx(
        r"(?<=[\u4e00-\u9fffA-Za-z0-9])(?:来|去)?(?:做|写|画|剪|记|干活|办公|工作|管理|处理|完成|开发|看|听|打|编|查|沟通|聊|协作|设计|写作|画图|记账|建模|拍|上网|学习|刷|追|控制|监控|分析|开会|排版|修|备份|部署|进行|的(?:时候|人|是)?|比较多|最多|了|得|习惯|顺手|多|[一二两三四五六七八九十\d]+年).*$"
    ).sub("", match["o"])
    parts = items(text)
    beside = len(parts) > 1 and any(rx(_TOOL).fullmatch(part) for part in parts)
    for part in parts:
        known = rx(_TOOL).fullmatch(part) or (beside and rx(r"[\u4e00-\u9fff]{2,5}").fullmatch(part))
        if known and (regular or frame.path == USER) and not rx(r"(?i)(?:VIP|OK|AI|wifi|app)").fullmatch(part):
            yield text_draft(frame, "uses_tool", part, negative=bool(match["neg"]), ends=bool(match["neg"]))


RULES = (work, experience, tools)
