"""Chinese rules: a change of shift, post, team or course at a stated time."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_memory_server.memory.perceive.chinese import ContextZh, FrameZh, good_object, text_draft
from mcp_memory_server.memory.perceive.drafts import Draft
from mcp_memory_server.memory.perceive.rules_zh.ahead import lies_ahead
from mcp_memory_server.memory.perceive.rx import rx

TRIGGER = r"[换转调改]"
# What is changed to decides: a move to a place is a home, a switch to a product a tool.
_WHAT = "夜班|白班|早班|晚班|中班|倒班|轮班|部门|岗位|岗|组|团队|分公司|科室|班级|专业|兼职|全职"
_CHANGE = (
    r"(?P<o>(?:换|转|调|改)(?:岗|班)?(?:到|去|成|上|为|做)?了?"
    rf"(?P<w>[\u4e00-\u9fff]{{0,6}}?(?:{_WHAT})))(?:了|去了|$|，|,|。)"
)


def changes(frame: FrameZh, context: ContextZh) -> Iterator[Draft]:
    """我上周换成夜班了, 他三月调到了销售部门."""
    if not (frame.clause.times and frame.path) or frame.clause.blocked or lies_ahead(frame):
        return
    if rx(r"不|没|别").search(frame.body):
        return
    match = rx(_CHANGE).search(frame.rest)
    if match and good_object(match["w"]):
        yield text_draft(frame, "has_event", match["o"], past=True)


RULES = (changes,)
