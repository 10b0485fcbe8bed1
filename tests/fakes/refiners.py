"""A refiner without a model, and a local server that speaks the chat completions protocol, well and badly."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mcp_memory_server.memory.model import Polarity, ValueType
from mcp_memory_server.memory.refining.port import Cause, Choices, Proposal, RefinerError
from mcp_memory_server.refiner.answer import proposals_of

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


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Answer with a status, a body and headers (`_` for `-`)."""
    handler.send_response(status)
    for name, value in ({"Content-Length": str(len(body))} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def sending(status: int, content: Any, **headers: str) -> Answer:
    """An answer that is always the same: bytes as they are, anything else as JSON."""
    body = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    return lambda handler, _asked: send(handler, status, body, **headers)


class Endpoint:
    """A server whose answer a test sets; keeps what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = sending(200, completion({"facts": []}))
        self.asked: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.release = threading.Event()  # set at the end, so that no handler waits longer than its test
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.raw.append(body)
                outer.paths.append(self.path)
                outer.asked.append(json.loads(body))
                outer.headers.append(dict(self.headers))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
                    outer.answer(self, outer.asked[-1])

            def do_GET(self) -> None:
                outer.paths.append(self.path)
                send(self, 200, json.dumps(completion({"facts": [fact()]})).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = False
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
