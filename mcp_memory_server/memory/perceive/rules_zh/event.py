"""Chinese rules: meetings, appointments and other events."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    good_object,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.ahead import lies_ahead, stripped, timed_by
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import When

_MEET_END = r"(?:聚了?一?[下次]|聚过|吃了?[顿个]?饭|碰一下|碰个面|碰个头|吃个便饭|吃便饭|搓一顿|喝两杯|喝几杯|下馆子|打麻将|打牌|下棋|钓鱼|K歌|唱K|签合同|面聊|详谈|视频会议|见一面|见(?=$)|有个局|有局|有饭局|有组会|撸串|坐坐|聊一聊|聊聊|对一下|面基|喝(?:了)?(?:一)?杯\S{1,3}|喝一杯|过个会|对方案|见面|见个面|吃饭|吃个饭|吃顿饭|开会|开个会|开视频会|有个会|有会|有约|喝咖啡|喝茶|喝酒|聚餐|聚一聚|聚聚|聚会|碰头|碰面|面谈|谈事|谈合同|谈项目|谈|聊|通话|通电话|打电话|视频|有个call|有call|有个meeting|开电话会|约饭|约了|约好|约会|看电影|打球|爬山|逛街|过招|会面|撸串|吃火锅|吃烧烤|有个约|有个电话会|对接|会谈|一起吃|交流)"


def meetings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """跟…见面, 见…, 约了…"""
    visit = rx(r"^(?:要)?(?:来|过来)(?:看|拜访|找|家里看)(?:我|我们)").match(frame.rest)
    if visit and timed_by(frame) and frame.subject.role:
        yield text_draft(frame, "meets", frame.subject.name or frame.subject.word, entity=True, subject=USER)
        return
    caller = rx(r"^(?P<o>[\u4e00-\u9fff]{2,6}?)(?:要|会)?(?:来访|到访|来家里|来公司)").match(frame.body)
    if caller and timed_by(frame) and good_object(caller["o"]):
        yield text_draft(frame, "meets", caller["o"], entity=True, subject=USER)
        return
    if (
        not (timed_by(frame) or lies_ahead(frame) or rx(r"晚上|中午|下午|待会").search(frame.clause.text))
        or frame.path != USER
    ):
        return
    text = rx(r"^(?:晚上|中午|下午|待会儿?|一会儿?)").sub("", stripped(frame))
    match = rx(
        rf"^(?:约好了?|约了)?(?:跟|和|与|同(?![学事乡桌行屋伴])|陪)(?P<o>[\u4e00-\u9fffA-Za-z ]{{1,10}}?)(?:约好了?|约了|在\S{{1,8}}?|一起|去\S{{0,4}})*(?:{_MEET_END})"
    ).match(text)
    if not match:
        match = rx(
            r"^(?:去)?(?:见|拜访|会见|约见|探望|看望|约了|约|看看|会会|见一下|见见)(?:了|一下)?(?P<o>[\u4e00-\u9fffA-Za-z ]{1,10}?)(?:见面|吃饭|聚餐|聚会|聚聚|撸串|烤串|烧烤|涮[\u4e00-\u9fff]{1,2}|喝两杯|打牌|下棋|钓鱼|K歌|碰头|看牙|看病|看诊|复查|拔牙|吃[\u4e00-\u9fff]{1,3}|喝[\u4e00-\u9fff]{1,3}|做[\u4e00-\u9fff]{1,3}|打[\u4e00-\u9fff]{1,3}|去[\u4e00-\u9fff]{1,4}|唱歌|聊|谈|$|[,，。]|一面|看房|开会|面谈|打球|[了]$|逛街|看电影)"
        ).match(text)
    if match:
        who = clean(rx(r"^(?:我们?的?|一下|个|了|的)+").sub("", match["o"]))
        if good_object(who) and not rx(
            r"(?:理发|疫苗|.*的\S{1,4}|医生|牙医|家人|时间|票|酒店|座位|车|课|号|病|到|识|效|位|房|电影|书|展|演出|牙|球|世面|面)"
        ).fullmatch(who):
            past = not lies_ahead(frame)
            yield text_draft(frame, "meets", who, entity=True, past=past)


_MISHAP = r"(?:车祸|交通事故|事故|意外|工伤|火灾|地震|洪水|台风|大病|官司|骨折)"


def _mishaps(frame: FrameZh) -> Iterator[Draft]:
    """出了车祸, 家里被偷了, 住院了: what befell somebody."""
    rest = frame.rest
    match = rx(
        rf"^(?:出|遭遇|遇到|碰上|碰到|发生|赶上|经历)(?:了|过)?(?:一?[次场起个])?(?:小|严重的?)?(?P<o>{_MISHAP})"
    ).match(rest) or rx(
        r"^(?:的)?(?P<o>(?:[\u4e00-\u9fff]{1,4})?被(?:偷|骗|抢|追尾|撞|炒|辞退|裁|烧|淹|盗)|住院|进了?ICU|做了?手术|搬了?家|中奖|中了奖|流产|破产)(?:了)"
    ).match(rest)
    if match and timed_by(frame):
        yield text_draft(frame, "has_event", match["o"].replace("了", ""), past=True)
        return
    due = rx(
        r"^(?:去|要|得|轮到我?|该我?|约了|约好了?|我)*(?P<o>(?:拔|补|种|洗|拆|缝|打|做|取|换|查|照|拍)(?:一?[颗针个次])?(?:智齿|蛀牙|牙|疫苗|加强针|石膏|线|支架|胃镜|肠镜|核磁|CT|B超|彩超|造影|透析|化疗|放疗|针灸|推拿|理疗|X光|胸片|心电图))(?:了|去)?$"
    ).match(frame.rest)
    if due and (times := timed_by(frame)) and times[0].future[:10] >= frame.clause.today[: len(times[0].future[:10])]:
        yield text_draft(frame, "has_event", rx(r"一?[颗针个次](?!牙)").sub("", due["o"]))
        return
    parted = rx(r"^(?P<v>[辞入离退转升])的(?P<o>[职休正岗])$").match(rest)
    if parted and timed_by(frame):  # 去年辞的职
        yield text_draft(frame, "has_event", parted["v"] + parted["o"], past=True)
        return
    treated = rx(r"^(?P<v>拔|补|种|洗|拆|缝|打)了(?:一?[颗针个次])?(?P<o>智齿|牙|疫苗|加强针|石膏|线)").match(rest)
    if treated and timed_by(frame):
        yield text_draft(frame, "has_event", treated["v"] + treated["o"], past=True)


def _set_for(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """在准备法考，十月十八号考: the time of an event that was named before."""
    if rx(r"^(?:就|正式|开始)?(?:考|开考|举行|开始|办|进行|开幕|报到|开庭|入场)$").match(frame.rest):
        before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
        named = context.rx(
            r"(?P<o>[\u4e00-\u9fff]{0,2}(?:⟨events⟩|(?<![A-Za-z])(?:⟨en events⟩)(?![A-Za-z])|[\u4e00-\u9fff]{2,4}会(?![员计议所馆儿])))[^\u4e00-\u9fff]*$"
        ).search(before)
        if named:
            name = rx(r"^(?:在|我|的|准备|备考|有|个|场|去|备战|参加|一)+").sub("", named["o"])
            yield text_draft(frame, "has_event", name, subject=USER)


def events(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Exams, appointments, weddings… with their time."""
    timed = timed_by(frame)
    if not timed:
        return
    befell = list(_mishaps(frame)) or list(_set_for(frame, context))
    if befell:
        yield from befell
        return
    if frame.rest.startswith("约"):
        return  # that is a meeting
    if rx(r"截止|(?i:ddl|deadline)|due").search(frame.clause.text):
        return
    if frame.path == "" or rx(r"^(?:不|没有|没|别)").match(frame.rest):
        return
    text = rx(
        r"^(?:一早|一大早|早上|上午|中午|下午|晚上|那边|这次|这回|在[^,，]{2,9}?(?=有[\u4e00-\u9fff]|举行|开|办|参加))"
    ).sub("", stripped(frame))
    asked = rx(
        r"^(?P<o>牙医|医生|中医|律师|理发店|车管所|体检中心|大使馆|房管局)(?:那边|那儿)?(?:约的?是?|约在|约好)(?:$|的|在)"
    ).match(frame.body)
    if asked and timed:
        yield text_draft(frame, "has_event", asked["o"], subject=USER)
        return
    if timed:
        match = context.rx(
            r"^(?:的)?(?P<a>有(?:一)?(?:个|场|次|门|节|堂|台)?|要|去|去做|做|做完|做了|做了个|去参加|参加了?|要去|得去|约了|约好了?|安排了|考|开|上|办|举行|举办|有|还有|带\S{1,4}去|陪\S{1,4}去|迎来|出席|当)?(?:一?(?:个|场|次|门|节|堂|台|下))?(?P<o>(?:[\u4e00-\u9fffA-Za-z0-9]{0,6}?)(?:⟨events⟩|(?<![A-Za-z])(?:⟨en events⟩)(?![A-Za-z])|[\u4e00-\u9fff]{2,4}会(?![员计议所馆儿])))(?P<z>了|的|时间|全家|大家|我|一家|就|定在|是|改到|改在|在|$|[,，。]|延期|推迟|提前|调到|安排在|开始|举行|那天|挪到|延到)"
        ).match(text)
        if (
            match
            and not rx(r"(?:票|推荐|想|能|可以)").search(match["o"])
            and not rx(r"(?:准备|打算)?(?:报(?!到|告)|考研报)").match(match["o"])
        ):
            name = rx(
                r"^(?:[回去]了?一?趟?(?:老家|乡下|娘家|家)(?=.{2})|这次|这回|动(?=手术)|[吃喝办摆](?=[\u4e00-\u9fff]{1,3}[酒宴席])|我|的|去|做|参加|有|要|了|个|场|次|一|是|把)+(?=[\u4e00-\u9fffA-Za-z]{2})"
            ).sub("", match["o"])
            moved = (
                Change.CHANGED
                if rx(r"改到|改在|改成|推迟|提前|延期|挪到|调到|延到|换到").search(frame.clause.text)
                else Change.NONE
            )
            plan = rx(r"打算|准备|计划|想").search(frame.adverbs + frame.rest[:3]) and match["a"] in (
                None,
                "考",
                "去",
                "做",
                "参加",
                "去参加",
            )
            name = rx(
                r"^(?:去|到|在|从)?[\u4e00-\u9fff]{0,6}?(?:医院|[一二三四五六七八九]院|诊所|中心|公司|学校|一早|早上|下午)(?:做|办|开|参加)?(?=[\u4e00-\u9fffA-Za-z]{2})"
            ).sub("", name)
            if (
                good_object(name)
                and not plan
                and not name.startswith(
                    ("跟", "和", "与", "陪", "从", "在", "被", "没", "不", "喊", "叫", "提醒", "催")
                )
            ):
                past = moved is Change.NONE and (
                    bool(rx(r"了").search(match["z"] or ""))
                    or bool(rx(r"做完|做了|参加了|去做了|了").search(match["a"] or ""))
                    or not lies_ahead(frame)
                )
                subject = USER if frame.subject.role in ("company", "team") else frame.path
                yield text_draft(
                    frame, "has_event", name, subject=subject, past=past, change=moved, times=_affirmed(frame)
                )
                return
    match = context.rx(
        r"^(?P<o>[\u4e00-\u9fffA-Za-z]{0,5}?(?:⟨events⟩|(?<![A-Za-z])(?:⟨en events⟩)(?![A-Za-z])|[\u4e00-\u9fff]{2,4}会(?![员计议所馆儿])))(?:的时间|时间)?(?:是|就在|定在|在|改到了?|改成了?|推迟到了?|提前到了?|就是|安排在|,|，)$"
    ).match(frame.body)
    if match and timed and good_object(clean(match["o"])):
        moved = Change.CHANGED if rx(r"改|推迟|提前").search(match[0]) else Change.NONE
        yield text_draft(
            frame,
            "has_event",
            rx(r"^(?:我们?的?|的)").sub("", clean(match["o"])),
            subject=USER,
            change=moved,
            times=_affirmed(frame),
        )


def _affirmed(frame: FrameZh) -> tuple[When, ...]:
    """The times that are not the denied ones: 是周四，不是周三."""
    return tuple(
        w for w in frame.clause.times if not frame.clause.text[: max(0, w.start - frame.clause.start)].endswith("不是")
    )


RULES = (meetings, events)
