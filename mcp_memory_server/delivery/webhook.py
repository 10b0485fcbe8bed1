"""POST to a webhook: HTTPS, or plain HTTP on this machine; no redirects, a time-out, a bounded answer.

The headers are those of the Standard Webhooks specification; `webhook-id` is the idempotency key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from mcp_memory_server.clock import Clock
from mcp_memory_server.delivery.message import Message
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import DELIVERY_BYTES, WEBHOOK_SECONDS

_PREFIX = "whsec_"  # before a secret in base 64


def is_local(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_url(url: str) -> None:
    """Raises ValueError for an address that nothing is sent to."""
    parts = urlsplit(url)
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise ValueError("webhook: a URL with a host and without a user name")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(parts.hostname)):
        raise ValueError("webhook: https, or http on this machine")


def signature(secret: str, message: Message, timestamp: int) -> str:
    """`v1,` and the HMAC-SHA256 of id, time and body, in base 64."""
    key = base64.b64decode(secret.removeprefix(_PREFIX)) if secret.startswith(_PREFIX) else secret.encode()
    signed = f"{message.id}.{timestamp}.".encode() + message.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class Webhook:
    """The Destination port over HTTP."""

    def __init__(self, url: str, clock: Clock, secret: str = "", seconds: float = WEBHOOK_SECONDS) -> None:
        check_url(url)
        self._url = url
        self._clock = clock
        self._secret = secret
        self._seconds = seconds
        self._local = is_local(urlsplit(url).hostname or "")

    def send(self, message: Message) -> bytes:
        """Post a message; the body of the answer. Raises UnavailableError unless the status is 2xx."""
        import httpx2

        deadline = time.monotonic() + self._seconds
        try:
            # What goes to this machine must not take the way over a proxy that the environment names.
            with (
                httpx2.Client(follow_redirects=False, timeout=self._seconds, trust_env=not self._local) as client,
                client.stream("POST", self._url, content=message.body, headers=self._headers(message)) as answer,
            ):
                if not answer.is_success:
                    raise UnavailableError(f"the webhook of {message.trigger} answered {answer.status_code}")
                return self._read(answer, deadline)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise UnavailableError(f"the webhook of {message.trigger} failed ({type(error).__name__})") from error

    def _headers(self, message: Message) -> dict[str, str]:
        timestamp = int(self._clock.now().timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": "consented-memory",
            "webhook-id": message.id,
            "webhook-timestamp": str(timestamp),
            "idempotency-key": message.id,
        }
        if self._secret:
            headers["webhook-signature"] = signature(self._secret, message, timestamp)
        return headers

    @staticmethod
    def _read(answer: Any, deadline: float) -> bytes:
        """The body as far as it may be read: a long or slow one was received all the same, its result is not taken."""
        body = b""
        for part in answer.iter_bytes():
            body += part
            if len(body) > DELIVERY_BYTES or time.monotonic() > deadline:
                return b""
        return body

    def stop(self) -> None:
        """Nothing to end: a request ends by its time-out, and the thread does not keep the process."""
