"""Chinese clauses as frames: topic, who, and the rest without time and adverbs."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mcp_memory_server.memory.model import Value
from mcp_memory_server.memory.perceive.drafts import Draft, text_value
from mcp_memory_server.memory.perceive.lexicon import alternation, once, templated
from mcp_memory_server.memory.perceive.rx import Rx, rx
from mcp_memory_server.memory.perceive.source import Clause
from mcp_memory_server.memory.perceive.subjects import USER, Subject, path_of
from mcp_memory_server.memory.vocabulary import Vocabulary


@dataclass(slots=True)
class FrameZh:
    """What a Chinese clause says, taken apart.

    `rest` is what follows the subject, without leading adverbs; `body` the clause without times and
    lead-in; `topic` what was put before the subject (香菜我不吃).
    """

    clause: Clause
    subject: Subject
    rest: str
    body: str
    topic: str = ""
    explicit: bool = False
    we: bool = False
    adverbs: str = ""

    @property
    def path(self) -> str:
        """The subject path."""
        return self.subject.path

    @property
    def done(self) -> bool:
        """True for what is told as done: 了, 过."""
        return bool(rx(r"[了过]").search(self.rest))


@dataclass(frozen=True)
class ContextZh:
    """What a rule may look at beside its frame."""

    vocabulary: Vocabulary
    currency: str
    sentence: str
    text: str

    def words(self, name: str) -> str:
        """A word table as an alternation, longer words first."""
        return once(self.vocabulary, ("zh alt", name), lambda v: alternation(v.words("zh", name)))

    def rx(self, template: str) -> Rx:
        """The pattern of a template with word tables; see `templated`."""
        return templated(self.vocabulary, "zh", template)

    def has(self, name: str, text: str) -> bool:
        """True when the text is one of the words of a table."""
        return text in once(self.vocabulary, ("zh set", name), lambda v: frozenset(v.words("zh", name)))


_VERBISH = "在是对有今住做喜不只也会想要去来说的叫学吃讨最特很从被把给跟和爱怕得上下刚已年每都还就总常身体生患没属毕业工作姓过打到换"


_TITLES = r"总|工|哥|姐|叔|姨|老师|律师|医生|大夫|教授|经理|主任|阿姨|叔叔|先生|女士|小姐|师傅|教练|队长"

# 跟父母, 在网上, 从店里, 给我妈, 偷偷: what may stand between the subject and its verb.
BESIDE = r"(?:(?:(?:跟|和|与|陪|带|在|从|给|为|替|帮)着?[^,，。了过]{1,9}?|一个人|两个人|自己|偷偷|悄悄|一起|一块儿?|一家[一二三四五六七八两几]口人?|特意|专门|顺便|顺手|一家|全家|一家人|全家人){0,2}?)"


# Adverbs of one character that may open a word of their own: 就读, 还款, 老大.
_OPENS = {
    "老": "大二三四五幺",
    "就": "读职业诊餐任",
    "还": "款清钱债贷",
    "再": "婚",
    "最": "高后终",
    "全": "职家款面",
    "便": "秘利宜",
    "向": "往",
    "超": "市声",
    "好": "几多",
    "倒": "车立时闭霉",
}


def _adverbs(vocabulary: Vocabulary) -> str:
    """The words that change nothing in who does what, as alternatives, the longest first."""
    words = alternation(vocabulary.words("zh", "adverbs")).split("|")
    return "|".join(f"{word}(?![{_OPENS[word]}])" if word in _OPENS else word for word in words)


class ReaderZh:
    """Reads clauses one after the other and remembers whom 他, 她, 它 and an omitted subject mean."""

    def __init__(self, vocabulary: Vocabulary, *, statement: bool = False) -> None:
        self.vocabulary = vocabulary
        self.statement = statement
        self.person: Subject | None = None
        self.last: Subject = Subject(USER)

    def read(self, clause: Clause, *, first: bool) -> FrameZh:
        """The frame of a clause; `first` in its sentence."""
        body = rx(r"\s+").sub(" ", clause.body).strip()
        body = rx(r"(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])").sub("", body)
        lead = self._without_lead(body)
        led = body[: len(body) - len(lead)]
        body = f"是{lead}" if led.endswith("是") and rx(r"一?[个名位](?=[\u4e00-\u9fff]{2})").match(lead) else lead
        body = self._without_occasion(body)
        frame = FrameZh(clause, Subject(USER), body, body)
        self._subject(body, frame, first=first)
        frame.rest, frame.adverbs = self._without_adverbs(frame.rest)
        if frame.adverbs.endswith("是") and rx(r"一?[个名位只条](?=[\u4e00-\u9fff]{2})").match(frame.rest):
            frame.rest = "是" + frame.rest  # 还是个新手, 就是个司机
        # 我吃的药是氨氯地平 says 我吃氨氯地平.
        frame.rest = rx(
            r"^(?P<v>吃|喝|去|订|考|教|玩|报|弹|拉|租|打|看|读|住|坐)的(?!时候|人|都|也)[\u4e00-\u9fff]{0,4}?(?:就)?是(?=[\u4e00-\u9fffA-Za-z])"
        ).sub(r"\g<v>", frame.rest)
        if self.statement and not frame.explicit and frame.rest[:1] not in _VERBISH:
            # A statement begins with who it is about: words that are no verb name somebody else.
            frame.subject = Subject("")
        if frame.explicit and clause.blocked != "question":
            self.last = frame.subject
            if not frame.subject.is_user:
                self.person = frame.subject
        return frame

    def _without_lead(self, text: str) -> str:
        pattern = once(
            self.vocabulary,
            "zh lead",
            lambda v: re.compile(rf"(?:[\s,，、。!！~～…·-]+|(?:{alternation(v.words('zh', 'fillers'))})(?=.{{2}}))+"),
        )
        match = pattern.match(text)
        if match and match.end() < len(text):
            kept = text[match.end() :]
            # 好 and 可 may open a word of their own: 好朋友, 可乐.
            if (
                not rx(r"[\u4e00-\u9fff](?:友|久|多|乐|爱|惜|怕|吃|喝|看|听|玩|人|事|想)").match(
                    text[match.end() - 1 : match.end() + 1]
                )
                or match.end() > 1
            ):
                return kept
        return text

    @staticmethod
    def _without_occasion(text: str) -> str:
        """毕业以后进了铁路局: what followed, without what it followed."""
        match = rx(
            r"^(?:(?:大学|大专|中专|本科|硕士|博士|研究生|高中)?(?:毕业|退休|结婚|生完?孩子|退伍|离婚|辞职|失业|分手|回国|下岗)(?:之后|以后|后(?!悔|来))(?:就|便)?)(?=.{3})"
        ).match(text)
        return text[match.end() :] if match and rx(r"了|过|一直").search(text[match.end() :]) else text

    def _without_adverbs(self, text: str) -> tuple[str, str]:
        pattern = once(
            self.vocabulary,
            "zh adverbs",
            lambda v: re.compile(
                rf"(?:{_adverbs(v)})+(?!部|监|经理|价|额|分|裁|店|人|板|师|婆|公|家|爸|妈|房|的|朋|看|喝|吃不|玩|听|友|用品|实习|后)"
            ),
        )
        match = pattern.match(text)
        return (text[match.end() :], match[0]) if match and match.end() < len(text) else (text, "")

    def _subject(self, text: str, frame: FrameZh, *, first: bool) -> None:
        if self._introduced(text, frame) or self._own_firm(text, frame) or self._sibling(text, frame):
            return
        if self._relative(text, frame) or self._pronoun(text, frame) or (self.statement and self._named(text, frame)):
            return
        topic = rx(r"^(?P<t>[^我]{1,14}?)(?P<p>我们|我|咱们|咱)(?P<r>.+)$").match(text)
        if topic and not rx(
            r"(?:给|帮|让|叫|对|跟|和|与|找|陪|请|把|被|比|是|在|说|告诉|提醒|送|教|问|陪着|为|(?<!方)向|替|花了|离|等|骂|[在从]|remind|call|谁|记得|别|不要|打|联系|通知|带|喊|劝|催|夸|令|使|惹|气|害|看望|探望|拜访|看|见|喜欢|爱|讨厌|想|照顾|支持|保护|关于|除了|包括|加上|连|欠|[着了过](?:一[眼下声])?)$"
        ).search(topic["t"]):
            if topic["p"] == "我" and self._relative(text[topic.end("t") :], frame):
                frame.topic = topic["t"]
                return
            frame.topic, frame.rest, frame.explicit = topic["t"], topic["r"], True
            frame.subject, frame.we = Subject(USER), topic["p"] in ("我们", "咱们")
            return
        if not first or (self.last.path != USER and not frame.clause.first):
            frame.subject = self.last
            if self.last.role in ("company", "team") and rx(
                r"^(?:每天|天天|平时|通勤|坐|骑|步行|走路|上班|下班)"
            ).match(text):
                frame.subject = Subject(USER)  # 单位在高新区，坐地铁通勤

    def _pronoun(self, text: str, frame: FrameZh) -> bool:
        pattern = r"(?P<p>我们|咱们|咱俩|我俩(?![孩娃宝闺儿女])|我|本人|俺|咱|用户|该用户|他们|她们|他|她|它|TA|ta)(?:自己|个人|本人|这边|这人|这个人|两口子|夫妻俩?|小两口|俩(?!个))?"
        match = rx(pattern).match(text)
        if not match or (match["p"] in ("用户", "该用户") and not self.statement):
            return False
        if rx(r"[家的国校方]").match(text[match.end() :]) and match["p"] in (
            "我",
            "我们",
            "咱",
            "咱们",
            "他",
            "她",
            "用户",
        ):
            after = text[match.end() + 1 :]
            if text[match.end()] == "家" and rx(r"里(?:还|也|都|就|又)*(?:养|有|收养|领养|种)").match(after):
                after = after[1:]  # 我家里养着鸟
            if text[match.end()] == "家" and not rx(r"[的里]").match(after):
                # 我家在…, 我家有…: of the user; 我家住… likewise.
                frame.subject, frame.rest, frame.explicit, frame.we = (
                    Subject(USER),
                    "家" + after if after.startswith(("在", "住")) else after,
                    True,
                    True,
                )
                return True
            if match["p"] in ("他", "她"):
                return self._third(text[match.end() :], frame)
            frame.subject, frame.rest, frame.explicit, frame.we = (
                Subject(USER),
                after,
                True,
                match["p"] in ("我们", "咱们", "咱"),
            )
            return True
        if match["p"] in ("他", "她", "它", "TA", "ta", "他们", "她们"):
            return self._third(text[match.end() :], frame)
        frame.subject, frame.rest, frame.explicit = Subject(USER), text[match.end() :], True
        frame.we = match["p"] in ("我们", "咱们", "咱俩", "我俩", "咱")
        return True

    def _introduced(self, text: str, frame: FrameZh) -> bool:
        """陈立是我表哥: who is told of from here on."""
        match = rx(
            r"^(?P<n>[阿小老][\u4e00-\u9fff]|[\u4e00-\u9fff]{2,4}|[A-Z][A-Za-z]+)是(?:我们?|咱们?|咱)家?的?(?P<w>[\u4e00-\u9fff]{1,6})$"
        ).match(text)
        if not match:
            return False
        roles = self.vocabulary.mapping("zh", "roles")
        word = next((match["w"][n:] for n in range(len(match["w"])) if match["w"][n:] in roles), "")
        if not word or rx(r"[这那他她它]|最|不").search(match["n"]):
            return False
        frame.subject = Subject(path_of(roles[word], match["n"], self.vocabulary), roles[word], match["n"], word)
        frame.rest, frame.explicit = text[match.end("n") :], True
        return True

    @staticmethod
    def _own_firm(text: str, frame: FrameZh) -> bool:
        """我开的奶茶店, 我的面馆, 我带的团队: a business or team of the user's own."""
        match = rx(
            r"^(?:我们?|咱们?|咱)(?:自己)?(?:(?:开|经营|创办|带|管|待|所在|在|负责)的|的)(?:那?家|那?个)?(?P<k>[\u4e00-\u9fff]{0,4}?(?:店|馆|厂子?|工作室|公司|诊所|餐厅|民宿|农场|事务所|培训班|摊位?|(?P<t>团队|部门|小组|组)))(?:里)?(?P<r>(?!的|长|员|龄|庆|时)[^,，]+)"
        ).match(text)
        if not match:
            return False
        role = "team" if match["t"] else "company"
        frame.subject, frame.rest, frame.explicit = Subject(f"user.{role}", role, "", match["k"]), match["r"], True
        return True

    @staticmethod
    def _sibling(text: str, frame: FrameZh) -> bool:
        """老大十岁, 小的上幼儿园: one of the children."""
        match = rx(
            r"^(?:我们?家?|咱家|家里)?的?(?:老[大二三幺]|大的|小的|大宝|二宝)(?=今年|明年|已经|才|刚|都|也|马上|[一二三四五六七八九十\d]|上|在读|在上|读|念|对)"
        ).match(text)
        if not match:
            return False
        frame.subject, frame.rest, frame.explicit = Subject("user.child", "child"), text[match.end() :], True
        return True

    def _named(self, text: str, frame: FrameZh) -> bool:
        """林舟在远山科技上班: a name that a statement begins with."""
        surname = once(self.vocabulary, "zh surname", lambda v: alternation(v.words("zh", "surnames")))
        match = rx(
            rf"(?P<n>(?:{surname})[\u4e00-\u9fff]{{1,2}}?)(?=在|是|住|喜欢|讨厌|对|有|会|的|叫|不|养|去|今年|想|打算|患|吃|每)"
        ).match(text)
        if not match:
            return False
        frame.subject, frame.rest, frame.explicit = Subject(match["n"], name=match["n"]), text[match.end() :], True
        return True

    def _third(self, rest: str, frame: FrameZh) -> bool:
        frame.subject = self.person or Subject("")
        frame.rest, frame.explicit = rest, True
        return True

    def _relative(self, text: str, frame: FrameZh) -> bool:
        """我妈, 我家闺女, 我们组的同事阿强, or a bare 老婆, 孩子, 公司 at the start."""
        pattern = once(self.vocabulary, "zh role", self._role_pattern)
        match = pattern.match(text)
        if not match:
            return False
        rest = text[match.end() :]
        role = self.vocabulary.mapping("zh", "roles")[match["role"]]
        name = self._name(rest, bool(self.vocabulary.many(role)))
        # 同事老曹, 闺蜜苏苏: a name behind the role tells whose it is.
        if match["own"] is None and not name and not self._bare(match["role"], role, rest):
            return False
        if not rest:
            return False  # 我有个姐姐: she is told of, nothing is told about her
        rest = rest[len(name) :]
        if rest.startswith("的") and not name:
            return self._possessed(role, rest, frame)
        if rx(r"(?:说|觉得)").match(rest):
            return False
        frame.subject = Subject(path_of(role, name, self.vocabulary), role, name, match["role"])
        frame.rest, frame.explicit = rest.lstrip(",， "), True
        return True

    def _possessed(self, role: str, rest: str, frame: FrameZh) -> bool:
        frame.subject, frame.rest, frame.explicit = Subject(path_of(role, "", self.vocabulary), role), rest[1:], True
        return True

    @staticmethod
    def _bare(word: str, role: str, rest: str) -> bool:
        """A role word without 我 is the user's own only in a plain position."""
        if (
            role
            in ("doctor", "teacher", "student", "client", "friend", "classmate", "boss", "colleague", "pet", "neighbor")
            or len(word) == 1
        ):
            return False
        if word in ("单位", "店", "厂") and rest.startswith(("在", "离", "就在")):
            return True
        if word in (
            "单位",
            "组",
            "店",
            "店里",
            "先生",
            "对象",
            "宝贝",
            "兄弟",
            "小朋友",
            "饭店",
            "餐厅",
            "餐馆",
            "门店",
            "企业",
            "集团",
            "丫头",
            "小子",
        ):
            return False
        return not rest.startswith(("节", "们的", "专", "用", "票", "装", "乐园", "?", "？"))

    def _name(self, text: str, many: bool) -> str:
        surname = once(self.vocabulary, "zh surname", lambda v: alternation(v.words("zh", "surnames")))
        match = rx(
            rf"(?:[阿小老][\u4e00-\u9fff](?![\u4e00-\u9fff]?(?:子|儿))|阿[A-Z][a-z]*|(?P<d>[\u4e00-\u9fff])(?P=d)|(?:{surname})(?:{_TITLES})|(?:{surname})[\u4e00-\u9fff]{{1,2}}?|[\u4e00-\u9fff]{{2}}|[A-Z][a-zA-Z]+(?: [A-Z][a-zA-Z]+)?)(?=[{_VERBISH}]|[,， ]|$)"
        ).match(text)
        if not match:
            return ""
        name = match[0]
        if len(name) > 2 and name[-1] in "现正目今去明昨刚还也都就才已最从一":
            name = name[:-1]  # 彭野现在: the word of time is not of the name
        if (
            name[-1] in "了的过着吗呢吧啊"
            or rx(r"[我你他她它]").search(name)
            or rx(r"[高大初小研博][一二三四五六]").match(name)
        ):
            return ""
        if name[0] in _VERBISH and not rx(rf"(?:{surname})").match(name):
            return ""
        if not rx(rf"(?:[阿小老]|(?:{surname})|[A-Z]|(.)\1)").match(name):
            return ""
        return (
            ""
            if rx(
                r"(?:查[出到]|关于|全职|于是|成为|相当|解决|牛奶|温柔|安静|方便|应聘|游过|管着|常[住驻年]|计划|文艺|单独|连着|向往|万分|明明|和我|包[揽括]|成[天年绩]|单[身位]|史上|高[中考]|江湖|都|小时|老是|小学|老家|小心|老师|老板|小孩|成绩|应该|明年|明天|单身|向来|都是|和我|师从|连续|时常|车祸|万一|安全|农村|公司|能|全职|文科)"
            ).match(name)
            else name
        )

    @staticmethod
    def _role_pattern(vocabulary: Vocabulary) -> re.Pattern[str]:
        roles = alternation(vocabulary.mapping("zh", "roles"))
        return re.compile(
            rf"(?P<own>(?:我们?(?:组|部门|公司|班|宿舍|学校|单位|小区)(?:里)?(?=的)|(?:我们|咱们|我|咱|俺|本人|用户)(?:家里?|自己|这边)?)的?(?:养的)?(?:那个|这个|一个|有个|有一个|一位|[那这](?:只|条|位|俩|几个)?)?|家里?的?)?"
            rf"(?P<adj>(?:大|小|老|亲|前|现任|二|三|好|新|最好的|很好的|要好的|大学|高中|初中|小学|研究生){{0,2}})(?P<role>{roles})(?![们]的)"
        )


# ---------------------------------------------------------------- objects and drafts

_UNIT = r"(?:只|条|个|匹|头|辆|台|套|架|部|把|张|块|栋|间|本|支|枝|杯|瓶|双|件|顶|盆|棵|株|种|些|点|点儿|款|份|把子|副|艘|幢|处|门|位|名|箱|袋|包|盒|罐|桶|束|对|趟|次|场|顿|家|所)"

_CLASSIFIER = rf"(?:[一两三四五六七八九十几0-9]+)?{_UNIT}"


_COUNTED = rf"^(?:[一两三四五六七八九十几0-9]+{_UNIT}(?:小|大)?(?=.)|(?:个|点|些|辆|台|款)(?=.)|了|着|过|的是|是|点|些|一点|一些|这种|那种|这个|那个|各种|所有|任何|我的|我们的|自己的|新的(?=[\u4e00-\u9fff]{{2}}))"


def clean(text: str) -> str:
    """The shortest phrase: no classifier, no particle at the end, no trailing clause."""
    text = text.replace("\ufffc", "")
    text = rx(r"(?:因为|所以|但是|不过|但|而且|的时候|之类的?|什么的|等等|等$|而已|罢了).*$").sub("", text)
    text = text.strip(" ,，。!！?？、;；:：~～…·\"'“”‘’()（）《》")
    for _ in range(3):
        text = rx(r"(?:了吗|了啊|了呢|了吧|的话|啊|呢|吧|呀|哦|啦|嘛|哈|喔|哟|噢|咯|了|的)$").sub("", text)
    text = rx(_COUNTED).sub("", text)
    return text.strip()


def items(text: str) -> list[str]:
    """The parts of a list."""
    text = rx(r"(?:等等|等|之类的?|什么的)[\u4e00-\u9fff]{0,3}$").sub("", text)
    parts = rx(
        r"、|,|，|以及|还有|或者|和(?!尚|服|平)|跟(?=[\u4e00-\u9fffA-Za-z])|与(?!其)|及(?!格)|/|(?<=[A-Za-z])\s*(?:and|or|&)\s*(?=[A-Za-z])"
    ).split(text)
    found = [clean(part) for part in parts]
    return [part for part in found if part and good_object(part)]


def good_object(text: str) -> bool:
    """False for what names nothing."""
    if not text or len(text) > 24:
        return False
    return not rx(
        r"(?:这|那|它|他|她|我|你|您|这个|那个|这样|那样|什么|东西|事|事情|一下|一点|不|没|很|太|的|了|过|上|下|去|来|好|是|有|人|别人|大家|这里|那里|这边|这么|怎么|为什么|不了|不到|多少|啥|自己|简直|实在|真的|完全|根本|确实|居然|又|还|也|都|一直|起来|出来|下来|里面|外面|家里)+"
    ).fullmatch(text)


def draft(
    frame: FrameZh, predicate: str, value: Value, *, negative: bool = False, subject: str | None = None, **marks: Any
) -> Draft:
    """A draft with the subject of its frame; `marks` are further fields of `Draft`."""
    return Draft(
        subject=frame.path if subject is None else subject,
        predicate=predicate,
        value=value,
        clause=frame.clause,
        negative=negative,
        **marks,
    )


def text_draft(
    frame: FrameZh, predicate: str, text: str, *, entity: bool = False, scope: str | None = None, **marks: Any
) -> Draft:
    """A draft whose value is words."""
    return draft(frame, predicate, text_value(text, entity=entity, scope=scope), **marks)


def first_of(
    frame: FrameZh, context: ContextZh, *readers: Callable[[FrameZh, ContextZh], Iterator[Draft]]
) -> Iterator[Draft]:
    """What the first reader finds that finds anything."""
    for reader in readers:
        told = list(reader(frame, context))
        if told:
            yield from told
            return


_PLACE_END = r"(?:出差|旅游|旅行|旅|玩|度假|度蜜月|开会|培训|看|见|参加|读书|上学|上班|工作|实习|办事|探亲|拜年|过年|过节|爬山|滑雪|露营|徒步|自驾|支教|交流|考察|住|待|学|面试|考试|做|找|吃|拍|赏|泡|潜水|追|避暑|过冬|取材|采风|交换|访学|领奖|签约|验货|看厂|了|过|一趟|几天|一天|两天|三天|一周|两周|的|逛|转|走|跟|和|陪|办|买|接|送|谈|那边|这边|这里|那里|生活|定居|发展|快|已经|都|有|附近|边上|旁边|周边|租|买房|好几年|好多年|很多年|多年|上大学|念书|读研|当|开|养|教|种|打工|长大|出生|,|，|。|$)"


def place(text: str) -> str:
    """The place that a text begins with."""
    match = rx(rf"(?:在|到|去|于|了|趟)?(?P<p>[\u4e00-\u9fffA-Za-z·' ]{{2,14}}?)(?={_PLACE_END})").match(text)
    if not match:
        return ""
    value = clean(match["p"])
    return (
        ""
        if rx(
            r"(?:[^,，]{0,5}(?:楼|没电梯|朋友家|亲戚家|同学家|[哥姐叔姨舅]家|线城市|宿舍|小区|公寓|出租[屋房]|地下室|民房|电梯房|宾馆|单间|郊外|部门?|科室?|[小班]?组|岗位?|[早中晚夜白]班|班级|专业|团队)|家|家里|外面|哪里|哪儿|公司|学校|单位|宿舍|酒店|医院|北方|南方|国外|国内|外地|老家|城里|乡下|农村|这|那|这里|那里|上班|旅游|一个人|一起|自己|跟\S+|和\S+|租的\S*|单身|二楼|一楼|楼上|楼下|附近|地铁口|郊区|市区|市中心|.|机场|车站|超市|银行|健身房|厕所|公园|商场|菜市场|食堂|图书馆|教室|办公室|前台|客厅|厨房|海边|山上|路上|网上|线上|线下|校外|校内|异地|海外)(?:的)?"
        ).fullmatch(value)
        or value.startswith(("不", "没", "很", "多少", "多久", "多远", "多年", "我", "你", "得", "一"))
        else value
    )
