"""The memory tools: from checked arguments to the service and back.

Imports of the application are made inside the calls: this module is on the start-up path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp_memory_server.errors import ConflictError, InvalidArgumentError, NotFoundError, TooManyError

if TYPE_CHECKING:
    from mcp_memory_server.identity.principal import Principal
    from mcp_memory_server.memory.service import ForgetRequest, MemoryService, Plan

Arguments = dict[str, Any]
Answer = dict[str, Any]


def remember(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Store what was said and stated."""
    from mcp_memory_server.memory.model import Category, Speaker
    from mcp_memory_server.memory.service import RememberRequest

    category = given.get("category", "auto")
    request = RememberRequest(
        statements=tuple(given.get("statements", ())),
        said=given.get("said"),
        said_by=Speaker(given.get("said_by", "user")),
        said_by_name=given.get("said_by_name"),
        category="auto" if category == "auto" else Category(category),
        occurred_at=given.get("occurred_at"),
        time_zone=given.get("time_zone"),
        session=given.get("session"),
        origin=given.get("origin"),
    )
    return service.remember(principal, request)


def recall(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Find what answers a question."""
    from mcp_memory_server.memory.service import RecallRequest

    return service.recall(principal, RecallRequest(**given))


def list_memories(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """One page of what is there."""
    from mcp_memory_server.memory.service import ListRequest

    return service.list_memories(principal, ListRequest(**given))


def correct_memory(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Apply the user's verdict."""
    from mcp_memory_server.memory.service import CorrectRequest

    return service.correct(principal, CorrectRequest(**given))


def get_profile(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """What is known of the user."""
    from mcp_memory_server.memory.service import ProfileRequest

    return service.profile(principal, ProfileRequest(**given, take_results=True))


def give_feedback(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Keep verdicts on what a recall showed. Raises TooManyError."""
    from mcp_memory_server.limits import FEEDBACK_MEMORIES
    from mcp_memory_server.memory.service import FeedbackRequest
    from mcp_memory_server.memory.signals import Task, Verdict

    lists = {verdict.value: tuple(given.get(verdict.value, ())) for verdict in Verdict}
    for name, ids in lists.items():
        if len(ids) > FEEDBACK_MEMORIES:
            raise TooManyError(f"{name}: at most {FEEDBACK_MEMORIES}")
    task = Task(given["task"]) if "task" in given else None
    return service.give_feedback(principal, FeedbackRequest(given["recall_id"], **lists, task=task))


def forget_unasked(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Forget for a caller through whom the user cannot be asked: one memory at once, more in a second call."""
    found = forget_plan(service, principal, given)
    if found.immediate:
        return service.forget(principal, found.ids)
    if given.get("everything"):
        service.refuse_everything()
    return service.forget_later(principal, found)


def session(service: MemoryService, principal: Principal, name: str) -> Answer:
    """What was said in a session, and its working memory. Raises NotFoundError."""
    spoken, working = service.session(principal, name), service.working(principal, name)
    if not spoken and not working["versions"]:
        raise NotFoundError(f"no session {name}")
    return {"session": name, "utterances": spoken, "working": working}


def erase(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """Forget everything of the caller in two calls: the first answers `confirm`, which the second brings back.

    Raises ConflictError for a confirmation that does not reach all that there is.
    """
    if "confirm" not in given:
        asked = service.forget_later(principal, service.plan_everything(principal))
        return {name: value for name, value in asked.items() if name != "forgotten"} | {"receipts": []}
    confirmed = forget_plan(service, principal, {"confirm": given["confirm"]})
    if not set(service.plan_everything(principal).ids) <= set(confirmed.ids):
        raise ConflictError(
            "confirm: was given for less than there is now", next_step="Call erase again and confirm the new preview"
        )
    receipts = service.erase_user(principal)
    state = "pending" if any(one["pending"] for one in receipts) else "forgotten"
    return {"state": state, "preview": [], "receipts": receipts}


def audit(service: MemoryService, principal: Principal, given: Arguments) -> Answer:
    """One page of what was done to the caller's memories."""
    from mcp_memory_server.memory.service import AuditRequest

    return service.audit(principal, AuditRequest(**given))


def forget_request(given: Arguments) -> ForgetRequest:
    """The arguments of `forget` as a request."""
    from mcp_memory_server.memory.service import ForgetRequest

    return ForgetRequest(**given)


def forget_plan(service: MemoryService, principal: Principal, given: Arguments) -> Plan:
    """What `forget` would reach. Raises InvalidArgumentError, NotFoundError, ConflictError."""
    request = forget_request(given)
    if request.everything:
        if len({name for name, value in given.items() if value}) - ("reason" in given) > 1:
            raise InvalidArgumentError("everything: goes alone")
        return service.plan_everything(principal)
    return service.plan_forget(principal, request)


def forget_question(found: Plan, lang: str) -> str:
    """What the user is asked before a wider forgetting."""
    lines = [f"- {line['statement'][:120]}" for line in found.preview]
    more = len(found.ids) - len(lines)
    if lang == "zh":
        head = f"要永久删除这 {len(found.ids)} 条记忆吗？删除后无法恢复。"
        tail = f"……还有 {more} 条" if more > 0 else ""
    else:
        head = f"Forget these {len(found.ids)} memories for good? This cannot be undone."
        tail = f"… and {more} more" if more > 0 else ""
    return "\n".join([head, *lines, *([tail] if tail else [])])


# What each tool does for a caller through whom its user cannot be asked. `forget` over MCP asks where it can.
CALLS: dict[str, Callable[[MemoryService, Principal, Arguments], Answer]] = {
    "remember": remember,
    "recall": recall,
    "list_memories": list_memories,
    "forget": forget_unasked,
    "correct_memory": correct_memory,
    "get_profile": get_profile,
    "give_feedback": give_feedback,
}
