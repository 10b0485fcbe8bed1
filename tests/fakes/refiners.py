"""A refiner without a model, and a local server that speaks the chat completions protocol, well and badly."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from mcp_memory_server.memory.model import Polarity, ValueType
from mcp_memory_server.memory.refining.port import Cause, Choices, Proposal, RefinerError
from mcp_memory_server.refiner.answer import proposals_of
from tests.fakes.local_server import LocalServer, send

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def proposal(quote: str, predicate: str, value: str, **changes: Any) -> Proposal:
    """A proposal about the user, positive and a text unless said otherwise."""
    made: dict[str, Any] = {"subject": "user", "value_type": ValueType.TEXT, "polarity": Polarity.POSITIVE} | changes
    return Proposal(quote=quote, predicate=predicate, value=value, **made)


def proposals_about(sentence: str) -> list[Proposal]:
    """A sentence as the proposals of a model that takes its quantity for anything."""
    words = sentence.rstrip(".").split()
    at = next((n for n, word in enumerate(words) if word.isdigit()), 0)
    values = (" ".join(words[at : at + 2]), " ".join(words[max(0, at - 1) : at + 1]), words[at], words[-1])
    kinds = (("owns", ValueType.TEXT), ("spent", ValueType.MONEY), ("weight", ValueType.NUMBER))
    return [
        proposal(quote, predicate, value, value_type=kind)
        for quote in (sentence, *values)
        for value in values
        for predicate, kind in kinds
    ]


class FakeRefiner:
    """Proposes what it was given, or fails; keeps what it was asked, and runs `during` meanwhile."""

    model = "fake-refiner"

    def __init__(self, *proposals: Proposal, failing: Cause | Exception | None = None) -> None:
        self.proposals: Sequence[Proposal] = proposals
        self.failing = failing
        self.asked: list[str] = []
        self.during: Callable[[], None] = lambda: None

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        self.asked.append(text)
        self.during()
        if isinstance(self.failing, Cause):
            raise RefinerError(self.failing, "as the test wants it")
        if self.failing is not None:
            raise self.failing
        return tuple(self.proposals)


class ReplyRefiner(FakeRefiner):
    """Answers with the text of a model, read as the adapter reads it."""

    reply = ""

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        self.asked.append(text)
        return proposals_of(json.dumps(completion(self.reply)).encode(), choices)


def completion(content: Any) -> dict[str, Any]:
    """A chat completion with this content."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


def fact(**changes: Any) -> dict[str, Any]:
    """A well-formed fact of an answer."""
    return {
        "quote": "I dwell in Galway",
        "subject": "user",
        "predicate": "lives_in",
        "value_type": "entity",
        "value": "Galway",
        "polarity": "positive",
    } | changes


def sending(status: int, content: Any, **headers: str) -> Answer:
    """An answer that is always the same: bytes as they are, anything else as JSON."""
    body = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    return lambda handler, _asked: send(handler, status, body, **headers)


class Endpoint(LocalServer):
    """A server whose answer a test sets; keeps what it was asked."""

    path = "/v1"

    def __init__(self) -> None:
        self.answer: Answer = sending(200, completion({"facts": []}))
        self.asked: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        super().__init__()

    def posted(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self.raw.append(body)
        self.paths.append(handler.path)
        self.asked.append(json.loads(body))
        self.headers.append(dict(handler.headers))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
            self.answer(handler, self.asked[-1])

    def got(self, handler: BaseHTTPRequestHandler) -> None:
        self.paths.append(handler.path)
        send(handler, 200, json.dumps(completion({"facts": [fact()]})).encode())
