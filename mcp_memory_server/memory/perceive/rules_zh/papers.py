"""Chinese rules: certificates, payments, kind of employment."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import (
    ContextZh,
    FrameZh,
    clean,
    good_object,
    text_draft,
)
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rx import rx
from mcp_memory_server.memory.perceive.subjects import USER


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
        r"^(?P<s>[\u4e00-\u9fffA-Za-z0-9]{1,10}?)(?:我)?(?P<o>已付款|付过款了|付款了|已支付|还没付款?|未付款|没付款|付清了|已经付了|还没付钱|已经付款)"
    ).match(frame.body)
    if paid and good_object(paid["s"]):
        yield text_draft(frame, "payment_status", clean(paid["o"]), scope=clean(paid["s"]), subject=USER, timeless=True)


RULES = (documents,)
