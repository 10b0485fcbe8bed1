"""Chinese rules: tastes, moods, medicines, purchases and dropped plans in turns of speech without their plain verb."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import (
    _CLASSIFIER,
    ContextZh,
    FrameZh,
    clean,
    good_object,
    items,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.health import _DRUG
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER

_NOUN = r"(?P<o>[\u4e00-\u9fffA-Za-z]{1,8}?)"
_DRAWN = r"(?:走不动道|走不动路|迈不开腿|挪不开眼|流口水|直流口水|咽口水|来劲|来精神|两眼放光|眼睛放光|眼睛发亮|嘴馋|犯馋|馋得[^,，]{1,4}|馋|高兴|开心|心情好|停不下来|停不下嘴)"
_LURED = rf"^一(?:闻|看|见|听|碰|提|吃|喝|说)(?:见|到|着|起)?{_NOUN}(?:的?味儿?|的?香味)?(?:我)?就{_DRAWN}(?:了)?$"
_BIT = r"一?(?:根|点|点儿|口|丁点儿?|星|星点|粒|片|丝|滴|筷子|下|丁)"
_REFUSED = (
    rf"^{_NOUN}(?:这(?:个)?(?:东西|玩意儿?))?(?:我)?(?:是|真是|可|绝对|坚决)*{_BIT}儿?(?:也|都)?(?:不能有|不能放|不能沾|不能碰|不能加|不沾|不碰|不要|不吃|吃不得|沾不得|碰不得|见不得|容不下|不让放|不想沾|不想碰)(?:的)?$",
    rf"^{_NOUN}(?:这(?:个)?(?:东西|玩意儿?))?(?:我)?(?:是|真是|向来|一直|一向|从来)*(?:敬而远之|避之不及|敬谢不敏|无福消受|欣赏不来|吃不惯|闻都不能闻|碰都不(?:想|能|敢)碰|看都不想看|提都别提|躲着走|绕着走)(?:的)?$",
)
_NOT_FOOD = r".*(?:[我你他她人这那话]|声音|信号|钱|电|水|网|时间|机会|消息|办法|事|力气|课|班)"


def cravings(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """一闻见螺蛳粉我就走不动道; 香菜一根都不能有: tastes."""
    if frame.path != USER or "过敏" in context.sentence:
        return
    whole = f"{frame.topic}我{frame.adverbs}{frame.rest}" if frame.topic else frame.body
    lured = rx(_LURED).match(whole)
    if lured and good_object(lured["o"]) and not rx(r".*(?:[我你他她人]|钱|话|周末|放假|下班)").fullmatch(lured["o"]):
        yield text_draft(frame, "likes", clean(lured["o"]))
        return
    devoted = (
        rx(
            r"^(?:我)?(?:无|没有?|离了|离开)(?P<o>[\u4e00-\u9fff]{1,5}?)(?:我)?(?:就|可|简直)?(?:不欢|吃不下饭|活不了|活不下去|不行|吃不香|浑身难受|没法活)$"
        ).match(whole)
        or rx(
            r"^(?:我)?(?:就|最|总|天天|特别|老)*(?:馋|惦记着?)(?:这|那)?(?:一?口|着)?(?P<o>[\u4e00-\u9fff]{2,6})$"
        ).match(whole)
        or rx(
            r"^(?P<o>[\u4e00-\u9fffA-Za-z]{2,6})我(?:真的?|是|特别|太|玩|打|看|吃|喝)*(?:上瘾|有瘾|入迷|着迷|没够|停不下来)(?:了)?$"
        ).match(whole)
    )
    if (
        devoted
        and good_object(devoted["o"])
        and not rx(r".*(?:钱|工作|网|人|[我你他她]|法|办法|手机|死)").fullmatch(devoted["o"])
    ):
        yield text_draft(frame, "likes", clean(devoted["o"]))
        return
    for pattern in _REFUSED:
        match = rx(pattern).match(whole)
        if match and good_object(match["o"]) and not rx(_NOT_FOOD).fullmatch(match["o"]):
            for part in items(match["o"]):
                yield text_draft(frame, "dislikes", part)
            return


_DOSES = r"(?:早晚各|早中晚各|各|一[天日][^,，\d一二两三四半]{0,2})?[一二两三四五六半几\d]+(?:次)?(?:片|粒|颗|支|针|袋|包|丸|滴|喷|勺|次|毫克|mg|单位)(?:的)?"
_DOSED = rf"^(?:[^,，]{{0,3}}(?:早晚各|各))?(?:{_DOSES}){_DRUG}$"
_DOSED_BEHIND = rf"^{_DRUG}(?:每天|一天|一日|每晚|每早|早晚)?(?:各)?[一二两三四五六半\d]+(?:片|粒|颗|支|针|袋|包|丸|滴|喷|勺|次|毫克|mg)$"
_REGULAR = r"每[天日早晚周]|一[天日]|天天|睡前|饭[前后]|早晚|早上|晚上|早中晚|空腹|[一二两三]次"


_RASH = r"(?:浑身|全身|脸上|身上|嘴唇?|嘴巴|喉咙|皮肤|脸|眼睛)?(?:都|会|又|立马|马上)*(?:起红疹|起疹子?|出疹子?|起疙瘩|起荨麻疹|肿|发痒|痒得|长疹子)"
_RASHES = (
    rf"^一(?:吃|喝|碰|闻|沾|接触|摸)(?:到|了)?(?P<o>[\u4e00-\u9fffA-Za-z]{{1,6}}?)(?:浑身|全身|脸上|身上|嘴|喉咙|皮肤|脸)?就{_RASH}",
    rf"^(?P<o>[\u4e00-\u9fff]{{1,6}}?)(?:我)?一(?:吃|喝|碰|沾|闻)(?:[\u4e00-\u9fff]{{0,2}})?就{_RASH}",
)


def rashes(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """一沾酒就浑身起红疹: an allergy by what it does."""
    if not frame.path or frame.subject.role == "pet":
        return
    whole = f"{frame.topic}{frame.rest}" if frame.topic else frame.rest
    match = next((found for pattern in _RASHES if (found := rx(pattern).match(whole))), None)
    if match and good_object(match["o"]) and not rx(r"[我你他她这那嘴脸手眼鼻]|皮肤|伤口").search(match["o"]):
        yield text_draft(frame, "allergic_to", clean(match["o"]))


def doses(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """每天早上一片氨氯地平, 二甲双胍一天两次: medicines by their dose, without a verb."""
    if not frame.path or not rx(_REGULAR).search(frame.clause.text) or rx(r"想|打算|不用|不|没").search(frame.adverbs):
        return
    text = rx(r"^(?:[一二两三]?[天日]|睡前|饭[前后]|早上|晚上|空腹|每天|早晚|早中晚|都|就|也|得|要)+").sub(
        "", frame.rest
    )
    match = context.rx(_DOSED).match(text) or context.rx(_DOSED_BEHIND).match(frame.rest)
    if match:
        yield text_draft(frame, "takes_medication", match["o"])


_DISTRESS = r"(?:[堵憋闷闹急累愁气怕馋饿困慌虚空乱烦酸揪恨羞臊]得慌|不是滋味|没着没落|七上八下|空落落|空荡荡|拔凉拔凉|美滋滋|暖洋洋|暖烘烘|乐开了花|像压了?块?(?:大)?石头|沉甸甸|酸溜溜|甜滋滋|乱糟糟|乱成一团|直打鼓|发毛|发虚|过意不去|犯堵|窝火|窝着火)"
_AT_HEART = rf"^(?:到现在|至今|现在|这几天|一直|总觉得|老觉得)*(?:(?:心里头?|胸口|心头|心口|这心|心)(?:里)?(?:头)?)(?:还|一直|总是?|老是?|有点|直|就|也|都|是|到现在|现在|特别|怪|觉得|这)*(?P<o>{_DISTRESS})(?:的|了|呢|似的)?$"


def hearts(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """心里还堵得慌, 心里七上八下的: moods by what the heart does."""
    if frame.path != USER:
        return
    match = rx(_AT_HEART).match(frame.rest)
    if match:
        cause = rx(r"(?P<s>离婚|分手|失业|考试|答辩|面试|手术|搬家)|(?P<v>离|分)的(?P<n>婚|手)").search(
            context.sentence
        )
        scope = (cause["s"] or cause["v"] + cause["n"]) if cause else None
        yield text_draft(frame, "feels", match["o"], scope=scope, timeless=True)


_TAKEN = rf"^(?:一时冲动|脑子?一热|手一滑|没忍住|忍不住|跟风|顺手|在[^,，]{{1,8}}?|给[^,，了]{{1,4}}?|又|刚|终于)*(?:抢|剁手|败|薅|拿下|抱|搬|扛|捎|拎|捡漏|种草|拔草|下手|淘|秒|拍|入|收|置办|整)(?:回|到|下|回来|回家|了个)?(?:家)?了?(?:一)?(?P<c>{_CLASSIFIER}|个)(?:新|二手|打折的?)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{2,10}})$"


def bargains(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """手一滑，抢了台洗碗机: purchases that no verb of buying tells."""
    if frame.path != USER or not rx(r"了|回").search(frame.rest) or rx(r"想|打算|没|不").search(frame.adverbs):
        return
    match = rx(_TAKEN).match(frame.rest)
    if not match or rx(r"[票位座课号]$|票|孩子|猫|狗|照|视频|电影").search(match["o"]):
        return
    durable = context.rx(r"(?:⟨durables⟩)$").search(match["o"]) is not None
    bought = rx(r"台|辆|部|套|副|双|件|款|把|瓶|只|箱|盒|块|张").search(match["c"]) is not None
    if durable or (
        bought
        and rx(
            r"双十[一二]|双1[12]|618|六一八|打折|促销|直播间|网上|淘|手一滑|剁手|商场|超市|店|夜市|集市|市场"
        ).search(context.text)
    ):
        times = frame.clause.times or frame.clause.inherited or frame.clause.sentence_times
        yield text_draft(frame, "bought", clean(match["o"]), past=True, times=tuple(times))


# What one does to a thing once, and may decide not to do.
_DEED = r"(?:翻新|装修|装|换|买|卖|租|订|办|请|报名|报|考|学|读|养|做|改造|改|拆|建|盖|修|参加|申请|开|搬|种|录|拍|写|跟团|去)"
_DROPPED = (
    rf"^(?:我们?)?(?P<o>[\u4e00-\u9fffA-Za-z]{{1,8}}?)(?:我们?|咱们?)?(?:也|就|还是|先|决定|打算|准备|暂时|这次|今年|明年)*不(?P<v>{_DEED})了$",
    rf"^(?:也|就|还是|先|决定|暂时|这次)*不(?:打算|准备|计划|想)?(?P<v>{_DEED})(?P<o>[\u4e00-\u9fffA-Za-z]{{1,8}}?)了$",
)
_SCRAPPED = r"不算|作废|取消|算了|不作数|当我没说|收回|泡汤|改主意|变卦|黄了|先前|之前说|刚才说|原计划|计划|打算|决定"


def dropped(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """厨房不翻新了，先前说的不算; 决定不买房了: an intention that is given up."""
    if frame.path != USER or not frame.rest.endswith("了"):
        return
    given_up = rx(_SCRAPPED).search(context.text) or rx(r"打算|准备|决定|计划|想").search(frame.adverbs)
    # Without a word of planning, only what stands first says that the thing was to come: 房子不买了.
    for pattern in _DROPPED if given_up else _DROPPED[:1]:
        match = rx(pattern).match(frame.topic + frame.rest if frame.topic else frame.adverbs + frame.rest)
        if (
            not match
            or not good_object(clean(match["o"]))
            or rx(r".*(?:[我你他她]|钱|打算|不|没|都|再|也)").fullmatch(match["o"])
        ):
            continue
        if not given_up and (len(match["o"]) < 2 or match["v"] in ("去", "做", "养", "学", "修", "拍", "写")):
            return
        thing = rx(r"(?<=[房车])子$").sub("", match["o"])
        thing = rx(r"^(?:我们?的?|家里?的?|那个?|这个?)(?=.{2})").sub("", clean(thing))
        if match["v"] == "去" and len(thing) >= 2:
            yield text_draft(frame, "travels_to", thing, entity=True, negative=True, ends=True)
        elif match["v"] != "去":
            yield text_draft(frame, "plans_to", match["v"] + thing, negative=True, ends=True)
        return


RULES = (cravings, rashes, doses, hearts, bargains, dropped)
TRIGGERS = {
    rashes: r"疹|疙瘩|肿|痒",
    cravings: r"不欢|不下|不了|不行|不香|难受|没法活|馋|惦记|瘾|迷|没够|走不动|迈不开|挪不开|口水|来劲|来精神|放光|发亮|馋|高兴|开心|心情好|停不下|不能|不沾|不碰|不要|不吃|不得|容不下|不让放|不想|敬|避之|消受|欣赏不来|不惯|不敢碰|别提|躲着|绕着",
    doses: r"片|粒|颗|支|针|袋|包|丸|滴|喷|勺|次|毫克|mg|单位",
    hearts: r"心|胸口",
    bargains: r"抢|剁手|败|薅|拿下|抱|搬|扛|捎|拎|捡漏|草|下手|淘|秒|拍|入|收|置办|整",
    dropped: r"不",
}
