"""Any endpoint that speaks the OpenAI chat completions protocol: a local server, or a provider with a key."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from importlib import import_module

from mcp_memory_server import limits
from mcp_memory_server.memory.refining.port import Cause, Choices, Proposal, RefinerError

_OK = 200
_REDIRECTS = range(300, 400)
_TICK = 1.0  # seconds beyond the wait that a connection may linger before its thread looks at the clock


class OpenAICompatibleRefiner:
    """POST {base_url}/chat/completions with a JSON schema; answers are read strictly, within a time and a size.

    Each question has a thread of its own, so that the caller waits `seconds` and not longer, whatever the endpoint
    does. At most `limits.REFINER_PARALLEL` threads exist; after `limits.REFINER_FAILURES` failures in a row the
    endpoint is left alone for `limits.REFINER_PAUSE_SECONDS`.
    """

    def __init__(
        self,
        base_url: str,
        name: str,
        *,
        api_key: str | None = None,
        seconds: float = limits.REFINER_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = f"openai-compatible/{name}"
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._name = name
        self._api_key = api_key
        self._seconds = seconds
        self._monotonic = monotonic
        self._free = threading.BoundedSemaphore(limits.REFINER_PARALLEL)
        self._lock = threading.Lock()
        self._failures = 0
        self._paused_until = 0.0

    def propose(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        """What the model proposes about a masked text. Raises RefinerError."""
        with self._lock:
            if self._failures >= limits.REFINER_FAILURES and self._monotonic() < self._paused_until:
                raise RefinerError(Cause.PAUSED, "the refiner failed several times in a row and is left alone")
        try:
            found = self._ask(text, choices)
        except RefinerError as error:
            if error.cause is not Cause.BUSY:
                self._failed()
            raise
        with self._lock:
            self._failures = 0
        return found

    def _failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._paused_until = self._monotonic() + limits.REFINER_PAUSE_SECONDS

    def _ask(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        # Loaded before the clock runs: the first question shall not have less time than the others.
        import_module("httpx2")
        import_module("mcp_memory_server.refiner.answer")

        if not self._free.acquire(blocking=False):
            raise RefinerError(Cause.BUSY, "the refiner is busy")
        question = _Question(lambda: self._exchange(text, choices), self._free)
        # A daemon: an endpoint that never answers must not keep the process from ending.
        threading.Thread(target=question.run, name="refiner", daemon=True).start()
        if not question.done.wait(self._seconds):
            raise RefinerError(Cause.TIMEOUT, f"the refiner did not answer in {self._seconds:g} s")
        if isinstance(question.error, RefinerError):
            raise question.error
        if question.error is not None:
            raise RefinerError(
                Cause.UNREACHABLE, f"asking the refiner failed ({type(question.error).__name__})"
            ) from question.error
        return question.found

    def _exchange(self, text: str, choices: Choices) -> tuple[Proposal, ...]:
        import httpx2

        from mcp_memory_server.refiner.answer import proposals_of, request

        # Uncompressed: what comes in is what is counted.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        until = self._monotonic() + self._seconds + _TICK
        body = bytearray()
        try:
            with httpx2.stream(
                "POST",
                self._url,
                json=request(self._name, text, choices),
                headers=headers,
                timeout=self._seconds + _TICK,
                follow_redirects=False,
            ) as answer:
                if answer.status_code in _REDIRECTS:
                    raise RefinerError(Cause.REDIRECT, "the refiner's endpoint redirects, which is not followed")
                if answer.status_code != _OK:
                    raise RefinerError(Cause.STATUS, f"the refiner's endpoint answered {answer.status_code}")
                if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                    raise RefinerError(Cause.NOT_JSON, "the refiner's answer is compressed")
                for part in answer.iter_raw():
                    body += part
                    if len(body) > limits.REFINER_ANSWER_BYTES:
                        raise RefinerError(
                            Cause.TOO_LARGE, f"the refiner's answer has over {limits.REFINER_ANSWER_BYTES} bytes"
                        )
                    if self._monotonic() > until:
                        raise RefinerError(Cause.TIMEOUT, f"the refiner did not answer in {self._seconds:g} s")
        except httpx2.TimeoutException as error:
            raise RefinerError(Cause.TIMEOUT, f"the refiner did not answer in {self._seconds:g} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise RefinerError(Cause.UNREACHABLE, f"the refiner's endpoint failed ({type(error).__name__})") from error
        return proposals_of(bytes(body), choices)


class _Question:
    """One exchange in its thread: what it found, or why it failed."""

    def __init__(self, exchange: Callable[[], tuple[Proposal, ...]], free: threading.BoundedSemaphore) -> None:
        self.done = threading.Event()
        self.found: tuple[Proposal, ...] = ()
        self.error: Exception | None = None
        self._exchange = exchange
        self._free = free

    def run(self) -> None:
        """Ask, and make room for the next question."""
        try:
            self.found = self._exchange()
        except Exception as error:  # noqa: BLE001 - a thread's fault is told to who waits for it
            self.error = error
        finally:
            self._free.release()
            self.done.set()
