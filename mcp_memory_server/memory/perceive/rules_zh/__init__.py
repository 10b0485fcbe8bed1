"""The rules of Chinese, in the order in which they read a clause."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from mcp_memory_server.memory.perceive.rules_zh import (
    budget,
    change,
    education,
    event,
    family,
    firm,
    goods,
    habit,
    health,
    idioms,
    learning,
    money,
    mood,
    papers,
    person,
    plan,
    taste,
    trip,
    turned,
    work,
)

RULES = (
    *person.RULES, *family.RULES, *work.RULES, *firm.RULES, *education.RULES, *health.RULES, *taste.RULES, *habit.RULES,
    *learning.RULES, *mood.RULES, *budget.RULES, *money.RULES, *goods.RULES, *trip.RULES, *event.RULES, *change.RULES, *plan.RULES, *papers.RULES,
    *turned.RULES, *idioms.RULES,
)  # fmt: skip
# Rules that read a clause although it asks or supposes: a limit in a request is a limit.
ALWAYS = (budget.budgets, trip.trains)
# Rules that find nothing in a clause without a number.
NEED_NUMBER = frozenset(
    (*budget.SUMS, *money.SUMS, person.age, work.experience, health.body, learning.scores, turned.tenure, idioms.doses)
)
# Words without which a rule finds nothing in a sentence: most rules are passed over for most sentences.
TRIGGERS = {
    change.changes: change.TRIGGER,
    person.names: r"叫|名|喊|称呼|我是|本人",
    person.birthday: r"生",
    person.home: r"住|居|搬|迁|移|落户|调到|坐标|家|人在|扎根|生活在|待在|安家|来|租|安|[Bb]ase|BASE",
    person.origin: r"老家|家乡|籍|祖|来自|从|生|长大|人|娘家",
    person.languages: r"语|话|文|白",
    person.licence: r"驾|学过|没考",
    family.relationship: r"证|前妻|前夫|前任|单|婚|恋|领|朋友|对象|友了|离|偶|分居|分手|脱单|丁克|领证",
    family.family: r"儿|子|有|孩|娃|宝",
    family.pets: r"养|只|条|猫|狗|犬|鱼|鸟|龟|鼠|兔|毛|是|匹|头",
    work.tools: r"用|卸|删|注销|靠|换|里|上|改|迁|弹|拉|吹|玩|演奏|[A-Za-z]",
    firm.organisation: r"[Tt]eam|公司|店|馆|诊所|民宿|农场|摊|厂|集团|工作室|团队|部门|小组|组|我们|咱|总部|办公|单位|企业|营收|营业额|流水|营",
    education.education: r"学|读|念|上|年级|大[一二三四五]|高[一二三]|初[一二三]|研|博|硕|本科|大专|专业|毕业|考|升|班|修|钻|校|啃|补|课",
    health.allergies: r"过敏",
    health.medication: r"吃|服|打|药|用|停|喷|片|素|胶囊|补|开了|靠",
    health.diet: r"素|斋|断|\d|清真|酮|低|无麸|轻食|餐|断食|禁食|糖|油|食|蛋白",
    taste.preferences: r"更|能|不如|宁|情愿|倾向|偏|首选|优先|选|比|只|习惯|相比",
    taste.formats: r"聊天|回答|回复|答|解释|讲|说明|回我|跟我说|和我说|输出|总结|格式|回应|说话|表情|注释|讲题|报告|文案|术语|结论",
    learning.learning: r"懂|会|不|没|难|差|头|熟|掌握|精通|擅长|透|清|好|弱|板|分|住|晕|混|通|手|吃力|怵|腿|拖|丢|扣|错|思路|感觉|开窍|熟|溜|卡|烂|及格|明白|跟",
    goods.investing: r"搁|扔|砸|丢|塞|押|投|买|持|炒|配置|拿|存|入|放|玩|仓|股|基金|债|金|币|理财|险|风|保|激|稳|谨|亏|胆|承担|清|抛|碰|炒",
    goods.holdings: r"名下|手里|手上|家里",
    goods.belongings: r"有|买|卖|开|骑|入手|下单|购|换|订购|添置|淘|抢|提|处理|送人|报废|丢|转手|拥有",
    trip.trips: r"奔|杀|转|跑|走|去|飞|到|前往|回|游|逛|玩|出差|旅|度假|从|在",
    trip.bookings: r"订|定|约|抢|买",
    trip.trains: r"票|高铁|动车|火车|飞机|航班|大巴|订|定|座|卧|舱|铺",
    event.meetings: r"来|到访|见|跟|和|与|约|陪|同|访|看|会",
    plan.deadlines: r"递|呈|送审|上报|截止|到期|交|due|ddl|DDL|(?i:deadline)|完成|搞定|还|答复|上线|定稿|缴|寄|报名|要|得|前|把|最晚|最迟",
    plan.absence: r"假|不在|没空|勿扰|打扰|安排|约|不方便|休息|上班|联系|闭关|调休",
    plan.plans: r"目标|着|主意|决意|有意|催我|打算|准备|计划|想|决定|要|希望|将|考虑|即将|叫我|喊我|攒|存钱|提醒|remind|立志|发誓",
    papers.files: r"\.[A-Za-z]|日期|时间",
    papers.levels: r"水平|阶段|程度|成|%|百分|级别|选手|段位|熟练度",
    papers.documents: r"证|执照|CPA|CFA|PMP|FRM|注会|法考|外包|工|实习|派遣|兼职|全职|编|自由职业|付|支付",
}
