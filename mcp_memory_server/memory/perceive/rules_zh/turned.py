"""Chinese rules: work, home, school and skill told the other way round, or by a figure of speech.

端…的饭碗, 电工一个, 窝在城北, 本科是省师专念的, 公式总算叫我背下来了: the facts of the plain rules, in the orders that
speech prefers.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, draft, good_object, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.education import _school
from mcp_memory_server.memory.perceive.rules_zh.person import _N, _number
from mcp_memory_server.memory.perceive.rules_zh.work import _NO_JOB, _is_firm, _occupation
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER

_FIRM = r"(?P<o>[\u4e00-\u9fffA-Za-z&. ]{2,14}?)"
# A wage by its figure.
_WAGES = (
    rf"^[端捧吃]着?的?(?:就)?是?{_FIRM}(?:的|这(?:碗|口|行)|那碗)+(?:铁|金|皇粮|公家)*饭碗?$",
    rf"^在{_FIRM}(?:混(?:口)?饭吃?|混日子|讨生活|讨口饭吃?|糊口|谋生|扛活|帮工|站岗|坐班|跑业务|跑销售|看大门)(?:的|呢)?$",
    rf"^(?:一直)?(?:给|替|帮|为){_FIRM}(?:打工|干活|卖命|做事|效力|跑业务|跑腿|跑销售|看大门|站柜台|扛活)(?:的|呢)?$",
)
_SECTOR = r"^(?:是)?(?P<v>在|干|搞|跑|吃)?(?P<o>⟨sectors⟩)(?:系统|口|行业|部门|上|这行|这一行)?(?P<t>上班|工作|做事|干|任职|当差|的|饭)+(?:人|职工|员工)?$"
_TRADE = (
    r"^(?:是|就)?一?(?:个|名|位)?(?P<o>(?:开|修|做|卖|跑|送|搞|干|写|种|养|画|弹|管|带|看|烧|剪|装|焊|教|拉|推|扫|守|收|挖|贩|倒腾)"
    r"(?![心玩错笑完着了过好到得下个起上去给对这那什么])[\u4e00-\u9fffA-Za-z]{1,4})的$"
)


def livelihood(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """端铁路的饭碗, 电工一个, 我媳妇搞测绘的: employer and occupation."""
    if not frame.path or frame.subject.role in ("company", "team", "pet"):
        return
    rest = frame.rest
    if rx(r"想|打算|准备|计划|以前|之前|从前|不").search(frame.adverbs + rest[:1]):
        return
    for pattern in _WAGES if rest[:1] in "端捧吃在一给替帮为" else ():
        match = rx(pattern).match(rest)
        if match and (_is_firm(match["o"], context) or context.has("sectors", match["o"])):
            yield text_draft(frame, "works_at", match["o"], entity=True)
            return
    sector = context.rx(_SECTOR).match(rest) if rest[:1] in "是在干搞跑吃" else None
    if sector and (sector["v"] or (rest.startswith("是") and sector["t"] == "的")):
        yield text_draft(frame, "works_at", sector["o"], entity=True)
        return
    trade = rx(_TRADE).match(rest) if rest.endswith("的") else None
    own = trade and rx(r"(?:我|本人)(?:是|做|干)[^,，]{1,10}[,，]$").search(
        context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
    )
    if trade and (frame.explicit or own) and not frame.topic and not rx(r"[我你他她这那]").search(trade["o"]):
        if not rest.startswith("是"):  # with 是 the plain rule reads it
            yield text_draft(frame, "job_title", f"{trade['o']}的")
        return
    counted = rest[-2:-1] == "一" and rx(r"^(?P<o>[\u4e00-\u9fffA-Za-z]{2,8})一(?:个|名|枚|位)$").match(rest)
    if counted and not rx(rf".*{_NO_JOB}$").fullmatch(counted["o"]):
        yield from _occupation(frame, context, counted["o"])


_YEARS = rf"^(?:前前后后|前后|一共|总共|拢共|足足|整整|满打满算|加起来|断断续续|零零碎碎|已经|都|也|就|一)*(?:干|做|当|教|开|跑|写)了?(?:快|整整|有|足足)*(?P<n>{_N})(?P<more>多|来)?年(?P<h>半)?(?:多)?了?$"


def tenure(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """抄表员一个，前后干了十四年: how long, of the work that was named before."""
    match = rx(_YEARS).match(frame.adverbs + frame.rest)
    if not match or frame.path != USER:
        return
    before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
    named = context.rx(
        r"(?P<f>⟨occupations⟩|[\u4e00-\u9fff]{1,4}(?:工|员|师|匠|医|教练|司机))(?:一(?:个|名|枚|位)|的)?[,，]"
    ).search(before)
    value = _number(match["n"])
    if named and value:
        number = Value(ValueType.NUMBER, value + (".5" if match["h"] else ""), "year", named["f"], bool(match["more"]))
        yield draft(frame, "years_of_experience", number, timeless=True)


_STANDS = r"(?:窝|蹲|猫|缩|扎|守|驻|挤|蜗居|扎根|扎堆|栖身|藏|躲|坐落|落脚|落户|安家|安身|立足|定)"
_STANDING_IN = (
    r"^(?:刚)?(?:把)?家(?:就)?安在了?(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:了)?$",
    rf"^(?:一家[一二两三四五六七八几]口|全家|夫妻俩|一个人|都|全|就|还|一直)*{_STANDS}(?:在|于)了?(?P<o>[\u4e00-\u9fffA-Za-z]{{2,10}}?)(?:里|这边|那边|一带)?(?:了|呢|的)?$",
    r"^(?:现如今|如今|眼下|一家[一二两三四五六七八几]口|一家老小|一家人|全家|一个人|都|已经)*在(?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:扎下?了?根|落了?脚|落了?户|站住了?脚|站稳了?脚跟|安了?身|讨生活)了?$",
)
# What one may be in for a while, without living there.
_NOT_HOME = r"(?:床|沙发|被窝|家|屋|房|车|路|角落|图书馆|教室|公司|单位|厂|店|工地|宿舍|网吧|办公室|实验室|手机|电脑|心|一起|医院|学校|这|那|哪|卧室|客厅|村口|门口|草|山洞|树)"


def abode(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """窝在柳州北郊, 在厦门扎下根了; 我弟在宁波住，我在温州: where somebody lives or a firm stands."""
    if not frame.path or rx(r"想|打算|准备|计划|以前|之前").search(frame.adverbs):
        return
    for pattern in _STANDING_IN:
        match = rx(pattern).match(frame.rest)
        where = clean(match["o"]) if match else ""
        if where and good_object(where) and not rx(rf".*{_NOT_HOME}.*").fullmatch(where):
            firm = frame.subject.role in ("company", "team")
            yield text_draft(frame, "located_in" if firm else "lives_in", where, entity=True)
            return
    moved = rx(
        r"^(?:又|就|也|全家|一家人|举家|跟着[\u4e00-\u9fff]{1,4}|从[\u4e00-\u9fff]{2,6})*(?:挪|迁|漂|辗转|嫁|南下|北上|转战|杀回|流落|调)(?:到|去|回|来|至)了?(?P<o>[\u4e00-\u9fff]{2,8}?)(?:了|去了|来了)?$"
    ).match(frame.rest)
    if (
        moved
        and good_object(moved["o"])
        and not rx(rf".*{_NOT_HOME}.*|.*(?:部|岗|组|班|科室|期|时间|日子|[号点天月年周])").fullmatch(moved["o"])
    ):
        firm = frame.subject.role in ("company", "team")
        if "迁" in frame.rest or "搬" in frame.rest or not firm:
            predicate = "located_in" if firm else "lives_in"
            yield text_draft(
                frame, predicate, clean(moved["o"]), entity=True, begins=True, past=True, change=Change.CHANGED
            )
        return
    same = rx(r"^(?:则|却)?在(?P<o>[\u4e00-\u9fff]{2,4})(?:这边|那边)?$").match(frame.rest)
    if same and frame.explicit and not rx(rf".*{_NOT_HOME}.*|外地|老家").fullmatch(same["o"]):
        before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
        if rx(r"住在[^,，]{2,5}[,，]$|在[^,，]{2,5}(?:住|定居|居住)(?:着|呢)?[,，]$").search(before):
            yield text_draft(frame, "lives_in", same["o"], entity=True)


_STAGE = r"(?:中专|大专|专科|本科|硕士|博士|研究生|大学|高中|初中|小学|中学|职高|技校)"


def schooled(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """本科是省师专念的, 毕业以后考进了师范: schools."""
    if not frame.path or rx(r"想|打算|准备|计划").search(frame.adverbs):
        return
    done = rx(
        rf"^(?:的)?{_STAGE}(?:是|就|都|当年|那会儿?)*(?:在)?(?P<o>[\u4e00-\u9fffA-Za-z]{{2,14}}?)(?:读|念|上|修)(?:完|出来)?的$"
    ).match(frame.rest)
    if done and (name := _school(done["o"])):
        yield text_draft(frame, "graduated_from", name, entity=True, past=True, begins=True)
        return
    there = rx(r"^(?:就)?在(?P<o>[\u4e00-\u9fffA-Za-z]{2,14})$").match(frame.rest)
    if there and (name := _school(there["o"])):
        before = context.sentence[: max(0, frame.clause.start - frame.clause.sentence_start)]
        if rx(r"(?:[读念上](?:[大高初小研]|幼儿园)|年级|[大高初研][一二三四五])[^,，]{0,3}[,，]$").search(before):
            yield text_draft(frame, "studies_at", name, entity=True)
        return
    after = rx(
        r"^(?P<w>[\u4e00-\u9fff]{0,4}(?:毕业|退伍|复读|高考)(?:之后|以后|后)?)(?:又|就|直接|接着|也)*(?P<v>考|升|保送|转)(?:进|入|上|到)了?(?P<o>[\u4e00-\u9fffA-Za-z]{2,14})$"
    ).match(frame.rest)
    if after and (name := _school(after["o"])):
        yield text_draft(frame, "studies_at", name, entity=True, begins=True, past=True)


_GRASP = r"(?:拿下来?|搞定|啃下来?|吃透|攻克|弄明白|搞明白|整明白|搞懂|弄懂|读懂|学会|征服|摸透|摸清|背下来|练熟|参透|攻下来?|琢磨透|捋顺|捋清)"
_GRASPED = rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{{1,10}}?)(?:这一?块儿?|这部分|这一?章)?(?:总算|终于|可算|到底|也|都|已经|全|还是|最后|今天)*(?:叫|被|让|给)我(?:给|彻底|全|都)*{_GRASP}(?:了|啦)$"
_AREA = r"(?:[这那]一?块儿?|[这那]部分|[这那]一?[章节门科]|[这那]儿|[这那]里|上头|方面)?"
_BAFFLED = (
    rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{{2,8}}?){_AREA}(?:我|也|都|就|是|还是|老是|老|总是|总|一直|始终|死活|怎么(?:都|也)?|硬是|实在)*"
    r"(?:[绕转捋理悟参啃摸整琢看听学背记想算][\u4e00-\u9fff]?不(?:明白|懂|清楚?|透|过弯|过弯来|过来|进去|顺|下来|会|通|熟)|没(?:绕|转|捋|理|悟|参|啃|摸|整)(?:明白|懂|清楚?|透|过弯来?|过来|顺))(?:弯来?)?(?:呢)?$"
)
_NOT_TOPIC = r"(?:[我你他她它这那人话事题字]|什么|声音|电话|信号|手机|眼睛|耳朵|老人|屏幕|画面|路|老师|客服)|.*(?:不|没|的|了|我|你|他|她|老|总|还|脑子|脑筋)"


def grasp(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """公式总算叫我背下来了; 民法那块儿老是绕不明白: what is mastered, what is hard."""
    text = (frame.topic + "我" + frame.adverbs + frame.rest) if frame.topic else frame.body
    done = rx(_GRASPED).match(text)
    if done and good_object(done["o"]) and not rx(_NOT_TOPIC).fullmatch(done["o"]):
        yield text_draft(frame, "mastered", clean(done["o"]), subject=USER, change=Change.CHANGED)
        return
    if frame.path != USER and frame.subject.role not in ("son", "daughter", "child"):
        return
    hard = rx(_BAFFLED).match(text)
    if hard and good_object(hard["o"]) and not rx(_NOT_TOPIC).fullmatch(hard["o"]):
        yield text_draft(frame, "struggles_with", clean(hard["o"]))


_TOOL = r"(?P<o>[A-Za-z][A-Za-z0-9+#. ]{1,20})"


def companions(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """天天跟Excel打交道, 离不开Figma, 吃饭的家伙是Premiere: tools without a verb of use."""
    if frame.path != USER or rx(r"不|没|想").search(frame.adverbs):
        return
    match = (
        rx(rf"(?:跟|和|与){_TOOL}(?:打交道|较劲|死磕|为伴|过日子)").search(frame.rest)
        or rx(rf"^(?:[\u4e00-\u9fff]{{0,6}})(?:离不开|全靠|全指着|少不了|指着){_TOOL}$").match(frame.rest)
        or rx(rf"^(?:我的?)?(?:吃饭的家伙|吃饭家伙|饭碗|看家本领|主力工具|生产力工具|得力助手)(?:就)?是{_TOOL}$").match(
            frame.body
        )
    )
    if match:
        yield text_draft(frame, "uses_tool", match["o"].strip())


RULES = (livelihood, tenure, abode, schooled, grasp, companions)
TRIGGERS = {
    livelihood: r"饭|混|打工|干活|谋生|糊口|讨|卖命|做事|效力|跑|看大门|站|坐班|扛|帮工|的|一[个名枚位]|上班|工作|当差|任职|干",
    tenure: r"年",
    abode: r"迁|挪|漂|辗转|嫁|南下|北上|转战|流落|调|窝|蹲|猫|缩|扎|守|驻|挤|蜗居|栖|藏|躲|坐落|落|安|立足|定|根|脚|在",
    schooled: r"学|校|园|读|念|上|修|考|升|保送|转",
    grasp: r"叫我|被我|让我|给我|不|没",
    companions: r"打交道|较劲|死磕|为伴|过日子|离不开|全靠|全指着|少不了|指着|家伙|饭碗|看家|工具|助手",
}
