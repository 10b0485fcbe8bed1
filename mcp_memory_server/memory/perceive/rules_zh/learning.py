"""Chinese rules: what is hard, what is mastered, results of exams."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_memory_server.memory.model import Change, Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, clean, draft, good_object, items, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER

_LOST = r"(?:头大|头疼|头痛|犯怵|发怵|懵|晕|慌|抓瞎|傻眼|犯难|发愁|没辙)"


def _weak(text: str) -> re.Match[str] | None:
    """一看到几何就头大, 在异步这块没开窍, 数学底子差: what is hard, said of the topic."""
    return (
        rx(
            rf"^一(?:看见?到?|碰到?|遇到?|听到?|做到?|写|上|学|说到|提到)(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{{1,10}}?)(?:我)?就?{_LOST}"
        ).match(text)
        or rx(
            r"^(?:在|对)(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{1,10}?)(?:这一?[块方章]面?|方面|上面?|这门课|题)?(?:一直|始终|完全|就是|总是|还是|真的|实在|特别|非常|很|比较|有点)*(?:没开窍|不开窍|没入门|没感觉|没头绪|没思路|一点(?:思路|头绪|感觉|概念)(?:都|也)没有?|吃力|弱|欠缺|薄弱|摸不着头脑|力不从心|云里雾里|一塌糊涂)$"
        ).match(text)
        or rx(
            r"^(?P<o>(?:[\u4e00-\u9fff]{0,3})(?:口语|听力|写作|阅读|语法|发音|作文|词汇|数学|物理|化学|英语))(?:也|就|只是|比较|很|真的)*一般(?:般)?$"
        ).match(text)
        or rx(
            r"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{1,8}?)(?:的)?(?:底子|基础|功底|底)(?:一直|真的?|很|太|比较|不太|有点|特别|不够?|非常)*(?:差|弱|薄弱|不好|不牢|薄|不扎实|够|好|扎实|牢)(?:了)?$"
        ).match(text if rx(r"(?:底子|基础|功底|底)[^,，]{0,4}(?:差|弱|薄|不)").search(text) else "")
    )


_HARD = r"(?:掌握|理解|学|背|记)得(?:很|太|不太|不怎么|特别|非常|比较|相当|真)?(?:差|糟糕?|烂|不好|一般|吃力)|(?:搞|弄|学|听|看|想|理解|算|记|背|写|做|绕|转|捋|理|悟|整|啃|摸|琢磨)不(?:太)?(?:懂|明白|会|清楚?|来|透|出来|好|下去|住)|没(?:太)?(?:搞|弄|学|听|看|想)?(?:懂|明白|会|清楚|透)|(?:完全|根本|一点都?|一直|总是|老是)?不(?:太)?(?:懂|会做?|理解|明白|行)|一窍不通|一头雾水|很差|太差|特别差|太难|好难|很难|有点难|真难|难死|吃力|头疼|头大|学不会|不及格|拖后腿|薄弱|差劲|老出错|总出错|老错|总错|[老总]混|不开窍|没开窍|一错一大片|错一大片|磕磕绊绊|一塌糊涂|找不着北|摸不着门道?|抓瞎|学了就忘|搞混|弄混|卡壳|稀烂|很烂|太烂|跟不上|太抽象|太绕|差点儿?意思|差点儿?火候|差强人意|很一般|一般般|不太行|不怎么行|不咋地|够呛|拿不出手|云里雾里|稀里糊涂|学得很?慢|怎么[都也][\u4e00-\u9fff]不[好会懂准对明清出进]"
_DONE = r"(?:已经|终于|现在|总算|都|算是|彻底|完全|早|早就|闭着眼睛?)*(?:[整搞弄学练背捋摸玩琢参理吃啃](?:磨|会)?(?:明白|懂|熟|透|会|顺|通|清楚|转)了|都?会(?:写|做|用|算|弹|背)(?:了)?$|门儿清|看懂了|听懂了|学懂了|[\u4e00-\u9fff]得(?:很|挺|贼|超|特别)?(?:溜|熟|滚瓜烂熟)了?|(?:掌握|理解|学)得(?:很|挺|非常|特别|相当|比较|还)?(?:好|牢固?|扎实|不错|透彻?)了?|滚瓜烂熟|手到擒来|游刃有余|得心应手|驾轻就熟|不在话下|会了|学会了|搞懂了|弄懂了|懂了|明白了|掌握了|没问题了|难不倒我|难不倒我了?|拿手|上手了|吃透了|搞明白了|弄明白了|搞定了|熟练了?|很熟练|精通|信手拈来|入门了|学好了|弄清楚了|搞清楚了|学通了)"
_BRIDGE = r"(?:是(?=真|完全|一点|根本|怎么|压根)|真|我|他|她|孩子|[这那]一?块儿?|[这那]部分|这门课|这部分|这一块|这章|这个|方面|题目?|算是|彻底|倒是|还是|一直|总是|总|老是|老|就是|实在|真的?|完全|根本|始终|怎么(?:都|也)?|其实|已经|终于|总算|也|都|还|现在|怎么也|死活|学得|学起来|一点|有点|特别|非常|很|太|对我来说|,|，)*"
_STANDING = rf"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+# ]{{1,12}}?){_BRIDGE}(?P<p>{_HARD}|{_DONE})"


def learning(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """What is hard, and what is mastered."""
    if (
        frame.path != USER
        and frame.subject.role
        not in (
            "son",
            "daughter",
            "child",
            "children",
            "student",
            "brother",
            "sister",
        )
    ) or rx(r"[一二三四五六七八九]成|%|百分之").search(frame.rest):
        return  # how well it is mastered is told in numbers
    text = (frame.topic + frame.rest) if frame.topic else (frame.adverbs if not frame.explicit else "") + frame.rest
    text = rx(r"^(?:觉得|感觉|发现)(?=[\u4e00-\u9fff]{3})").sub("", text)
    text = rx(r"^的(?=[\u4e00-\u9fff]{2})|^把(?=[^,，]{1,10}(?:[搞弄看学听]懂|[搞弄]明白|学会|吃透|掌握))").sub(
        "", text
    )
    weak = (
        _weak(text)
        or rx(
            r"^(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{1,10}?)(?:一直|始终|向来|永远|真的|就|都)*(?:是我?的?(?:弱项|短板|软肋|老大难|噩梦|痛点|死穴)|(?:总|老|经常|一直)(?:丢分|扣分|拖分|卡住)|(?:让|令|把)我(?:很|特别|特)?(?:头大|头疼|头痛|崩溃|抓狂|难住了?|绕晕了?|搞晕了?|整懵了?))"
        ).match(text)
        or rx(
            r"^(?:最|很|特别)?(?:头疼|怵|发怵|害怕|吃力)(?:的(?:科目|部分)?(?:就)?是|学|上)(?P<o>[\u4e00-\u9fffA-Za-z0-9+#]{2,10})$"
        ).match(text)
    )
    if (
        weak
        and good_object(clean(weak["o"]))
        and not rx(r"(?:孩子|老板|同事|客户|他|她|你|这|那|工作|生活|钱|身体)").search(weak["o"])
    ):
        yield text_draft(frame, "struggles_with", clean(weak["o"]))
        return
    match = rx(_STANDING).match(text)
    if (
        match
        and not rx(
            r"(?:我|他|她|你|这|那|话|人|题|这个|那个|这道题|作业|不|什么|完全|根本|一点|一直|总|老|也|还|有点|打|说|事|钱|工作|怎么|听|看|搞|弄|学|想|做|服务|客服|态度|系统|页面|软件|网|产品|说明书|界面|时间|身体|药|快递|外卖)(?:的)?"
        ).fullmatch(match["o"])
        and not rx(r"不(?:行|会)(?:吧|吗|来|去|的)|态度|服务|客服|打不|联系不|退不|还没").search(text)
    ):
        topic = clean(match["o"])
        if rx(r"(?:^太|^.得|术语|只|听得|跌|亏|每天|日常|前面|正好|刚好|大家|今天|昨天|现在|起来|吃|喝|睡)").search(
            topic
        ) or rx(r"[个两]成$|完全$|[我他她]|(?:让|被|叫|给)$").search(topic):
            return
        bad = rx(rf"(?:{_DONE})").fullmatch(match["p"]) is None
        if bad and rx(context.words("languages")).match(topic):
            return
        if (
            good_object(topic)
            and not (
                bad and rx(r"(?:不会|不行)$").fullmatch(match["p"]) and rx(context.words("languages")).fullmatch(topic)
            )
            and not rx(r"(?:语|话)$").search(topic if not bad else "")
        ):
            if rx(r"(?:喝|吃|身|心|睡|胃|血|眼|腰|腿)").match(topic) and bad:
                return
            yield text_draft(
                frame, "struggles_with" if bad else "mastered", topic, change=Change.NONE if bad else Change.CHANGED
            )
        return
    match = rx(
        r"^(?:完全|根本|一直|总是|老是|总|老|还是|实在|怎么也|始终|也)*(?:搞不懂|弄不懂|不懂|学不会|不(?:太|怎么|大)会|不会(?=做|写|解|算|用|画|背|弹|[A-Za-z])|没学会|没搞懂|没弄懂|看不懂|听不懂|理解不了|不擅长|分不清|搞不清楚?|搞混|弄混|记不住|卡在了?|对)(?P<o>[^,，。]{1,14}?)(?P<t>(?:很|特别|非常|一直|还是)?(?:头疼|犯怵|没辙|一窍不通|不在行|吃力|发愁|没把握|一头雾水|不熟))?$"
    ).match(frame.rest)
    if (
        match
        and (not frame.rest.lstrip("完全根本一直总是老还").startswith("对") or match["t"])
        and not rx(
            r"(?:.{0,4}(?:线|路上|中间|前|时间|门口|半路|瓶颈|点上)$|你|他|她|他们|这|那|我|为什么|怎么|啥|什么|事|规矩|行情|人|礼貌|女人|男人|感情)"
        ).match(match["o"])
    ):
        for part in items(match["o"]):
            yield text_draft(frame, "struggles_with", part)
        return
    match = rx(
        r"^(?:已经|终于|总算|现在|基本|完全)*(?:学会(?!计|展)了?|掌握了?|精通|擅长|搞懂了|弄懂了|吃透了|熟练掌握了?|熟悉|搞明白了|拿下了|会(?=弹|写|做|画|拉|游|骑|滑|修|编))(?P<o>[^,，。]{1,14})"
    ).match(frame.rest)
    if (
        match
        and "没" not in frame.rest[:3]
        and not context.rx(r"(?:⟨languages⟩)|的|得|了|不|坚强|放下|珍惜").match(match["o"])
    ):
        for part in items(match["o"]):
            yield text_draft(
                frame,
                "mastered",
                part,
                change=Change.CHANGED if rx(r"学会|掌握|搞懂|弄懂|吃透|明白").match(frame.rest) else Change.NONE,
            )


def _plain(words: str) -> str:
    value = numerals.chinese_value(words)
    return numerals.plain(value) if value is not None else ""


_SUBJECTS = r"语文|数学|英语|外语|物理|化学|生物|历史|地理|政治|高数|线代|概率|微积分|理综|文综|听力|阅读|口语|写作|作文|体育|编程|科[一二三四]|多益|托业|[一-九]级"
_EXAMS = r"托福|雅思|GRE|GMAT|SAT|HSK|四级|六级|专四|专八|高考|中考|考研|绩点|GPA|均分|总分|期末|期中|模考|一模|二模|日语N[1-5]|N[1-5]|普通话|科目[一二三四]|公务员|教资|法考|注会"


def scores(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Results of exams."""
    if frame.path == "" or rx(r"(?:想|打算|准备|争取|目标|希望|至少要|要考)").search(frame.clause.text):
        return
    text = frame.rest if not frame.topic else frame.topic + frame.rest
    match = rx(
        r"^(?:这次|上次|的|期末|期中|模拟|这回|月考|第[一二三四]次)*(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:考试|成绩|分数|测试|测验|总分|均分)?(?:只|才|就|居然|一共|总共|终于|最后|也)*(?:考了|得了|拿了|是|考到|考出|刷到|上了|有|到了|考)?(?<!\d)(?P<n>\d+(?:\.\d+)?)(?:分|$|[,，])"
    ).match(text)
    graded = rx(r"考|得|拿|刷|分|成绩").search(text) or (
        rx(rf"(?:{_SUBJECTS})").search(text) and rx(r"月考|期[中末]|考|成绩|模|测|次").search(context.sentence)
    )
    if match and graded and (rx(r"考|得|拿|刷|分|成绩").search(text) or rx(rf"(?:{_SUBJECTS})$").search(match["s"])):
        scope = rx(r"^(?:我|他|她|的)+|(?:考试|成绩)$").sub("", match["s"])
        if good_object(scope) and not rx(r"(?:价格|今年|年龄|身高|体重|花|预算|工资)").search(scope):
            yield draft(frame, "exam_score", Value(ValueType.NUMBER, match["n"], None, scope))
        return
    known = rx(
        rf"(?P<s>{_EXAMS})(?:考试|成绩|总分|笔试|初试|终于|这次|最后|才|只|居然|考了?|考到|过了|刷到|拿了|得了|是|出来了|出分了?|有|,|，|:|：)*(?P<n>\d+(?:\.\d+)?|[一二两三四五六七八九][零一二三四五六七八九十百点]*)(?:分|$|[,，。!])"
    ).search(text)
    if known and not rx(r"(?:月|号|次|年|天|点)$").search(known[0]):
        number = known["n"] if known["n"][0].isdigit() else _plain(known["n"])
        if number:
            yield draft(frame, "exam_score", Value(ValueType.NUMBER, number, None, known["s"]))
            return
    worded = rx(
        r"^(?P<s>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:考试)?(?:只|才|就|居然|又|也|终于)*(?:考了|得了|拿了)(?P<n>[一二两三四五六七八九][零一二三四五六七八九十百点]+)分?$"
    ).match(text)
    if worded and (number := _plain(worded["n"])) and good_object(rx(r"^(?:我|他|她|这次|的)+").sub("", worded["s"])):
        scope = rx(r"^(?:我|他|她|这次|的)+").sub("", worded["s"])
        yield draft(frame, "exam_score", Value(ValueType.NUMBER, number, None, scope))
        return
    bare = rx(r"^(?P<n>\d+(?:\.\d+)?)(?:分)?$").match(frame.body)
    bare = bare or rx(r"^(?:考了?|得了?|拿了?|一共|总分)(?P<n>\d+(?:\.\d+)?)(?:分)?$").match(frame.rest)
    before = rx(
        r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:考试|成绩)?(?:终于|总算|居然|顺利)*(?:过了|上了?[百千]|考过|通过|出分|出成绩|成绩出来|分数出来|下来|查分|成绩|考完)"
    ).search(context.sentence)
    if bare and before and float(bare["n"]) <= 999:
        scope = rx(r"^(?:我|的|这次|终于|刚|今天|昨天)+").sub("", before["s"])
        if good_object(scope):
            yield draft(
                frame, "exam_score", Value(ValueType.NUMBER, bare["n"], None, scope), subject=USER, timeless=True
            )


RULES = (learning, scores)
