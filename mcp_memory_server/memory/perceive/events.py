"""Questions, requests, failures, complaints, proposals, feedback, confusion, greetings, appointments."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_memory_server.memory.model import CandidateEvent, CandidateFact, EventType, Span, SpeechAct
from mcp_memory_server.memory.perceive.acts import GREETING
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import BLOCK, Sentence
from mcp_memory_server.memory.text import STOP_WORDS_EN, stem

_FAILURE = (
    r"(?i)\b(?:crash(?:es|ed|ing)?|(?:not|n't|stopped) work(?:ing)?|fail(?:s|ed|ing)?|broken|freezes?|froze|time[sd] out|won't (?:open|load|start|connect|turn on)|can't (?:log ?in|connect|open|load|access)|bug(?:gy)?|exception|outage|is down)\b"
    r"|报错|闪退|崩溃|崩了|卡住|卡死|死机|打不开|登不上|连不上|加载不出|没反应|用不了|失败|坏了|转圈|白屏|乱码|宕机|搞挂|挂了"
)
_DEBUG = r"(?i)\b(?:traceback|stack ?trace|segfault|null ?pointer|syntaxerror|typeerror|exit code \d|http (?:4|5)\d\d|error (?:code )?\d{3}|undefined is not)\b|堆栈|错误码|空指针|调试"
_FEEDBACK = r"(?i)\b(?:that's not what i (?:meant|asked|wanted)|wrong answer|not what i asked|good answer|great answer|that (?:helped|helps|worked)|(?:this|that|your answer) (?:is|was) (?:not )?(?:helpful|useful|perfect|wrong|great)|you misunderstood|you got (?:it|that) (?:wrong|right))\b|不是这个意思|不是我要的|答非所问|你理解错|回答得(?:很|真|太|不)|很有帮助|有用|没用|说得对|答错了|讲得(?:很|真|太|不)"
_CONFUSION = r"(?i)\b(?:i (?:do not|don't|still don't|can't) (?:understand|get|follow|see)|i'm (?:confused|lost|stuck)|makes no sense|not sure (?:i|what|how) )|没(?:太)?(?:听|看|搞|弄)?懂|不明白|不太懂|一头雾水|搞不清|什么意思|看不懂|听不懂|搞不懂"
_PROPOSAL = r"(?i)\b(?:how about|why don't (?:we|you)|what if we|let's|i (?:suggest|propose|recommend) |we could|you should add|it would be (?:good|nice|better) (?:if|to))\b|建议|不如|要不(?:我们|然)?|我提议|能不能加|希望增加|最好能|提个"
_REQUEST = r"(?i)^(?:(?:ok|okay|hey|hi|so|and|well|also|now|then|just)[,!.]?\s+)*(?:(?:can|could|would|will) you|please|pls|find|show|tell|give|recommend|suggest|explain|translate|write|help|make|create|list|book|draft|remind|refund|send|add|cancel)\b|请(?!假|客|了|问)|帮我|麻烦|给我(?:推荐|找|讲|写|看|发|列|挑|选|订)|推荐|告诉我|教我|提醒我|翻译|翻成"
# A question in the form of a request: "could you tell me how to …", 告诉我怎么….
_INDIRECT = (
    r"(?i)^(?:(?:ok|okay|hey|hi|so|and|well|also|now|then|just|please)[,!.]?\s+)*(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind|explain to) me (?:again )?(?:how|what|when|where|why|which|who|whether|if)\b"
    r"|(?:告诉我|教教?我|讲讲|说说|请教一?下?)\S{0,8}?(?:怎么|如何|怎样|为什么|什么|哪[里个些儿]|多少|几)"
)
_EMPTY_ZH = r"告诉(?:我|一下)?|请教|请问一?下?|想问一?下?|问一?下|我想|知道|怎么样?|如何|为什么|为啥|什么时候|什么|哪里|哪儿|哪个|哪些|多少|几|谁|能不能|可不可以|可以|是不是|有没有|要不要|该|应该|操作|申请|流程|步骤|方法|办法|办理|走|弄|做|搞|吗|呢|吧|啊|的|了|是|在|有|把|被|给|帮|你|我|一下|这个|那个|个|要|会|能|才|到底|具体|过程|方式"
_EMPTY_EN = frozenset(
    "how what when where why which who do does did can could would should will is are the a an my your i me you we please get got make work process steps way find tell need want know about explain show exactly really much many long there any some for with this that help use using go going best right request procedure method".split()
)


def topic_of(text: str, lang: str) -> str:
    """What a question or remark is about, without the words of asking: equal for its paraphrases."""
    text = text.replace(BLOCK, "")
    if lang == "zh":
        bare = rx(_EMPTY_ZH).sub("", text)
        bare = rx(r"[^\u4e00-\u9fffA-Za-z0-9]+").sub("", bare)
        return bare[:40] or text.strip()[:40]
    words = [
        word
        for word in rx(r"[A-Za-z0-9+#'’]+").findall(text.lower())
        if word not in STOP_WORDS_EN and word not in _EMPTY_EN
    ]
    return " ".join(dict.fromkeys(stem(word) for word in words[:8])) or text.strip()[:40]


def order_free(topic: str) -> str:
    """A topic whatever the order of its words: 发票怎么开 and 怎么开发票 ask the same."""
    words = topic.split() if " " in topic or topic.isascii() else list(topic)
    return " ".join(sorted(words))


def find_events(
    sentences: Sequence[Sentence], facts: Sequence[CandidateFact], act: SpeechAct
) -> tuple[CandidateEvent, ...]:
    """The events of an utterance, at most one of a type and topic."""
    found: dict[tuple[EventType, str], CandidateEvent] = {}
    for event in _all(sentences, facts, act):
        found.setdefault((event.event_type, event.topic), event)
    return tuple(found.values())


def _all(sentences: Sequence[Sentence], facts: Sequence[CandidateFact], act: SpeechAct) -> Iterator[CandidateEvent]:
    for sentence in sentences:
        kind = _kind(sentence)
        if kind:
            start, end = _asking_span(sentence) if kind is EventType.QUESTION else (sentence.start, sentence.end)
            text = sentence.text[start - sentence.start : end - sentence.start]
            at = (
                next((when.future for when in sentence.times if when.future), None)
                if kind is EventType.REQUEST
                else None
            )
            yield CandidateEvent(kind, topic_of(text, sentence.lang), Span(start, end), at)
    for fact in facts:
        if fact.predicate == "complains_about":
            yield CandidateEvent(EventType.COMPLAINT, fact.object.value, fact.span)
        elif fact.predicate in ("meets", "has_event", "booked") and fact.validity.at:
            yield CandidateEvent(EventType.APPOINTMENT, fact.object.value, fact.span, fact.validity.at)
    if act is SpeechAct.COMPLAIN and sentences and not any(fact.predicate == "complains_about" for fact in facts):
        yield CandidateEvent(
            EventType.COMPLAINT,
            topic_of(sentences[0].text, sentences[0].lang),
            Span(sentences[0].start, sentences[-1].end),
        )


def _asking_span(sentence: Sentence) -> tuple[int, int]:
    asking = [clause for clause in sentence.clauses if clause.blocked == "question"]
    return (asking[0].start, asking[-1].end) if asking else (sentence.start, sentence.end)


def _kind(sentence: Sentence) -> EventType | None:
    text = sentence.text
    asks = sentence.asks or any(clause.blocked == "question" for clause in sentence.clauses)
    if rx(_DEBUG).search(text):
        return EventType.DEBUG
    if rx(_FEEDBACK).search(text) and not asks:
        return EventType.FEEDBACK
    if rx(GREETING).search(text.strip()):
        return EventType.GREETING
    if rx(_PROPOSAL).search(text):
        return EventType.PROPOSAL
    if rx(_INDIRECT).search(text):
        return EventType.QUESTION
    if rx(_REQUEST).search(text):
        return EventType.REQUEST
    if asks:
        return EventType.QUESTION
    if rx(_FAILURE).search(text):
        return EventType.FAILURE
    return EventType.CONFUSION if rx(_CONFUSION).search(text) else None
