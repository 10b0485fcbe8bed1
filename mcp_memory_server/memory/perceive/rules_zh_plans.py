"""Chinese rules: plans, trips, bookings, meetings, events, due dates, absence."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive.chinese import _CLASSIFIER, ContextZh, FrameZh, clean, draft, good_object, place, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind, When

_WILL = r"(?:打算|准备|计划|想要|想(?!不|起|到|法|象|念|家|哭)|要(?!是|不|么|求|好|命|紧|的是)|决定|会|将要?|希望(?:能)?|马上要?|即将|得(?=去|把|交|做|办)|需要|必须|应该要|约好了?|说好|定好了?|安排了|争取)"


def _timed(frame: FrameZh, *binds: Bind) -> list[When]:
    wanted = binds or (Bind.AT, Bind.RANGE, Bind.BY)
    return [when for when in frame.clause.times if when.bind in wanted and when.future]


def _will(frame: FrameZh) -> bool:
    """True for what lies ahead: a word of planning, or a time to come without 了 or 过."""
    if rx(_WILL).search(frame.adverbs) or rx(rf"^(?:{_WILL})").match(frame.rest):
        return True
    timed = _timed(frame)
    return bool(timed) and timed[0].future[:10] >= frame.clause.today[: len(timed[0].future[:10])] and not rx(r"[了过](?:$|[^,，]{0,6}$)").search(frame.rest)


def _stripped(frame: FrameZh) -> str:
    return rx(rf"^(?:就|也|都|还|又|是|再|正|{_WILL}|可能|一起|自己|一个人|全家|带\S{{1,4}}?(?=去|到|飞)|跟\S{{1,4}}?(?=去|到|飞)|和\S{{1,4}}?(?=去|到|飞)|陪\S{{1,4}}?(?=去|到|飞)|从\S{{2,6}}?(?=去|到|飞))+").sub("", frame.rest)


_NOT_PLACE = r"(?:上班|上学|公司|学校|医院|银行|超市|健身房|吃|喝|看|做|买|取|拿|接|送|办|参加|体检|面试|考|开会|复查|打|跑|玩|找|问|修|剪|洗|游泳|爬山|派出所|机场|车站|图书馆|食堂|电影院|驾校|旅游|旅行|出差|度假|见|拔|交|领|报|续|听|他|她|你|我|哪|那|这|了|过|一趟|商场|理发|公园|楼|外面|前台|客户|幼儿园|朋友|同学|同事|家|世|年|掉|除|皮|火|职|现场|试|医|牙|药店|寺|教堂|老师|老家|外地|外婆|奶奶|爷爷|父母|爸妈|加班|值班|签|拍|还|退|换|跳|唱|学|练|健|散|遛|买菜|晨跑|骑|滑|露|徒|钓|野|夜|逛|泡|参|培|支|留|当|把|给|为|一)"


def trips(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """去, 飞, 到 a place."""
    if frame.path == "" or rx(r"^(?:不|没|别)").match(frame.rest):
        return
    text = _stripped(frame)
    match = rx(r"^(?:出发|坐\S{1,3}|开车|自驾|飞机|高铁)?(?P<v>去过|去了趟|去了|去|飞往?|前往|回了趟?|回|到了?|出发去|动身去|启程去|游了|逛了|玩了)(?:一?趟|了|过)?(?P<o>[^,，。去]+)").match(text)
    if match and not rx(_NOT_PLACE).match(match["o"]):
        where = place(match["o"] + "玩") or ""
        where = rx(r"(?:一趟|好几次|很多次|[一两三四五六七八九十\d]+次|定了?|机票|的票|那天|几天|的机票|的高铁|[一两三四五六七八九十\d]+天|玩|开会|出差)+$").sub("", where)
        if not good_object(where) or len(where) > 10 or rx(r"(?:现在|今天|明天|时|底|点|处|老家)$").search(where):
            return
        trip = rx(r"^(?:回)").match(match["v"]) is None or bool(_timed(frame))
        if match["v"] in ("到", "到了", "回", "回了趟") and not rx(r"出差|旅游|旅行|玩|度假|开会|培训|探亲|过年").search(frame.rest) and not (_timed(frame) and match["v"] != "到了"):
            return
        past = bool(rx(r"[了过]").search(match["v"])) or (bool(rx(r"[了过](?:$|一趟|趟)").search(frame.rest)) and not rx(r"定了$").search(frame.rest)) or bool(_timed(frame) and _timed(frame)[0].future == _timed(frame)[0].past and _timed(frame)[0].future[:10] < frame.clause.today)
        if past and not _planned(frame):
            yield text_draft(frame, "visited", where, entity=True, past=True)
        elif _will(frame) or rx(r"出差|旅游|旅行|度假").search(frame.rest):
            if trip:
                times = (*frame.clause.times, *(w for w in frame.clause.sentence_times if w.bind in (Bind.UNTIL,) and w not in frame.clause.times)) if frame.clause.times else frame.clause.sentence_times
                yield text_draft(frame, "travels_to", where, entity=True, times=times)
        return
    on_the_way = rx(r"^(?:正|现在|这几天|目前)?在(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:出差|旅游|旅行|度假|度蜜月|玩)").match(frame.rest)
    if on_the_way and good_object(on_the_way["o"]):
        yield text_draft(frame, "travels_to", on_the_way["o"], entity=True)


def _planned(frame: FrameZh) -> bool:
    return bool(rx(_WILL).search(frame.adverbs) or rx(rf"^(?:{_WILL})").match(frame.rest))


def bookings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """订了…"""
    match = rx(rf"^(?:已经|刚|提前|在\S{{1,6}}?|帮\S{{1,3}}|给\S{{1,4}})*(?:订|预订|预定|定|约|抢|买|预约)(?:到|好|下|完|妥)?了(?:一)?(?:{_CLASSIFIER})?(?P<o>[^,，。]{{1,24}})").match(frame.rest)
    if match and not frame.path.startswith("user.") and not rx(r"(?:了|不|没|吗)$").search(match["o"]):
        text = clean(match["o"])
        code = rx(r"(?:航班|车次)?(?P<c>[A-Z]{1,3}\d{2,5}|[GDCKTZ]\d{1,4})(?:次|航班|的)?").match(text)
        noun = rx(r".*?(?P<n>机票|飞机票|高铁票|火车票|动车票|车票|船票|门票|电影票|演唱会(?:的)?票|音乐会票|票|酒店|民宿|房间|旅馆|青旅|包间|包厢|餐厅|饭店|位子|位置|座位|桌|航班|高铁|飞机|火车|大巴|接机|租车|场地|会议室|球场|车|课)$").match(text)
        if code and not noun:
            yield text_draft(frame, "booked", code["c"], subject=USER, times=frame.clause.times or frame.clause.sentence_times)
        elif noun and not (rx(r"(?:买|抢)").search(match[0]) and "票" not in text and not rx(r"座|位").search(text)):
            value = text if len(text) <= 8 and not rx(r"去|到|的|从").search(text) else noun["n"]
            yield text_draft(frame, "booked", value, subject=USER, times=frame.clause.times or frame.clause.sentence_times)


_MEET_END = r"(?:见面|见个面|吃饭|吃个饭|吃顿饭|开会|开个会|开视频会|有个会|有会|有约|喝咖啡|喝茶|喝酒|聚餐|聚一聚|聚聚|聚会|碰头|碰面|面谈|谈事|谈合同|谈项目|谈|聊|通话|通电话|打电话|视频|有个call|有call|有个meeting|开电话会|约饭|约了|约好|约会|看电影|打球|爬山|逛街|过招|会面|撸串|吃火锅|吃烧烤|有个约|有个电话会|对接|会谈|一起吃|交流)"


def meetings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """跟…见面, 见…, 约了…"""
    if not (_timed(frame) or _will(frame)) or frame.path != USER:
        return
    text = _stripped(frame)
    match = rx(rf"^(?:约好了?|约了)?(?:跟|和|与|同|陪)(?P<o>[\u4e00-\u9fffA-Za-z ]{{1,10}}?)(?:约好了?|约了|在\S{{1,8}}?|一起|去\S{{0,4}})*(?:{_MEET_END})").match(text)
    if not match:
        match = rx(r"^(?:去)?(?:见|拜访|会见|约见|探望|看望|约了|约|看看|会会|见一下|见见)(?:了|一下)?(?P<o>[\u4e00-\u9fffA-Za-z ]{1,10}?)(?:见面|吃饭|喝茶|喝咖啡|聊|谈|$|[,，。]|一面|看房|开会|面谈|打球|[了]$|逛街|看电影)").match(text)
    if match:
        who = clean(rx(r"^(?:我|我们|一下|个|了)+(?:的)?").sub("", match["o"]))
        if good_object(who) and not rx(r"(?:医生|牙医|家人|时间|票|酒店|座位|车|课|号|病|到|识|效|位|房|电影|书|展|演出|牙|球|世面|面)").fullmatch(who):
            past = not _will(frame)
            yield text_draft(frame, "meets", who, entity=True, past=past)


def events(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Exams, appointments, weddings… with their time."""
    words = context.words("events")
    timed = _timed(frame)
    if frame.path == "" or rx(r"^(?:不|没有|没|别)").match(frame.rest):
        return
    text = _stripped(frame)
    if timed:
        match = rx(
            rf"^(?:的)?(?P<a>有(?:一)?(?:个|场|次|门|节|堂|台)?|要|去|去做|做|做了|做了个|去参加|参加了?|要去|得去|约了|约好了?|安排了|考|开|上|办|举行|举办|有|还有|带\S{{1,4}}去|陪\S{{1,4}}去|迎来|出席|当)?(?:一?(?:个|场|次|门|节|堂|台|下))?(?P<o>(?:[\u4e00-\u9fffA-Za-z0-9]{{0,6}}?)(?:{words}))(?P<z>了|的|时间|就|定在|是|改到|改在|在|$|[,，。]|延期|推迟|提前|调到|安排在|开始|举行|那天|挪到|延到)"
        ).match(text)
        if match and not rx(r"(?:票|推荐|想|能|可以)").search(match["o"]) and not rx(r"(?:准备|打算)?(?:报|考研报)").match(match["o"]):
            name = rx(r"^(?:我|的|去|做|参加|有|要|了|个|场|次|一|是|把)+(?=[\u4e00-\u9fffA-Za-z]{2})").sub("", match["o"])
            moved = Change.CHANGED if rx(r"改到|改在|改成|推迟|提前|延期|挪到|调到|延到|换到").search(frame.clause.text) else Change.NONE
            plan = rx(r"打算|准备|计划|想").search(frame.adverbs + frame.rest[:3]) and match["a"] in (None, "考", "去", "做", "参加", "去参加")
            if good_object(name) and not plan:
                past = bool(rx(r"了").search(match["z"] or "")) or bool(rx(r"做了|参加了|去做了|了").search(match["a"] or "")) or not _will(frame)
                yield text_draft(frame, "has_event", name, past=past, change=moved, times=_affirmed(frame))
                return
    match = rx(rf"^(?P<o>[\u4e00-\u9fffA-Za-z]{{0,5}}?(?:{words}))(?:的时间|时间)?(?:是|就在|定在|在|改到了?|改成了?|推迟到了?|提前到了?|就是|安排在|,|，)$").match(frame.body)
    if match and timed and good_object(clean(match["o"])):
        moved = Change.CHANGED if rx(r"改|推迟|提前").search(match[0]) else Change.NONE
        yield text_draft(frame, "has_event", rx(r"^(?:我们?的?|的)").sub("", clean(match["o"])), subject=USER, change=moved, times=_affirmed(frame))


def _affirmed(frame: FrameZh) -> tuple[When, ...]:
    """The times that are not the denied ones: 是周四，不是周三."""
    return tuple(w for w in frame.clause.times if not frame.clause.text[: max(0, w.start - frame.clause.start)].endswith("不是"))


def deadlines(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Days by which something is due."""
    text = frame.clause.text
    due = rx(r"截止|到期|要交|得交|交给|提交|上交|交齐|due|ddl|DDL|deadline|Deadline|必须交|必须完成|前交|完成|搞定|报名|还款|还清|答复|交付|交稿|上线|定稿|交作业|缴|寄出").search(text)
    times = [when for when in frame.clause.times if when.bind in (Bind.BY, Bind.AT, Bind.UNTIL) and when.future]
    if not due or not times:
        return
    strict = any(when.bind in (Bind.BY, Bind.UNTIL) for when in times) or rx(r"截止|到期|due|(?i:ddl|deadline)|要交|得交").search(text)
    if not strict or rx(r"[了过]$").search(frame.rest) or rx(r"护照|签证|身份证|驾照|保质期|合同|会员").search(text) and "到期" in text:
        return
    rest = rx(rf"^(?:{_WILL}|必须|务必|一定|得|要|之前|前|以前|把|将|就|是)+").sub("", frame.rest if not frame.topic else frame.topic)
    patterns = (
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:的)?(?:截止|到期|due|ddl|DDL|deadline|Deadline|提交|报名|交稿)(?:日期?|时间|期限)?",
        r"(?:把|将)(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:交|提交|完成|搞定|做完|写完|还|发|寄|弄好|改完|送|定)",
        r"(?:交|提交|完成|上交|搞定|还清|写完|做完|交付|缴|缴纳|寄出|定稿)(?:完|好|齐|出|的是)?(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:给|到|$|[,，。]|上去)",
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)(?:要|得|必须|需要|应该|务必|就要|前|之前)*(?:交|提交|完成|搞定|上交|做完|写完|还清|交付|上线|定稿|缴)",
    )
    scope = ""
    for pattern in patterns:
        match = rx(pattern).search(rest)
        if match:
            scope = rx(r"^(?:我|的|要|必须|得|把)+|(?:的|是|要|得|必须)+$").sub("", match["s"])
            if good_object(scope):
                break
            scope = ""
    if not scope and not rx(r"截止|到期|due|(?i:ddl|deadline)").search(text):
        return
    value = next((w.future for w in times if "T" in w.future), times[0].future)
    changed = Change.CHANGED if rx(r"改到|延到|延期|推迟|提前到|延长").search(text) else Change.NONE
    yield draft(frame, "deadline", Value(ValueType.DATE, value, None, scope or None), subject=USER, timeless=True, change=changed)


def absence(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Periods on leave, away, or not to be disturbed."""
    times = [when for when in frame.clause.sentence_times if when.bind is Bind.RANGE or (when.bind is Bind.AT and ("/" in when.future or len(when.future) == 10))]
    away = rx(r"请假|请了假|休假|休年假|年假|休产假|产假|陪产假|不在(?:公司|办公室|家|国内|线|$)|没空|勿扰|别打扰|不要打扰|别安排|不要安排|别约|不方便|休息|不上班|联系不上|闭关|放假|调休").search(frame.clause.text)
    if not times or not away or frame.path != USER or rx(r"[了过]$").search(frame.rest) and times[0].future[:10] < frame.clause.today or rx(r"想|打算|能不能").search(frame.adverbs + frame.rest[:2]):
        return
    when = times[0]
    value = f"{when.future}/{when.until}" if when.until else when.future if "/" in when.future else f"{when.future}/{when.future}"
    if len(value) == 21 and value[:10] == value[11:] and not rx(r"请假|休假|没空|勿扰|不在|别安排|不要安排|不上班|不方便|调休").search(away[0]):
        return
    yield draft(frame, "unavailable_during", Value(ValueType.PERIOD, value), subject=USER, timeless=True)


_ACT = r"[\u4e00-\u9fffA-Za-z]"


def plans(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """打算, 准备, 提醒我…"""
    remind = rx(r"(?:提醒|remind)(?:我|一下我)(?P<t>.{0,2}?)(?:要|去|得)?(?P<o>[^,，。!！]{2,16})").search(frame.body)
    if remind and not rx(r"(?:明天|记得)?remind我$|起床$|提醒过").search(frame.body):
        text = clean(rx(r"^(?:要|去|得|记得|一下|别忘了)+").sub("", remind["o"]))
        if good_object(text) and len(text) >= 2 and not rx(r"(?:去|一下|的|叫|起床|我)").fullmatch(text):
            object_ = rx(r"(?P<s>护照|签证|驾照|身份证|合同|会员|保险|年卡|租约)").search(context.sentence)
            whole = text + object_["s"] if object_ and object_["s"] not in text and rx(r"续签|续费|续保|更换|换证|补办|续|年检|续租").fullmatch(text) else text
            yield text_draft(frame, "plans_to", whole, subject=USER)
        return
    if any(when.bind in (Bind.BY, Bind.UNTIL) for when in frame.clause.times) and rx(r"交|提交|完成|截止|到期|还").search(frame.rest):
        return  # that is a due date
    if frame.path != USER or rx(r"(?:不|没|别)(?:打算|准备|想|计划)").match(frame.rest):
        return
    match = rx(r"^(?P<w>打算|准备|计划|想要|想(?!不|起|到|法|象|念|家|哭|你|他|她|死|问|知道|请教|听|看看你|咨询|了解一?下|请|让你|吃|喝|说|必|当年|一下)|决定|要(?!是|不|么|求|好|命|紧|的|\d|[一二两三四五六七八九])|希望(?:能|可以)?|考虑好了|将要?|马上要|即将|正打算|正准备|立志|发誓要?)(?:在|于)?(?P<o>.+)").match(rx(r"^(?:真的|正|也|一直|还)+").sub("", frame.rest))
    if not match:
        match = rx(r"^(?P<w>打算|准备|计划)(?:是)?(?P<o>.+)").match(frame.body) if frame.subject.is_user else None
    if not match or rx(r"(?:就好|多好|吗|怎么|什么)$").search(match["o"]):
        return
    text = rx(rf"^(?:{_WILL}|是|再|先|去|自己|也|都|开始|在\S{{1,6}}?(?=[买做开学考换办]))+(?={_ACT}{{2}})").sub("", match["o"]) if not match["o"].startswith(("去学", "开始")) else match["o"]
    if rx(r"(?:去|到|飞|回)(?!年)").match(match["o"]) and not rx(_NOT_PLACE).match(match["o"][1:]):
        return
    if rx(r"(?:见|拜访|订|预订|约)").match(text) and not rx(r"(?:见习|订阅|订婚|约束)").match(text) and _timed(frame):
        return
    weak = match["w"] in ("要", "将", "想", "希望", "希望能")
    if weak and (rx(r"(?:有|是|会|能|给|被|让|说|问|看|等|找个|你|我|请|用|一|不|这|那|多少|几|花|住|吃|交|上班|开会|加班|说明|注意|怪|强调|感谢|了|过)").match(text)) and not rx(r"(?:看完|看病|看牙|给[\u4e00-\u9fff]{1,4}(?:买|办|过|换|报)|交房|用三年|住进)").match(text):
        return
    if match["w"] == "要" and rx(rf"(?:{context.words('events')})$").search(clean(text)) and _timed(frame):
        return
    text = rx(r"(?:了|吧|呢|啊|的|再说)$").sub("", rx(r"(?:因为|所以|,|，).*$").sub("", text))
    text = rx(r"(?<=^[买换租订装学养办])(?:一)?(?:个|台|套|辆|部|双|件|张|把|本|只|款|条|下)(?=[\u4e00-\u9fffA-Za-z])").sub("", rx(r"一下$").sub("", text))
    text = rx(r"^(把[\u4e00-\u9fffA-Za-z]{1,6}?)(?:重新|都|全部|彻底|好好|给)").sub(r"\1", text)
    if text.startswith("把") and 4 <= len(text) <= 8:  # 把阳台封 is 封阳台, 把厨房装修 is 装修厨房
        cut = 1 if len(text) == 4 else 2
        text = text[-cut:] + text[1:-cut]
    value = clean(text)
    if good_object(value) and 2 <= len(value) <= 16 and not rx(r"(?:加油|努力|注意|小心|开心|坚持|相信|睡觉|休息).*").fullmatch(value):
        yield text_draft(frame, "plans_to", value)


def trains(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Departure, arrival and seat of a journey that is asked for or booked."""
    if not rx(r"票|高铁|动车|火车|飞机|航班|机票|大巴|订|定").search(context.sentence):
        return
    match = rx(r"(?:从)?(?P<a>[\u4e00-\u9fff]{2,6}?)(?:飞|到|至|去)(?P<b>[\u4e00-\u9fff]{2,6}?)(?:的)?(?:高铁|动车|火车|飞机|航班|机票|车票|高铁票|火车票|大巴|票)").search(frame.body)
    if match:
        start = rx(r"^.*?(?:订|定|买|抢|张|一张|要|我|的|查)+").sub("", match["a"])
        if good_object(start) and len(start) >= 2:
            yield text_draft(frame, "departs_from", start, entity=True, subject=USER)
            yield text_draft(frame, "arrives_at", match["b"], entity=True, subject=USER)
    seat = rx(r"(?P<o>二等座|一等座|商务座|特等座|硬卧|软卧|硬座|软座|无座|经济舱|商务舱|头等舱|超级经济舱|靠窗|靠过道|下铺|上铺|中铺)").search(frame.body)
    if seat and rx(r"要|订|定|买|坐|选|是").search(frame.body) and not rx(r"不要|不坐").search(frame.body):
        yield text_draft(frame, "seat_class", seat["o"], subject=USER, timeless=True)


def documents(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Certificates held, payments made, kind of employment, names of files."""
    if not frame.path:
        return
    match = rx(r"^(?:有|考了|考到|考过|考下|拿到|拿了|持有|拿下)了?(?:一?[个本张])?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,12}?(?:证书|资格证|上岗证|证|执照|CPA|CFA|PMP|FRM|注会|法考))(?:书)?$").match(frame.rest)
    if match and not rx(r"(?:驾照|驾驶证|身份证|结婚证|居住证|保证|没)").search(match["o"]):
        yield text_draft(frame, "holds_certificate", match["o"], past=True)
    kind = rx(r"^(?:是|属于)?(?:[\u4e00-\u9fffA-Za-z]{0,12}?的)?(?P<o>外包|正式工|正式员工|合同工|临时工|实习生|劳务派遣|派遣|兼职|全职|编外|在编|编制内|自由职业)(?:员工|人员)?$").match(frame.rest)
    if kind:
        firm = rx(r"(?P<s>[\u4e00-\u9fffA-Za-z]{2,12}?)的(?:外包|正式|合同|临时|实习|劳务|派遣|兼职|全职)").search(rx(r"^是").sub("", frame.rest))
        yield text_draft(frame, "employment_kind", kind["o"], scope=firm["s"] if firm else None, timeless=True)
    paid = rx(r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:我)?(?P<o>已付款|付过款了|付款了|已支付|还没付款?|未付款|没付款|付清了|已经付了|还没付钱|已经付款)").match(frame.body)
    if paid and good_object(paid["s"]):
        yield text_draft(frame, "payment_status", clean(paid["o"]), scope=clean(paid["s"]), subject=USER, timeless=True)


RULES = (trips, bookings, meetings, events, deadlines, absence, plans, trains, documents)
