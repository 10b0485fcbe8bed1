"""What an utterance does: assert, correct, retract, ask, plan, complain, talk, ask to forget."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_memory_server.memory.model import CandidateFact, Polarity, Sentiment, SpeechAct
from mcp_memory_server.memory.perceive import acts_en
from mcp_memory_server.memory.perceive.fronting_en import TOPIC
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.source import Sentence
from mcp_memory_server.memory.perceive.when import Bind, When

FORGET = (
    r"(?i)\b(?:forget|delete|erase|wipe|remove)\b(?: (?:please|just|all|everything|about|completely))*"
    r" (?:what i (?:just )?(?:said|told you|mentioned)|everything(?: i (?:said|told you)| about me| you know)?|that i (?:said|told you|mentioned|like|have|am|live|work)|(?:that|this|it)(?: from (?:your )?memory)?(?=[.!,]|$| please)|my (?:data|memories|history|address|number|phone|details|health|information)|the (?:memory|memories|note|thing i))"
    r"|(?:^|[.!?] )(?:please |kindly |now )*(?:forget|erase|delete) (?:the fact )?that (?=\w+ \w)"
    r"|\bforget (?:all )?about (?:the|that|my|what|when|how) \w+|\b(?:do not|don't) (?:remember|store|keep|save|record) (?:this|that|it|what)\b|\bstrike (?:that|it) from (?:the|your) (?:record|memory)"
    r"|(?:忘了|忘掉|忘记|删掉|删除|清除|抹掉|清空|别记|不要记|不用记|别保存|不要保存|别存)(?:吧|住|下|录)?(?:它|我|这|刚|上|之前|前|所有|关于|那|他|她|全部|记录|的记忆|这个|这条)"
    r"|(?:别|不要|不用)(?:再)?记(?:了|住了?|着了?|下来?了?)(?=[,，。!！]|$)|(?:别|不要|不用)把[^,，。]{2,16}记(?:下来?|住|着|录|进)|把(?:我)?(?:刚才|之前|刚刚|上面|前面|关于|这|那|所有)\S{0,16}(?:忘了|忘掉|删了|删掉|删除|清掉|抹掉|抹了|抹去|划掉|擦掉|去掉|撤掉|撤了|清了)|(?:别|不要|不用)(?:留底|留档|留存|存档|入库|备案)|把我(?:说|提|讲|报|给|写|发)(?:过)?的[^,，。]{1,12}(?:删|抹|清|撤|划|擦)(?:了|掉|除)"
    r"|(?:刚才|刚刚|上面|上一?[句条]|前面|这[句条件]|那[句条件])[^,，。吗没]{0,8}?(?:忘掉|忘记|忘了(?=吧)|删掉|删了(?=吧)|抹掉)(?:了?吧)?(?:$|[,，。!！])"
    r"|(?:^|[,，。!！;；]|请|麻烦|帮我|你)把[^,，。]{1,24}?(?:忘掉|忘记|忘了(?=吧)|抹掉)(?:了?吧)?(?:$|[,，。!！])"
    r"|(?:^|[,，。!！;；]|请|麻烦|帮我|你)把[^,，。]{1,20}?(?:的事情?|的记录|的记忆|那句话|说的话|说过的话?)(?:都|全)?(?:删掉|删了吧?|删除|清除|清掉)"
)
RETRACT = (
    r"(?i)\b(?:scratch|strike|disregard|ignore|never ?mind) (?:that|what i|my (?:last|previous|earlier)|the (?:thing|part|bit) (?:i|about)|everything i)|\bi take (?:that|it|back)|\btake (?:that|it) back\b"
    r"|\bi never (?:said|told|mentioned|claimed|wrote)\b|\b(?:that|it) (?:wasn't|was not) me\b|\bforget (?:it|about it|i said|that i said|what i said about)\b|\bi didn't (?:say|mean) (?:that|it|any of)|\b(?:that's|that is|it's) not (?:true|something i said)(?=[.!,]|$)|\bcancel (?:that|my last|what i)|\bi was (?:joking|kidding|lying) (?:about|when)|\bdon't take (?:that|it) seriously"
    r"|[别不]算数|别(?:当回事|作数|信我)|当我(?:从)?没提|撤掉|划掉|(?:拿|用|偷拿|抢)我的?(?:手机|号|电脑|账号)[^,，。]{0,4}(?:发|打|说|写|回)的|不是我(?:本人)?(?:说|发|写|打|回)的|不算(?:数)?(?:$|[,，。了吧!])|收回|当我没说|就当没说|作废|别当真|我可没(?:有)?(?:这么|这样)?说过|我没(?:有)?(?:这么|这样)?说过|我从来没说过|我什么时候说过|撤回|撤销|不作数|我(?:瞎说|乱说|胡说|编|逗你玩?)的|是我?(?:瞎说|乱说|骗你|逗你|编的|胡说|瞎编|随口)|是(?:在)?开玩笑|取消刚才|刚才\S{0,10}(?:不用管|别管|忽略)"
)
CORRECT = (
    r"(?i)^(?:no|nope|oops|wait|sorry|actually|hang on|hold on|correction)\b[,:]?.*\b(?:is|are|was|it's|i'm|meant|mean|not|should|at|on|in)\b.*(?:, not |\bnot\b .*\bbut\b|instead of|rather than)|\bcorrection\b\s*[:,-]|\bi (?:meant|misspoke|mis-spoke|mistyped|mixed|got (?:that|it|this|the .{1,20}) (?:wrong|mixed up)|was wrong|made a mistake|said .{1,40} but (?:it|i)|told you .{1,40} but)\b|\bi said [^.!?]{1,40}, not\b|\bi mean(?:t)?[, ]+(?:[$€£\d]|it's|the|on|at)|\b(?:my mistake|my bad|typo|wrong (?:number|date|day|name|year))\b|\b(?:it's|it is|that's|make that|should (?:be|have been)|should read)\b [^.?!]{1,40}, not \b|\bnot [^.?!,]{1,30}[,;:-]+ (?:but |it's |i'm |rather )|\bmixed (?:that|it|them|this) up\b|\bactually,? (?:it's|i'm|it is|the|my) [^.]*, not\b|\bto correct (?:myself|that|what)\b|\bafter all\b.*\bnot\b|\bnot\b[^.]*\bafter all\b"
    r"|[说记写填报输抄数讲][岔差混串漏少多]了|[说写填报输记打抄讲]成(?:了)?[^,，。!]{1,10}了|我?[报填写输]得?[少多低高]了|说错|记错|记岔|记混|搞混|弄混|说反|写反|搞反|弄反|说漏|少打|多打|输错|填错|看错了|写错|打错|搞错|弄错|讲错|更正|纠正|口误|笔误|不对[,，]|错了[,，。]|^(?:哦|噢|啊|哎|呃|诶|等等|等下|等一下)?[,，]?不[,，]|^(?:等等|等一下|哦|啊)?[,，]?不是\S{1,12}[,，]\s*(?:我|是|叫|应该)|(?<![不要还总老])是[^,，。!?不]{1,10}不是(?![吗么我])|应该是|准确(?:地)?说|确切(?:地)?说|不是\S{1,14}[,，]?(?:而)?是|是\S{1,14}[,，]\s*不是|其实(?:是|应该)(?!很|挺|不)|改一下|修正|澄清"
)
GREETING = (
    r"(?i)^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|morning|howdy|greetings|how are you|what's up|sup|yo|thanks|thank you|thx|cheers|bye|goodbye|see you|see ya|take care|happy (?:birthday|new year|holidays)|merry christmas|have a (?:nice|good|great)|nice to meet|ok|okay|cool|great|got it|sounds good|lol|haha|hmm+|wow)\b[^?]{0,40}$"
    r"|^(?:你好|您好|早上好|早安|早呀|早啊|晚安|晚上好|下午好|中午好|哈喽|嗨|在吗|谢谢|多谢|感谢|辛苦了|再见|拜拜|哈哈|呵呵|嘻嘻|好的|好滴|好嘞|收到|明白了|懂了|知道了|嗯嗯|哦|哇|新年快乐|生日快乐|节日快乐|加油|么么|没事|不客气|吃了吗|太好了)[^?？]{0,16}$"
)
_REQUEST = (
    r"(?i)^(?:(?:ok|okay|hey|hi|hello|so|and|well|also|now|then|please|pls|kindly|just|anyway|btw|by the way|thanks)[,!.]?\s+)*(?:can|could|would|will) you\b|^(?:please|pls|kindly)\b(?! (?:remember|note|keep in mind|know|be aware|bear in mind))|\b(?:could|can|would) you (?:please )?\w+|\bplease\s+(?!remember|note|keep in mind|know|be aware|bear in mind)\w+|^(?:find|show|tell|give|recommend|suggest|explain|translate|write|help|make|create|list|compare|check|book|look|search|draft|fix|calculate|convert|summari[sz]e|proofread|refund|send|add|cancel|order|turn|open|play|plan|pretend|imagine|describe|generate|rewrite|rephrase|let me know|get me|pick|choose|teach|what|who|where|when(?! (?:i|we|you|it|he|she|they|the|my)\b)|why|how|which|is there|are there|do you|does|did|any)\b"
    r"|帮我把|请(?!假|客|了|到|过)|(?<![\u4e00-\u9fff])帮(?:我|忙)|(?:请|麻烦|你|能|可以|快|先|再|谁|求|顺便|否)帮(?:我|忙)|麻烦(?!了|死|事|的)你?|^把(?!我)[^,，了]{1,14}(?:改|关|打开|换|调|删|发|翻|总结|整理|念|列|画|设)|给我(?:放|唱|画|讲|推荐|找|讲|写|看|发|列|说|挑|选|订|来)|(?<![事友妈爸师家们人])推荐(?!我|的)|告诉我|教我(?!们)|讲一下|翻成|翻译(?:一下|成|这|下|以下)|(?<![\u4e00-\u9fff])(?:翻译|解释|讲讲|说说|看看|查查)|(?:请|帮我|给我|你|再|先|能|麻烦)(?:翻译|解释|讲讲|说说|看看|查查)|写个|写一|列出|列一|查一下|能不能|可以帮|怎么办|求助|求推荐|退到|退款请|想问|请问|问一下|想咨询"
)
_REMIND = r"(?i)\bremind me\b|\bset (?:me )?a reminder\b|\bdon't let me forget\b|\b(?:don't|do not) schedule\b|提醒我|remind我|(?:记得|别忘了|到时候)(?:叫|喊)我|叫我起床|记得提醒|别安排|不要安排"
# A question that wants no answer, and one that only greets.
_RHETORIC = (
    r"(?:还)?用得着|犯得着|犯不着|何必|何苦|谁不(?:想|爱|喜欢|愿意)|哪轮得到|哪有这(?:好事|么好)|岂不|开什么玩笑|想得美"
)
_PLEASANTRY = r"(?:[早嗨嘿哈]\S{0,3}[,，!！\s]*)?(?:吃了[没吗]|吃过[没了]|睡了[没吗]|起了[没吗]|忙[啥什]\S{0,2}呢|干嘛呢|在忙[吗么]|最近(?:怎么样|咋样|好吗|还好)|近来可好|有日子没见)[啊呀呢]?[?？。!！~～]*$"
PLAN_PREDICATES = frozenset(
    {"plans_to", "travels_to", "booked", "meets", "has_event", "deadline", "unavailable_during"}
)


TOPIC_CHARS = 4  # a question of so few Chinese characters before other sentences only names a topic


def _names_topic(sentence: Sentence) -> bool:
    if sentence.lang == "zh":
        return len(sentence.text) <= TOPIC_CHARS
    return TOPIC.fullmatch(sentence.text) is not None


@dataclass(frozen=True)
class Signs:
    """What the parts of an utterance show together."""

    text: str
    sentences: Sequence[Sentence]
    facts: Sequence[CandidateFact]
    sentiment: Sentiment
    now: str  # the local day

    @property
    def asks(self) -> bool:
        """A question mark or an interrogative clause."""
        last = len(self.sentences) - 1
        return any(
            sentence.asks or any(clause.blocked == "question" for clause in sentence.clauses)
            for place, sentence in enumerate(self.sentences)
            # 驾照？我还没考呢, "Marzipan? Can't stand it": a short topic with a question mark, answered at once
            if place == last or not _names_topic(sentence)
        )

    @property
    def blocked(self) -> set[str]:
        """Why clauses state nothing."""
        return {clause.blocked for sentence in self.sentences for clause in sentence.clauses}


def act_of(signs: Signs) -> SpeechAct:
    """The act that carries the facts; where there are none, what the words do."""
    text = signs.text
    if _has(FORGET, acts_en.FORGET, text) and not rx(
        r"(?i)(?:don't|do not|never|别|不要) forget|别忘|forget to|忘了(?:带|买|密码|拿)"
    ).search(text):
        return SpeechAct.FORGET_REQUEST
    corrects = _has(CORRECT, acts_en.CORRECT, text) and "question" not in {
        c.blocked for s in signs.sentences[:1] for c in s.clauses[:1]
    }
    if _has(RETRACT, acts_en.RETRACT, text):
        fresh = [fact for fact in signs.facts if fact.polarity is Polarity.POSITIVE and fact.subject == "user"]
        return (
            SpeechAct.CORRECT
            if corrects and fresh and not rx(r"(?i)scratch|never said|不算|没说过").search(text)
            else SpeechAct.RETRACT
        )
    if corrects:
        return SpeechAct.CORRECT
    return _by_facts(signs)


def _has(general: str, english: str, text: str) -> bool:
    return rx(general).search(text) is not None or rx(english).search(text) is not None


def _by_facts(signs: Signs) -> SpeechAct:
    names = [fact.predicate for fact in signs.facts]
    complains = "complains_about" in names
    negative = signs.sentiment.label in ("frustrated", "angry")
    if complains and (negative or len(set(names)) <= 2):
        return SpeechAct.COMPLAIN
    if (
        negative
        and signs.sentiment.intensity >= 0.6
        and not [name for name in names if name not in ("spent", "bought")]
        and not signs.blocked & {"joke", "quote", "task"}
    ):
        return SpeechAct.COMPLAIN
    if (
        rx(acts_en.COMPLAIN).search(signs.text)
        and set(names) <= {"spent", "bought"}
        and not signs.blocked & {"joke", "quote", "task", "hearsay"}
    ):
        return SpeechAct.COMPLAIN
    if not names and rx(acts_en.CHAT).match(signs.text.strip()):
        return SpeechAct.SMALL_TALK
    if rx(_REMIND).search(signs.text) and not rx(acts_en.ASK).search(signs.text):
        return SpeechAct.PLAN
    if not names and (rx(_RHETORIC).search(signs.text) or rx(_PLEASANTRY).match(signs.text.strip())):
        return SpeechAct.SMALL_TALK
    requests = _has(_REQUEST, acts_en.ASK, signs.text)
    substance = [
        name
        for name in names
        if name not in ("budget_max", "budget_min", "departs_from", "arrives_at", "seat_class")
        and not (requests and name in ("phone", "email"))
    ]
    if (signs.asks or requests) and not substance:
        return SpeechAct.ASK
    if substance:
        return SpeechAct.PLAN if _plans(signs) else SpeechAct.ASSERT
    return _without_facts(signs, names)


def _plans(signs: Signs) -> bool:
    """Most of what is told lies ahead."""
    ahead = [
        fact
        for fact in signs.facts
        if fact.predicate in PLAN_PREDICATES and fact.polarity is Polarity.POSITIVE and _ahead(fact, signs.now)
    ]
    rest = [
        fact
        for fact in signs.facts
        if fact.predicate not in PLAN_PREDICATES
        and fact.predicate not in ("budget_max", "budget_min", "feels", "departs_from", "arrives_at", "seat_class")
    ]
    own = any(fact.subject == "user" for fact in ahead)
    return bool(ahead) and len(ahead) + own > len({(fact.subject, fact.predicate) for fact in rest})


def _ahead(fact: CandidateFact, now: str) -> bool:
    time = fact.validity.at
    return time is None or time[-10:] >= now or time[:10] >= now[: len(time[:10])]


def _without_facts(signs: Signs, names: list[str]) -> SpeechAct:
    if names:
        ahead = any(when.future and when.future[:10] >= signs.now for s in signs.sentences for when in s.times)
        return SpeechAct.PLAN if ahead and {"departs_from", "arrives_at"} & set(names) else SpeechAct.ASSERT
    if rx(GREETING).search(signs.text.strip()):
        return SpeechAct.SMALL_TALK
    if signs.blocked & {"joke", "wish", "hearsay", "quote"}:
        return SpeechAct.SMALL_TALK
    if "hedge" in signs.blocked:
        return (
            SpeechAct.PLAN
            if rx(r"(?i)\b(?:next|will|might|going to|plan)\b|下|明|打算|换|去").search(signs.text)
            else SpeechAct.SMALL_TALK
        )
    if "condition" in signs.blocked:
        return SpeechAct.ASK if signs.asks else SpeechAct.SMALL_TALK
    if any(
        not clause.blocked
        and any(when.hour or len(when.future) >= 10 for when in clause.times if when.future[:10] >= signs.now)
        and rx(r"(?:我|我们|咱们?)\S{0,8}(?:要|得|打算|准备|计划|约|安排)").search(clause.text)
        for sentence in signs.sentences
        if sentence.lang == "zh"
        for clause in sentence.clauses
    ):
        return SpeechAct.PLAN
    if signs.sentences and signs.sentences[0].lang == "en":
        return _remark(signs)
    return SpeechAct.ASSERT


def _still_ahead(when: When, now: str) -> bool:
    """A day to come, or a bare one ("Friday") that may be."""
    return len(when.future) >= 10 and when.bind is not Bind.REPEAT and when.future[:10] > now


def _remark(signs: Signs) -> SpeechAct:
    """An English statement without facts: of the world, of what lies ahead, or of oneself."""
    times = [when for sentence in signs.sentences for when in sentence.times]
    own = rx(acts_en.OWN).search(signs.text)
    if not own and not times and rx(acts_en.REMARK).match(signs.text):
        return SpeechAct.SMALL_TALK
    if own and not rx(acts_en.PAST).search(signs.text) and any(_still_ahead(when, signs.now) for when in times):
        return SpeechAct.PLAN
    return SpeechAct.ASSERT
