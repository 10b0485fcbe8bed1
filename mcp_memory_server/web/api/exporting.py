"""`GET /api/export`: the native format as a stream, from one snapshot; nothing of it is put on disk."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO, cast

import anyio
import anyio.from_thread
import anyio.to_thread
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mcp_memory_server.errors import InternalError, MemoryServerError
from mcp_memory_server.interchange import native
from mcp_memory_server.limits import HTTP_EXPORT_PART_BYTES, HTTP_EXPORT_SECONDS, HTTP_EXPORT_STALL_SECONDS
from mcp_memory_server.memory.ports import Backend, Tenancy
from mcp_memory_server.web.answers import failed
from mcp_memory_server.web.api.gatekeeper import Room

MEDIA_TYPE = "application/x-ndjson"
_HEADERS = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"content-disposition", b'attachment; filename="memories.jsonl"'),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]
_log = logging.getLogger(__name__)


class Export(Response):
    """An export while it is being written.

    What goes wrong before the first part is an error of the contract; later the stream breaks off, and what was
    sent has no `end` line, so that an import says that it is not whole. `ended` is told the status, 500 for a stream
    that broke off.
    """

    def __init__(
        self,
        backend: Backend,
        tenancy: Tenancy,
        now: datetime,
        room: Room,
        ended: Callable[[int], None],
        *,
        feedback: bool,
    ) -> None:
        self._ended = ended
        self._write_to = partial(native.export, backend, tenancy, now=now, feedback=feedback)
        self._room = room
        self._send: Send | None = None
        self._started = False
        self._until = time.monotonic() + HTTP_EXPORT_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write it, part by part, as fast as it is read."""
        self._send = send
        try:
            with self._room.place():
                await anyio.to_thread.run_sync(self._work, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=False)
                await self._emit(b"", more=False)
        except Exception as error:
            if self._started:
                self._ended(500)
                raise  # the server closes the connection: what was sent cannot be taken back
            if not isinstance(error, MemoryServerError):
                _log.exception("export failed")
                error = InternalError("the call failed", next_step="Look into the server's log")
            answer = failed(error)
            self._ended(answer.status_code)
            await answer(scope, receive, send)
        else:
            self._ended(200)

    def _work(self) -> None:
        sink = _Sink(self)
        self._write_to(cast(BinaryIO, sink))
        sink.flush()

    def put(self, part: bytes) -> None:
        """Send a part, from the thread that writes. Raises TimeoutError for a reader that is too slow."""
        anyio.from_thread.run(self._emit, part)

    async def _emit(self, part: bytes, more: bool = True) -> None:
        messages: list[Message] = [{"type": "http.response.body", "body": part, "more_body": more}]
        if not self._started:
            self._started = True
            messages.insert(0, {"type": "http.response.start", "status": 200, "headers": _HEADERS})
        with anyio.fail_after(min(HTTP_EXPORT_STALL_SECONDS, self._until - time.monotonic())):
            for message in messages:
                await cast(Send, self._send)(message)


class _Sink:
    """The file that an export writes to."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._held = bytearray()

    def write(self, data: Any) -> int:
        """Take bytes; enough of them are sent on."""
        self._held += data
        if len(self._held) >= HTTP_EXPORT_PART_BYTES:
            self.flush()
        return len(data)

    def flush(self) -> None:
        """Send on what is held."""
        part = bytes(self._held)
        self._held.clear()
        self._export.put(part)
