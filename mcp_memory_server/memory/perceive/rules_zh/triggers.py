"""What a Chinese clause must hold for a rule to read it: most rules are passed over for most clauses.

A rule reads its clause in several forms: without times, without adverbs, with the topic before the rest. All are made
of the characters of the clause, but not of its words, so a trigger is reduced to characters (see `dispatch`): of each
word the rarest. Where a rule may also read a clause for what stands elsewhere in its sentence, `IN_SENTENCE` says so.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.lexicon import alternation
from mcp_memory_server.memory.perceive.rules_zh import (
    budget,
    event,
    habit,
    health,
    idioms,
    learning,
    money,
    mood,
    person,
    taste,
    turned,
    work,
)
from mcp_memory_server.memory.vocabulary import Vocabulary

Rule = Callable[[FrameZh, ContextZh], Iterator[Draft]]

_ORGANS = r"胃|腰|颈椎|膝盖|关节|心脏|肝|肾|肺|眼睛|听力|视力|睡眠|记性|血压|血糖"
_INJURED = r"骨折|骨裂|撕裂|断裂|扭|伤|脱臼|积液|劳损|磨损|突出|膨出|增生|错位|崴|闪|断|裂"
_LOANS = money._LOAN


def clause_triggers(vocabulary: Vocabulary) -> Mapping[Rule, str]:
    """The trigger of each rule that has one, with the words of the vocabulary that it reads."""

    def words(name: str) -> str:
        return alternation(vocabulary.words("zh", name))

    return {
        **turned.TRIGGERS,
        **idioms.TRIGGERS,
        health.conditions: rf"怀孕|怀上|怀了|怀着|有喜|[压糖脂酸醇酶酯]|疼|痛|发麻|{health._DISEASE}|{words('conditions')}|{_INJURED}|{_ORGANS}|查|诊",
        health.body: r"米|分|斤|克|高|重|[kmg1]",
        taste.tastes: r"香菜|[葱姜蒜辣糖洋椒芹肉鸡油酱]|味精|兴趣|着迷|上瘾|控|迷|粉|发烧友|狂热|[腻厌够胃味意口只喜爱衷感受吃喝闻惯忍怕烦嫌碰沾抽忌戒吐]|见不得|不去|真爱|本命|心头好",
        habit.habits: r"[沾碰喝抽吃酒茶烟睡饭泳跑坐打玩熬刷泡赌骑踢跳看游练戒次回趟吸]|咖啡|可乐|牛奶|豆浆|早起|空腹|冥想|健身|锻炼|运动|[班勤学休床家末常惯年每天总]|平时|坚持",
        mood.moods: rf"心情|情绪|状态|精神|死|[A-Za-z]|嫉妒|想念|怀念|心疼|舍不得|担心|害怕|感激|{words('feelings')}|急|怕",
        mood.complaints: rf"打|问|找|联系|没|不发货|不给退款|{mood._BAD}|破|满意|失望|意见|无语|让|逼|叫|要求|{mood._OUTCRY}|投诉|差评|吐槽|举报|客服|快递|外卖|售后|物业|中介|商家|卖家|房东|店员|前台|司机|平台|商城|系统|物流",
        work.work: r"在|入职|跳|onboard|开|跑|从|离|加入|调|进|换|去|于|是|任|当|做|升|提拔|成为|转|干",
        work.experience: r"年|月",
        event.events: rf"{event._MISHAP}|偷|骗|抢|追尾|撞|炒|辞退|裁|烧|淹|盗|住院|icu|手术|搬|中奖|的职|的休|的正|的岗|中了奖|流产|破产|牙|智齿|支架|镜|核磁|CT|超|造影|透析|疗|灸|推拿|光|片|心电图|疫苗|加强针|石膏|线|考|举行|开始|办|进行|开幕|报到|开庭|入场|{words('events')}|{alternation(vocabulary.words('en', 'events'))}|会|医|律师|理发店|车管所|体检|大使馆|房管局",
        budget.budgets: r"[住顶步少低花愿多超内限封控至高下起到~—左右上-]",
        budget.limits: r"额度|限额|上限",
        learning.scores: rf"考|得|拿|刷|分|成绩|{learning._SUBJECTS}|{learning._EXAMS}|总",
        money.pay: r"月|薪|工资|底薪|年收入|收入|年入|税|到手|退休金|养老金|base|offer|package|挣|赚|包",
        money.savings: r"存款|积蓄|存|攒|手里|手头|账上|账户|卡|银行|宝|兜里|积攒|备用金|私房钱|微信",
        money.debts: rf"{_LOANS}|贷了|贷的|挪了|还清|还完|还上|欠|背|借|差|剩|身上",
        person.age: r"十有|岁|月|周大|天大|年|满|了|啦|整",
    }


IN_SENTENCE: Mapping[Rule, str] = {
    taste.tastes: r"爱好|兴趣",
    habit.habits: r"每|天|年|次|周",  # a time before the clause, such as 每天早上
    budget.budgets: r"预算|budget|价位|价格|花不了|可接受",
    learning.scores: r"过了|上了?[百千]|考过|通过|出分|出成绩|成绩出来|分数出来|下来|查分|成绩|考完",
}
