"""Chinese rules: certificates, payments, kind of employment."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from mcp_memory_server.memory.model import Value, ValueType
from mcp_memory_server.memory.perceive import numerals
from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    draft,
    good_object,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER
from mcp_memory_server.memory.perceive.when import Bind


def documents(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Certificates held, payments made, kind of employment, names of files."""
    if not frame.path:
        return
    match = rx(
        r"^(?:有|考了|考到|考过|考下|拿到|拿了|持有|拿下)了?(?:一?[个本张])?(?P<o>[\u4e00-\u9fffA-Za-z0-9]{1,12}?(?:证书|资格证|上岗证|证|执照|CPA|CFA|PMP|FRM|注会|法考))(?:书)?$"
    ).match(frame.rest)
    if match and not rx(r"(?:驾照|驾驶证|身份证|结婚证|居住证|保证|没)").search(match["o"]):
        yield text_draft(frame, "holds_certificate", match["o"], past=True)
    kind = rx(
        r"^(?:是|属于)?(?:[\u4e00-\u9fffA-Za-z]{0,12}?的)?(?P<o>外包|正式工|正式员工|合同工|临时工|实习生|劳务派遣|派遣|兼职|全职|编外|在编|编制内|自由职业)(?:员工|人员)?$"
    ).match(frame.rest)
    if kind:
        firm = rx(r"(?P<s>[\u4e00-\u9fffA-Za-z]{2,12}?)的(?:外包|正式|合同|临时|实习|劳务|派遣|兼职|全职)").search(
            rx(r"^是").sub("", frame.rest)
        )
        yield text_draft(frame, "employment_kind", kind["o"], scope=firm["s"] if firm else None, timeless=True)
    paid = rx(
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:的)?(?:钱|款|费用)?(?:我)?(?:也|都|刚|刚刚|终于|今天|昨天|目前|现在|一直)*(?P<o>已(?:经)?(?:付款|付清|付|支付|结清|退款)了?|付过款了|付款了|付好了|付清了|支付了|结清了|付了款|付了|(?:还|一直)?没(?:有)?(?:付款|付钱|付|支付)|(?:还)?(?:未|待)(?:付款|支付)|退款了)(?:$|[,，。!！呢哦啊])"
    ).match(frame.body)
    if paid and good_object(paid["s"]) and not rx(r"^[我他她你们钱款这那都也]+$").match(paid["s"]):
        yield text_draft(frame, "payment_status", paid["o"], scope=clean(paid["s"]), subject=USER, timeless=True)


_DOC = r"(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,12}?)"
_FILE = r"(?P<o>[\w\u4e00-\u9fff.()（）-]{1,40}\.(?:docx?|xlsx?|pptx?|pdf|csv|txt|md|zip|png|jpe?g|psd|ai|dwg|mp4|wav|json|ya?ml|py|ipynb|key|pages|numbers))"


def files(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """Names and dates of files and documents: 合同叫…docx, 报告的日期是六月三号."""
    text = rx(r"[“”\"「」《》]|^(?:我们?|咱们?)?(?:已经)?把").sub("", frame.body)
    whole = rx(r"[“”\"「」《》]|^(?:我们?|咱们?)?(?:已经)?把").sub("", frame.clause.text)
    named = rx(
        rf"^(?:我们?的?|这份|那份|这个|那个)?{_DOC}(?:的)?(?:文件|文档|文件名|文档名)?(?:名字?|名称)?(?:就)?(?:叫做?|是|为|存成了?|保存为|保存成|命名为|改名为|改成|另存为)(?:了)?{_FILE}$"
    ).match(whole)
    if named:
        scope = rx(r"(?:的|文件|文档|名字?|名称|文件名)+$").sub("", named["s"])
        yield text_draft(
            frame, "file_name", named["o"], scope=scope if good_object(scope) else None, subject=USER, timeless=True
        )
    dated = rx(
        rf"^(?:我们?的?|这份|那份|这个|那个)?{_DOC}(?:文件|文档|文稿|版本|终稿|定稿|扫描件|截图|合同|报告|纪要)?(?:的|上的|上写的|上面的)?(?:落款|签署|修改|创建|生成|更新|存档)?(?:日期|时间)(?:写的)?(?:是|为|在|:|：)?$"
    ).match(text)
    kind = rx(r"文件|文档|文稿|版本|终稿|定稿|扫描件|合同|报告|纪要|表格|方案|标书|简历|PPT|Word|Excel|pdf|PDF").search(
        text
    )
    if dated and kind:
        day = next((when for when in frame.clause.times if when.bind is Bind.AT and len(when.past) == 10), None)
        if day:
            value = Value(ValueType.DATE, day.past, None, clean(dated["s"] + _tail(text, dated)) or None)
            yield draft(frame, "file_date", value, subject=USER, timeless=True)


def _tail(text: str, match: re.Match[str]) -> str:
    """What belongs to the name of the document behind its first word: 合同 in 租房合同."""
    kind = rx(r"文件|文档|文稿|版本|终稿|定稿|扫描件|合同|报告|纪要").match(text[match.end("s") :])
    return kind[0] if kind else ""


_LEVELS = r"入门|初级|初学|零基础|基础|中级|中等|中上|高级|熟练|精通|专家级|菜鸟|小白|半吊子|皮毛|一般"


def levels(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """How well something is mastered: Python我是中级水平, 微积分掌握了六成."""
    if frame.path != USER and frame.subject.role not in ("son", "daughter", "child", "student"):
        return
    text = (frame.topic + frame.rest) if frame.topic else frame.rest
    share = rx(
        r"^(?:的)?(?:对)?(?P<s>[\u4e00-\u9fffA-Za-z0-9+#]{1,10}?)(?:的)?(?:我|目前|现在|大概|大约|已经|也就|只|才)*(?:掌握程度|掌握|学会|会|懂|熟练度|熟练程度|理解)(?:了|是|有|到|大概|大约|差不多|也就|只有|在)*(?P<n>\d{1,3}(?:\.\d+)?%|百分之[一二三四五六七八九十百零]+|[一二两三四五六七八九]成(?:半)?)"
    ).match(text)
    if share and good_object(clean(share["s"])):
        yield draft(
            frame, "mastery_level", Value(ValueType.NUMBER, _share(share["n"]), None, clean(share["s"])), timeless=True
        )
        return
    grasp = rx(
        r"^(?:目前|现在|大概|大约|也就|只|才|就|不到)*(?:有)?(?P<n>[一二两三四五六七八九]成(?:半)?|\d{1,2}%)(?:的)?(?:把握|掌握)$"
    ).match(text)
    told = rx(
        r"(?:^|[,，。!！?？;；])(?P<s>[\u4e00-\u9fffA-Za-z0-9+#]{1,10}?)我?(?:掌握|学|理解)得[^,，。]{1,6}[,，]"
    ).search(context.sentence)
    if grasp and told and good_object(clean(told["s"])):  # 矩阵我掌握得很差，只有三成把握
        level = Value(ValueType.NUMBER, _share(grasp["n"]), None, clean(told["s"]))
        yield draft(frame, "mastery_level", level, timeless=True)
        return
    worded = rx(
        rf"^(?:的)?(?P<s>[\u4e00-\u9fffA-Za-z0-9+#]{{1,10}}?)(?:的)?(?:我|目前|现在|大概|也就|只|才|算|还|处于|在|属于|是|个)*(?P<o>{_LEVELS})(?:的)?(?:水平|阶段|程度|级别|选手|段位)(?:$|[,，])"
    ).match(text) or rx(
        rf"^(?:的)?(?P<s>[\u4e00-\u9fffA-Za-z0-9+#]{{1,10}}?)(?:的)?(?:水平|程度|掌握程度)(?:大概|目前|也就|算)*(?:是|在|处于|算|为)(?P<o>{_LEVELS})(?:左右|水平|阶段)?$"
    ).match(text)
    if worded and good_object(clean(worded["s"])) and not rx(r"工资|生活|收入|他|她|你").search(worded["s"]):
        yield text_draft(frame, "mastery_level", worded["o"], scope=clean(worded["s"]), timeless=True)


def _share(text: str) -> str:
    """六成 is 0.6, 百分之三十 and 30% are 0.3."""
    if text.endswith("%"):
        return numerals.plain(Decimal(text[:-1]) / 100)
    if text.startswith("百分之"):
        return numerals.plain((numerals.chinese_value(text[3:]) or Decimal(0)) / 100)
    value = numerals.chinese_value(text[0]) or Decimal(0)
    return numerals.plain((value + (Decimal("0.5") if text.endswith("半") else 0)) / 10)


RULES = (documents, files, levels)
