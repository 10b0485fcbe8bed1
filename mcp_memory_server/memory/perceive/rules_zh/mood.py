"""Chinese rules: feelings, and what the user is dissatisfied with."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, good_object, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


def moods(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Feelings named as one's own."""
    if frame.path != USER or rx(r"(?:(?<!特)别|不要|不用|不必)$").search(frame.adverbs):
        return
    text = frame.rest
    spirits = rx(
        r"^(?:的)?(?:心情|情绪|状态|精神)(?:一直|有点|很|特别|非常|超级?|挺|真的?|越来越|都)*(?P<o>差|不太?好|糟透|糟糕|糟|低落|烂|好|不错|沮丧|烦躁)"
    ).match(text)
    if spirits and "不" not in text[: spirits.start("o")]:
        yield text_draft(frame, "feels", f"心情{spirits['o'].replace('太', '')}", timeless=True)
        return
    dying = rx(r"^(?:真是|快|要)?(?P<o>气|烦|急|愁|累|困|吓|郁闷|尴尬|无聊|紧张)死(?:我)?了?(?:$|[,，!])").match(
        frame.rest
    )
    if dying:
        yield text_draft(frame, "feels", dying["o"], timeless=True)
        return
    mixed = context.rx(
        r"^(?:真的?|好|很|太|有点|有些|特别|非常|超|so|觉得|感觉|整个人都?|快|都)*(?P<o>⟨en feelings⟩|burn ?out|emo|down)(?:了|啊|死了?|的|$|,|，)"
    ).match((frame.adverbs + text).lower())
    if mixed and rx(r"[a-z]").search(mixed["o"]):
        yield text_draft(frame, "feels", mixed["o"], timeless=True)
        return
    toward = rx(r"^(?P<o>嫉妒|想念|怀念|心疼|舍不得|担心|害怕|感激)(?P<s>[^,，。了]{1,8})$").match(text)
    if toward and not rx(r"不|没").search(frame.adverbs) and (frame.explicit or frame.adverbs):
        yield text_draft(frame, "feels", toward["o"], scope=clean(toward["s"]), timeless=True)
        return
    match = context.rx(
        r"^(?:感到|觉得|感觉|心里|心情|整个人|有种|有点|有些|好|很|太|真|特别|非常|超|挺|蛮|十分|实在|简直|快|快要|要|越来越|一直|又|都|也|还|真的|对(?P<s>[^,，。]{1,12}?)|为(?P<s2>[^,，。]{1,12}?)|因为(?P<s3>[^,，。]{1,12}?))*(?P<o>⟨feelings⟩|急(?=得|死我)|怕(?=$|死|得|啊|呀))(?:得|死|了|的|极|啊|,|，|$|坏|透|到|吧|呢|!)"
    ).match(text)
    if (
        not match
        or rx(r"不|没|(?<!特)别").search(text[: match.start("o")])
        or (rx(r"(?:烦|累|慌|轻松|无聊|放松|满足)").fullmatch(match["o"]) and rx(r"(?:人|请|您|你)").search(text))
    ):
        return
    if (
        not frame.explicit
        and frame.adverbs == ""
        and not rx(
            r"^(?:好|很|太|真|特别|非常|超|挺|有点|感到|觉得|感觉|心里|心情|对|为|快|要|[\u4e00-\u9fff]{2,4}(?:得|死|了|$))"
        ).match(text)
    ):
        return
    cause = match["s"] or match["s2"] or match["s3"] or ""
    if not cause and (
        m := rx(
            r"(?:^|[,，。])(?:我)?(?:对|为|因为|想到|一想到)(?P<s>[^,，。]{1,10}?)(?:特别|非常|很|就|有点|还是|真|好|也|,|，|我|$)"
        ).search(context.sentence)
    ):
        cause = m["s"]
    scope = clean(rx(r"^(?:这次|这个|那个|我的?|自己的?)").sub("", cause)) if cause else None
    yield text_draft(frame, "feels", match["o"], scope=scope if scope and good_object(scope) else None, timeless=True)


_BAD = r"(?:没|没有|毫无)(?:人性|良心|素质|底线|下限|职业道德)|不要脸|缺德|黑心|(?:太慢|太差|真差|很差|太烂|真烂|不行|真不行|太难用|难用|难吃|太贵|真贵|太吵|太坑|坑人|坑爹|垃圾|恶心|气人|离谱|无语|糟糕|太假|敷衍|态度(?:太|很|特别|极其|真|实在)?(?:差|恶劣|冲|横|傲慢|敷衍)|三天两头[^,，]{0,2}(?:坏|停|断|漏|卡|出毛病)|越来越(?:难|差|烂|贵|慢|糟)|不靠谱|没反应|卡死|死机|闪退|崩溃|崩了|卡住|卡顿|太卡|很卡|转圈|打不开|登不上|连不上|加载不出来|用不了|坏了|掉了|漏水|漏电|发霉|变质|过期|有异味|有问题|出问题|出错|报错|乱码|失灵|没人管|没人理|没人接|不回复|不理人|不发货|没发货|没到|没送到|没收到|少发|发错|漏发|丢件|送错|迟到|晚点|延误|不退款|不给退|退不了|太低|不合理|乱收费|多扣|扣了两次|重复扣|误导|欺骗|骗人|虚假|耽误|推来推去|踢皮球|爱答不理|不耐烦|凉了|冷了|(?<![内心])脏|破损|凉透|摔碎|摔坏|压坏|洒了|差得|贵得|慢得|吵得|烂得|难吃得|不制冷|不制热|不保温|就不行了|不给开|不肯赔|不赔|不给解决|又涨价|就涨价|吵死|碎了|裂了|太咸|太油|一直响|太小|太大声|太麻烦|太复杂|bug|(?<!接)受不了|忍不了|谁受得了|说不清楚|没说清楚|太不[\u4e00-\u9fff]{1,3}|太气人|让人生气|让人失望)"


# A clause that only voices anger: what it is about was said before it.
_OUTCRY = r"^(?:太坑(?:人|爹)?了?|差评|烦死(?:了|人|我)|气死(?:了|人|我)|急死(?:了|人|我)|真(?:的)?服了|我真服了|什么(?:态度|玩意儿?|破东西)|太(?:过分|离谱|气人|差劲|坑)了?|简直(?:了|离谱|无语)|受够了|无语|忍不了|影子(?:都|也)没有?|(?:吵|烦|气|臭|急|慢|冷|热|挤|卡)得(?:人|我|要命|要死|离谱|不行|睡).*)(?:吧|了|啊|死了)?$"


def _outcry(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    before = context.sentence[: frame.clause.start - frame.clause.sentence_start] or context.text
    match = rx(
        r"^(?:我|你们?的?|这家?|那家?|这个|那个|这次的?|说好的?|又是|[一二两三四五六七八九十\d]+(?:天|个?小时|周|分钟))*(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,8}?)(?=刚|又|都|还|才|送|修|老是?|总是?|一直|用了|买|把|半夜|到|也|已经|居然|竟然|每次|点|天天|从来|根本|永远|的|是|不|没|让|就|更|迟|晚|突然|一|被|昨|今|前天|上周|刚刚|[,，])"
    ).match(before)
    if rx(r"被(?:偷|抢|骗)").search(before):
        return
    if (
        match
        and good_object(match["o"])
        and not rx(r"(?:今天|昨天|现在|最近|我|他|她|自己|为了|等|孩子|因为|怎么|真的).*").fullmatch(match["o"])
    ):
        yield text_draft(frame, "complains_about", match["o"], subject=USER, timeless=True)


def _voiced(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """这破打印机又卡纸, 等了一小时还没上菜, 对服务不满意, 天天让我们加班, 差评."""
    text = frame.body
    broken = rx(
        r"^(?:我的?|你们?的?)?(?:这|那|什么)(?:个|台|部|家|款)?破(?P<o>[\u4e00-\u9fffA-Za-z]{1,6}?)(?=又|老|总|还|真|怎么|一|天天|是|就|也|用|[,，!]|$)"
    ).match(text)
    if broken and good_object(broken["o"]):
        yield text_draft(frame, "complains_about", broken["o"], subject=USER, timeless=True)
        return
    unmet = rx(
        r"(?:等了?|过了|催了)[^,，]{0,8}(?:还是?|都|也|仍然?)没(?:有)?(?P<o>[\u4e00-\u9fff]{2,4}?)(?:呢|啊|$|[,，!])"
    ).search(frame.clause.text)
    if unmet and not rx(r"考|找到工作|怀|睡|结婚|对象").search(unmet["o"]):
        yield text_draft(frame, "complains_about", f"没{unmet['o']}", subject=USER, timeless=True)
        return
    about = rx(
        r"^(?:对)(?P<o>[^,，]{1,10}?)(?:真的?|实在|感到|非常|很|特别|十分|极其|极度|有点)*(?:不满意?|失望透顶|失望|有意见|无语)(?:$|了|[,，])"
    ).match(frame.rest)
    if about and not rx(r"(?:自己|成绩|人生|生活|他|她|你)").fullmatch(about["o"]):
        yield text_draft(
            frame,
            "complains_about",
            clean(rx(r"^(?:这次|这家|这个|你们)的?").sub("", about["o"])),
            subject=USER,
            timeless=True,
        )
        return
    forced = rx(
        r"^(?:你们的?)?(?P<s>客服|商家|平台|物业|医院|领导|老板|公司|经理|主管|上司|老师|学校|单位|甲方)?(?:天天|老是|总是|总|动不动就?|每次都?|一直|又|周末也?)*(?:让|逼|叫|要求)(?:我们?|大家|人)(?P<o>加班|等|背锅|值班|喝酒|无偿[\u4e00-\u9fff]{2})"
    ).match(frame.adverbs + frame.rest)
    if forced and rx(r"天天|老是|总|动不动|每次|一直|又|周末").search(frame.clause.text):
        yield text_draft(
            frame, "complains_about", frame.subject.word or forced["s"] or forced["o"], subject=USER, timeless=True
        )
        return
    if rx(_OUTCRY).match(text):
        yield from _outcry(frame, context)


_BLAMED = rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9]{{1,14}}?)(?:的)?(?:这么|那么|又|也|还是|还|太|真的?|实在|简直|居然|竟然|总是|老是|一直|都|就|根本|怎么|特别|非常|有点|是|根本就|又又|点了|按了|完全|已经|突然|都快|好|越来越|给我|被)*(?P<p>{_BAD})"
_VOICE = r"(?:三天两头|越来越|恶劣|太|真|又|还没|居然|竟然|怎么|让我等|服了|半天|一直|老是|总是|根本|实在|简直|离谱|差得|贵得|要命|差评|坑|烦|不肯|不赔|凉透|死|什么破|破|都\S{1,4}(?:天|小时)了|[!！]|到底|搞什么|受不了|投诉|差评|无语|垃圾|气)"


def complaints(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What the user is dissatisfied with, where the words voice it."""
    text = frame.body
    if (frame.clause.blocked and frame.clause.blocked != "question") or frame.subject.role not in (
        "",
        "company",
        "landlord",
        "boss",
        "roommate",
        "neighbor",
    ):
        return
    match = rx(
        r"^(?:打|问|找|联系)(?P<o>[\u4e00-\u9fff0-9A-Za-z]{2,10}?)(?:问|打|等|催|说|沟通)?了?(?:半天|好几次|\S次|一天|很久|半个?小时)"
    ).match(text)
    if match and rx(_BAD).search(context.sentence):
        yield text_draft(frame, "complains_about", match["o"], subject=USER, timeless=True)
        return
    match = rx(
        r"(?P<o>(?:还)?(?:没发货|不发货|没到货|没人处理|没人接电话|没人回复|没有回复|不给退款|没退款|没解决|没修好))"
    ).search(text)
    if match and rx(_VOICE).search(context.text):
        yield text_draft(frame, "complains_about", rx(r"^还").sub("", match["o"]), subject=USER, timeless=True)
        return
    match = rx(_BLAMED).match(text) if rx(_BAD).search(text) else None
    if match and rx(_VOICE).search(context.text) and not frame.rest.startswith("自己"):
        thing = rx(
            r"^(?:我|你们?的?|这个?|那个?|破(?=[\u4e00-\u9fff]{2})|这家|这款|那家|这次的?|贵公司的?|打|点|用|又|买的|什么破|家里?的?|们的?|家)+"
        ).sub("", clean(match["o"]))
        thing = rx(
            r"(?<=[\u4e00-\u9fffA-Za-z]{2})(?:送到?|刚|才|收到|打开|买来|拿到|用了|等了|修了|住了|点了|把|被|下单|到手|一到|动不动|每次|天天|三天两头).*$"
        ).sub("", thing)
        if good_object(thing) and not rx(
            r"(?:膝盖|腰|胃|眼睛|腿|嗓子|颈椎|身体|心情|成绩|数学|英语|我|自己|我自己|睡眠|基础|天气|眼睛|记性|钱包|手|脚|腿|头|肚子|孩子|今天|最近|题)"
        ).fullmatch(thing):
            yield text_draft(
                frame,
                "complains_about",
                rx(r"(?:问了半天也?|等了\S+|一天了|打了\S+)$").sub("", thing),
                subject=USER,
                timeless=True,
            )
            return
    voiced = list(_voiced(frame, context))
    if voiced:
        yield from voiced
        return
    match = rx(
        r"(?:^|我要|要|必须|想)?(?:投诉|差评|吐槽一下|举报)(?:这家|那家|你们|这个|那个)?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{2,12})"
    ).match(text)
    if match and good_object(clean(match["o"])):
        yield text_draft(frame, "complains_about", clean(match["o"]), subject=USER, timeless=True)
        return
    match = rx(
        r"^(?P<o>客服|快递员?|外卖员?|售后|物业|中介|商家|卖家|房东|店员|前台|司机|平台|商城|系统|物流)(?:换了|推|让我|说|不|又|根本|一直|拖|就|都|还|把我|给我)"
    ).match(text)
    if (
        match
        and rx(_VOICE).search(context.text)
        and rx(r"(?:让\S{0,2}等|推|拖|不管|不理|骂|敷衍|受得了|等了|半天|[!！])").search(context.text)
    ):
        yield text_draft(frame, "complains_about", match["o"], subject=USER, timeless=True)


RULES = (moods, complaints)
