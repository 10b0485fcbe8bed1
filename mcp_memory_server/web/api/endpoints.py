"""The table of the HTTP API: each path and method, what it takes, which function answers, and in which form.

Routes and the OpenAPI document are made from this table, so that neither can say what the other does not. What
the contract lists and does not stand here (`/api/consents`) belongs to a feature that is not there yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp_memory_server import limits
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.service import MemoryService
from mcp_memory_server.tools import memory_tools
from mcp_memory_server.tools.schemas import DESCRIPTIONS, INPUTS, OUTPUTS, Schema
from mcp_memory_server.web.api import schemas as s

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Call = Callable[[MemoryService, Principal, dict[str, Any]], dict[str, Any]]
IN_BODY = ("POST", "PATCH")  # methods whose arguments come as JSON; those of others stand in the query


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and method.

    `given` is the closed, flat schema of the query or the body, `in_path` that of the path's `{id}` under the name
    that `call` knows it by. `changes` names the tool whose answers tell listeners what has changed, empty: nothing.
    """

    method: Method
    path: str
    name: str
    summary: str
    call: Call
    answer: Schema
    given: Schema = field(default_factory=lambda: s.closed({}))
    in_path: tuple[str, Schema] | None = None
    changes: str = ""
    body_bytes: int = limits.HTTP_BODY_BYTES

    @property
    def arguments(self) -> Schema:
        """One flat schema of everything that `call` is given."""
        own = dict([self.in_path]) if self.in_path else {}
        return s.closed({**own, **self.given["properties"]}, (*own, *self.given.get("required", ())))


def _tool(method: Method, path: str, tool: str, **more: Any) -> Endpoint:
    """An endpoint that is a tool under a path."""
    call = memory_tools.CALLS[tool]
    more = {"name": tool, "given": INPUTS[tool], "changes": tool} | more
    return Endpoint(method, path, summary=DESCRIPTIONS[tool], call=call, answer=OUTPUTS[tool], **more)


def _memory(service: MemoryService, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    return service.memory(principal, given["memory_id"])


def _questions(service: MemoryService, principal: Principal, _given: dict[str, Any]) -> dict[str, Any]:
    return {"questions": service.questions(principal)}


def _session(service: MemoryService, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    return memory_tools.session(service, principal, given["session"])


def _rollback(service: MemoryService, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    return service.rollback(principal, given["session"], given["version"])


def _trigger_result(service: MemoryService, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
    return service.trigger_result(principal, given["firing"], given["result"])


_ID = "/api/memories/{id}"
ENDPOINTS: tuple[Endpoint, ...] = (
    _tool("GET", "/api/memories", "list_memories"),
    _tool("POST", "/api/memories", "remember"),
    Endpoint(
        "GET", _ID, "read_memory", "One memory in full, with its evidence, links and history.",
        _memory, s.MEMORY_IN_FULL, in_path=("memory_id", s.MEMORY_ID),
    ),
    _tool(
        "PATCH", _ID, "correct_memory",
        given=s.without("correct_memory", "memory_id", "question_id"), in_path=("memory_id", s.MEMORY_ID),
    ),
    _tool(
        "DELETE", _ID, "forget", name="forget_memory",
        given=s.closed({"reason": INPUTS["forget"]["properties"]["reason"]}), in_path=("memory_id", s.MEMORY_ID),
    ),
    _tool("POST", "/api/recall", "recall"),
    _tool("POST", "/api/feedback", "give_feedback"),
    _tool("POST", "/api/memory/forget", "forget"),
    _tool("GET", "/api/profile", "get_profile"),
    Endpoint(
        "GET", "/api/questions", "list_questions", "What waits for the user's answer, oldest first.",
        _questions, s.QUESTIONS,
    ),
    _tool(
        "PATCH", "/api/questions/{id}", "correct_memory", name="answer_question",
        given=s.without("correct_memory", "memory_id", "question_id"), in_path=("question_id", s.QUESTION_ID),
    ),
    Endpoint(
        "GET", "/api/sessions/{id}", "read_session",
        "What was said in a session, in order, and its working memory with its versions.",
        _session, s.SESSION, in_path=("session", s.SESSION_ID),
    ),
    Endpoint(
        "POST", "/api/sessions/{id}/rollback", "roll_back_session",
        "Make an earlier version of a session's working memory the newest; memories themselves stay as they are.",
        _rollback, s.WORKING, s.closed({"version": s.VERSION}, ("version",)), in_path=("session", s.SESSION_ID),
    ),
    Endpoint(
        "POST", "/api/triggers/{id}/result", "give_trigger_result",
        "Post what a program that a trigger told has found; it appears once in the next profile.",
        _trigger_result, s.FIRING, s.closed({"result": s.TRIGGER_RESULT}, ("result",)),
        in_path=("firing", s.FIRING_ID), changes="trigger", body_bytes=limits.DELIVERY_BYTES,
    ),
    Endpoint(
        "GET", "/api/audit", "read_audit", "What was done to which memories, when and by whom, newest first.",
        memory_tools.audit, s.AUDIT, s.closed(s.PAGE),
    ),
    Endpoint(
        "POST", "/api/erase", "erase",
        "Forget everything of the caller for good. The first call previews and answers `confirm`; the second, with "
        "it, does it and answers the receipts.",
        memory_tools.erase, s.ERASED, s.closed({"confirm": s.CONFIRM}), changes="erase",
    ),
)  # fmt: skip
