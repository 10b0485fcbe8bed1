"""How Chinese says what lies ahead, and what after 去 is no place."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from mcp_memory_server.memory.perceive.chinese import FrameZh
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.when import Bind, When

WILL = r"(?:打算|准备|计划|想要|想(?!不|起|到|法|象|念|家|哭)|要(?!是|不|么|求|好|命|紧|的是)|决定|会|将要?|希望(?:能)?|马上要?|即将|得(?=去|把|交|做|办|跑|走|飞|回|赶|再)|需要|必须|应该要|约好了?|说好|定好了?|安排了|争取)"


NOT_PLACE = r"(?:时候?|[\u4e00-\u9fff]{0,6}(?:医院|院|诊所|门诊|中心|派出所|车管所|营业厅)(?:$|[看做复办买体检抽拿取挂])|抽血|验血|打针|化疗|上班|上学|公司|学校|医院|银行|超市|健身房|吃|喝|看|做|买|取|拿|接|送|办|参加|体检|面试|考|开会|复查|打|跑|玩|找|问|修|剪|洗|游泳|爬山|派出所|机场|车站|图书馆|食堂|电影院|驾校|旅游|旅行|出差|度假|见|拔|交|领|报|续|听|他|她|你|我|哪|那|这|了|过|一趟|商场|理发|公园|楼|外面|前台|客户|幼儿园|朋友|同学|同事|家|世|年|掉|除|皮|火|职|现场|试|医|牙|药店|寺|教堂|老师|老家|外地|外婆|奶奶|爷爷|父母|爸妈|加班|值班|帮|随礼|捧场|吃席|伺候|照顾|签|拍|还|退|换|跳|唱|学|练|健|散|遛|买菜|晨跑|骑|滑|露|徒|钓|野|夜|逛|泡|参|培|支|留|当|把|给|为|一)"


def timed_by(frame: FrameZh, *binds: Bind) -> list[When]:
    """The times of a clause that bind it so; by default those of an occurrence."""
    wanted = binds or (Bind.AT, Bind.RANGE, Bind.BY)
    own = [when for when in frame.clause.times if when.bind in wanted and when.future]
    return own or [when for when in frame.clause.inherited if when.bind in wanted]


def lies_ahead(frame: FrameZh) -> bool:
    """True for what lies ahead: a word of planning, or a time to come without 了 or 过."""
    if rx(WILL).search(frame.adverbs) or rx(rf"^(?:{WILL})").match(frame.rest):
        return True
    if rx(r"^(?:约了|约好|订了|订好|定了|定好|报了名)").match(frame.rest):
        return True
    if rx(r"^改(?:去|到|成|在)").match(frame.rest):
        return True
    if rx(r"^是[^,，]*的$").match(frame.adverbs[-1:] + frame.rest if frame.adverbs.endswith("是") else frame.rest):
        return False  # 是四月入职的: what is told with 是…的 has happened
    timed = timed_by(frame)
    return (
        bool(timed)
        and timed[0].future[:10] >= frame.clause.today[: len(timed[0].future[:10])]
        and not rx(r"[了过](?:$|[^,，]{0,6}$)").search(frame.rest)
    )


_BEFORE_VERB = rf"^(?:(?:大[一二三四]|高[一二三]|小学|初中|高中|大学|读研|小时候|毕业|退休|结婚)(?:那年|的时候|时|期间|后)?(?=[去到飞])|就|也|都|还|又|是|再|正|改(?=去|到|飞)|改成(?=去|到|飞)|{WILL}|一家(?:人|子|\S口)?(?=[要去到飞回想打准计])|几个人|俩人|开车|自驾(?=去|到)|可能|一起|自己|一个人|全家|带\S{{1,4}}?(?=去|到|飞)|[请休]\S{{0,2}}假(?=去|到|飞)|跟\S{{1,4}}?(?=去|到|飞)|和\S{{1,4}}?(?=去|到|飞)|陪\S{{1,4}}?(?=去|到|飞)|从\S{{2,6}}?(?=去|到|飞))+"


def stripped(frame: FrameZh) -> str:
    """The predicate without words of planning and company before the verb."""
    return rx(_BEFORE_VERB).sub("", frame.rest)
