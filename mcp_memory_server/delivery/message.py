"""What a delivery says, and what its answer may say back. JSON both ways, bounded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_memory_server.limits import RESULT_CHARS
from mcp_memory_server.memory.signals import Firing
from mcp_memory_server.memory.view import iso_utc


@dataclass(frozen=True, slots=True)
class Message:
    """One delivery: `id` is the same at every try, so that whoever receives it can tell a repetition."""

    id: str
    trigger: str
    body: bytes


class Destination(Protocol):
    """Where messages of a trigger go."""

    def send(self, message: Message) -> bytes:
        """Hand a message over; what comes back, at most DELIVERY_BYTES. Raises UnavailableError: try again later."""
        ...

    def stop(self) -> None:
        """End what is under way: the process ends."""
        ...


def message_of(firing: Firing, user: str, event_type: str, summary: str | None) -> Message:
    """The message of a firing: ids and numbers, and words of the memory only where `summary` is given."""
    body: dict[str, Any] = {
        "id": firing.id,
        "trigger": firing.trigger,
        "user": user,
        "event_type": event_type,
        "count": firing.count,
        "fired_at": iso_utc(firing.at),
        "memory_id": firing.memory_id,
        "result_path": f"/api/triggers/{firing.id}/result",
    }
    if summary:
        body["summary"] = summary
    return Message(firing.id, firing.trigger, json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())


def result_in(answer: bytes) -> str:
    """The text under `result` when the answer is a JSON object with one, else nothing: other output is not for us."""
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    text = found.get("result") if isinstance(found, dict) else None
    return text if isinstance(text, str) and len(text) <= RESULT_CHARS else ""
