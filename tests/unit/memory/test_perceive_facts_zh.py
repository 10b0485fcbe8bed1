"""Chinese facts: one sentence, the facts it states, and nothing else."""

# ruff: noqa: E501 - one example a line

from __future__ import annotations

import pytest

from tests.unit.memory.understanding import facts, read, times

STATED = [
    ("统计学我掌握得不好。", ["user struggles_with 统计学"]),
    ("统计学我掌握得很扎实。", ["user mastered 统计学"]),
    ("统计学我掌握得一般，只有四成把握。", ["user struggles_with 统计学", "user mastery_level 0.4 (统计学)"]),
    ("这物业真没良心！", ["user complains_about 物业"]),
    ("大家都叫我阿森。", ["user has_name 阿森"]),
    ("我叫方晓，方便的方。", ["user has_name 方晓"]),
    ("我今年三十五了，属马。", ["user age 35 year"]),
    ("我是1990年6月12号出生的。", ["user birthday 1990-06-12"]),
    ("我去年从北京搬到了苏州。", ["user lives_in 苏州"]),
    ("我在成都住了五年了。", ["user lives_in 成都"]),
    ("我老家是山西大同的。", ["user hometown 山西大同"]),
    ("我母语是闽南语。", ["user speaks 闽南语"]),
    ("我会说粤语和日语，韩语一句都不会。", ["user speaks 粤语", "user speaks 日语", "user -speaks 韩语"]),
    ("我去年刚考到驾照。", ["user has_driving_license true"]),
    ("我没有驾照。", ["user -has_driving_license true"]),
    ("我离婚两年了。", ["user relationship_status 离婚"]),
    ("我有两个哥哥和一个妹妹。", ["user family_member 两个哥哥", "user family_member 妹妹"]),
    ("我有个表姐。", ["user family_member 表姐"]),
    ("我们家有两个孩子。", ["user children_count 2"]),
    ("我家养了两只猫。", ["user has_pet 猫"]),
    ("我在一家三甲医院当护士。", ["user job_title 护士"]),
    ("我在星澜科技做算法工程师。", ["user works_at 星澜科技", "user job_title 算法工程师"]),
    ("我刚入职了云舟物流。", ["user works_at 云舟物流"]),
    ("我上个月从蓝海传媒离职了。", ["user -works_at 蓝海传媒"]),
    ("我做室内设计八年了。", ["user years_of_experience 8 year (室内设计)"]),
    ("我平时用Notion记笔记。", ["user uses_tool Notion"]),
    ("我们公司去年营收八千万。", ["user.company revenue 80000000 CNY"]),
    ("我们团队现在有十五个人。", ["user.team headcount 15 person"]),
    ("我们公司总部在杭州滨江。", ["user.company located_in 杭州滨江"]),
    ("我女儿今年上小学二年级。", ["user.daughter education_level 小学二年级"]),
    ("我物理特别差。", ["user struggles_with 物理"]),
    ("概率论我怎么都学不会。", ["user struggles_with 概率论"]),
    ("我终于学会蛙泳了。", ["user mastered 蛙泳"]),
    ("我四级考了560分。", ["user exam_score 560 (四级)"]),
    ("我吃芒果过敏。", ["user allergic_to 芒果"]),
    ("我不能吃花生，会过敏。", ["user allergic_to 花生"]),
    ("我对青霉素过敏，头孢不过敏。", ["user allergic_to 青霉素", "user -allergic_to 头孢"]),
    ("我爸有糖尿病，每天打胰岛素。", ["user.father has_condition 糖尿病", "user.father takes_medication 胰岛素"]),
    ("我怀孕了。", ["user has_condition 怀孕"]),
    ("我身高一米七八，体重一百四十斤。", ["user height 1.78 m", "user weight 140 jin"]),
    ("我身高175。", ["user height 175 cm"]),
    ("我现在吃素。", ["user follows_diet 吃素"]),
    ("我每天早上跑五公里。", ["user has_habit 跑步"]),
    ("我已经戒酒半年了。", ["user -has_habit 喝酒"]),
    ("我烟酒不沾。", ["user -has_habit 抽烟", "user -has_habit 喝酒"]),
    ("我特别喜欢看科幻小说和打羽毛球。", ["user likes 看科幻小说", "user likes 打羽毛球"]),
    ("我最讨厌排队了。", ["user dislikes 排队"]),
    ("香菜我不吃。", ["user dislikes 香菜"]),
    ("比起咖啡我更爱喝茶。", ["user prefers 茶"]),
    ("回答尽量简洁，用中文。", ["user prefers_format 简短", "user prefers_format 中文"]),
    ("我投资偏保守。", ["user risk_preference 保守"]),
    ("帮我找个三千以内的手机。", ["user budget_max 3000 CNY (手机)"]),
    ("机票预算不超过2000元。", ["user budget_max 2000 CNY (机票)"]),
    ("我月薪一万八。", ["user salary 18000 CNY/month"]),
    ("我攒了二十万准备买房。", ["user savings 200000 CNY (买房)"]),
    ("我房贷还有八十万没还。", ["user owes 800000 CNY (房贷)"]),
    ("我每个月房租三千五。", ["user regular_cost 3500 CNY/month (房租)"]),
    ("我花了六千八买了台电脑。", ["user spent 6800 CNY (电脑)"]),
    ("我买了点指数基金。", ["user invests_in 指数基金"]),
    ("我有一辆特斯拉。", ["user owns 特斯拉"]),
    ("我把车卖了。", ["user -owns 车"]),
    ("我上个月买了台咖啡机。", ["user bought 咖啡机"]),
    ("我打算把阳台封了。", ["user plans_to 封阳台"]),
    ("提醒我周五交水电费。", ["user plans_to 交水电费"]),
    ("我订了周六晚上七点的位子。", ["user booked 位子"]),
    ("我下周三去深圳出差。", ["user travels_to 深圳"]),
    ("我去年去过冰岛。", ["user visited 冰岛"]),
    ("我明天中午跟小李吃饭。", ["user meets 小李"]),
    ("我后天上午九点有个面试。", ["user has_event 面试"]),
    ("报告周五之前必须交。", ["user deadline 2025-06-06 (报告)"]),
    ("我8月2号到9号休年假。", ["user unavailable_during 2025-08-02/2025-08-09"]),
    ("我今天特别开心！", ["user feels 开心"]),
    ("这个快递也太慢了吧，都五天了。", ["user complains_about 快递"]),
    ("我的报销额度是5000元。", ["user spending_limit 5000 CNY (报销)"]),
    ("我们公司做AI芯片。", ["user.company makes_product AI芯片"]),
    ("我們家養了一隻貓。", ["user has_pet 貓"]),
    # whose it is: a name behind a role, an introduction, the user's own firm, a relative who is told of
    ("同事老郑对海鲜过敏。", ["user.colleague:老郑 allergic_to 海鲜"]),
    ("沈禾是我堂妹，在市图书馆当管理员。", ["user.cousin:沈禾 works_at 市图书馆", "user.cousin:沈禾 job_title 管理员"]),
    ("我开的面包店一共六个人。", ["user.company headcount 6 person"]),
    ("我有个弟弟在读高三。", ["user family_member 弟弟", "user.brother education_level 高三"]),
    ("我爱人想换工作。", ["user.partner plans_to 换工作"]),
    ("我老婆是第二小学的老师。", ["user.wife works_at 第二小学", "user.wife job_title 老师"]),
    # the characters that were written
    ("我住九龍塘。", ["user lives_in 九龍塘"]),
    ("我阿嬤今年八十五歲。", ["user.grandmother age 85 year"]),
    # what stands between the subject and its verb
    ("我跟舍友住在城西的老小区里。", ["user lives_in 城西"]),
    ("我在网上给女儿买了套百科全书。", ["user bought 百科全书"]),
    # work and school
    ("我在一家叫云帆的设计公司上班。", ["user works_at 云帆"]),
    ("我毕业于青岛科技大学化工系。", ["user graduated_from 青岛科技大学"]),
    ("写方案我一般用飞书文档。", ["user uses_tool 飞书文档"]),
    ("我把抖音卸载了。", ["user -uses_tool 抖音"]),
    ("一看到英文合同我就头大。", ["user struggles_with 英文合同"]),
    ("并发这块我算是弄明白了。", ["user mastered 并发"]),
    # health
    ("我一吃菠萝就嘴麻，应该是过敏。", ["user allergic_to 菠萝"]),
    ("上个月体检查出甲状腺结节。", ["user has_condition 甲状腺结节"]),
    ("左眼还有点散光。", ["user has_condition 散光"]),
    # taste and habit
    ("与其打车，不如骑车。", ["user prefers 骑车"]),
    ("比起跑步我更习惯游泳。", ["user prefers 游泳"]),
    ("我的爱好是：下棋、钓鱼。", ["user likes 下棋", "user likes 钓鱼"]),
    ("我不打麻将了。", ["user -has_habit 打麻将"]),
    # money
    ("一顿饭吃掉六百二。", ["user spent 620 CNY"]),
    ("我还欠舅舅三万块。", ["user owes 30000 CNY (舅舅)"]),
    ("美股我全清仓了。", ["user -invests_in 美股"]),
    ("房租一个月三千八，押一付三。", ["user regular_cost 3800 CNY/month (房租)"]),
    ("显示器预算不能少于两千。", ["user budget_min 2000 CNY (显示器)"]),
    ("第三季度我们公司营收九百万。", ["user.company revenue 9000000 CNY"]),
    # what lies ahead, and what was
    ("材料周五之前得交上去。", ["user deadline 2025-06-06 (材料)"]),
    ("我得在月底前把申请表填完。", ["user deadline 2025-06-30 (申请表)"]),
    ("这周四周五我请假。", ["user unavailable_during 2025-06-05/2025-06-06"]),
    ("我在去合肥的高铁上。", ["user travels_to 合肥"]),
    ("我还没去过敦煌。", ["user -visited 敦煌"]),
    ("我在攒钱买车。", ["user plans_to 买车"]),
    # moods and complaints
    ("我有点嫉妒他。", ["user feels 嫉妒 (他)"]),
    ("今天好nervous。", ["user feels nervous"]),
    ("这破空调又漏水了！", ["user complains_about 空调"]),
    ("等了两个小时还没上菜。", ["user complains_about 没上菜"]),
    # documents and mastery
    ("这份租房合同叫租约2025.pdf。", ["user file_name 租约2025.pdf (租房合同)"]),
    ("报告的修改日期是2025年5月20日。", ["user file_date 2025-05-20 (报告)"]),
    ("微积分我掌握了七成。", ["user mastery_level 0.7 (微积分)"]),
    ("Java我是入门水平。", ["user mastery_level 入门 (Java)"]),
    # what a retraction names
    ("上周我说我会德语是瞎说的，别当真。", ["user -speaks 德语"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[text for text, _ in STATED])
def test_a_statement_gives_its_facts_and_no_others(text: str, expected: list[str]) -> None:
    assert sorted(facts(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "怎么退款？", "请问报销流程怎么走", "你觉得我该不该买车？", "要是能搬到成都就好了。", "如果涨工资，我可能会换车。",
        "听说他们公司要裁员。", "我朋友老说：“我一个月挣五万还不够花。”", "把这句翻成英文：“我从2015年起就住在重庆。”",
        "写个小故事：主人公叫阿宝，35岁，卖馄饨的。", "早上好呀～今天也要加油！", "可能下个月换工作吧。", "开玩笑的，我是外星人。",
        "谁告诉你我爱吃榴莲的？我可没说过。", "以下是客户原话：我们有五十人，预算八十万。",
        "假设有个人身高一米九，体重九十公斤。", "单位里有人对花粉过敏。", "我想想还是算了。", "我住的地方离地铁站很近。", "这工资也太低了吧！涨一点行吗？".replace("这工资也太低了吧！", ""), "。", "哈哈哈",
    ],
)  # fmt: skip
def test_what_is_asked_supposed_quoted_or_joked_gives_no_fact(text: str) -> None:
    assert facts(text) == []


def test_one_long_sentence_gives_every_fact_on_its_own() -> None:
    text = "我叫苏禾，今年34岁，住在厦门，在一家物流公司做产品经理，有个女儿，对青霉素过敏。"
    assert facts(text) == [
        "user has_name 苏禾", "user age 34 year", "user lives_in 厦门", "user job_title 产品经理",
        "user family_member 女儿", "user allergic_to 青霉素",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "predicate", "expected"),
    [
        ("我从一月起住在苏州。", "lives_in", ("2025-01", None, None)),
        ("我戒烟三年了。", "has_habit", ("2022", None, None)),
        ("去年夏天去了青海湖。", "visited", (None, None, "2024-06-01/2024-08-31")),
        ("去日本定了，7月8号走，15号回。", "travels_to", (None, "2025-07-15", "2025-07-08")),
        ("明天下午三点跟王律师有个会。", "meets", (None, None, "2025-06-05T15:00:00+08:00")),
        ("2019到2022年我住在伦敦。", "lives_in", ("2019", "2022", None)),
        ("明天八点的动车，去扬州看展。", "travels_to", (None, None, "2025-06-05T08:00:00+08:00")),
        ("我在准备法考，十月十八号考。", "has_event", (None, None, "2025-10-18")),
        ("7月3号飞大连，9号回。", "travels_to", (None, "2025-07-09", "2025-07-03")),
        ("去年寒假我们去了大理。", "visited", (None, None, "2024-01/2024-02")),
    ],
)
def test_times_bind_states_and_occurrences(text: str, predicate: str, expected: tuple[str | None, ...]) -> None:
    assert times(text, predicate) == expected


def test_the_journey_that_is_asked_for_gives_its_slots() -> None:
    perceived = read("帮我订明天下午3点北京南到上海虹桥的高铁，要二等座，预算500以内。")
    book = next(intent for intent in perceived.intents if intent.name == "book")
    assert book.slots["from"] == "北京南"
    assert book.slots["to"] == "上海虹桥"
    assert book.slots["class"] == "二等座"
    assert book.slots["time"] == "2025-06-05T15:00:00+08:00"
    assert any(event.at == "2025-06-05T15:00:00+08:00" for event in perceived.events)
