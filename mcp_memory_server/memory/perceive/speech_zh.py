"""Chinese clauses, and what asks, supposes, wishes, doubts, reports or jokes and so states no fact."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re

from mcp_memory_server.memory.perceive.lexicon import chinese, once
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import BLOCK, Clause, Sentence
from mcp_memory_server.memory.perceive.when import Bind, When
from mcp_memory_server.memory.vocabulary import Vocabulary

_CUT = r"[,，;；:：()（）~～—]+|\s+-+\s+|\.{3,}|…+|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])"
_ASKING = r"什么|怎么|怎样|如何|为什么|为啥|哪[里儿个些家种位款天年]|哪(?=有|能)|几[点个号岁月天]|多少|多久|多大|多远|谁|是不是|有没有|能不能|可不可以|会不会|要不要|好不好|行不行|对不对|该不该|是否|[吗嘛么]$|难道|请问|咋|啥|(?P<v>[\u4e00-\u9fff])[不没](?P=v)(?!得)"


def split(sentence: Sentence) -> list[Clause]:
    """The clauses of a Chinese sentence, at its commas and colons."""
    clauses: list[Clause] = []
    start = 0
    for match in rx(_CUT).finditer(sentence.text):
        _add(clauses, sentence, start, match.start())
        start = match.end()
    _add(clauses, sentence, start, len(sentence.text))
    clauses = [part for clause in clauses for part in _pivot(clause)]
    for index, clause in enumerate(clauses):
        clause.first = index == 0
    return clauses


_TAKEN_BACK = r"不算|收回|当我没说|作废|别当真|瞎说|乱说|胡说|骗你|骗人|逗你|开玩笑|瞎编|编的|没有的事|不是真的"


def taken_back(sentence: Sentence) -> list[Clause]:
    """What a retraction names as said before: 刚才说我养狗是开玩笑的 holds 我养狗.

    The clauses that hold it state nothing themselves.
    """
    if not rx(_TAKEN_BACK).search(sentence.text):
        return []
    found = []
    for clause in sentence.clauses:
        match = rx(
            r"(?:说过?|讲过?|提过?|提到过?|告诉过?你)(?:的)?(?P<o>我[^,，。]{2,20}?)(?:那(?:句|事|件事|个|条|段)?(?:话)?|这(?:句|事|件事|条)|的(?:事|话)|是(?:骗|开|瞎|乱|逗|假|编|胡)|都?不算|$)"
        ).search(clause.text)
        if match and not rx(r"[吗么]$").search(clause.text):
            start = clause.start + match.start("o")
            found.append(Clause(start, start + len(match["o"]), match["o"], body=match["o"]))
            clause.blocked = "quote"
    return found


_KIN = r"(?:表|堂|双胞胎)?(?:哥哥|弟弟|姐姐|妹妹)|表[哥弟姐妹]|堂[哥弟姐妹]|儿子|女儿|闺女|舅舅|叔叔|姑姑|阿姨|侄子|侄女|外甥女?"


_HAS_KIN = (
    rf"^(?:我们?家?|咱家?)?(?:还|只|就)?有[一两]?个(?P<r>{_KIN})(?=在|今年|刚|正在|做|读|上|住|叫|对|得了|喜欢|已经)"
)


def _pivot(clause: Clause) -> list[Clause]:
    """我有个妹妹在上高中 says two things: that there is a sister, and what she does."""
    match = rx(_HAS_KIN).match(clause.text)
    if not match:
        return [clause]
    middle, begin = clause.start + match.end("r"), clause.start + match.start("r")
    return [
        Clause(clause.start, middle, clause.text[: match.end("r")]),
        Clause(begin, clause.end, clause.text[match.start("r") :]),
    ]


def _add(clauses: list[Clause], sentence: Sentence, start: int, end: int) -> None:
    piece = sentence.text[start:end]
    lead = len(piece) - len(piece.lstrip())
    text = piece.strip()
    if text and any(char.isalnum() or char == BLOCK for char in text):
        begin = sentence.start + start + lead
        clauses.append(Clause(begin, begin + len(text), text))


def table(vocabulary: Vocabulary, name: str) -> re.Pattern[str]:
    """A word table as a pattern."""
    return once(vocabulary, ("zh", name), lambda v: chinese(v.words("zh", name)))


def block(sentence: Sentence, vocabulary: Vocabulary) -> None:
    """Mark the clauses of a sentence that state nothing, and why."""
    _questions(sentence)
    if rx(r"(?:以下|下面|如下)(?:是|为)|原话|转述|转发").search(sentence.text):
        _from(sentence, 0, "quote")
    if table(vocabulary, "jokes").search(sentence.text):
        _from(sentence, 0, "joke")
    if BLOCK in sentence.text:
        _from(sentence, 0, "quote")
    for index, clause in enumerate(sentence.clauses):
        if (
            rx(
                r"(?:[我咱他她它这那]\S{0,3})?(?:如果|要是|假如|假设|假定|设想|假使|倘若|若是|万一|除非|只要|一旦|要不是)|真要|.*(?:的话)$"
            ).match(clause.text)
            and not rx(r"(?:给我|帮我|推荐|买|挑|找|选|订)\S*的话$").search(clause.text)
        ) or rx(_UNLESS).match(clause.text):
            _from(sentence, index, "condition")
        elif _reports(clause.text, vocabulary):
            own = next((n for n in range(index + 1, len(sentence.clauses)) if _own(sentence.clauses[n].text)), None)
            _from(sentence, index, "hearsay", own)
        elif table(vocabulary, "wishes").search(clause.text):
            _whole_wish(sentence, clause)
        elif table(vocabulary, "hedges").search(clause.text):
            clause.blocked = clause.blocked or "hedge"
    if _task(sentence, vocabulary):
        _from(sentence, 0, "task")


# 不下雨我就去: a condition without its word.
_UNLESS = (
    r"^(?:(?:明|后|今)[天晚早]|周[末一二三四五六日]|到时候)?(?:天气?)?(?:不|没)(?![久多几到用一想但过])[^,，了过不没]{1,6}?[,，]?(?:我们?|咱们?)?就"
    r"(?=去|不|买|换|来|走|做|学|搬|辞|出|回|约|订|报|考|退|改|继续|留|在家|算|打|开车|坐|骑|飞|自己)"
)


def _whole_wish(sentence: Sentence, clause: Clause) -> None:
    clause.blocked = clause.blocked or "wish"
    if "就好了" in clause.text or "多好" in clause.text:
        _from(sentence, 0, "wish")


def _reports(text: str, vocabulary: Vocabulary) -> bool:
    match = table(vocabulary, "hearsay").search(text)
    if match and rx(r"(?:跟|和|对|给)我(?:说话|讲话|讲题)").search(text):
        return False
    if match is None:
        return bool(
            rx(
                r"^(?:我)?(?:\S{0,4}(?:妈|爸|朋友|同事|老板|老师|医生|他|她|他们|室友|领导|老婆|老公|邻居|同学|客户|网友))(?:\S{0,2})(?:说(?!得)|讲(?!得|课)|觉得|认为|以为|问|告诉|建议|让我|叫我|骂|夸|嫌|怪|提议|保证|答应)(?!不清|话|服|话算|唱)"
            ).match(text)
        )
    return not rx(r"我(?:刚才|之前|上次|以前|昨天)?(?:跟你|和你|也|都)?说过|我(?:刚才|之前|上次)?说的").search(text)


def _questions(sentence: Sentence) -> None:
    asking = rx(_ASKING)
    if sentence.asks:
        first = next(
            (n for n, clause in enumerate(sentence.clauses) if asking.search(clause.text)), len(sentence.clauses) - 1
        )
        if (
            first == len(sentence.clauses) - 1
            and len(sentence.clauses) > 1
            and not asking.search(sentence.clauses[-1].text)
        ):
            told = rx(r"^(?:我|咱|本人|俺)(?!们?(?:是不是|能|可以))").match(sentence.clauses[0].text)
            first = (
                0
                if not told
                and not asking.search(sentence.text)
                and not rx(r"(?:对吧|是吧|好吗|行吗)$").search(sentence.text)
                else first
            )
        _from(sentence, first, "question")
        return
    for index, clause in enumerate(sentence.clauses):
        if rx(
            r"^(?:请问|想问|问一下|问下|求问|你觉得|你说|你知道|帮我看看|你能)|(?:是不是|能不能|可不可以|要不要|会不会|怎么办|怎么样|怎么操作|怎么弄|怎么走|怎么写|怎么用|[吗])$|^(?:怎么|如何|为什么|为啥|什么是|哪(?!来|有|能))|是什么$|有哪些$"
        ).search(clause.text):
            _from(sentence, index, "question")
            return


def _task(sentence: Sentence, vocabulary: Vocabulary) -> bool:
    head = table(vocabulary, "tasks").search(sentence.text)
    if not head:
        return False
    asked = rx(r"^(?:请|帮我|麻烦|给我|能不能|可以|把|来|你)?\S{0,6}$").match(sentence.text[: head.start()])
    return (
        bool(
            asked
            and rx(r"^(?:请|帮|麻烦|给|能|可以|把|来|你|写|编|讲|翻|润|改|续|扩|缩|概|假|扮|模|造|仿|默|校|总)").match(
                sentence.text
            )
        )
        or BLOCK in sentence.text
    )


def handed_on(before: Clause, clause: Clause) -> tuple[When, ...]:
    """The times of a clause that hold for the next one too: 明天八点的高铁，去南京见客户."""
    if rx(r"(?:现在|目前|如今|平时|平常|最近|以前|后来|之后|然后|以后|一直|每|天天)").search(clause.text[:8]):
        return ()
    own = tuple(when for when in before.times if when.bind in (Bind.AT, Bind.RANGE) and when.future)
    return own or before.inherited


# How something is done, or that it is: what is done stands in the clause beside it.
_MANNER = (
    r"(?:雷打不动|风雨无阻|从不间断|从没落下过?|照例|照旧|老规矩|固定|准时|一直|必定|一定|都|也|总|就|是|我|得|要)+"
)
_DONE_THEN = r"(?:我)?(?:就|再|才|便|马上|立马)?(?:动手|开工|开干|办|开始|行动|弄|动身|出发|去办|下手|搞)(?:了|吧)?"


def only_times(clause: Clause) -> bool:
    """每周六雷打不动，去打球; 把旧书卖了，周六就动手: a clause that says when, and no more, of the clause beside it."""
    if not clause.times or clause.blocked:
        return False
    return rx(_MANNER).fullmatch(clause.body) is not None or rx(_DONE_THEN).fullmatch(clause.body) is not None


def task_opens(sentence: Sentence) -> bool:
    """True when what follows is the material of a task."""
    return bool(rx(r"[:：]").search(sentence.text))


def _own(text: str) -> bool:
    """给我开了药, 所以我戒了酒: after a report, what happened to the speaker or what he or she did of it."""
    return (
        rx(r"^(?:给我开|(?:所以|于是|结果|然后|因此)我|我(?:就|只好|已经|决定|打算|现在|于是|所以|索性|干脆))").match(
            text
        )
        is not None
    )


def _from(sentence: Sentence, index: int, why: str, end: int | None = None) -> None:
    for clause in sentence.clauses[index:end]:
        clause.blocked = clause.blocked or why
