"""Chinese rules: trips, bookings, journeys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    ContextZh,
    FrameZh,
    clean,
    good_object,
    place,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.ahead import NOT_PLACE, WILL, lies_ahead, stripped, timed_by
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind


def _been(frame: FrameZh) -> Iterator[Draft]:
    """没去过西安, 在去长沙的高铁上, 游过土耳其, 西藏我走了一圈."""
    never = rx(r"^(?:还|从来|从|一直)?没(?:有)?(?:去|到|来)过(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:呢|$|[,，])").match(
        frame.adverbs[-1:] + frame.rest
    ) or rx(r"^没(?:有)?(?:去|到|来)过(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:呢|$|[,，])").match(frame.rest)
    if never and frame.path and good_object(never["o"]) and not rx(NOT_PLACE).match(never["o"]):
        yield text_draft(frame, "visited", never["o"], entity=True, negative=True)
        return
    under_way = rx(
        r"^(?:正|正在|现在)?在?去(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)的(?:高铁|动车|火车|飞机|大巴|路|船|车)上"
    ).match(frame.rest)
    if under_way:
        yield text_draft(frame, "travels_to", under_way["o"], entity=True)
        return
    roamed = (
        rx(
            r"^(?:跟团|自驾|骑行|徒步|环|穷|自由|一个人|(?:带|陪|跟|和|领)[^,，去了]{1,6}?)*(?:去|出去|到)?(?:[逛转跑玩游走耍]了一?[趟圈遍]|(?:游过|游遍|游了|游览过|爬过|登过|逛过|玩过)了?)(?:[一两二三四五六七八九十\d几]+[次回趟])?(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})$"
        ).match(frame.rest)
        or rx(
            r"^(?:跟|和|与)?[^,，]{0,6}?(?:蜜月|婚假|年假|生日|假期)?(?:是|就)*在(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:度|过)的(?:蜜月|假|年|生日)?$"
        ).match(frame.rest)
        or (
            rx(r"^(?:走|转|逛|玩|游)了一?(?:圈|趟|遍|大圈)").match(frame.rest)
            and rx(r"^(?P<o>[\u4e00-\u9fff]{2,6})$").match(frame.topic)
        )
    )
    if (
        roamed
        and good_object(roamed["o"])
        and not rx(r"公园|商场|超市|夜市|街|家|医院|银行|菜|操场|派出所|公司|学校|单位|步").search(roamed["o"])
    ):
        yield text_draft(frame, "visited", roamed["o"], entity=True, past=True)


def trips(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """去, 飞, 到 a place."""
    told = list(_been(frame))
    if told:
        yield from told
        return
    if frame.path == "" or rx(r"^(?:不|没|别)").match(frame.rest) or "更" in frame.adverbs:
        return
    fixed = rx(
        r"^(?:去|到)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:的(?:事|行程|时间))?(?:定了|敲定了|确定了|安排好了)$"
    ).match(frame.body)
    if fixed:
        ats = [when for when in frame.clause.sentence_times if when.bind is Bind.AT and when.future]
        times = (ats[0], replace(ats[-1], bind=Bind.UNTIL)) if len(ats) > 1 else tuple(ats)
        yield text_draft(frame, "travels_to", fixed["o"], entity=True, subject=USER, times=times)
        return
    back = (
        rx(
            r"^(?:刚|刚刚|才|昨天|前天)?(?:从|打|自)(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:旅游|旅行|出差|玩|度假|探亲)?(?:回来|回国|返程)"
        ).match(frame.rest)
        or rx(r"^在(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:玩|旅游|旅行|度假|逛|转)了").match(frame.rest)
        or rx(r"^(?P<o>(?![带跟和陪与])[\u4e00-\u9fffA-Za-z]{2,8}?)(?:我)?(?:已经|也|早就|之前)*去过").match(
            (frame.topic + frame.rest) if frame.topic else frame.rest
        )
    )
    if (
        back
        and not rx(NOT_PLACE).match(back["o"])
        and good_object(back["o"])
        and not lies_ahead(frame)
        and not rx(r"(?:那里|这里|哪|没|不|我)").search(back["o"])
    ):
        yield text_draft(frame, "visited", back["o"], entity=True, subject=USER, past=True)
        return
    text = stripped(frame)
    match = rx(
        r"^(?:出发|坐\S{1,3}|开车|自驾|飞机|高铁)?(?P<v>(?:开车?|骑车?|飞|杀|奔|窜|冲|赶|自驾|坐车|搭车|跑)(?:去|到|往)了?|直奔|奔赴|去过|去了趟|去了|去|跑一?趟|走一趟|飞往?|前往|回了趟?|回|到了?|出发去|动身去|启程去|游了|逛了|玩了)(?:一?趟|了|过)?(?:[一两二三四五六七八九十几\d]+[次回趟])?(?P<o>[^,，。去]+)"
    ).match(text)
    if match and not rx(NOT_PLACE).match(match["o"]):
        where = place(match["o"] + "玩") or ""
        where = rx(
            r"(?:一趟|好几次|很多次|[一两三四五六七八九十\d]+次|定了?|机票|的票|那天|几天|的机票|的高铁|[一两三四五六七八九十\d]+天|玩|开会|出差)+$"
        ).sub("", where)
        if not good_object(where) or len(where) > 10 or rx(r"(?:现在|今天|明天|时|底|点|处|老家)$").search(where):
            return
        trip = rx(r"^(?:回)").match(match["v"]) is None or bool(timed_by(frame))
        if (
            match["v"] in ("到", "到了", "回", "回了趟")
            and not rx(r"出差|旅游|旅行|玩|度假|开会|培训|探亲|过年|赏|泡温泉|滑雪").search(frame.rest)
            and not (timed_by(frame) and match["v"] != "到了")
        ):
            return
        past = (
            bool(rx(r"[了过]").search(match["v"]))
            or (
                bool(rx(r"[了过](?:$|一趟|趟|[一两二三四五半几\d])").search(frame.rest))
                and not rx(r"定了$").search(frame.rest)
            )
            or bool(
                timed_by(frame)
                and timed_by(frame)[0].future == timed_by(frame)[0].past
                and timed_by(frame)[0].future[:10] < frame.clause.today
            )
        )
        if past and not _planned(frame):
            yield text_draft(frame, "visited", where, entity=True, past=True)
        elif (lies_ahead(frame) or rx(r"出差|旅游|旅行|度假").search(frame.rest)) and trip:
            times = (
                (
                    *frame.clause.times,
                    *(
                        w
                        for w in frame.clause.sentence_times
                        if w.bind in (Bind.UNTIL,) and w not in frame.clause.times
                    ),
                )
                if frame.clause.times
                else frame.clause.sentence_times
            )
            begin = frame.clause.sentence_start
            times = (
                *times,
                *(
                    replace(when, bind=Bind.UNTIL)
                    for when in frame.clause.sentence_times
                    if when.bind is Bind.AT
                    and when.start >= frame.clause.end
                    and rx(r"^(?:晚上?|早上?|下午)?(?:就|才|再)?(?:回|返|走(?!访)|离开)").match(
                        context.sentence[when.end - begin :]
                    )
                ),
            )
            yield text_draft(frame, "travels_to", where, entity=True, times=times)
        return
    on_the_way = rx(
        r"^(?:正|现在|这几天|目前)?在(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:出差|旅游|旅行|度假|度蜜月|玩)"
    ).match(frame.rest)
    if on_the_way and good_object(on_the_way["o"]):
        yield text_draft(frame, "travels_to", on_the_way["o"], entity=True)


def _planned(frame: FrameZh) -> bool:
    return bool(rx(WILL).search(frame.adverbs) or rx(rf"^(?:{WILL})").match(frame.rest))


def bookings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """订了…"""
    match = rx(
        rf"^(?:已经|刚|提前|在\S{{1,6}}?|帮\S{{1,3}}|给\S{{1,4}})*(?:订|预订|预定|定|约|抢|买|预约)(?:到|好|下|完|妥)?了(?:一)?(?:{_CLASSIFIER})?(?P<o>[^,，。]{{1,24}})"
    ).match(frame.rest)
    ahead = rx(
        r"^(?:[^,，]{1,12}的)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{0,6}?(?:票|酒店|民宿|房间|包间|包厢|餐厅|饭店|会议室|场地|机位|球场|位子|位置|座位|座儿?|接机|租车))(?:我|已经|早就|早|刚|都|也|终于|总算|给你)*(?:订|买|抢|定|约|预订|预定)(?:到|好|上|下|下来|妥)?(?:了|啦|咯|喽|在)(?!没)"
    ).match(frame.topic + "我" + frame.rest if frame.topic else frame.body)
    if ahead and not rx(r"吗|么|没|哪").search(frame.body) and good_object(ahead["o"]):
        yield text_draft(
            frame,
            "booked",
            ahead["o"].removeprefix("的"),
            subject=USER,
            times=frame.clause.times or frame.clause.sentence_times,
        )
        return
    if match and not frame.path.startswith("user.") and not rx(r"(?:了|不|没|吗)$").search(match["o"]):
        text = clean(rx(r"^的").sub("", match["o"]))
        code = rx(r"(?:航班|车次)?(?P<c>[A-Z]{1,3}\d{2,5}|[GDCKTZ]\d{1,4})(?:次|航班|的)?").match(text)
        noun = rx(
            r".*?(?P<n>机票|飞机票|高铁票|火车票|动车票|车票|船票|门票|电影票|演唱会(?:的)?票|音乐会票|票|理发|美甲|按摩|体检|疫苗|牙医|专家号|拍照|写真|邮轮|游轮|露营地|营地|月子中心|套餐|蛋糕|花|大床房|标间|双床房|套房|酒店|民宿|房间|旅馆|青旅|包间|包厢|餐厅|饭店|位子|位置|座位|桌|航班|高铁|飞机|火车|大巴|接机|租车|场地|会议室|球场|车|课)$"
        ).match(text)
        if code and not noun:
            yield text_draft(
                frame, "booked", code["c"], subject=USER, times=frame.clause.times or frame.clause.sentence_times
            )
        elif noun and not (rx(r"(?:买|抢)").search(match[0]) and "票" not in text and not rx(r"座|位").search(text)):
            value = text if len(text) <= 8 and not rx(r"去|到|的|从").search(text) else noun["n"]
            yield text_draft(
                frame, "booked", value, subject=USER, times=frame.clause.times or frame.clause.sentence_times
            )


# What a journey is made with or booked as: its ends and its seat are those of this one.
_RIDE = r"高铁票|动车票|火车票|飞机票|机票|车票|船票|大巴票|高铁|动车|火车|列车|航班|飞机|大巴|轮船|轮渡"
_STATION = r"[\u4e00-\u9fff]{2,8}?"


def trains(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Departure, arrival and seat of a journey that is asked for, booked or told of."""
    if not rx(r"票|高铁|动车|火车|飞机|航班|机票|大巴|订|定").search(context.sentence):
        return
    ride = rx(_RIDE).search(frame.clause.text) or rx(_RIDE).search(context.sentence)
    scope = ride[0] if ride else None
    times = frame.clause.times or frame.clause.sentence_times
    for predicate, where in _ends(frame, bool(ride)):
        if good_object(where) and len(where) >= 2 and not rx(r"这|那|哪|什么|自己|公司$").search(where):
            yield text_draft(frame, predicate, where, entity=True, scope=scope, subject=USER, times=times)
    seat = rx(
        r"(?P<o>二等座|一等座|商务座|特等座|硬卧|软卧|硬座|软座|无座|经济舱|商务舱|头等舱|超级经济舱|靠窗|靠过道|下铺|上铺|中铺)"
    ).search(frame.body)
    told = rx(r"要|订|定|买|坐|选|是|换").search(frame.body) or (seat and frame.body.strip() == seat[0])
    if seat and told and not rx(r"不要|不坐").search(frame.body):
        yield text_draft(frame, "seat_class", seat["o"], scope=scope, subject=USER, times=times)


def _ends(frame: FrameZh, rides: bool) -> Iterator[tuple[str, str]]:
    """Where a journey begins and ends: 北京南到上海虹桥的高铁, 高铁从天津南出发, 终点是杭州东."""
    both = rx(
        r"(?:从)?(?P<a>[\u4e00-\u9fff]{2,7}?)(?:飞|到|至|去)(?P<b>[\u4e00-\u9fff]{2,6}?)(?:的)?(?:高铁|动车|火车|飞机|航班|机票|车票|高铁票|火车票|大巴|票)"
    ).search(frame.body)
    if both:
        place_before = rx(r"^.*?(?:[订定买抢](?:到|好)?了?|张|一张|要|我|的|查)+").sub("", both["a"])
        start = place_before.rpartition("从")[2]
        if len(start) >= 2 and good_object(start):  # 在去合肥的高铁上: no journey is told of, only where one is
            yield "departs_from", start
            yield "arrives_at", both["b"]
        return
    if not rides or frame.clause.blocked:
        return
    leaves = rx(
        rf"(?:从|在)(?P<a>{_STATION})(?:站|机场)?(?:出发|发车|始发|开出|起飞|上车|上船|登机|开(?:$|[,，。到往去]))"
        rf"|(?:出发站|始发站|起点|出发地|起飞机场)(?:是|为|改成了?|改为|改到了?|换成了?)(?P<b>{_STATION})(?:站|机场)?$"
    ).search(frame.body)
    if leaves and not rx(r"不(?:是)?$").search(frame.body[: leaves.start()]):
        yield "departs_from", leaves["a"] or leaves["b"]
    end = rx(
        rf"(?:终点站?|到达站|目的地|到站|降落机场)(?:是|为|改成了?|改为|改到了?|换成了?)(?P<a>{_STATION})(?:站|机场)?$"
        rf"|(?:开往|飞往|驶往|降落在|抵达)(?P<b>{_STATION})(?:站|机场)?(?:$|[,，。的])"
    ).search(frame.body)
    if end and not rx(r"不(?:是)?$").search(frame.body[: end.start()]):
        yield "arrives_at", end["a"] or end["b"]


RULES = (trips, bookings, trains)
