"""Chinese rules: schools, degrees, what is studied."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.model import Change
from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    items,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER

_GRADES = r"大一|大二|大三|大四|大五|研一|研二|研三|博一|博二|博三|博四|高一|高二|高三|初一|初二|初三|[一二三四五六]年级|小学[一二三四五六]年级|小[一二三四五六]|[七八九]年级|幼儿园(?:[大中小]班)?|学前班|[大中小]班|大学|小学|初中|高中|中专|大专|本科|研究生|博士|硕士|职高|技校|高职|预科"


def education(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Grade, degree, school and what is studied."""
    if not frame.path or frame.subject.role in ("company", "team"):
        return
    rest = frame.rest
    match = rx(
        rf"^(?:是|在)?(?:在?[\u4e00-\u9fffA-Za-z]{{2,10}}?(?=[上读念]))?(?P<v>正?(?:在)?(?:上|读|念|就读|升|升到|升入|是|开始读|该上|要上))?(?:了|到)?(?P<o>{_GRADES})(?:了|啦|学生|在读|的学生|下学期|上学期|阶段)?(?:$|[,，。]|的(?!时候|那))"
    ).match(rest)
    if (
        match
        and (
            match["v"]
            or rx(r"大[一二三四五]|研|博[一二三四]|高[一二三]|初[一二三]|年级|幼儿园|[大中小]班").match(match["o"])
        )
        and not rx(r"打算|准备|想").search(frame.adverbs)
    ):
        changed = Change.CHANGED if "升" in (match["v"] or "") else Change.NONE
        yield text_draft(frame, "education_level", match["o"], change=changed, begins=changed is Change.CHANGED)
    match = rx(r"^(?:的)?(?:最?高?学历)(?:是|为|就|只有|只是)*(?P<o>\S{2,6}?)(?:$|毕业|[,，])").match(rest) or rx(
        r"^(?:是)?(?P<o>本科|硕士|博士|大专|高中|中专|初中|研究生|专科|博士后)(?:学历|毕业)"
    ).match(rest)
    if match:
        yield text_draft(frame, "education_level", clean(match["o"]), timeless=True)
    held = rx(
        r"^(?:自考|函授|成考|在职|后来|又|刚|已经)*(?:拿|考|混|读)(?:到|了|下|下来|出)+了?(?:一?个|张)?(?P<o>本科|硕士|博士|大专|专科|研究生|MBA|学士)(?:的)?(?:文凭|学历|学位|毕业证)"
    ).match(rest)
    held = held or rx(
        r"^(?:是)?(?:在)?(?:读|念|上)(?:的是|的|着)?(?:函授|自考|成人|在职|全日制|非全日制|夜大)的?(?P<o>本科|硕士|博士|大专|专科|研究生)$"
    ).match(rest)
    if held:
        yield text_draft(frame, "education_level", held["o"], timeless=True)
    reading = rx(
        r"^(?:是|目前|现在|正)*(?:一?[名个位])?(?:在读)?(?P<o>本科|硕士|博士|研究生|大专|高中|初中|专科|博士后)(?:生|研究生)?(?:在读|在读生|第[一二三四五]年|[一二三四五]年级)?(?:$|[,，])"
    ).match(rest)
    student = rx(
        rf"^是(?:一?[名个位])?(?:[\u4e00-\u9fff\d]{{2,4}}[级届]的?)?(?P<o>{_GRADES})(?:的)?(?:学生|新生|生|党|狗)"
    ).match(rest)
    if (reading and "在读" in reading[0]) or student:
        yield text_draft(frame, "education_level", (student or reading)["o"])  # type: ignore[index]  # one of them matched
    elif study := rx(r"^(?:在|正在|还在)(?:[\u4e00-\u9fff]{2,8}?)?读(?P<o>研|博)(?:$|[,，究第])").match(rest):
        yield text_draft(frame, "education_level", {"研": "研究生", "博": "博士"}[study["o"]])
    yield from _schools(frame, context, rest)
    yield from _subjects(frame, context, rest)


_SCHOOL = r"[\u4e00-\u9fffA-Za-z]{0,14}(?:大学|学院|中学|小学|高中|学校|幼儿园|[卫体艺警护军职技党]校|师范|[一二三四五六七八九]中|附中|附小|University|College)"


def _school(text: str) -> str:
    text = clean(text)
    return (
        text
        if rx(
            r"[\u4e00-\u9fffA-Za-z]{0,14}(?:大学|学院|中学|小学|一中|二中|三中|[四五六七八九十]中|附中|附小|高中|职校|技校|党校|商学院|理工|师大|财大|工大|农大|医大|交大|[卫体艺警护军]校|师范|学堂|北大|清华|北航|哈工大|复旦|浙大|南大|武大|中大|华科|川大|厦大|外国语学校|实验学校|幼儿园|训练营|培训班|[师医农财商警幼工]专|高专|[^高大]学堂|University|College)"
        ).fullmatch(text)
        and not rx(r"(?:到|幼儿园$|[小中大]学$|[高初]中$|学校$|师范$|一所|某|这所|那所|读|上|考|一个|大学$)").match(
            text
        )
        else ""
    )


def _schools(frame: FrameZh, context: ContextZh, rest: str) -> Iterator[Draft]:
    """Schools attended and finished."""
    year = rx(
        r"^是(?P<s>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:[\u4e00-\u9fff]{2,6}(?:系|专业))?(?P<g>大[一二三四五]|研[一二三]|博[一二三四]|高[一二三]|初[一二三])的?(?:学生|本科生|新生|研究生)?$"
    ).match(rest)
    if year and not rx(r"个|名|位|刚|一所").search(year["s"]):
        yield text_draft(frame, "studies_at", year["s"], entity=True)
        yield text_draft(frame, "education_level", year["g"])
        return
    student = rx(rf"^是(?P<o>{_SCHOOL})的(?:在读)?(?P<k>研究生|博士生|硕士生|本科生|大学生|博士|硕士)$").match(rest)
    if student and (name := _school(student["o"])):
        yield text_draft(frame, "studies_at", name, entity=True)
        yield text_draft(
            frame,
            "education_level",
            student["k"].removesuffix("生") if len(student["k"]) == 3 and student["k"] != "研究生" else student["k"],
        )
        return
    done = (
        rx(rf"^(?:的)?母校(?:就)?是(?P<o>{_SCHOOL})").match(rest)
        or rx(rf"^(?:的)?(?:本科|硕士|博士|研究生|大学|高中|初中)?(?:是|就)?(?:毕业于|毕业自)(?P<o>{_SCHOOL})").match(
            rest
        )
        or rx(
            rf"^(?:是)?(?:从)?(?P<o>{_SCHOOL})(?:[\u4e00-\u9fff]{{2,6}}(?:系|专业))?(?:本科|硕士|博士)?(?:毕业(?!论文|设计|典礼|照|后|以后)|出来的)"
        ).match(rest)
        or rx(rf"^是(?P<o>{_SCHOOL})(?:\d{{2,4}}届)?(?:[\u4e00-\u9fff]{{2,6}}(?:系|专业))?的?(?:毕业生|校友)").match(
            rest
        )
        or rx(
            r"^(?:的)?(?:本科|硕士|博士|研究生|大学|高中|初中)(?:是|就|都|当年)*在(?P<o>[\u4e00-\u9fffA-Za-z]{2,14}?)(?:读|念|上)的"
        ).match(rest)
    )
    if done and not rx(r"打算|准备|想|明年|才能|还没|没").search(frame.adverbs + rest[:3]):
        name = _school(rx(r"^(?:是|从|在|一所)+").sub("", done["o"]))
        if name:
            yield text_draft(frame, "graduated_from", name, entity=True, past=True, begins=True)
            return
    now = rx(
        rf"^(?:目前|现在|还)?(?P<v>在|就读于|考上了?|考进了?|考入了?|念|读|上了?)(?P<o>{_SCHOOL})(?P<w>.*)$"
    ).match(rest)
    if (
        now
        and (name := _school(now["o"]))
        and (now["v"] != "在" or rx(r"(?:正在)?(?:读|念|上|学|留学|交换|进修|攻读|住校)").match(now["w"]))
        and not rx(r"(?:[食教做当工任]|上班|的(?:食堂|老师)|老师|教书|[了过]$)").match(now["w"])
    ):
        admitted = now["v"].startswith("考")
        yield text_draft(frame, "studies_at", name, entity=True, begins=admitted, past=admitted)
        return
    match = rx(
        r"^(?:在|就读于|考上了?|考进了?|考入了?|是)(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?P<v>读书|上学|念书|读研|读博|就读|读大学|上大学|念|读|上|学|留学|交换|进修|的(?:大[一二三四]|研[一二三]|博[一二三])?(?:学生|研究生|博士生|本科生|博士|硕士)|$|[,，])"
    ).match(rest)
    if match and (match["v"] not in ("", ",", "，") or not rest.startswith(("在", "是"))):
        school = _school(match["o"])
        if school:
            yield text_draft(
                frame, "studies_at", school, entity=True, begins=rest.startswith("考"), past=rest.startswith("考")
            )
    match = rx(
        r"^(?:是|从)?(?:本科|硕士|博士|研究生|大学|高中)?(?:毕业于|毕业自)(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?:的|$|[,，]|[\u4e00-\u9fff]{2,6}(?:系|专业))"
    ).match(rest) or rx(
        r"^(?:是|从)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,16}?)(?:[\u4e00-\u9fff]{2,6}(?:系|专业))?(?:本科|硕士|博士|研究生)?毕业(?:的|了|$|[,，])"
    ).match(rest)
    if match:
        school = _school(match["o"]) or (
            clean(match["o"])
            if rx(r".*(?:大|中|院)$").fullmatch(clean(match["o"])) and len(clean(match["o"])) >= 2
            else ""
        )
        if school:
            yield text_draft(frame, "graduated_from", school, entity=True, past=True, begins=True)


def _subjects(frame: FrameZh, context: ContextZh, rest: str) -> Iterator[Draft]:
    swapped = rx(
        r"^(?:专业|方向|考研方向)?(?:换成|改成|改为|转到|转成|改学|转学|换到)了?(?P<o>[\u4e00-\u9fffA-Za-z]{2,10}?)(?:专业|系|了|$)"
    ).match(rest)
    if swapped and rx(r"专业|方向|学的|考研|主修").search(frame.topic or frame.clause.text):
        yield text_draft(frame, "studies", swapped["o"], subject=USER, begins=True, past=True, change=Change.CHANGED)
        return
    course = rx(
        r"^(?:在|正在|每周|每天|刚)?(?:上|报了?|参加了?|报名了?)(?:一?个)?(?P<o>[\u4e00-\u9fffA-Za-z]{2,6}?)(?:课|培训班|兴趣班|网课|班)(?:$|了|[,，])"
    ).match(rest)
    if (
        course
        and not rx(
            r"(?:夜|白|早|晚|下|加|几|哪|这|那|第|公开|体育|专业|网|.*节|一|小|中|大|托儿|幼儿园[大中小])"
        ).fullmatch(course["o"])
        and (rx(r"报|参加|学").search(rest) or frame.clause.times or rx(r"^(?:在|正在)").match(rest))
    ):
        yield text_draft(frame, "studies", course["o"], begins=True, past=True)
        return
    evening = rx(
        r"^(?:正|还)?在(?:[\u4e00-\u9fffA-Za-z]{2,6}?)?(?:补|上|听|旁听|进修)(?P<o>[\u4e00-\u9fffA-Za-z]{2,6}?)课$"
    ).match(rest)
    if evening and not rx(r"体育|网|晚|早|公开|直播|一节|几节").search(evening["o"]):
        yield text_draft(frame, "studies", evening["o"])
        return
    elective = rx(r"^(?:选|修|选修|报)了一?[门节](?P<o>[\u4e00-\u9fffA-Za-z]{2,8}?)课?$").match(rest)
    if elective:
        yield text_draft(frame, "studies", elective["o"])
        return
    made = rx(r"(?:爸|妈|家里|父母|爸妈|老师)(?:让|叫|逼)我(?:学|读|报)了(?P<o>[\u4e00-\u9fff]{2,6})$").search(
        frame.body
    )
    if made:
        yield text_draft(frame, "studies", made["o"], subject=USER)
        return
    faculty = rx(r"^(?:在)?(?:念|读)(?P<s>[\u4e00-\u9fff]{1,4}大)(?P<o>[\u4e00-\u9fff]{2,8}?)(?:系|专业|所)$").match(
        rest
    )
    if faculty:
        yield text_draft(frame, "studies_at", faculty["s"], entity=True)
        yield text_draft(frame, "studies", faculty["o"])
        return
    rest = rx(
        r"^(?:白天|晚上|夜里|平时|周末|业余|下班后?|放学后?|闲下来|有空)(?:就|还|也|都)*(?=[自啃学读念刷补备])"
    ).sub("", rest)
    match = (
        rx(
            r"^(?P<neg>没|不)?(?:开始|在|正在|跟着?\S{1,6}|每天|每周|报班|报名|报了班|一边\S{1,4}一边)*(?:自学|学习|学着|(?<![同大中小留开放上数化文科医哲])学(?!校|费|分|期|历|生|位|琴(?=学)|长|姐|弟|妹)|啃|刷(?=[^,，]{1,6}的?(?:题|真题|卷子|网课)$)|恶补|补习|(?:备考|备战|冲刺)(?!期|阶段|群|经验|资料|的|中)|研修|主修|攻读|辅修|进修|钻研)(?:的是|的|着|了|的专业是)?(?P<o>[^,，。]{1,12})"
        ).match(rest)
        or rx(
            r"^(?P<neg>(?!))?(?:的)?(?:专业|主修|研究方向|考研方向)(?!换|改|转)(?:是|学的是|读的是)?(?P<o>[^,，。]{2,12})"
        ).match(rest)
        or rx(
            r"^(?P<neg>(?!))?(?:在|在职)?(?P<place>在[\u4e00-\u9fffA-Za-z]{2,12}?)?(?:[读念](?:的是|的|着)?|修(?:的是|的(?!是|车|钱)|着|(?=[^,，]*(?:课|学分|专业|学位|哲学|文学|法|双))))(?P<o>(?!书|研究生|研$|博$|大学|小学|初中|高中|本科|硕士|博士|[大研高初][一二三四]|完|了|到|错|[一二三四五六])[^,，。]{2,10}?)(?:专业|系)?$"
        ).match(rest)
        or rx(
            r"^(?P<neg>(?!))?(?:在)[\u4e00-\u9fffA-Za-z]{2,14}?(?:(?<![同大中小留])学(?!校|院)|读|攻读|主修|念)(?P<o>(?![读念上]|博士|硕士|研究生|本科|大学)[\u4e00-\u9fffA-Za-z]{2,8})(?:专业|系)?$"
        ).match(rest)
        or rx(r"^(?P<neg>(?!))?(?:考研|高考完?|志愿)报(?:的是|了)(?P<o>[\u4e00-\u9fff]{2,8}?)(?:专业|系)?$").match(rest)
    )
    if (
        not match
        or rx(r"^没\S{0,2}学过").match(rest)
        or rx(r"(?:想|打算|准备|计划|要|希望|以前|之前|曾经|小时候)").search(frame.adverbs + rest[: match.start("o")])
    ):
        return
    text = rx(
        r"(?:专业|系)?(?:的)?(?:[一二两三四五六七八九十半\d]+个?多?(?:年|个月|月|天|周)\S*|了.*|呢|中|得.*|起来.*|课程|课|专业|怎么\S*|的(?:学生|人|时候)\S*|的(?:书|教材|题库?|真题|课本|资料|讲义|视频|网课|卷子)|出身|方向)$"
    ).sub("", match["o"])
    changed = Change.CHANGED if rx(r"换成|改成|转").search(rest) else Change.NONE
    for part in items(text):
        if rx(rf"(?:{_GRADES}|研|博|书)").fullmatch(part):
            continue
        if (
            not rx(
                r"(?:会|习|校|生|期|费|分|历|长|姐|弟|妹|到|不|着|完|以致用|乖|坏|好|起|过|懂|医院|籍|位|什么|东西|新东西|知识|点东西|问|术|书|课)"
            ).fullmatch(part)
            and not (part.startswith("会") and not part.startswith(("会计", "会展")))
            and not part.startswith(("不", "习", "得", "到", "过", "着", "完", "起"))
        ):
            yield text_draft(
                frame, "studies", part, negative=bool(match["neg"]), begins=True, past=True, change=changed
            )


RULES = (education,)
